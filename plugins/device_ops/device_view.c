/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that show their input under another shape, or tell of it: nothing is copied, nothing runs on
 * the device. Shape, Size and Rank write to host memory.
 */
#include <limits.h>
#include <stdlib.h>

#include "device_ops/device_op.h"

/* The dimensions that are wanted, a -1 among them worked out; false when they do not fit. */
static bool work_out(const op_request *r, oribi_dims *dims)
{
    const int64_t count = TF_TensorElementCount(r->x);
    int64_t known = 1;
    int unknown = -1;
    for (int i = 0; i < dims->n; i++) {
        if (dims->at[i] == -1 && unknown < 0) {
            unknown = i;
        } else if (dims->at[i] < 0 || (dims->at[i] > 0 && known > INT64_MAX / dims->at[i])) {
            return false;
        } else {
            known *= dims->at[i];
        }
    }
    if (unknown >= 0) {
        dims->at[unknown] = known > 0 ? count / known : 0;
        known *= dims->at[unknown];
    }
    return known == count;
}

static void compute_reshape(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    oribi_dims dims;
    (void)kernel;
    if (op_open(&r, ctx, 2) && op_read_dims(&r, r.y, &dims)) {
        if (work_out(&r, &dims)) {
            op_output_view(&r, &dims);
        } else {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT,
                            "the new shape has a different number of elements");
        }
    }
    op_close(&r);
}

static void compute_expand_dims(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    oribi_dims dims = {0};
    int64_t axis = 0;
    int n = 0, at = 0;
    (void)kernel;
    if (op_open(&r, ctx, 2) && op_read_ints(&r, r.y, &axis, 1, &n) &&
        op_axis(&r, axis, TF_NumDims(r.x) + 1, &at)) {
        const int rank = TF_NumDims(r.x) + 1;
        for (int i = 0; i < rank; i++) {
            (void)oribi_dims_add(&dims, i == at ? 1 : TF_Dim(r.x, i < at ? i : i - 1));
        }
        op_output_view(&r, &dims);
    }
    op_close(&r);
}

static void compute_squeeze(void *state, TF_OpKernelContext *ctx)
{
    const oribi_dims *axes = ((const op_kernel *)state)->attrs;
    op_request r;
    oribi_dims dims = {0};
    unsigned dropped = 0;
    int axis = 0;
    if (!op_open(&r, ctx, 1)) {
        op_close(&r);
        return;
    }
    for (int i = 0; i < axes->n && op_axis(&r, axes->at[i], TF_NumDims(r.x), &axis); i++) {
        dropped |= 1u << axis;
    }
    for (int i = 0; op_is_ok(&r) && i < TF_NumDims(r.x); i++) {
        const bool drops = axes->n > 0 ? (dropped >> i & 1) != 0 : TF_Dim(r.x, i) == 1;
        if (drops && TF_Dim(r.x, i) != 1) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT, "a dimension to squeeze must have size 1");
        } else if (!drops) {
            (void)oribi_dims_add(&dims, TF_Dim(r.x, i));
        }
    }
    if (op_is_ok(&r)) {
        op_output_view(&r, &dims);
    }
    op_close(&r);
}

static void compute_identity(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    (void)kernel;
    if (op_open(&r, ctx, 1)) {
        TF_SetOutput(ctx, 0, r.x, r.run.status);
    }
    op_close(&r);
}

/* --- Of the shape ---------------------------------------------------------------------------- */

static void put(op_request *r, const int64_t *values, int64_t n, int rank)
{
    const TF_DataType type = TF_ExpectedOutputDataType(r->run.context, 0);
    r->out = TF_AllocateOutput(r->run.context, 0, type, &n, rank, (size_t)n * TF_DataTypeSize(type),
                               r->run.status);
    for (int64_t i = 0; r->out != NULL && i < n; i++) {
        if (type == TF_INT64) {
            ((int64_t *)TF_TensorData(r->out))[i] = values[i];
        } else if (values[i] <= INT_MAX) {
            ((int32_t *)TF_TensorData(r->out))[i] = (int32_t)values[i];
        } else {
            (void)op_refuse(r, TF_INVALID_ARGUMENT, "a size does not fit in an int32");
        }
    }
}

static void compute_shape(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    oribi_dims dims;
    (void)kernel;
    if (op_open(&r, ctx, 1) && op_dims(&r, r.x, &dims)) {
        put(&r, dims.at, dims.n, 1);
    }
    op_close(&r);
}

static void compute_size(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    (void)kernel;
    if (op_open(&r, ctx, 1)) {
        const int64_t count = TF_TensorElementCount(r.x);
        put(&r, &count, 1, 0);
    }
    op_close(&r);
}

static void compute_rank(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    (void)kernel;
    if (op_open(&r, ctx, 1)) {
        const int64_t rank = TF_NumDims(r.x);
        put(&r, &rank, 1, 0);
    }
    op_close(&r);
}

OP_CREATE(create_view, NULL, NULL)

static void *create_squeeze(TF_OpKernelConstruction *c)
{
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, NULL, NULL, sizeof(oribi_dims));
    if (kernel != NULL) {
        oribi_dims *axes = kernel->attrs;
        oribi_kit_attr_ints(&setup, "squeeze_dims", axes->at, OP_MAX_RANK, &axes->n);
    }
    return oribi_kit_setup_end(&setup);
}

static const op_entry entries[] = {
    {"Reshape", NULL, create_view, compute_reshape, {"shape"}},
    {"ExpandDims", NULL, create_view, compute_expand_dims, {"dim"}},
    {"Squeeze", NULL, create_squeeze, compute_squeeze, {NULL}},
    {"Identity", NULL, create_view, compute_identity, {NULL}},
    {"Snapshot", NULL, create_view, compute_identity, {NULL}},
    {"StopGradient", NULL, create_view, compute_identity, {NULL}},
    {"PreventGradient", NULL, create_view, compute_identity, {NULL}},
    {"Shape", NULL, create_view, compute_shape, {"output"}},
    {"Size", NULL, create_view, compute_size, {"output"}},
    {"Rank", NULL, create_view, compute_rank, {"output"}},
};
const op_table op_view_table = {entries, sizeof entries / sizeof *entries};
