/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi plugin new NAME [--cxx | --micro | --device | --target]`: a folder with a plugin that
 * builds and passes its test as it is. Marks in the texts are replaced: @NAME@ and the like in the
 * op's below, "fake" and the like in those of examples (cmake/template_table.cmake). Nothing is
 * ever overwritten. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "plugin_new.h"

/* Both languages: the C functions are the same. */
static const char source[] =
    "/* @NAME@: the op @OP@, y = factor * x. What is not said here, kernel_kit.h says. */\n"
    "#include \"oribi/kernel_kit.h\"\n"
    "\n"
    "ORIBI_PLUGIN(\"@NAME@\", \"0.1\", \"unlicensed\");\n"
    "\n"
    "@EXTERN@typedef struct Scale {\n"
    "    float factor;\n"
    "} Scale;\n"
    "\n"
    "static void scale_read(oribi_kit_setup *setup, Scale *kernel)\n"
    "{\n"
    "    oribi_kit_attr_float(setup, \"factor\", &kernel->factor);\n"
    "}\n"
    "\n"
    "static void scale_loop(const Scale *kernel, const float *x, float *y, int64_t count)\n"
    "{\n"
    "    for (int64_t i = 0; i < count; i++) {\n"
    "        y[i] = kernel->factor * x[i];\n"
    "    }\n"
    "}\n"
    "ORIBI_KIT_UNARY(scale, Scale, float, float, 1) /* scale_create, scale_compute; 1 cycle a "
    "value */\n"
    "\n"
    "@EXTERN_END@void TF_InitKernel(void)\n"
    "{\n"
    "    oribi_kit_register_op(\"@OP@\", \"x: float\", \"y: float\", \"factor: float = 2.0\",\n"
    "                          \"elementwise\", oribi_kit_shape_unchanged);\n"
    "    oribi_kit_register_kernel(\"@OP@\", \"CPU\", scale_create, scale_compute, "
    "oribi_kit_free);\n"
    "}\n";

/* A model with the op, byte by byte; its parts are below 16 KiB, so that a length has two bytes at
 * most. */
static const char model_text[] =
    "/* Writes the ONNX model that the test runs: y = @OP@(x), factor 3, in the domain "
    "\"@NAME@\".\n"
    " * A model may name any domain: `oribi` finds an op called @OP@, or, first, the one that is\n"
    " * called after the domain (\"com.acme\": Com>Acme>@OP@). */\n"
    "#include <stdio.h>\n#include <string.h>\n\n"
    "typedef struct Bytes {\n    unsigned char at[1000];\n    size_t n;\n} Bytes;\n\n"
    "/* A field of bytes: its number, a length, the bytes. */\n"
    "static void put(Bytes *to, int number, const void *data, size_t n)\n{\n"
    "    to->at[to->n++] = (unsigned char)(number * 8 + 2);\n"
    "    if (n > 127) { /* seven bits a byte, the low ones first */\n"
    "        to->at[to->n++] = (unsigned char)(n % 128 + 128);\n    }\n"
    "    to->at[to->n++] = (unsigned char)(n > 127 ? n / 128 : n);\n"
    "    memcpy(to->at + to->n, data, n);\n    to->n += n;\n}\n\n"
    "static void put_text(Bytes *to, int number, const char *text)\n{\n"
    "    put(to, number, text, strlen(text));\n}\n\n"
    "static void put_number(Bytes *to, int number, int value)\n{\n"
    "    to->at[to->n++] = (unsigned char)(number * 8);\n"
    "    to->at[to->n++] = (unsigned char)value;\n}\n\n"
    "/* A float vector of @LENGTH@. */\n"
    "static void put_port(Bytes *graph, int number, const char *name)\n{\n"
    "    const unsigned char type[] = {0x0a, 8, 8, 1, 0x12, 4, 0x0a, 2, @DIM@};\n"
    "    Bytes port = {{0}, 0};\n\n"
    "    put_text(&port, 1, name);\n    put(&port, 2, type, sizeof type);\n"
    "    put(graph, number, port.at, port.n);\n}\n\n"
    "static void put_opset(Bytes *model, const char *domain, int version)\n{\n"
    "    Bytes opset = {{0}, 0};\n\n"
    "    put_text(&opset, 1, domain);\n    put_number(&opset, 2, version);\n"
    "    put(model, 8, opset.at, opset.n);\n}\n\n"
    "int main(int argc, char **argv)\n{\n"
    "    const unsigned char three[] = {0x15, 0, 0, 0x40, 0x40}; /* field 2, 3.0f */\n"
    "    Bytes factor = {{0}, 0}, node = {{0}, 0}, graph = {{0}, 0}, model = {{0}, 0};\n\n"
    "    put_text(&factor, 1, \"factor\");\n"
    "    memcpy(factor.at + factor.n, three, sizeof three);\n    factor.n += sizeof three;\n"
    "    factor.at[factor.n++] = 0xa0; /* field 20, the kind: 1 is a float */\n"
    "    factor.at[factor.n++] = 1;\n    factor.at[factor.n++] = 1;\n"
    "    put_text(&node, 1, \"x\");\n    put_text(&node, 2, \"y\");\n"
    "    put_text(&node, 4, \"@OP@\");\n    put(&node, 5, factor.at, factor.n);\n"
    "    put_text(&node, 7, \"@NAME@\");\n"
    "    put(&graph, 1, node.at, node.n);\n    put_text(&graph, 2, \"g\");\n"
    "    put_port(&graph, 11, \"x\");\n    put_port(&graph, 12, \"y\");\n"
    "    put_number(&model, 1, 8);\n    put(&model, 7, graph.at, graph.n);\n"
    "    put_opset(&model, \"\", 13);\n    put_opset(&model, \"@NAME@\", 1);\n\n"
    "    FILE *file = argc == 2 ? fopen(argv[1], \"wb\") : NULL;\n"
    "    if (file == NULL || fwrite(model.at, 1, model.n, file) != model.n ||\n"
    "        fclose(file) != 0) {\n"
    "        fprintf(stderr, \"usage: model FILE.onnx, where it can be written\\n\");\n"
    "        return 1;\n    }\n    return 0;\n}\n";

static const char cmake_text[] =
    "cmake_minimum_required(VERSION 3.16)\nproject(@NAME@ @LANGUAGE@)\n\n"
    "find_package(oribi 1.0 REQUIRED)\n"
    "add_library(@NAME@ MODULE @NAME@.@SUFFIX@)\n"
    "target_link_libraries(@NAME@ PRIVATE oribi::plugin)\n"
    "set_target_properties(@NAME@ PROPERTIES PREFIX \"\" @LANGUAGE@_VISIBILITY_PRESET hidden)\n"
    "add_custom_command(TARGET @NAME@ POST_BUILD COMMAND ${CMAKE_COMMAND} -E copy_if_different\n"
    "    ${CMAKE_CURRENT_SOURCE_DIR}/@NAME@.cases.json $<TARGET_FILE_DIR:@NAME@>)\n\n"
    "enable_testing()\nfind_program(ORIBI oribi REQUIRED)\n"
    "add_test(NAME check COMMAND ${ORIBI} plugin check $<TARGET_FILE:@NAME@>)\n"
    "add_test(NAME test COMMAND ${ORIBI} plugin test $<TARGET_FILE:@NAME@>)\n\n"
    "# The op in an ONNX model.\n"
    "add_executable(model model.@SUFFIX@)\n"
    "add_custom_command(TARGET model POST_BUILD COMMAND model @NAME@.onnx)\n"
    "add_test(NAME model COMMAND ${ORIBI} run @NAME@.onnx --plugin $<TARGET_FILE:@NAME@>\n"
    "    -i x=4xf32=1,2,3,-4 --json)\n"
    "set_tests_properties(model PROPERTIES PASS_REGULAR_EXPRESSION \"3,6,9,-12\")\n@CMAKE_VERIFY@";

static const char make_text[] =
    "ORIBI ?= oribi\n"
    "FLAGS = -O2 -Wall -Wextra -fPIC -fvisibility=hidden $(shell pkg-config --cflags "
    "oribi-plugin)\n\n"
    "@NAME@.so: @NAME@.@SUFFIX@\n\t$(@COMPILER@) $(FLAGS) -shared $< -o $@\n\n"
    "@NAME@.onnx: model.@SUFFIX@\n\t$(@COMPILER@) -O2 -Wall -Wextra $< -o model && ./model $@\n\n"
    "test: @NAME@.so @NAME@.onnx\n\t$(ORIBI) plugin check ./@NAME@.so\n"
    "\t$(ORIBI) plugin test ./@NAME@.so\n"
    "\t$(ORIBI) run @NAME@.onnx --plugin ./@NAME@.so -i x=4xf32=1,2,3,-4 --json | grep "
    "3,6,9,-12\n@MAKE_VERIFY@\n"
    "clean:\n\trm -f @NAME@.so @NAME@.onnx model\n\n.PHONY: test clean\n";

static const char cases_text[] =
    "{\"cases\": [\n"
    "  {\"op\": \"@OP@\", \"attrs\": {\"factor\": 3.0},\n"
    "   \"inputs\": [{\"shape\": [2, 2], \"values\": [1, 2, 3, -4]}],\n"
    "   \"outputs\": [{\"values\": [3, 6, 9, -12]}], \"tolerance\": 0}\n]}\n";

static const char ci_text[] =
    "# A job for a runner on which liboribi-dev and oribi are installed.\n"
    "name: test\non: [push, pull_request]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
    "      - uses: actions/checkout@v4\n      - run: make test\n";

static const char readme_text[] =
    "# @NAME@\n\nA plugin for Oribi and TensorFlow with the op `@OP@`: y = factor * x.\n\n"
    "    make test\n\nor `cmake -S . -B build && cmake --build build && ctest --test-dir build`.\n"
    "`model.@SUFFIX@` writes the ONNX model `@NAME@.onnx` with the op in it, which the test runs, "
    "too.\n"
    "Expected values stand in `@NAME@.cases.json`; `oribi plugin test` draws random ones as "
    "well.\n";

#define TEXT(text) (const unsigned char *)(text), sizeof(text) - 1

typedef struct word {
    const char *mark, *value;
} word;

/* Text with the marks replaced, ended by a NUL that out_bytes does not count. */
static char *fill(const char *text, size_t bytes_in, const word *words, size_t *out_bytes)
{
    size_t used = 0, room = bytes_in * 2 + 1000;
    const char *end = text + bytes_in;
    char *out = cli_alloc(room);

    while (text < end) {
        const word *w = words;
        while (w->mark != NULL && ((size_t)(end - text) < strlen(w->mark) ||
                                   memcmp(text, w->mark, strlen(w->mark)) != 0)) {
            w++;
        }
        const char *from = w->mark == NULL ? text : w->value;
        const size_t bytes = w->mark == NULL ? 1 : strlen(w->value);
        if (used + bytes + 1 > room) {
            room = room * 2 + bytes;
            out = cli_grow(out, room, 1);
        }
        memcpy(out + used, from, bytes);
        used += bytes;
        text += w->mark == NULL ? 1 : strlen(w->mark);
    }
    out[used] = '\0';
    *out_bytes = used;
    return out;
}

/* The same into a place that it fits. */
static void fill_into(char *out, size_t room, const char *text, const word *words)
{
    size_t bytes;
    char *filled = fill(text, strlen(text), words, &bytes);
    snprintf(out, room, "%s", filled);
    free(filled);
}

static bool write_one(cli_files *files, const char *folder, const plugin_new_file *file,
                      const word *words)
{
    static const word none[] = {{NULL, NULL}};
    char path[600];
    size_t n_bytes, n_name;
    const bool is_text = memchr(file->bytes, 0, file->n_bytes) == NULL;
    char *filled = fill((const char *)file->bytes, file->n_bytes, is_text ? words : none, &n_bytes);
    char *name = fill(file->name, strlen(file->name), words, &n_name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    bool ok = cli_files_add_folder(files, path);
    *slash = '/';
    ok = ok && cli_files_add(files, path, filled, n_bytes);
    free(filled);
    free(name);
    return ok;
}

static bool check_name(const char *name)
{
    size_t n = strlen(name);
    bool ok = n > 0 && n <= 60 && islower((unsigned char)name[0]);
    for (size_t i = 0; i < n; i++) {
        ok = ok &&
             (islower((unsigned char)name[i]) || isdigit((unsigned char)name[i]) || name[i] == '_');
    }
    static const char *const kept[] = {"all",     "clean", "help", "install",
                                       "package", "model", "test"};
    for (size_t i = 0; ok && i < sizeof kept / sizeof kept[0]; i++) {
        if (strcmp(name, kept[i]) == 0) {
            cli_error("plugin new: '%s' is a target that CMake keeps for itself", name);
            return false;
        }
    }
    if (!ok) {
        cli_error("plugin new: '%s' is not a valid name; use at most 60 lower-case letters, digits "
                  "and '_', a letter first",
                  name);
    }
    return ok;
}

/* "my_op" -> "MyOp" */
static void camel(const char *name, char out[64])
{
    size_t n = 0;
    bool up = true;
    for (; *name != '\0' && n < 63; name++) {
        if (*name != '_') {
            out[n++] = (char)(up ? toupper((unsigned char)*name) : *name);
        }
        up = *name == '_';
    }
    out[n] = '\0';
}

/* A device's type in small letters. */
static bool check_device_name(const char *name)
{
    if (strlen(name) > 40 || strpbrk(name, "0123456789") != NULL || strcmp(name, "cpu") == 0 ||
        strcmp(name, "default") == 0) {
        cli_error("plugin new: '%s' is not a valid name of a device; use at most 40 lower-case "
                  "letters and '_', a letter first, but not 'cpu' or 'default'",
                  name);
        return false;
    }
    return true;
}

/* The folders of a plugin that is new; NULL after a message. */
static cli_files *begin_files(const char *name)
{
    struct stat info;
    char folder[200];

    if (stat(name, &info) == 0) {
        cli_error("plugin new: './%s': %s; nothing was written", name, strerror(EEXIST));
        return NULL;
    }
    cli_files *files = cli_files_begin(false);
    snprintf(folder, sizeof folder, "%s/.github/workflows", name);
    (void)cli_files_add_folder(files, folder);
    return files;
}

static const plugin_new_file ci_file = {".github/workflows/test.yml", TEXT(ci_text)};

/* An example under another name. */
static int new_example(const char *name, bool is_target)
{
    char type[64], words_of_it[64];
    size_t n = 0;
    for (; name[n] != '\0'; n++) {
        type[n] = (char)toupper((unsigned char)name[n]);
    }
    type[n] = '\0';
    camel(name, words_of_it);
    const word device[] = {{"fake_accelerator", name},
                           {"FAKE_ACCELERATOR", type},
                           {"fake", name},
                           {"FAKE", type},
                           {NULL, NULL}};
    const word target[] = {
        {"tiny_npu", name}, {"TINY_NPU", type}, {"TinyNpu", words_of_it}, {NULL, NULL}};
    const word *words = is_target ? target : device;
    cli_files *made = begin_files(name);
    if (made == NULL) {
        return CLI_BAD_INPUT;
    }
    bool ok = write_one(made, name, &ci_file, words);
    for (const plugin_new_file *file = is_target ? plugin_new_target_files
                                                 : plugin_new_device_files;
         ok && file->name != NULL; file++) {
        ok = write_one(made, name, file, words);
    }
    int code = cli_files_end(made, CLI_OK);
    if (code == CLI_OK && is_target) {
        printf("%s: a target and a driver of the kind %s; now: cd %s && make test boards\n", name,
               name, name);
    } else if (code == CLI_OK) {
        printf("%s: a plugin with the device %s; now: cd %s && make test\n", name, type, name);
    }
    return code;
}

/* Emitted C, built and run on this machine, and compared with the host's session. */
static const char make_verify[] =
    "\t$(ORIBI) verify @NAME@.onnx --plugin ./@NAME@.so\n"
    "# The same on emulated boards, for which it names the packages that are missing.\n"
    "boards: @NAME@.so @NAME@.onnx\n"
    "\t$(ORIBI) verify @NAME@.onnx --plugin ./@NAME@.so --target cortex-m4\n"
    "\t$(ORIBI) verify @NAME@.onnx --plugin ./@NAME@.so --target riscv32\n";
static const char cmake_verify[] =
    "add_test(NAME verify COMMAND ${ORIBI} verify @NAME@.onnx --plugin $<TARGET_FILE:@NAME@>)\n";

static int new_op(const char *name, bool cxx, bool micro)
{
    static const plugin_new_file files[] = {
        {"CMakeLists.txt", TEXT(cmake_text)},    {"Makefile", TEXT(make_text)},
        {"@NAME@.cases.json", TEXT(cases_text)}, {"model.@SUFFIX@", TEXT(model_text)},
        {"README.md", TEXT(readme_text)},        {"@NAME@.@SUFFIX@", TEXT(source)}};
    const plugin_new_file own = {"@NAME@.c", (const unsigned char *)plugin_new_micro_source,
                                 strlen(plugin_new_micro_source)};
    char op[64], prefix[64], verify[2][400];
    const size_t n_files = sizeof files / sizeof files[0] - (micro ? 1 : 0);
    camel(name, op);
    snprintf(prefix, sizeof prefix, "%s_", name);
    const word name_alone[] = {{"@NAME@", name}, {NULL, NULL}};
    fill_into(verify[0], sizeof verify[0], micro ? make_verify : "", name_alone);
    fill_into(verify[1], sizeof verify[1], micro ? cmake_verify : "", name_alone);
    const word words[] = {{"@NAME@", name},
                          {"@OP@", op},
                          {"@PREFIX@", prefix},
                          {"@LENGTH@", micro ? "four" : "any length"},
                          {"@DIM@", micro ? "8, 4" : "0x12, 0"},
                          {"@MAKE_VERIFY@", verify[0]},
                          {"@CMAKE_VERIFY@", verify[1]},
                          {"@SUFFIX@", cxx ? "cc" : "c"},
                          {"@LANGUAGE@", cxx ? "CXX" : "C"},
                          {"@COMPILER@", cxx ? "CXX" : "CC"},
                          {"@EXTERN@", cxx ? "namespace {\n\n" : ""},
                          {"@EXTERN_END@", cxx ? "} // namespace\n\n" : ""},
                          {NULL, NULL}};
    cli_files *made = begin_files(name);
    if (made == NULL) {
        return CLI_BAD_INPUT;
    }
    bool ok =
        write_one(made, name, &ci_file, words) && (!micro || write_one(made, name, &own, words));
    for (size_t i = 0; ok && i < n_files; i++) {
        ok = write_one(made, name, &files[i], words);
    }
    int code = cli_files_end(made, CLI_OK);
    if (code == CLI_OK) {
        printf("%s: a plugin with the op %s; now: cd %s && make test\n", name, op, name);
    }
    return code;
}

int cmd_plugin_new(const cli_args *args, const char *name)
{
    const bool is_device = cli_has(args, "--device"), is_micro = cli_has(args, "--micro");
    const bool is_target = cli_has(args, "--target");
    if (is_device + is_target + is_micro + cli_has(args, "--cxx") > 1) {
        cli_error("plugin new: a device, a target and a kernel for emitted C are written in C; "
                  "give one of --cxx, --micro, --device and --target");
        return CLI_USAGE;
    }
    if (!check_name(name) || (is_device && !check_device_name(name))) {
        return CLI_USAGE;
    }
    return is_device || is_target ? new_example(name, is_target)
                                  : new_op(name, cli_has(args, "--cxx"), is_micro);
}
