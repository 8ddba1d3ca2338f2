/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi run`: inputs, one or more runs, outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shard/shard.h"

const cli_option cmd_run_options[] = {
    {"--input", 'i', "NAME=VALUE", "an input; see above"},
    {"--output", 'o', "FILE",
     "store the outputs: .npz, .npy for the first one, - (.npz on standard output); {} in the "
     "name is the number of the run"},
    {"--rows", 0, "R",
     "inputs are arrays of many rows (.npy, .npz): a run for each R of them, fewer in the last"},
    {"--shard", 0, "I/N|auto",
     "do only runs I, I+N, I+2N, ..; auto: of mpirun's or srun's environment. See "
     "docs/reference/running/shard.md"},
    {"--resume", 0, NULL, "leave out runs whose outputs are there, of the same model and inputs"},
    {"--top-k", 'k', "K", "print the K largest elements of each output"},
    {"--labels", 0, "FILE", "names of the classes, one a line"},
    {"--json", 0, NULL, "outputs as JSON, one line each"},
    {"--layout", 0, "nchw|nhwc", "layout of picture inputs (default: guessed from the shape)"},
    {"--mean", 0, "A[,B,C]", "subtracted from the pixels 0..255 of a picture (default 0)"},
    {"--scale", 0, "A[,B,C]",
     "then multiplied (default 1/255; 1 for u8, and for i8, which is 128 less)"},
    {"--crop", 0, "N",
     "the shorter side of a picture becomes N pixels, and its centre the input (default: all of "
     "it, "
     "stretched)"},
    {"--text", 0, "TEXT", "tokens for the inputs that are not given, their mask and segments"},
    {"--vocabulary", 0, "FILE",
     "of --text: one token a line, as BERT's models have it (WordPiece)"},
    {"--show", 0, NULL, "draw picture inputs in the terminal"},
    {"--trace", 0, "FILE", "write a trace of the runs that Perfetto opens"},
    CLI_TIME_LIMIT_OPTION("give up so many milliseconds after opening the model began (exit 5); "
                          "of several runs each later one has as long"),
    {"--check", 0, NULL,
     "call kernels of plugins under watch: what they write beyond their blocks, leave unwritten or "
     "read too early ends the run"},
    {"--check-all", 0, NULL, "the same for built-in kernels as well"},
    {"--record", 0, "FILE",
     "write the first call of a kernel that fails, for `oribi plugin replay`"},
    {"--node", 0, "NODE", "record the first call of this node instead, failed or not"},
    {"--force", 'f', NULL, "overwrite files"},
    {"--device", 0, "NAME[:N]|NAME=DRIVER.so[:OPTIONS]",
     "a plugin's device, where nodes run that have a kernel there; or a driver for the model's "
     "part "
     "for a device, docs/reference/device-hooks.md, several"},
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
    out->text = cli_read_text(path, &bytes);
    if (out->text == NULL) {
        return false;
    }
    out->lines = cli_alloc((bytes + 1) * sizeof *out->lines);
    for (char *line = out->text; *line != 0;) { /* an empty one counts: it names nothing */
        char *end = line + strcspn(line, "\n");
        const bool is_last = *end == 0;
        *end = 0;
        line[strcspn(line, "\r")] = 0;
        out->lines[out->count++] = line;
        line = is_last ? end : end + 1;
    }
    return true;
}

/* Holds what runs: a session, or (desk) the model's parts with their drivers. */
typedef struct runner {
    const cli_session *session;
    oribi_run *run;
    oribi_desk *desk;
    TF_Tensor **inputs; /* of the desk */
    uint64_t *input_bytes;
    uint64_t limit_ns, begun_ns; /* --time-limit, and when opening began */
    TF_Tensor **whole;           /* --rows: the inputs that runs take rows of; else NULL */
    int64_t rows, rows_of_run;
    shard part;
} runner;

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

/* How often is the input given that is given most often? An exit code. */
static int count_runs(const cli_args *args, const runner *r, int *n_runs)
{
    int *seen = cli_alloc((size_t)oribi_model_num_inputs(r->session->model) * sizeof *seen + 1);
    const char *text;
    int code = CLI_OK;

    *n_runs = 1;
    for (int i = 0; code == CLI_OK && (text = cli_value_at(args, "--input", i)) != NULL; i++) {
        cli_input input;
        code = cli_input_parse(r->session->model, text, &input) ? CLI_OK : CLI_USAGE;
        if (code == CLI_OK && ++seen[input.index] > *n_runs) {
            *n_runs = seen[input.index];
        }
    }
    free(seen);
    return code;
}

/* Reads an input under what the session and the inputs that are bound leave of the limit. */
static TF_Tensor *make_input(runner *r, const cli_input *input, const cli_image_options *images,
                             uint64_t deadline_ns)
{
    uint64_t kept = 0;

    r->input_bytes[input->index] = 0; /* the one before is replaced */
    for (int i = 0; i < oribi_model_num_inputs(r->session->model); i++) {
        kept += r->input_bytes[i];
    }
    cli_input_begin(r->session, kept, deadline_ns);
    TF_Tensor *tensor = cli_input_make(r->session->model, input, images);
    if (tensor != NULL) {
        r->input_bytes[input->index] = TF_TensorByteSize(tensor);
    }
    return tensor;
}

static int crop_of(const cli_args *args)
{
    bool bad = false; /* cmd_run has asked before */
    return (int)cli_number(args, "--crop", 0, 1, 16384, &bad);
}

/* Binds the tokens of --text to the inputs that are not given. */
static int bind_words(const cli_args *args, runner *r, TF_Status *status)
{
    const oribi_model *model = r->session->model;
    const int n = oribi_model_num_inputs(model);
    TF_Tensor **inputs = cli_alloc((size_t)n * sizeof(TF_Tensor *) + 1), *given = NULL;
    const char *text;
    cli_input input;

    for (int k = 0; (text = cli_value_at(args, "--input", k)) != NULL; k++) {
        if (cli_input_parse(model, text, &input) && inputs[input.index] == NULL) {
            given = given == NULL ? cli_tensor(TF_BOOL, &(cli_dims){0}) : given;
            inputs[input.index] = given; /* a mark: it is there */
        }
    }
    bool good =
        cli_words_make(model, cli_value(args, "--text"), cli_value(args, "--vocabulary"), inputs);
    for (int i = 0; i < n; i++) {
        if (inputs[i] != NULL && inputs[i] != given && good) {
            set_input(r, i, inputs[i], status);
            good = TF_GetCode(status) == TF_OK;
        } else if (inputs[i] != given) {
            TF_DeleteTensor(inputs[i]);
        }
    }
    TF_DeleteTensor(given);
    free(inputs);
    return good ? CLI_OK : TF_GetCode(status) != TF_OK ? cli_fail(status) : cli_budget_code();
}

/* Have the inputs all as many rows? Notes how many. */
static bool count_rows(runner *r)
{
    for (int i = 0; i < oribi_model_num_inputs(r->session->model); i++) {
        const TF_Tensor *all = r->whole[i];
        const int64_t rows = TF_NumDims(all) > 0 ? TF_Dim(all, 0) : 0;
        const char *name = oribi_model_input_name(r->session->model, i);
        if (rows == 0 || TF_TensorType(all) == TF_STRING || (i > 0 && rows != r->rows)) {
            cli_error("run: --rows: input '%s' has %lld rows%s", name, (long long)rows,
                      rows == 0                         ? ""
                      : TF_TensorType(all) == TF_STRING ? " of text, which is not divided"
                                                        : ", another number than the first input");
            return false;
        }
        r->rows = rows;
    }
    return true;
}

/* --rows: reads the inputs, each of which is given once, and says how many runs they are. */
static int read_whole(const cli_args *args, runner *r, int *n_runs)
{
    const oribi_model *model = r->session->model;
    const cli_image_options images = {.layout = NULL};
    int code = CLI_OK;
    const char *text;

    if (r->rows_of_run == 0) {
        return CLI_OK;
    }
    if (*n_runs > 1) {
        cli_error("run: --rows divides inputs that are given once, not several times");
        return CLI_USAGE;
    }
    r->whole = cli_alloc((size_t)oribi_model_num_inputs(model) * sizeof(TF_Tensor *) + 1);
    for (int k = 0; code == CLI_OK && (text = cli_value_at(args, "--input", k)) != NULL; k++) {
        cli_input input;
        (void)cli_input_parse(model, text, &input); /* count_runs did it, too */
        r->whole[input.index] = make_input(r, &input, &images, 0);
        code = r->whole[input.index] == NULL ? cli_budget_code() : CLI_OK;
    }
    if (code == CLI_OK && !count_rows(r)) {
        return CLI_BAD_INPUT;
    }
    const int64_t runs = r->rows / r->rows_of_run + (r->rows % r->rows_of_run > 0);
    if (code == CLI_OK && runs > INT32_MAX) {
        cli_error("run: --rows %lld makes too many runs of %lld rows", (long long)r->rows_of_run,
                  (long long)r->rows);
        return CLI_BAD_INPUT;
    }
    *n_runs = (int)runs;
    return code;
}

/* Binds the rows of the k-th run. */
static int bind_rows(runner *r, int k, TF_Status *status)
{
    const int64_t from = k * r->rows_of_run, left = r->rows - from;

    for (int i = 0; i < oribi_model_num_inputs(r->session->model); i++) {
        TF_Tensor *some =
            cli_rows_take(r->whole[i], from, left < r->rows_of_run ? left : r->rows_of_run);
        if (some == NULL) {
            return CLI_LIMIT;
        }
        set_input(r, i, some, status);
        if (TF_GetCode(status) != TF_OK) {
            return cli_fail(status);
        }
    }
    return CLI_OK;
}

/* Binds the k-th value of each input, before the deadline (0: none). */
static int bind_inputs(const cli_args *args, runner *r, int k, uint64_t deadline_ns,
                       TF_Status *status)
{
    if (r->whole != NULL) {
        return bind_rows(r, k, status);
    }
    const cli_session *s = r->session;
    cli_image_options images = {cli_value(args, "--layout"), cli_value(args, "--mean"),
                                cli_value(args, "--scale"), crop_of(args), cli_has(args, "--show")};
    int *seen = cli_alloc((size_t)oribi_model_num_inputs(s->model) * sizeof *seen + 1);
    const char *text;
    int code = CLI_OK;

    for (int i = 0; code == CLI_OK && (text = cli_value_at(args, "--input", i)) != NULL; i++) {
        cli_input input;
        if (!cli_input_parse(s->model, text, &input)) {
            code = CLI_USAGE;
            break;
        }
        if (seen[input.index]++ != k) {
            continue;
        }
        TF_Tensor *tensor = make_input(r, &input, &images, deadline_ns);
        if (tensor == NULL) {
            code = cli_budget_code();
            break;
        }
        set_input(r, input.index, tensor, status);
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    }
    free(seen);
    return code == CLI_OK && cli_value(args, "--text") != NULL ? bind_words(args, r, status) : code;
}

/* Has each input of the model a value? An exit code. */
static int check_all_given(const cli_args *args, const oribi_model *model)
{
    for (int i = 0; i < oribi_model_num_inputs(model); i++) {
        const char *text, *name = oribi_model_input_name(model, i);
        bool is_given = false;
        for (int k = 0; !is_given && (text = cli_value_at(args, "--input", k)) != NULL; k++) {
            cli_input input;
            if (!cli_input_parse(model, text, &input)) {
                return CLI_USAGE;
            }
            is_given = input.index == i;
        }
        if (!is_given && cli_value(args, "--text") == NULL) {
            cli_error("run: input '%s' has no value; give it one: -i %s=@FILE, or see `oribi help "
                      "run`",
                      name, name);
            return CLI_BAD_INPUT;
        }
    }
    return CLI_OK;
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

static int run_once(const cli_args *args, runner *r, int k, const labels *names, int top_k,
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
        } else if (cli_results_are_printed(args)) {
            cli_output_print(oribi_model_output_name(s->model, i), outputs[i], top_k, names->lines,
                             names->count, cli_has(args, "--json"));
        }
    }
    code = code == CLI_OK ? cli_results_save(args, k, s->model, outputs, n) : code;
    for (int i = 0; i < n; i++) {
        TF_DeleteTensor(outputs[i]);
    }
    free(outputs);
    return code;
}

/* Reading the inputs and the run have the time limit together; the first run, what opening the
 * model left of it. */
static int run_one(const cli_args *args, runner *r, int k, const labels *names, int top_k,
                   TF_Status *status)
{
    const uint64_t from_ns = k == 0 ? r->begun_ns : cli_now_ns();
    const uint64_t deadline_ns = r->limit_ns == 0 ? 0 : from_ns + r->limit_ns;
    int code = bind_inputs(args, r, k, deadline_ns, status);

    if (code == CLI_OK && deadline_ns > 0) {
        uint64_t now = cli_now_ns();
        oribi_run_set_time_limit(r->run, now < deadline_ns ? deadline_ns - now : 1);
    }
    return code == CLI_OK ? run_once(args, r, k, names, top_k, status) : code;
}

static int run_all(const cli_args *args, runner *r, const labels *names, int top_k)
{
    const char *trace_path = cli_value(args, "--trace");
    const bool force = cli_has(args, "--force");
    cli_trace *trace = NULL;
    int n_runs, code = count_runs(args, r, &n_runs);

    code = code == CLI_OK ? read_whole(args, r, &n_runs) : code;
    code = code == CLI_OK ? cli_results_check(args, n_runs, &r->part) : code;
    code = code == CLI_OK ? shard_begin(args, &r->part, n_runs) : code;
    if (code == CLI_OK && trace_path != NULL) {
        code = cli_check_writable(trace_path, force);
    }
    if (code == CLI_OK && cli_value(args, "--record") != NULL) {
        code = cli_check_writable(cli_value(args, "--record"), force);
    }
    if (code != CLI_OK) {
        return code;
    }
    TF_Status *status = TF_NewStatus();
    r->run = oribi_run_create(r->session->session, status);
    code = r->run == NULL ? cli_fail(status) : CLI_OK;
    if (code == CLI_OK && trace_path != NULL) {
        trace = cli_trace_begin(r->run);
    }
    for (int k = 0; code == CLI_OK && k < n_runs; k++) {
        code = shard_has(args, &r->part, k) ? run_one(args, r, k, names, top_k, status) : CLI_OK;
    }
    if (trace != NULL) {
        int trace_code = cli_trace_end(trace, trace_path, force);
        code = code == CLI_OK ? trace_code : code;
    }
    oribi_run_destroy(r->run);
    TF_DeleteStatus(status);
    return code;
}

/* With a session, and with drivers where --device asks for them. */
static int run_model(const cli_args *args, const labels *names, int top_k, const runner *own)
{
    cli_session s;
    cli_desk desk = {NULL, NULL};
    const uint64_t begun_ns = cli_now_ns();
    int code = cli_session_open(args, &s);
    if (code != CLI_OK) {
        return code;
    }
    code = check_all_given(args, s.model);
    if (code != CLI_OK) {
        cli_session_close(&s);
        return code;
    }
    const int n = oribi_model_num_inputs(s.model);
    runner r = {.session = &s,
                .inputs = cli_alloc((size_t)n * sizeof(TF_Tensor *) + 1),
                .input_bytes = cli_alloc((size_t)n * sizeof(uint64_t) + 1),
                .limit_ns = own->limit_ns,
                .begun_ns = begun_ns,
                .rows_of_run = own->rows_of_run,
                .part = own->part};
    code = cli_has_drivers(args) ? cli_desk_open(args, &desk) : CLI_OK;
    r.desk = desk.desk;
    code = code == CLI_OK ? run_all(args, &r, names, top_k) : code;
    for (int i = 0; i < n; i++) {
        TF_DeleteTensor(r.inputs[i]);
        TF_DeleteTensor(r.whole == NULL ? NULL : r.whole[i]);
    }
    free(r.whole);
    free(r.inputs);
    free(r.input_bytes);
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
    (void)cli_number(args, "--crop", 0, 1, 16384, &bad);
    const char *layout = cli_value(args, "--layout");
    runner own = {.limit_ns = (uint64_t)limit_ms * 1000000u,
                  .rows_of_run = cli_number(args, "--rows", 0, 1, INT32_MAX, &bad)};

    bad = !shard_read(args, &own.part) || bad;
    if (layout != NULL && strcmp(layout, "nchw") != 0 && strcmp(layout, "nhwc") != 0) {
        cli_error("run: --layout wants nchw or nhwc, not '%s'", layout);
        bad = true;
    }
    if (bad) {
        return CLI_USAGE;
    }
    if (!read_labels(cli_value(args, "--labels"), &names)) {
        return CLI_BAD_INPUT;
    }
    int code = run_model(args, &names, top_k, &own);
    free(names.lines);
    free(names.text);
    return code;
}
