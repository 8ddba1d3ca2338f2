/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi plugin describe` and `check`: the JSON of oribi_plugin_examine for people. */
#include <cJSON.h>
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

static const char *text(const cJSON *object, const char *key)
{
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    return value == NULL ? "" : value;
}

static void print_list(const cJSON *root, const char *key, const char *title)
{
    const cJSON *item;
    const char *separator = " ";

    printf("%-13s", title);
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, key))
    {
        printf("%s%s", separator, item->valuestring);
        separator = ", ";
    }
    printf("%s\n", separator[0] == ' ' ? " none" : "");
}

static void print_description(const cJSON *root)
{
    const cJSON *note = cJSON_GetObjectItem(root, "note");
    const cJSON *registered = cJSON_GetObjectItem(root, "registered");
    const cJSON *item;

    printf("%-13s %s\n", "file", text(root, "path"));
    if (cJSON_IsObject(note)) {
        printf("%-13s %s %s, licence %s, built with %s\n", "plugin", text(note, "name"),
               text(note, "version"), text(note, "licence"), text(note, "build"));
        printf("%-13s %s (headers of %s)\n", "contract", text(note, "contract"),
               text(note, "headers"));
    } else {
        printf("%-13s no note (ORIBI_PLUGIN)\n", "plugin");
    }
    print_list(root, "entry_points", "entry points");
    print_list(root, "needed", "needs");
    printf("%-13s %d of the contract\n", "functions",
           cJSON_GetArraySize(cJSON_GetObjectItem(root, "functions")));
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(registered, "ops"))
    {
        printf("\n%s", text(item, "definition"));
    }
    printf("\n");
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(registered, "kernels"))
    {
        printf("kernel %-24s %s %s%s%s priority %d%s%s\n", text(item, "name"), text(item, "op"),
               text(item, "device"), text(item, "constraints")[0] ? " " : "",
               text(item, "constraints"), cJSON_GetObjectItem(item, "priority")->valueint,
               text(item, "label")[0] ? " label " : "", text(item, "label"));
    }
}

static cJSON *parse(const TF_Buffer *json)
{
    return cJSON_ParseWithLength(json->data, json->length);
}

int cmd_plugin_describe(const cli_args *args, const char *file)
{
    TF_Buffer *json = cli_buffer();
    int code = examine(file, "describe", json);

    if (code == CLI_OK && cli_has(args, "--json")) {
        printf("%.*s\n", (int)json->length, (const char *)json->data);
    } else if (code == CLI_OK) {
        cJSON *root = parse(json);
        print_description(root);
        cJSON_Delete(root);
    }
    TF_DeleteBuffer(json);
    return code;
}

int cmd_plugin_check(const cli_args *args, const char *file)
{
    TF_Buffer *json = cli_buffer();
    int code = examine(file, "check", json);

    if (code == CLI_OK) {
        cJSON *root = parse(json);
        const cJSON *finding;
        const int errors = cJSON_GetObjectItem(root, "errors")->valueint;
        if (cli_has(args, "--json")) {
            printf("%.*s\n", (int)json->length, (const char *)json->data);
        } else {
            cJSON_ArrayForEach(finding, cJSON_GetObjectItem(root, "findings"))
            {
                printf("%s: %s: %s\n", text(finding, "severity"), text(finding, "name"),
                       text(finding, "message"));
            }
            printf("%s: %s\n", text(root, "path"), errors == 0 ? "good" : "will not do");
        }
        code = errors == 0 ? CLI_OK : CLI_PLUGIN;
        cJSON_Delete(root);
    }
    TF_DeleteBuffer(json);
    return code;
}
