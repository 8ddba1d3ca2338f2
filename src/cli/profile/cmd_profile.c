/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi profile`: where a model's time goes, for people, programs, browsers and Perfetto; and is
 * it slower than it was? Read next: profile.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "profile/profile.h"

const cli_option cmd_profile_options[] = {
    {"--runs", 'n', "N", "traced runs (default: as many as fit in 2 s, at least 10)"},
    {"--warm-up", 0, "N", "runs before (default 3)"},
    {"--input", 'i', "NAME=VALUE", "an input as in `oribi run` (default rand:1)"},
    {"--csv", 0, "FILE", "write a row for each step: node, op, ms, share, MACs, bytes, roof"},
    {"--html", 0, "FILE", "write a page that needs nothing else"},
    {"--trace", 0, "FILE", "trace one more run for Perfetto (ui.perfetto.dev)"},
    {"--save", 0, "FILE", "write the measurement, for --baseline later"},
    {"--baseline", 0, "FILE", "compare with what --save wrote: exit 1 when all steps are slower"},
    {"--tolerance", 0, "PERCENT", "by more than this, with --baseline (default 10)"},
    {"--force", 'f', NULL, "overwrite files"},
    {"--json", 0, NULL, "as JSON"},
    CLI_DEVICE_OPTION,
    CLI_PLACE_OPTIONS,
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};

static const char *const files[] = {"--csv", "--html", "--save", "--trace", NULL};

/* What would be refused is refused before anything runs. */
static int check_files(const cli_args *args)
{
    int code = CLI_OK;
    for (int i = 0; files[i] != NULL && code == CLI_OK; i++) {
        const char *path = cli_value(args, files[i]);
        code = path == NULL ? CLI_OK : cli_check_writable(path, cli_has(args, "--force"));
    }
    return code;
}

static void put_json(oribi_text *text, const profile *p, const profile_baseline *baseline)
{
    oribi_json json = {.text = text};
    profile_put_json(&json, p, baseline);
    oribi_text_append(text, "\n");
    if (text->failed) {
        cli_no_memory(text->length);
    }
}

static int write_files(const cli_args *args, const profile *p, const profile_baseline *baseline)
{
    cli_files *written = cli_files_begin(cli_has(args, "--force"));

    for (int i = 0; i < 3; i++) {
        const char *path = cli_value(args, files[i]);
        oribi_text text = {0};
        if (path == NULL) {
            continue;
        }
        if (i == 0) {
            profile_put_csv(&text, p);
        } else if (i == 1) {
            profile_put_html(&text, p, baseline);
        } else {
            put_json(&text, p, NULL);
        }
        if (text.failed) {
            cli_no_memory(text.length);
        }
        (void)cli_files_add(written, path, text.data, text.length);
        oribi_text_destroy(&text);
    }
    return cli_files_end(written, CLI_OK);
}

static int trace_once(const cli_args *args, oribi_run *run)
{
    const char *path = cli_value(args, "--trace");
    TF_Status *status = TF_NewStatus();
    int code = CLI_OK;

    if (path != NULL) {
        cli_trace *trace = cli_trace_begin(run);
        oribi_run_execute(run, status);
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
        const int written = cli_trace_end(trace, path, cli_has(args, "--force"));
        code = code == CLI_OK ? written : code;
    }
    TF_DeleteStatus(status);
    return code;
}

static int report(const cli_args *args, const profile *p, const profile_baseline *baseline)
{
    if (cli_has(args, "--json")) {
        oribi_text text = {0};
        put_json(&text, p, baseline);
        cli_text_print(&text);
        oribi_text_destroy(&text);
    } else {
        profile_print(p);
        if (baseline != NULL) {
            profile_baseline_print(p, baseline);
        }
    }
    const int code = write_files(args, p, baseline);
    return code != CLI_OK || baseline == NULL || !baseline->is_slower ? code : CLI_MISMATCH;
}

static int compare_and_report(const cli_args *args, const profile *p, double tolerance)
{
    const char *path = cli_value(args, "--baseline");
    profile_baseline baseline = {.path = NULL};
    int code = path == NULL ? CLI_OK : profile_baseline_read(p, path, tolerance, &baseline);

    code = code == CLI_OK ? report(args, p, path == NULL ? NULL : &baseline) : code;
    profile_baseline_free(&baseline);
    return code;
}

int cmd_profile(const cli_args *args)
{
    bool bad = false;
    const double tolerance = (double)cli_number(args, "--tolerance", 10, 0, 100000, &bad) / 100;
    cli_bench_plan plan;
    cli_session s;

    if (bad || !cli_bench_plan_read(args, &plan)) {
        return CLI_USAGE;
    }
    int code = check_files(args);
    code = code == CLI_OK ? cli_session_open(args, &s) : code;
    if (code != CLI_OK) {
        return code;
    }
    profile p = {.n = 0};
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(s.session, status);
    code = run == NULL ? cli_fail(status) : cli_bench_warm_up(args, &s, run, &plan);
    code = code == CLI_OK ? profile_take(args, &s, run, plan.runs, &p) : code;
    p.model = args->positional[0];
    code = code == CLI_OK ? trace_once(args, run) : code;
    code = code == CLI_OK ? compare_and_report(args, &p, tolerance) : code;
    profile_free(&p);
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    cli_session_close(&s);
    return code;
}
