/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing between values: Select, SelectV2, ClipByValue, Where. */
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* The condition is a scalar, a vector over the first dimension, or of the values' shape. */
static void select_rows(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape condition, data, other;
    if (!oribi_ops_input(ctx, 0, &condition, status) || !oribi_ops_input(ctx, 1, &data, status) ||
        !oribi_ops_input(ctx, 2, &other, status) || !oribi_ops_merge(&data, &other, status)) {
        return;
    }
    if (condition.n > 1 || (condition.n == 1 && data.n == 0)) {
        if (data.n >= 0 && !oribi_ops_merge(&data, &condition, status)) {
            return;
        }
    } else if (condition.n == 1 && data.n > 0) {
        if (!oribi_ops_merge_dim(&data.at[0], condition.at[0], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &data, status);
}

static void select_broadcast(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape condition, a, b, values, result;
    if (oribi_ops_input(ctx, 0, &condition, status) && oribi_ops_input(ctx, 1, &a, status) &&
        oribi_ops_input(ctx, 2, &b, status) && oribi_ops_broadcast(&a, &b, true, &values, status) &&
        oribi_ops_broadcast(&condition, &values, true, &result, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

static void where(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (oribi_ops_input(ctx, 0, &shape, status)) {
        const int64_t dims[] = {-1, shape.n};
        oribi_ops_output_dims(ctx, 0, 2, dims, status);
    }
}

const oribi_ops_row oribi_ops_select[] = {
    {.name = "Select",
     .inputs = "condition: bool; t: T; e: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = select_rows},
    {.name = "SelectV2",
     .inputs = "condition: bool; t: T; e: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .traits = "elementwise",
     .shape = select_broadcast},
    {.name = "ClipByValue",
     .inputs = "t: T; clip_value_min: T; clip_value_max: T",
     .outputs = "output: T",
     .attrs = "T: numbertype",
     .traits = "elementwise; computes(clip)",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Where",
     .inputs = "input: T",
     .outputs = "index: int64",
     .attrs = "T: {numbertype, bool} = DT_BOOL",
     .shape = where},
    {.name = "MatrixBandPart", /* what lies near the diagonal, else zeros */
     .inputs = "input: T; num_lower: Tindex; num_upper: Tindex",
     .outputs = "band: T",
     .attrs = "T: type; Tindex: {int32, int64} = DT_INT64",
     .shape = oribi_ops_shape_unchanged},
    {.name = NULL},
};
