/* SPDX-License-Identifier: Apache-2.0 */
/* The same elements, or repeated ones, under another shape. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape.h"

/* Product of the known dimensions, where the one unknown is, and whether there are more. */
typedef struct shape_product {
    int64_t elements;
    int64_t unknown_at; /* -1: none */
    bool has_more;
} shape_product;

static bool multiply_known(const oribi_ops_shape *shape, shape_product *out, TF_Status *status)
{
    *out = (shape_product){.elements = 1, .unknown_at = -1};
    for (int64_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 0) {
            out->has_more = out->has_more || out->unknown_at >= 0;
            out->unknown_at = i;
        } else if (!oribi_ops_multiply(out->elements, shape->dims[i], &out->elements, status)) {
            return false;
        }
    }
    return true;
}

static bool fail_reshape(int64_t from, int64_t to, TF_Status *status)
{
    return oribi_ops_fail(status,
                          "Cannot reshape a tensor with %" PRId64 " elements to a shape of "
                          "%" PRId64 " elements",
                          from, to);
}

static bool fit(const oribi_ops_shape *from, oribi_ops_shape *to, TF_Status *status)
{
    shape_product in, out;
    if (from->rank < 0 || to->rank < 0) {
        return true;
    }
    if (!multiply_known(from, &in, status) || !multiply_known(to, &out, status)) {
        return false;
    }
    if (in.has_more || out.has_more) {
        return true;
    }
    if (in.unknown_at < 0 && out.unknown_at < 0) {
        return in.elements == out.elements || fail_reshape(in.elements, out.elements, status);
    }
    if (in.unknown_at < 0) {
        return out.elements <= 0 || oribi_ops_divide_evenly(in.elements, out.elements,
                                                            &to->dims[out.unknown_at], status);
    }
    int64_t missing;
    return out.unknown_at >= 0 || in.elements <= 0 ||
           oribi_ops_divide_evenly(out.elements, in.elements, &missing, status);
}

static void reshape(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape from, to;
    if (oribi_ops_input(ctx, 0, &from, status) && oribi_ops_input_rank(ctx, 1, 1, &to, status) &&
        oribi_ops_input_as_shape(ctx, 1, &to, status) && fit(&from, &to, status)) {
        oribi_ops_output(ctx, 0, &to, status);
    }
}

static void squeeze(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, result = {.rank = 0};
    int64_t axes[ORIBI_OPS_MAX_RANK];
    bool dropped[ORIBI_OPS_MAX_RANK] = {false};
    int count;
    if (!oribi_ops_attr_ints(ctx, "squeeze_dims", axes, ORIBI_OPS_MAX_RANK, &count, status) ||
        !oribi_ops_input(ctx, 0, &shape, status)) {
        return;
    }
    bool is_known = count > 0 || oribi_ops_is_full(&shape);
    if (shape.rank < 0 || !is_known) { /* which ones are 1 is not known */
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&result), status);
        return;
    }
    for (int i = 0; i < count; i++) {
        int64_t axis;
        if (!oribi_ops_axis(axes[i], shape.rank, &axis, status)) {
            return;
        }
        if (shape.dims[axis] >= 0 && shape.dims[axis] != 1) {
            oribi_ops_fail(status,
                           "Can not squeeze dim[%" PRId64 "], expected a dimension of 1, "
                           "got %" PRId64,
                           axis, shape.dims[axis]);
            return;
        }
        dropped[axis] = true;
    }
    for (int64_t i = 0; i < shape.rank; i++) {
        if (count > 0 ? !dropped[i] : shape.dims[i] != 1) {
            result.dims[result.rank++] = shape.dims[i];
        }
    }
    oribi_ops_output(ctx, 0, &result, status);
}

static void expand_dims(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, axis_shape;
    int64_t axis;
    bool known;
    if (!oribi_ops_input(ctx, 0, &shape, status) || !oribi_ops_input(ctx, 1, &axis_shape, status) ||
        !oribi_ops_input_int(ctx, 1, &axis, &known, status)) {
        return;
    }
    if (axis_shape.rank > 1 || (axis_shape.rank == 1 && axis_shape.dims[0] > 1)) {
        oribi_ops_fail(status, "'dim' input must be a tensor with a single value");
        return;
    }
    if (shape.rank < 0) {
        oribi_ops_output(ctx, 0, &shape, status);
        return;
    }
    if (!known) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&shape), status);
    } else if (oribi_ops_axis(axis, shape.rank + 1, &axis, status) &&
               oribi_ops_insert_dim(&shape, axis, 1, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static bool permute(const oribi_ops_shape *shape, const int64_t *perm, int64_t count,
                    oribi_ops_shape *out, TF_Status *status)
{
    bool seen[ORIBI_OPS_MAX_RANK] = {false};
    out->rank = shape->rank;
    for (int64_t i = 0; i < count; i++) {
        int64_t from;
        if (!oribi_ops_axis(perm[i], shape->rank, &from, status)) {
            return false;
        }
        if (seen[from]) {
            return oribi_ops_fail(status, "perm names dimension %" PRId64 " twice", from);
        }
        seen[from] = true;
        out->dims[i] = shape->dims[from];
    }
    return true;
}

static void transpose(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, perm_shape, result;
    int64_t perm[ORIBI_OPS_MAX_RANK], count;
    if (!oribi_ops_input(ctx, 0, &shape, status) || !oribi_ops_input(ctx, 1, &perm_shape, status) ||
        !oribi_ops_input_ints(ctx, 1, perm, ORIBI_OPS_MAX_RANK, &count, status)) {
        return;
    }
    int64_t length = perm_shape.rank == 1 ? perm_shape.dims[0] : -1;
    int64_t rank = count >= 0 ? count : length >= 0 ? length : shape.rank;
    if (rank < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&result), status);
        return;
    }
    if (!oribi_ops_with_rank(&shape, rank, status)) {
        return;
    }
    if (count >= 0) {
        if (!permute(&shape, perm, count, &result, status)) {
            return;
        }
    } else {
        oribi_ops_set_unknown_dims(&result, rank);
    }
    oribi_ops_output(ctx, 0, &result, status);
}

static void broadcast_to(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape from, to;
    if (!oribi_ops_input_as_shape(ctx, 1, &to, status) || !oribi_ops_input(ctx, 0, &from, status)) {
        return;
    }
    if (to.rank >= 0 && from.rank >= 0 && !oribi_ops_at_most(&from, to.rank, status)) {
        return;
    }
    for (int64_t i = 0; to.rank >= 0 && i < from.rank; i++) {
        int64_t in = from.dims[i], out = to.dims[to.rank - from.rank + i];
        if (in >= 0 && out >= 0 && in != 1 && in != out) {
            oribi_ops_fail(
                status, "Dimension %" PRId64 " of size %" PRId64 " does not broadcast to %" PRId64,
                i, in, out);
            return;
        }
        if (out < 0 && in > 1) {
            to.dims[to.rank - from.rank + i] = in; /* it can be nothing else */
        }
    }
    oribi_ops_output(ctx, 0, &to, status);
}

const oribi_ops_row oribi_ops_reshape[] = {
    {.name = "Reshape",
     .inputs = {"tensor: T", "shape: Tshape"},
     .outputs = {"output: T"},
     .attrs = {"T: type", "Tshape: " ORIBI_OPS_INDEX_DEFAULT},
     .shape = reshape},
    {.name = "Squeeze",
     .inputs = {"input: T"},
     .outputs = {"output: T"},
     .attrs = {"T: type", "squeeze_dims: list(int) >= 0 = []"},
     .shape = squeeze},
    {.name = "ExpandDims",
     .inputs = {"input: T", "dim: Tdim"},
     .outputs = {"output: T"},
     .attrs = {"T: type", "Tdim: " ORIBI_OPS_INDEX_DEFAULT},
     .shape = expand_dims},
    {.name = "Transpose",
     .inputs = {"x: T", "perm: Tperm"},
     .outputs = {"y: T"},
     .attrs = {"T: type", "Tperm: " ORIBI_OPS_INDEX_DEFAULT},
     .shape = transpose},
    {.name = "BroadcastTo",
     .inputs = {"input: T", "shape: Tidx"},
     .outputs = {"output: T"},
     .attrs = {"T: type", "Tidx: " ORIBI_OPS_INDEX_DEFAULT},
     .shape = broadcast_to},
    {.name = NULL},
};
