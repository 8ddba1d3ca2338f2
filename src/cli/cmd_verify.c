/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi verify`: compiles a model to C, builds that C for a target, runs it there and compares
 * every output with the host session bit for bit. Read next: verify.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/compare.h"
#include "oribi/verify_wire.h"
#include "verify/verify.h"

static const cli_option own_options[] = {
    {"--target", 0,
     "host|cortex-m0|cortex-m3|cortex-m4|cortex-m7|cortex-m33|cortex-m55|riscv32|riscv64|riscv64-v",
     "where the C runs; boards are QEMU's (default: host)"},
    {"--runs", 0, "N", "runs on random inputs (default 8)"},
    {"--input", 'i', "NAME=VALUE",
     "a run on these inputs, as `oribi run` takes them; prints the outputs"},
    {"--top-k", 'k', "K", "of its outputs, the K largest elements"},
    {"--against", 0, "FILE.npz",
     "inputs and expected outputs by name, too; several are allowed; to be met bit for bit, or "
     "within --rtol, --atol, --ulp"},
    CLI_LIMIT_OPTIONS,
    {"--per-node", 0, NULL,
     "compare the output of every operator, too, and name the first bad one"},
    {"--profile", 0, NULL,
     "what each operator takes in the first run: cycles by a board's counter, instructions in "
     "QEMU"},
    {"--driver", 0, "DIR",
     "the folder of a driver, for --target-device KIND: its driver.json says what it is; several"},
    {"--failing-hooks", 0, NULL,
     "before each run let each hook of the devices that it calls fail in turn"},
    {"--cc", 0, "COMPILER", "compiler for the target; clang is given its target"},
    {"--cflags", 0, "FLAGS", "more flags for the model's C, after -O3"},
    {"--emulator-flags", 0, "FLAGS", "more flags for QEMU"},
    {"--timeout", 0, "SECONDS",
     "of a run on the host, and of those of the C together (default 300)"},
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
    const bool is_in_pool = cli_json_is(v->report, "io_in_workspace");
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
        printf("  %-12s %llu (first run)\n", verify_unit(v), (unsigned long long)r->count);
    }
    if (r->stack_bytes != ORIBI_WIRE_UNKNOWN) {
        printf("  stack        %u bytes\n", (unsigned)r->stack_bytes);
    }
    if (r->stack_bound_bytes > 0) {
        printf("  stack bound  %lld bytes\n", (long long)r->stack_bound_bytes);
    } else if (r->stack_unknown[0] != 0) {
        printf("  stack bound  unknown: what %s takes\n", r->stack_unknown);
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
    if (v->is_profiled) {
        verify_print_profile(v);
    }
}

/* Writes the values of the first run. */
static void put_values(oribi_json *json, const char *key, const verify *v)
{
    oribi_json_key(json, key);
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < v->n_values; i++) {
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "value", v->values[i].name);
        oribi_json_put_string(json, "op", v->values[i].op);
        oribi_json_put_uint(json, "bytes", v->values[i].bytes);
        oribi_json_put_uint(json, "crc32", v->values[i].hash);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

static void print_json(const verify *v, const verify *unfused)
{
    const verify_result *r = &v->result;
    oribi_text text = {0};
    oribi_json json = {.text = &text};

    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "target", v->target->name);
    oribi_json_put_int(&json, "runs", r->n_runs);
    oribi_json_put_uint(&json, "workspace_bytes", v->workspace_bytes);
    oribi_json_put_uint(&json, "touched_bytes", r->touched_bytes);
    oribi_json_put_uint(&json, "ram_bytes", ram_of(v));
    if (r->code_bytes > 0) {
        oribi_json_put_int(&json, "code_bytes", r->code_bytes);
        oribi_json_put_int(&json, "constants_bytes", r->data_bytes);
    }
    if (r->stack_bytes != ORIBI_WIRE_UNKNOWN) {
        oribi_json_put_uint(&json, "stack_bytes", r->stack_bytes);
    }
    if (r->stack_bound_bytes > 0) {
        oribi_json_put_int(&json, "stack_bound_bytes", r->stack_bound_bytes);
    } else if (r->stack_unknown[0] != 0) {
        oribi_json_put_string(&json, "stack_unknown", r->stack_unknown);
    }
    if (is_counted(v)) {
        oribi_json_put_uint(&json, verify_unit(v), r->count);
    }
    if (v->is_profiled) {
        verify_put_profile(&json, v);
    }
    if (v->is_per_node) {
        oribi_json_put_int(&json, "compared", r->n_compared);
        put_values(&json, "values", v);
    }
    if (unfused->result.n_runs > 0) {
        oribi_json_put_int(&json, "unfused_compared", unfused->result.n_compared);
        put_values(&json, "unfused_values", unfused);
    }
    oribi_json_close(&json, '}');
    oribi_text_append(&text, "\n");
    cli_text_print(&text);
}

/* --- Command --------------------------------------------------------------------------------- */

static size_t sum_of_sizes(const oribi_json_value *ports)
{
    size_t sum = 0;
    for (const oribi_json_value *port = ports->child; port != NULL; port = port->next) {
        sum += (size_t)cli_json_number(port, "size");
    }
    return sum;
}

static char *upper(const char *name)
{
    char *copy = cli_alloc(strlen(name) + 1);
    for (size_t i = 0; name[i] != 0; i++) {
        copy[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
    }
    return copy;
}

/* Reads what the emitted files say about the model. */
static bool read_metadata(verify *v)
{
    static const char *const names[] = {"metadata.json", "report.json"};
    for (int i = 0; i < 2; i++) {
        size_t bytes;
        const char *text = cli_compile_file(v->compile, names[i], &bytes);
        v->files[i] = cli_json_parse(text, bytes, names[i]);
    }
    v->report = v->files[1].root;
    const oribi_json_value *module = cli_json_first(v->files[0].root, "modules");
    const oribi_json_value *memory = oribi_json_find(module, "memory");
    const oribi_json_value *functions = oribi_json_find(memory, "functions");
    const oribi_json_value *entry = cli_json_first(functions, "main");
    v->inputs = oribi_json_find(entry, "inputs");
    v->outputs = oribi_json_find(entry, "outputs");
    v->pools = oribi_json_find(v->report, "pools");
    if (v->inputs == NULL || v->outputs == NULL || v->pools == NULL) {
        cli_error("verify: metadata.json or report.json is not as expected");
        return false;
    }
    v->name = module->key;
    v->macro = upper(v->name);
    v->input_bytes = sum_of_sizes(v->inputs);
    v->output_bytes = sum_of_sizes(v->outputs);
    v->workspace_bytes = (size_t)cli_json_number(v->report, "workspace_bytes");
    v->state_bytes = (size_t)cli_json_number(v->report, "state_bytes");
    const char *weights = cli_value(v->args, "--weights");
    v->is_weights_file = weights != NULL && strcmp(weights, "bin") == 0;
    verify_list_values(v);
    verify_list_operators(v);
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
        verify_remove_folder(v->folder);
    }
    free(v->folder);
    free(v->macro);
    verify_free_values(v);
    free(v->operators);
    verify_states_free(v);
    cli_json_free(&v->files[0]);
    cli_json_free(&v->files[1]);
    oribi_compile_destroy(v->compile);
    cli_session_close(&v->session);
    driver_set_free(&v->drivers);
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
        cli_error("verify: a model may have at most %d inputs and outputs", VERIFY_MAX_PORTS);
        return CLI_UNSUPPORTED;
    }
    v->compile = oribi_compile_create(status);
    if (v->compile != NULL && v->is_not_fused) {
        oribi_compile_set_option(v->compile, "no-fuse", NULL, status);
    }
    if (v->compile != NULL && v->target->kernels != NULL && !cli_has(v->args, "--core")) {
        oribi_compile_set_option(v->compile, "core", v->target->kernels, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        return cli_fail(status);
    }
    const int code = cli_compile_model(v->args, v->compile);
    if (code != CLI_OK) {
        return code;
    }
    if (!read_metadata(v)) {
        return CLI_BAD_INPUT;
    }
    return verify_devices_check(v);
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
        verify_bound_stack(v);
    }
    return code == CLI_OK && !is_image ? verify_run_cases(v, n_runs) : code;
}

/* Whole tensors may need more than the budget that rings meet. The caller frees what is given. */
static cli_args without_budget(const cli_args *args)
{
    cli_args less = *args;
    less.given = cli_grow(NULL, (size_t)args->n_given + 1, sizeof *less.given);
    less.n_given = 0;
    for (int i = 0; i < args->n_given; i++) {
        if (strcmp(args->given[i].option->name, "--max-ram") != 0) {
            less.given[less.n_given++] = args->given[i];
        }
    }
    return less;
}

/* Values that fusion removed: a second build, unless there are none. */
static int verify_unfused(const verify *shipped, verify *v, int n_runs, TF_Status *status)
{
    cli_args args = without_budget(shipped->args);
    *v = (verify){.args = &args,
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
    v->args = shipped->args;
    free(args.given);
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
    int code = cli_session_open_with(v->args, cli_has(v->args, "--fma") ? "micro-fma" : "micro",
                                     &v->session);
    v->is_not_fused = cli_has(v->args, "--no-fuse");
    v->is_per_node = cli_has(v->args, "--per-node");
    v->is_profiled = cli_has(v->args, "--profile");
    code = code == CLI_OK && v->is_not_fused ? open_unfused(v, status) : code;
    code = code == CLI_OK ? compile(v, status) : code;
    code = code == CLI_OK ? build_and_run(v, n_runs) : code;
    code = code == CLI_OK && v->is_profiled ? verify_check_profile(v) : code;
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
    } else if (!bad && v.target != NULL) {
        code = verify_devices_read(&v);
        code = code == CLI_OK ? verify_model(&v, n_runs) : code;
    }
    close_all(&v);
    return code;
}
