/* SPDX-License-Identifier: Apache-2.0 */
/* A larger box around the input: filled with a value, or with reflections. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "device_ops/device_walk.h"
#include "micro/geometry/geometry_pad.h"

/* Reads a [rank, 2] tensor in host memory: what comes before each dimension, and what after. */
static bool read_pairs(op_request *r, oribi_dims *before, oribi_dims *after)
{
    const int rank = TF_NumDims(r->x);
    const TF_DataType type = TF_TensorType(r->y);
    if (TF_NumDims(r->y) != 2 || TF_Dim(r->y, 0) != rank || TF_Dim(r->y, 1) != 2 ||
        (type != TF_INT32 && type != TF_INT64)) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "paddings must hold a pair for each dimension");
    }
    for (int i = 0; i < 2 * rank; i++) {
        const int64_t one = type == TF_INT64 ? ((const int64_t *)TF_TensorData(r->y))[i]
                                             : ((const int32_t *)TF_TensorData(r->y))[i];
        (void)oribi_dims_add(i % 2 == 0 ? before : after, one);
        if (one < 0 || one > INT_MAX / 2) {
            return op_refuse(r, TF_INVALID_ARGUMENT, "a padding is negative or too large");
        }
    }
    return true;
}

static bool fill(op_request *r, oribi_geometry_border border, op_pad *p)
{
    oribi_dims before = {0}, after = {0}, in, out = {0};
    if (!read_pairs(r, &before, &after) || !op_dims(r, r->x, &in)) {
        return false;
    }
    for (int i = 0; i < in.n; i++) {
        int64_t size = 0;
        if (!oribi_geometry_pad(in.at[i], before.at[i], after.at[i], border, &size)) {
            return op_refuse(r, TF_INVALID_ARGUMENT,
                             "a padding is larger than what the input can mirror");
        }
        (void)oribi_dims_add(&out, size);
    }
    if (!op_output(r, &out)) {
        return false;
    }
    p->n = (int32_t)TF_TensorElementCount(r->out);
    p->rank = in.n;
    p->is_mirror = border != ORIBI_GEOMETRY_VALUE;
    p->skip = border == ORIBI_GEOMETRY_REFLECT;
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
    const oribi_geometry_border *border = ((const op_kernel *)kernel)->attrs;
    op_request r;
    op_pad p = {0};
    const bool is_open = op_open(&r, ctx, 2);
    const TF_Tensor *value = is_open && has_value ? op_other(&r, 2) : NULL;
    if (value != NULL && TF_TensorElementCount(value) != 1) {
        (void)op_refuse(&r, TF_INVALID_ARGUMENT, "the value to pad with must be one number");
    } else if (op_is_ok(&r)) {
        p.value = value != NULL ? *(const float *)TF_TensorData(value) : 0.0f;
        if (fill(&r, border != NULL ? *border : ORIBI_GEOMETRY_VALUE, &p)) {
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
    char mode[16] = {0};
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "move", "op_pad_box", sizeof(oribi_geometry_border));
    oribi_kit_attr_string(&setup, "mode", mode, sizeof mode);
    if (kernel != NULL) {
        *(oribi_geometry_border *)kernel->attrs =
            strcmp(mode, "REFLECT") == 0 ? ORIBI_GEOMETRY_REFLECT : ORIBI_GEOMETRY_SYMMETRIC;
    }
    return oribi_kit_setup_end(&setup);
}

static const op_entry entries[] = {
    {"Pad", "move", create_pad, compute_pad, {"paddings"}},
    {"PadV2", "move", create_pad, compute_pad_v2, {"paddings", "constant_values"}},
    {"MirrorPad", "move", create_mirror_pad, compute_pad, {"paddings"}},
};
const op_table op_pad_table = {entries, sizeof entries / sizeof *entries};
