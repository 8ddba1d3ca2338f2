/* SPDX-License-Identifier: Apache-2.0 */
/* What conv2d_lanes_s8 needs of the plain convolution's arguments. */
#include "micro/conv2d_lanes_s8_prepare.h"

#include <stddef.h>

static int32_t sizes_fit(const struct oribi_micro_conv2d_s8_args *a)
{
    const int32_t sizes[] = {a->batch,    a->in_h,     a->in_w,     a->in_c,      a->out_h,
                             a->out_w,    a->out_c,    a->filter_h, a->filter_w,  a->stride_h,
                             a->stride_w, a->before_h, a->before_w, a->dilation_h};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] > INT16_MAX) {
            return 0;
        }
    }
    return (int64_t)a->filter_h * a->filter_w * a->in_c <= UINT16_MAX - 7;
}

int32_t oribi_micro_conv2d_lanes_s8_fits(const struct oribi_micro_conv2d_s8_args *plain,
                                         struct oribi_micro_lanes_spec *out_spec)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    out_spec->filter = a->filter;
    out_spec->channels = a->out_c;
    out_spec->depth = a->filter_h * a->filter_w * a->in_c;
    out_spec->rows = a->filter_h;
    out_spec->group = 2;
    out_spec->bias = a->bias;
    out_spec->multiplier = a->multiplier;
    out_spec->shift = a->shift;
    out_spec->one_scale = 0;
    out_spec->output.zero = (int8_t)a->output_zero;
    out_spec->output.low = (int8_t)a->low;
    out_spec->output.high = (int8_t)a->high;
    return a->groups == 1 && (a->dilation_w == 1 || a->filter_w == 1) && sizes_fit(a) &&
           oribi_micro_lanes_fit(out_spec);
}

int32_t oribi_micro_conv2d_lanes_s8_prepare(const struct oribi_micro_conv2d_s8_args *plain,
                                            const int32_t *words,
                                            struct oribi_micro_conv2d_lanes_s8_args *args)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    const int32_t taps = oribi_micro_lanes_taps(a->filter_h * a->filter_w * a->in_c);
    args->filter = words;
    args->has_general = 0;
    for (int32_t c = 0; c < a->out_c; c += 2) {
        const int32_t *record =
            words + (c / 2 + 1) * (taps / 2 + ORIBI_MICRO_LANES_RECORD) - ORIBI_MICRO_LANES_RECORD;
        args->has_general |= (int8_t)(oribi_micro_lanes_is_general(record) != 0);
    }
    args->output.zero = (int8_t)a->output_zero;
    args->output.low = (int8_t)a->low;
    args->output.high = (int8_t)a->high;
    args->batch = (int16_t)a->batch;
    args->in_h = (int16_t)a->in_h;
    args->in_w = (int16_t)a->in_w;
    args->in_c = (int16_t)a->in_c;
    args->out_h = (int16_t)a->out_h;
    args->out_w = (int16_t)a->out_w;
    args->out_c = (int16_t)a->out_c;
    args->filter_h = (int16_t)a->filter_h;
    args->filter_w = (int16_t)a->filter_w;
    args->stride_h = (int16_t)a->stride_h;
    args->stride_w = (int16_t)a->stride_w;
    args->dilation_h = (int16_t)a->dilation_h;
    args->before_h = (int16_t)a->before_h;
    args->before_w = (int16_t)a->before_w;
    args->taps = (uint16_t)taps;
    args->input_zero = (int8_t)a->input_zero;
    const int32_t run = a->filter_w * a->in_c, whole = run / 4 * 4;
    args->is_point = a->filter_h * a->filter_w == 1 && a->stride_h * a->stride_w == 1 &&
                     a->out_h == a->in_h && a->out_w == a->in_w && a->in_c % 4 == 0;
    return 4 * taps + (a->in_c % 4 == 0 ? 0
                       : whole == run   ? run
                                        : run + taps - a->filter_h * whole);
}
