/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments: one parser for all commands, driven by their option tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option *find_option(const cli_command *command, const char *text, size_t length)
{
    const char *names[64];
    size_t n = 0;

    for (const cli_option *o = command->options; o->name != NULL; o++) {
        if (strlen(o->name) == length && strncmp(o->name, text, length) == 0) {
            return o;
        }
        /* The value of a letter may be attached: -k1, -ix=@d.png. */
        if (text[1] != '-' && o->letter != 0 && text[1] == o->letter &&
            (length == 2 || o->value != NULL)) {
            return o;
        }
        if (n < sizeof names / sizeof names[0]) {
            names[n++] = o->name;
        }
    }
    const char *near = oribi_text_did_you_mean(text, names, n);
    cli_error("%s: unknown option '%.*s'%s%s%s; see `oribi help %s`", command->name, (int)length,
              text, near == NULL ? "" : ", did you mean '", near == NULL ? "" : near,
              near == NULL ? "" : "'?", command->name);
    return NULL;
}

cli_args *cli_args_parse(const cli_command *command, int argc, char **argv)
{
    cli_args *args = cli_alloc(sizeof *args);
    bool options_ended = false;

    args->command = command;
    args->positional = cli_alloc(((size_t)argc + 1) * sizeof *args->positional);
    args->given = cli_alloc(((size_t)argc + 1) * sizeof *args->given);
    for (int i = 0; i < argc; i++) {
        const char *text = argv[i];
        if (options_ended || text[0] != '-' || text[1] == 0) {
            args->positional[args->n_positional++] = text;
            continue;
        }
        if (strcmp(text, "--") == 0) {
            options_ended = true;
            continue;
        }
        const char *equals = text[1] == '-' ? strchr(text, '=') : NULL;
        size_t length = equals == NULL ? strlen(text) : (size_t)(equals - text);
        const cli_option *option = find_option(command, text, length);
        if (option == NULL) {
            goto bad;
        }
        const char *value = equals == NULL ? NULL : equals + 1;
        if (text[1] != '-' && text[2] != 0) {
            value = text + 2;
        }
        if (option->value == NULL && value != NULL) {
            cli_error("%s: %s takes no value", command->name, option->name);
            goto bad;
        }
        if (option->value != NULL && value == NULL) {
            if (++i == argc) {
                cli_error("%s: %s needs a value (%s)", command->name, option->name, option->value);
                goto bad;
            }
            value = argv[i];
        }
        args->given[args->n_given++] = (struct cli_given){option, value};
    }
    return args;
bad:
    cli_args_destroy(args);
    return NULL;
}

void cli_args_destroy(cli_args *args)
{
    if (args != NULL) {
        for (int i = 0; i < args->n_owned; i++) {
            free(args->owned[i]);
        }
        free(args->owned);
        free(args->positional);
        free(args->given);
        free(args);
    }
}

bool cli_has(const cli_args *args, const char *option)
{
    for (int i = 0; i < args->n_given; i++) {
        if (strcmp(args->given[i].option->name, option) == 0) {
            return true;
        }
    }
    return false;
}

const char *cli_value_at(const cli_args *args, const char *option, int k)
{
    for (int i = 0; i < args->n_given; i++) {
        if (strcmp(args->given[i].option->name, option) == 0 && k-- == 0) {
            return args->given[i].value;
        }
    }
    return NULL;
}

const char *cli_value(const cli_args *args, const char *option)
{
    const char *last = NULL;

    for (int i = 0; i < args->n_given; i++) {
        if (strcmp(args->given[i].option->name, option) == 0) {
            last = args->given[i].value;
        }
    }
    return last;
}

int64_t cli_number(const cli_args *args, const char *option, int64_t fallback, int64_t low,
                   int64_t high, bool *bad)
{
    const char *text = cli_value(args, option);
    char *end;

    if (text == NULL) {
        return fallback;
    }
    errno = 0;
    long long number = strtoll(text, &end, 10);
    int64_t unit = 1;
    if (*end == 'k' || *end == 'K') {
        unit = 1024;
    } else if (*end == 'm' || *end == 'M') {
        unit = 1024 * 1024;
    } else if (*end == 'g' || *end == 'G') {
        unit = 1024 * 1024 * 1024;
    }
    end += unit != 1;
    if (end == text || *end != 0 || errno != 0 || number > INT64_MAX / unit ||
        number < INT64_MIN / unit || number * unit < low || number * unit > high) {
        cli_error("%s: %s needs a number from %lld to %lld, not '%s'", args->command->name, option,
                  (long long)low, (long long)high, text);
        *bad = true;
        return fallback;
    }
    return number * unit;
}
