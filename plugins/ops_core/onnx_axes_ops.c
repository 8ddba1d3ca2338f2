/* SPDX-License-Identifier: Apache-2.0 */
/* Ops ONNX>Name that get axes as an input: TensorFlow's have them as attributes, or an entry for
 * every axis. Importers use these where only a run knows the axes.
 */
#include <inttypes.h>

#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_pad.h"
#include "micro/geometry/geometry_slice.h"
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Axes among `rank`, each named once. */
static bool mark_axes(const oribi_wide_dims *axes, int32_t rank, oribi_geometry_axes *out,
                      TF_Status *status)
{
    *out = (oribi_geometry_axes){{0}};
    for (int i = 0; i < axes->n; i++) {
        int64_t axis = 0;
        if (!oribi_ops_axis(axes->at[i], rank, &axis, status)) {
            return false;
        }
        if (!oribi_geometry_add_axis(out, (int32_t)axis)) {
            return oribi_ops_fail(status, "axis %" PRId64 " specified more than once.", axis);
        }
    }
    return true;
}

/* The input, its axes (n -1: not known), and how many there are (-1). */
static bool read(oribi_ops_ctx *ctx, int input, oribi_ops_shape *x, oribi_wide_dims *axes,
                 int64_t *out_count, TF_Status *status)
{
    oribi_ops_shape vector;
    if (!oribi_ops_input(ctx, 0, x, status) ||
        !oribi_ops_input_rank(ctx, input, 1, &vector, status) ||
        !oribi_ops_input_list(ctx, input, axes, status)) {
        return false;
    }
    *out_count = vector.at[0];
    return true;
}

/* --- Squeeze and Unsqueeze -------------------------------------------------------------------- */

static void squeeze(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, y = {0};
    oribi_wide_dims axes;
    oribi_geometry_axes gone;
    int64_t count;
    if (!read(ctx, 1, &x, &axes, &count, status)) {
        return;
    }
    if (x.n < 0 || count < 0 || axes.n < 0) {
        if (x.n >= 0 && count > x.n) {
            oribi_ops_fail(status, "%" PRId64 " axes of %d dimensions are to go", count, x.n);
            return;
        }
        (void)oribi_ops_set_unknown(&y);
        if (x.n >= 0 && count >= 0) {
            oribi_ops_set_unknown_dims(&y, (int32_t)(x.n - count));
        }
        oribi_ops_output(ctx, 0, &y, status);
        return;
    }
    if (!mark_axes(&axes, x.n, &gone, status)) {
        return;
    }
    for (int32_t i = 0; i < x.n; i++) {
        const bool goes = oribi_geometry_has_axis(&gone, i);
        if (goes && x.at[i] != 1 && x.at[i] != -1) {
            oribi_ops_fail(status,
                           "Can not squeeze dim[%d], expected a dimension of 1, got %" PRId64,
                           (int)i, x.at[i]);
            return;
        }
        if (!goes) {
            (void)oribi_wide_dims_add(&y, x.at[i]); /* fewer than x has */
        }
    }
    oribi_ops_output(ctx, 0, &y, status);
}

static void unsqueeze(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, y = {0};
    oribi_wide_dims axes;
    oribi_geometry_axes new;
    int64_t count;
    if (!read(ctx, 1, &x, &axes, &count, status)) {
        return;
    }
    if (x.n < 0 || count < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&y), status);
        return;
    }
    (void)oribi_ops_set_unknown(&y);
    if (!oribi_ops_with_rank(&y, x.n + count, status)) { /* as many unknown dimensions */
        return;
    }
    if (axes.n >= 0 && !mark_axes(&axes, y.n, &new, status)) {
        return;
    }
    for (int32_t i = 0, from = 0; axes.n >= 0 && i < y.n; i++) {
        y.at[i] = oribi_geometry_has_axis(&new, i) ? 1 : x.at[from++];
    }
    oribi_ops_output(ctx, 0, &y, status);
}

/* --- Slice ------------------------------------------------------------------------------------ */

static bool slice_axes(const oribi_wide_dims lists[4], oribi_ops_shape *x, TF_Status *status)
{
    const oribi_wide_dims *starts = &lists[0], *ends = &lists[1], *axes = &lists[2],
                          *steps = &lists[3];
    oribi_geometry_axes seen;
    if (!mark_axes(axes, x->n, &seen, status)) {
        return false;
    }
    for (int i = 0; i < axes->n; i++) {
        int64_t axis = 0, first = 0, count = -1;
        const bool is_known = starts->n == axes->n && ends->n == axes->n && steps->n == axes->n;
        if (!oribi_ops_axis(axes->at[i], x->n, &axis, status)) {
            return false;
        }
        if (is_known && x->at[axis] >= 0 &&
            !oribi_geometry_slice_axis(x->at[axis], starts->at[i], ends->at[i], steps->at[i],
                                       &first, &count)) {
            return oribi_ops_fail(status, "steps[%d] must be non-zero", i);
        }
        x->at[axis] = count;
    }
    return true;
}

static void slice(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, vector, one;
    oribi_wide_dims lists[4];
    if (!oribi_ops_input(ctx, 0, &x, status) || !oribi_ops_input_rank(ctx, 1, 1, &vector, status)) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        if (!oribi_ops_input_rank(ctx, i + 1, 1, &one, status) ||
            !oribi_ops_merge_dim(&vector.at[0], one.at[0], status) ||
            !oribi_ops_input_list(ctx, i + 1, &lists[i], status)) {
            return;
        }
    }
    if (x.n >= 0 && lists[2].n < 0) {
        oribi_ops_set_unknown_dims(&x, x.n);
    } else if (x.n >= 0 && !slice_axes(lists, &x, status)) {
        return;
    }
    oribi_ops_output(ctx, 0, &x, status);
}

/* --- Pad -------------------------------------------------------------------------------------- */

static void pad(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, vector;
    oribi_wide_dims axes, pads;
    oribi_geometry_axes seen;
    int64_t count;
    if (!read(ctx, 3, &x, &axes, &count, status) ||
        !oribi_ops_input_rank(ctx, 1, 1, &vector, status) ||
        !oribi_ops_input_list(ctx, 1, &pads, status)) {
        return;
    }
    if (x.n >= 0 && axes.n < 0) {
        oribi_ops_set_unknown_dims(&x, x.n);
    } else if (x.n >= 0 && !mark_axes(&axes, x.n, &seen, status)) {
        return;
    }
    if (axes.n >= 0 && pads.n >= 0 && pads.n != 2 * axes.n) {
        oribi_ops_fail(status, "There must be two pads for each of %d axes, not %d", axes.n,
                       pads.n);
        return;
    }
    for (int i = 0; x.n >= 0 && i < axes.n; i++) {
        int64_t axis = 0, size = -1;
        (void)oribi_ops_axis(axes.at[i], x.n, &axis, status); /* marked above */
        if (pads.n >= 0 && x.at[axis] >= 0 &&
            (__builtin_add_overflow(x.at[axis], pads.at[i], &size) ||
             __builtin_add_overflow(size, pads.at[i + axes.n], &size) || size < 0)) {
            oribi_ops_fail(status,
                           "pads of %" PRId64 " and %" PRId64 " leave nothing of a dimension of "
                           "%" PRId64,
                           pads.at[i], pads.at[i + axes.n], x.at[axis]);
            return;
        }
        x.at[axis] = pads.n >= 0 && x.at[axis] >= 0 ? size : -1;
    }
    oribi_ops_output(ctx, 0, &x, status);
}

const oribi_ops_row oribi_ops_onnx_axes[] = {
    {.name = "ONNX>Pad",
     .inputs = "data: T; pads: Tind; value: T; axes: Tind",
     .outputs = "output: T",
     .attrs = "mode: {'constant', 'reflect', 'edge', 'wrap'} = 'constant'; T: type; "
              "Tind: " ORIBI_OPS_INDEX,
     .shape = pad},
    {.name = "ONNX>Slice",
     .inputs = "data: T; starts: Tind; ends: Tind; axes: Tind; steps: Tind",
     .outputs = "output: T",
     .attrs = "T: type; Tind: " ORIBI_OPS_INDEX,
     .shape = slice},
    {.name = "ONNX>Squeeze",
     .inputs = "data: T; axes: Tind",
     .outputs = "squeezed: T",
     .attrs = "T: type; Tind: " ORIBI_OPS_INDEX,
     .shape = squeeze},
    {.name = "ONNX>Unsqueeze",
     .inputs = "data: T; axes: Tind",
     .outputs = "expanded: T",
     .attrs = "T: type; Tind: " ORIBI_OPS_INDEX,
     .shape = unsqueeze},
    {.name = NULL},
};
