/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of wide_conv2d. */
#include "micro/conv/wide_conv2d_prepare.h"

#include "micro/element.h"

#include <stddef.h>

static int32_t check(const struct oribi_micro_wide_conv2d_spec *s)
{
    const int32_t filter[4] = {s->out_c, s->filter_h, s->filter_w, s->filter_c};
    int32_t count;
    const int32_t code = oribi_micro_product(filter, 4, &count);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    const int kinds =
        (s->kind == ORIBI_MICRO_U8 && s->filter_kind == ORIBI_MICRO_U8 && s->wide_bias == NULL &&
         s->filter_zero >= 0 && s->filter_zero <= 255) ||
        (s->kind == ORIBI_MICRO_S16 && s->filter_kind == ORIBI_MICRO_S8 && s->filter_zero == 0);
    const int fits = kinds && oribi_micro_check(s->kind, s->input) == ORIBI_MICRO_OK &&
                     s->in_c >= s->filter_c && s->in_c % s->filter_c == 0 &&
                     s->out_c % (s->in_c / s->filter_c) == 0;
    return fits ? ORIBI_MICRO_OK : ORIBI_MICRO_INVALID;
}

static int32_t set_sizes(const struct oribi_micro_wide_conv2d_spec *s,
                         struct oribi_micro_wide_conv2d_args *a)
{
    struct oribi_micro_axis y = {s->in_h, s->filter_h, s->stride_h, s->dilation_h,
                                 0,       s->pads[0],  s->pads[1]};
    struct oribi_micro_axis x = {s->in_w, s->filter_w, s->stride_w, s->dilation_w,
                                 0,       s->pads[2],  s->pads[3]};
    int32_t code = oribi_micro_window_resolve(&y, &x, s->in_c, s->padding);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    /* twice: elements may have two bytes */
    const int32_t in[5] = {2, s->batch, s->in_h, s->in_w, s->in_c};
    const int32_t out[5] = {2, s->batch, y.out, x.out, s->out_c};
    int32_t bytes;
    code = oribi_micro_product(in, 5, &bytes);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(out, 5, &bytes);
    a->kind = s->kind;
    a->filter_kind = s->filter_kind;
    a->batch = s->batch;
    a->in_h = s->in_h;
    a->in_w = s->in_w;
    a->in_c = s->in_c;
    a->out_h = y.out;
    a->out_w = x.out;
    a->out_c = s->out_c;
    a->filter_h = s->filter_h;
    a->filter_w = s->filter_w;
    a->stride_h = s->stride_h;
    a->stride_w = s->stride_w;
    a->dilation_h = s->dilation_h;
    a->dilation_w = s->dilation_w;
    a->before_h = y.before;
    a->before_w = x.before;
    a->groups = s->in_c / s->filter_c;
    a->input_zero = s->input.zero;
    a->filter_zero = s->filter_zero;
    a->output_zero = s->output.zero;
    return code;
}

int32_t oribi_micro_wide_conv2d_resize(const struct oribi_micro_wide_conv2d_spec *spec,
                                       struct oribi_micro_wide_conv2d_args *args)
{
    const int32_t code = check(spec);
    return code != ORIBI_MICRO_OK ? code : set_sizes(spec, args);
}

/* Sums of 64 bits are multiplied by 15 more: 2^47 is their limit, and a shift is at most 7. */
static int32_t check_reach(const struct oribi_micro_wide_channels *s, int64_t bias, int32_t shift)
{
    const int64_t reach = s->taps * 32768 * 128, limit = INT64_C(1) << 46;
    const int fits = shift <= 7 && reach < limit && bias < limit && bias > -limit;
    return s->is_wide == 0 || fits ? ORIBI_MICRO_OK : ORIBI_MICRO_OVERFLOW;
}

static double real_scale(const struct oribi_micro_wide_channels *s, int32_t c)
{
    const float filter = s->filter_scales[s->n_filter_scales == 1 ? 0 : c];
    const float product = s->input.scale * filter;
    const double exact = (double)s->input.scale * (double)filter;
    return (s->has_float_scales != 0 ? (double)product : exact) / (double)s->output.scale;
}

int32_t oribi_micro_wide_channels_prepare(const struct oribi_micro_wide_channels *channels,
                                          int32_t *bias_low, int32_t *bias_high,
                                          int32_t *multiplier, int32_t *shift)
{
    const struct oribi_micro_wide_channels *s = channels;
    int32_t code = s->n_filter_scales == 1 || s->n_filter_scales == s->n ? ORIBI_MICRO_OK
                                                                         : ORIBI_MICRO_INVALID;
    for (int32_t c = 0; c < s->n && code == ORIBI_MICRO_OK; c++) {
        const int64_t bias = s->wide_bias != NULL ? s->wide_bias[c]
                             : s->bias != NULL    ? s->bias[c]
                                                  : 0;
        bias_low[c] = (int32_t)(uint32_t)((uint64_t)bias & 0xFFFFFFFFU);
        bias_high[c] = (int32_t)(bias >> 32);
        code = oribi_micro_multiplier(real_scale(s, c), &multiplier[c], &shift[c]);
        code = code != ORIBI_MICRO_OK ? code : check_reach(s, bias, shift[c]);
    }
    return code;
}

int32_t oribi_micro_wide_conv2d_prepare(const struct oribi_micro_wide_conv2d_spec *spec,
                                        struct oribi_micro_wide_conv2d_args *args,
                                        int32_t *bias_low, int32_t *bias_high, int32_t *multiplier,
                                        int32_t *shift)
{
    const struct oribi_micro_wide_conv2d_spec *s = spec;
    const struct oribi_micro_wide_channels channels = {.kind = s->kind,
                                                       .n = s->out_c,
                                                       .taps = (int64_t)s->filter_h * s->filter_w *
                                                               s->filter_c,
                                                       .is_wide = s->wide_bias != NULL,
                                                       .bias = s->bias,
                                                       .wide_bias = s->wide_bias,
                                                       .has_float_scales = s->has_float_scales,
                                                       .input = s->input,
                                                       .output = s->output,
                                                       .filter_scales = s->filter_scales,
                                                       .n_filter_scales = s->n_filter_scales};
    int32_t code = oribi_micro_wide_conv2d_resize(s, args);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds(s->kind, s->activation, s->output, &args->low, &args->high);
    code = code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_wide_channels_prepare(&channels, bias_low,
                                                                      bias_high, multiplier, shift);
    args->is_wide = channels.is_wide;
    args->filter = s->filter;
    args->bias_low = bias_low;
    args->bias_high = bias_high;
    args->multiplier = multiplier;
    args->shift = shift;
    return code;
}
