/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of fully connected layers. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "compile/lower/lower_parts.h"
#include "compile/lower/lower_wide.h"
#include "micro/dense/fully_connected_lanes_s8_prepare.h"
#include "micro/quads/fully_connected_quads_s8_prepare.h"
#include "micro/dense/fully_connected_real_prepare.h"
#include "micro/dense/fully_connected_s8_prepare.h"
#include "micro/element.h"
#include "micro/mve/fully_connected_mve_s8_prepare.h"
#include "micro/rvv/conv2d_rvv_s8_prepare.h"
#include "tensor/status.h"

static const oribi_variant_row variants[] = {
    {&oribi_micro_fully_connected_mve_s8_variant, &oribi_args_fully_connected_mve_s8,
     ORIBI_ON(mve)},
    {&oribi_micro_fully_connected_rvv_s8_variant, &oribi_args_conv2d_rvv_s8, ORIBI_ON(rvv)},
    {&oribi_micro_fully_connected_rvv_s8_nibbles, &oribi_args_conv2d_rvv_s8, ORIBI_ON(rvv)},
    {&oribi_micro_fully_connected_lanes_s8_variant, &oribi_args_fully_connected_lanes_s8,
     ORIBI_ON(dsp) | ORIBI_ON(mve)},
    {&oribi_micro_fully_connected_quads_s8_variant, &oribi_args_fully_connected_lanes_s8,
     ORIBI_ON(plain) | ORIBI_ON(rvv)},
    {&oribi_micro_fully_connected_quads_v6m_s8_variant, &oribi_args_fully_connected_lanes_s8,
     ORIBI_ON(v6m)},
    {&oribi_micro_fully_connected_s8_nibbles, &oribi_args_fully_connected_s8, ORIBI_ON_ALL},
    {NULL, NULL, 0},
};

bool oribi_lower_fully_connected(oribi_lowering *lowering, oribi_call *call)
{
    int32_t filter[4];
    oribi_channels a;
    struct oribi_micro_fully_connected_s8_args args = {0};
    struct oribi_micro_fully_connected_s8_spec spec = {0};
    const int64_t count = oribi_lower_count(oribi_lower_input(lowering, call, 0));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 1), filter));
    ORIBI_TRY(oribi_channels_make(lowering, filter[2], &a));
    spec.filter = oribi_lower_constant(lowering, call, 1, TF_INT8);
    spec.bias = spec.filter == NULL ? NULL : oribi_lower_constant(lowering, call, 2, TF_INT32);
    if (spec.bias == NULL) {
        return false;
    }
    spec.out_c = filter[2];
    spec.in_c = filter[3];
    spec.rows = count / filter[3] <= INT32_MAX ? (int32_t)(count / filter[3]) : INT32_MAX;
    spec.activation = oribi_lower_activation(call);
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    spec.filter_scales = oribi_lower_floats(call, "filter_scales", &spec.n_filter_scales);
    const int32_t code =
        oribi_micro_fully_connected_s8_prepare(&spec, &args, a.bias, a.multiplier, a.shift);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    const int64_t weights = (int64_t)spec.in_c * spec.out_c;
    const int32_t n_scales = args.per_channel != 0 ? spec.out_c : 1;
    call->n_inputs = 1;
    call->has_scratch = true;
    call->macs = weights * spec.rows;
    ORIBI_TRY(oribi_variant_try(lowering, call, variants, &args, args.out_c));
    if (call->kernel != NULL && call->args != &oribi_args_fully_connected_s8) {
        return true;
    }
    if (call->kernel == NULL) {
        call->scratch_bytes = args.scratch_bytes;
        ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "fully_connected_s8", fully_connected_s8, &args));
        ORIBI_CALL_PLACE(call, &args, filter, weights);
    }
    ORIBI_PLACE_CHANNELS(call, &args, spec.out_c, n_scales);
    return true;
}

static void set_kind(oribi_placed *placed, int32_t kind)
{
    placed->kind = kind;
    placed->alignment = (int32_t)oribi_element_bytes(kind);
}

bool oribi_lower_real_fully_connected(oribi_lowering *lowering, oribi_call *call)
{
    int32_t filter[4];
    oribi_wide_weights w;
    struct oribi_micro_fully_connected_real_args args = {0};
    struct oribi_micro_fully_connected_real_spec spec = {0};
    const int64_t count = oribi_lower_count(oribi_lower_input(lowering, call, 0));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 1), filter));
    ORIBI_TRY(oribi_lower_wide_weights(lowering, call, filter[2], &w));
    spec.kind = oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype);
    spec.filter_kind = w.filter_kind;
    spec.filter = w.filter;
    spec.bias = w.wide_bias != NULL ? (const void *)w.wide_bias : w.bias;
    spec.bias_kind = w.wide_bias != NULL ? ORIBI_MICRO_S64 : ORIBI_MICRO_S32;
    spec.out_c = filter[2];
    spec.in_c = filter[3];
    spec.rows = count / filter[3] <= INT32_MAX ? (int32_t)(count / filter[3]) : INT32_MAX;
    spec.activation = oribi_lower_activation(call);
    spec.filter_zero = oribi_lower_int(call, "filter_zero", 0);
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    spec.filter_scales = oribi_lower_floats(call, "filter_scales", &spec.n_filter_scales);
    double *scale =
        oribi_claim_array(lowering->arena, (size_t)filter[2], sizeof *scale, lowering->status);
    ORIBI_TRY(scale != NULL);
    const int32_t code = oribi_micro_fully_connected_real_prepare(&spec, &args, w.bias_low, scale);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    const int64_t weights = (int64_t)spec.in_c * spec.out_c;
    call->n_inputs = 1;
    call->macs = weights * spec.rows;
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "fully_connected_real", fully_connected_real, &args));
    ORIBI_CALL_PLACE(call, &args, filter, weights)->kind =
        args.filter_kind == ORIBI_MICRO_S8 ? ORIBI_ELEMENT_S8 : ORIBI_ELEMENT_U8;
    set_kind(ORIBI_CALL_PLACE(call, &args, bias, spec.out_c),
             args.bias_kind == ORIBI_MICRO_S64 ? ORIBI_ELEMENT_S64 : ORIBI_ELEMENT_S32);
    set_kind(ORIBI_CALL_PLACE(call, &args, scale, spec.n_filter_scales), ORIBI_ELEMENT_F64);
    return true;
}
