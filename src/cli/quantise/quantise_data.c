/* SPDX-License-Identifier: Apache-2.0 */
/* The data that a model is quantised with: each file of a folder is one sample, read as `oribi run`
 * reads inputs. A model of several inputs takes .npz files that have them by name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantise/quantise.h"

static void add_file(void *arg, const char *file)
{
    quantise_data *data = arg;
    data->files = cli_grow(data->files, (size_t)data->n + 1, sizeof *data->files);
    data->files[data->n++] = cli_copy_text(file, strlen(file));
}

bool quantise_data_read(const char *folder, quantise_data *out)
{
    const size_t length = strlen(folder);
    char *path = cli_copy_text(folder, length + 1);

    *out = (quantise_data){NULL, 0};
    if (length > 0 && folder[length - 1] != '/') {
        memcpy(path + length, "/", 2);
    }
    const bool good = cli_each_file(path, add_file, out);
    free(path);
    return good;
}

void quantise_data_free(quantise_data *data)
{
    for (int i = 0; i < data->n; i++) {
        free(data->files[i]);
    }
    free(data->files);
}

/* --- Running --------------------------------------------------------------------------------- */

/* The command's options, with this path as the model. */
static cli_args *make_args(const cli_args *args, const char *path)
{
    cli_args *own = cli_args_parse(args->command, 0, NULL);

    own->given =
        cli_grow(own->given, (size_t)(own->n_given + args->n_given) + 1, sizeof *own->given);
    memcpy(own->given + own->n_given, args->given, (size_t)args->n_given * sizeof *own->given);
    own->n_given += args->n_given;
    own->positional = cli_grow(own->positional, 1, sizeof *own->positional);
    own->positional[0] = path;
    own->n_positional = 1;
    return own;
}

/* In place of the file's model one with more outputs. */
static int open_watched(quantise_runner *r, const char *path, TF_Status *status)
{
    size_t bytes;
    uint8_t *file;

    cli_budget_begin(UINT64_MAX, 0, 0);
    file = cli_read_file(path, &bytes);
    if (file == NULL) {
        return CLI_BAD_INPUT;
    }
    quantise_add_outputs(r->q, file, bytes, &r->text);
    free(file);
    oribi_model_destroy(r->session.model);
    r->session.model =
        oribi_model_from_memory(r->text.data, r->text.length, path, r->session.options, status);
    return r->session.model == NULL ? cli_fail(status) : CLI_OK;
}

int quantise_runner_open(quantise *q, const cli_args *args, const char *path, bool with_values,
                         quantise_runner *out)
{
    TF_Status *status = TF_NewStatus();

    *out = (quantise_runner){.q = q, .args = make_args(args, path)};
    int code = cli_model_open(out->args, &out->session);
    code = code == CLI_OK && with_values ? open_watched(out, path, status) : code;
    if (code == CLI_OK) {
        out->session.session =
            oribi_session_create(out->session.model, out->session.options, status);
        out->run =
            out->session.session == NULL ? NULL : oribi_run_create(out->session.session, status);
        code = out->run != NULL                     ? CLI_OK
               : TF_GetCode(status) == TF_NOT_FOUND ? (cli_fail(status), CLI_UNSUPPORTED)
                                                    : cli_fail(status);
    }
    TF_DeleteStatus(status);
    return code;
}

void quantise_runner_close(quantise_runner *runner)
{
    oribi_run_destroy(runner->run);
    cli_session_close(&runner->session);
    cli_args_destroy(runner->args);
    oribi_text_destroy(&runner->text);
    *runner = (quantise_runner){.q = NULL};
}

static void show(const quantise_runner *r, const char *name, const TF_Tensor *tensor,
                 quantise_hook *hook)
{
    const int value = quantise_find(r->q, name);
    if (tensor != NULL && TF_TensorType(tensor) == TF_FLOAT && value >= 0 &&
        r->q->values[value].is_taken) {
        hook(r->q, value, tensor);
    }
}

static int set_input(quantise_runner *r, const char *file, int index, quantise_hook *hook)
{
    const oribi_model *model = r->session.model;
    const char *name = oribi_model_input_name(model, index);
    const cli_image_options images = {.layout = cli_value(r->args, "--layout"),
                                      .mean = cli_value(r->args, "--mean"),
                                      .scale = cli_value(r->args, "--scale")};
    TF_Status *status = TF_NewStatus();
    oribi_text spec = {0};

    oribi_text_append(&spec, file);
    if (oribi_model_num_inputs(model) > 1) {
        oribi_text_append(&spec, ":");
        oribi_text_append(&spec, name);
    }
    const cli_input input = {index, oribi_text_string(&spec), oribi_text_string(&spec)};
    TF_Tensor *tensor = cli_input_make(model, &input, &images);
    int code = tensor == NULL ? cli_budget_code() : CLI_OK;
    if (code == CLI_OK) {
        oribi_run_set_input(r->run, index, tensor, status);
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    }
    if (code == CLI_OK && hook != NULL) {
        show(r, name, tensor, hook);
    }
    TF_DeleteTensor(tensor);
    oribi_text_destroy(&spec);
    TF_DeleteStatus(status);
    return code;
}

int quantise_runner_run(quantise_runner *runner, const char *file, quantise_hook *hook)
{
    const oribi_model *model = runner->session.model;
    TF_Status *status = TF_NewStatus();
    int code = CLI_OK;

    cli_input_begin(&runner->session, 0, 0);
    for (int i = 0; i < oribi_model_num_inputs(model) && code == CLI_OK; i++) {
        code = set_input(runner, file, i, hook);
    }
    if (code == CLI_OK) {
        oribi_run_execute(runner->run, status);
    }
    for (int i = 0; code == CLI_OK && hook != NULL && TF_GetCode(status) == TF_OK &&
                    i < oribi_model_num_outputs(model);
         i++) {
        TF_Tensor *output = oribi_run_output(runner->run, i, status);
        show(runner, oribi_model_output_name(model, i), output, hook);
        TF_DeleteTensor(output);
    }
    code = code == CLI_OK && TF_GetCode(status) != TF_OK ? cli_fail(status) : code;
    TF_DeleteStatus(status);
    return code;
}
