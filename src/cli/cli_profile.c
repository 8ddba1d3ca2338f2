/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi bench --profile`: where a run's time goes, by step and by op, beside what the step has to
 * do. The least time of several runs counts. The roof is what this machine was just measured to do
 * (machine.h): a step cannot take less than its products at the peak of the threads used, nor less
 * than its bytes at the rate at which one core reads memory that no cache holds. Bytes that a cache
 * still holds come faster, so a share above 100 % says that they did.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "machine.h"

enum { STREAM_BYTES = 256 << 20, MOST_ROWS = 40 };

typedef struct row {
    char *name;
    const char *op;    /* of the session's report; NULL: not in it */
    bool is_inside;    /* of a graph whose node has a row that counts this time, too */
    double now, least; /* seconds: of this run, of the best one */
    double operations, bytes;
    int count; /* of steps, in a row of an op; of the calls of a step in this run */
} row;

typedef struct profile {
    row *rows;
    int n, next; /* next: where the following event's row most probably is */
    double peak, bandwidth;
} profile;

static row *find(profile *p, const char *name)
{
    for (int tried = 0; tried < p->n; tried++) {
        const int at = (p->next + tried) % p->n;
        if (strcmp(p->rows[at].name, name) == 0) {
            p->next = at + 1;
            return &p->rows[at];
        }
    }
    p->rows = cli_grow(p->rows, (size_t)p->n + 1, sizeof *p->rows);
    row *made = &p->rows[p->n++];
    *made = (row){.name = cli_copy_text(name, strlen(name)), .least = -1};
    p->next = 0;
    return made;
}

static void take(void *arg, const oribi_trace_event *event)
{
    if (strcmp(event->kind, "step") == 0) {
        row *r = find(arg, event->name);
        r->now += (double)(event->end_ns - event->start_ns) * 1e-9;
        r->count++;
    }
}

static int measure(profile *p, oribi_run *run, int runs)
{
    TF_Status *status = TF_NewStatus();
    int code = CLI_OK;

    oribi_run_set_trace(run, take, p);
    for (int i = 0; code == CLI_OK && i < runs; i++) {
        cli_progress("profile", i, runs);
        oribi_run_execute(run, status);
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
        for (int k = 0; k < p->n; k++) {
            row *r = &p->rows[k];
            r->least = r->least < 0 || r->now < r->least ? r->now : r->least;
            r->now = 0;
        }
    }
    cli_progress("profile", 0, 0);
    oribi_run_set_trace(run, NULL, NULL);
    TF_DeleteStatus(status);
    return code;
}

/* Op and work of each row, from what the session says of its steps. */
static void describe(profile *p, const oribi_json_value *graph, int runs)
{
    for (const oribi_json_value *step = cli_json_first(graph, "steps"); step != NULL;
         step = step->next) {
        const char *node = cli_json_text(step, "node");
        for (int i = 0; i < p->n; i++) {
            row *r = &p->rows[i];
            if (strcmp(r->name, node) == 0) {
                const double calls = (double)r->count / runs;
                r->is_inside = cli_json_text(step, "within") != NULL;
                r->op = cli_json_text(step, "op");
                r->operations = calls * (double)cli_json_number(step, "operations");
                r->bytes = calls * (double)cli_json_number(step, "moved_bytes");
            }
        }
    }
}

static double roof_share(const profile *p, const row *r)
{
    const double by_sums = r->operations / p->peak, by_bytes = r->bytes / p->bandwidth;
    return r->least <= 0 ? 0 : (by_sums > by_bytes ? by_sums : by_bytes) / r->least;
}

static int slower(const void *a, const void *b)
{
    const row *x = a, *y = b;
    return (x->least < y->least) - (x->least > y->least);
}

static double sum_of(const row *rows, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += rows[i].is_inside ? 0 : rows[i].least;
    }
    return sum;
}

/* One row an op, with the sums of its steps. */
static int by_op(const profile *p, row *out)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        const row *r = &p->rows[i];
        const char *op = r->op == NULL ? "?" : r->op;
        int at = 0;
        while (at < n && strcmp(out[at].op, op) != 0) {
            at++;
        }
        if (at == n) {
            out[n++] = (row){.op = op};
        }
        out[at].least += r->least;
        out[at].operations += r->operations;
        out[at].bytes += r->bytes;
        out[at].count++;
    }
    qsort(out, (size_t)n, sizeof *out, slower);
    return n;
}

static void print_row(const profile *p, const row *r, double total)
{
    cli_print("%9.4f %6.1f%% %9.1f %9.1f %8.0f%%  ", r->least * 1e3, 100 * r->least / total,
              r->operations * 1e-9 / r->least, r->bytes * 1e-9 / r->least, 100 * roof_share(p, r));
}

static void print_table(const profile *p, const row *ops, int n_ops)
{
    const double total = sum_of(p->rows, p->n);
    printf("\nroof: %.1f GFLOP/s, %.1f GB/s read\n\n", p->peak * 1e-9, p->bandwidth * 1e-9);
    printf("%9s %7s %9s %9s %9s  %s\n", "ms", "share", "GFLOP/s", "GB/s", "of roof", "op: node");
    for (int i = 0; i < p->n && i < MOST_ROWS; i++) {
        print_row(p, &p->rows[i], total);
        cli_print("%s: %s\n", p->rows[i].op == NULL ? "?" : p->rows[i].op, p->rows[i].name);
    }
    if (p->n > MOST_ROWS) {
        printf("          and %d faster ones: --json lists all\n", p->n - MOST_ROWS);
    }
    printf("\n%9s %7s %9s %9s %9s  %s\n", "ms", "share", "GFLOP/s", "GB/s", "of roof", "op, steps");
    for (int i = 0; i < n_ops; i++) {
        print_row(p, &ops[i], total);
        cli_print("%s, %d\n", ops[i].op, ops[i].count);
    }
}

static void put_double(oribi_json *json, const char *key, double value)
{
    oribi_json_key(json, key);
    oribi_json_double(json, value);
}

static void put_row(oribi_json *json, const profile *p, const row *r)
{
    oribi_json_put_string(json, "op", r->op == NULL ? "?" : r->op);
    put_double(json, "least_ms", r->least * 1e3);
    put_double(json, "operations", r->operations);
    put_double(json, "moved_bytes", r->bytes);
    put_double(json, "of_roof", roof_share(p, r));
    oribi_json_close(json, '}');
}

static void print_json(const profile *p, const row *ops, int n_ops)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    oribi_json_open(&json, '{');
    put_double(&json, "peak_flops", p->peak);
    put_double(&json, "bytes_per_second", p->bandwidth);
    oribi_json_key(&json, "steps");
    oribi_json_open(&json, '[');
    for (int i = 0; i < p->n; i++) {
        oribi_json_open(&json, '{');
        oribi_json_put_string(&json, "node", p->rows[i].name);
        put_row(&json, p, &p->rows[i]);
    }
    oribi_json_close(&json, ']');
    oribi_json_key(&json, "ops");
    oribi_json_open(&json, '[');
    for (int i = 0; i < n_ops; i++) {
        oribi_json_open(&json, '{');
        oribi_json_put_int(&json, "count", ops[i].count);
        put_row(&json, p, &ops[i]);
    }
    oribi_json_close(&json, ']');
    oribi_json_close(&json, '}');
    fputs(oribi_text_string(&text), stdout);
    oribi_text_destroy(&text);
}

int cli_profile(const cli_session *s, oribi_run *run, int runs, int threads, bool as_json)
{
    const int most_threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    profile p = {.n = 0};
    const char *isa;
    TF_Status *status = TF_NewStatus();
    TF_Buffer *text = cli_buffer();
    int code = measure(&p, run, runs);

    oribi_session_describe(s->session, "graph", text, status);
    if (code == CLI_OK && TF_GetCode(status) != TF_OK) {
        code = cli_fail(status);
    }
    if (code == CLI_OK) {
        cli_json graph = cli_json_parse(text->data, text->length, "profile");
        row *ops = cli_alloc(((size_t)p.n + 1) * sizeof *ops);
        p.peak = (threads > 0 && threads < most_threads ? threads : most_threads) *
                 machine_peak_flops(&isa);
        p.bandwidth = machine_read_bandwidth(STREAM_BYTES);
        describe(&p, graph.root, runs);
        qsort(p.rows, (size_t)p.n, sizeof *p.rows, slower);
        const int n_ops = by_op(&p, ops);
        (as_json ? print_json : print_table)(&p, ops, n_ops);
        cli_json_free(&graph);
        free(ops);
    }
    for (int i = 0; i < p.n; i++) {
        free(p.rows[i].name);
    }
    free(p.rows);
    TF_DeleteBuffer(text);
    TF_DeleteStatus(status);
    return code;
}
