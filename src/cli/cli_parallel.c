/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi inspect --parallel`: what would 2, 8, 32 cores give? Sessions are made for so many
 * threads, of which none but the caller ever comes: kernels cut their loops as for all of them, and
 * one core works off the blocks, undisturbed. A step's span is its time outside of blocks, and the
 * longest of the cores' shares when each next block goes to whoever is free first. All blocks of a
 * step count as of one loop. Not here: times of threads that are there (profile/profile_measure.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "machine.h"

enum { N_COUNTS = 4, MOST_CORES = 32, RUNS = 5, STREAM_BYTES = 256 << 20, MOST_ROWS = 40 };
static const int counts[N_COUNTS] = {1, 2, 8, MOST_CORES};
static const double MOST_SERIAL = 0.02;

typedef struct seen { /* one execution of a step, seconds */
    double time, inside, load[MOST_CORES];
    int blocks;
} seen;

typedef struct step {
    char *name;
    const char *op;
    double bytes;
    double time[N_COUNTS], span[N_COUNTS], serial[N_COUNTS];
    int blocks[N_COUNTS];
} step;

typedef struct parallel {
    step *steps;
    int n, at, which; /* at: the step whose blocks come; which: of `counts` */
    bool is_first;    /* run of all: the steps are listed */
    seen now;
    double bandwidth;
} parallel;

/* Helpers that never come: a pool waits for nobody. What was scheduled is run at the end. */
typedef struct absent {
    void (*fn[MOST_CORES])(void *arg);
    void *arg[MOST_CORES];
    int n;
} absent;

static void schedule(void *object, void (*fn)(void *arg), void *arg)
{
    absent *all = object;
    if (all->n < MOST_CORES) { /* a pool enlists no more than it has threads */
        all->fn[all->n] = fn;
        all->arg[all->n++] = arg;
    }
}

static void finish_step(parallel *p)
{
    if (p->at < 0 || p->at >= p->n) {
        return;
    }
    step *s = &p->steps[p->at];
    const int w = p->which;
    const double serial = p->now.time > p->now.inside ? p->now.time - p->now.inside : 0;
    double most = 0;
    for (int i = 0; i < counts[w]; i++) {
        most = p->now.load[i] > most ? p->now.load[i] : most;
    }
    if (s->time[w] <= 0 || p->now.time < s->time[w]) {
        s->time[w] = p->now.time;
        s->serial[w] = serial;
        s->span[w] = serial + most;
        s->blocks[w] = p->now.blocks;
    }
}

static void take(void *arg, const oribi_trace_event *event)
{
    parallel *p = arg;
    const double time = (double)(event->end_ns - event->start_ns) * 1e-9;
    if (strcmp(event->kind, "step") == 0) {
        finish_step(p);
        p->at++;
        if (p->is_first && p->at == p->n) {
            p->steps = cli_grow(p->steps, (size_t)p->n + 1, sizeof *p->steps);
            p->steps[p->n++] = (step){.name = cli_copy_text(event->name, strlen(event->name))};
        }
        p->now = (seen){.time = time};
    } else if (strcmp(event->kind, "block") == 0) {
        int free_first = 0;
        for (int i = 1; i < counts[p->which]; i++) {
            free_first = p->now.load[i] < p->now.load[free_first] ? i : free_first;
        }
        p->now.load[free_first] += time;
        p->now.inside += time;
        p->now.blocks++;
    }
}

static int bind_random(const cli_session *s, oribi_run *run, TF_Status *status)
{
    cli_image_options images = {.layout = NULL};
    for (int i = 0; i < oribi_model_num_inputs(s->model); i++) {
        cli_input input = {i, "rand:1", oribi_model_input_name(s->model, i)};
        TF_Tensor *tensor = cli_input_make(s->model, &input, &images);
        if (tensor == NULL) {
            return cli_budget_code();
        }
        oribi_run_set_input(run, i, tensor, status);
        TF_DeleteTensor(tensor);
        if (TF_GetCode(status) != TF_OK) {
            return cli_fail(status);
        }
    }
    return CLI_OK;
}

static int run_all(parallel *p, const cli_session *s, oribi_run *run, TF_Status *status)
{
    int code = bind_random(s, run, status);
    for (int i = 0; code == CLI_OK && i < RUNS + 2; i++) {
        p->at = -1;
        p->is_first = p->n == 0;
        oribi_run_set_trace(run, i < 2 ? NULL : take, p);
        oribi_run_execute(run, status);
        finish_step(p);
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    }
    oribi_run_set_trace(run, NULL, NULL);
    return code;
}

/* Op and bytes of each step. */
static void describe(parallel *p, oribi_session *session, TF_Status *status)
{
    TF_Buffer *text = cli_buffer();
    oribi_session_describe(session, "graph", text, status);
    if (TF_GetCode(status) == TF_OK) {
        cli_json graph = cli_json_parse(text->data, text->length, "parallel");
        const oribi_json_value *row = cli_json_first(graph.root, "steps");
        for (; row != NULL; row = row->next) {
            const char *node = cli_json_text(row, "node"), *op = cli_json_text(row, "op");
            for (int i = 0; node != NULL && op != NULL && i < p->n; i++) {
                if (p->steps[i].op == NULL && strcmp(p->steps[i].name, node) == 0) {
                    p->steps[i].op = cli_copy_text(op, strlen(op));
                    p->steps[i].bytes = (double)cli_json_number(row, "moved_bytes");
                }
            }
        }
        cli_json_free(&graph);
    }
    TF_DeleteBuffer(text);
}

static int measure(parallel *p, const cli_session *s)
{
    TF_Status *status = TF_NewStatus();
    absent helpers = {.n = 0};
    const oribi_thread_pool pool = {sizeof pool, &helpers, counts[p->which] - 1, schedule};
    int code = CLI_OK;

    oribi_options_set_threads(s->options, 0);
    oribi_options_set_thread_pool(s->options, &pool, status);
    oribi_session *session = oribi_session_create(s->model, s->options, status);
    oribi_run *run = session != NULL ? oribi_run_create(session, status) : NULL;
    code = run == NULL ? cli_fail(status) : run_all(p, s, run, status);
    if (code == CLI_OK && p->which == 0) {
        describe(p, session, status);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    for (int i = 0; i < helpers.n; i++) {
        helpers.fn[i](helpers.arg[i]);
    }
    TF_DeleteStatus(status);
    return code;
}

/* A step takes no less than its bytes from memory, unless caches have already served them faster.
 */
static double with_memory(const parallel *p, const step *s, int which)
{
    const double bytes = s->bytes / p->bandwidth;
    const double roof = bytes < s->time[0] ? bytes : s->time[0];
    return s->span[which] > roof ? s->span[which] : roof;
}

static bool is_serial(const step *s, int which)
{
    return s->blocks[which] > 1 && s->serial[which] > MOST_SERIAL * s->time[0];
}

static void sum_up(const parallel *p, double *span, double *roof)
{
    for (int w = 0; w < N_COUNTS; w++) {
        span[w] = roof[w] = 0;
        for (int i = 0; i < p->n; i++) {
            span[w] += p->steps[i].span[w];
            roof[w] += with_memory(p, &p->steps[i], w);
        }
    }
}

static int slower(const void *a, const void *b)
{
    const step *x = a, *y = b;
    return (x->span[N_COUNTS - 1] < y->span[N_COUNTS - 1]) -
           (x->span[N_COUNTS - 1] > y->span[N_COUNTS - 1]);
}

static void print_table(const parallel *p)
{
    double span[N_COUNTS], roof[N_COUNTS];
    int n_serial = 0;
    sum_up(p, span, roof);
    printf("%9s %9s %9s %9s %8s %8s  %s\n", "work ms", "span 2", "span 8", "span 32", "blocks",
           "serial", "op: node (the longest at 32 cores first)");
    for (int i = 0; i < p->n; i++) {
        const step *s = &p->steps[i];
        n_serial += is_serial(s, N_COUNTS - 1);
        if (i < MOST_ROWS) {
            cli_print("%9.4f %9.4f %9.4f %9.4f %8d %7.1f%%%s %s: %s\n", s->time[0] * 1e3,
                      s->span[1] * 1e3, s->span[2] * 1e3, s->span[3] * 1e3, s->blocks[N_COUNTS - 1],
                      100 * s->serial[N_COUNTS - 1] / s->time[0],
                      is_serial(s, N_COUNTS - 1) ? "*" : " ", s->op == NULL ? "?" : s->op, s->name);
        }
    }
    printf("\n%5s %9s %9s %14s\n", "cores", "span ms", "speed-up", "memory's bound");
    for (int w = 0; w < N_COUNTS; w++) {
        printf("%5d %9.4f %9.2f %14.2f\n", counts[w], span[w] * 1e3, span[0] / span[w],
               span[0] / roof[w]);
    }
    printf("\n%d steps with loops have a serial part above %.0f %% (*)\n", n_serial,
           100 * MOST_SERIAL);
}

static void put_each(oribi_json *json, const char *key, const double *values, double factor)
{
    oribi_json_key(json, key);
    oribi_json_open(json, '[');
    for (int w = 0; w < N_COUNTS; w++) {
        oribi_json_double(json, values[w] * factor);
    }
    oribi_json_close(json, ']');
}

static void print_json(const parallel *p)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    double span[N_COUNTS], roof[N_COUNTS];
    const double cores[N_COUNTS] = {1, 2, 8, MOST_CORES};
    sum_up(p, span, roof);
    oribi_json_open(&json, '{');
    put_each(&json, "cores", cores, 1);
    oribi_json_key(&json, "steps");
    oribi_json_open(&json, '[');
    for (int i = 0; i < p->n; i++) {
        const step *s = &p->steps[i];
        oribi_json_open(&json, '{');
        oribi_json_put_string(&json, "node", s->name);
        oribi_json_put_string(&json, "op", s->op == NULL ? "?" : s->op);
        oribi_json_put_int(&json, "blocks", s->blocks[N_COUNTS - 1]);
        oribi_json_put_bool(&json, "serial_above_bound", is_serial(s, N_COUNTS - 1));
        put_each(&json, "work_ms", s->time, 1e3);
        put_each(&json, "serial_ms", s->serial, 1e3);
        put_each(&json, "span_ms", s->span, 1e3);
        oribi_json_close(&json, '}');
    }
    oribi_json_close(&json, ']');
    put_each(&json, "span_ms", span, 1e3);
    put_each(&json, "span_with_memory_ms", roof, 1e3);
    oribi_json_close(&json, '}');
    printf("%s\n", oribi_text_string(&text));
    oribi_text_destroy(&text);
}

int cli_parallel(const cli_session *s, bool as_json)
{
    parallel p = {.n = 0};
    int code = CLI_OK;

    for (p.which = 0; code == CLI_OK && p.which < N_COUNTS; p.which++) {
        code = measure(&p, s);
    }
    if (code == CLI_OK) {
        p.bandwidth = machine_read_bandwidth(STREAM_BYTES);
        qsort(p.steps, (size_t)p.n, sizeof *p.steps, slower);
        (as_json ? print_json : print_table)(&p);
    }
    for (int i = 0; i < p.n; i++) {
        free(p.steps[i].name);
        free((char *)p.steps[i].op);
    }
    free(p.steps);
    return code;
}
