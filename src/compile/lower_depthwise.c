/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of depthwise convolutions. */
#include "compile/lower.h"
#include "compile/lower_lanes.h"
#include "compile/lower_parts.h"
#include "micro/depthwise_conv2d_3x3_s8_prepare.h"
#include "micro/depthwise_conv2d_s8_prepare.h"
#include "tensor/status.h"

enum { HEIGHT = 1, WIDTH = 2, DEPTH = 3 };

static void depthwise_fields(oribi_call *call, const struct oribi_micro_depthwise_conv2d_s8_args *a)
{
    ORIBI_CALL_MEMBERS(call, a, batch, in_h, in_w, in_c, out_h, out_w, out_c);
    ORIBI_CALL_MEMBERS(call, a, filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w,
                       before_h, before_w);
    ORIBI_CALL_MEMBERS(call, a, depth_multiplier, input_zero, output_zero, low, high, in_place,
                       scratch_bytes);
}

static bool lower_3x3(oribi_lowering *lowering, oribi_call *call,
                      const struct oribi_micro_depthwise_conv2d_s8_args *plain)
{
    struct oribi_micro_depthwise_conv2d_3x3_s8_args a;
    const size_t count = (size_t)plain->out_c * ORIBI_MICRO_LANES_RECORD;
    int32_t *words = oribi_arena_array(lowering->arena, count, sizeof *words);
    if (words == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    const int32_t code = oribi_micro_depthwise_conv2d_3x3_s8_prepare(plain, words, &a);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    call->kernel = "depthwise_conv2d_3x3_s8";
    call->scratch_bytes = a.scratch_bytes;
    oribi_call_place(call, "filter", ORIBI_ELEMENT_S32, (int64_t)count, words);
    ORIBI_CALL_MEMBERS(call, &a, batch, channels);
    ORIBI_CALL_MEMBERS(call, &a, in_rows, in_columns, in_row_step, in_column_step);
    ORIBI_CALL_MEMBERS(call, &a, out_rows, out_columns, out_row_step, out_column_step);
    ORIBI_CALL_MEMBERS(call, &a, row_stride, column_stride, rows_before, columns_before,
                       plane_columns, input_zero, scratch_bytes);
    oribi_lanes_output(call, &a.output);
    if (plain->in_place != 0) {
        call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    }
    return true;
}

bool oribi_lower_depthwise_conv2d(oribi_lowering *lowering, oribi_call *call)
{
    int32_t in[4], filter[4], out[4];
    struct oribi_micro_depthwise_conv2d_s8_args args;
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
                    (int64_t)out[HEIGHT] * out[WIDTH] <= (int64_t)in[HEIGHT] * in[WIDTH];
    const int32_t code =
        oribi_micro_depthwise_conv2d_s8_prepare(&spec, &args, a.bias, a.multiplier, a.shift);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    const int64_t taps = (int64_t)filter[HEIGHT] * filter[WIDTH];
    call->n_inputs = 1;
    call->has_scratch = true;
    call->macs = taps * args.batch * args.out_h * args.out_w * args.out_c;
    if (oribi_micro_depthwise_conv2d_3x3_s8_fits(&args)) {
        return lower_3x3(lowering, call, &args);
    }
    call->kernel = "depthwise_conv2d_s8";
    call->scratch_bytes = args.scratch_bytes;
    oribi_call_place(call, "filter", ORIBI_ELEMENT_S8, taps * args.out_c, spec.filter);
    oribi_channels_place(call, &a, args.out_c, args.out_c);
    depthwise_fields(call, &args);
    if (args.in_place != 0) {
        call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
        call->is_careful = true;
    }
    return true;
}
