/* SPDX-License-Identifier: Apache-2.0 */
/* A side of a comparison: a model with its own session options, or a file of values by name. */
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"

void compare_values_add(compare_values *values, const char *name, const char *node,
                        TF_Tensor *tensor)
{
    values->at = cli_grow(values->at, (size_t)values->n + 1, sizeof *values->at);
    values->at[values->n++] =
        (compare_value){cli_copy_text(name, strlen(name)),
                        node == NULL ? NULL : cli_copy_text(node, strlen(node)), tensor};
}

void compare_values_free(compare_values *values)
{
    for (int i = 0; i < values->n; i++) {
        TF_DeleteTensor(values->at[i].tensor);
        free(values->at[i].name);
        free(values->at[i].node);
    }
    free(values->at);
    *values = (compare_values){NULL, 0};
}

const compare_value *compare_values_find(const compare_values *values, const char *name)
{
    for (int i = 0; i < values->n; i++) {
        if (strcmp(values->at[i].name, name) == 0) {
            return &values->at[i];
        }
    }
    return NULL;
}

/* --- Opening --------------------------------------------------------------------------------- */

enum { MOST_WORDS = 64 };

/* Of the table of options: those of a session stand from --device on. */
static bool is_of_session(const cli_option *option)
{
    const cli_option *first = cmd_compare_options;
    while (strcmp(first->name, "--device") != 0) {
        first++;
    }
    return option >= first;
}

static bool check_own(const cli_args *own, const char *option)
{
    if (own->n_positional > 0) {
        cli_error("compare: %s takes options, not '%s'", option, own->positional[0]);
        return false;
    }
    for (int i = 0; i < own->n_given; i++) {
        if (!is_of_session(own->given[i].option)) {
            cli_error("compare: %s is of both sides; it does not go into %s",
                      own->given[i].option->name, option);
            return false;
        }
    }
    return true;
}

/* The command's options, then those that `text`, "--kernels micro --threads 1", gives one side.
 * The text is cut into words, which the result borrows. */
static cli_args *make_args(const cli_args *args, const char *option, char *text, const char *path)
{
    static char *const unfused[] = {"--disable-pass", "fuse",           "--disable-pass",
                                    "layout",         "--disable-pass", "batch_norm"};
    char *words[MOST_WORDS];
    int n = 0;

    if (cli_has(args, "--per-node")) { /* every value of the model, under its own name */
        memcpy(words, unfused, sizeof unfused);
        n = (int)(sizeof unfused / sizeof unfused[0]);
    }
    for (char *word = text == NULL ? NULL : strtok(text, " "); word != NULL;
         word = strtok(NULL, " ")) {
        if (n == MOST_WORDS) {
            cli_error("compare: %s has more than %d words", option, MOST_WORDS);
            return NULL;
        }
        words[n++] = word;
    }
    cli_args *own = cli_args_parse(args->command, n, words);
    if (own == NULL) {
        return NULL;
    }
    if (!check_own(own, option)) {
        cli_args_destroy(own);
        return NULL;
    }
    own->given =
        cli_grow(own->given, (size_t)(own->n_given + args->n_given) + 1, sizeof *own->given);
    memmove(own->given + args->n_given, own->given, (size_t)own->n_given * sizeof *own->given);
    memcpy(own->given, args->given, (size_t)args->n_given * sizeof *own->given);
    own->n_given += args->n_given;
    own->positional = cli_grow(own->positional, 1, sizeof *own->positional);
    own->positional[0] = path;
    own->n_positional = 1;
    return own;
}

static void take_member(void *arg, const char *name, TF_Tensor *tensor)
{
    compare_values_add(arg, name, NULL, tensor);
}

bool compare_values_read(compare_values *values, const char *path)
{
    return cli_npz_each(path, take_member, values);
}

int compare_side_open(const cli_args *args, char which, const char *path, compare_side *out)
{
    char option[4] = {'-', '-', which, 0};
    const char *given = cli_value(args, option);

    out->path = path;
    out->is_python = strcmp(path, "onnxruntime") == 0;
    out->is_model = !out->is_python && !cli_ends_with(path, ".npz");
    if (!out->is_model) {
        if (given != NULL) {
            cli_error("compare: %s has no effect on '%s', which is no model of ours", option, path);
            return CLI_USAGE;
        }
        return out->is_python || compare_values_read(&out->outputs, path) ? CLI_OK : CLI_BAD_INPUT;
    }
    out->text = given == NULL ? NULL : cli_copy_text(given, strlen(given));
    out->args = make_args(args, option, out->text, path);
    if (out->args == NULL) {
        return CLI_USAGE;
    }
    const int code = cli_session_open(out->args, &out->session);
    if (code != CLI_OK) {
        return code;
    }
    TF_Status *status = TF_NewStatus();
    out->run = oribi_run_create(out->session.session, status);
    const int made = out->run == NULL ? cli_fail(status) : CLI_OK;
    TF_DeleteStatus(status);
    return made;
}

void compare_side_close(compare_side *side)
{
    compare_values_free(&side->outputs);
    compare_values_free(&side->nodes);
    oribi_run_destroy(side->run);
    cli_session_close(&side->session);
    cli_args_destroy(side->args);
    free(side->text);
}

/* --- Running --------------------------------------------------------------------------------- */

/* A copy of what a step computed; one that the command has no room for is left out. */
static void note_value(void *arg, const oribi_value_event *event)
{
    TF_Tensor *copy = NULL;

    if (event->dtype != TF_STRING && event->dtype != TF_VARIANT && event->dtype != TF_RESOURCE &&
        cli_budget_take(event->name, event->bytes)) {
        copy = TF_AllocateTensor(event->dtype, event->dims, event->num_dims, event->bytes);
    }
    if (copy != NULL) {
        if (event->bytes > 0) {
            memcpy(TF_TensorData(copy), event->data, event->bytes);
        }
        compare_values_add(arg, event->name, event->node, copy);
    }
}

static void set_inputs(compare_side *side, const compare_values *inputs, TF_Status *status)
{
    const int n = oribi_model_num_inputs(side->session.model);

    for (int i = 0; i < n && TF_GetCode(status) == TF_OK; i++) {
        const char *name = oribi_model_input_name(side->session.model, i);
        const compare_value *value = compare_values_find(inputs, name);
        if (value == NULL && i < inputs->n && inputs->n == n) {
            value = &inputs->at[i]; /* another tool named it */
        }
        if (value != NULL) {
            oribi_run_set_input(side->run, i, value->tensor, status);
        }
    }
}

int compare_side_run(compare_side *side, const compare_values *inputs, bool per_node)
{
    TF_Status *status = TF_NewStatus();

    compare_values_free(&side->outputs);
    compare_values_free(&side->nodes);
    cli_input_begin(&side->session, 0, 0);
    set_inputs(side, inputs, status);
    if (TF_GetCode(status) == TF_OK) {
        oribi_run_set_watch(side->run, per_node ? note_value : NULL, &side->nodes);
        oribi_run_execute(side->run, status);
    }
    for (int i = 0; TF_GetCode(status) == TF_OK && i < oribi_model_num_outputs(side->session.model);
         i++) {
        TF_Tensor *output = oribi_run_output(side->run, i, status);
        if (output != NULL) {
            compare_values_add(&side->outputs, oribi_model_output_name(side->session.model, i),
                               NULL, output);
        }
    }
    const int code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    TF_DeleteStatus(status);
    return code;
}
