/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over axes, and the running ones. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Without the axes: the rank stays with keep_dims, else nothing is known. */
static void reduce_unknown(oribi_ops_ctx *ctx, oribi_ops_shape *shape, bool keep_dims,
                           TF_Status *status)
{
    if (keep_dims && shape->n >= 0) {
        oribi_ops_set_unknown_dims(shape, shape->n);
    } else {
        oribi_ops_set_unknown(shape);
    }
    oribi_ops_output(ctx, 0, shape, status);
}

static void reduce(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, axes_shape, result;
    oribi_wide_dims axes;
    bool keep_dims;
    if (!oribi_ops_input(ctx, 0, &shape, status) || !oribi_ops_input(ctx, 1, &axes_shape, status) ||
        !oribi_ops_at_most(&axes_shape, 1, status) ||
        !oribi_ops_attr_bool(ctx, "keep_dims", &keep_dims, status) ||
        !oribi_ops_input_list(ctx, 1, &axes, status)) {
        return;
    }
    if (axes.n < 0 || shape.n < 0) {
        reduce_unknown(ctx, &shape, keep_dims, status);
        return;
    }
    if (oribi_ops_reduce_axes(&shape, &axes, keep_dims, &result, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

static void arg_extreme(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, scalar;
    int64_t axis;
    bool known;
    if (!oribi_ops_input(ctx, 0, &shape, status) ||
        !oribi_ops_input_rank(ctx, 1, 0, &scalar, status) ||
        !oribi_ops_input_int(ctx, 1, &axis, &known, status)) {
        return;
    }
    if (shape.n >= 0 && shape.n <= 1) {
        shape.n = 0; /* whatever the axis is */
    } else if (shape.n > 0 && known) {
        if (!oribi_ops_axis(axis, shape.n, &axis, status)) {
            return;
        }
        oribi_ops_remove_dim(&shape, axis);
    } else if (shape.n > 0) {
        oribi_ops_set_unknown_dims(&shape, shape.n - 1);
    }
    oribi_ops_output(ctx, 0, &shape, status);
}

const oribi_ops_row oribi_ops_reduce[] = {
    {.name = "ReduceJoin",
     .inputs = "inputs: string; reduction_indices: int32",
     .outputs = "output: string",
     .attrs = "keep_dims: bool = false; separator: string = ''",
     .shape = reduce},
    {.name = " Sum Mean Prod EuclideanNorm",
     .inputs = "input: T; reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = false; T: numbertype; Tidx: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "reduces(input, reduction_indices, keep_dims)",
     .shape = reduce},
    {.name = " Max Min",
     .inputs = "input: T; reduction_indices: Tidx",
     .outputs = "output: T",
     .attrs = "keep_dims: bool = false; T: {realnumbertype, quantizedtype}; "
              "Tidx: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "reduces(input, reduction_indices, keep_dims)",
     .shape = reduce},
    {.name = " All Any",
     .inputs = "input: bool; reduction_indices: Tidx",
     .outputs = "output: bool",
     .attrs = "keep_dims: bool = false; Tidx: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "reduces(input, reduction_indices, keep_dims)",
     .shape = reduce},
    {.name = "ArgMax",
     .inputs = "input: T; dimension: Tidx",
     .outputs = "output: output_type",
     .attrs = "T: {realnumbertype, quantizedtype, bool}; "
              "Tidx: {int16, int32, int64} = DT_INT32; "
              "output_type: {int16, uint16, int32, int64} = DT_INT64",
     .traits = "reduces(input, dimension)",
     .shape = arg_extreme},
    {.name = "ArgMin",
     .inputs = "input: T; dimension: Tidx",
     .outputs = "output: output_type",
     .attrs = "T: {realnumbertype, quantizedtype, bool}; Tidx: " ORIBI_OPS_INDEX_DEFAULT
              "; output_type: {int32, int64} = DT_INT64",
     .traits = "reduces(input, dimension)",
     .shape = arg_extreme},
    {.name = " Cumprod Cumsum",
     .inputs = "x: T; axis: Tidx",
     .outputs = "out: T",
     .attrs = "exclusive: bool = false; reverse: bool = false; T: numbertype; "
              "Tidx: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "along(x, axis)",
     .shape = oribi_ops_shape_unchanged},
    {.name = NULL},
};
