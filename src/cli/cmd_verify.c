/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi verify`: compiles a model to C, builds and runs that C here, and compares every output
 * with the host session bit for bit. Guard bytes around the workspace must survive. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "cli.h"

static const cli_option own_options[] = {
    {"--target", 0, "host", "where the C runs (default: host, built with cc or $CC)"},
    {"--runs", 0, "N", "runs on random inputs (default 8)"},
    {"--against", 0, "FILE.npz", "inputs and expected outputs by name, compared too"},
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};
cli_option cmd_verify_options[CLI_COMPILE_OPTIONS];

void cmd_verify_prepare(void)
{
    cli_compile_options_make(cmd_verify_options, own_options);
}

enum { MAX_PORTS = 32 };

typedef struct verify {
    const cli_args *args;
    cli_session session;
    oribi_compile *compile;
    char folder[64];
    cJSON *metadata;
    TF_Tensor *inputs[MAX_PORTS], *outputs[MAX_PORTS]; /* of the host session */
} verify;

/* --- The program around the emitted C -------------------------------------------------------- */

static void put_ports(FILE *file, const char *macro, const cJSON *ports, const char *what)
{
    for (const cJSON *port = ports->child; port != NULL; port = port->next) {
        char upper[128];
        size_t i = 0;
        for (; port->string[i] != 0 && i < sizeof upper - 1; i++) {
            char c = port->string[i];
            upper[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
        }
        upper[i] = 0;
        fprintf(file,
                "static union { TVMGEN_%s_%s_TYPE data[TVMGEN_%s_%s_COUNT]; long long all; } "
                "%s_%s;\n",
                macro, upper, macro, upper, what, port->string);
    }
}

static bool write_main(const char *path, const char *name, const char *macro, const cJSON *inputs,
                       const cJSON *outputs, bool in_pool)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        cli_error("%s: %s", path, strerror(errno));
        return false;
    }
    fprintf(file, "#include <stdio.h>\n#include <string.h>\n#include \"tvmgen_%s.h\"\n\n", name);
    if (!in_pool) {
        put_ports(file, macro, inputs, "in");
        put_ports(file, macro, outputs, "out");
    }
    fprintf(file,
            "static union { uint8_t bytes[TVMGEN_%s_WORKSPACE_SIZE + 128]; long double all[8]; } "
            "pool;\n\nint main(void)\n{\n"
            "    struct tvmgen_%s_workspace_pools pools = {pool.bytes + 64};\n",
            macro, name);
    fprintf(file, "    memset(pool.bytes, 0xA5, sizeof pool.bytes);\n");
    if (in_pool) {
        fprintf(file,
                "    struct tvmgen_%s_inputs in = tvmgen_%s_map_inputs(&pools);\n"
                "    struct tvmgen_%s_outputs out = tvmgen_%s_map_outputs(&pools);\n",
                name, name, name, name);
    } else {
        fprintf(file, "    struct tvmgen_%s_inputs in;\n    struct tvmgen_%s_outputs out;\n", name,
                name);
    }
    for (const cJSON *port = inputs->child; port != NULL; port = port->next) {
        long long size = (long long)cJSON_GetObjectItemCaseSensitive(port, "size")->valuedouble;
        const char *at = in_pool ? "in." : "in_", *tail = in_pool ? "" : ".data";
        fprintf(file,
                "    if (fread(%s%s%s, 1, %lld, stdin) != %lld) {\n        return 9;\n    }\n", at,
                port->string, tail, size, size);
        if (!in_pool) {
            fprintf(file, "    in.%s = in_%s.data;\n", port->string, port->string);
        }
    }
    for (const cJSON *port = outputs->child; !in_pool && port != NULL; port = port->next) {
        fprintf(file, "    out.%s = out_%s.data;\n", port->string, port->string);
    }
    fprintf(
        file,
        "    if (tvmgen_%s_run(&in, &out, &pools) != TVMGEN_%s_OK) {\n        return 8;\n    }\n"
        "    for (int i = 0; i < 64; i++) {\n        if (pool.bytes[i] != 0xA5 ||\n"
        "            pool.bytes[64 + TVMGEN_%s_WORKSPACE_SIZE + i] != 0xA5) {\n"
        "            return 7;\n        }\n    }\n",
        name, macro, macro);
    for (const cJSON *port = outputs->child; port != NULL; port = port->next) {
        fprintf(file, "    fwrite(out.%s, 1, %lld, stdout);\n", port->string,
                (long long)cJSON_GetObjectItemCaseSensitive(port, "size")->valuedouble);
    }
    fprintf(file, "    return 0;\n}\n");
    return fclose(file) == 0;
}

/* --- Child programs -------------------------------------------------------------------------- */

/* The exit code, or -1. */
static int run_program(const char *const *argv, const char *in, const char *out)
{
    int state = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if ((in != NULL && freopen(in, "rb", stdin) == NULL) ||
            (out != NULL && freopen(out, "wb", stdout) == NULL)) {
            _exit(126);
        }
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &state, 0) != child) {
        return -1;
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static bool build(const verify *v)
{
    const char *argv[128], *cc = getenv("CC");
    char paths[112][160], include[96], program[96];
    int n = 0, n_paths = 0;

    snprintf(include, sizeof include, "-I%s", v->folder);
    snprintf(program, sizeof program, "%s/program", v->folder);
    argv[n++] = cc == NULL || cc[0] == 0 ? "cc" : cc;
    argv[n++] = "-std=c99";
    argv[n++] = "-O2";
    argv[n++] = "-ffp-contract=off";
    argv[n++] = include;
    argv[n++] = "-o";
    argv[n++] = program;
    for (int i = 0; i < oribi_compile_num_files(v->compile) && n_paths < 110; i++) {
        const char *name = oribi_compile_file_name(v->compile, i);
        if (strlen(name) > 2 && strcmp(name + strlen(name) - 2, ".c") == 0) {
            snprintf(paths[n_paths], sizeof paths[0], "%s/%s", v->folder, name);
            argv[n++] = paths[n_paths++];
        }
    }
    snprintf(paths[n_paths], sizeof paths[0], "%s/main.c", v->folder);
    argv[n++] = paths[n_paths];
    argv[n] = NULL;
    if (run_program(argv, NULL, NULL) != 0) {
        cli_error("verify: %s cannot build the emitted C (see above)", argv[0]);
        return false;
    }
    return true;
}

/* --- Runs ------------------------------------------------------------------------------------ */

static bool write_inputs(const verify *v, const char *path, int n)
{
    FILE *file = fopen(path, "wb");
    bool good = file != NULL;
    for (int i = 0; good && i < n; i++) {
        size_t bytes = TF_TensorByteSize(v->inputs[i]);
        good = fwrite(TF_TensorData(v->inputs[i]), 1, bytes, file) == bytes;
    }
    if (file == NULL || fclose(file) != 0 || !good) {
        cli_error("%s: %s", path, strerror(errno));
        return false;
    }
    return true;
}

/* Compares the bytes that the program wrote with tensors; an exit code. */
static int compare(const verify *v, const uint8_t *bytes, size_t size, TF_Tensor *const *expected,
                   const char *whose)
{
    size_t at = 0;
    for (int i = 0; i < oribi_model_num_outputs(v->session.model); i++) {
        const uint8_t *data = TF_TensorData(expected[i]);
        size_t count = TF_TensorByteSize(expected[i]);
        if (at + count > size) {
            cli_error("verify: the C wrote %zu bytes of outputs, too few", size);
            return CLI_MISMATCH;
        }
        for (size_t k = 0; k < count; k++) {
            if (bytes[at + k] != data[k]) {
                cli_error("verify: output '%s' differs from %s at byte %zu: %d, expected %d",
                          oribi_model_output_name(v->session.model, i), whose, k,
                          (int8_t)bytes[at + k], (int8_t)data[k]);
                return CLI_MISMATCH;
            }
        }
        at += count;
    }
    return CLI_OK;
}

static int run_host(verify *v, oribi_run *run, TF_Status *status)
{
    for (int i = 0; i < oribi_model_num_inputs(v->session.model); i++) {
        oribi_run_set_input(run, i, v->inputs[i], status);
        if (TF_GetCode(status) != TF_OK) {
            return cli_fail(status);
        }
    }
    oribi_run_execute(run, status);
    for (int i = 0; i < oribi_model_num_outputs(v->session.model); i++) {
        v->outputs[i] = TF_GetCode(status) == TF_OK ? oribi_run_output(run, i, status) : NULL;
    }
    return TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
}

static void drop(TF_Tensor **tensors)
{
    for (int i = 0; i < MAX_PORTS; i++) {
        TF_DeleteTensor(tensors[i]);
        tensors[i] = NULL;
    }
}

/* One comparison with the inputs in v->inputs. */
static int check_once(verify *v, oribi_run *run, TF_Tensor *const *golden, TF_Status *status)
{
    char in[96], out[96], program[96];
    const char *argv[] = {program, NULL};
    size_t size = 0;
    snprintf(in, sizeof in, "%s/in", v->folder);
    snprintf(out, sizeof out, "%s/out", v->folder);
    snprintf(program, sizeof program, "%s/program", v->folder);
    int code = run_host(v, run, status);
    if (code != CLI_OK || !write_inputs(v, in, oribi_model_num_inputs(v->session.model))) {
        return code != CLI_OK ? code : CLI_BAD_INPUT;
    }
    int ended = run_program(argv, in, out);
    if (ended != 0) {
        cli_error("verify: the compiled program failed (%s)",
                  ended == 7 ? "it wrote outside its workspace" : "it did not finish");
        return CLI_MISMATCH;
    }
    uint8_t *bytes = cli_read_file(out, &size);
    if (bytes == NULL) {
        return CLI_BAD_INPUT;
    }
    code = compare(v, bytes, size, v->outputs, "the host session");
    if (code == CLI_OK && golden != NULL) {
        code = compare(v, bytes, size, golden, "the golden output");
    }
    free(bytes);
    return code;
}

/* An unknown dimension is 1, as in the C. Floats are in [0, 1), other types any bytes. */
static void random_inputs(verify *v, int seed)
{
    uint32_t state = (uint32_t)seed * 2654435761u + 1u;
    for (int i = 0; i < oribi_model_num_inputs(v->session.model); i++) {
        int64_t dims[16];
        TF_DataType type = oribi_model_input_type(v->session.model, i);
        int rank = oribi_model_input_shape(v->session.model, i, dims, 16);
        rank = rank < 0 ? 0 : rank > 16 ? 16 : rank;
        for (int k = 0; k < rank; k++) {
            dims[k] = dims[k] < 0 ? 1 : dims[k];
        }
        v->inputs[i] = cli_tensor(type, dims, rank);
        uint8_t *bytes = TF_TensorData(v->inputs[i]);
        float *floats = TF_TensorData(v->inputs[i]);
        size_t n = TF_TensorByteSize(v->inputs[i]) / (type == TF_FLOAT ? sizeof(float) : 1);
        for (size_t k = 0; k < n; k++) {
            state = state * 1664525u + 1013904223u;
            if (type == TF_FLOAT) {
                floats[k] = (float)(state >> 8) / 16777216.0f;
            } else {
                bytes[k] = (uint8_t)(state >> 24);
            }
        }
    }
}

static int check_golden(verify *v, oribi_run *run, const char *path, TF_Status *status)
{
    TF_Tensor *golden[MAX_PORTS] = {NULL};
    int code = CLI_OK;
    for (int i = 0; code == CLI_OK && i < oribi_model_num_inputs(v->session.model); i++) {
        v->inputs[i] = cli_npz_read(path, oribi_model_input_name(v->session.model, i));
        code = v->inputs[i] != NULL ? CLI_OK : CLI_BAD_INPUT;
    }
    for (int i = 0; code == CLI_OK && i < oribi_model_num_outputs(v->session.model); i++) {
        golden[i] = cli_npz_read(path, oribi_model_output_name(v->session.model, i));
        code = golden[i] != NULL ? CLI_OK : CLI_BAD_INPUT;
    }
    if (code == CLI_OK) {
        code = check_once(v, run, golden, status);
    }
    drop(golden);
    return code;
}

static int check_all(verify *v, int n_runs)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(v->session.session, status);
    const char *against = cli_value(v->args, "--against");
    int code = run == NULL ? cli_fail(status) : CLI_OK;
    for (int i = 0; code == CLI_OK && i < n_runs; i++) {
        cli_progress("verify", i, n_runs);
        random_inputs(v, i + 1);
        code = check_once(v, run, NULL, status);
        drop(v->inputs);
        drop(v->outputs);
    }
    cli_progress("verify", 0, 0);
    if (code == CLI_OK && against != NULL) {
        code = check_golden(v, run, against, status);
        drop(v->inputs);
        drop(v->outputs);
    }
    if (code == CLI_OK) {
        printf("equal bit for bit: %d runs%s\n", n_runs, against != NULL ? " and the golden" : "");
    }
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return code;
}

/* --- Command --------------------------------------------------------------------------------- */

static int emit(verify *v)
{
    size_t bytes;
    char path[96], name[128], macro[128];
    const char *io = cli_value(v->args, "--io");
    const char *text = cli_compile_file(v->compile, "metadata.json", &bytes);
    if (!cli_compile_write(v->compile, v->folder, true)) {
        return CLI_BAD_INPUT;
    }
    v->metadata = cJSON_ParseWithLength(text, bytes);
    const cJSON *module = cJSON_GetObjectItemCaseSensitive(v->metadata, "modules")->child;
    const cJSON *memory = cJSON_GetObjectItemCaseSensitive(module, "memory");
    const cJSON *functions = cJSON_GetObjectItemCaseSensitive(memory, "functions");
    const cJSON *entry = cJSON_GetObjectItemCaseSensitive(functions, "main")->child;
    snprintf(name, sizeof name, "%s", module->string);
    snprintf(macro, sizeof macro, "%s", module->string);
    for (char *at = macro; *at != 0; at++) {
        *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
    }
    snprintf(path, sizeof path, "%s/main.c", v->folder);
    bool good = write_main(path, name, macro, cJSON_GetObjectItemCaseSensitive(entry, "inputs"),
                           cJSON_GetObjectItemCaseSensitive(entry, "outputs"),
                           io != NULL && strcmp(io, "pool") == 0) &&
                build(v);
    return good ? CLI_OK : CLI_BAD_INPUT;
}

static void remove_folder(const verify *v)
{
    const char *argv[] = {"rm", "-rf", v->folder, NULL};
    if (v->folder[0] != 0) {
        (void)run_program(argv, NULL, NULL);
    }
}

int cmd_verify(const cli_args *args)
{
    verify v = {.args = args};
    TF_Status *status = TF_NewStatus();
    bool bad = false;
    const char *target = cli_value(args, "--target");
    int n_runs = (int)cli_number(args, "--runs", 8, 1, 100000, &bad);
    int code = CLI_USAGE;

    if (target != NULL && strcmp(target, "host") != 0) {
        cli_error("verify: the only target is host, not '%s'", target);
        bad = true;
    }
    if (!bad) {
        code = cli_session_open(args, &v.session);
    }
    if (code == CLI_OK && (oribi_model_num_inputs(v.session.model) > MAX_PORTS ||
                           oribi_model_num_outputs(v.session.model) > MAX_PORTS)) {
        cli_error("verify: at most %d inputs and outputs", MAX_PORTS);
        code = CLI_UNSUPPORTED;
    }
    if (code == CLI_OK) {
        v.compile = oribi_compile_create(status);
        code = v.compile == NULL ? cli_fail(status) : cli_compile_model(args, v.compile);
    }
    if (code == CLI_OK) {
        snprintf(v.folder, sizeof v.folder, "/tmp/oribi-verify-XXXXXX");
        if (mkdtemp(v.folder) == NULL) {
            cli_error("%s: %s", v.folder, strerror(errno));
            v.folder[0] = 0;
            code = CLI_BAD_INPUT;
        }
    }
    code = code == CLI_OK ? emit(&v) : code;
    code = code == CLI_OK ? check_all(&v, n_runs) : code;
    remove_folder(&v);
    cJSON_Delete(v.metadata);
    oribi_compile_destroy(v.compile);
    cli_session_close(&v.session);
    TF_DeleteStatus(status);
    return code;
}
