/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi verify`: compiles a model to C, builds that C for a target, runs it there and compares
 * every output with the host session bit for bit. Read next: verify.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/wire.h"
#include "verify.h"

static const cli_option own_options[] = {
    {"--target", 0, "NAME", "host (default), cortex-m4, cortex-m55 or riscv32, in QEMU"},
    {"--runs", 0, "N", "runs on random inputs (default 8)"},
    {"--against", 0, "FILE.npz", "inputs and expected outputs by name, too; several are allowed"},
    {"--cc", 0, "COMPILER", "compiler for the target; clang is given its target"},
    {"--cflags", 0, "FLAGS", "more flags for the model's C, after -O3"},
    {"--emulator-flags", 0, "FLAGS", "more flags for QEMU"},
    {"--timeout", 0, "SECONDS", "of the runs together (default 300)"},
    {"--keep", 0, "DIR", "build in this folder and leave it: sources, objects, image"},
    {"--json", 0, NULL, "print what was measured as JSON"},
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};

cli_option cmd_verify_options[CLI_COMPILE_OPTIONS];

void cmd_verify_prepare(void)
{
    cli_compile_options_make(cmd_verify_options, own_options);
}

enum { BATCH_BYTES = 16 << 20 }; /* of inputs in one start of the image */

/* --- Cases ----------------------------------------------------------------------------------- */

static void free_cases(verify_case *cases, int n)
{
    for (int i = 0; i < n; i++) {
        free(cases[i].inputs);
        free(cases[i].expected);
        free(cases[i].golden);
    }
}

/* An unknown dimension is 1, as in the C. Floats are in [0, 1), other types any bytes. */
static TF_Tensor *random_input(const verify *v, int index, uint32_t *state)
{
    int64_t dims[16];
    TF_DataType type = oribi_model_input_type(v->session.model, index);
    int rank = oribi_model_input_shape(v->session.model, index, dims, 16);
    rank = rank < 0 ? 0 : rank > 16 ? 16 : rank;
    for (int k = 0; k < rank; k++) {
        dims[k] = dims[k] < 0 ? 1 : dims[k];
    }
    TF_Tensor *tensor = cli_tensor(type, dims, rank);
    uint8_t *bytes = TF_TensorData(tensor);
    float *floats = TF_TensorData(tensor);
    size_t n = TF_TensorByteSize(tensor) / (type == TF_FLOAT ? sizeof(float) : 1);
    for (size_t k = 0; k < n; k++) {
        *state = *state * 1664525u + 1013904223u;
        if (type == TF_FLOAT) {
            floats[k] = (float)(*state >> 8) / 16777216.0f;
        } else {
            bytes[k] = (uint8_t)(*state >> 24);
        }
    }
    return tensor;
}

/* The bytes of tensors in a row; NULL when they are not as many as the C has. */
static uint8_t *join(TF_Tensor *const *tensors, int n, size_t bytes)
{
    uint8_t *joined = cli_alloc(bytes);
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        const size_t size = TF_TensorByteSize(tensors[i]);
        if (size > bytes - at) {
            free(joined);
            return NULL;
        }
        if (size > 0) {
            memcpy(joined + at, TF_TensorData(tensors[i]), size);
        }
        at += size;
    }
    if (at != bytes) {
        free(joined);
        return NULL;
    }
    return joined;
}

static void drop(TF_Tensor **tensors, int n)
{
    for (int i = 0; i < n; i++) {
        TF_DeleteTensor(tensors[i]);
        tensors[i] = NULL;
    }
}

/* Runs the host session on the inputs and fills the case; an exit code. */
static int run_host(const verify *v, oribi_run *run, TF_Tensor *const *inputs, verify_case *out)
{
    const oribi_model *model = v->session.model;
    const int n_inputs = oribi_model_num_inputs(model), n_outputs = oribi_model_num_outputs(model);
    TF_Tensor *outputs[VERIFY_MAX_PORTS] = {NULL};
    TF_Status *status = TF_NewStatus();
    for (int i = 0; TF_GetCode(status) == TF_OK && i < n_inputs; i++) {
        oribi_run_set_input(run, i, inputs[i], status);
    }
    if (TF_GetCode(status) == TF_OK) {
        oribi_run_execute(run, status);
    }
    for (int i = 0; TF_GetCode(status) == TF_OK && i < n_outputs; i++) {
        outputs[i] = oribi_run_output(run, i, status);
    }
    int code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    if (code == CLI_OK) {
        out->inputs = join(inputs, n_inputs, v->input_bytes);
        out->expected = join(outputs, n_outputs, v->output_bytes);
        if (out->inputs == NULL || out->expected == NULL) {
            cli_error("verify: %s: inputs or outputs have other sizes than in the C", out->what);
            code = CLI_BAD_INPUT;
        }
    }
    drop(outputs, n_outputs);
    TF_DeleteStatus(status);
    return code;
}

static int random_case(const verify *v, oribi_run *run, int seed, verify_case *out)
{
    TF_Tensor *inputs[VERIFY_MAX_PORTS] = {NULL};
    const int n = oribi_model_num_inputs(v->session.model);
    uint32_t state = (uint32_t)seed * 2654435761u + 1u;
    snprintf(out->what, sizeof out->what, "random inputs %d", seed);
    for (int i = 0; i < n; i++) {
        inputs[i] = random_input(v, i, &state);
    }
    const int code = run_host(v, run, inputs, out);
    drop(inputs, n);
    return code;
}

static int golden_case(const verify *v, oribi_run *run, const char *path, verify_case *out)
{
    const oribi_model *model = v->session.model;
    const int n_inputs = oribi_model_num_inputs(model), n_outputs = oribi_model_num_outputs(model);
    TF_Tensor *inputs[VERIFY_MAX_PORTS] = {NULL}, *golden[VERIFY_MAX_PORTS] = {NULL};
    const char *slash = strrchr(path, '/');
    int code = CLI_OK;
    snprintf(out->what, sizeof out->what, "%.60s", slash != NULL ? slash + 1 : path);
    for (int i = 0; code == CLI_OK && i < n_inputs; i++) {
        inputs[i] = cli_npz_read(path, oribi_model_input_name(model, i));
        code = inputs[i] != NULL ? CLI_OK : CLI_BAD_INPUT;
    }
    for (int i = 0; code == CLI_OK && i < n_outputs; i++) {
        golden[i] = cli_npz_read(path, oribi_model_output_name(model, i));
        code = golden[i] != NULL ? CLI_OK : CLI_BAD_INPUT;
    }
    code = code == CLI_OK ? run_host(v, run, inputs, out) : code;
    if (code == CLI_OK) {
        out->golden = join(golden, n_outputs, v->output_bytes);
        if (out->golden == NULL) {
            cli_error("verify: %s: its outputs have other sizes than the model's", path);
            code = CLI_BAD_INPUT;
        }
    }
    drop(inputs, n_inputs);
    drop(golden, n_outputs);
    return code;
}

/* All golden files, then the random inputs, in batches. */
static int check_all(verify *v, int n_runs)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(v->session.session, status);
    int code = run == NULL ? cli_fail(status) : CLI_OK, n_golden = 0;
    while (cli_value_at(v->args, "--against", n_golden) != NULL) {
        n_golden++;
    }
    const size_t batch = 1 + (size_t)BATCH_BYTES / (v->input_bytes + v->output_bytes + 1);
    verify_case *cases = cli_alloc(batch * sizeof *cases);
    for (int i = 0; code == CLI_OK && i < n_golden + n_runs;) {
        int n = 0;
        memset(cases, 0, batch * sizeof *cases);
        for (; code == CLI_OK && n < (int)batch && i < n_golden + n_runs; n++, i++) {
            cli_progress("host", i, n_golden + n_runs);
            code = i < n_golden
                       ? golden_case(v, run, cli_value_at(v->args, "--against", i), &cases[n])
                       : random_case(v, run, i - n_golden + 1, &cases[n]);
        }
        cli_progress("host", 0, 0);
        code = code == CLI_OK ? verify_check(v, cases, n) : code;
        free_cases(cases, n);
    }
    free(cases);
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return code;
}

/* --- What was measured ----------------------------------------------------------------------- */

static void print_text(const verify *v)
{
    const verify_result *r = &v->result;
    printf("%s: equal bit for bit: %d runs\n", v->target->name, r->n_runs);
    if (r->count_kind != ORIBI_WIRE_COUNTS_NOTHING) {
        printf("  %-12s %llu (first run)\n",
               r->count_kind == ORIBI_WIRE_COUNTS_CYCLES ? "cycles" : "instructions",
               (unsigned long long)r->count);
    }
    if (r->stack_bytes != ORIBI_WIRE_UNKNOWN) {
        printf("  stack        %u bytes\n", (unsigned)r->stack_bytes);
    }
    printf("  workspace    %u of %zu bytes touched\n", (unsigned)r->touched_bytes,
           v->workspace_bytes);
}

static void print_json(const verify *v)
{
    const verify_result *r = &v->result;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "target", v->target->name);
    cJSON_AddNumberToObject(json, "runs", r->n_runs);
    cJSON_AddNumberToObject(json, "workspace_bytes", (double)v->workspace_bytes);
    cJSON_AddNumberToObject(json, "touched_bytes", r->touched_bytes);
    if (r->stack_bytes != ORIBI_WIRE_UNKNOWN) {
        cJSON_AddNumberToObject(json, "stack_bytes", r->stack_bytes);
    }
    if (r->count_kind != ORIBI_WIRE_COUNTS_NOTHING) {
        cJSON_AddNumberToObject(
            json, r->count_kind == ORIBI_WIRE_COUNTS_CYCLES ? "cycles" : "instructions",
            (double)r->count);
    }
    char *text = cJSON_Print(json);
    printf("%s\n", text != NULL ? text : "{}");
    cJSON_free(text);
    cJSON_Delete(json);
}

/* --- Command --------------------------------------------------------------------------------- */

static size_t sum_of_sizes(const cJSON *ports)
{
    double sum = 0;
    for (const cJSON *port = ports->child; port != NULL; port = port->next) {
        sum += cJSON_GetObjectItemCaseSensitive(port, "size")->valuedouble;
    }
    return (size_t)sum;
}

static double number(const cJSON *json, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static char *upper(const char *name)
{
    char *copy = cli_alloc(strlen(name) + 1);
    for (size_t i = 0; name[i] != 0; i++) {
        copy[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
    }
    return copy;
}

/* What the emitted files say about the model. */
static bool read_metadata(verify *v)
{
    size_t bytes;
    const char *text = cli_compile_file(v->compile, "metadata.json", &bytes);
    v->metadata = cJSON_ParseWithLength(text, bytes);
    text = cli_compile_file(v->compile, "report.json", &bytes);
    v->report = cJSON_ParseWithLength(text, bytes);
    const cJSON *modules = cJSON_GetObjectItemCaseSensitive(v->metadata, "modules");
    const cJSON *module = modules != NULL ? modules->child : NULL;
    const cJSON *memory = cJSON_GetObjectItemCaseSensitive(module, "memory");
    const cJSON *functions = cJSON_GetObjectItemCaseSensitive(memory, "functions");
    const cJSON *main = cJSON_GetObjectItemCaseSensitive(functions, "main");
    const cJSON *entry = main != NULL ? main->child : NULL;
    v->inputs = cJSON_GetObjectItemCaseSensitive(entry, "inputs");
    v->outputs = cJSON_GetObjectItemCaseSensitive(entry, "outputs");
    if (v->inputs == NULL || v->outputs == NULL || v->report == NULL) {
        cli_error("verify: metadata.json or report.json is not as expected");
        return false;
    }
    v->name = module->string;
    v->macro = upper(v->name);
    v->input_bytes = sum_of_sizes(v->inputs);
    v->output_bytes = sum_of_sizes(v->outputs);
    v->workspace_bytes = (size_t)number(v->report, "workspace_bytes");
    const cJSON *node;
    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(v->report, "nodes"))
    {
        v->n_operators += cJSON_IsString(cJSON_GetObjectItemCaseSensitive(node, "call")) ? 1 : 0;
    }
    return true;
}

static int make_folder(verify *v)
{
    const char *keep = cli_value(v->args, "--keep"), *base = getenv("TMPDIR");
    base = base == NULL || base[0] == 0 ? "/tmp" : base;
    const char *from = keep != NULL ? keep : base;
    const size_t size = strlen(from) + 32;
    v->folder = cli_alloc(size);
    snprintf(v->folder, size, "%s%s", from, keep != NULL ? "" : "/oribi-verify-XXXXXX");
    v->keeps_folder = keep != NULL;
    if (keep == NULL && mkdtemp(v->folder) == NULL) {
        cli_error("%s: %s", v->folder, strerror(errno));
        v->keeps_folder = true;
        return CLI_BAD_INPUT;
    }
    return cli_compile_write(v->compile, v->folder, true) ? CLI_OK : CLI_BAD_INPUT;
}

static void close_all(verify *v)
{
    if (v->folder != NULL && !v->keeps_folder) {
        const char *const argv[] = {"rm", "-rf", v->folder, NULL};
        const verify_process process = {.argv = argv, .seconds = 60};
        (void)verify_process_run(&process);
    }
    free(v->folder);
    free(v->macro);
    cJSON_Delete(v->metadata);
    cJSON_Delete(v->report);
    oribi_compile_destroy(v->compile);
    cli_session_close(&v->session);
}

static int verify_model(verify *v, int n_runs)
{
    TF_Status *status = TF_NewStatus();
    int code = cli_session_open(v->args, &v->session);
    if (code == CLI_OK && (oribi_model_num_inputs(v->session.model) > VERIFY_MAX_PORTS ||
                           oribi_model_num_outputs(v->session.model) > VERIFY_MAX_PORTS)) {
        cli_error("verify: at most %d inputs and outputs", VERIFY_MAX_PORTS);
        code = CLI_UNSUPPORTED;
    }
    if (code == CLI_OK) {
        v->compile = oribi_compile_create(status);
        code = v->compile == NULL ? cli_fail(status) : cli_compile_model(v->args, v->compile);
    }
    if (code == CLI_OK) {
        code = read_metadata(v) ? CLI_OK : CLI_BAD_INPUT;
    }
    code = code == CLI_OK ? make_folder(v) : code;
    code = code == CLI_OK ? verify_build(v, false) : code;
    code = code == CLI_OK ? check_all(v, n_runs) : code;
    if (code == CLI_OK && cli_has(v->args, "--json")) {
        print_json(v);
    } else if (code == CLI_OK) {
        print_text(v);
    }
    TF_DeleteStatus(status);
    return code;
}

int cmd_verify(const cli_args *args)
{
    verify v = {.args = args};
    bool bad = false;
    const char *target = cli_value(args, "--target");
    int n_runs = (int)cli_number(args, "--runs", 8, 0, 100000, &bad);
    int code = CLI_USAGE;

    v.seconds = cli_number(args, "--timeout", 300, 1, 1000000, &bad);
    v.target = verify_target_find(target != NULL ? target : "host");
    if (args->n_positional != 1) {
        cli_error("verify: wants one model file; see `oribi help verify`");
    } else if (!bad && v.target != NULL) {
        code = verify_model(&v, n_runs);
    }
    close_all(&v);
    return code;
}
