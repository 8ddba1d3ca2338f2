/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that change the shape alone: the output is the memory of the input. */
#include "device_ops/op.h"

/* The dimensions that are wanted, a -1 among them worked out; false when they do not fit. */
static bool read_shape(op_request *r, int64_t *dims, int64_t rank)
{
    const int64_t count = TF_TensorElementCount(r->x);
    const bool is_long = TF_TensorType(r->y) == TF_INT64;
    int64_t known = 1;
    int unknown = -1;
    for (int i = 0; i < (int)rank; i++) {
        dims[i] = is_long ? ((const int64_t *)TF_TensorData(r->y))[i]
                          : ((const int32_t *)TF_TensorData(r->y))[i];
        if (dims[i] == -1 && unknown < 0) {
            unknown = i;
        } else if (dims[i] < 0 || (dims[i] > 0 && known > INT64_MAX / dims[i])) {
            return false;
        } else {
            known *= dims[i];
        }
    }
    if (unknown >= 0) {
        dims[unknown] = known > 0 ? count / known : 0;
        known *= dims[unknown];
    }
    return known == count;
}

/* The shape is in host memory; the output is the input's memory under another shape. */
static void compute_reshape(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    (void)kernel;
    if (op_open(&r, ctx, 2)) {
        int64_t dims[OP_MAX_RANK];
        const int64_t rank = TF_TensorElementCount(r.y);
        if (rank > OP_MAX_RANK) {
            (void)op_refuse(&r, TF_UNIMPLEMENTED, "a rank above 8");
        } else if (!read_shape(&r, dims, rank)) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT, "a shape of another number of elements");
        } else if ((r.out = TF_AllocateTensor(TF_FLOAT, (int64_t[]){0}, 1, 0)) == NULL) {
            (void)op_refuse(&r, TF_RESOURCE_EXHAUSTED, "out of memory");
        } else {
            TF_TensorBitcastFrom(r.x, TF_FLOAT, r.out, dims, (int)rank, r.status);
        }
        if (op_is_ok(&r)) {
            TF_SetOutput(ctx, 0, r.out, r.status);
        }
    }
    op_close(&r);
}

OP_CREATE(create_view, NULL, NULL)

static const op_entry entries[] = {
    {"Reshape", NULL, create_view, compute_reshape, "shape"},
};
const op_table op_view_table = {entries, sizeof entries / sizeof *entries};
