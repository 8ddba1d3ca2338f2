/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of depthwise convolutions. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "compile/lower/lower_parts.h"
#include "micro/depthwise/depthwise_conv2d_3x3_s8_prepare.h"
#include "micro/depthwise/depthwise_conv2d_s8_prepare.h"
#include "micro/mve/depthwise_conv2d_3x3_mve_s8_prepare.h"
#include "micro/rvv/depthwise_conv2d_rvv_s8_prepare.h"
#include "tensor/status.h"

enum { HEIGHT = 1, WIDTH = 2, DEPTH = 3 };

static const oribi_variant_row variants[] = {
    {&oribi_micro_depthwise_conv2d_3x3_mve_s8_variant, &oribi_args_depthwise_conv2d_3x3_mve_s8,
     ORIBI_ON(mve)},
    {&oribi_micro_depthwise_conv2d_rvv_s8_variant, &oribi_args_depthwise_conv2d_rvv_s8,
     ORIBI_ON(rvv)},
    {&oribi_micro_depthwise_conv2d_3x3_s8_variant, &oribi_args_depthwise_conv2d_3x3_s8,
     ORIBI_ON(dsp) | ORIBI_ON(mve)},
    {&oribi_micro_depthwise_conv2d_3x3_plain_s8_variant, &oribi_args_depthwise_conv2d_3x3_s8,
     ORIBI_ON(plain) | ORIBI_ON(rvv)},
    {&oribi_micro_depthwise_conv2d_3x3_v6m_s8_variant, &oribi_args_depthwise_conv2d_3x3_s8,
     ORIBI_ON(v6m)},
    {&oribi_micro_depthwise_conv2d_s8_nibbles, &oribi_args_depthwise_conv2d_s8, ORIBI_ON_ALL},
    {NULL, NULL, 0},
};

bool oribi_lower_depthwise_conv2d(oribi_lowering *lowering, oribi_call *call)
{
    int32_t in[4], filter[4], out[4];
    struct oribi_micro_depthwise_conv2d_s8_args args = {0};
    struct oribi_micro_depthwise_conv2d_s8_spec spec = {0};
    oribi_channels a;
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 0), in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 1), filter));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_output(lowering, call), out));
    ORIBI_TRY(oribi_channels_make(lowering, filter[DEPTH], &a));
    spec.filter = oribi_lower_constant(lowering, call, 1, TF_INT8);
    spec.bias = spec.filter == NULL ? NULL : oribi_lower_constant(lowering, call, 2, TF_INT32);
    if (spec.bias == NULL) {
        return false;
    }
    spec.batch = in[0];
    spec.in_h = in[HEIGHT];
    spec.in_w = in[WIDTH];
    spec.in_c = in[DEPTH];
    spec.depth_multiplier = oribi_lower_int(call, "depth_multiplier", 1);
    spec.filter_h = filter[HEIGHT];
    spec.filter_w = filter[WIDTH];
    ORIBI_LOWER_CONV_ATTRS(call, &spec);
    spec.in_place = !call->forbids_overlap && spec.depth_multiplier == 1 && in[0] == 1 &&
                    out[HEIGHT] <= in[HEIGHT] && out[WIDTH] <= in[WIDTH];
    const int32_t code =
        oribi_micro_depthwise_conv2d_s8_prepare(&spec, &args, a.bias, a.multiplier, a.shift);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    const int64_t taps = (int64_t)filter[HEIGHT] * filter[WIDTH];
    call->n_inputs = 1;
    call->has_scratch = true;
    call->macs = taps * args.batch * args.out_h * args.out_w * args.out_c;
    if (args.in_place != 0) {
        call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    }
    ORIBI_TRY(oribi_variant_try(lowering, call, variants, &args, args.out_c));
    if (call->kernel != NULL && call->args != &oribi_args_depthwise_conv2d_s8) {
        return true;
    }
    call->is_careful = args.in_place != 0;
    if (call->kernel == NULL) {
        call->scratch_bytes = args.scratch_bytes;
        ORIBI_TRY(
            ORIBI_CALL_SET(lowering, call, "depthwise_conv2d_s8", depthwise_conv2d_s8, &args));
        ORIBI_CALL_PLACE(call, &args, filter, taps * args.out_c);
    }
    ORIBI_PLACE_CHANNELS(call, &args, args.out_c, args.out_c);
    return true;
}
