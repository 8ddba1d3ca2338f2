/* SPDX-License-Identifier: Apache-2.0 */
/* See geometry_slice.h. Source: TensorFlow's ValidateStridedSliceOp. */
#include "micro/geometry/geometry_slice.h"

#include <stddef.h>

static bool has(int64_t mask, int32_t i)
{
    return i < 63 && (mask >> i & 1) != 0;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

oribi_geometry_cut oribi_geometry_slice_open(oribi_geometry_slice *s,
                                             const oribi_geometry_strided *spec, int32_t rank)
{
    *s = (oribi_geometry_slice){.spec = spec, .rank = rank};
    for (int32_t i = 0; i < spec->n; i++) {
        s->n_named += !has(spec->ellipsis_mask, i) && !has(spec->new_axis_mask, i);
    }
    if (oribi_geometry_has_two_ellipses(spec)) {
        return ORIBI_GEOMETRY_TWO_ELLIPSES;
    }
    return s->n_named > rank ? ORIBI_GEOMETRY_TOO_MANY : ORIBI_GEOMETRY_PART;
}

static oribi_geometry_cut take_whole(oribi_geometry_slice *s, const int64_t *dims)
{
    s->entry = -1;
    s->axis = s->next_axis++;
    s->first = 0;
    s->count = dims[s->axis];
    s->step = 1;
    return ORIBI_GEOMETRY_PART;
}

static oribi_geometry_cut take_new(oribi_geometry_slice *s)
{
    s->axis = -1;
    s->first = 0;
    s->count = s->step = 1;
    return ORIBI_GEOMETRY_NEW;
}

static oribi_geometry_cut take_index(oribi_geometry_slice *s, int64_t in)
{
    const oribi_geometry_strided *spec = s->spec;
    s->first = -1;
    s->count = s->step = 1;
    if (spec->step[s->entry] <= 0) {
        return ORIBI_GEOMETRY_BACKWARD_INDEX;
    }
    if (in < 0 || spec->begin == NULL) {
        return ORIBI_GEOMETRY_INDEX;
    }
    const int64_t begin = spec->begin[s->entry], at = begin < 0 ? begin + in : begin;
    if (at < 0 || at >= in) {
        return ORIBI_GEOMETRY_OUTSIDE;
    }
    s->first = at;
    return ORIBI_GEOMETRY_INDEX;
}

static oribi_geometry_cut take_part(oribi_geometry_slice *s, int64_t in)
{
    const oribi_geometry_strided *spec = s->spec;
    const int64_t step = spec->step[s->entry];
    const bool opens = has(spec->begin_mask, s->entry), ends = has(spec->end_mask, s->entry);
    s->first = s->count = -1;
    s->step = step;
    if (step == 0) {
        return ORIBI_GEOMETRY_ZERO_STEP;
    }
    const bool is_open = opens && ends;
    if (in < 0 || (!is_open && (spec->begin == NULL || spec->end == NULL))) {
        return ORIBI_GEOMETRY_PART;
    }
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? in : in - 1;
    int64_t begin = step > 0 ? low : high, end = step > 0 ? high : low;
    if (!opens) {
        const int64_t given = spec->begin[s->entry];
        begin = clamp(given < 0 ? given + in : given, low, high);
    }
    if (!ends) {
        const int64_t given = spec->end[s->entry];
        end = clamp(given < 0 ? given + in : given, low, high);
    }
    const int64_t distance = step > 0 ? end - begin : begin - end;
    const uint64_t pace = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    s->count = distance <= 0 ? 0 : (int64_t)((uint64_t)(distance - 1) / pace) + 1;
    s->first = s->count > 0 ? begin : 0;
    s->step = s->count > 1 ? step : 1;
    return ORIBI_GEOMETRY_PART;
}

oribi_geometry_cut oribi_geometry_slice_next(oribi_geometry_slice *s, const int64_t *dims)
{
    const oribi_geometry_strided *spec = s->spec;
    if (s->next_axis < s->whole_until) {
        return take_whole(s, dims);
    }
    if (s->next_entry < spec->n && has(spec->ellipsis_mask, s->next_entry)) {
        s->next_entry++;
        s->whole_until = s->next_axis + s->rank - s->n_named;
        return oribi_geometry_slice_next(s, dims); /* once: there is one ellipsis */
    }
    if (s->next_entry == spec->n) {
        return s->next_axis < s->rank ? take_whole(s, dims) : ORIBI_GEOMETRY_END;
    }
    s->entry = s->next_entry++;
    if (has(spec->new_axis_mask, s->entry)) {
        return take_new(s);
    }
    s->axis = s->next_axis++;
    return has(spec->shrink_axis_mask, s->entry) ? take_index(s, dims[s->axis])
                                                 : take_part(s, dims[s->axis]);
}

bool oribi_geometry_is_whole(const oribi_geometry_slice *s, const int64_t *dims)
{
    return s->count == dims[s->axis] && s->step == 1;
}

bool oribi_geometry_strided_reorder(const oribi_geometry_strided *spec, const oribi_perm *perm,
                                    oribi_geometry_strided_dims *out)
{
    if (spec->ellipsis_mask != 0 || spec->new_axis_mask != 0 || spec->shrink_axis_mask != 0 ||
        spec->n > perm->n) {
        return false;
    }
    *out = (oribi_geometry_strided_dims){.begin_mask = 0};
    out->begin.n = out->end.n = out->step.n = perm->n;
    for (int32_t i = 0; i < perm->n; i++) {
        const int32_t to = perm->at[i];
        const bool is_named = i < spec->n;
        out->begin.at[to] = is_named ? spec->begin[i] : 0;
        out->end.at[to] = is_named ? spec->end[i] : 0;
        out->step.at[to] = is_named ? spec->step[i] : 1;
        out->begin_mask |= (int64_t)(!is_named || has(spec->begin_mask, i)) << to;
        out->end_mask |= (int64_t)(!is_named || has(spec->end_mask, i)) << to;
    }
    return true;
}

bool oribi_geometry_slice_size(int64_t in, int64_t begin, int64_t size, int64_t *out_count)
{
    *out_count = size >= 0 ? size : in >= 0 && begin >= 0 && begin <= in ? in - begin : -1;
    return size >= -1 && begin >= -1 &&
           (in < 0 || (begin <= in && size <= in - (begin > 0 ? begin : 0)));
}

static int64_t clamped(int64_t at, int64_t in, int64_t low, int64_t high)
{
    const int64_t from_start = at < 0 ? at + in : at;
    return from_start < low ? low : from_start > high ? high : from_start;
}

bool oribi_geometry_slice_axis(int64_t in, int64_t start, int64_t end, int64_t step,
                               int64_t *out_first, int64_t *out_count)
{
    const bool is_forward = step > 0;
    const int64_t first = clamped(start, in, 0, is_forward ? in : in - 1);
    const int64_t until = clamped(end, in, is_forward ? 0 : -1, is_forward ? in : in - 1);
    const uint64_t span = is_forward ? (until > first ? (uint64_t)(until - first) : 0)
                                     : (first > until && in > 0 ? (uint64_t)(first - until) : 0);
    const uint64_t stride = is_forward ? (uint64_t)step : 0 - (uint64_t)step;
    *out_first = first > 0 ? first : 0;
    *out_count = step == 0 || span == 0 ? 0 : (int64_t)((span - 1) / stride + 1);
    return step != 0;
}
