/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of the tables of commands and options for other programs: a man page, and
 * completions for bash, zsh and fish. An option's values are completed where its table lists them,
 * "nchw|nhwc"; files where it takes one.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Are these the values themselves, and not a word for them? */
static bool is_choice(const char *value)
{
    return value != NULL && strchr(value, '|') != NULL &&
           strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-_|") == strlen(value);
}

static bool takes_file(const char *value)
{
    return value != NULL && (strstr(value, "FILE") != NULL || strstr(value, "DIR") != NULL ||
                             strcmp(value, "NAME=VALUE") == 0);
}

/* The words of "a|b" or "list | info FILE | new NAME", the first of each piece, with `between`. */
static void print_words(const char *pieces, const char *between)
{
    bool is_first = true;

    for (const char *at = pieces; at != NULL && *at != 0;) {
        at += strspn(at, " |");
        printf("%s%.*s", is_first ? "" : between, (int)strcspn(at, " |"), at);
        is_first = false;
        at = strchr(at, '|');
    }
}

/* What stands after the command itself: words to choose from, or files. */
static const char *find_subcommands(const cli_command *c)
{
    return c->arguments[0] >= 'a' && c->arguments[0] <= 'z' ? c->arguments : NULL;
}

/* --- Man page -------------------------------------------------------------------------------- */

/* A backslash starts a request, and so does a dot or a quote at the start of a line. */
static void print_roff(const char *text)
{
    for (bool is_start = true; *text != 0; text++) {
        if (is_start && (*text == '.' || *text == '\'')) {
            fputs("\\&", stdout);
        }
        if (*text == '\\') {
            fputs("\\e", stdout);
        } else if (*text == '-') {
            fputs("\\-", stdout);
        } else {
            putchar(*text);
        }
        is_start = *text == '\n';
    }
}

static void print_man_option(const cli_option *o)
{
    printf(".TP\n.B ");
    if (o->letter != 0) {
        printf("\\-%c, ", o->letter);
    }
    print_roff(o->name);
    if (o->value != NULL) {
        putchar(' ');
        print_roff(o->value);
    }
    putchar('\n');
    print_roff(o->help);
    putchar('\n');
}

static void print_man(void)
{
    static const char *const variables[][2] = {
        {"ORIBI_PLUGIN_PATH", "plugins and folders of them, separated by colons, that are loaded"},
        {"ORIBI_CHECK", "1: kernels of plugins are called under watch; all: built-in ones, too"},
        {"ORIBI_PLUGIN_PROBE", "the probe program; empty: plugins are loaded without one"},
        {"CC", "compiler of verify's host target"},
        {"TMPDIR", "where verify, compare and plugin test put files that they remove"},
    };
    static const char *const files[][2] = {
        {"PREFIX/lib/oribi/plugins", "plugins that every command loads"},
        {"~/.cache/oribi", "what plugin check found out about a file"},
    };

    printf(".TH ORIBI 1 \"\" \"oribi %s\" \"User Commands\"\n.SH NAME\noribi \\- run models with "
           "kernels that come as C binaries\n.SH SYNOPSIS\n.B oribi\nCOMMAND [ARGUMENTS] "
           "[OPTIONS]\n.SH COMMANDS\n",
           oribi_version());
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        printf(".SS oribi %s %s\n%s.\n", c->name, c->arguments, c->summary);
        if (c->description != NULL) {
            printf(".PP\n.nf\n");
            print_roff(c->description);
            printf("\n.fi\n");
        }
        for (const cli_option *o = c->options; o->name != NULL; o++) {
            print_man_option(o);
        }
    }
    const char *before = ".SH EXAMPLES\n";
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        if (c->examples != NULL) {
            printf("%s.EX\n", before);
            print_roff(c->examples);
            printf("\n.EE\n");
            before = ".PP\n";
        }
    }
    printf(".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        printf(".TP\n.B %s\n%s\n", variables[i][0], variables[i][1]);
    }
    printf(".SH FILES\n");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        printf(".TP\n.I %s\n%s\n", files[i][0], files[i][1]);
    }
    printf(".SH EXIT STATUS\n0 ok, 1 mismatch, 2 usage, 3 unsupported, 4 bad model or input, "
           "5 resource limit, 6 plugin.\n");
}

/* --- bash ------------------------------------------------------------------------------------ */

static void print_bash_values(void)
{
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        for (const cli_option *o = c->options; o->name != NULL; o++) {
            if (is_choice(o->value)) {
                printf("    '%s %s') choice=\"", c->name, o->name);
                print_words(o->value, " ");
                printf("\" ;;\n");
            }
        }
    }
}

static void print_bash(void)
{
    printf("# bash completion for oribi, generated by `oribi help --generate bash`\n"
           "_oribi() {\n    local word=\"${COMP_WORDS[COMP_CWORD]}\" words choice=\n"
           "    local before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
           "    COMPREPLY=()\n"
           "    case \"${COMP_WORDS[1]} $before\" in\n");
    print_bash_values();
    printf("    esac\n"
           "    if [ -n \"$choice\" ]; then\n"
           "        COMPREPLY=($(compgen -W \"$choice\" -- \"$word\"))\n"
           "        return\n    fi\n"
           "    case \"${COMP_WORDS[1]}\" in\n");
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        printf("    %s) words=\"", c->name);
        for (const cli_option *o = c->options; o->name != NULL; o++) {
            printf("%s ", o->name);
        }
        printf("--help");
        if (find_subcommands(c) != NULL) {
            printf("\"\n        [ \"$COMP_CWORD\" = 2 ] && words=\"");
            print_words(c->arguments, " ");
            printf(" --help");
        }
        printf("\" ;;\n");
    }
    printf("    esac\n    [ \"$COMP_CWORD\" = 1 ] && words=\"");
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        printf("%s ", c->name);
    }
    printf("\"\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
           "}\ncomplete -o filenames -F _oribi oribi\n");
}

/* --- zsh ------------------------------------------------------------------------------------- */

/* Inside '...' and [...], and before a colon. */
static void print_zsh(const char *text)
{
    for (; *text != 0; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else {
            fputs(strchr("[]:\\", *text) != NULL ? "\\" : "", stdout);
            putchar(*text);
        }
    }
}

static void print_zsh_option(const cli_option *o)
{
    if (o->letter != 0) {
        printf("            '*'{-%c,%s}'[", o->letter, o->name);
    } else {
        printf("            '*%s[", o->name);
    }
    print_zsh(o->help);
    putchar(']');
    if (o->value != NULL) {
        putchar(':');
        print_zsh(o->value);
        putchar(':');
        if (is_choice(o->value)) {
            putchar('(');
            print_words(o->value, " ");
            putchar(')');
        } else if (takes_file(o->value)) {
            fputs("_files", stdout);
        }
    }
    printf("' \\\n");
}

static void print_zsh_all(void)
{
    printf("#compdef oribi\n# generated by `oribi help --generate zsh`\n_oribi() {\n"
           "    local -a commands\n    commands=(\n");
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        printf("        '%s:", c->name);
        print_zsh(c->summary);
        printf("'\n");
    }
    printf("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
           "        return\n    fi\n    local command=$words[2]\n    shift words\n"
           "    (( CURRENT-- ))\n    case $command in\n");
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        printf("    %s)\n        _arguments \\\n", c->name);
        for (const cli_option *o = c->options; o->name != NULL; o++) {
            print_zsh_option(o);
        }
        if (find_subcommands(c) != NULL) {
            printf("            '1:what:(");
            print_words(c->arguments, " ");
            printf(")' \\\n");
        }
        printf("            '*:file:_files' ;;\n");
    }
    printf("    esac\n}\n_oribi \"$@\"\n");
}

/* --- fish ------------------------------------------------------------------------------------ */

static void print_fish_text(const char *text)
{
    for (; *text != 0; text++) {
        fputs(*text == '\'' || *text == '\\' ? "\\" : "", stdout);
        putchar(*text);
    }
}

static void print_fish_option(const cli_command *c, const cli_option *o)
{
    printf("complete -c oribi -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name + 2);
    if (o->letter != 0) {
        printf(" -s %c", o->letter);
    }
    if (is_choice(o->value)) {
        printf(" -x -a '");
        print_words(o->value, " ");
        putchar('\'');
    } else if (o->value != NULL) {
        fputs(takes_file(o->value) ? " -r -F" : " -x", stdout);
    }
    printf(" -d '");
    print_fish_text(o->help);
    printf("'\n");
}

static void print_fish(void)
{
    printf("# generated by `oribi help --generate fish`\n");
    for (const cli_command *c = cli_commands; c->name != NULL; c++) {
        printf("complete -c oribi -n __fish_use_subcommand -f -a %s -d '", c->name);
        print_fish_text(c->summary);
        printf("'\n");
        for (const cli_option *o = c->options; o->name != NULL; o++) {
            print_fish_option(c, o);
        }
        if (find_subcommands(c) != NULL) {
            printf("complete -c oribi -n '__fish_seen_subcommand_from %s' -a '", c->name);
            print_words(c->arguments, " ");
            printf("'\n");
        }
    }
}

int cli_generate(const char *what)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } kinds[] = {
        {"man", print_man}, {"bash", print_bash}, {"zsh", print_zsh_all}, {"fish", print_fish}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(what, kinds[i].name) == 0) {
            kinds[i].print();
            return CLI_OK;
        }
    }
    cli_error("help: --generate wants man, bash, zsh or fish, not '%s'", what);
    return CLI_USAGE;
}
