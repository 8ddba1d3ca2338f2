/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi ops`: what this process knows. Read next: cmd_plugin.c. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

const cli_option cmd_ops_options[] = {
    {"--map", 0, NULL, "how ONNX operators translate"},
    {"--kernels", 0, NULL, "list kernels instead"},
    {"--json", 0, NULL, "as JSON"},
    {"--plugin", 'p', "FILE[:K=V,..]", "load a plugin first; may be given several times"},
    {NULL, 0, NULL, NULL},
};

int cli_describe(const cli_args *args, const char *what, const char *const *columns)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = cli_buffer();
    int code = CLI_OK;

    oribi_describe(what, json, status);
    if (TF_GetCode(status) != TF_OK) {
        code = cli_fail(status);
    } else {
        cli_json_print(json, cli_has(args, "--json"), what, columns);
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return code;
}

int cli_load_plugins(const cli_args *args, const char *more)
{
    TF_Status *status = TF_NewStatus();
    int code = CLI_OK;
    const char *spec;

    oribi_plugin_load_search_path(status);
    for (int k = 0; TF_GetCode(status) == TF_OK; k++) {
        spec = cli_value_at(args, "--plugin", k);
        if (spec == NULL) {
            break;
        }
        oribi_plugin_load_file(spec, status);
    }
    if (TF_GetCode(status) == TF_OK && more != NULL) {
        oribi_plugin_load_file(more, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        code = cli_fail_plugin(status);
    }
    TF_DeleteStatus(status);
    return code;
}

int cmd_ops(const cli_args *args)
{
    static const char *const ops[] = {"name", "signature", NULL};
    static const char *const kernels[] = {"op",    "device",   "priority", "constraints",
                                          "label", "provider", NULL};
    static const char *const map[] = {"onnx", "since", "until", "to", NULL};
    int code = cli_load_plugins(args, NULL);

    if (code != CLI_OK) {
        return code;
    }
    if (cli_has(args, "--map")) {
        return cli_describe(args, "map", map);
    }
    if (cli_has(args, "--kernels")) {
        return cli_describe(args, "kernels", kernels);
    }
    if (args->n_positional == 1) {
        char what[300];
        snprintf(what, sizeof what, "op:%s", args->positional[0]);
        return cli_describe(args, what, NULL);
    }
    return cli_describe(args, "ops", ops);
}
