/* SPDX-License-Identifier: Apache-2.0 */
/* See geometry_window.h. Sources: TensorFlow's GetWindowedOutputSize, ONNX's MaxPool. */
#include "micro/geometry/geometry_window.h"

#include <stddef.h>
#include <string.h>

bool oribi_geometry_read_padding(const char *word, oribi_geometry_padding *out)
{
    static const struct {
        const char *word;
        oribi_geometry_padding padding;
    } rows[] = {{"SAME", ORIBI_GEOMETRY_SAME},
                {"VALID", ORIBI_GEOMETRY_VALID},
                {"EXPLICIT", ORIBI_GEOMETRY_EXPLICIT},
                {"SAME_UPPER", ORIBI_GEOMETRY_SAME},
                {"SAME_LOWER", ORIBI_GEOMETRY_SAME_LOWER},
                {"NOTSET", ORIBI_GEOMETRY_EXPLICIT}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(word, rows[i].word) == 0) {
            *out = rows[i].padding;
            return true;
        }
    }
    return false;
}

static bool is_in_range(const oribi_geometry_window *w)
{
    return w->in >= -1 && (w->taps >= 1 || w->taps == -1) && w->stride >= 1 && w->dilation >= 1 &&
           (w->padding != ORIBI_GEOMETRY_EXPLICIT || (w->before >= 0 && w->after >= 0));
}

static bool is_same(const oribi_geometry_window *w)
{
    return w->padding == ORIBI_GEOMETRY_SAME || w->padding == ORIBI_GEOMETRY_SAME_LOWER;
}

/* Elements that the windows, one on each stride, need beside those of the input. */
static int64_t missing(const oribi_geometry_window *w)
{
    const int64_t total = (w->out - 1) * w->stride - w->in + w->reach;
    return total > 0 ? total : 0;
}

static void pad_same(oribi_geometry_window *w)
{
    w->before = w->after = -1;
    w->out = w->in < 0 ? -1 : w->in / w->stride + (w->in % w->stride != 0);
    if (w->in >= 0 && w->taps >= 0) {
        oribi_geometry_part(missing(w), w->padding == ORIBI_GEOMETRY_SAME_LOWER, &w->before,
                            &w->after);
    }
}

/* A window that would start in the padding after the input is none. The next one starts `gap` after
 * the last place where one fits, and reach - after before the end of the input. */
static bool has_one_cut_off(const oribi_geometry_window *w, int64_t rest)
{
    const int64_t gap = w->stride - rest % w->stride;
    return w->ceil && w->padding == ORIBI_GEOMETRY_EXPLICIT && rest % w->stride != 0 &&
           gap < w->reach - w->after;
}

oribi_geometry_fit oribi_geometry_slide(oribi_geometry_window *w)
{
    int64_t padded = 0;
    w->out = w->reach = -1;
    if (!is_in_range(w)) {
        return ORIBI_GEOMETRY_RANGE;
    }
    if (w->taps >= 0 && (__builtin_mul_overflow(w->taps - 1, w->dilation, &w->reach) ||
                         __builtin_add_overflow(w->reach, 1, &w->reach))) {
        return ORIBI_GEOMETRY_OVERFLOW;
    }
    if (is_same(w)) {
        pad_same(w);
        return ORIBI_GEOMETRY_FITS;
    }
    if (w->padding == ORIBI_GEOMETRY_VALID) {
        w->before = w->after = 0;
    }
    if (w->in < 0 || w->taps < 0) {
        return ORIBI_GEOMETRY_FITS;
    }
    if (__builtin_add_overflow(w->in, w->before, &padded) ||
        __builtin_add_overflow(padded, w->after, &padded)) {
        return ORIBI_GEOMETRY_OVERFLOW;
    }
    const int64_t rest = padded - w->reach;
    if (rest < 0) {
        return ORIBI_GEOMETRY_NARROW;
    }
    w->out = rest / w->stride + 1 + (has_one_cut_off(w, rest) ? 1 : 0);
    return ORIBI_GEOMETRY_FITS;
}

bool oribi_geometry_is_within(const oribi_geometry_window *w, int64_t most)
{
    const bool reads_pads = w->padding == ORIBI_GEOMETRY_EXPLICIT;
    return w->in <= most && w->taps <= most && w->stride <= most && w->dilation <= most &&
           (!reads_pads || (w->before <= most && w->after <= most));
}

int64_t oribi_geometry_needed_after(const oribi_geometry_window *w)
{
    const int64_t needed = missing(w) - w->before;
    return needed > 0 ? needed : 0;
}

bool oribi_geometry_meets_input(const oribi_geometry_window *w)
{
    return (w->out - 1) * w->stride - w->before < w->in;
}
