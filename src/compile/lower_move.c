/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of transposes, slices and strided slices: boxes of a tensor, in any order. */
#include "compile/lower_parts.h"
#include "tensor/status.h"

/* The input as it lies in memory. */
typedef struct source {
    oribi_sizes dims;
    oribi_dims steps;
    int32_t element_bytes;
    int64_t count;
} source;

static bool read_source(oribi_lowering *lowering, const oribi_call *call, source *out)
{
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, &out->dims, &out->element_bytes));
    out->count = 1;
    (void)oribi_dims_fill(&out->steps, out->dims.n, 1); /* as many: it fits */
    for (int32_t i = out->dims.n - 1; i >= 0; i--) {
        out->steps.at[i] = out->count;
        out->count *= out->dims.at[i];
    }
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
    if (view == NULL) {
        return oribi_fail_memory(lowering->status);
    }
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
    ORIBI_TRY(read_source(lowering, call, &x) && oribi_lower_ints(lowering, call, 1, &order));
    if (order.n != x.dims.n) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    for (int32_t i = 0; i < order.n; i++) {
        int32_t axis;
        ORIBI_TRY(oribi_lower_axis(lowering, call, order.at[i], x.dims.n, &axis));
        order.at[i] = axis;
        (void)oribi_sizes_add(&dims, x.dims.at[axis]);
        (void)oribi_dims_add(&steps, x.steps.at[axis]);
    }
    if (!oribi_dims_is_permutation(&order)) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    return finish(lowering, call, &x, 0, &dims, &steps);
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

typedef struct strides {
    oribi_dims begin, end, step; /* of one length */
    int32_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
} strides;

static bool read_strides(oribi_lowering *lowering, const oribi_call *call, strides *out)
{
    ORIBI_TRY(oribi_lower_ints(lowering, call, 1, &out->begin) &&
              oribi_lower_ints(lowering, call, 2, &out->end) &&
              oribi_lower_ints(lowering, call, 3, &out->step));
    out->begin_mask = oribi_lower_int(call, "begin_mask", 0);
    out->end_mask = oribi_lower_int(call, "end_mask", 0);
    out->ellipsis_mask = oribi_lower_int(call, "ellipsis_mask", 0);
    out->new_axis_mask = oribi_lower_int(call, "new_axis_mask", 0);
    out->shrink_axis_mask = oribi_lower_int(call, "shrink_axis_mask", 0);
    return (out->begin.n == out->end.n && out->begin.n == out->step.n) ||
           oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

/* First index and number of values along one dimension. */
static bool range(const strides *s, int32_t i, int64_t size, int64_t *out_first, int64_t *out_count,
                  int64_t *out_step)
{
    const int32_t bit = 1 << i;
    const int64_t given = s->step.at[i]; /* sizes are below 2^31: longer steps see the same */
    const int64_t step = given > INT32_MAX ? INT32_MAX : given < -INT32_MAX ? -INT32_MAX : given;
    const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
    int64_t first = s->begin.at[i] < 0 ? s->begin.at[i] + size : s->begin.at[i];
    int64_t last = s->end.at[i] < 0 ? s->end.at[i] + size : s->end.at[i];
    *out_step = step;
    if ((s->shrink_axis_mask & bit) != 0) {
        *out_first = first;
        *out_count = 1;
        return step > 0 && first >= 0 && first < size;
    }
    first = first < lowest ? lowest : first > highest ? highest : first;
    last = last < lowest ? lowest : last > highest ? highest : last;
    first = (s->begin_mask & bit) != 0 ? (step > 0 ? lowest : highest) : first;
    last = (s->end_mask & bit) != 0 ? (step > 0 ? highest : lowest) : last;
    *out_first = first;
    *out_count = step > 0   ? (last - first + step - 1) / step
                 : step < 0 ? (first - last - step - 1) / -step
                            : 0;
    return *out_count > 0;
}

bool oribi_lower_strided_slice(oribi_lowering *lowering, oribi_call *call)
{
    source x;
    strides s;
    int64_t start = 0;
    int32_t axis = 0, n_named = 0;
    ORIBI_TRY(read_source(lowering, call, &x) && read_strides(lowering, call, &s));
    oribi_sizes dims = x.dims;
    oribi_dims steps = x.steps;
    for (int32_t i = 0; i < s.begin.n; i++) {
        n_named += ((s.ellipsis_mask | s.new_axis_mask) & 1 << i) == 0 ? 1 : 0;
    }
    for (int32_t i = 0; i < s.begin.n; i++) {
        int64_t first, count, step;
        if ((s.ellipsis_mask & 1 << i) != 0) {
            axis += x.dims.n - n_named;
            continue;
        }
        if ((s.new_axis_mask & 1 << i) != 0) {
            continue;
        }
        if (axis < 0 || axis >= x.dims.n || !range(&s, i, x.dims.at[axis], &first, &count, &step)) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
        start += first * x.steps.at[axis];
        dims.at[axis] = (int32_t)count;
        steps.at[axis] = step * x.steps.at[axis];
        axis++;
    }
    return finish(lowering, call, &x, start, &dims, &steps);
}
