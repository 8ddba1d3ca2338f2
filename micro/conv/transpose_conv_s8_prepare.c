/* SPDX-License-Identifier: Apache-2.0 */
/* Padding as of the convolution from the output back to the input; multipliers per channel in
 * double; a check that no sum can leave int32.
 */
#include "micro/conv/transpose_conv_s8_prepare.h"

int32_t oribi_micro_transpose_sizes_prepare(const struct oribi_micro_transpose_shape *shape,
                                            struct oribi_micro_transpose_sizes *sizes)
{
    const struct oribi_micro_transpose_shape *s = shape;
    struct oribi_micro_transpose_sizes *p = sizes;
    struct oribi_micro_axis y = {s->out[1], s->filter_h, s->stride_h, 1, 0, 0, 0};
    struct oribi_micro_axis x = {s->out[2], s->filter_w, s->stride_w, 1, 0, 0, 0};
    const int32_t weights[4] = {s->out[3], s->filter_h, s->filter_w, s->in[3]};
    int32_t code = oribi_micro_window_resolve(&y, &x, s->out[3], s->padding), product;
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(s->in, 4, &product);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(s->out, 4, &product);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_product(weights, 4, &product);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    p->batch = s->in[0];
    p->in_h = s->in[1];
    p->in_w = s->in[2];
    p->in_c = s->in[3];
    p->out_h = s->out[1];
    p->out_w = s->out[2];
    p->out_c = s->out[3];
    p->filter_h = s->filter_h;
    p->filter_w = s->filter_w;
    p->stride_h = s->stride_h;
    p->stride_w = s->stride_w;
    p->before_h = y.before;
    p->before_w = x.before;
    return s->in[0] == s->out[0] && y.out == s->in[1] && x.out == s->in[2] ? ORIBI_MICRO_OK
                                                                           : ORIBI_MICRO_INVALID;
}

static int32_t check_sum(const int8_t *weights, int32_t taps, int32_t bias)
{
    int64_t reach = bias < 0 ? -(int64_t)bias : bias;
    for (int32_t i = 0; i < taps; i++) {
        reach += 255 * (int64_t)(weights[i] < 0 ? -weights[i] : weights[i]);
    }
    return reach > INT32_MAX ? ORIBI_MICRO_OVERFLOW : ORIBI_MICRO_OK;
}

int32_t oribi_micro_transpose_conv_s8_prepare(const struct oribi_micro_transpose_conv_s8_spec *spec,
                                              struct oribi_micro_transpose_conv_s8_args *args,
                                              int32_t *multiplier, int32_t *shift)
{
    const struct oribi_micro_transpose_conv_s8_spec *s = spec;
    const struct oribi_micro_transpose_shape *shape = &s->shape;
    int32_t code = oribi_micro_transpose_sizes_prepare(shape, &args->sizes);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check_s8(s->input);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds_s8(s->activation, s->output, &args->low, &args->high);
    if (code == ORIBI_MICRO_OK && s->n_filter_scales != 1 && s->n_filter_scales != shape->out[3]) {
        code = ORIBI_MICRO_INVALID;
    }
    for (int32_t c = 0; code == ORIBI_MICRO_OK && c < shape->out[3]; c++) {
        const int32_t taps = shape->filter_h * shape->filter_w * shape->in[3];
        const double scale = (double)s->filter_scales[s->n_filter_scales == 1 ? 0 : c];
        const double real = (double)s->input.scale * scale / (double)s->output.scale;
        code = oribi_micro_multiplier(real, &multiplier[c], &shift[c]);
        code = code != ORIBI_MICRO_OK ? code : check_sum(s->filter + c * taps, taps, s->bias[c]);
    }
    args->input_zero = s->input.zero;
    args->output_zero = s->output.zero;
    args->filter = s->filter;
    args->bias = s->bias;
    args->multiplier = multiplier;
    args->shift = shift;
    return code;
}
