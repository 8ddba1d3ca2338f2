/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of dispatch: what one step of a session takes besides the kernel's own work, as the slope
 * between chains of 1000 and 2000 tiny ops.
 *
 *     build/bench/oribi-bench-dispatch             a table of ns an op
 *     build/bench/oribi-bench-dispatch count 2000  one chain, 100 runs: under `valgrind
 * --tool=callgrind`
 *                                      --toggle-collect=oribi_run_execute (or perf stat), twice
 *
 * The kernels do what the smallest real kernel does: get one or two inputs, allocate or forward the
 * output, delete the handles, touch one float. A status is made and deleted in each too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "session/session.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

typedef enum flavour { UNARY, BINARY, FORWARD, N_FLAVOURS } flavour;
static const char *const op_names[N_FLAVOURS] = {"Bench>Unary", "Bench>Binary", "Bench>Forward"};
static const char *const titles[N_FLAVOURS] = {"one input", "two inputs", "output forwarded"};

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_DeleteShapeHandle(shape);
}

static void compute_unary(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    const int64_t dims[1] = {TF_Dim(x, 0)};
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 1, sizeof(float), status);
    *(float *)TF_TensorData(z) = *(float *)TF_TensorData(x) + 1.0f;
    TF_DeleteTensor(z);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void compute_binary(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_Tensor *y = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_GetInput(ctx, 1, &y, status);
    const int64_t dims[1] = {TF_Dim(x, 0)};
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 1, sizeof(float), status);
    *(float *)TF_TensorData(z) = *(float *)TF_TensorData(x) + *(float *)TF_TensorData(y);
    TF_DeleteTensor(z);
    TF_DeleteTensor(y);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void compute_forward(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    TF_Status *status = TF_NewStatus();
    const int64_t dims[1] = {1};
    const int candidates[1] = {0};
    int forwarded = -1;
    TF_Tensor *z =
        TF_ForwardInputOrAllocateOutput(ctx, candidates, 1, 0, dims, 1, &forwarded, status);
    if (forwarded < 0) {
        TF_Tensor *x = NULL;
        TF_GetInput(ctx, 0, &x, status);
        *(float *)TF_TensorData(z) = *(float *)TF_TensorData(x);
        TF_DeleteTensor(x);
    }
    *(float *)TF_TensorData(z) += 1.0f;
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static void check(TF_Status *status)
{
    if (TF_GetCode(status) != TF_OK) {
        fprintf(stderr, "dispatch: %s\n", TF_Message(status));
        exit(1);
    }
}

static void define(flavour which, void (*compute)(void *, TF_OpKernelContext *), TF_Status *status)
{
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(op_names[which]);
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    if (which == BINARY) {
        TF_OpDefinitionBuilderAddInput(op, "y: float");
    }
    TF_OpDefinitionBuilderAddOutput(op, "z: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, same_shape);
    TF_OpDefinitionBuilderSetIsStateful(op, true);
    TF_RegisterOpDefinition(op, status);
    check(status);
    TF_RegisterKernelBuilder(
        op_names[which], TF_NewKernelBuilder(op_names[which], "CPU", NULL, compute, NULL), status);
    check(status);
}

/* x0 -> op -> op ... ; the binary op reads the two values before it. */
static oribi_run *make_chain(flavour which, int length, TF_Status *status)
{
    int64_t dims[1] = {1};
    const oribi_shape shape = {1, dims};
    oribi_graph *graph = oribi_graph_create(status);
    oribi_value_id at = oribi_graph_add_value(graph, "x", TF_FLOAT, &shape, status);
    oribi_value_id before = at;
    oribi_graph_add_input(graph, at, "x", status);
    for (int i = 0; i < length; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%d", i);
        const oribi_value_id inputs[2] = {at, before};
        oribi_node *node = oribi_graph_add_node(graph, op_names[which], name, inputs,
                                                which == BINARY ? 2 : 1, 1, status);
        check(status);
        oribi_graph_resolve(graph, node, status);
        check(status);
        before = at;
        at = node->outputs[0];
    }
    oribi_graph_add_output(graph, at, "z", status);
    check(status);
    oribi_options *options = oribi_options_create(status);
    oribi_options_set_threads(options, 1);
    oribi_session *session = oribi_session_from_graph(graph, options, status);
    check(status);
    oribi_run *run = oribi_run_create(session, status);
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, dims, 1, sizeof(float));
    *(float *)TF_TensorData(x) = 0;
    oribi_run_set_input(run, 0, x, status);
    TF_DeleteTensor(x);
    check(status);
    for (int i = 0; i < 3; i++) { /* the first runs plan */
        oribi_run_execute(run, status);
        check(status);
    }
    oribi_options_destroy(options);
    oribi_session_destroy(session);
    return run;
}

/* Fastest of many runs, ns. */
static uint64_t time_chain(flavour which, int length, TF_Status *status)
{
    oribi_run *run = make_chain(which, length, status);
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 2000; i++) {
        const uint64_t start = oribi_now_ns();
        oribi_run_execute(run, status);
        const uint64_t taken = oribi_now_ns() - start;
        best = taken < best ? taken : best;
    }
    check(status);
    oribi_run_destroy(run);
    return best;
}

static int count(flavour which, int length, TF_Status *status)
{
    oribi_run *run = make_chain(which, length, status);
    for (int i = 0; i < 100; i++) {
        oribi_run_execute(run, status);
    }
    check(status);
    oribi_run_destroy(run);
    return 0;
}

int main(int argc, char **argv)
{
    TF_Status *status = TF_NewStatus();
    define(UNARY, compute_unary, status);
    define(BINARY, compute_binary, status);
    define(FORWARD, compute_forward, status);
    if (argc >= 3 && strcmp(argv[1], "count") == 0) {
        const int which = argc > 3 ? atoi(argv[3]) % N_FLAVOURS : UNARY;
        return count((flavour)which, atoi(argv[2]), status);
    }
    printf("| kernel | ns |\n|---|---:|\n");
    for (int which = 0; which < N_FLAVOURS; which++) {
        const uint64_t a = time_chain((flavour)which, 1000, status);
        const uint64_t b = time_chain((flavour)which, 2000, status);
        printf("| %s | %.1f |\n", titles[which], ((double)b - (double)a) / 1000);
    }
    TF_DeleteStatus(status);
    return 0;
}
