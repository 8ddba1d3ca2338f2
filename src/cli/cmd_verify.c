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
    {"--input", 'i', "NAME=VALUE",
     "a run on these inputs, as `oribi run` takes them; prints the outputs"},
    {"--top-k", 'k', "K", "of its outputs, the K largest elements"},
    {"--against", 0, "FILE.npz", "inputs and expected outputs by name, too; several are allowed"},
    {"--per-node", 0, NULL,
     "compare the output of every operator, too, and name the first bad one"},
    {"--cc", 0, "COMPILER", "compiler for the target; clang is given its target"},
    {"--cflags", 0, "FLAGS", "more flags for the model's C, after -O3"},
    {"--emulator-flags", 0, "FLAGS", "more flags for QEMU"},
    {"--timeout", 0, "SECONDS", "of the runs together (default 300)"},
    {"--keep", 0, "DIR", "build in this folder and leave it: sources, objects, image"},
    {"--image", 0, "DIR",
     "only build, for a board on a serial line: DIR/image and its sources; without devices"},
    {"--port", 0, "TTY", "a board that runs such an image, instead of QEMU; without devices"},
    {"--baud", 0, "N", "of the port (default 115200)"},
    {"--json", 0, NULL, "print what was measured as JSON"},
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};

cli_option cmd_verify_options[CLI_COMPILE_OPTIONS];

void cmd_verify_prepare(void)
{
    cli_compile_options_make(cmd_verify_options, own_options);
}

/* --- What was measured ----------------------------------------------------------------------- */

static size_t ram_of(const verify *v)
{
    const bool is_in_pool =
        cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(v->report, "io_in_workspace"));
    return v->workspace_bytes + v->state_bytes +
           (is_in_pool ? 0 : v->input_bytes + v->output_bytes);
}

/* Waiting for a device is no work of the model's. */
static bool is_counted(const verify *v)
{
    return v->result.count_kind != ORIBI_WIRE_COUNTS_NOTHING && v->n_devices == 0;
}

static void print_text(const verify *v, const verify *unfused)
{
    const verify_result *r = &v->result;
    printf("%s: equal bit for bit: %d runs\n", v->target->name, r->n_runs);
    if (is_counted(v)) {
        printf("  %-12s %llu (first run)\n",
               r->count_kind == ORIBI_WIRE_COUNTS_CYCLES ? "cycles" : "instructions",
               (unsigned long long)r->count);
    }
    if (r->stack_bytes != ORIBI_WIRE_UNKNOWN) {
        printf("  stack        %u bytes\n", (unsigned)r->stack_bytes);
    }
    printf("  RAM          %zu bytes (workspace, inputs, outputs, state)\n", ram_of(v));
    if (r->code_bytes > 0) {
        printf("  flash        %lld bytes (code %lld, constants %lld)\n",
               (long long)(r->code_bytes + r->data_bytes), (long long)r->code_bytes,
               (long long)r->data_bytes);
    }
    printf("  workspace    %u of %zu bytes touched\n", (unsigned)r->touched_bytes,
           v->workspace_bytes);
    if (v->is_per_node) {
        printf("  per node     %d of %d values\n", (int)r->n_compared, (int)v->n_values);
    }
    if (unfused->result.n_runs > 0) {
        printf("  unfused      %d of %d values\n", (int)unfused->result.n_compared,
               (int)unfused->n_values);
    }
}

/* Of the first run. */
static cJSON *values_of(const verify *v)
{
    cJSON *list = cJSON_CreateArray();
    for (int32_t i = 0; i < v->n_values; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "value", v->values[i].name);
        cJSON_AddStringToObject(item, "op", v->values[i].op);
        cJSON_AddNumberToObject(item, "bytes", (double)v->values[i].bytes);
        cJSON_AddNumberToObject(item, "crc32", v->values[i].hash);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static void print_json(const verify *v, const verify *unfused)
{
    const verify_result *r = &v->result;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "target", v->target->name);
    cJSON_AddNumberToObject(json, "runs", r->n_runs);
    cJSON_AddNumberToObject(json, "workspace_bytes", (double)v->workspace_bytes);
    cJSON_AddNumberToObject(json, "touched_bytes", r->touched_bytes);
    cJSON_AddNumberToObject(json, "ram_bytes", (double)ram_of(v));
    if (r->code_bytes > 0) {
        cJSON_AddNumberToObject(json, "code_bytes", (double)r->code_bytes);
        cJSON_AddNumberToObject(json, "constants_bytes", (double)r->data_bytes);
    }
    if (r->stack_bytes != ORIBI_WIRE_UNKNOWN) {
        cJSON_AddNumberToObject(json, "stack_bytes", r->stack_bytes);
    }
    if (is_counted(v)) {
        cJSON_AddNumberToObject(
            json, r->count_kind == ORIBI_WIRE_COUNTS_CYCLES ? "cycles" : "instructions",
            (double)r->count);
    }
    if (v->is_per_node) {
        cJSON_AddNumberToObject(json, "compared", r->n_compared);
        cJSON_AddItemToObject(json, "values", values_of(v));
    }
    if (unfused->result.n_runs > 0) {
        cJSON_AddNumberToObject(json, "unfused_compared", unfused->result.n_compared);
        cJSON_AddItemToObject(json, "unfused_values", values_of(unfused));
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
    v->state_bytes = (size_t)number(v->report, "state_bytes");
    v->pools = cJSON_GetObjectItemCaseSensitive(v->report, "pools");
    const char *weights = cli_value(v->args, "--weights");
    v->is_weights_file = weights != NULL && strcmp(weights, "bin") == 0;
    verify_list_values(v);
    return verify_states_read(v);
}

static int make_folder(verify *v)
{
    const char *image = cli_value(v->args, "--image");
    const char *keep = image != NULL ? image : cli_value(v->args, "--keep"),
               *base = getenv("TMPDIR");
    base = base == NULL || base[0] == 0 ? "/tmp" : base;
    const char *from = keep != NULL ? keep : base;
    const size_t size = strlen(from) + 32;
    v->folder = cli_alloc(size);
    snprintf(v->folder, size, "%s%s", from,
             keep == NULL                                        ? "/oribi-verify-XXXXXX"
             : v->is_not_fused && !cli_has(v->args, "--no-fuse") ? "/unfused"
                                                                 : "");
    v->keeps_folder = keep != NULL;
    if (keep == NULL && mkdtemp(v->folder) == NULL) {
        cli_error("%s: %s", v->folder, strerror(errno));
        v->keeps_folder = true;
        return CLI_BAD_INPUT;
    }
    return cli_compile_write(v->compile, v->folder, true);
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
    verify_free_values(v);
    verify_states_free(v);
    cJSON_Delete(v->metadata);
    cJSON_Delete(v->report);
    oribi_compile_destroy(v->compile);
    cli_session_close(&v->session);
}

/* A session whose steps are the model's own operators. */
static int open_unfused(verify *v, TF_Status *status)
{
    static const char *const passes[] = {"fuse", "layout", "batch_norm"};
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        oribi_options_disable_pass(v->session.options, passes[i], status);
    }
    oribi_session_destroy(v->session.session);
    v->session.session = oribi_session_create(v->session.model, v->session.options, status);
    return v->session.session == NULL ? cli_fail(status) : CLI_OK;
}

static int compile(verify *v, TF_Status *status)
{
    if (oribi_model_num_inputs(v->session.model) > VERIFY_MAX_PORTS ||
        oribi_model_num_outputs(v->session.model) > VERIFY_MAX_PORTS) {
        cli_error("verify: at most %d inputs and outputs", VERIFY_MAX_PORTS);
        return CLI_UNSUPPORTED;
    }
    v->compile = oribi_compile_create(status);
    if (v->compile != NULL && v->is_not_fused) {
        oribi_compile_set_option(v->compile, "no-fuse", NULL, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        return cli_fail(status);
    }
    const int code = cli_compile_model(v->args, v->compile);
    return code != CLI_OK ? code : read_metadata(v) ? CLI_OK : CLI_BAD_INPUT;
}

static int build_and_run(verify *v, int n_runs)
{
    const bool is_image = cli_value(v->args, "--image") != NULL;
    if (cli_value(v->args, "--port") != NULL) {
        return verify_run_cases(v, n_runs);
    }
    int code = make_folder(v);
    code = code == CLI_OK ? verify_build(v, is_image) : code;
    if (code == CLI_OK) {
        verify_weigh(v);
    }
    return code == CLI_OK && !is_image ? verify_run_cases(v, n_runs) : code;
}

/* Values that fusion removed: a second build, unless there are none. */
static int verify_unfused(const verify *shipped, verify *v, int n_runs, TF_Status *status)
{
    *v = (verify){.args = shipped->args,
                  .target = shipped->target,
                  .session = shipped->session,
                  .seconds = shipped->seconds,
                  .is_per_node = true,
                  .is_not_fused = true,
                  .n_devices = shipped->n_devices};
    memcpy(v->devices, shipped->devices, sizeof v->devices);
    v->session.session = NULL;
    int code = open_unfused(v, status);
    code = code == CLI_OK ? compile(v, status) : code;
    if (code == CLI_OK && v->n_values > shipped->n_values) {
        cli_note("%s: without fusing", v->target->name);
        code = build_and_run(v, n_runs);
    }
    return code;
}

/* A board has one image. */
static bool is_built_here(const cli_args *args)
{
    return cli_value(args, "--port") == NULL && cli_value(args, "--image") == NULL;
}

static int verify_model(verify *v, int n_runs)
{
    TF_Status *status = TF_NewStatus();
    verify unfused = {0};
    int code = cli_session_open_with(v->args, "micro", &v->session);
    v->is_not_fused = cli_has(v->args, "--no-fuse");
    v->is_per_node = cli_has(v->args, "--per-node");
    code = code == CLI_OK && v->is_not_fused ? open_unfused(v, status) : code;
    code = code == CLI_OK ? compile(v, status) : code;
    code = code == CLI_OK ? build_and_run(v, n_runs) : code;
    if (code == CLI_OK && v->is_per_node && !v->is_not_fused && is_built_here(v->args)) {
        code = verify_unfused(v, &unfused, n_runs, status);
    }
    if (code == CLI_OK && cli_value(v->args, "--image") != NULL) {
        printf("%s/image\n", cli_value(v->args, "--image"));
    } else if (code == CLI_OK && cli_has(v->args, "--json")) {
        print_json(v, &unfused);
    } else if (code == CLI_OK) {
        print_text(v, &unfused);
    }
    unfused.session.model = NULL; /* they are v's */
    unfused.session.options = NULL;
    close_all(&unfused);
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
    } else if (v.target != NULL && v.target->serial_transport == NULL && !is_built_here(args)) {
        cli_error("verify: --image and --port want a target that is a board, not %s",
                  v.target->name);
    } else if (v.target != NULL && !verify_devices_read(&v)) {
        code = CLI_UNSUPPORTED;
    } else if (!bad && v.target != NULL) {
        code = verify_model(&v, n_runs);
    }
    close_all(&v);
    return code;
}
