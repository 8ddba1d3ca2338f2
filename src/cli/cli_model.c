/* SPDX-License-Identifier: Apache-2.0 */
/* Opening: plugins, model and session from the options that run, inspect and bench share. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* "NAME=1x3x224x224" */
static bool set_shape(oribi_options *options, const char *text, TF_Status *status)
{
    const char *equals = strrchr(text, '=');
    cli_dims dims = {0};

    if (equals == NULL || equals == text || strlen(text) > 1024) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "--shape wants NAME=1x3x224x224");
        return false;
    }
    char name[1025];
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = 0;
    for (const char *at = equals + 1; at != NULL;) {
        char *end;
        errno = 0;
        const long long dim = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : -1;
        if (dim < 0 || errno != 0 || (*end != 'x' && *end != 0) || !cli_dims_add(&dims, dim)) {
            TF_SetStatus(status, TF_INVALID_ARGUMENT,
                         "--shape wants NAME=1x3x224x224, with 254 dimensions at most");
            return false;
        }
        at = *end == 'x' ? end + 1 : NULL;
    }
    oribi_options_set_input_shape(options, name, dims.at, dims.n, status);
    return TF_GetCode(status) == TF_OK;
}

/* "NAME:DIM=MAX" */
static bool set_bound(oribi_options *options, const char *text, TF_Status *status)
{
    const char *equals = strrchr(text, '=');
    const char *colon = equals;
    char name[1025], *end = NULL, *last = NULL;
    while (colon != NULL && colon > text && *colon != ':') {
        colon--;
    }
    const size_t length = colon == NULL ? 0 : (size_t)(colon - text);
    errno = 0;
    const long dim = length > 0 ? strtol(colon + 1, &end, 10) : -1;
    const long long most = end != NULL ? strtoll(equals + 1, &last, 10) : -1;
    if (end == NULL || end != equals || end == colon + 1 || last == equals + 1 || *last != 0 ||
        errno != 0 || dim < 0 || dim > 254 || length >= sizeof name) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "--bound wants NAME:DIM=MAX");
        return false;
    }
    memcpy(name, text, length);
    name[length] = 0;
    oribi_options_set_input_bound(options, name, (int)dim, most, status);
    return TF_GetCode(status) == TF_OK;
}

static int make_options(const cli_args *args, const char *kernels, oribi_options *options,
                        TF_Status *status)
{
    bool bad = false;
    const char *text;

    oribi_options_set_threads(options, (int)cli_number(args, "--threads", 0, 0, 1024, &bad));
    oribi_options_set_max_bytes(options,
                                (uint64_t)cli_number(args, "--max-bytes", 0, 0, INT64_MAX, &bad));
    oribi_options_set_follow_links(options, cli_has(args, "--follow-links"));
    oribi_options_set_time_limit(
        options, (uint64_t)cli_number(args, "--time-limit", 0, 1, INT32_MAX, &bad) * 1000000u);
    oribi_options_set_read_files(options, cli_has(args, "--read"));
    text = cli_value(args, "--tflite-variant");
    if (!bad && text != NULL) {
        oribi_options_set_tflite_variant(options, text, status);
        bad = TF_GetCode(status) != TF_OK;
    }
    text = cli_value(args, "--signature");
    if (!bad && text != NULL) {
        oribi_options_set_signature(options, text, status);
        bad = TF_GetCode(status) != TF_OK;
    }
    text = cli_value(args, "--kernels");
    if (!bad && (text != NULL || kernels != NULL)) {
        oribi_options_set_kernels(options, text != NULL ? text : kernels, status);
        bad = TF_GetCode(status) != TF_OK;
    }
    text = cli_value(args, "--isa");
    if (!bad && text != NULL) {
        oribi_options_set_instruction_set(options, text, status);
        bad = TF_GetCode(status) != TF_OK;
    }
    for (int k = 0; !bad && (text = cli_value_at(args, "--disable-pass", k)) != NULL; k++) {
        oribi_options_disable_pass(options, text, status);
        bad = TF_GetCode(status) != TF_OK;
    }
    for (int k = 0; !bad && (text = cli_value_at(args, "--shape", k)) != NULL; k++) {
        bad = !set_shape(options, text, status);
    }
    for (int k = 0; !bad && (text = cli_value_at(args, "--bound", k)) != NULL; k++) {
        bad = !set_bound(options, text, status);
    }
    if (!bad && (cli_has(args, "--check") || cli_has(args, "--check-all"))) {
        oribi_options_set_check(options, cli_has(args, "--check-all") ? "all" : "plugins", status);
    }
    text = cli_value(args, "--record");
    if (!bad && text != NULL) {
        oribi_options_set_record(options, text, cli_value(args, "--node"), status);
        bad = TF_GetCode(status) != TF_OK;
    }
    bad = bad || !cli_place(args, options, status);
    if (bad && TF_GetCode(status) != TF_OK) {
        return cli_fail(status) == CLI_UNSUPPORTED ? CLI_UNSUPPORTED : CLI_USAGE;
    }
    return bad ? CLI_USAGE : CLI_OK;
}

int cli_session_open(const cli_args *args, cli_session *out)
{
    return cli_session_open_with(args, NULL, out);
}

static int open_model(const cli_args *args, const char *kernels, cli_session *out,
                      TF_Status *status)
{
    int code = CLI_USAGE;

    *out = (cli_session){NULL, NULL, NULL};
    if (args->n_positional != 1) {
        cli_error("%s: wants one model file; see `oribi help %s`", args->command->name,
                  args->command->name);
        return code;
    }
    out->options = oribi_options_create(status);
    code =
        out->options == NULL ? cli_fail(status) : make_options(args, kernels, out->options, status);
    code = code != CLI_OK ? code : cli_load_plugins(args, NULL);
    if (code == CLI_OK) {
        out->model = oribi_model_open(args->positional[0], out->options, status);
        code = out->model == NULL ? cli_fail(status) : CLI_OK;
    }
    return code;
}

int cli_model_open(const cli_args *args, cli_session *out)
{
    TF_Status *status = TF_NewStatus();
    const int code = open_model(args, NULL, out, status);

    if (code != CLI_OK) {
        cli_session_close(out);
    }
    TF_DeleteStatus(status);
    return code;
}

int cli_session_open_with(const cli_args *args, const char *kernels, cli_session *out)
{
    TF_Status *status = TF_NewStatus();
    int code = open_model(args, kernels, out, status);

    if (code != CLI_OK) {
        goto done;
    }
    out->session = oribi_session_create(out->model, out->options, status);
    if (out->session == NULL) {
        /* a missing kernel is NOT_FOUND here, and that is "unsupported" */
        code = cli_fail(status);
        code = TF_GetCode(status) == TF_NOT_FOUND ? CLI_UNSUPPORTED : code;
    }
done:
    if (code != CLI_OK) {
        cli_session_close(out);
    }
    TF_DeleteStatus(status);
    return code;
}

int cli_session_tree(const cli_session *s, const char *what, cli_json *out)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = cli_buffer();

    oribi_session_describe(s->session, what, json, status);
    int code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    if (code == CLI_OK) {
        *out = cli_json_parse(json->data, json->length, what);
        code = out->root == NULL ? CLI_BAD_INPUT : CLI_OK;
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return code;
}

void cli_session_close(cli_session *session)
{
    oribi_session_destroy(session->session);
    oribi_model_destroy(session->model);
    oribi_options_destroy(session->options);
    *session = (cli_session){NULL, NULL, NULL};
}
