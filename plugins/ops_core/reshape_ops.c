/* SPDX-License-Identifier: Apache-2.0 */
/* The same elements, or repeated ones, under another shape. */
#include <inttypes.h>

#include "micro/geometry/geometry_axes.h"
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Product of the known dimensions, where the one unknown is, and whether there are more. */
typedef struct shape_product {
    int64_t elements;
    int64_t unknown_at; /* -1: none */
    bool has_more;
} shape_product;

static bool multiply_known(const oribi_ops_shape *shape, shape_product *out, TF_Status *status)
{
    *out = (shape_product){.elements = 1, .unknown_at = -1};
    for (int64_t i = 0; i < shape->n; i++) {
        if (shape->at[i] < 0) {
            out->has_more = out->has_more || out->unknown_at >= 0;
            out->unknown_at = i;
        } else if (!oribi_ops_multiply(out->elements, shape->at[i], &out->elements, status)) {
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
    if (from->n < 0 || to->n < 0) {
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
        return out.elements <= 0 ||
               oribi_ops_divide_evenly(in.elements, out.elements, &to->at[out.unknown_at], status);
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
    oribi_ops_shape shape, result = {.n = 0};
    oribi_wide_dims axes, dropped = {0};
    if (!oribi_ops_attr_list(ctx, "squeeze_dims", &axes, status) ||
        !oribi_ops_input(ctx, 0, &shape, status)) {
        return;
    }
    bool is_known = axes.n > 0 || oribi_ops_is_full(&shape);
    if (shape.n < 0 || !is_known) { /* which ones are 1 is not known */
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&result), status);
        return;
    }
    for (int i = 0; i < axes.n; i++) {
        int64_t axis;
        if (!oribi_ops_axis(axes.at[i], shape.n, &axis, status)) {
            return;
        }
        if (shape.at[axis] >= 0 && shape.at[axis] != 1) {
            oribi_ops_fail(status,
                           "Can not squeeze dim[%" PRId64 "], expected a dimension of 1, "
                           "got %" PRId64,
                           axis, shape.at[axis]);
            return;
        }
        dropped.at[axis] = 1;
    }
    for (int64_t i = 0; i < shape.n; i++) {
        if (axes.n > 0 ? dropped.at[i] == 0 : shape.at[i] != 1) {
            result.at[result.n++] = shape.at[i];
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
    if (axis_shape.n > 1 || (axis_shape.n == 1 && axis_shape.at[0] > 1)) {
        oribi_ops_fail(status, "'dim' input must be a tensor with a single value");
        return;
    }
    if (shape.n < 0) {
        oribi_ops_output(ctx, 0, &shape, status);
        return;
    }
    if (!known) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&shape), status);
    } else if (oribi_ops_axis(axis, shape.n + 1, &axis, status) &&
               oribi_ops_insert_dim(&shape, axis, 1, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static bool permute(const oribi_ops_shape *shape, oribi_wide_dims *perm, oribi_ops_shape *out,
                    TF_Status *status)
{
    int32_t at = 0;
    switch (oribi_geometry_permutation(perm->at, perm->n, &at)) {
    case ORIBI_GEOMETRY_NAMED:
        out->n = shape->n;
        oribi_geometry_permute(shape->at, perm->at, perm->n, out->at);
        return true;
    case ORIBI_GEOMETRY_NO_AXIS:
        return oribi_ops_axis(perm->at[at], shape->n, &perm->at[at], status); /* which fails */
    default:
        return oribi_ops_fail(status, "perm names dimension %" PRId64 " twice", perm->at[at]);
    }
}

static void transpose(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, perm_shape, result;
    oribi_wide_dims perm;
    if (!oribi_ops_input(ctx, 0, &shape, status) || !oribi_ops_input(ctx, 1, &perm_shape, status) ||
        !oribi_ops_input_list(ctx, 1, &perm, status)) {
        return;
    }
    int64_t length = perm_shape.n == 1 ? perm_shape.at[0] : -1;
    int64_t rank = perm.n >= 0 ? perm.n : length >= 0 ? length : shape.n;
    if (rank < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&result), status);
        return;
    }
    if (!oribi_ops_with_rank(&shape, rank, status)) {
        return;
    }
    if (perm.n >= 0) {
        if (!permute(&shape, &perm, &result, status)) {
            return;
        }
    } else {
        oribi_ops_set_unknown_dims(&result, shape.n);
    }
    oribi_ops_output(ctx, 0, &result, status);
}

static void broadcast_to(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape from, to;
    if (!oribi_ops_input_as_shape(ctx, 1, &to, status) || !oribi_ops_input(ctx, 0, &from, status)) {
        return;
    }
    if (to.n >= 0 && from.n >= 0 && !oribi_ops_at_most(&from, to.n, status)) {
        return;
    }
    for (int64_t i = 0; to.n >= 0 && i < from.n; i++) {
        int64_t in = from.at[i], out = to.at[to.n - from.n + i];
        if (in >= 0 && out >= 0 && in != 1 && in != out) {
            oribi_ops_fail(
                status, "Dimension %" PRId64 " of size %" PRId64 " does not broadcast to %" PRId64,
                i, in, out);
            return;
        }
        if (out < 0 && in > 1) {
            to.at[to.n - from.n + i] = in; /* it can be nothing else */
        }
    }
    oribi_ops_output(ctx, 0, &to, status);
}

const oribi_ops_row oribi_ops_reshape[] = {
    {.name = "Reshape",
     .inputs = "tensor: T; shape: Tshape",
     .outputs = "output: T",
     .attrs = "T: type; Tshape: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "view(tensor); parameters(shape)",
     .shape = reshape},
    {.name = "Squeeze",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; squeeze_dims: list(int) >= 0 = []",
     .traits = "view",
     .shape = squeeze},
    {.name = "ExpandDims",
     .inputs = "input: T; dim: Tdim",
     .outputs = "output: T",
     .attrs = "T: type; Tdim: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "view(input); parameters(dim)",
     .shape = expand_dims},
    {.name = "Transpose",
     .inputs = "x: T; perm: Tperm",
     .outputs = "y: T",
     .attrs = "T: type; Tperm: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "permutes(x, perm)",
     .shape = transpose},
    {.name = "BroadcastTo",
     .inputs = "input: T; shape: Tidx",
     .outputs = "output: T",
     .attrs = "T: type; Tidx: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "moves(input); parameters(shape)",
     .shape = broadcast_to},
    {.name = NULL},
};
