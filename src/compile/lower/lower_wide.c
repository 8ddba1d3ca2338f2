/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of layers of uint8, and of int16 with weights of int8. */
#include "compile/lower/lower_wide.h"

#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "micro/element.h"
#include "micro/conv/wide_conv2d_prepare.h"
#include "tensor/status.h"

enum { FILTER = 1, BIAS = 2 };

static bool make_arrays(oribi_lowering *lowering, int32_t channels, oribi_wide_weights *out)
{
    const size_t n = channels > 0 ? (size_t)channels : 1;
    out->bias_low = oribi_arena_array(lowering->arena, n, sizeof(int32_t));
    out->bias_high = oribi_arena_array(lowering->arena, n, sizeof(int32_t));
    out->multiplier = oribi_arena_array(lowering->arena, n, sizeof(int32_t));
    out->shift = oribi_arena_array(lowering->arena, n, sizeof(int32_t));
    return (out->bias_low != NULL && out->bias_high != NULL && out->multiplier != NULL &&
            out->shift != NULL) ||
           oribi_fail_memory(lowering->status);
}

bool oribi_lower_wide_weights(oribi_lowering *lowering, const oribi_call *call, int32_t channels,
                              oribi_wide_weights *out)
{
    const TF_DataType filter = oribi_lower_input(lowering, call, FILTER)->dtype;
    const TF_DataType bias = oribi_lower_input(lowering, call, BIAS)->dtype;
    ORIBI_TRY(make_arrays(lowering, channels, out));
    out->filter_kind = filter == TF_INT8 ? ORIBI_MICRO_S8 : ORIBI_MICRO_U8;
    out->filter = oribi_lower_constant(lowering, call, FILTER, filter);
    const void *biases =
        out->filter == NULL ? NULL : oribi_lower_constant(lowering, call, BIAS, bias);
    out->wide_bias = bias == TF_INT64 ? biases : NULL;
    out->bias = bias == TF_INT64 ? NULL : biases;
    return biases != NULL;
}

static void read_attrs(const oribi_call *call, struct oribi_micro_wide_conv2d_spec *s)
{
    ORIBI_LOWER_CONV_ATTRS(call, s);
    s->has_float_scales = oribi_lower_bool(call, "has_float_scales") ? 1 : 0;
    s->filter_zero = oribi_lower_int(call, "filter_zero", 0);
}

bool oribi_lower_wide_conv2d(oribi_lowering *lowering, oribi_call *call)
{
    int32_t in[4], filter[4];
    struct oribi_micro_wide_conv2d_spec spec = {0};
    struct oribi_micro_wide_conv2d_args args = {0};
    oribi_wide_weights w;
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 0), in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 1), filter));
    ORIBI_TRY(oribi_lower_wide_weights(lowering, call, filter[0], &w));
    read_attrs(call, &spec);
    spec.kind = oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype);
    spec.filter = w.filter;
    spec.filter_kind = w.filter_kind;
    spec.bias = w.bias;
    spec.wide_bias = w.wide_bias;
    spec.batch = in[0];
    spec.in_h = in[1];
    spec.in_w = in[2];
    spec.in_c = in[3];
    spec.out_c = filter[0];
    spec.filter_h = filter[1];
    spec.filter_w = filter[2];
    spec.filter_c = filter[3];
    const int32_t code = oribi_micro_wide_conv2d_prepare(&spec, &args, w.bias_low, w.bias_high,
                                                         w.multiplier, w.shift);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    const int64_t taps = (int64_t)spec.filter_h * spec.filter_w * spec.filter_c;
    call->n_inputs = 1;
    call->macs = taps * spec.out_c * args.batch * args.out_h * args.out_w;
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "wide_conv2d", wide_conv2d, &args));
    ORIBI_PLACE_WIDE(call, &args, taps * spec.out_c, spec.out_c);
    return true;
}
