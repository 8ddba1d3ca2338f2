/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi plugin describe`, `check` and `rules`: the JSON of oribi_plugin_examine for people. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* A plugin that is refused is exit code 6 here, whatever the reason. */
static int examine(const char *file, const char *what, TF_Buffer *json)
{
    TF_Status *status = TF_NewStatus();
    int code = CLI_OK;

    oribi_plugin_examine(file, what, json, status);
    if (TF_GetCode(status) != TF_OK) {
        code = cli_fail_plugin(status);
    }
    TF_DeleteStatus(status);
    return code;
}

static const char *text(const oribi_json_value *object, const char *key)
{
    const char *value = cli_json_text(object, key);
    return value == NULL ? "" : value;
}

static void print_list(const oribi_json_value *root, const char *key, const char *title)
{
    const oribi_json_value *item;
    const char *separator = " ";

    cli_print("%-13s", title);
    for (item = cli_json_first(root, key); item != NULL; item = item->next) {
        cli_print("%s%s", separator, item->text == NULL ? "" : item->text);
        separator = ", ";
    }
    cli_print("%s\n", separator[0] == ' ' ? " none" : "");
}

static void print_description(const oribi_json_value *root)
{
    const oribi_json_value *note = oribi_json_find(root, "note");
    const oribi_json_value *registered = oribi_json_find(root, "registered");
    const oribi_json_value *item;

    cli_print("%-13s %s\n", "file", text(root, "path"));
    if (note != NULL && note->kind == ORIBI_JSON_OBJECT) {
        cli_print("%-13s %s %s, licence %s, built with %s\n", "plugin", text(note, "name"),
                  text(note, "version"), text(note, "licence"), text(note, "build"));
        cli_print("%-13s %s (headers of %s)\n", "contract", text(note, "contract"),
                  text(note, "headers"));
    } else {
        cli_print("%-13s no note (ORIBI_PLUGIN)\n", "plugin");
    }
    print_list(root, "entry_points", "entry points");
    print_list(root, "needed", "needs");
    cli_print("%-13s %d of the contract\n", "functions",
              cli_json_count(oribi_json_find(root, "functions")));
    for (item = cli_json_first(registered, "ops"); item != NULL; item = item->next) {
        cli_print("\n%s", text(item, "definition"));
    }
    cli_print("\n");
    for (item = cli_json_first(registered, "kernels"); item != NULL; item = item->next) {
        cli_print("kernel %-24s %s %s%s%s priority %d%s%s\n", text(item, "name"), text(item, "op"),
                  text(item, "device"), text(item, "constraints")[0] ? " " : "",
                  text(item, "constraints"), (int)cli_json_number(item, "priority"),
                  text(item, "label")[0] ? " label " : "", text(item, "label"));
    }
}

int cmd_plugin_describe(const cli_args *args, const char *file)
{
    TF_Buffer *json = cli_buffer();
    int code = examine(file, "describe", json);

    if (code == CLI_OK && cli_has(args, "--json")) {
        printf("%.*s\n", (int)json->length, (const char *)json->data);
    } else if (code == CLI_OK) {
        cli_json root = cli_json_parse(json->data, json->length, file);
        print_description(root.root);
        cli_json_free(&root);
    }
    TF_DeleteBuffer(json);
    return code;
}

int cmd_plugin_check(const cli_args *args, const char *file)
{
    TF_Buffer *json = cli_buffer();
    int code = examine(file, "check", json);

    if (code == CLI_OK) {
        cli_json parsed = cli_json_parse(json->data, json->length, file);
        const oribi_json_value *root = parsed.root, *finding;
        const int64_t errors = root == NULL ? 1 : cli_json_number(root, "errors");
        if (cli_has(args, "--json")) {
            printf("%.*s\n", (int)json->length, (const char *)json->data);
        } else {
            for (finding = cli_json_first(root, "findings"); finding != NULL;
                 finding = finding->next) {
                cli_print("%s: %s: %s [%s]\n", text(finding, "severity"), text(finding, "name"),
                          text(finding, "message"), text(finding, "rule"));
            }
            cli_print("%s: %s\n", text(root, "path"), errors == 0 ? "good" : "will not do");
        }
        code = errors == 0 ? CLI_OK : CLI_PLUGIN;
        cli_json_free(&parsed);
    }
    TF_DeleteBuffer(json);
    return code;
}

int cmd_plugin_rules(const cli_args *args, const char *number)
{
    TF_Buffer *json = cli_buffer();
    TF_Status *status = TF_NewStatus();
    int code = CLI_OK;

    oribi_plugin_examine(number, "rules", json, status);
    if (TF_GetCode(status) != TF_OK) {
        cli_error("plugin rules: %s", TF_Message(status));
        code = CLI_USAGE;
    } else if (cli_has(args, "--json")) {
        printf("%.*s\n", (int)json->length, (const char *)json->data);
    } else {
        cli_json root = cli_json_parse(json->data, json->length, "rules");
        for (const oribi_json_value *r = cli_json_first(root.root, "rules"); r != NULL;
             r = r->next) {
            cli_print("%s %s: %s: %s\n", text(r, "rule"), text(r, "severity"), text(r, "name"),
                      text(r, "what"));
            if (number[0] != '\0') {
                cli_print("Why: %s\nWhat to do: %s\n", text(r, "why"), text(r, "remedy"));
            }
        }
        cli_json_free(&root);
    }
    TF_DeleteStatus(status);
    TF_DeleteBuffer(json);
    return code;
}
