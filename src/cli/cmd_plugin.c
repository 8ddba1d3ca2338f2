/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi plugin`: the words after it and where they lead. */
#include <string.h>

#include "cli.h"

const cli_option cmd_plugin_options[] = {
    {"--json", 0, NULL, "as JSON"},
    {"--plugin", 'p', "FILE[:K=V,..]",
     "list, info: load a plugin first; several times. replay: whose kernel it is"},
    {"--seed", 0, "N", "test: seed of the random cases (default: drawn and printed)"},
    {"--cases", 0, "FILE.json", "test: cases, instead of those beside or in the plugin"},
    {"--op", 0, "NAME", "test: kernels of this op alone"},
    {"--driver", 0, "DIR",
     "test: a target, with its driver in that folder, on random models; several"},
    {"--part", 0, "K/N", "test: part K of N of the kernels, to share the work"},
    {"--random", 0, "N",
     "test: random cases of each kernel (default 6), models of each kind of device (12)"},
    {"--timeout-ms", 0, "N", "test: time limit of one case (default 20000)"},
    {"--cxx", 0, NULL, "new: in C++"},
    {"--micro", 0, NULL, "new: one kernel for the host and for emitted C"},
    {"--device", 0, NULL, "new: a device, with kernels for it, instead of an op"},
    {"--target", 0, NULL, "new: an accelerator of compiled models, target and driver"},
    {NULL, 0, NULL, NULL},
};

static const char *const columns[] = {"name", "ops", "kernels", "entry_points", "path", NULL};

static int info(const cli_args *args, const char *file)
{
    int code = cli_load_plugins(args, file);
    return code == CLI_OK ? cli_describe(args, "plugins", columns) : code;
}

enum { N_WORDS = 8 };

/* The word, what follows it, or how many follow, is not as it should be. */
static void say_usage(const cli_args *args, const char *const *names)
{
    const char *word = args->n_positional > 0 ? args->positional[0] : NULL;
    for (int i = 0; i < N_WORDS && word != NULL; i++) {
        if (strcmp(names[i], word) != 0) {
            continue;
        }
        if (args->n_positional == 1) {
            cli_error("plugin %s: %s is missing: `oribi plugin %s %s`", word,
                      strcmp(word, "new") == 0 ? "NAME" : "FILE", word,
                      strcmp(word, "new") == 0 ? "NAME" : "FILE");
        } else {
            cli_error("plugin %s: what is '%s'? See `oribi help plugin`", word,
                      args->positional[strcmp(word, "list") == 0 ? 1 : 2]);
        }
        return;
    }
    const char *near = word != NULL ? oribi_text_did_you_mean(word, names, N_WORDS) : NULL;
    if (near != NULL) {
        cli_error("plugin: there is no `%s`; did you mean `%s`?", word, near);
    } else {
        cli_error("plugin: wants `list`, `info FILE`, `describe FILE`, `check FILE`, `rules`, "
                  "`test FILE`, `replay FILE` or `new NAME`%s%s%s",
                  word != NULL ? ", not '" : "", word != NULL ? word : "", word != NULL ? "'" : "");
    }
}

int cmd_plugin(const cli_args *args)
{
    static const struct {
        const char *word;
        int (*run)(const cli_args *args, const char *file);
    } words[] = {{"info", info},
                 {"describe", cmd_plugin_describe},
                 {"check", cmd_plugin_check},
                 {"rules", cmd_plugin_rules},
                 {"test", cmd_plugin_test},
                 {"replay", cmd_plugin_replay},
                 {"new", cmd_plugin_new}};

    static const char *const names[N_WORDS] = {"list",  "info", "describe", "check",
                                               "rules", "test", "replay",   "new"};

    if (args->n_positional == 1 && strcmp(args->positional[0], "list") == 0) {
        return info(args, NULL);
    }
    if (args->n_positional == 1 && strcmp(args->positional[0], "rules") == 0) {
        return cmd_plugin_rules(args, "");
    }
    for (size_t i = 0; args->n_positional == 2 && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(args->positional[0], words[i].word) == 0) {
            return words[i].run(args, args->positional[1]);
        }
    }
    say_usage(args, names);
    return CLI_USAGE;
}
