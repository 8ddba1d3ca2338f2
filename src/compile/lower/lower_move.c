/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of transposes, slices and strided slices: boxes of a tensor, in any order. */
#include "compile/lower/lower_parts.h"
#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_slice.h"
#include "micro/geometry/geometry_walk.h"
#include "tensor/status.h"

/* The input as it lies in memory. */
typedef struct source {
    oribi_sizes dims;
    oribi_dims wide, steps; /* the same dims */
    int32_t element_bytes;
    int64_t count;
} source;

static bool read_source(oribi_lowering *lowering, const oribi_call *call, source *out)
{
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, &out->dims, &out->element_bytes));
    out->count = oribi_lower_count(x);
    out->steps.n = out->dims.n;
    for (int32_t i = 0; i < out->dims.n; i++) {
        out->wide.at[i] = out->dims.at[i];
    }
    out->wide.n = out->dims.n;
    oribi_geometry_steps(out->wide.at, out->wide.n, 1, out->steps.at);
    return true;
}

/* A box of neighbouring bytes may stay where it is. */
static bool add_view(oribi_lowering *lowering, oribi_call *call,
                     const struct oribi_micro_move_args *args)
{
    oribi_call_view *view = oribi_arena_array(lowering->arena, 1, sizeof *view);
    if (args->rank != 1 || (args->dims[0] > 1 && args->step[0] != args->run_bytes)) {
        return true;
    }
    ORIBI_TRY(view != NULL || oribi_fail_memory(lowering->status));
    *view = (oribi_call_view){call->node->inputs[0], call->node->outputs[0], args->start};
    call->views = view;
    call->n_views = 1;
    return true;
}

/* The box of these output dims and steps. */
static bool finish(oribi_lowering *lowering, oribi_call *call, const source *x, int64_t start,
                   const oribi_sizes *dims, const oribi_dims *steps)
{
    struct oribi_micro_move_args args;
    const struct oribi_micro_move_spec spec = {dims->n, x->element_bytes, dims->at, steps->at,
                                               start,   x->count};
    return oribi_call_move(lowering, call, &spec, &args) && add_view(lowering, call, &args);
}

bool oribi_lower_transpose(oribi_lowering *lowering, oribi_call *call)
{
    source x;
    oribi_dims order, steps = {0};
    oribi_sizes dims = {0};
    int32_t at = 0;
    ORIBI_TRY(read_source(lowering, call, &x) && oribi_lower_ints(lowering, call, 1, &order));
    if (order.n != x.dims.n ||
        oribi_geometry_permutation(order.at, order.n, &at) != ORIBI_GEOMETRY_NAMED) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    for (int32_t i = 0; i < order.n; i++) {
        (void)oribi_sizes_add(&dims, x.dims.at[order.at[i]]);
        (void)oribi_dims_add(&steps, x.steps.at[order.at[i]]);
    }
    return finish(lowering, call, &x, 0, &dims, &steps);
}

/* What was a block of pixels becomes channels of one, or the other way round. */
bool oribi_lower_space(oribi_lowering *lowering, oribi_call *call)
{
    source x;
    const bool to_depth = call->node->op_name[0] == 'S';
    const int32_t b = oribi_lower_int(call, "block_size", 0);
    ORIBI_TRY(read_source(lowering, call, &x));
    const int32_t *in = x.dims.at;
    if (x.dims.n != 4 || b < 2 || !oribi_lower_is(call, "data_format", "NHWC") ||
        (to_depth ? in[1] % b != 0 || in[2] % b != 0 : b > 1024 || in[3] % (b * b) != 0)) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    const int32_t h = in[1], w = in[2], c = in[3];
    const int64_t wide_c = c, row = w * wide_c, image = h * row;
    const oribi_sizes dims = to_depth ? (oribi_sizes){6, {in[0], h / b, w / b, b, b, c}}
                                      : (oribi_sizes){6, {in[0], h, b, w, b, c / b / b}};
    const oribi_dims steps = to_depth
                                 ? (oribi_dims){6, {image, b * row, b * wide_c, row, wide_c, 1}}
                                 : (oribi_dims){6, {image, row, c / b, wide_c, c / b / b, 1}};
    return finish(lowering, call, &x, 0, &dims, &steps);
}

bool oribi_lower_reverse(oribi_lowering *lowering, oribi_call *call)
{
    source x;
    oribi_dims axes;
    int64_t start = 0;
    ORIBI_TRY(read_source(lowering, call, &x) && oribi_lower_ints(lowering, call, 1, &axes));
    oribi_dims steps = x.steps;
    for (int32_t i = 0; i < axes.n; i++) {
        int32_t axis = 0;
        ORIBI_TRY(oribi_lower_axis(lowering, call, axes.at[i], x.dims.n, &axis));
        if (steps.at[axis] < 0) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
        start += (x.dims.at[axis] - 1) * x.steps.at[axis];
        steps.at[axis] = -x.steps.at[axis];
    }
    return finish(lowering, call, &x, start, &x.dims, &steps);
}

bool oribi_lower_slice(oribi_lowering *lowering, oribi_call *call)
{
    source x;
    int64_t start = 0;
    oribi_dims begin;
    oribi_sizes dims;
    ORIBI_TRY(read_source(lowering, call, &x) &&
              oribi_lower_sizes(lowering, call, oribi_lower_output(lowering, call), &dims, NULL) &&
              oribi_lower_ints(lowering, call, 1, &begin));
    if (begin.n != x.dims.n || dims.n != x.dims.n) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    for (int32_t i = 0; i < begin.n; i++) {
        if (begin.at[i] < 0 || begin.at[i] > x.dims.at[i] - dims.at[i]) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
        start += begin.at[i] * x.steps.at[i];
    }
    return finish(lowering, call, &x, start, &dims, &x.steps);
}

/* --- Strided slices -------------------------------------------------------------------------- */

typedef struct strided {
    oribi_dims begin, end, step; /* of one length */
    oribi_geometry_strided spec;
} strided;

static bool read_strided(oribi_lowering *lowering, const oribi_call *call, strided *out)
{
    ORIBI_TRY(oribi_lower_ints(lowering, call, 1, &out->begin) &&
              oribi_lower_ints(lowering, call, 2, &out->end) &&
              oribi_lower_ints(lowering, call, 3, &out->step));
    out->spec =
        (oribi_geometry_strided){.n = out->begin.n,
                                 .begin = out->begin.at,
                                 .end = out->end.at,
                                 .step = out->step.at,
                                 .begin_mask = oribi_lower_int(call, "begin_mask", 0),
                                 .end_mask = oribi_lower_int(call, "end_mask", 0),
                                 .ellipsis_mask = oribi_lower_int(call, "ellipsis_mask", 0),
                                 .new_axis_mask = oribi_lower_int(call, "new_axis_mask", 0),
                                 .shrink_axis_mask = oribi_lower_int(call, "shrink_axis_mask", 0)};
    return (out->begin.n == out->end.n && out->begin.n == out->step.n) ||
           oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

bool oribi_lower_strided_slice(oribi_lowering *lowering, oribi_call *call)
{
    source x;
    strided s;
    oribi_geometry_slice slice;
    int64_t start = 0;
    ORIBI_TRY(read_source(lowering, call, &x) && read_strided(lowering, call, &s));
    oribi_sizes dims = x.dims;
    oribi_dims steps = x.steps;
    oribi_geometry_cut cut = oribi_geometry_slice_open(&slice, &s.spec, x.dims.n);
    while (cut <= ORIBI_GEOMETRY_NEW &&
           (cut = oribi_geometry_slice_next(&slice, x.wide.at)) != ORIBI_GEOMETRY_END) {
        if (cut != ORIBI_GEOMETRY_PART && cut != ORIBI_GEOMETRY_INDEX) {
            continue;
        }
        if (slice.count < 1) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
        start += slice.first * x.steps.at[slice.axis];
        dims.at[slice.axis] = (int32_t)slice.count;
        steps.at[slice.axis] = slice.step * x.steps.at[slice.axis];
    }
    return cut == ORIBI_GEOMETRY_END ? finish(lowering, call, &x, start, &dims, &steps)
                                     : oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}
