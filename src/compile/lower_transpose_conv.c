/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of int8 transposed convolutions. */
#include <string.h>

#include "compile/compile_internal.h"
#include "micro/transpose_conv_s8_prepare.h"
#include "tensor/status.h"

enum { FILTER = 1, BIAS = 2, INPUT = 3 };

static bool read_spec(oribi_lowering *lowering, const oribi_call *call,
                      struct oribi_micro_transpose_conv_s8_spec *s)
{
    int32_t filter[4];
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, INPUT), s->in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_output(lowering, call), s->out));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, FILTER), filter));
    s->filter = oribi_lower_constant(lowering, call, FILTER, TF_INT8);
    ORIBI_TRY(s->filter != NULL);
    s->bias = oribi_lower_constant(lowering, call, BIAS, TF_INT32);
    ORIBI_TRY(s->bias != NULL);
    if (filter[0] != s->out[3] || filter[3] != s->in[3] ||
        oribi_lower_count(oribi_lower_input(lowering, call, BIAS)) != s->out[3]) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    s->filter_h = filter[1];
    s->filter_w = filter[2];
    s->stride_h = oribi_lower_list(call, "strides", 0, 1);
    s->stride_w = oribi_lower_list(call, "strides", 1, 1);
    s->padding = oribi_lower_is(call, "padding", "SAME") ? ORIBI_MICRO_SAME : ORIBI_MICRO_VALID;
    s->activation = oribi_lower_activation(call);
    s->filter_scales = oribi_lower_floats(call, "filter_scales", &s->n_filter_scales);
    oribi_lower_quantisation(call, "input_scale", "input_zero", &s->input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &s->output);
    return true;
}

static void set_fields(oribi_call *call, const struct oribi_micro_transpose_conv_s8_args *a)
{
    oribi_call_number(call, "batch", a->batch);
    oribi_call_number(call, "in_h", a->in_h);
    oribi_call_number(call, "in_w", a->in_w);
    oribi_call_number(call, "in_c", a->in_c);
    oribi_call_number(call, "out_h", a->out_h);
    oribi_call_number(call, "out_w", a->out_w);
    oribi_call_number(call, "out_c", a->out_c);
    oribi_call_number(call, "filter_h", a->filter_h);
    oribi_call_number(call, "filter_w", a->filter_w);
    oribi_call_number(call, "stride_h", a->stride_h);
    oribi_call_number(call, "stride_w", a->stride_w);
    oribi_call_number(call, "before_h", a->before_h);
    oribi_call_number(call, "before_w", a->before_w);
    oribi_call_number(call, "input_zero", a->input_zero);
    oribi_call_number(call, "output_zero", a->output_zero);
    oribi_call_number(call, "low", a->low);
    oribi_call_number(call, "high", a->high);
}

bool oribi_lower_transpose_conv(oribi_lowering *lowering, oribi_call *call)
{
    static const int32_t inputs[1] = {INPUT};
    struct oribi_micro_transpose_conv_s8_args args;
    struct oribi_micro_transpose_conv_s8_spec spec;
    memset(&spec, 0, sizeof spec);
    ORIBI_TRY(read_spec(lowering, call, &spec));
    const size_t channels = (size_t)spec.out[3];
    int32_t *multiplier = oribi_arena_array(lowering->arena, channels, sizeof *multiplier);
    int32_t *shift = oribi_arena_array(lowering->arena, channels, sizeof *shift);
    if (multiplier == NULL || shift == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    const int32_t code = oribi_micro_transpose_conv_s8_prepare(&spec, &args, multiplier, shift);
    if (code != ORIBI_MICRO_OK) {
        return oribi_lower_fail(lowering, call, code);
    }
    call->kernel = "transpose_conv_s8";
    call->macs = oribi_lower_count(oribi_lower_input(lowering, call, INPUT)) * spec.out[3] *
                 spec.filter_h * spec.filter_w;
    set_fields(call, &args);
    oribi_call_place(call, "filter", ORIBI_ELEMENT_S8,
                     oribi_lower_count(oribi_lower_input(lowering, call, FILTER)), spec.filter);
    oribi_call_place(call, "bias", ORIBI_ELEMENT_S32, spec.out[3], spec.bias);
    oribi_call_place(call, "multiplier", ORIBI_ELEMENT_S32, spec.out[3], multiplier);
    oribi_call_place(call, "shift", ORIBI_ELEMENT_S32, spec.out[3], shift);
    return oribi_call_take(lowering, call, inputs, 1);
}
