/* SPDX-License-Identifier: Apache-2.0 */
/* What `oribi verify` runs: golden files and random inputs, and what the host session makes of
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verify.h"

enum { BATCH_BYTES = 16 << 20 }; /* of inputs in one start of the image */

static void free_cases(verify_case *cases, int n)
{
    for (int i = 0; i < n; i++) {
        free(cases[i].inputs);
        free(cases[i].expected);
        free(cases[i].golden);
        free(cases[i].hashes);
        free(cases[i].is_hashed);
    }
}

/* An unknown dimension is 1, as in the C. Floats are in [0, 1), other types any bytes. */
static TF_Tensor *random_input(const verify *v, int index, uint32_t *state)
{
    cli_dims dims;
    TF_DataType type = oribi_model_input_type(v->session.model, index);
    (void)cli_port_dims(v->session.model, true, index, true, &dims);
    TF_Tensor *tensor = cli_tensor(type, &dims);
    uint8_t *bytes = TF_TensorData(tensor);
    float *floats = TF_TensorData(tensor);
    size_t n = TF_TensorByteSize(tensor) / (type == TF_FLOAT ? sizeof(float) : 1);
    for (size_t k = 0; k < n; k++) {
        *state = *state * 1664525u + 1013904223u;
        if (type == TF_FLOAT) {
            floats[k] = (float)(*state >> 8) / 16777216.0f;
        } else {
            bytes[k] = (uint8_t)(type == TF_BOOL ? *state >> 31 : *state >> 24);
        }
    }
    return tensor;
}

/* The bytes of tensors in a row, those that are NULL left out; NULL when they are not as many as
 * the C has. */
static uint8_t *join(TF_Tensor *const *tensors, int n, size_t bytes)
{
    uint8_t *joined = cli_alloc(bytes);
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        const size_t size = tensors[i] != NULL ? TF_TensorByteSize(tensors[i]) : 0;
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

/* Outputs that are state go back to inputs, and are no outputs any more. */
static bool keep_states(const verify *v, TF_Tensor **outputs)
{
    const bool is_kept = verify_states_take(v, outputs);
    for (int k = 0; k < v->n_states; k++) {
        drop(outputs + v->states[k].output, 1);
    }
    return is_kept;
}

/* Runs the host session on the inputs, those that are state left out, and fills the case; an exit
 * code. */
static int run_host(const verify *v, oribi_run *run, TF_Tensor **inputs, verify_case *out)
{
    const oribi_model *model = v->session.model;
    const int n_inputs = oribi_model_num_inputs(model), n_outputs = oribi_model_num_outputs(model);
    TF_Tensor *outputs[VERIFY_MAX_PORTS] = {NULL};
    TF_Status *status = TF_NewStatus();
    verify_watch watch = {v, out, 0, cli_alloc((size_t)v->n_loops + 1), NULL};
    out->inputs = join(inputs, n_inputs, v->input_bytes);
    verify_states_put(v, inputs);
    out->hashes = cli_alloc((size_t)v->n_values * sizeof *out->hashes);
    out->is_hashed = cli_alloc((size_t)v->n_values * sizeof *out->is_hashed);
    for (int i = 0; TF_GetCode(status) == TF_OK && i < n_inputs; i++) {
        oribi_run_set_input(run, i, inputs[i], status);
    }
    if (TF_GetCode(status) == TF_OK) {
        oribi_run_set_watch(run, v->is_per_node ? verify_note_value : NULL, &watch);
        oribi_run_execute(run, status);
    }
    for (int i = 0; TF_GetCode(status) == TF_OK && i < n_outputs; i++) {
        outputs[i] = oribi_run_output(run, i, status);
    }
    int code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    if (code == CLI_OK) {
        code = keep_states(v, outputs) ? CLI_OK : CLI_BAD_INPUT;
        out->expected = join(outputs, n_outputs, v->output_bytes);
        if (code == CLI_OK && (out->inputs == NULL || out->expected == NULL)) {
            cli_error("verify: %s: inputs or outputs have other sizes than in the C", out->what);
            code = CLI_BAD_INPUT;
        }
    }
    drop(outputs, n_outputs);
    free(watch.is_past);
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
        inputs[i] = verify_is_state(v, i, false) ? NULL : random_input(v, i, &state);
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
        if (!verify_is_state(v, i, false)) {
            inputs[i] = cli_npz_read(path, oribi_model_input_name(model, i));
            code = inputs[i] != NULL ? CLI_OK : CLI_BAD_INPUT;
        }
    }
    for (int i = 0; code == CLI_OK && i < n_outputs; i++) {
        if (!verify_is_state(v, i, true)) {
            golden[i] = cli_npz_read(path, oribi_model_output_name(model, i));
            code = golden[i] != NULL ? CLI_OK : CLI_BAD_INPUT;
        }
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

/* Makes the case that --input describes. */
static int given_case(const verify *v, oribi_run *run, verify_case *out)
{
    const oribi_model *model = v->session.model;
    const cli_image_options images = {.show = isatty(STDOUT_FILENO) != 0};
    TF_Tensor *inputs[VERIFY_MAX_PORTS] = {NULL};
    const int n = oribi_model_num_inputs(model);
    const char *text;
    int code = CLI_OK;
    snprintf(out->what, sizeof out->what, "given inputs");
    out->is_given = true;
    for (int i = 0; code == CLI_OK && (text = cli_value_at(v->args, "--input", i)) != NULL; i++) {
        cli_input input;
        if (!cli_input_parse(model, text, &input)) {
            code = CLI_USAGE;
        } else if (verify_is_state(v, input.index, false)) {
            cli_error("verify: input '%s' is state, which the runs before give", text);
            code = CLI_USAGE;
        } else if (inputs[input.index] != NULL) {
            cli_error("verify: input '%s' is given twice", text);
            code = CLI_USAGE;
        } else {
            inputs[input.index] = cli_input_make(model, &input, &images);
            code = inputs[input.index] != NULL ? CLI_OK : CLI_BAD_INPUT;
        }
    }
    for (int i = 0; code == CLI_OK && i < n; i++) {
        if (inputs[i] == NULL && !verify_is_state(v, i, false)) {
            cli_error("verify: input '%s' is missing; --input gives all or none",
                      oribi_model_input_name(model, i));
            code = CLI_USAGE;
        }
    }
    code = code == CLI_OK ? run_host(v, run, inputs, out) : code;
    drop(inputs, n);
    return code;
}

static int make_case(const verify *v, oribi_run *run, int i, int n_given, int n_golden,
                     verify_case *out)
{
    if (i < n_given) {
        return given_case(v, run, out);
    }
    i -= n_given;
    return i < n_golden ? golden_case(v, run, cli_value_at(v->args, "--against", i), out)
                        : random_case(v, run, i - n_golden + 1, out);
}

/* The given inputs, all golden files, then the random inputs, in batches. */
int verify_run_cases(verify *v, int n_runs)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(v->session.session, status);
    const int n_given = cli_value(v->args, "--input") != NULL ? 1 : 0;
    int code = run == NULL ? cli_fail(status) : CLI_OK, n_golden = 0;
    while (cli_value_at(v->args, "--against", n_golden) != NULL) {
        n_golden++;
    }
    const int n_all = n_given + n_golden + n_runs;
    const size_t few = 1 + (size_t)BATCH_BYTES / (v->input_bytes + v->output_bytes + 1);
    const size_t batch =
        v->state_bytes > 0 ? (size_t)n_all + 1 : few; /* a start resets the state */
    verify_case *cases = cli_alloc(batch * sizeof *cases);
    verify_states_reset(v);
    if (run != NULL) { /* a random trip count may be any number */
        oribi_run_set_time_limit(run, (uint64_t)v->seconds * 1000000000u);
    }
    for (int i = 0; code == CLI_OK && i < n_all;) {
        int n = 0;
        memset(cases, 0, batch * sizeof *cases);
        for (; code == CLI_OK && n < (int)batch && i < n_all; n++, i++) {
            cli_progress("host", i, n_all);
            code = make_case(v, run, i, n_given, n_golden, &cases[n]);
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
