/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of plugins, for the commands that run a session; `oribi devices` lists them. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const cli_option cmd_devices_options[] = {
    {"--json", 0, NULL, "as JSON"},
    {"--plugin", 'p', "FILE[:K=V,..]", "load a plugin first; may be given several times"},
    {NULL, 0, NULL, NULL},
};

int cmd_devices(const cli_args *args)
{
    static const char *const columns[] = {"name",        "platform", "hardware", "vendor",
                                          "total_bytes", "error",    NULL};
    const int code = cli_load_plugins(args, NULL);
    return code == CLI_OK ? cli_describe(args, "devices", columns) : code;
}

/* Other commands have a --device of another meaning. */
static bool places_nodes(const cli_args *args)
{
    for (const cli_option *o = args->command->options; o->name != NULL; o++) {
        if (strcmp(o->name, "--place-node") == 0) {
            return true;
        }
    }
    return false;
}

bool cli_has_drivers(const cli_args *args)
{
    const char *text;
    for (int k = 0; (text = cli_value_at(args, "--device", k)) != NULL; k++) {
        if (strchr(text, '=') != NULL) {
            return true;
        }
    }
    return false;
}

static bool place_node(oribi_options *options, const char *text, TF_Status *status)
{
    const char *equals = strrchr(text, '='); /* names of nodes may have one */
    if (equals == NULL || equals == text) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "--place-node wants NODE=NAME[:N]");
        return false;
    }
    char *node = cli_alloc((size_t)(equals - text) + 1);
    memcpy(node, text, (size_t)(equals - text));
    node[equals - text] = 0;
    oribi_options_place_node(options, node, equals + 1, status);
    free(node);
    return TF_GetCode(status) == TF_OK;
}

bool cli_place(const cli_args *args, oribi_options *options, TF_Status *status)
{
    bool bad = false;
    const char *text = cli_value(args, "--device");
    if (!places_nodes(args)) {
        return true;
    }
    if (text != NULL && !cli_has_drivers(args)) {
        oribi_options_set_device(options, text, status);
        if (TF_GetCode(status) != TF_OK) {
            return false;
        }
    }
    for (int k = 0; (text = cli_value_at(args, "--place-node", k)) != NULL; k++) {
        if (!place_node(options, text, status)) {
            return false;
        }
    }
    oribi_options_set_soft_placement(options, !cli_has(args, "--strict-placement"));
    oribi_options_set_keep_islands(options, cli_has(args, "--keep-islands"));
    oribi_options_set_unified_memory(options, cli_has(args, "--unified-memory"));
    oribi_options_set_device_max_bytes(
        options, (uint64_t)cli_number(args, "--device-max-bytes", 0, 0, INT64_MAX, &bad));
    return !bad;
}
