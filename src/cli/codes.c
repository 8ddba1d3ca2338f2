/* SPDX-License-Identifier: Apache-2.0 */
/* What do the codes of errors mean? ORB4005 is exit code 4 and the library's code 5 (TF_Code), 0
 * where the command itself said what is wrong. Codes stay what they are: rows are added, never
 * renumbered. `oribi explain` prints them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"

const cli_option cmd_explain_options[] = {
    {"--json", 0, NULL, "as JSON"},
    {NULL, 0, NULL, NULL},
};

typedef struct meaning {
    int code;
    const char *title, *text;
} meaning;

static const meaning meanings[] = {
    {1000, "mismatch",
     "The command did its work, and what it compared does not agree: verify, compare, profile\n"
     "--baseline, quantise --min-agreement, plugin test and check. Its output says what differs."},
    {2000, "usage",
     "A command, an option or a value is unknown, missing, or has no effect beside the others.\n"
     "Nothing was opened. `oribi help COMMAND` lists what it takes."},
    {3000, "unsupported",
     "The model or the request is good, and this version or build of Oribi has no way to do it."},
    {3005, "no kernel",
     "An op is known, but no kernel takes its types on the device where it was put.\n"
     "`oribi inspect MODEL --explain NODE` lists the kernels and why each was not taken; a plugin\n"
     "may bring one (--plugin)."},
    {3012, "an operator or a form of it is unsupported",
     "The message lists every operator that is missing, with its nodes and what could provide it.\n"
     "`oribi ops --map` lists what is imported; a plugin may bring an op of your own\n"
     "(docs/guide/write-an-op.md)."},
    {4000, "bad input or file",
     "An input, an output or a file of the command cannot be read, written, or used for this "
     "model.\n"
     "A file that exists is replaced with --force alone."},
    {4001, "cancelled", "The run was stopped from outside."},
    {4002, "unknown", "A plugin or a device reported an error without saying of what kind."},
    {4003, "bad model or value",
     "The model's bytes are no model of a format that is read, break its rules, or a value does "
     "not\n"
     "fit: the message names the node or the byte. Where another tool takes the file, please "
     "report\n"
     "it."},
    {4005, "not found",
     "A file, a node, an input, a device or an op of that name is not there. Names come from the\n"
     "model: `oribi inspect MODEL` lists them."},
    {4006, "exists already", "Something of that name is there already; two plugins bring one op."},
    {4007, "permission denied",
     "The system, or the rule about links in a model's folder, forbids it\n"
     "(--follow-links)."},
    {4009, "not in this state",
     "The call is right, but not now or not here: an input is not bound, a packed file was made "
     "for\n"
     "another version or processor (make it again with `oribi pack`)."},
    {4010, "aborted", "A kernel or a device gave up."},
    {4011, "out of range", "An index or a number lies outside of what the model has."},
    {4013, "internal",
     "A kernel broke a rule (--check names the plugin), or Oribi has a fault: please report it "
     "with\n"
     "the model."},
    {4014, "unavailable", "A helper program or a device does not answer."},
    {4015, "data loss",
     "A file ends too early or changed while it was read. Copy or download it again; --read "
     "copies\n"
     "a model into memory first."},
    {5000, "limit",
     "Memory, disk, time or a number of threads ran out in the command itself. A file that was "
     "there\n"
     "is still what it was."},
    {5004, "too late", "--time-limit passed. Nothing was written."},
    {5008, "too large",
     "The model, its inputs or its runs would take more than --max-bytes, or than the system has.\n"
     "The message says what asked for how much. docs/reference/limits.md."},
    {6000, "plugin",
     "A plugin cannot be loaded, is broken or failed its test. `oribi plugin check FILE` says "
     "what\n"
     "would stop it, `oribi plugin rules` what each rule means."},
};

enum { N_MEANINGS = sizeof meanings / sizeof meanings[0] };

static const meaning *find(int code)
{
    for (int i = 0; i < N_MEANINGS; i++) {
        if (meanings[i].code == code) {
            return &meanings[i];
        }
    }
    return NULL;
}

/* The row of an exit code and a code of the library; that of the exit code where none is for both.
 */
static const meaning *find_error(int exit_code, int library_code)
{
    const meaning *m = find(exit_code * 1000 + library_code);
    return m != NULL ? m : find(exit_code * 1000);
}

void cli_tell_code(int exit_code, bool as_json)
{
    const char *message;
    const meaning *m = find_error(exit_code, cli_last_error(&message));

    if (exit_code <= CLI_MISMATCH || m == NULL) {
        return;
    }
    if (!as_json) {
        cli_error("error ORB%d (%s); `oribi explain ORB%d` tells more", m->code, m->title, m->code);
        return;
    }
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    char name[16];
    (void)snprintf(name, sizeof name, "ORB%d", m->code);
    oribi_json_open(&json, '{');
    oribi_json_key(&json, "error");
    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "code", name);
    oribi_json_put_string(&json, "title", m->title);
    oribi_json_put_string(&json, "message", message);
    oribi_json_put_int(&json, "exit", exit_code);
    oribi_json_close(&json, '}');
    oribi_json_close(&json, '}');
    (void)fprintf(stderr, "%s\n", oribi_text_string(&text));
    oribi_text_destroy(&text);
}

/* --- Command --------------------------------------------------------------------------------- */

static void print_json(const meaning *rows, int n)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};

    oribi_json_open(&json, '[');
    for (int i = 0; i < n; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "ORB%d", rows[i].code);
        oribi_json_open(&json, '{');
        oribi_json_put_string(&json, "code", name);
        oribi_json_put_int(&json, "exit", rows[i].code / 1000);
        oribi_json_put_string(&json, "title", rows[i].title);
        oribi_json_put_string(&json, "text", rows[i].text);
        oribi_json_close(&json, '}');
    }
    oribi_json_close(&json, ']');
    oribi_text_append(&text, "\n");
    cli_text_print(&text);
    oribi_text_destroy(&text);
}

int cmd_explain(const cli_args *args)
{
    const char *word = args->n_positional > 0 ? args->positional[0] : NULL;
    const meaning *rows = meanings;
    int n = N_MEANINGS;

    if (word != NULL) {
        char *end;
        const char *digits = strncasecmp(word, "ORB", 3) == 0 ? word + 3 : word;
        const long code = strtol(digits, &end, 10);
        rows = digits[0] == 0 || *end != 0 || code < 0 || code > 9999 ? NULL : find((int)code);
        n = 1;
    }
    if (rows == NULL) {
        cli_error("explain: there is no code '%s'; `oribi explain` lists them", word);
        return CLI_USAGE;
    }
    if (cli_has(args, "--json")) {
        print_json(rows, n);
    } else if (word != NULL) {
        printf("ORB%d: %s (exit code %d)\n\n%s\n", rows->code, rows->title, rows->code / 1000,
               rows->text);
    }
    for (int i = 0; i < n && word == NULL && !cli_has(args, "--json"); i++) {
        printf("ORB%d  %s\n", rows[i].code, rows[i].title);
    }
    return CLI_OK;
}
