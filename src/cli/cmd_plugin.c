/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi plugin`: the words after it and where they lead. */
#include <string.h>

#include "cli.h"

const cli_option cmd_plugin_options[] = {
    {"--json", 0, NULL, "as JSON"},
    {"--plugin", 'p', "FILE[:K=V,..]", "list, info: load a plugin first; several times"},
    {"--seed", 0, "N", "test: seed of the random cases (default: drawn and printed)"},
    {"--cases", 0, "FILE.json", "test: cases, instead of those beside or in the plugin"},
    {"--op", 0, "NAME", "test: kernels of this op alone"},
    {"--part", 0, "K/N", "test: part K of N of the kernels, to share the work"},
    {"--random", 0, "N", "test: random cases of each kernel (default 6)"},
    {"--timeout-ms", 0, "N", "test: time limit of one case (default 20000)"},
    {"--cxx", 0, NULL, "new: in C++"},
    {"--device", 0, NULL, "new: a device, with kernels for it, instead of an op"},
    {NULL, 0, NULL, NULL},
};

static const char *const columns[] = {"name", "ops", "kernels", "entry_points", "path", NULL};

static int info(const cli_args *args, const char *file)
{
    int code = cli_load_plugins(args, file);
    return code == CLI_OK ? cli_describe(args, "plugins", columns) : code;
}

int cmd_plugin(const cli_args *args)
{
    static const struct {
        const char *word;
        int (*run)(const cli_args *args, const char *file);
    } words[] = {{"info", info},
                 {"describe", cmd_plugin_describe},
                 {"check", cmd_plugin_check},
                 {"test", cmd_plugin_test},
                 {"new", cmd_plugin_new}};

    if (args->n_positional == 1 && strcmp(args->positional[0], "list") == 0) {
        return info(args, NULL);
    }
    for (size_t i = 0; args->n_positional == 2 && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(args->positional[0], words[i].word) == 0) {
            return words[i].run(args, args->positional[1]);
        }
    }
    cli_error("plugin: wants `list`, `info FILE`, `describe FILE`, `check FILE`, `test FILE` or "
              "`new NAME`");
    return CLI_USAGE;
}
