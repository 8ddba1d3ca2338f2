/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of convolutions with filters of all channels. Read next: lower_depthwise.c. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "compile/lower/lower_parts.h"
#include "compile/lower/compile_overlap.h"
#include "micro/conv/conv2d_lanes_s8_prepare.h"
#include "micro/quads/conv2d_quads_s8_prepare.h"
#include "micro/conv/conv2d_s8_prepare.h"
#include "micro/mve/conv2d_mve_s8_prepare.h"
#include "micro/rvv/conv2d_rvv_s8_prepare.h"
#include "tensor/status.h"

enum { HEIGHT = 1, WIDTH = 2, DEPTH = 3 };

/* The result may follow its input so closely as windows that are read in order allow. */
static void add_overlap(oribi_call *call, const struct oribi_micro_conv2d_s8_args *a)
{
    const oribi_overlap windows = {
        {a->in_h, a->in_w},
        {a->out_h, a->out_w},
        {a->stride_h, a->stride_w},
        {a->before_h, a->before_w},
        a->in_c,
        a->out_c,
        a->batch,
    };
    oribi_overlap_add(call, &windows);
}

static const oribi_variant_row variants[] = {
    {&oribi_micro_conv2d_mve_s8_variant, &oribi_args_conv2d_mve_s8, ORIBI_ON(mve)},
    {&oribi_micro_conv2d_rvv_s8_variant, &oribi_args_conv2d_rvv_s8, ORIBI_ON(rvv)},
    {&oribi_micro_conv2d_rvv_s8_nibbles, &oribi_args_conv2d_rvv_s8, ORIBI_ON(rvv)},
    {&oribi_micro_conv2d_lanes_s8_variant, &oribi_args_conv2d_lanes_s8,
     ORIBI_ON(dsp) | ORIBI_ON(mve)},
    {&oribi_micro_conv2d_quads_s8_variant, &oribi_args_conv2d_lanes_s8,
     ORIBI_ON(plain) | ORIBI_ON(rvv)},
    {&oribi_micro_conv2d_quads_v6m_s8_variant, &oribi_args_conv2d_lanes_s8, ORIBI_ON(v6m)},
    {&oribi_micro_conv2d_s8_nibbles, &oribi_args_conv2d_s8, ORIBI_ON_ALL},
    {NULL, NULL, 0},
};

bool oribi_lower_conv2d(oribi_lowering *lowering, oribi_call *call)
{
    int32_t in[4], filter[4];
    struct oribi_micro_conv2d_s8_args args = {0};
    struct oribi_micro_conv2d_s8_spec spec = {0};
    oribi_channels a;
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 0), in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 1), filter));
    ORIBI_TRY(oribi_channels_make(lowering, filter[0], &a));
    spec.filter = oribi_lower_constant(lowering, call, 1, TF_INT8);
    spec.bias = spec.filter == NULL ? NULL : oribi_lower_constant(lowering, call, 2, TF_INT32);
    if (spec.bias == NULL) {
        return false;
    }
    spec.batch = in[0];
    spec.in_h = in[HEIGHT];
    spec.in_w = in[WIDTH];
    spec.in_c = in[DEPTH];
    spec.out_c = filter[0];
    spec.filter_h = filter[HEIGHT];
    spec.filter_w = filter[WIDTH];
    spec.filter_c = filter[DEPTH];
    ORIBI_LOWER_CONV_ATTRS(call, &spec);
    spec.gather = !call->forbids_overlap;
    int32_t code = oribi_micro_conv2d_s8_prepare(&spec, &args, a.bias, a.multiplier, a.shift);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    const int64_t taps = (int64_t)filter[1] * filter[2] * filter[3];
    call->n_inputs = 1;
    call->has_scratch = true;
    call->macs = taps * args.batch * args.out_h * args.out_w * args.out_c;
    ORIBI_TRY(oribi_variant_try(lowering, call, variants, &args, args.out_c));
    const bool is_plain = call->kernel == NULL || call->args == &oribi_args_conv2d_s8;
    if (!is_plain) {
        if (!call->has_small_weights) {
            add_overlap(call, &args);
        }
        return true;
    }
    if (call->kernel == NULL) {
        call->scratch_bytes = args.scratch_bytes;
        ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "conv2d_s8", conv2d_s8, &args));
        ORIBI_CALL_PLACE(call, &args, filter, taps * args.out_c);
    }
    ORIBI_PLACE_CHANNELS(call, &args, args.out_c, args.out_c);
    if (spec.gather != 0 && !call->has_small_weights) {
        add_overlap(call, &args);
        call->is_careful = call->n_aliases > 0;
    }
    return true;
}
