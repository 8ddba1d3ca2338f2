/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of ONNX's quantised layers and pools. Read next: lower_qlinear_elements.c. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "micro/elementwise/qlinear_binary_prepare.h"
#include "micro/hybrid/hybrid_conv2d.h"
#include "micro/dense/qlinear_matmul.h"
#include "micro/pool/qlinear_pool.h"
#include "tensor/status.h"

enum { INPUT, FILTER, BIAS, ZEROS, MULTIPLIERS };

static int32_t result_of(TF_DataType type)
{
    return type == TF_INT32   ? ORIBI_MICRO_QLINEAR_S32
           : type == TF_FLOAT ? ORIBI_MICRO_QLINEAR_F32
           : type == TF_UINT8 ? ORIBI_MICRO_QLINEAR_U8
                              : ORIBI_MICRO_QLINEAR_S8;
}

/* Is this a value of 8 bits of either sign? What is larger overflows products and sums. */
static bool is_zero_point(int32_t value)
{
    return value >= INT8_MIN && value <= UINT8_MAX;
}

/* A node made by hand may hold anything that its shapes allow. */
static bool check_numbers(oribi_lowering *lowering, const oribi_call *call)
{
    const int32_t input = oribi_lower_int(call, "input_zero", 0);
    const int32_t output = oribi_lower_int(call, "output_zero", 0);
    if (!is_zero_point(input) || !is_zero_point(output)) {
        return oribi_fail(lowering->status, TF_INVALID_ARGUMENT,
                          "node '%s' (%s): zero points %d and %d must be values of 8 bits",
                          call->node->name, call->node->op_name, (int)input, (int)output);
    }
    for (int32_t i = 0; i < 4; i++) {
        const bool fits = oribi_lower_list(call, "pads", i, 0) >= 0 &&
                          (i >= 2 || (oribi_lower_list(call, "strides", i, 1) >= 1 &&
                                      oribi_lower_list(call, "dilations", i, 1) >= 1));
        if (!fits) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
    }
    return true;
}

/* Bias, zero points and multipliers: one each for a channel; the zero points are known. */
static bool check_channels(oribi_lowering *lowering, const oribi_call *call, int32_t channels)
{
    for (int32_t i = BIAS; i <= MULTIPLIERS; i++) {
        const int64_t count = oribi_lower_count(oribi_lower_input(lowering, call, i));
        if (count != channels) {
            return oribi_fail(lowering->status, TF_INVALID_ARGUMENT,
                              "node '%s' (%s): input %d has %lld values for %d channels",
                              call->node->name, call->node->op_name, (int)i, (long long)count,
                              (int)channels);
        }
    }
    const int32_t *zeros = oribi_lower_constant(lowering, call, ZEROS, TF_INT32);
    for (int32_t c = 0; zeros != NULL && c < channels; c++) {
        if (!is_zero_point(zeros[c])) {
            return oribi_fail(lowering->status, TF_INVALID_ARGUMENT,
                              "node '%s' (%s): zero point %d of the filter's channel %d must be a "
                              "value of 8 bits",
                              call->node->name, call->node->op_name, (int)zeros[c], (int)c);
        }
    }
    return zeros != NULL;
}

/* Do the groups divide the channels? */
static bool check_groups(oribi_lowering *lowering, const oribi_call *call, const int32_t in[4],
                         const int32_t filter[4])
{
    const bool fits = filter[2] >= 1 && in[3] >= filter[2] && in[3] % filter[2] == 0 &&
                      filter[3] % (in[3] / filter[2]) == 0;
    return fits || oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

/* Bounds of results of this type, which the node may narrow. */
static void read_bounds(const oribi_call *call, TF_DataType type, int32_t *out_low,
                        int32_t *out_high)
{
    *out_low = oribi_lower_int(call, "low", INT8_MIN);
    *out_high = oribi_lower_int(call, "high", UINT8_MAX);
    oribi_micro_qlinear_bound(type == TF_INT8 ? 1 : 0, out_low, out_high);
}

/* All but the channels' parameters. */
static bool read_conv(oribi_lowering *lowering, oribi_call *call,
                      struct oribi_micro_qlinear_conv2d_args *args)
{
    int32_t in[4], out[4], filter[4];
    const oribi_value *x = oribi_lower_input(lowering, call, INPUT);
    const oribi_value *w = oribi_lower_input(lowering, call, FILTER);
    const oribi_value *y = oribi_lower_output(lowering, call);
    ORIBI_TRY(oribi_lower_dims(lowering, call, x, in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, w, filter));
    ORIBI_TRY(oribi_lower_dims(lowering, call, y, out));
    if (oribi_lower_count(x) > INT32_MAX || oribi_lower_count(w) > INT32_MAX ||
        oribi_lower_count(y) > INT32_MAX / 4) {
        return oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                          "node '%s' (%s): a tensor is too large", call->node->name,
                          call->node->op_name);
    }
    ORIBI_TRY(check_numbers(lowering, call) && check_groups(lowering, call, in, filter));
    *args = (struct oribi_micro_qlinear_conv2d_args){
        .batch = in[0],
        .in_h = in[1],
        .in_w = in[2],
        .in_c = in[3],
        .out_h = out[1],
        .out_w = out[2],
        .out_c = out[3],
        .filter_h = filter[0],
        .filter_w = filter[1],
        .stride_h = oribi_lower_list(call, "strides", 0, 1),
        .stride_w = oribi_lower_list(call, "strides", 1, 1),
        .dilation_h = oribi_lower_list(call, "dilations", 0, 1),
        .dilation_w = oribi_lower_list(call, "dilations", 1, 1),
        .before_h = oribi_lower_list(call, "pads", 0, 0),
        .before_w = oribi_lower_list(call, "pads", 1, 0),
        .groups = in[3] / filter[2],
        .input_signed = x->dtype == TF_INT8,
        .filter_signed = w->dtype == TF_INT8,
        .input_zero = oribi_lower_int(call, "input_zero", 0),
        .output_zero = oribi_lower_int(call, "output_zero", 0),
        .output = result_of(y->dtype),
    };
    call->macs = oribi_lower_count(y) * filter[0] * filter[1] * filter[2];
    return true;
}

bool oribi_lower_qlinear_conv2d(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_qlinear_conv2d_args args;
    ORIBI_TRY(read_conv(lowering, call, &args) && check_channels(lowering, call, args.out_c));
    read_bounds(call, oribi_lower_output(lowering, call)->dtype, &args.low, &args.high);
    call->n_inputs = 5;
    return ORIBI_CALL_SET(lowering, call, "qlinear_conv2d", qlinear_conv2d, &args);
}

/* The shape function has checked the vectors. */
bool oribi_lower_hybrid_conv2d(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_hybrid_conv2d_args args = {.low = oribi_lower_float(call, "low"),
                                                  .high = oribi_lower_float(call, "high")};
    ORIBI_TRY(read_conv(lowering, call, &args.conv));
    call->n_inputs = 6;
    return ORIBI_CALL_SET(lowering, call, "hybrid_conv2d", hybrid_conv2d, &args);
}

/* --- Matrices -------------------------------------------------------------------------------- */

/* 1: as many parameters as rows or columns, 0: one; -1: neither. */
static int32_t step_of(const oribi_lowering *lowering, const oribi_call *call, int32_t input,
                       int32_t whole)
{
    const int64_t count = oribi_lower_count(oribi_lower_input(lowering, call, input));
    return count == 1 ? 0 : count == whole ? 1 : -1;
}

bool oribi_lower_qlinear_matmul(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes a, b;
    struct oribi_micro_qlinear_matmul_args args = {0};
    const oribi_value *y = oribi_lower_output(lowering, call);
    ORIBI_TRY(oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 0), &a, NULL));
    ORIBI_TRY(oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 1), &b, NULL));
    if (a.n < 2 || b.n < 2 || oribi_lower_count(y) > INT32_MAX / 4) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
    }
    const int32_t rows = a.at[a.n - 2], inner = a.at[a.n - 1], columns = b.at[b.n - 1];
    const int32_t steps[3] = {step_of(lowering, call, 2, rows), step_of(lowering, call, 3, columns),
                              step_of(lowering, call, 4, columns)};
    const int32_t code = oribi_micro_broadcast_resolve(a.at, a.n - 2, b.at, b.n - 2, &args.batch);
    if (code != ORIBI_MICRO_OK || steps[0] < 0 || steps[1] < 0 || steps[2] < 0) {
        return oribi_lower_fail(lowering, call,
                                code != ORIBI_MICRO_OK ? code : ORIBI_MICRO_INVALID);
    }
    ORIBI_TRY(check_numbers(lowering, call));
    args.rows = rows;
    args.inner = inner;
    args.columns = columns;
    args.a_signed = oribi_lower_input(lowering, call, 0)->dtype == TF_INT8;
    args.b_signed = oribi_lower_input(lowering, call, 1)->dtype == TF_INT8;
    args.a_zero_step = steps[0];
    args.b_zero_step = steps[1];
    args.multiplier_step = steps[2];
    args.output_zero = oribi_lower_int(call, "output_zero", 0);
    args.output = result_of(y->dtype);
    read_bounds(call, y->dtype, &args.low, &args.high);
    call->n_inputs = 5;
    call->macs = oribi_lower_count(y) * inner;
    return ORIBI_CALL_SET(lowering, call, "qlinear_matmul", qlinear_matmul, &args);
}

/* --- Pools ----------------------------------------------------------------------------------- */

static bool read_pool(oribi_lowering *lowering, const oribi_call *call,
                      struct oribi_micro_qlinear_pool_args *args)
{
    int32_t in[4], out[4];
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const oribi_value *y = oribi_lower_output(lowering, call);
    ORIBI_TRY(oribi_lower_dims(lowering, call, x, in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, y, out));
    if (oribi_lower_count(x) > INT32_MAX || oribi_lower_count(y) > INT32_MAX) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
    }
    static const char *const sides[4] = {"top", "left", "bottom", "right"};
    for (int32_t i = 0; i < 4; i++) {
        const int32_t pad = oribi_lower_list(call, "pads", i, 0);
        if (pad < 0 || pad >= oribi_lower_list(call, "ksize", i % 2, 1)) {
            return oribi_fail(lowering->status, TF_INVALID_ARGUMENT,
                              "node '%s' (%s): %d values of padding at the %s are not less than "
                              "the window",
                              call->node->name, call->node->op_name, (int)pad, sides[i]);
        }
    }
    *args = (struct oribi_micro_qlinear_pool_args){
        .batch = in[0],
        .in_h = in[1],
        .in_w = in[2],
        .channels = in[3],
        .out_h = out[1],
        .out_w = out[2],
        .filter_h = oribi_lower_list(call, "ksize", 0, 1),
        .filter_w = oribi_lower_list(call, "ksize", 1, 1),
        .stride_h = oribi_lower_list(call, "strides", 0, 1),
        .stride_w = oribi_lower_list(call, "strides", 1, 1),
        .before_h = oribi_lower_list(call, "pads", 0, 0),
        .before_w = oribi_lower_list(call, "pads", 1, 0),
        .is_signed = x->dtype == TF_INT8,
    };
    return true;
}

bool oribi_lower_qlinear_average_pool(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_qlinear_pool_args args;
    struct oribi_micro_quantisation input, output;
    ORIBI_TRY(read_pool(lowering, call, &args) &&
              oribi_lower_qlinear(lowering, call, "input_scale", "input_zero", &input) &&
              oribi_lower_qlinear(lowering, call, "output_scale", "output_zero", &output));
    args.input_scale = input.scale;
    args.output_scale = output.scale;
    args.input_zero = input.zero;
    args.output_zero = output.zero;
    read_bounds(call, oribi_lower_output(lowering, call)->dtype, &args.low, &args.high);
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "qlinear_average_pool", qlinear_pool, &args);
}

bool oribi_lower_qlinear_max_pool(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_qlinear_pool_args args;
    ORIBI_TRY(read_pool(lowering, call, &args));
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "qlinear_max_pool", qlinear_pool, &args);
}
