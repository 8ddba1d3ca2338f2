/* SPDX-License-Identifier: Apache-2.0 */
/* What asynchronous kernels gain and cost: eight that do not depend on each other and take 20 ms
 * each, beside one; and what a start and a landing cost, as the slope between chains of 500 and
 * 1000 kernels that are done at once.
 *
 *     build/bench/oribi-bench-async [THREADS]      8 threads unless told otherwise
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/thread.h"
#include "session/session.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/thread_pool.h"

enum { TAKES_NS = 20000000, NODES = 8, ROUNDS = 11 };

static void check(TF_Status *status)
{
    if (TF_GetCode(status) != TF_OK) {
        fprintf(stderr, "async: %s\n", TF_Message(status));
        exit(1);
    }
}

/* --- Kernels --------------------------------------------------------------------------------- */

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_DeleteShapeHandle(shape);
}

static void copy(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    const int64_t dims[1] = {1};
    TF_GetInput(ctx, 0, &x, status);
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 1, sizeof(float), status);
    *(float *)TF_TensorData(z) = *(float *)TF_TensorData(x) + 1.0f;
    TF_DeleteTensor(z);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

typedef struct work {
    TF_OpKernelContext *ctx;
    TF_AsyncOpKernelDoneCallback *done;
} work;

static void take_long(void *object)
{
    work *self = object;
    oribi_thread_sleep(TAKES_NS);
    copy(self->ctx);
    TF_RunAsyncOpKernelDoneCallback(self->done);
    free(self);
}

static void compute_long(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done)
{
    (void)kernel;
    work *self = malloc(sizeof *self);
    if (self == NULL) {
        exit(1);
    }
    *self = (work){ctx, done};
    const TF_Callable call = {self, take_long, NULL};
    TF_ThreadPool_Schedule(ctx, call);
}

static void compute_at_once(void *kernel, TF_OpKernelContext *ctx,
                            TF_AsyncOpKernelDoneCallback *done)
{
    (void)kernel;
    copy(ctx);
    TF_RunAsyncOpKernelDoneCallback(done);
}

static void define(const char *name, TF_KernelBuilder *kernel, TF_Status *status)
{
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "z: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, same_shape);
    TF_OpDefinitionBuilderSetIsStateful(op, true);
    TF_RegisterOpDefinition(op, status);
    check(status);
    TF_RegisterKernelBuilder(name, kernel, status);
    check(status);
}

/* --- Runs ------------------------------------------------------------------------------------ */

/* n nodes, each of the input, or of the one before. */
static oribi_run *make_run(const char *op, int n, bool is_chain, int threads, TF_Status *status)
{
    int64_t dims[1] = {1};
    const oribi_shape shape = {1, dims};
    oribi_graph *graph = oribi_graph_create(status);
    const oribi_value_id x = oribi_graph_add_value(graph, "x", TF_FLOAT, &shape, status);
    oribi_value_id at = x;
    oribi_graph_add_input(graph, x, "x", status);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%d", i);
        oribi_node *node = oribi_graph_add_node(graph, op, name, is_chain ? &at : &x, 1, 1, status);
        oribi_graph_resolve(graph, node, status);
        check(status);
        at = node->outputs[0];
        if (!is_chain || i == n - 1) {
            oribi_graph_add_output(graph, at, name, status);
        }
    }
    oribi_options *options = oribi_options_create(status);
    oribi_options_set_threads(options, threads);
    oribi_session *session = oribi_session_from_graph(graph, options, status);
    check(status);
    oribi_run *run = oribi_run_create(session, status);
    TF_Tensor *input = TF_AllocateTensor(TF_FLOAT, dims, 1, sizeof(float));
    *(float *)TF_TensorData(input) = 0;
    oribi_run_set_input(run, 0, input, status);
    TF_DeleteTensor(input);
    check(status);
    oribi_options_destroy(options);
    oribi_session_destroy(session);
    return run;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median of some runs, ms. */
static double time_run(const char *op, int n, bool is_chain, int threads, TF_Status *status)
{
    double taken[ROUNDS];
    oribi_run *run = make_run(op, n, is_chain, threads, status);
    for (int i = -3; i < ROUNDS; i++) { /* the first runs plan */
        const uint64_t start = oribi_now_ns();
        oribi_run_execute(run, status);
        check(status);
        taken[i < 0 ? 0 : i] = (double)(oribi_now_ns() - start) / 1e6;
    }
    oribi_run_destroy(run);
    qsort(taken, ROUNDS, sizeof *taken, compare);
    return taken[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    TF_Status *status = TF_NewStatus();
    const int threads = argc > 1 ? atoi(argv[1]) : 8;
    define("Bench>Long", TF_NewAsyncKernelBuilder("Bench>Long", "CPU", NULL, compute_long, NULL),
           status);
    define("Bench>AtOnce",
           TF_NewAsyncKernelBuilder("Bench>AtOnce", "CPU", NULL, compute_at_once, NULL), status);
    printf("%d threads, kernels of 20 ms on the pool\n", threads);
    printf("one                   %8.2f ms\n", time_run("Bench>Long", 1, false, threads, status));
    printf("%d beside each other   %8.2f ms\n", NODES,
           time_run("Bench>Long", NODES, false, threads, status));
    printf("%d one after the other %8.2f ms\n", NODES,
           time_run("Bench>Long", NODES, true, threads, status));
    const double few = time_run("Bench>AtOnce", 500, true, threads, status);
    const double many = time_run("Bench>AtOnce", 1000, true, threads, status);
    printf("a start and a landing %8.0f ns\n", (many - few) * 1e6 / 500);
    TF_DeleteStatus(status);
    return 0;
}
