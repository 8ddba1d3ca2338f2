/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of wide_transpose_conv. */
#include "micro/conv/wide_transpose_conv_prepare.h"

#include "micro/element.h"

static int32_t check(const struct oribi_micro_wide_transpose_conv_spec *s)
{
    const struct oribi_micro_wide_channels *c = &s->channels;
    const int32_t are_bytes = c->kind == ORIBI_MICRO_U8 && s->filter_kind == ORIBI_MICRO_U8 &&
                              s->filter_zero >= 0 && s->filter_zero <= UINT8_MAX &&
                              c->wide_bias == NULL;
    const int32_t are_wide = c->kind == ORIBI_MICRO_S16 && s->filter_kind == ORIBI_MICRO_S8 &&
                             s->filter_zero == 0 && c->bias == NULL;
    return are_bytes || are_wide ? oribi_micro_check(c->kind, c->input) : ORIBI_MICRO_INVALID;
}

int32_t
oribi_micro_wide_transpose_conv_prepare(const struct oribi_micro_wide_transpose_conv_spec *spec,
                                        struct oribi_micro_wide_transpose_conv_args *args,
                                        int32_t *bias_low, int32_t *bias_high, int32_t *multiplier,
                                        int32_t *shift)
{
    struct oribi_micro_wide_channels channels = spec->channels;
    const struct oribi_micro_transpose_shape *shape = &spec->shape;
    int32_t code = check(spec);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_transpose_sizes_prepare(shape, &args->sizes);
    code = code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_bounds(channels.kind, spec->activation,
                                                       channels.output, &args->low, &args->high);
    channels.n = shape->out[3];
    channels.taps = (int64_t)shape->filter_h * shape->filter_w * shape->in[3];
    channels.is_wide = channels.kind == ORIBI_MICRO_S16;
    code = code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_wide_channels_prepare(&channels, bias_low,
                                                                      bias_high, multiplier, shift);
    args->kind = channels.kind;
    args->filter_kind = spec->filter_kind;
    args->input_zero = channels.input.zero;
    args->filter_zero = spec->filter_zero;
    args->output_zero = channels.output.zero;
    args->filter = spec->filter;
    args->bias_low = bias_low;
    args->bias_high = bias_high;
    args->multiplier = multiplier;
    args->shift = shift;
    return code;
}
