/* SPDX-License-Identifier: Apache-2.0 */
/* A target and its driver on random models: those of which `oribi inspect` says that the target
 * takes something are run by `oribi verify`, which compares with the CPU bit for bit. Each is a
 * process of its own, as a plugin may do anything. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regions.h"
#include "verify/driver_manifest.h"
#include "verify/verify.h"

enum { SECONDS = 300, DRAWS = 200, RETRIES = 20 };

typedef struct trial {
    const cli_args *args;
    const char *plugin, *kind, *only;
    char folder[64], model[96], said[96], told[96];
    oribi_text what;
    int n_taken, n_nodes; /* operators of the model */
} trial;

static int run(const trial *t, const char *const *words)
{
    const verify_process process = {
        .argv = words, .out = t->told, .err = t->said, .what = t->kind, .seconds = SECONDS};
    return verify_process_run(&process);
}

/* Counts what the target takes of the model; an exit code. */
static int inspect(trial *t)
{
    const char *const words[] = {"/proc/self/exe",  "inspect", t->model, "--plugin", t->plugin,
                                 "--target-device", t->kind,   "--json", NULL};
    const int code = run(t, words);
    size_t bytes;
    t->n_taken = t->n_nodes = 0;
    if (code != CLI_OK) {
        return code;
    }
    char *text = (char *)cli_read_file(t->told, &bytes);
    cli_json json = cli_json_parse(text, bytes, "inspect");
    for (const oribi_json_value *n = cli_json_first(json.root, "nodes"); n != NULL; n = n->next) {
        const char *device = cli_json_text(n, "device");
        t->n_nodes++;
        t->n_taken += device != NULL && strcmp(device, "cpu") != 0;
    }
    cli_json_free(&json);
    free(text);
    return CLI_OK;
}

static int verify_drawn(const trial *t, const char *schedule)
{
    const char *words[32] = {"/proc/self/exe",
                             "verify",
                             t->model,
                             "--failing-hooks",
                             "--runs",
                             "2",
                             "--plugin",
                             t->plugin,
                             "--target-device",
                             t->kind,
                             "--device-schedule",
                             schedule};
    int n = 12;
    const char *driver;
    for (int i = 0; n < 28 && (driver = cli_value_at(t->args, "--driver", i)) != NULL; i++) {
        words[n++] = "--driver";
        words[n++] = driver;
    }
    return run(t, words);
}

/* Is it nobody's fault? A model that cannot be compiled to C, or that the CPU refuses as well. */
static bool is_left(const trial *t, int code)
{
    const char *const words[] = {"/proc/self/exe", "inspect", t->model,
                                 "--plugin",       t->plugin, NULL};
    const verify_process process = {
        .argv = words, .out = "/dev/null", .err = "/dev/null", .what = t->kind, .seconds = SECONDS};
    return code == CLI_UNSUPPORTED ||
           (code == CLI_BAD_INPUT && verify_process_run(&process) != CLI_OK);
}

/* One model of which the target takes something; false: none was found. */
static bool draw(trial *t, uint64_t *state, int *code)
{
    for (int i = 0; i < DRAWS; i++) {
        oribi_text model = {0};
        oribi_text_destroy(&t->what);
        t->what = (oribi_text){0};
        regions_model(*state, t->only, &model, &t->what);
        (void)regions_draw(state, 2);
        *code = cli_write_file(t->model, model.data, model.length, true);
        oribi_text_destroy(&model);
        *code = *code == CLI_OK ? inspect(t) : *code;
        if ((*code == CLI_OK && t->n_taken > 0) || (*code != CLI_OK && !is_left(t, *code))) {
            return true;
        }
    }
    return false;
}

typedef enum verdict { GOOD, BAD, NONE_TAKEN } verdict;

static verdict try_case(trial *t, uint64_t seed)
{
    static const char *const schedules[] = {"design", "lazy", "eager", "hold"};
    int code = CLI_OK, retries = 0;
    uint64_t state = seed;
    const char *schedule = schedules[regions_draw(&state, 4)];
    do {
        if (!draw(t, &state, &code)) {
            return NONE_TAKEN;
        }
        code = code == CLI_OK ? verify_drawn(t, schedule) : code;
    } while (is_left(t, code) && retries++ < RETRIES);
    cli_print("%-6s %s %s [%d of %d taken, --device-schedule %s, seed %" PRIu64 "]\n",
              code == CLI_OK ? "ok" : "FAILED", t->kind, oribi_text_string(&t->what), t->n_taken,
              t->n_nodes, schedule, seed);
    if (code != CLI_OK) {
        fflush(stdout);
        verify_show(t->said, 20);
    }
    return code == CLI_OK ? GOOD : BAD;
}

static int try_kind(trial *t, uint64_t seed, int n_cases)
{
    int n_bad = 0;
    for (int i = 0; i < n_cases; i++) {
        cli_progress(t->kind, i, n_cases);
        const verdict found = try_case(t, seed + (uint64_t)i);
        n_bad += found == BAD;
        if (found == NONE_TAKEN) {
            cli_error("plugin test: of %d random models '%s' takes nothing; --op NAME says an "
                      "operator that it takes",
                      DRAWS, t->kind);
            n_bad++;
            break;
        }
    }
    cli_progress("", 0, 0);
    printf("%s: %d random models, %d failed; seed %" PRIu64 "\n", t->kind, n_cases, n_bad, seed);
    return n_bad;
}

int regions_test(const cli_args *args, const char *plugin, uint64_t seed, int n_cases)
{
    const char *base = getenv("TMPDIR");
    trial t = {.args = args, .plugin = plugin, .only = cli_value(args, "--op")};
    driver_set drivers;
    int n_bad = 0;
    if (!driver_set_read(args, &drivers)) {
        driver_set_free(&drivers);
        return CLI_BAD_INPUT;
    }
    snprintf(t.folder, sizeof t.folder, "%.40s/oribi-test-XXXXXX",
             base != NULL && base[0] != '\0' ? base : "/tmp");
    if (mkdtemp(t.folder) == NULL) {
        cli_error("plugin test: no folder can be made in %s", t.folder);
        driver_set_free(&drivers);
        return CLI_BAD_INPUT;
    }
    snprintf(t.model, sizeof t.model, "%s/regions.onnx", t.folder);
    snprintf(t.said, sizeof t.said, "%s/said.txt", t.folder);
    snprintf(t.told, sizeof t.told, "%s/told.txt", t.folder);
    for (int i = 0; i < drivers.n; i++) {
        for (int k = 0; k < drivers.at[i].n; k++) {
            t.kind = drivers.at[i].kinds[k].name;
            n_bad += try_kind(&t, seed, n_cases);
        }
    }
    verify_remove_folder(t.folder);
    driver_set_free(&drivers);
    oribi_text_destroy(&t.what);
    return n_bad == 0 ? CLI_OK : CLI_PLUGIN;
}
