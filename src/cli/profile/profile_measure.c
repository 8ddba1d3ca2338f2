/* SPDX-License-Identifier: Apache-2.0 */
/* Where does a run's time go, by step and by op, beside what the step has to do? The least time of
 * several runs counts. The roof is what this machine was just measured to do (machine.h): a step
 * cannot take less than its products at the peak of the threads used, nor less than its bytes at
 * the rate at which one core reads memory that no cache holds. Bytes that a cache still holds come
 * faster, so a share above 100 % says that they did.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "profile/profile.h"

enum { STREAM_BYTES = 256 << 20 };

static profile_row *find(profile *p, const char *name)
{
    for (int tried = 0; tried < p->n; tried++) {
        const int at = (p->next + tried) % p->n;
        if (strcmp(p->rows[at].name, name) == 0) {
            p->next = at + 1;
            return &p->rows[at];
        }
    }
    p->rows = cli_grow(p->rows, (size_t)p->n + 1, sizeof *p->rows);
    profile_row *made = &p->rows[p->n++];
    *made = (profile_row){.name = cli_copy_text(name, strlen(name)), .op = "?", .least = -1};
    p->next = 0;
    return made;
}

static void take(void *arg, const oribi_trace_event *event)
{
    if (strcmp(event->kind, "step") == 0) {
        profile_row *r = find(arg, event->name);
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
            profile_row *r = &p->rows[k];
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
static void describe(profile *p)
{
    for (const oribi_json_value *step = cli_json_first(p->graph.root, "steps"); step != NULL;
         step = step->next) {
        const char *node = cli_json_text(step, "node");
        for (int i = 0; i < p->n; i++) {
            profile_row *r = &p->rows[i];
            if (strcmp(r->name, node) == 0) {
                const double calls = (double)r->count / p->runs;
                r->is_inside = cli_json_text(step, "within") != NULL;
                r->op = cli_json_text(step, "op");
                r->operations = calls * (double)cli_json_number(step, "operations");
                r->bytes = calls * (double)cli_json_number(step, "moved_bytes");
            }
        }
    }
}

double profile_roof_share(const profile *p, const profile_row *r)
{
    const double by_sums = r->operations / p->peak, by_bytes = r->bytes / p->bandwidth;
    return r->least <= 0 ? 0 : (by_sums > by_bytes ? by_sums : by_bytes) / r->least;
}

static int slower(const void *a, const void *b)
{
    const profile_row *x = a, *y = b;
    return (x->least < y->least) - (x->least > y->least);
}

/* One row an op, with the sums of its steps. */
static void sum_ops(profile *p)
{
    p->ops = cli_alloc(((size_t)p->n + 1) * sizeof *p->ops);
    for (int i = 0; i < p->n; i++) {
        const profile_row *r = &p->rows[i];
        int at = 0;
        while (at < p->n_ops && strcmp(p->ops[at].op, r->op) != 0) {
            at++;
        }
        if (at == p->n_ops) {
            p->ops[p->n_ops++] = (profile_row){.op = r->op};
        }
        p->ops[at].least += r->least;
        p->ops[at].operations += r->operations;
        p->ops[at].bytes += r->bytes;
        p->ops[at].count++;
        p->total += r->is_inside ? 0 : r->least;
    }
    qsort(p->ops, (size_t)p->n_ops, sizeof *p->ops, slower);
}

int profile_take(const cli_args *args, const cli_session *s, oribi_run *run, int runs, profile *out)
{
    bool bad = false; /* no more: options have been read */
    const int threads = (int)cli_number(args, "--threads", 0, 0, INT32_MAX, &bad);
    const int most_threads = (int)sysconf(_SC_NPROCESSORS_ONLN);

    *out = (profile){.runs = runs};
    out->threads = threads > 0 && threads < most_threads ? threads : most_threads;
    int code = measure(out, run, runs);
    code = code == CLI_OK ? cli_session_tree(s, "graph", &out->graph) : code;
    if (code == CLI_OK) {
        machine_limit(cli_value(args, "--isa"));
        out->peak = out->threads * machine_peak_flops(&out->isa);
        out->bandwidth = machine_read_bandwidth(STREAM_BYTES);
        describe(out);
        qsort(out->rows, (size_t)out->n, sizeof *out->rows, slower);
        sum_ops(out);
    }
    return code;
}

void profile_free(profile *p)
{
    for (int i = 0; i < p->n; i++) {
        free(p->rows[i].name);
    }
    free(p->rows);
    free(p->ops);
    cli_json_free(&p->graph);
}
