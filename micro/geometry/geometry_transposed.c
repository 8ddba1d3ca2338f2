/* SPDX-License-Identifier: Apache-2.0 */
/* See geometry_transposed.h. */
#include "micro/geometry/geometry_transposed.h"

static bool is_in_range(const oribi_geometry_transposed *t)
{
    return t->in >= -1 && (t->taps >= 1 || t->taps == -1) && t->stride >= 1 && t->dilation >= 1 &&
           t->more >= 0 && t->wanted >= -1;
}

/* stride * (in - 1) + more + dilation * (taps - 1) + 1, or -1. */
static bool reach(oribi_geometry_transposed *t)
{
    int64_t windows = 0, taps = 0, all = 0;
    t->full = -1;
    if (t->in < 0 || t->taps < 0) {
        return true;
    }
    const bool fits = !__builtin_mul_overflow(t->in - 1, t->stride, &windows) &&
                      !__builtin_mul_overflow(t->taps - 1, t->dilation, &taps) &&
                      !__builtin_add_overflow(windows, taps, &all) &&
                      !__builtin_add_overflow(all, t->more, &all) &&
                      !__builtin_add_overflow(all, 1, &all);
    t->full = t->in == 0 ? 0 : all;
    return fits;
}

static oribi_geometry_fit cut(oribi_geometry_transposed *t)
{
    int64_t borders = 0;
    if (t->padding == ORIBI_GEOMETRY_VALID) {
        t->before = t->after = 0;
    }
    t->out = -1;
    if (t->full < 0) {
        return ORIBI_GEOMETRY_FITS;
    }
    if (__builtin_add_overflow(t->before, t->after, &borders) ||
        __builtin_sub_overflow(t->full, borders, &t->out)) {
        t->out = -1;
        return ORIBI_GEOMETRY_OVERFLOW;
    }
    if (t->out < 0) {
        t->out = -1;
        return ORIBI_GEOMETRY_NARROW;
    }
    return ORIBI_GEOMETRY_FITS;
}

/* Cuts so much off that the wanted size is left. SAME adds nothing: where windows leave gaps, the
 * result ends with the last one, as ONNX's shape inference and ONNX Runtime have it. */
static void fit(oribi_geometry_transposed *t)
{
    t->before = t->after = 0;
    if (t->wanted < 0 && t->full >= 0 && t->full < t->out) {
        t->out = t->full;
    }
    if (t->full > t->out && t->out >= 0) {
        oribi_geometry_part(t->full - t->out, t->padding != ORIBI_GEOMETRY_SAME, &t->before,
                            &t->after);
    }
}

oribi_geometry_fit oribi_geometry_spread(oribi_geometry_transposed *t)
{
    const bool is_same =
        t->padding == ORIBI_GEOMETRY_SAME || t->padding == ORIBI_GEOMETRY_SAME_LOWER;
    t->out = -1;
    if (!is_in_range(t)) {
        t->full = -1;
        return ORIBI_GEOMETRY_RANGE;
    }
    if (!reach(t)) {
        return ORIBI_GEOMETRY_OVERFLOW;
    }
    if (t->wanted < 0 && !is_same) {
        const oribi_geometry_fit found = cut(t);
        if (found != ORIBI_GEOMETRY_FITS) {
            return found;
        }
    } else {
        t->out = t->wanted;
        if (t->wanted < 0 && t->in >= 0 && __builtin_mul_overflow(t->in, t->stride, &t->out)) {
            t->out = -1;
            return ORIBI_GEOMETRY_OVERFLOW;
        }
        fit(t);
    }
    if (t->full >= 0) { /* the last window's end, not that of `more` */
        t->after = t->full - t->more - t->out - t->before;
    }
    return ORIBI_GEOMETRY_FITS;
}
