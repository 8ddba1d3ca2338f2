/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi bench`: times of one model on random inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cli.h"
#include "profile/profile.h"

const cli_option cmd_bench_options[] = {
    {"--runs", 'n', "N", "counted runs (default: as many as fit in 2 s, at least 10)"},
    {"--warm-up", 0, "N", "runs before (default 3)"},
    {"--input", 'i', "NAME=VALUE", "an input as in `oribi run` (default rand:1)"},
    {"--profile", 0, NULL,
     "then each step and op: time, work, bytes moved, share of what this core can do at most"},
    {"--json", 0, NULL, "as JSON"},
    CLI_DEVICE_OPTION,
    CLI_PLACE_OPTIONS,
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The same in memory from which the input's device copies best; takes the tensor. */
static TF_Tensor *move_to_best(oribi_run *run, int index, TF_Tensor *tensor, TF_Status *status)
{
    cli_dims dims = {0};
    const int rank = TF_NumDims(tensor);

    if (TF_TensorType(tensor) == TF_STRING) {
        return tensor;
    }
    for (int k = 0; k < rank; k++) {
        (void)cli_dims_add(&dims, TF_Dim(tensor, k));
    }
    TF_Tensor *best = oribi_run_make_input(run, index, dims.at, dims.n, status);
    if (best == NULL || TF_TensorType(best) != TF_TensorType(tensor)) {
        TF_DeleteTensor(best); /* set_input tells what is wrong */
        return tensor;
    }
    memcpy(TF_TensorData(best), TF_TensorData(tensor), TF_TensorByteSize(best));
    TF_DeleteTensor(tensor);
    return best;
}

static int bind_inputs(const cli_args *args, const cli_session *s, oribi_run *run,
                       TF_Status *status)
{
    cli_image_options images = {.show = false};
    const char *text;
    uint64_t kept = 0;

    for (int i = 0; i < oribi_model_num_inputs(s->model); i++) {
        cli_input input = {i, "rand:1", oribi_model_input_name(s->model, i)};
        for (int k = 0; (text = cli_value_at(args, "--input", k)) != NULL; k++) {
            cli_input given;
            if (!cli_input_parse(s->model, text, &given)) {
                return CLI_USAGE;
            }
            if (given.index == i) {
                input = given;
            }
        }
        cli_input_begin(s, kept, 0);
        TF_Tensor *tensor = cli_input_make(s->model, &input, &images);
        if (tensor == NULL) {
            return cli_budget_code();
        }
        kept += TF_TensorByteSize(tensor);
        tensor = move_to_best(run, i, tensor, status);
        oribi_run_set_input(run, i, tensor, status);
        TF_DeleteTensor(tensor);
        if (TF_GetCode(status) != TF_OK) {
            return cli_fail(status);
        }
    }
    return CLI_OK;
}

static void report(const cli_args *args, double *times, int n, double load_ms, double first_ms)
{
    double sum = 0;
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    qsort(times, (size_t)n, sizeof *times, compare);
    for (int i = 0; i < n; i++) {
        sum += times[i];
    }
    const char *format =
        cli_has(args, "--json")
            ? "{\"runs\":%d,\"min_ms\":%.6f,\"median_ms\":%.6f,\"mean_ms\":%.6f,\"p90_ms\":%.6f,"
              "\"load_ms\":%.3f,\"first_ms\":%.3f,\"peak_kib\":%ld"
            : "runs %d  min %.4f ms  median %.4f ms  mean %.4f ms  p90 %.4f ms  load %.1f ms  "
              "first %.1f ms  peak %ld KiB\n";
    printf(format, n, times[0], times[n / 2], sum / n, times[n * 9 / 10], load_ms, first_ms,
           usage.ru_maxrss);
}

bool cli_bench_plan_read(const cli_args *args, cli_bench_plan *out)
{
    bool bad = false;

    *out = (cli_bench_plan){.runs = (int)cli_number(args, "--runs", 0, 1, 1000000, &bad),
                            .warm_up = (int)cli_number(args, "--warm-up", 3, 0, 1000000, &bad)};
    return !bad;
}

int cli_bench_warm_up(const cli_args *args, const cli_session *s, oribi_run *run,
                      cli_bench_plan *plan)
{
    TF_Status *status = TF_NewStatus();
    int code = bind_inputs(args, s, run, status);
    double one = 0;

    for (int i = 0; code == CLI_OK && i < plan->warm_up + 1; i++) {
        const double start = now_ms();
        oribi_run_execute(run, status);
        one = now_ms() - start;
        plan->first_ms = i == 0 ? one : plan->first_ms;
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    }
    if (plan->runs == 0) {
        plan->runs = one <= 0 ? 10000 : (int)(2000 / one);
        plan->runs = plan->runs < 10 ? 10 : plan->runs > 10000 ? 10000 : plan->runs;
    }
    TF_DeleteStatus(status);
    return code;
}

static int print_profile(const cli_args *args, const cli_session *s, oribi_run *run, int runs)
{
    profile p;
    int code = profile_take(args, s, run, runs, &p);

    if (code == CLI_OK && cli_has(args, "--json")) {
        oribi_text text = {0};
        oribi_json json = {.text = &text};
        oribi_text_append(&text, ",\"profile\":");
        profile_put_json(&json, &p, NULL);
        cli_text_print(&text);
        oribi_text_destroy(&text);
    } else if (code == CLI_OK) {
        profile_print(&p);
    }
    profile_free(&p);
    return code;
}

int cmd_bench(const cli_args *args)
{
    double start = now_ms(), load_ms, *times = NULL;
    cli_bench_plan plan;
    cli_session s;

    if (!cli_bench_plan_read(args, &plan)) {
        return CLI_USAGE;
    }
    int code = cli_session_open(args, &s);
    if (code != CLI_OK) {
        return code;
    }
    load_ms = now_ms() - start;
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(s.session, status);
    code = run == NULL ? cli_fail(status) : cli_bench_warm_up(args, &s, run, &plan);
    const int runs = plan.runs;
    times = cli_alloc((size_t)runs * sizeof *times);
    for (int i = 0; code == CLI_OK && i < runs; i++) {
        cli_progress("bench", i, runs);
        start = now_ms();
        oribi_run_execute(run, status);
        times[i] = now_ms() - start;
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    }
    cli_progress("bench", 0, 0);
    if (code == CLI_OK) {
        report(args, times, runs, load_ms, plan.first_ms);
    }
    if (code == CLI_OK && cli_has(args, "--profile")) {
        code = print_profile(args, &s, run, runs);
    }
    fputs(code == CLI_OK && cli_has(args, "--json") ? "}\n" : "", stdout);
    free(times);
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    cli_session_close(&s);
    return code;
}
