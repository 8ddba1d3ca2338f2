/* SPDX-License-Identifier: Apache-2.0 */
/* Help from the tables of commands and options; what else is made of them: generate.c. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

const cli_option cmd_help_options[] = {
    {"--generate", 0, "man|bash|zsh|fish", "print a man page, or a shell's completions"},
    {NULL, 0, NULL, NULL},
};

void cli_help_all(void)
{
    printf("oribi %s: run ONNX, TFLite and TensorFlow models with kernels and ops that come as C "
           "binaries\n\n"
           "usage: oribi COMMAND [ARGUMENTS] [OPTIONS]\n\n",
           oribi_version());
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        printf("  %-12s %-17s %s\n", c->name, c->arguments, c->summary);
    }
    printf(
        "\n`oribi help COMMAND` or `oribi COMMAND --help` tells more. Data goes to stdout, talk to "
        "stderr.\nExit codes: 0 ok, 1 mismatch, 2 usage, 3 unsupported, 4 bad model or input, "
        "5 resource limit, 6 plugin.\nModels and inputs are untrusted data; plugins are trusted "
        "code.\n");
}

void cli_help_command(const cli_command *command)
{
    printf("usage: oribi %s %s [OPTIONS]\n\n%s\n", command->name, command->arguments,
           command->summary);
    if (command->description != NULL) {
        printf("\n%s\n", command->description);
    }
    if (command->examples != NULL) {
        printf("\nexamples:\n%s\n", command->examples);
    }
    if (command->options->name != NULL) {
        printf("\noptions:\n");
    }
    for (const cli_option *o = command->options; o->name != NULL; o++) {
        char left[112], letter[8] = "";
        if (o->letter != 0) {
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        }
        snprintf(left, sizeof left, "%s%s%s%s", letter, o->name, o->value == NULL ? "" : " ",
                 o->value == NULL ? "" : o->value);
        printf("  %-34s%s%s\n", left,
               strlen(left) > 34 ? "\n                                     " : " ", o->help);
    }
}

int cmd_help(const cli_args *args)
{
    const char *what = cli_value(args, "--generate");

    if (what != NULL) {
        return cli_generate(what);
    }
    if (args->n_positional == 0) {
        cli_help_all();
        return CLI_OK;
    }
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        if (strcmp(c->name, args->positional[0]) == 0) {
            cli_help_command(c);
            return CLI_OK;
        }
    }
    cli_error("help: there is no command '%s'; `oribi help` lists them", args->positional[0]);
    return CLI_USAGE;
}
