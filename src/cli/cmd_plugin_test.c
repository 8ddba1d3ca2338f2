/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi plugin test`: the JSON of oribi_plugin_test for people. Ops of one kernel for the host and
 * for emitted C are then verified as emitted C, on this machine and on emulated boards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "regions/regions.h"
#include "verify/verify.h"

static void progress(void *arg, const char *kernel, int done, int total)
{
    (void)arg;
    cli_progress(kernel, done, total);
}

static const char *text(const oribi_json_value *object, const char *key)
{
    const char *value = cli_json_text(object, key);
    return value == NULL ? "" : value;
}

static int number(const oribi_json_value *object, const char *key)
{
    return (int)cli_json_number(object, key);
}

/* Traits that no case could try: a claim that nobody looked at. */
static void print_untried(const oribi_json_value *kernel)
{
    const oribi_json_value *word = cli_json_first(kernel, "untried_traits");
    const bool has_any = word != NULL;

    for (const char *between = "       traits not tried: "; word != NULL; word = word->next) {
        cli_print("%s%s", between, word->text);
        between = ", ";
    }
    cli_print("%s", has_any ? "\n" : "");
}

/* Returns how many are without findings, those of devices and of variants left out. */
static int print_report(const oribi_json_value *root)
{
    const oribi_json_value *kernel, *finding;
    int n_good = 0;

    for (kernel = cli_json_first(root, "kernels"); kernel != NULL; kernel = kernel->next) {
        const int n = cli_json_count(oribi_json_find(kernel, "findings"));
        const char *device = text(kernel, "device");
        if (device[0] != '\0') {
            cli_print("left   %s %s: runs on %s alone, not tested here; try it with a model and "
                      "`oribi run --device %s`\n",
                      text(kernel, "op"), text(kernel, "constraints"), device, device);
            continue;
        }
        if (number(kernel, "left_out") != 0) {
            cli_print(
                "left   %s %s: takes variants, objects that the plugin alone can make; try it "
                "with a model\n",
                text(kernel, "op"), text(kernel, "kernel"));
            continue;
        }
        cli_print("%-6s %s %s %s (%d cases, %d computes)\n", n == 0 ? "ok" : "FAILED",
                  text(kernel, "op"),
                  text(kernel, "kernel")[0] ? text(kernel, "kernel") : "shape function",
                  text(kernel, "constraints"), number(kernel, "cases"), number(kernel, "computes"));
        for (finding = cli_json_first(kernel, "findings"); finding != NULL;
             finding = finding->next) {
            cli_print("       %s: %s [case %d]\n", text(finding, "check"), text(finding, "message"),
                      number(finding, "case"));
        }
        print_untried(kernel);
        n_good += n == 0;
    }
    return n_good;
}

/* --- Emitted C ------------------------------------------------------------------------------- */

enum { VERIFY_SECONDS = 300 };
typedef struct emitted {
    const char *plugin;
    char folder[64];
    char model[96], said[96];
} emitted;

static bool write_model(const emitted *e, const char *hex)
{
    FILE *file = fopen(e->model, "wb");
    bool ok = file != NULL;
    for (; ok && hex[0] != '\0' && hex[1] != '\0'; hex += 2) {
        const char digits[3] = {hex[0], hex[1], '\0'};
        ok = fputc((int)strtol(digits, NULL, 16), file) != EOF;
    }
    return file != NULL && fclose(file) == 0 && ok;
}

static bool says(const emitted *e, const char *what)
{
    size_t bytes;
    char *text_of = (char *)cli_read_file(e->said, &bytes);
    const bool found = text_of != NULL && memmem(text_of, bytes, what, strlen(what)) != NULL;
    free(text_of);
    return found;
}

/* `oribi verify` of the model, in a process of its own. False: the bits differ, or it failed. */
static bool verify_one(const emitted *e, const char *op, const char *target, bool is_quiet)
{
    const char *const words[] = {"/proc/self/exe", "verify", e->model, "--plugin", e->plugin,
                                 "--target",       target,   "--runs", "3",        NULL};
    const verify_process process = {.argv = words,
                                    .out = "/dev/null",
                                    .err = e->said,
                                    .what = target,
                                    .seconds = VERIFY_SECONDS};
    const int code = verify_process_run(&process);
    const bool is_left = code != 0 && says(e, "is not installed");
    if (!is_quiet) {
        cli_print("%-6s %s as emitted C, %s%s\n",
                  is_left     ? "left"
                  : code == 0 ? "ok"
                              : "FAILED",
                  op, target, is_left ? ": its compiler or emulator is not installed" : "");
    }
    if (code != 0 && !is_left) {
        verify_show(e->said, 20);
    }
    return code == 0 || is_left;
}

/* Returns how many failed. */
static int verify_emitted(const oribi_json_value *root, const char *plugin, bool is_quiet)
{
    static const char *const targets[] = {"host", "cortex-m4", "riscv32"};
    const char *base = getenv("TMPDIR");
    emitted e = {.plugin = plugin};
    int n_failed = 0;
    for (const oribi_json_value *k = cli_json_first(root, "kernels"); k != NULL; k = k->next) {
        const char *hex = text(k, "model");
        if (hex[0] == '\0') {
            continue;
        }
        snprintf(e.folder, sizeof e.folder, "%.40s/oribi-test-XXXXXX",
                 base != NULL && base[0] != '\0' ? base : "/tmp");
        if (mkdtemp(e.folder) == NULL) {
            cli_error("plugin test: no folder can be made in %s", e.folder);
            return 1;
        }
        snprintf(e.model, sizeof e.model, "%s/case.onnx", e.folder);
        snprintf(e.said, sizeof e.said, "%s/said.txt", e.folder);
        bool ok = write_model(&e, hex);
        for (size_t i = 0; ok && i < sizeof targets / sizeof targets[0]; i++) {
            ok = verify_one(&e, text(k, "op"), targets[i], is_quiet);
        }
        n_failed += ok ? 0 : 1;
        verify_remove_folder(e.folder);
    }
    return n_failed;
}

static int report(const cli_args *args, const char *file, const TF_Buffer *json, uint64_t seed)
{
    cli_json root = cli_json_parse(json->data, json->length, "plugin test");
    const bool is_json = cli_has(args, "--json");
    int failures = root.root == NULL ? 1 : number(root.root, "failures");

    if (is_json) {
        printf("%.*s\n", (int)json->length, (const char *)json->data);
    } else {
        const int n_good = print_report(root.root);
        failures += verify_emitted(root.root, file, false);
        printf("%d good, %d failed; seed %llu\n", n_good, failures, (unsigned long long)seed);
    }
    failures += is_json ? verify_emitted(root.root, file, true) : 0;
    cli_json_free(&root);
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
    if (cli_has(args, "--driver")) {
        return regions_test(args, file, settings.seed,
                            settings.n_cases > 0 ? settings.n_cases : 12);
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
        code = report(args, file, json, settings.seed);
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    free(cases);
    return code;
}
