/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of convolutions with filters of all channels. Read next: lower_depthwise.c. */
#include "compile/lower.h"
#include "compile/lower_lanes.h"
#include "compile/lower_parts.h"
#include "compile/overlap.h"
#include "micro/conv2d_lanes_s8_prepare.h"
#include "micro/conv2d_s8_prepare.h"
#include "tensor/status.h"

enum { HEIGHT = 1, WIDTH = 2, DEPTH = 3 };

static void conv2d_fields(oribi_call *call, const struct oribi_micro_conv2d_s8_args *a)
{
    ORIBI_CALL_MEMBERS(call, a, batch, in_h, in_w, in_c, out_h, out_w, out_c);
    ORIBI_CALL_MEMBERS(call, a, filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w,
                       before_h, before_w);
    ORIBI_CALL_MEMBERS(call, a, groups, input_zero, output_zero, low, high, gather, scratch_bytes);
}

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

static bool lower_lanes(oribi_lowering *lowering, oribi_call *call,
                        const struct oribi_micro_conv2d_s8_args *plain,
                        const struct oribi_micro_lanes_spec *spec)
{
    struct oribi_micro_conv2d_lanes_s8_args a;
    const int32_t *words = oribi_lanes_place(lowering, call, spec);
    if (words == NULL) {
        return false;
    }
    call->kernel = "conv2d_lanes_s8";
    call->scratch_bytes = oribi_micro_conv2d_lanes_s8_prepare(plain, words, &a);
    call->args_bytes = 40;
    oribi_lanes_output(call, &a.output);
    ORIBI_CALL_MEMBERS(call, &a, batch, in_h, in_w, in_c, out_h, out_w, out_c);
    ORIBI_CALL_MEMBERS(call, &a, filter_h, filter_w, stride_h, stride_w, dilation_h, before_h,
                       before_w, taps);
    ORIBI_CALL_MEMBERS(call, &a, is_point, has_general, input_zero);
    add_overlap(call, plain);
    return true;
}

bool oribi_lower_conv2d(oribi_lowering *lowering, oribi_call *call)
{
    int32_t in[4], filter[4];
    struct oribi_micro_conv2d_s8_args args;
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
    struct oribi_micro_lanes_spec lanes;
    call->n_inputs = 1;
    call->has_scratch = true;
    call->macs = taps * args.batch * args.out_h * args.out_w * args.out_c;
    if (oribi_micro_conv2d_lanes_s8_fits(&args, &lanes)) {
        return lower_lanes(lowering, call, &args, &lanes);
    }
    call->kernel = "conv2d_s8";
    call->scratch_bytes = args.scratch_bytes;
    oribi_call_place(call, "filter", ORIBI_ELEMENT_S8, taps * args.out_c, spec.filter);
    oribi_channels_place(call, &a, args.out_c, args.out_c);
    conv2d_fields(call, &args);
    if (spec.gather != 0) {
        add_overlap(call, &args);
        call->is_careful = call->n_aliases > 0;
    }
    return true;
}
