/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of conv2d_s8: multipliers per channel in double, folded biases, padding. */
#include "micro/conv/conv2d_s8_prepare.h"

#include <stddef.h>

static int32_t check(const struct oribi_micro_conv2d_s8_spec *s, int32_t *out_taps)
{
    const int32_t sizes[3] = {s->filter_h, s->filter_w, s->filter_c};
    int32_t code = oribi_micro_product(sizes, 3, out_taps);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    const int32_t all[2] = {*out_taps, s->out_c};
    int32_t weights;
    code = oribi_micro_product(all, 2, &weights);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    const int fits = s->in_c >= s->filter_c && s->in_c % s->filter_c == 0 &&
                     s->out_c % (s->in_c / s->filter_c) == 0 &&
                     (s->n_filter_scales == 1 || s->n_filter_scales == s->out_c) &&
                     oribi_micro_check_s8(s->input) == ORIBI_MICRO_OK;
    return fits ? ORIBI_MICRO_OK : ORIBI_MICRO_INVALID;
}

int32_t oribi_micro_conv2d_s8_resize(const struct oribi_micro_conv2d_s8_spec *spec, int32_t batch,
                                     int32_t in_h, int32_t in_w,
                                     struct oribi_micro_conv2d_s8_args *args)
{
    const struct oribi_micro_conv2d_s8_spec *s = spec;
    struct oribi_micro_axis y = {in_h, s->filter_h, s->stride_h, s->dilation_h,
                                 0,    s->pads[0],  s->pads[1]};
    struct oribi_micro_axis x = {in_w, s->filter_w, s->stride_w, s->dilation_w,
                                 0,    s->pads[2],  s->pads[3]};
    int32_t code = oribi_micro_window_resolve(&y, &x, s->in_c, s->padding);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    const int32_t in[4] = {batch, in_h, in_w, s->in_c};
    const int32_t out[4] = {batch, y.out, x.out, s->out_c};
    int32_t bytes;
    code = oribi_micro_product(in, 4, &bytes);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(out, 4, &bytes);
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
    const int64_t end_y = (int64_t)(y.out - 1) * y.stride + (int64_t)(y.filter - 1) * y.dilation;
    const int64_t end_x = (int64_t)(x.out - 1) * x.stride + (int64_t)(x.filter - 1) * x.dilation;
    const int inside = y.before == 0 && x.before == 0 && end_y < in_h && end_x < in_w;
    args->gather =
        s->gather != 0 || args->groups > 1 || (s->dilation_w > 1 && s->filter_w > 1) ? 1 : 0;
    args->scratch_bytes = inside && args->gather == 0 ? 0 : s->filter_h * s->filter_w * s->filter_c;
    return ORIBI_MICRO_OK;
}

int32_t oribi_micro_conv2d_s8_prepare(const struct oribi_micro_conv2d_s8_spec *spec,
                                      struct oribi_micro_conv2d_s8_args *args, int32_t *bias,
                                      int32_t *multiplier, int32_t *shift)
{
    const struct oribi_micro_conv2d_s8_spec *s = spec;
    int32_t taps;
    int32_t code = check(s, &taps);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds_s8(s->activation, s->output, &args->low, &args->high);
    for (int32_t c = 0; c < s->out_c && code == ORIBI_MICRO_OK; c++) {
        const float scale = s->filter_scales[s->n_filter_scales == 1 ? 0 : c];
        code =
            oribi_micro_multiplier((double)s->input.scale * (double)scale / (double)s->output.scale,
                                   &multiplier[c], &shift[c]);
        code = code != ORIBI_MICRO_OK ? code
                                      : oribi_micro_fold_bias(s->filter + c * taps, taps, 1,
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
    args->out_c = s->out_c;
    args->filter_h = s->filter_h;
    args->filter_w = s->filter_w;
    args->stride_h = s->stride_h;
    args->stride_w = s->stride_w;
    args->dilation_h = s->dilation_h;
    args->dilation_w = s->dilation_w;
    args->groups = s->in_c / s->filter_c;
    args->depth = s->filter_c;
    args->pitch = s->out_c;
    args->input_zero = s->input.zero;
    args->output_zero = s->output.zero;
    return s->in_h == 0 ? ORIBI_MICRO_OK
                        : oribi_micro_conv2d_s8_resize(s, s->batch, s->in_h, s->in_w, args);
}
