/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest places in float32, as the source has them; bilinear ones in integers of 1/1024. */
#include "micro/resize/resize_prepare.h"

#include <math.h>

enum { MOST = 1 << 24, ONE = 1 << 10 };

static int32_t check(const struct oribi_micro_resize_spec *s)
{
    return s->in >= 1 && s->out >= 1 && s->in <= MOST && s->out <= MOST ? ORIBI_MICRO_OK
                                                                        : ORIBI_MICRO_INVALID;
}

static float scale_of(const struct oribi_micro_resize_spec *s)
{
    return s->align_corners != 0 && s->out > 1 ? (float)(s->in - 1) / (float)(s->out - 1)
                                               : (float)s->in / (float)s->out;
}

int32_t oribi_micro_resize_nearest_places(const struct oribi_micro_resize_spec *spec,
                                          int32_t *out_places)
{
    const struct oribi_micro_resize_spec *s = spec;
    if (check(s) != ORIBI_MICRO_OK) {
        return ORIBI_MICRO_INVALID;
    }
    const float scale = scale_of(s);
    const float offset = s->half_pixel_centers != 0 ? 0.5F : 0.0F;
    for (int32_t i = 0; i < s->out; i++) {
        const float at = ((float)i + offset) * scale;
        const int32_t place = (int32_t)(s->align_corners != 0 ? roundf(at) : floorf(at));
        out_places[i] = place < s->in - 1 ? place : s->in - 1;
    }
    return ORIBI_MICRO_OK;
}

int32_t oribi_micro_resize_bilinear_places(const struct oribi_micro_resize_spec *spec,
                                           int32_t *out_places)
{
    const struct oribi_micro_resize_spec *s = spec;
    if (check(s) != ORIBI_MICRO_OK) {
        return ORIBI_MICRO_INVALID;
    }
    const int64_t in = s->in, out = s->out;
    const int64_t scale = s->align_corners != 0 && out > 1
                              ? (ONE * (in - 1) + (out - 1) / 2) / (out - 1)
                              : (ONE * in + out / 2) / out;
    for (int32_t i = 0; i < s->out; i++) {
        const int64_t at = i * scale + (s->half_pixel_centers != 0 ? scale / 2 - ONE / 2 : 0);
        int64_t lower = at / ONE, upper = (at + ONE - 1) / ONE;
        const int64_t weight = lower < in ? at - ONE * (lower < 0 ? 0 : lower) : 0;
        lower = lower < 0 ? 0 : lower < in - 1 ? lower : in - 1;
        upper = upper < 0 ? 0 : upper < in - 1 ? upper : in - 1;
        out_places[3 * i] = (int32_t)lower;
        out_places[3 * i + 1] = (int32_t)upper;
        out_places[3 * i + 2] = (int32_t)weight;
    }
    return ORIBI_MICRO_OK;
}

int32_t oribi_micro_resize_bilinear_weights(const struct oribi_micro_resize_spec *spec,
                                            int32_t *out_places, float *out_weights)
{
    const struct oribi_micro_resize_spec *s = spec;
    if (check(s) != ORIBI_MICRO_OK) {
        return ORIBI_MICRO_INVALID;
    }
    const float scale = scale_of(s);
    for (int32_t i = 0; i < s->out; i++) {
        const float middle = ((float)i + 0.5F) * scale;
        const float at = s->half_pixel_centers != 0 ? middle - 0.5F : (float)i * scale;
        const int32_t lower = (int32_t)floorf(at), upper = (int32_t)ceilf(at), last = s->in - 1;
        out_places[2 * i] = lower < 0 ? 0 : lower < last ? lower : last;
        out_places[2 * i + 1] = upper < 0 ? 0 : upper < last ? upper : last;
        out_weights[i] = at - (float)out_places[2 * i];
    }
    return ORIBI_MICRO_OK;
}
