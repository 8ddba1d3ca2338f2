/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi run`: inputs, one or more runs, outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

const cli_option cmd_run_options[] = {
    {"--input", 'i', "NAME=VALUE", "an input; see above"},
    {"--output", 'o', "FILE", "store the outputs: .npz, or .npy for the first one"},
    {"--top-k", 'k', "K", "print the K largest elements of each output"},
    {"--labels", 0, "FILE", "names of the classes, one a line"},
    {"--json", 0, NULL, "outputs as JSON, one line each"},
    {"--layout", 0, "nchw|nhwc", "layout of picture inputs (default: guessed from the shape)"},
    {"--mean", 0, "A[,B,C]", "subtracted from the pixels 0..255 of a picture (default 0)"},
    {"--scale", 0, "A[,B,C]",
     "then multiplied (default 1/255; 1 for u8, and for i8, which is 128 less)"},
    {"--show", 0, NULL, "draw picture inputs in the terminal"},
    {"--trace", 0, "FILE", "write a trace of the runs that Perfetto opens"},
    CLI_TIME_LIMIT_OPTION("give up so many milliseconds after opening the model began (exit 5); "
                          "of several runs each later one has as long"),
    {"--force", 'f', NULL, "overwrite files"},
    {"--device", 0, "NAME[:N]|NAME=DRIVER.so[:OPTIONS]",
     "a plugin's device, where nodes run that have a kernel there; or a driver for the model's "
     "part "
     "for a device, docs/device-hooks.md, several"},
    CLI_PLACE_OPTIONS,
    CLI_DESK_OPTIONS,
    {"--device-schedule", 0, "design|lazy|eager|hold", "when the driver's hooks are called"},
    {"--cpu-mhz", 0, "N", "clock of the CPU that the schedule reckons with (default 100)"},
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};

typedef struct labels {
    char *text, **lines;
    int count;
} labels;

static bool read_labels(const char *path, labels *out)
{
    size_t bytes;

    *out = (labels){NULL, NULL, 0};
    if (path == NULL) {
        return true;
    }
    out->text = (char *)cli_read_file(path, &bytes);
    if (out->text == NULL) {
        return false;
    }
    out->lines = cli_alloc((bytes + 1) * sizeof *out->lines);
    for (char *line = strtok(out->text, "\r\n"); line != NULL; line = strtok(NULL, "\r\n")) {
        out->lines[out->count++] = line;
    }
    return true;
}

static bool save(const cli_args *args, const oribi_model *model, TF_Tensor *const *outputs, int n)
{
    const char *path = cli_value(args, "--output");
    bool force = cli_has(args, "--force");
    size_t length = path == NULL ? 0 : strlen(path), bytes;

    if (path == NULL) {
        return true;
    }
    if (length > 4 && strcmp(path + length - 4, ".npy") == 0) {
        uint8_t *npy = cli_npy_format(outputs[0], &bytes);
        bool good = npy != NULL && cli_write_file(path, npy, bytes, force);
        free(npy);
        return good;
    }
    const char **names = cli_alloc((size_t)n * sizeof *names);
    for (int i = 0; i < n; i++) {
        names[i] = oribi_model_output_name(model, i);
    }
    bool good = cli_npz_write(path, names, outputs, n, force);
    free(names);
    return good;
}

/* What runs: a session, or (desk) the model's parts with their drivers. */
typedef struct runner {
    const cli_session *session;
    oribi_run *run;
    oribi_desk *desk;
    TF_Tensor **inputs;          /* of the desk */
    uint64_t limit_ns, begun_ns; /* --time-limit, and when opening began */
} runner;

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The first run has what opening the model left of the limit; at least enough to say so. */
static void limit_time(const runner *r, int k)
{
    const uint64_t spent = k == 0 ? now_ns() - r->begun_ns : 0;

    if (r->desk == NULL && r->limit_ns != 0) {
        oribi_run_set_time_limit(r->run, spent < r->limit_ns ? r->limit_ns - spent : 1);
    }
}

static void set_input(runner *r, int index, TF_Tensor *tensor, TF_Status *status)
{
    if (r->desk == NULL) {
        oribi_run_set_input(r->run, index, tensor, status);
        TF_DeleteTensor(tensor);
    } else {
        TF_DeleteTensor(r->inputs[index]);
        r->inputs[index] = tensor;
    }
}

/* Binds the k-th value of each input; sets *bound when there was one. */
static int bind_inputs(const cli_args *args, runner *r, int k, bool *bound, TF_Status *status)
{
    const cli_session *s = r->session;
    cli_image_options images = {cli_value(args, "--layout"), cli_value(args, "--mean"),
                                cli_value(args, "--scale"), cli_has(args, "--show")};
    int *seen = cli_alloc((size_t)oribi_model_num_inputs(s->model) * sizeof *seen + 1);
    const char *text;
    int code = CLI_OK;

    *bound = false;
    for (int i = 0; code == CLI_OK && (text = cli_value_at(args, "--input", i)) != NULL; i++) {
        cli_input input;
        if (!cli_input_parse(s->model, text, &input)) {
            code = CLI_USAGE;
            break;
        }
        if (seen[input.index]++ != k) {
            continue;
        }
        TF_Tensor *tensor = cli_input_make(s->model, &input, &images);
        if (tensor == NULL) {
            code = CLI_BAD_INPUT;
            break;
        }
        *bound = true;
        set_input(r, input.index, tensor, status);
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    }
    free(seen);
    return code;
}

static int execute(runner *r, TF_Tensor **outputs, TF_Status *status)
{
    if (r->desk != NULL) {
        oribi_desk_run(r->desk, (const TF_Tensor *const *)r->inputs, outputs, status);
    } else {
        oribi_run_execute(r->run, status);
    }
    return TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
}

static int run_once(const cli_args *args, runner *r, const labels *names, int top_k,
                    TF_Status *status)
{
    const cli_session *s = r->session;
    int n = oribi_model_num_outputs(s->model);
    TF_Tensor **outputs = cli_alloc((size_t)n * sizeof *outputs + 1);
    int code = execute(r, outputs, status);

    for (int i = 0; i < n && code == CLI_OK; i++) {
        if (r->desk == NULL) {
            outputs[i] = oribi_run_output(r->run, i, status);
        }
        if (outputs[i] == NULL) {
            code = cli_fail(status);
        } else {
            cli_output_print(oribi_model_output_name(s->model, i), outputs[i], top_k, names->lines,
                             names->count, cli_has(args, "--json"));
        }
    }
    if (code == CLI_OK && !save(args, s->model, outputs, n)) {
        code = CLI_BAD_INPUT;
    }
    for (int i = 0; i < n; i++) {
        TF_DeleteTensor(outputs[i]);
    }
    free(outputs);
    return code;
}

static int run_all(const cli_args *args, runner *r, const labels *names, int top_k)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(r->session->session, status);
    const char *trace_path = cli_value(args, "--trace");
    cli_trace *trace = NULL;
    int code = run == NULL ? cli_fail(status) : CLI_OK;

    r->run = run;
    if (code == CLI_OK) {
        trace = trace_path == NULL ? NULL : cli_trace_begin(run);
    }
    for (int k = 0; code == CLI_OK; k++) {
        bool bound;
        code = bind_inputs(args, r, k, &bound, status);
        if (code != CLI_OK || (k > 0 && !bound)) {
            break;
        }
        limit_time(r, k);
        code = run_once(args, r, names, top_k, status);
    }
    if (trace != NULL && !cli_trace_end(trace, trace_path, cli_has(args, "--force"))) {
        code = code == CLI_OK ? CLI_BAD_INPUT : code;
    }
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return code;
}

/* Options of a session that a run with drivers does not follow. */
static bool check_device_options(const cli_args *args)
{
    static const char *const others[] = {"--trace",     "--time-limit",   "--shape",
                                         "--kernels",   "--disable-pass", "--threads",
                                         "--place-node"};
    static const char *const own[] = {"--target-device", "--assign", "--device-schedule",
                                      "--cpu-mhz"};
    const bool has_device = cli_has_drivers(args);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (has_device && cli_has(args, others[i])) {
            cli_error("run: %s does not go with --device NAME=DRIVER.so", others[i]);
            return false;
        }
    }
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (!has_device && cli_has(args, own[i])) {
            cli_error("run: %s wants the device's driver, too: --device NAME=DRIVER.so", own[i]);
            return false;
        }
    }
    return true;
}

/* With a session, and with drivers where --device asks for them. */
static int run_model(const cli_args *args, const labels *names, int top_k, int64_t limit_ms)
{
    cli_session s;
    cli_desk desk = {NULL, NULL};
    const uint64_t begun_ns = now_ns();
    int code = cli_session_open(args, &s);
    if (code != CLI_OK) {
        return code;
    }
    const int n = oribi_model_num_inputs(s.model);
    runner r = {.session = &s,
                .inputs = cli_alloc((size_t)n * sizeof(TF_Tensor *) + 1),
                .limit_ns = (uint64_t)limit_ms * 1000000u,
                .begun_ns = begun_ns};
    code = cli_has_drivers(args) ? cli_desk_open(args, &desk) : CLI_OK;
    r.desk = desk.desk;
    code = code == CLI_OK ? run_all(args, &r, names, top_k) : code;
    for (int i = 0; i < n; i++) {
        TF_DeleteTensor(r.inputs[i]);
    }
    free(r.inputs);
    cli_desk_close(&desk);
    cli_session_close(&s);
    return code;
}

int cmd_run(const cli_args *args)
{
    labels names;
    bool bad = false;
    int top_k = (int)cli_number(args, "--top-k", 0, 1, 100000, &bad);
    int64_t limit_ms = cli_number(args, "--time-limit", 0, 1, INT32_MAX, &bad);
    const char *layout = cli_value(args, "--layout");

    if (layout != NULL && strcmp(layout, "nchw") != 0 && strcmp(layout, "nhwc") != 0) {
        cli_error("run: --layout wants nchw or nhwc, not '%s'", layout);
        bad = true;
    }
    if (bad || !check_device_options(args)) {
        return CLI_USAGE;
    }
    if (!read_labels(cli_value(args, "--labels"), &names)) {
        return CLI_BAD_INPUT;
    }
    int code = run_model(args, &names, top_k, limit_ms);
    free(names.lines);
    free(names.text);
    return code;
}
