/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and LogSoftmax of the last dimension. */
#include "device_ops/device_op.h"

enum {
    SHARED_FROM = 16,    /* columns from which several threads make a row */
    OF_THREAD = 8,       /* and then so many of them each, at least */
    VECTORS_FROM = 16,   /* as code/vectors.h has them */
    OF_PROCESSOR = 4096, /* elements worth a thread of a processor */
};

static void launch_vectors(op_kernel *kernel, op_request *r, const op_rows *p,
                           const TF_LaunchArg *args)
{
    static const op_code code = {"softmax_vectors", "op_softmax_vectors", NULL};
    const int groups = (p->rows + p->of_thread - 1) / p->of_thread;
    const op_shape shape = {.grid = {(uint32_t)groups, 1, 1}, .block = {1, 1, 1}};
    op_launch_code(kernel, r, &code, &shape, args, 3);
}

static void launch_groups(op_kernel *kernel, op_request *r, const op_rows *p,
                          const TF_LaunchArg *args)
{
    const uint32_t threads = op_target()->threads;
    const uint32_t of_group = threads / (uint32_t)p->of_row;
    const op_shape shape = {.grid = {((uint32_t)p->rows + of_group - 1) / of_group, 1, 1},
                            .block = {threads, 1, 1},
                            .shared_bytes = threads * sizeof(float)};
    op_launch(kernel, r, kernel->group_function, &shape, args, 3);
}

static void enqueue(op_kernel *kernel, op_request *r, op_rows p)
{
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x), op_value(&p, sizeof p)};
    const int threads = (int)op_target()->threads;
    for (p.of_row = 2; p.of_row < threads && p.of_row * OF_THREAD < p.columns;) {
        p.of_row *= 2;
    }
    p.of_thread = p.columns > 0 && p.columns < OF_PROCESSOR ? OF_PROCESSOR / p.columns : 1;
    if (p.rows > 0 && p.columns >= VECTORS_FROM && op_has_vectors(r)) {
        launch_vectors(kernel, r, &p, args);
    } else if (p.rows > 0 && p.columns >= SHARED_FROM && !op_has_vectors(r)) {
        launch_groups(kernel, r, &p, args);
    } else {
        op_enqueue(kernel, r, p.rows, 1, args, 3);
    }
}

static void run_softmax(void *kernel, TF_OpKernelContext *ctx, bool is_log)
{
    op_request r;
    if (op_open(&r, ctx, 1) && TF_NumDims(r.x) < 1) {
        (void)op_refuse(&r, TF_INVALID_ARGUMENT, "logits must have at least one dimension");
    } else if (op_is_ok(&r) && op_output_like_x(&r)) {
        const int columns = (int)TF_Dim(r.x, TF_NumDims(r.x) - 1);
        const int rows = columns > 0 ? (int)TF_TensorElementCount(r.x) / columns : 0;
        enqueue(kernel, &r, (op_rows){.rows = rows, .columns = columns, .is_log = is_log});
    }
    op_close(&r);
}

static void compute_softmax(void *kernel, TF_OpKernelContext *ctx)
{
    run_softmax(kernel, ctx, false);
}

static void compute_log_softmax(void *kernel, TF_OpKernelContext *ctx)
{
    run_softmax(kernel, ctx, true);
}

static void *create_softmax(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, construction, "softmax", "op_softmax", 0);
    if (kernel != NULL) {
        kernel->group_function = "op_softmax_group";
    }
    return oribi_kit_setup_end(&setup);
}

static const op_entry entries[] = {
    {"Softmax", "softmax", create_softmax, compute_softmax, {NULL}},
    {"LogSoftmax", "softmax", create_softmax, compute_log_softmax, {NULL}},
};
const op_table op_softmax_table = {entries, sizeof entries / sizeof *entries};
