/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi plugin replay`: the JSON of oribi_plugin_replay for people. */
#include <stdio.h>

#include "cli.h"

static const char *text(const oribi_json_value *object, const char *key)
{
    const char *value = cli_json_text(object, key);
    return value == NULL ? "" : value;
}

static bool is_true(const oribi_json_value *object, const char *key)
{
    const oribi_json_value *value = oribi_json_find(object, key);
    return value != NULL && value->kind == ORIBI_JSON_BOOL && value->number != 0;
}

/* How it ended then, how it ends now, in a line each. */
static void print_ends(const oribi_json_value *root, const oribi_json_value *call)
{
    const char *then = text(call, "recorded_error"), *now = text(call, "error");
    const bool same = is_true(call, "same");

    cli_print("node '%s', op %s, kernel '%s' of %s\n", text(root, "node"), text(call, "op"),
              text(call, "kernel")[0] != '\0' ? text(call, "kernel") : "?",
              text(call, "provider")[0] != '\0' ? text(call, "provider")
                                                : text(root, "recorded_plugin"));
    cli_print("recorded: %s\n", then[0] != '\0'            ? then
                                : is_true(root, "has_end") ? "completed"
                                                           : "began, and did not end");
    if (now[0] != '\0') {
        cli_print("replayed: %s\n", same && then[0] != '\0' ? "the same" : now);
    } else if (text(call, "difference")[0] != '\0') {
        cli_print("replayed: completed, but %s\n", text(call, "difference"));
    } else {
        cli_print("replayed: completed%s\n", same ? ", with the same outputs" : "");
    }
}

int cmd_plugin_replay(const cli_args *args, const char *file)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = cli_buffer();
    int code = CLI_PLUGIN;

    oribi_plugin_replay(cli_value(args, "--plugin"), file, json, status);
    if (TF_GetCode(status) == TF_INVALID_ARGUMENT || TF_GetCode(status) == TF_NOT_FOUND) {
        code = cli_fail(status);
    } else if (TF_GetCode(status) != TF_OK) {
        code = cli_fail_plugin(status);
    } else {
        cli_json parsed = cli_json_parse(json->data, json->length, file);
        const oribi_json_value *call = oribi_json_find(parsed.root, "call");
        const bool is_good =
            text(call, "error")[0] == '\0' && text(call, "difference")[0] == '\0' && call != NULL;
        if (cli_has(args, "--json")) {
            printf("%.*s\n", (int)json->length, (const char *)json->data);
        } else {
            print_ends(parsed.root, call);
        }
        code = is_good ? CLI_OK : CLI_PLUGIN;
        cli_json_free(&parsed);
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return code;
}
