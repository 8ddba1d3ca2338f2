/* SPDX-License-Identifier: Apache-2.0 */
/* A larger box around the input: filled with a value, or with reflections. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "device_ops/walk.h"

enum { SYMMETRIC = 1, REFLECT }; /* kernel->attrs of a MirrorPad; 0: a value */

/* Of a [rank, 2] tensor in host memory: what comes before each dimension, and what after. */
static bool read_pairs(op_request *r, oribi_dims *before, oribi_dims *after)
{
    const int rank = TF_NumDims(r->x);
    const TF_DataType type = TF_TensorType(r->y);
    if (TF_NumDims(r->y) != 2 || TF_Dim(r->y, 0) != rank || TF_Dim(r->y, 1) != 2 ||
        (type != TF_INT32 && type != TF_INT64)) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "paddings that are no pair for each dimension");
    }
    for (int i = 0; i < 2 * rank; i++) {
        const int64_t one = type == TF_INT64 ? ((const int64_t *)TF_TensorData(r->y))[i]
                                             : ((const int32_t *)TF_TensorData(r->y))[i];
        (void)oribi_dims_add(i % 2 == 0 ? before : after, one);
        if (one < 0 || one > INT_MAX / 2) {
            return op_refuse(r, TF_INVALID_ARGUMENT, "paddings below 0, or too large ones");
        }
    }
    return true;
}

static bool fill(op_request *r, int mirror, op_pad *p)
{
    oribi_dims before = {0}, after = {0}, in, out = {0};
    if (!read_pairs(r, &before, &after) || !op_dims(r, r->x, &in)) {
        return false;
    }
    for (int i = 0; i < in.n; i++) {
        (void)oribi_dims_add(&out, in.at[i] + before.at[i] + after.at[i]);
        const int64_t most = in.at[i] - (mirror == REFLECT);
        if (mirror != 0 && (before.at[i] > most || after.at[i] > most)) {
            return op_refuse(r, TF_INVALID_ARGUMENT, "paddings beyond what the input mirrors");
        }
    }
    if (!op_output(r, &out)) {
        return false;
    }
    p->n = (int32_t)TF_TensorElementCount(r->out);
    p->rank = in.n;
    p->is_mirror = mirror != 0;
    p->skip = mirror == REFLECT;
    walk_strides(&in, p->x);
    for (int i = 0; i < in.n; i++) {
        p->dims[i] = (int32_t)out.at[i];
        p->by_dims[i] = walk_divisor(p->dims[i]);
        p->in[i] = (int32_t)in.at[i];
        p->before[i] = (int32_t)before.at[i];
    }
    return true;
}

static void run_pad(void *kernel, TF_OpKernelContext *ctx, bool has_value)
{
    const int *mirror = ((const op_kernel *)kernel)->attrs;
    op_request r;
    op_pad p = {0};
    const bool is_open = op_open(&r, ctx, 2);
    const TF_Tensor *value = is_open && has_value ? op_other(&r, 2) : NULL;
    if (value != NULL && TF_TensorElementCount(value) != 1) {
        (void)op_refuse(&r, TF_INVALID_ARGUMENT, "a filling that is not one number");
    } else if (op_is_ok(&r)) {
        p.value = value != NULL ? *(const float *)TF_TensorData(value) : 0.0f;
        if (fill(&r, mirror != NULL ? *mirror : 0, &p)) {
            const TF_LaunchArg args[] = {op_memory(r.out), op_memory(r.x), op_value(&p, sizeof p)};
            if (p.is_mirror || p.rank == 0) {
                op_enqueue(kernel, &r, p.n, 1, args, 3);
            } else {
                op_enqueue_strips(kernel, &r, p.n, args, 3);
            }
        }
    }
    op_close(&r);
}

static void compute_pad(void *kernel, TF_OpKernelContext *ctx)
{
    run_pad(kernel, ctx, false);
}

static void compute_pad_v2(void *kernel, TF_OpKernelContext *ctx)
{
    run_pad(kernel, ctx, true);
}

OP_CREATE(create_pad, "move", "op_pad_box")

static void *create_mirror_pad(TF_OpKernelConstruction *c)
{
    TF_Status *status = TF_NewStatus();
    char mode[16] = {0};
    op_kernel *kernel = op_create("move", "op_pad_box", status);
    int *mirror = kernel != NULL ? calloc(1, sizeof *mirror) : NULL;
    if (mirror == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
        return op_finish(c, kernel, status);
    }
    kernel->attrs = mirror;
    TF_OpKernelConstruction_GetAttrString(c, "mode", mode, sizeof mode - 1, status);
    *mirror = strcmp(mode, "REFLECT") == 0 ? REFLECT : SYMMETRIC;
    return op_finish(c, kernel, status);
}

static const op_entry entries[] = {
    {"Pad", "move", create_pad, compute_pad, {"paddings"}},
    {"PadV2", "move", create_pad, compute_pad_v2, {"paddings", "constant_values"}},
    {"MirrorPad", "move", create_mirror_pad, compute_pad, {"paddings"}},
};
const op_table op_pad_table = {entries, sizeof entries / sizeof *entries};
