/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of the largest and of the mean. */
#include <string.h>

#include "device_ops/device_window.h"

static void *create_pool(TF_OpKernelConstruction *c, const char *function, bool has_explicit)
{
    oribi_kit_setup setup;
    window_attrs *w = window_begin(&setup, c, "pool", function);
    if (w != NULL) {
        w->dilation[0] = w->dilation[1] = 1;
        window_read_pair(&setup, "ksize", w, w->size);
        window_read_padding(&setup, w, has_explicit);
    }
    return oribi_kit_setup_end(&setup);
}

static void *create_max_pool(TF_OpKernelConstruction *c)
{
    return create_pool(c, "op_max_pool", true);
}

static void *create_avg_pool(TF_OpKernelConstruction *c)
{
    return create_pool(c, "op_avg_pool", false);
}

static void *create_explicit_avg_pool(TF_OpKernelConstruction *c)
{
    return create_pool(c, "op_avg_pool", true);
}

static const op_code max_strips[3] = WINDOW_STRIPS("op_max_pool_vectors");
static const op_code avg_strips[3] = WINDOW_STRIPS("op_avg_pool_vectors");

static void enqueue(op_kernel *kernel, op_request *r, const op_window *g)
{
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x), op_value(g, sizeof *g)};
    const bool is_max = strcmp(kernel->function, "op_max_pool") == 0;
    if (g->n > 0 &&
        !window_enqueue_strips(kernel, r, is_max ? max_strips : avg_strips, g, args, 3)) {
        op_enqueue(kernel, r, g->n, 1, args, 3);
    }
}

static void compute_pool(void *state, TF_OpKernelContext *ctx)
{
    op_kernel *kernel = state;
    op_request r;
    op_window g = {0};
    if (op_open(&r, ctx, 1) && TF_NumDims(r.x) != 4) {
        (void)op_refuse(&r, TF_INVALID_ARGUMENT, "the image must have 4 dimensions");
    } else if (op_is_ok(&r) &&
               window_make_output(&r, window_of(kernel), window_of(kernel)->size,
                                  TF_Dim(r.x, window_of(kernel)->is_nchw ? 1 : 3), &g)) {
        enqueue(kernel, &r, &g);
    }
    op_close(&r);
}

static const op_entry entries[] = {
    {"MaxPool", "pool", create_max_pool, compute_pool, {NULL}},
    {"AvgPool", "pool", create_avg_pool, compute_pool, {NULL}},
    {"Oribi>AvgPool", "pool", create_explicit_avg_pool, compute_pool, {NULL}},
};
const op_table op_pool_table = {entries, sizeof entries / sizeof *entries};
