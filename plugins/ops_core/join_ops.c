/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors joined and taken apart along one axis. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Without an axis: all parts have one rank, and nothing more is known. */
static bool concat_unknown_axis(oribi_ops_ctx *ctx, int first, int count, oribi_ops_shape *out,
                                TF_Status *status)
{
    oribi_ops_shape one;
    oribi_ops_set_unknown(out);
    for (int i = first; i < first + count; i++) {
        if (!oribi_ops_input(ctx, i, &one, status)) {
            return false;
        }
        if (one.n < 0) {
            continue;
        }
        if (out->n >= 0 && !oribi_ops_with_rank(&one, out->n, status)) {
            return false;
        }
        oribi_ops_set_unknown_dims(out, one.n);
    }
    return out->n != 0 || oribi_ops_fail(status, "Can't concatenate scalars (use pack instead)");
}

/* Parts agree but along the axis, where they add up. */
static bool concat_along(oribi_ops_ctx *ctx, int first, int count, int64_t axis,
                         oribi_ops_shape *out, TF_Status *status)
{
    oribi_ops_shape one;
    int64_t total = 0, at = -1;
    oribi_ops_set_unknown(out);
    for (int i = first; i < first + count; i++) {
        if (!oribi_ops_input(ctx, i, &one, status)) {
            return false;
        }
        if (one.n < 0) { /* only its other dimensions could be wrong */
            total = -1;
            continue;
        }
        if (!oribi_ops_axis(axis, one.n, &at, status) ||
            !oribi_ops_add(total, one.at[at], &total, status)) {
            return false;
        }
        one.at[at] = -1;
        if (!oribi_ops_merge(out, &one, status)) {
            return false;
        }
    }
    if (out->n >= 0) {
        out->at[at] = total;
    }
    return true;
}

static void concat(oribi_ops_ctx *ctx, int axis_input, int first, TF_Status *status)
{
    oribi_ops_shape result, scalar;
    int64_t axis;
    bool known;
    int count = (int)TF_ShapeInferenceContextNumInputs(ctx) - 1;
    if (!oribi_ops_input_rank(ctx, axis_input, 0, &scalar, status) ||
        !oribi_ops_input_int(ctx, axis_input, &axis, &known, status)) {
        return;
    }
    if (known ? concat_along(ctx, first, count, axis, &result, status)
              : concat_unknown_axis(ctx, first, count, &result, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

static void concat_v1(oribi_ops_ctx *ctx, TF_Status *status)
{
    concat(ctx, 0, 1, status);
}

static void concat_v2(oribi_ops_ctx *ctx, TF_Status *status)
{
    concat(ctx, (int)TF_ShapeInferenceContextNumInputs(ctx) - 1, 0, status);
}

static bool output_all(oribi_ops_ctx *ctx, const oribi_ops_shape *shape, TF_Status *status)
{
    for (int i = 0; i < (int)TF_ShapeInferenceContextNumOutputs(ctx); i++) {
        if (!oribi_ops_output(ctx, i, shape, status)) {
            return false;
        }
    }
    return true;
}

static void split(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape value, scalar;
    int64_t axis, parts = TF_ShapeInferenceContextNumOutputs(ctx);
    bool known;
    if (!oribi_ops_input_rank(ctx, 0, 0, &scalar, status) ||
        !oribi_ops_input_int(ctx, 0, &axis, &known, status) ||
        !oribi_ops_input(ctx, 1, &value, status)) {
        return;
    }
    if (!known) {
        if (value.n >= 0) {
            oribi_ops_set_unknown_dims(&value, value.n);
        }
    } else if (value.n >= 0 &&
               (!oribi_ops_axis(axis, value.n, &axis, status) ||
                !oribi_ops_divide_evenly(value.at[axis], parts, &value.at[axis], status))) {
        return;
    }
    output_all(ctx, &value, status);
}

/* The one size of -1 is what the others leave. */
static bool split_sizes(oribi_ops_ctx *ctx, const oribi_ops_shape *value, int64_t axis,
                        const TF_Tensor *sizes, TF_Status *status)
{
    oribi_ops_shape part = *value;
    const int64_t count = TF_TensorElementCount(sizes);
    int64_t total = 0, rest = -1, whole = value->at[axis];
    int n_open = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t size = oribi_ops_element(sizes, i);
        n_open += size == -1;
        if (size < -1 || !oribi_ops_add(total, size < 0 ? 0 : size, &total, status)) {
            return oribi_ops_fail(status, "size_splits[%" PRId64 "] is %" PRId64, i, size);
        }
    }
    if (n_open > 1) {
        return oribi_ops_fail(status, "size_splits can only have one -1");
    }
    if (whole >= 0 && (n_open > 0 ? total > whole : total != whole)) {
        return oribi_ops_fail(status,
                              "can't split axis of size %" PRId64 " into pieces of size "
                              "%" PRId64 " in sum",
                              whole, total);
    }
    rest = whole >= 0 ? whole - total : -1;
    for (int64_t i = 0; i < count; i++) {
        const int64_t size = oribi_ops_element(sizes, i);
        part.at[axis] = size < 0 ? rest : size;
        if (!oribi_ops_output(ctx, (int)i, &part, status)) {
            return false;
        }
    }
    return true;
}

static void split_v(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape value, vector, scalar;
    int64_t axis, parts = TF_ShapeInferenceContextNumOutputs(ctx);
    bool known;
    if (!oribi_ops_input(ctx, 0, &value, status) ||
        !oribi_ops_input_rank(ctx, 1, 1, &vector, status) ||
        !oribi_ops_merge_dim(&vector.at[0], parts, status) ||
        !oribi_ops_input_rank(ctx, 2, 0, &scalar, status) ||
        !oribi_ops_input_int(ctx, 2, &axis, &known, status)) {
        return;
    }
    if (value.n < 0 || !known) {
        if (value.n >= 0) {
            oribi_ops_set_unknown_dims(&value, value.n);
        }
        output_all(ctx, &value, status);
        return;
    }
    if (!oribi_ops_axis(axis, value.n, &axis, status)) {
        return;
    }
    TF_Tensor *sizes = oribi_ops_input_value(ctx, 1);
    if (sizes == NULL) {
        value.at[axis] = -1;
        output_all(ctx, &value, status);
    } else {
        split_sizes(ctx, &value, axis, sizes, status);
    }
    TF_DeleteTensor(sizes);
}

static void pack(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape all, one;
    int64_t axis, count = TF_ShapeInferenceContextNumInputs(ctx);
    oribi_ops_set_unknown(&all);
    if (!oribi_ops_attr_int(ctx, "axis", &axis, status)) {
        return;
    }
    for (int i = 0; i < (int)count; i++) {
        if (!oribi_ops_input(ctx, i, &one, status) || !oribi_ops_merge(&all, &one, status)) {
            return;
        }
    }
    if (all.n >= 0 && (!oribi_ops_axis(axis, all.n + 1, &axis, status) ||
                       !oribi_ops_insert_dim(&all, axis, count, status))) {
        return;
    }
    oribi_ops_output(ctx, 0, &all, status);
}

static void unpack(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape value;
    int64_t axis;
    if (!oribi_ops_attr_int(ctx, "axis", &axis, status) ||
        !oribi_ops_input(ctx, 0, &value, status)) {
        return;
    }
    if (value.n >= 0) {
        int64_t count = TF_ShapeInferenceContextNumOutputs(ctx);
        if (!oribi_ops_at_least(&value, 1, status) ||
            !oribi_ops_axis(axis, value.n, &axis, status) ||
            !oribi_ops_merge_dim(&count, value.at[axis], status)) {
            return;
        }
        oribi_ops_remove_dim(&value, axis);
    }
    output_all(ctx, &value, status);
}

const oribi_ops_row oribi_ops_join[] = {
    {.name = "ConcatV2",
     .inputs = "values: N * T; axis: Tidx",
     .outputs = "output: T",
     .attrs = "N: int >= 2; T: type; Tidx: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "joins(values, axis)",
     .shape = concat_v2},
    {.name = "Concat",
     .inputs = "concat_dim: int32; values: N * T",
     .outputs = "output: T",
     .attrs = "N: int >= 2; T: type",
     .traits = "joins(values, concat_dim)",
     .shape = concat_v1},
    {.name = "Split",
     .inputs = "split_dim: int32; value: T",
     .outputs = "output: num_split * T",
     .attrs = "num_split: int >= 1; T: type",
     .traits = "splits(value, split_dim)",
     .shape = split},
    {.name = "SplitV",
     .inputs = "value: T; size_splits: Tlen; split_dim: int32",
     .outputs = "output: num_split * T",
     .attrs = "num_split: int >= 1; T: type; Tlen: {int8, int32, int64} = DT_INT64",
     .traits = "splits(value, split_dim); parameters(size_splits)",
     .shape = split_v},
    {.name = "Pack",
     .inputs = "values: N * T",
     .outputs = "output: T",
     .attrs = "N: int >= 1; T: type; axis: int = 0",
     .traits = "stacks(values, axis)",
     .shape = pack},
    {.name = "Unpack",
     .inputs = "value: T",
     .outputs = "output: num * T",
     .attrs = "num: int >= 0; T: type; axis: int = 0",
     .traits = "moves(value)",
     .shape = unpack},
    {.name = NULL},
};
