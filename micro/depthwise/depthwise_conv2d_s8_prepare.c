/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of depthwise_conv2d_s8: multipliers per channel in double, folded biases,
 * padding.
 */
#include "micro/depthwise/depthwise_conv2d_s8_prepare.h"

#include <stddef.h>

static int32_t check(const struct oribi_micro_depthwise_conv2d_s8_spec *s, int32_t *out_taps,
                     int32_t *out_c)
{
    const int32_t window[2] = {s->filter_h, s->filter_w};
    const int32_t channels[2] = {s->in_c, s->depth_multiplier};
    int32_t code = oribi_micro_product(window, 2, out_taps);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(channels, 2, out_c);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    const int32_t all[2] = {*out_taps, *out_c};
    int32_t weights;
    code = oribi_micro_product(all, 2, &weights);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    const int fits = (s->n_filter_scales == 1 || s->n_filter_scales == *out_c) &&
                     (s->in_place == 0 || s->depth_multiplier == 1) &&
                     oribi_micro_check_s8(s->input) == ORIBI_MICRO_OK;
    return fits ? ORIBI_MICRO_OK : ORIBI_MICRO_INVALID;
}

/* Bytes of the padded plane of one channel. */
static int32_t plane_bytes(const struct oribi_micro_axis *y, const struct oribi_micro_axis *x,
                           int32_t *out_bytes)
{
    const int64_t height =
        (int64_t)(y->out - 1) * y->stride + (int64_t)(y->filter - 1) * y->dilation + 1;
    const int64_t width =
        (int64_t)(x->out - 1) * x->stride + (int64_t)(x->filter - 1) * x->dilation + 1;
    if (height > INT32_MAX || width > INT32_MAX) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    const int32_t sizes[2] = {(int32_t)height, (int32_t)width};
    return oribi_micro_product(sizes, 2, out_bytes);
}

int32_t
oribi_micro_depthwise_conv2d_s8_resize(const struct oribi_micro_depthwise_conv2d_s8_spec *spec,
                                       int32_t batch, int32_t in_h, int32_t in_w,
                                       struct oribi_micro_depthwise_conv2d_s8_args *args)
{
    const struct oribi_micro_depthwise_conv2d_s8_spec *s = spec;
    struct oribi_micro_axis y = {in_h, s->filter_h, s->stride_h, s->dilation_h,
                                 0,    s->pads[0],  s->pads[1]};
    struct oribi_micro_axis x = {in_w, s->filter_w, s->stride_w, s->dilation_w,
                                 0,    s->pads[2],  s->pads[3]};
    int32_t code = oribi_micro_window_resolve(&y, &x, s->in_c, s->padding);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    const int32_t in[4] = {batch, in_h, in_w, s->in_c};
    const int32_t out[4] = {batch, y.out, x.out, args->out_c};
    int32_t bytes, scratch = 0;
    code = oribi_micro_product(in, 4, &bytes);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(out, 4, &bytes);
    if (code == ORIBI_MICRO_OK && s->in_place != 0) {
        /* A row of results may not reach an input row that is still to come. */
        code = batch == 1 && y.out <= in_h && x.out <= in_w ? plane_bytes(&y, &x, &scratch)
                                                            : ORIBI_MICRO_INVALID;
    }
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    args->batch = batch;
    args->in_h = in_h;
    args->in_w = in_w;
    args->out_h = y.out;
    args->out_w = x.out;
    args->before_h = y.before;
    args->before_w = x.before;
    args->in_place = s->in_place;
    args->scratch_bytes = scratch;
    return ORIBI_MICRO_OK;
}

int32_t
oribi_micro_depthwise_conv2d_s8_prepare(const struct oribi_micro_depthwise_conv2d_s8_spec *spec,
                                        struct oribi_micro_depthwise_conv2d_s8_args *args,
                                        int32_t *bias, int32_t *multiplier, int32_t *shift)
{
    const struct oribi_micro_depthwise_conv2d_s8_spec *s = spec;
    int32_t taps = 0, out_c = 0;
    int32_t code = check(s, &taps, &out_c);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds_s8(s->activation, s->output, &args->low, &args->high);
    for (int32_t c = 0; c < out_c && code == ORIBI_MICRO_OK; c++) {
        const float scale = s->filter_scales[s->n_filter_scales == 1 ? 0 : c];
        code =
            oribi_micro_multiplier((double)s->input.scale * (double)scale / (double)s->output.scale,
                                   &multiplier[c], &shift[c]);
        code = code != ORIBI_MICRO_OK ? code
                                      : oribi_micro_fold_bias(s->filter + c, taps, out_c,
                                                              s->bias == NULL ? 0 : s->bias[c],
                                                              s->input.zero, &bias[c]);
    }
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    args->filter = s->filter;
    args->bias = bias;
    args->multiplier = multiplier;
    args->shift = shift;
    args->in_c = s->in_c;
    args->out_c = out_c;
    args->filter_h = s->filter_h;
    args->filter_w = s->filter_w;
    args->stride_h = s->stride_h;
    args->stride_w = s->stride_w;
    args->dilation_h = s->dilation_h;
    args->dilation_w = s->dilation_w;
    args->depth_multiplier = s->depth_multiplier;
    args->pitch = out_c;
    args->input_zero = s->input.zero;
    args->output_zero = s->output.zero;
    return s->in_h == 0
               ? ORIBI_MICRO_OK
               : oribi_micro_depthwise_conv2d_s8_resize(s, s->batch, s->in_h, s->in_w, args);
}
