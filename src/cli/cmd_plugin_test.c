/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi plugin test`: the JSON of oribi_plugin_test for people. */
#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

static void progress(void *arg, const char *kernel, int done, int total)
{
    (void)arg;
    cli_progress(kernel, done, total);
}

static const char *text(const cJSON *object, const char *key)
{
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    return value == NULL ? "" : value;
}

static int number(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(object, key);
    return value == NULL ? 0 : value->valueint;
}

/* Returns how many are without findings, those of devices left out. */
static int print_report(const cJSON *root)
{
    const cJSON *kernel, *finding;
    int n_good = 0;

    cJSON_ArrayForEach(kernel, cJSON_GetObjectItem(root, "kernels"))
    {
        const cJSON *findings = cJSON_GetObjectItem(kernel, "findings");
        const int n = cJSON_GetArraySize(findings);
        const char *device = text(kernel, "device");
        if (device[0] != '\0') {
            printf("left   %s %s: runs on %s alone, not tested here; try it with a model and "
                   "`oribi run --device %s`\n",
                   text(kernel, "op"), text(kernel, "constraints"), device, device);
            continue;
        }
        printf("%-6s %s %s %s (%d cases, %d computes)\n", n == 0 ? "ok" : "FAILED",
               text(kernel, "op"),
               text(kernel, "kernel")[0] ? text(kernel, "kernel") : "shape function",
               text(kernel, "constraints"), number(kernel, "cases"), number(kernel, "computes"));
        cJSON_ArrayForEach(finding, findings)
        {
            printf("       %s: %s [case %d]\n", text(finding, "check"), text(finding, "message"),
                   number(finding, "case"));
        }
        n_good += n == 0;
    }
    return n_good;
}

static int report(const cli_args *args, const TF_Buffer *json, uint64_t seed)
{
    cJSON *root = cJSON_ParseWithLength(json->data, json->length);
    const int failures = number(root, "failures");

    if (cli_has(args, "--json")) {
        printf("%.*s\n", (int)json->length, (const char *)json->data);
    } else {
        const int n_good = print_report(root);
        printf("%d good, %d failed; seed %llu\n", n_good, failures, (unsigned long long)seed);
    }
    cJSON_Delete(root);
    return failures == 0 ? CLI_OK : CLI_PLUGIN;
}

int cmd_plugin_test(const cli_args *args, const char *file)
{
    oribi_plugin_test_settings settings = {.struct_size = sizeof settings, .progress = progress};
    bool bad = false;
    size_t bytes;
    char part[32];
    uint8_t *cases = NULL;
    const char *case_file = cli_value(args, "--cases");

    settings.seed = (uint64_t)cli_number(args, "--seed", (int64_t)time(NULL), 0, INT64_MAX, &bad);
    settings.n_cases = (int32_t)cli_number(args, "--random", 0, 1, 1000, &bad);
    settings.timeout_ms = (int32_t)cli_number(args, "--timeout-ms", 0, 1, 1 << 30, &bad);
    settings.only = cli_value(args, "--op");
    if (cli_has(args, "--part")) {
        snprintf(part, sizeof part, "#%s", cli_value(args, "--part"));
        settings.only = part;
    }
    if (bad) {
        return CLI_USAGE;
    }
    if (case_file != NULL) {
        cases = cli_read_file(case_file, &bytes);
        if (cases == NULL) {
            return CLI_BAD_INPUT;
        }
        settings.cases = (const char *)cases;
    }
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = cli_buffer();
    int code = CLI_PLUGIN;
    oribi_plugin_test(file, &settings, json, status);
    cli_progress("", 0, 0);
    if (TF_GetCode(status) != TF_OK) {
        code = cli_fail_plugin(status);
    } else {
        code = report(args, json, settings.seed);
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    free(cases);
    return code;
}
