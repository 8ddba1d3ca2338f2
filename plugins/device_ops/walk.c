/* SPDX-License-Identifier: Apache-2.0 */
/* See walk.h. */
#include "device_ops/walk.h"

void walk_strides(const oribi_dims *dims, int32_t *strides)
{
    int64_t step = 1;
    for (int i = dims->n - 1; i >= 0; i--) {
        strides[i] = dims->at[i] == 1 ? 0 : (int32_t)step;
        step *= dims->at[i];
    }
}

op_divisor walk_divisor(int32_t value)
{
    op_divisor d = {0};
    while (value > 0 && (INT64_C(1) << d.shift) < value) {
        d.shift++;
    }
    if (value > 0) {
        const uint64_t rest = (UINT64_C(1) << d.shift) - (uint64_t)value;
        d.multiplier = (uint32_t)((rest << 32) / (uint64_t)value + 1);
    }
    return d;
}

void walk_close(op_walk *w, const oribi_dims *dims)
{
    int64_t n = 1;
    int kept = 0;
    for (int i = 0; i < dims->n; i++) {
        const int32_t dim = (int32_t)dims->at[i], x = w->x[i], y = w->y[i];
        n *= dims->at[i];
        if (dim == 1) {
            continue;
        }
        if (kept > 0 && w->x[kept - 1] == (int64_t)x * dim && w->y[kept - 1] == (int64_t)y * dim) {
            w->dims[kept - 1] *= dim;
            w->x[kept - 1] = x;
            w->y[kept - 1] = y;
        } else {
            w->dims[kept] = dim;
            w->x[kept] = x;
            w->y[kept++] = y;
        }
    }
    if (kept == 0) {
        w->dims[0] = 1;
        w->x[0] = w->y[0] = 0;
        kept = 1;
    }
    for (int i = 0; i < kept; i++) {
        w->by_dims[i] = walk_divisor(w->dims[i]);
    }
    w->rank = kept;
    w->n = (int32_t)n;
}

static int64_t dim_from_end(const TF_Tensor *tensor, int i)
{
    return i < TF_NumDims(tensor) ? TF_Dim(tensor, TF_NumDims(tensor) - 1 - i) : 1;
}

static void operand_strides(const TF_Tensor *tensor, int rank, int32_t *strides)
{
    oribi_dims dims = {0};
    for (int i = 0; i < rank; i++) {
        (void)oribi_dims_add(&dims, dim_from_end(tensor, rank - 1 - i));
    }
    walk_strides(&dims, strides);
}

bool walk_broadcast(op_request *r, op_walk *w)
{
    oribi_dims dims = {0};
    const int x_rank = TF_NumDims(r->x), y_rank = TF_NumDims(r->y);
    const int rank = x_rank > y_rank ? x_rank : y_rank;
    if (rank > OP_MAX_RANK) {
        return op_refuse_rank(r, rank);
    }
    for (int i = rank - 1; i >= 0; i--) {
        const int64_t x = dim_from_end(r->x, i), y = dim_from_end(r->y, i);
        if (x != y && x != 1 && y != 1) {
            return op_refuse(r, TF_INVALID_ARGUMENT, "shapes that do not broadcast");
        }
        (void)oribi_dims_add(&dims, x == 1 ? y : x);
    }
    if (!op_output(r, &dims)) {
        return false;
    }
    operand_strides(r->x, rank, w->x);
    operand_strides(r->y, rank, w->y);
    walk_close(w, &dims);
    return true;
}
