/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that give or take positions: TopKV2, OneHot. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void top_k(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, scalar;
    int64_t k;
    bool known;
    if (!oribi_ops_input(ctx, 0, &shape, status) || !oribi_ops_at_least(&shape, 1, status) ||
        !oribi_ops_input_rank(ctx, 1, 0, &scalar, status) ||
        !oribi_ops_input_int(ctx, 1, &k, &known, status)) {
        return;
    }
    if (known && k < 0) {
        oribi_ops_fail(status, "Need k >= 0, got %" PRId64, k);
        return;
    }
    if (shape.n > 0) {
        int64_t *last = &shape.at[shape.n - 1];
        if (known && *last >= 0 && *last < k) {
            oribi_ops_fail(status,
                           "input must have last dimension >= k = %" PRId64 " but is "
                           "%" PRId64,
                           k, *last);
            return;
        }
        *last = known ? k : -1;
    }
    if (oribi_ops_output(ctx, 0, &shape, status)) {
        oribi_ops_output(ctx, 1, &shape, status);
    }
}

/* Indices with one dimension more. */
static void add_depth(oribi_ops_ctx *ctx, int64_t axis, TF_Status *status)
{
    oribi_ops_shape indices, scalar;
    int64_t depth;
    bool known;
    if (!oribi_ops_input(ctx, 0, &indices, status)) {
        return;
    }
    if (!oribi_ops_input_rank(ctx, 1, 0, &scalar, status) ||
        !oribi_ops_input_int(ctx, 1, &depth, &known, status)) {
        return;
    }
    if (known && depth < 0) {
        oribi_ops_fail(status, "depth must be non-negative, got %" PRId64, depth);
        return;
    }
    if (indices.n >= 0 && (!oribi_ops_axis(axis, indices.n + 1, &axis, status) ||
                           !oribi_ops_insert_dim(&indices, axis, known ? depth : -1, status))) {
        return;
    }
    oribi_ops_output(ctx, 0, &indices, status);
}

static void one_hot(oribi_ops_ctx *ctx, TF_Status *status)
{
    int64_t axis;
    if (!oribi_ops_attr_int(ctx, "axis", &axis, status)) {
        return;
    }
    if (axis < -1) {
        oribi_ops_fail(status, "axis must be >= -1, got %" PRId64, axis);
        return;
    }
    add_depth(ctx, axis, status);
}

static void onnx_one_hot(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape values;
    int64_t axis;
    if (oribi_ops_attr_int(ctx, "axis", &axis, status) &&
        oribi_ops_input_rank(ctx, 2, 1, &values, status) &&
        oribi_ops_merge_dim(&values.at[0], 2, status)) {
        add_depth(ctx, axis, status);
    }
}

const oribi_ops_row oribi_ops_index[] = {
    {.name = "TopKV2",
     .inputs = "input: T; k: Tk",
     .outputs = "values: T; indices: index_type",
     .attrs = "sorted: bool = true; T: realnumbertype; Tk: {int16, int32, int64} = DT_INT32; "
              "index_type: {int16, int32, int64} = DT_INT32",
     .traits = "parameters(k)",
     .shape = top_k},
    {.name = "OneHot",
     .inputs = "indices: TI; depth: int32; on_value: T; off_value: T",
     .outputs = "output: T",
     .attrs = "axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = DT_INT64",
     .traits = "moves(on_value, off_value); parameters(depth)",
     .shape = one_hot},
    {.name = "ONNX>OneHot",
     .inputs = "indices: TI; depth: int64; values: T",
     .outputs = "output: T",
     .attrs = "axis: int = -1; T: type; TI: " ORIBI_OPS_INDEX,
     .traits = "moves(values); parameters(depth)",
     .shape = onnx_one_hot},
    {.name = NULL},
};
