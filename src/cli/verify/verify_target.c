/* SPDX-License-Identifier: Apache-2.0 */
/* Targets of `oribi verify`, as data: compiler, flags, machine; and how an image is built and run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verify.h"

static const char *const cortex_m_core[] = {"cortex-m/startup.c",
                                            "cortex-m/fault.c",
                                            "cortex-m/stack.c",
                                            "cortex-m/semihosting.c",
                                            "harness/memory.c",
                                            "cortex-m/runtime_abi.c",
                                            NULL};
static const char *const riscv_core[] = {"riscv32/start.S", "harness/memory.c", NULL};
static const char *const host_core[] = {NULL};

#define BARE      "-ffreestanding -fbuiltin -ffunction-sections -fdata-sections"
#define BARE_LINK "-nostdlib -static -Wl,--gc-sections -Wl,--no-warn-rwx-segments"

#define CORTEX_M(cpu, board_folder, float_flags, triple, board, ...)                               \
    {                                                                                              \
        .name = cpu, .folder = board_folder, .compiler = "arm-none-eabi-gcc",                      \
        .flags = BARE " -mcpu=" cpu " -mthumb " float_flags,                                       \
        .clang_flags = "--target=" triple " -fshort-enums", .link_flags = BARE_LINK,               \
        .linker = "arm-none-eabi-gcc", .core = cortex_m_core,                                      \
        .file_transport = "harness/transport_file.c",                                              \
        .serial_transport = "cortex-m/transport_serial.c", .emulator = "qemu-system-arm",          \
        .machine = "-M " board " -icount shift=10", .driver_platform = "baremetal",                \
        .device_machine = "-M " board ",memory-backend=shared",                                    \
        .packages = "gcc-arm-none-eabi qemu-system-arm", .is_arm = true, __VA_ARGS__               \
    }

#define RISCV(cpu, bits, isa, core_kernels, more)                                                  \
    {                                                                                              \
        .name = cpu, .folder = "riscv32", .compiler = "riscv64-unknown-elf-gcc",                   \
        .flags = BARE " " isa, .clang_flags = "--target=riscv" bits "-unknown-elf",                \
        .link_flags = BARE_LINK, .linker = "riscv64-unknown-elf-gcc", .core = riscv_core,          \
        .file_transport = "harness/transport_file.c",                                              \
        .serial_transport = "riscv32/transport_serial.c", .emulator = "qemu-system-riscv" bits,    \
        .machine = "-M virt -bios none -icount shift=0" more,                                      \
        .packages = "gcc-riscv64-unknown-elf qemu-system-misc", .kernels = core_kernels,           \
        .driver_platform = "baremetal"                                                             \
    }

#define MPS2_LINES "cortex-m4/device_place.c" /* of all boards whose UARTs lie as the AN386's */

static const verify_target targets[] = {
    {.name = "host",
     .folder = "host",
     .compiler = "cc",
     .flags = "",
     .clang_flags = "",
     .link_flags = "",
     .core = host_core,
     .file_transport = "host/port.c",
     .driver_platform = "posix",
     .device_place = "host/device_place.c"},
    /* The board of a Cortex-M3, whose accesses are made to trap as the core's would. */
    CORTEX_M("cortex-m0", "cortex-m4", "-mfloat-abi=soft", "thumbv6m-none-eabi", "mps2-an385",
             .kernels = "v6m", .is_v6m = true, .device_place = MPS2_LINES),
    CORTEX_M("cortex-m3", "cortex-m4", "-mfloat-abi=soft", "thumbv7m-none-eabi", "mps2-an385",
             .kernels = "plain", .device_place = MPS2_LINES),
    CORTEX_M("cortex-m4", "cortex-m4", "-mfpu=fpv4-sp-d16 -mfloat-abi=hard",
             "thumbv7em-none-eabihf", "mps2-an386", .device_place = MPS2_LINES),
    CORTEX_M("cortex-m7", "cortex-m4", "-mfpu=fpv5-d16 -mfloat-abi=hard", "thumbv7em-none-eabihf",
             "mps2-an500", .memory = "-Wl,--defsym=oribi_large=0x60000000",
             .device_place = MPS2_LINES),
    CORTEX_M("cortex-m33", "cortex-m33", "-mfpu=fpv5-sp-d16 -mfloat-abi=hard",
             "thumbv8m.main-none-eabihf", "mps2-an505",
             .memory = "-Wl,--defsym=oribi_code=0x10000000 -Wl,--defsym=oribi_data=0x38000000 "
                       "-Wl,--defsym=oribi_large=0x80000000"),
    CORTEX_M("cortex-m55", "cortex-m55", "-mfloat-abi=hard", "thumbv8.1m.main-none-eabihf",
             "mps3-an547", .kernels = "mve"),
    RISCV("riscv32", "32", "-march=rv32imac -mabi=ilp32", "plain", ""),
    RISCV("riscv64", "64", "-march=rv64imac -mabi=lp64 -mcmodel=medany", "plain", ""),
    RISCV("riscv64-v", "64", "-march=rv64gcv -mabi=lp64d -mcmodel=medany", "rvv",
          " -cpu rv64,v=true,vlen=128,vext_spec=v1.0"),
};

const verify_target *verify_target_find(const char *name)
{
    const char *names[sizeof targets / sizeof targets[0]];
    const size_t n = sizeof targets / sizeof targets[0];
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, targets[i].name) == 0) {
            return &targets[i];
        }
        names[i] = targets[i].name;
    }
    const char *near = oribi_text_did_you_mean(name, names, n);
    char all[256] = "";
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s",
                 i == 0      ? ""
                 : i + 1 < n ? ", "
                             : " or ",
                 names[i]);
    }
    cli_error("verify: there is no target '%s'%s%s%s; choose %s", name,
              near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
              near != NULL ? "'?)" : "", all);
    return NULL;
}

void verify_targets_with_lines(char *out, size_t size)
{
    out[0] = 0;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        const size_t length = strlen(out);
        if (targets[i].device_place != NULL) {
            snprintf(out + length, size - length, "%s%s", length > 0 ? ", " : "", targets[i].name);
        }
    }
}

char *verify_path(const verify *v, const char *name)
{
    return cli_path_in(v->folder, name);
}

/* --- Build ----------------------------------------------------------------------------------- */

static const char *compiler_of(const verify *v)
{
    const char *given = cli_value(v->args, "--cc"), *cc = getenv("CC");
    if (given != NULL) {
        return given;
    }
    return v->target->emulator == NULL && cc != NULL && cc[0] != 0 ? cc : v->target->compiler;
}

static bool is_clang(const char *compiler)
{
    const char *slash = strrchr(compiler, '/');
    return strncmp(slash != NULL ? slash + 1 : compiler, "clang", 5) == 0;
}

static void add_flags(const verify *v, verify_words *a)
{
    char include[64];
    const char *cc = compiler_of(v);
    verify_words_split(a, cc);
    verify_words_split(a, "-std=c99 -g -ffp-contract=off -I. -Iinclude -Iplatform");
    snprintf(include, sizeof include, "-Iplatform/%s", v->target->folder);
    verify_words_add(a, include);
    if (v->target->emulator != NULL) {
        verify_words_split(a, "-isystem platform/include");
    }
    verify_words_split(a, v->target->flags);
    verify_words_split(a, is_clang(cc) ? v->target->clang_flags : "");
    if (v->target->emulator != NULL && !is_clang(cc)) {
        verify_words_add(a, "-fcallgraph-info=su"); /* verify_stack.c */
    }
    verify_device_flags(v, a);
    verify_words_split(a, "-O3");
}

/* "micro/add_s8.c" is compiled into "micro_add_s8.o". */
void verify_object(const char *source, char *out, size_t size)
{
    snprintf(out, size, "%s", source);
    for (char *at = out; *at != 0; at++) {
        *at = *at == '/' ? '_' : *at;
    }
    char *dot = strrchr(out, '.');
    if (dot != NULL && (size_t)(dot - out) + 3 <= size) {
        memcpy(dot, ".o", 3);
    }
}

/* name: what the object is called after; more: flags for this file, or NULL. */
static int compile_as(const verify *v, const char *source, const char *name, const char *more,
                      verify_words *link)
{
    char object[256];
    verify_words *a = cli_alloc(sizeof *a);
    verify_object(name, object, sizeof object);
    verify_words_add(link, object);
    add_flags(v, a);
    verify_words_split(a, more);
    verify_words_split(a, "-c -o");
    verify_words_add(a, object);
    verify_words_add(a, source);
    const int code = verify_tool_run(a, v->folder, v->target->packages, source);
    free(a);
    return code;
}

static int compile(const verify *v, const char *source, const char *more, verify_words *link)
{
    return compile_as(v, source, source, more, link);
}

static int compile_platform(const verify *v, const char *name, verify_words *link)
{
    char source[128];
    const bool is_memory =
        strcmp(name, "harness/memory.c") == 0 ||
        strcmp(name, "cortex-m/runtime_abi.c") == 0; /* else it would call itself */
    const char *more =
        is_clang(compiler_of(v)) ? "-fno-builtin" : "-fno-tree-loop-distribute-patterns";
    snprintf(source, sizeof source, "platform/%s", name);
    return compile(v, source, is_memory ? more : NULL, link);
}

/* A driver's file; on a hosted machine it asks the system for more than C has. */
static int compile_driver(const verify *v, const char *source, const char *name, verify_words *link)
{
    return compile_as(v, source, name, v->target->emulator == NULL ? "-D_GNU_SOURCE" : NULL, link);
}

static int compile_devices(const verify *v, verify_words *link)
{
    int code = v->n_devices == 0 ? CLI_OK : compile_platform(v, "harness/devices.c", link);
    if (code == CLI_OK && v->n_devices > 0 && v->target->device_place != NULL) {
        code = compile_platform(v, v->target->device_place, link);
    }
    return code == CLI_OK ? verify_device_sources(v, compile_driver, link) : code;
}

static int compile_all(const verify *v, bool is_serial, verify_words *link)
{
    const verify_target *t = v->target;
    const int n = oribi_compile_num_files(v->compile);
    const char *flags = cli_value(v->args, "--cflags");
    int code = compile(v, "oribi_model.c", flags, link);
    for (int i = 0; code == CLI_OK && i < n; i++) {
        const char *name = oribi_compile_file_name(v->compile, i);
        const char *end = strrchr(name, '.');
        cli_progress("build", i, n + 1);
        if (end != NULL && (strcmp(end, ".c") == 0 || strcmp(end, ".S") == 0)) {
            code = compile(v, name, strcmp(end, ".c") == 0 ? flags : NULL, link);
        } else if (end != NULL && strcmp(end, ".o") == 0) { /* --weights obj */
            verify_words_add(link, name);
        }
    }
    code = code != CLI_OK ? code : compile_platform(v, "harness/harness.c", link);
    code = code != CLI_OK ? code : compile_platform(v, "harness/frame.c", link);
    for (int i = 0; code == CLI_OK && t->core[i] != NULL; i++) {
        code = compile_platform(v, t->core[i], link);
    }
    if (code == CLI_OK && t->emulator != NULL) {
        char board[64];
        snprintf(board, sizeof board, "%s/board.c", t->folder);
        code = compile_platform(v, board, link);
    }
    if (code == CLI_OK) {
        code = compile_platform(v, is_serial ? t->serial_transport : t->file_transport, link);
    }
    code = code == CLI_OK ? compile_devices(v, link) : code;
    cli_progress("build", 0, 0);
    return code;
}

int verify_write_platform(const char *folder)
{
    cli_files *files = cli_files_begin(true);
    bool good = true;
    for (const verify_platform_file *f = verify_platform_files; good && f->name != NULL; f++) {
        char *path = cli_path_in(folder, f->name);
        char *slash = strrchr(path, '/');
        *slash = 0;
        good = cli_files_add_folder(files, path);
        *slash = '/';
        good = good && cli_files_add(files, path, f->text, f->bytes);
        free(path);
    }
    return cli_files_end(files, CLI_OK);
}

int verify_build(const verify *v, bool is_serial)
{
    const verify_target *t = v->target;
    verify_words *objects = cli_alloc(sizeof *objects), *link = cli_alloc(sizeof *link);
    int code = verify_write_platform(v->folder);
    code = code == CLI_OK ? verify_write_glue(v) : code;
    code = code == CLI_OK ? compile_all(v, is_serial, objects) : code;
    if (code == CLI_OK) {
        verify_words_split(link, t->linker != NULL ? t->linker : compiler_of(v));
        verify_words_split(link, t->flags);
        verify_words_split(link, t->link_flags);
        if (t->emulator != NULL) {
            char script[96];
            snprintf(script, sizeof script, "-Tplatform/%s/link.ld",
                     t->memory != NULL ? "cortex-m4" : t->folder);
            verify_words_split(link, t->memory);
            verify_words_add(link, script);
        } else {
            verify_words_split(link, cli_value(v->args, "--cflags"));
        }
        verify_words_split(link, "-o image");
        for (size_t i = 0; i < objects->n; i++) {
            verify_words_add(link, objects->argv[i]);
        }
        verify_device_link(v, link);
        verify_words_split(link, t->emulator != NULL ? "-lgcc" : "");
        link->is_full = link->is_full || objects->is_full;
        code = verify_tool_run(link, v->folder, t->packages, "the image");
        code = code == CLI_OK && t->is_v6m ? verify_v6m(v) : code;
        code = code == CLI_OK ? verify_far_ends_build(v) : code;
    }
    free(objects);
    free(link);
    return code;
}

/* --- Run ------------------------------------------------------------------------------------- */

/* Exit codes of an image: platform/harness/transport_file.c. */
static int explain_end(const verify *v, int ended, const char *log)
{
    if (ended == 0 || ended == 5) { /* 5: a fault, which the frames tell */
        return CLI_OK;
    }
    if (ended == 127 && v->target->emulator != NULL) {
        cli_error("verify: %s is not installed (Debian: %s)", v->target->emulator,
                  v->target->packages);
        return CLI_UNSUPPORTED;
    }
    verify_show(log, 20);
    if (ended == -2) {
        cli_error("verify: the image did not end within %lld seconds (--timeout)",
                  (long long)v->seconds);
        return CLI_LIMIT;
    }
    cli_error("verify: the image ended early (code %d)", ended);
    return CLI_MISMATCH;
}

int verify_emulate(const verify *v, int64_t out_bytes)
{
    const verify_target *t = v->target;
    verify_words *a = cli_alloc(sizeof *a);
    char *out = verify_path(v, "out"), *in = verify_path(v, "in"), *log = verify_path(v, "run.log");
    char program[16] = "./image";
    if (t->emulator != NULL) {
        verify_words_add(a, t->emulator);
        const bool has_places = v->n_devices > 0 && t->device_place != NULL;
        verify_words_split(a, has_places ? "" : t->machine);
        verify_words_split(a, "-display none -monitor none -serial null");
        if (has_places) { /* who answers is no part of the emulation: nothing is counted */
            verify_device_machine(v, a);
        }
        verify_words_split(a, "-semihosting-config enable=on,target=native");
        verify_words_split(a, cli_value(v->args, "--emulator-flags"));
        verify_words_split(a, "-kernel image");
    } else {
        verify_words_add(a, program);
    }
    a->argv[a->n] = NULL;
    const verify_process process = {.argv = a->argv,
                                    .folder = v->folder,
                                    .in = t->emulator != NULL ? "/dev/null" : in,
                                    .out = t->emulator != NULL ? log : out,
                                    .err = log,
                                    .watched = out,
                                    .watched_bytes = out_bytes,
                                    .what = "run",
                                    .seconds = v->seconds};
    (void)unlink(out);
    verify_far_ends ends;
    const int code = verify_far_ends_start(v, &ends)
                         ? explain_end(v, verify_process_run(&process), log)
                         : CLI_BAD_INPUT;
    verify_far_ends_stop(&ends);
    free(a);
    free(out);
    free(in);
    free(log);
    return code;
}
