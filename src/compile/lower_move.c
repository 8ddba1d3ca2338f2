/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of transposes, slices and strided slices: boxes of a tensor, in any order. */
#include "compile/lower_parts.h"
#include "tensor/status.h"

enum { RANK = ORIBI_LOWER_RANK };

/* The input as it lies in memory. */
typedef struct source {
    int32_t dims[RANK], rank, element_bytes;
    int64_t steps[RANK];
    int64_t count;
} source;

static bool read_source(oribi_lowering *lowering, const oribi_call *call, source *out)
{
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, out->dims, &out->rank, &out->element_bytes));
    out->count = 1;
    for (int32_t i = out->rank - 1; i >= 0; i--) {
        out->steps[i] = out->count;
        out->count *= out->dims[i];
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
                   const int32_t *dims, const int64_t *steps, int32_t rank)
{
    struct oribi_micro_move_args args;
    const struct oribi_micro_move_spec spec = {rank,  x->element_bytes, dims, steps,
                                               start, x->count};
    return oribi_call_move(lowering, call, &spec, &args) && add_view(lowering, call, &args);
}

bool oribi_lower_transpose(oribi_lowering *lowering, oribi_call *call)
{
    source x;
    int64_t order[RANK], steps[RANK];
    int32_t dims[RANK], n;
    uint32_t seen = 0;
    ORIBI_TRY(read_source(lowering, call, &x));
    ORIBI_TRY((n = oribi_lower_ints(lowering, call, 1, order, RANK)) >= 0);
    for (int32_t i = 0; i < n && i < x.rank; i++) {
        int32_t axis;
        ORIBI_TRY(oribi_lower_axis(lowering, call, order[i], x.rank, &axis));
        seen |= UINT32_C(1) << axis;
        dims[i] = x.dims[axis];
        steps[i] = x.steps[axis];
    }
    if (n != x.rank || seen != (UINT32_C(1) << n) - 1) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    return finish(lowering, call, &x, 0, dims, steps, n);
}

bool oribi_lower_slice(oribi_lowering *lowering, oribi_call *call)
{
    source x;
    int64_t begin[RANK], start = 0;
    int32_t dims[RANK], rank;
    ORIBI_TRY(read_source(lowering, call, &x));
    ORIBI_TRY(
        oribi_lower_sizes(lowering, call, oribi_lower_output(lowering, call), dims, &rank, NULL));
    const int32_t n = oribi_lower_ints(lowering, call, 1, begin, RANK);
    ORIBI_TRY(n >= 0);
    if (n != x.rank || rank != x.rank) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    for (int32_t i = 0; i < n; i++) {
        if (begin[i] < 0 || begin[i] > x.dims[i] - dims[i]) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
        start += begin[i] * x.steps[i];
    }
    return finish(lowering, call, &x, start, dims, x.steps, n);
}

/* --- Strided slices -------------------------------------------------------------------------- */

typedef struct strides {
    int64_t begin[RANK], end[RANK], step[RANK];
    int32_t n, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
} strides;

static bool read_strides(oribi_lowering *lowering, const oribi_call *call, strides *out)
{
    out->n = oribi_lower_ints(lowering, call, 1, out->begin, RANK);
    const int32_t n_end = oribi_lower_ints(lowering, call, 2, out->end, RANK);
    const int32_t n_step = oribi_lower_ints(lowering, call, 3, out->step, RANK);
    ORIBI_TRY(out->n >= 0 && n_end >= 0 && n_step >= 0);
    out->begin_mask = oribi_lower_int(call, "begin_mask", 0);
    out->end_mask = oribi_lower_int(call, "end_mask", 0);
    out->ellipsis_mask = oribi_lower_int(call, "ellipsis_mask", 0);
    out->new_axis_mask = oribi_lower_int(call, "new_axis_mask", 0);
    out->shrink_axis_mask = oribi_lower_int(call, "shrink_axis_mask", 0);
    return (out->n == n_end && out->n == n_step) ||
           oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

/* First index and number of values along one dimension. */
static bool range(const strides *s, int32_t i, int64_t size, int64_t *out_first, int64_t *out_count)
{
    const int32_t bit = 1 << i;
    const int64_t step = s->step[i];
    const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
    int64_t first = s->begin[i] < 0 ? s->begin[i] + size : s->begin[i];
    int64_t last = s->end[i] < 0 ? s->end[i] + size : s->end[i];
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
    int64_t steps[RANK], start = 0;
    int32_t dims[RANK], axis = 0, n_named = 0;
    ORIBI_TRY(read_source(lowering, call, &x) && read_strides(lowering, call, &s));
    for (int32_t i = 0; i < s.n; i++) {
        n_named += ((s.ellipsis_mask | s.new_axis_mask) & 1 << i) == 0 ? 1 : 0;
    }
    for (int32_t i = 0; i < x.rank; i++) {
        dims[i] = x.dims[i];
        steps[i] = x.steps[i];
    }
    for (int32_t i = 0; i < s.n; i++) {
        int64_t first, count;
        if ((s.ellipsis_mask & 1 << i) != 0) {
            axis += x.rank - n_named;
            continue;
        }
        if ((s.new_axis_mask & 1 << i) != 0) {
            continue;
        }
        if (axis < 0 || axis >= x.rank || !range(&s, i, x.dims[axis], &first, &count)) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
        start += first * x.steps[axis];
        dims[axis] = (int32_t)count;
        steps[axis] = s.step[i] * x.steps[axis];
        axis++;
    }
    return finish(lowering, call, &x, start, dims, steps, x.rank);
}
