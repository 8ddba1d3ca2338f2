/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of quantised transposed convolutions. */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "compile/lower/lower_wide.h"
#include "micro/element.h"
#include "micro/conv/wide_transpose_conv_prepare.h"
#include "tensor/status.h"

enum { FILTER = 1, BIAS = 2, INPUT = 3 };

static bool read_shape(oribi_lowering *lowering, const oribi_call *call,
                       struct oribi_micro_transpose_shape *s)
{
    int32_t filter[4];
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, INPUT), s->in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_output(lowering, call), s->out));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, FILTER), filter));
    if (filter[0] != s->out[3] || filter[3] != s->in[3] ||
        oribi_lower_count(oribi_lower_input(lowering, call, BIAS)) != s->out[3]) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    s->filter_h = filter[1];
    s->filter_w = filter[2];
    s->stride_h = oribi_lower_list(call, "strides", 0, 1);
    s->stride_w = oribi_lower_list(call, "strides", 1, 1);
    s->padding = oribi_lower_is(call, "padding", "SAME") ? ORIBI_MICRO_SAME : ORIBI_MICRO_VALID;
    return true;
}

static bool read_spec(oribi_lowering *lowering, const oribi_call *call,
                      struct oribi_micro_transpose_conv_s8_spec *s)
{
    ORIBI_TRY(read_shape(lowering, call, &s->shape));
    s->filter = oribi_lower_constant(lowering, call, FILTER, TF_INT8);
    ORIBI_TRY(s->filter != NULL);
    s->bias = oribi_lower_constant(lowering, call, BIAS, TF_INT32);
    ORIBI_TRY(s->bias != NULL);
    s->activation = oribi_lower_activation(call);
    s->filter_scales = oribi_lower_floats(call, "filter_scales", &s->n_filter_scales);
    oribi_lower_quantisation(call, "input_scale", "input_zero", &s->input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &s->output);
    return true;
}

/* The kernel reads the input alone. */
static bool take_input(oribi_lowering *lowering, oribi_call *call,
                       const struct oribi_micro_transpose_sizes *s)
{
    static const int32_t inputs[1] = {INPUT};
    call->macs = oribi_lower_count(oribi_lower_input(lowering, call, INPUT)) * s->out_c *
                 s->filter_h * s->filter_w;
    return oribi_call_take(lowering, call, inputs, 1);
}

bool oribi_lower_transpose_conv(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_transpose_conv_s8_args args = {0};
    struct oribi_micro_transpose_conv_s8_spec spec;
    memset(&spec, 0, sizeof spec);
    ORIBI_TRY(read_spec(lowering, call, &spec));
    const size_t channels = (size_t)spec.shape.out[3];
    int32_t *multiplier =
        oribi_claim_array(lowering->arena, channels, sizeof *multiplier, lowering->status);
    int32_t *shift = oribi_claim_array(lowering->arena, channels, sizeof *shift, lowering->status);
    ORIBI_TRY(multiplier != NULL && shift != NULL);
    const int32_t code = oribi_micro_transpose_conv_s8_prepare(&spec, &args, multiplier, shift);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    ORIBI_TRY(take_input(lowering, call, &args.sizes) &&
              ORIBI_CALL_SET(lowering, call, "transpose_conv_s8", transpose_conv_s8, &args));
    ORIBI_CALL_PLACE(call, &args, filter,
                     oribi_lower_count(oribi_lower_input(lowering, call, FILTER)));
    ORIBI_PLACE_CHANNELS(call, &args, args.sizes.out_c, args.sizes.out_c);
    return true;
}

bool oribi_lower_wide_transpose_conv(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_wide_transpose_conv_args args = {0};
    struct oribi_micro_wide_transpose_conv_spec spec;
    oribi_wide_weights w;
    memset(&spec, 0, sizeof spec);
    ORIBI_TRY(read_shape(lowering, call, &spec.shape));
    ORIBI_TRY(oribi_lower_wide_weights(lowering, call, spec.shape.out[3], &w));
    spec.filter = w.filter;
    spec.filter_kind = w.filter_kind;
    spec.channels.kind = oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype);
    spec.channels.bias = w.bias;
    spec.channels.wide_bias = w.wide_bias;
    spec.channels.has_float_scales = spec.channels.kind == ORIBI_MICRO_U8 ? 1 : 0;
    spec.channels.filter_scales =
        oribi_lower_floats(call, "filter_scales", &spec.channels.n_filter_scales);
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.channels.input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.channels.output);
    spec.activation = oribi_lower_activation(call);
    spec.filter_zero = oribi_lower_int(call, "filter_zero", 0);
    const int32_t code = oribi_micro_wide_transpose_conv_prepare(
        &spec, &args, w.bias_low, w.bias_high, w.multiplier, w.shift);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    ORIBI_TRY(take_input(lowering, call, &args.sizes) &&
              ORIBI_CALL_SET(lowering, call, "wide_transpose_conv", wide_transpose_conv, &args));
    ORIBI_PLACE_WIDE(call, &args, oribi_lower_count(oribi_lower_input(lowering, call, FILTER)),
                     args.sizes.out_c);
    return true;
}
