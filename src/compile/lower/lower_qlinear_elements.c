/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of ONNX's quantisation and of functions of its quantised elements. */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "micro/element.h"
#include "micro/elementwise/qlinear_binary_prepare.h"
#include "micro/norm/qlinear_softmax.h"
#include "micro/norm/qlinear_softmax_prepare.h"
#include "micro/quantize/dequantize_linear.h"
#include "micro/quantize/dynamic_quantize_linear.h"
#include "micro/quantize/quantize_linear.h"
#include "micro/reduce/qlinear_mean.h"
#include "tensor/status.h"

static bool check_count(oribi_lowering *lowering, const oribi_call *call)
{
    return oribi_lower_count(oribi_lower_output(lowering, call)) <= INT32_MAX ||
           oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
}

bool oribi_lower_qlinear(oribi_lowering *lowering, const oribi_call *call, const char *scale,
                         const char *zero, struct oribi_micro_quantisation *out)
{
    const int32_t is_signed = oribi_lower_output(lowering, call)->dtype == TF_INT8 ? 1 : 0;
    oribi_lower_quantisation(call, scale, zero, out);
    return oribi_lower_check(lowering, call, oribi_micro_qlinear_check(*out, is_signed));
}

/* --- Quantisation ---------------------------------------------------------------------------- */

typedef struct span {
    int32_t outer, channels, inner;
} span;

/* The parameters lie along as many dimensions from the axis on as hold one each. */
static bool read_span(oribi_lowering *lowering, const oribi_call *call, span *out)
{
    const oribi_shape *shape = &oribi_lower_input(lowering, call, 0)->shape;
    const int64_t total = oribi_lower_count(oribi_lower_input(lowering, call, 0));
    const int64_t count = oribi_lower_count(oribi_lower_input(lowering, call, 1));
    int64_t outer = 1, channels = 1;
    int32_t axis = 0;
    ORIBI_TRY(check_count(lowering, call));
    if (oribi_lower_count(oribi_lower_input(lowering, call, 2)) != count || total < 1) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    if (count != 1) {
        ORIBI_TRY(
            oribi_lower_axis(lowering, call, oribi_lower_int(call, "axis", 1), shape->rank, &axis));
        for (int32_t i = 0; i < axis; i++) {
            outer *= shape->dims[i];
        }
        while (axis < shape->rank && channels != count) {
            channels *= shape->dims[axis++];
        }
        if (channels != count) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
    }
    *out = (span){(int32_t)outer, (int32_t)channels, (int32_t)(total / (outer * channels))};
    return true;
}

bool oribi_lower_quantize_linear(oribi_lowering *lowering, oribi_call *call)
{
    span s;
    ORIBI_TRY(read_span(lowering, call, &s));
    const struct oribi_micro_quantize_linear_args args = {
        s.outer, s.channels, s.inner, oribi_lower_output(lowering, call)->dtype == TF_INT8};
    call->n_inputs = 3;
    return ORIBI_CALL_SET(lowering, call, "quantize_linear", quantize_linear, &args);
}

bool oribi_lower_dequantize_linear(oribi_lowering *lowering, oribi_call *call)
{
    span s;
    const TF_DataType type = oribi_lower_input(lowering, call, 0)->dtype;
    const int32_t kind = type == TF_INT8    ? ORIBI_MICRO_S8
                         : type == TF_UINT8 ? ORIBI_MICRO_U8
                                            : ORIBI_MICRO_S32;
    ORIBI_TRY(read_span(lowering, call, &s));
    const struct oribi_micro_dequantize_linear_args args = {s.outer, s.channels, s.inner, kind};
    call->n_inputs = 3;
    return ORIBI_CALL_SET(lowering, call, "dequantize_linear", dequantize_linear, &args);
}

bool oribi_lower_dynamic_quantize_linear(oribi_lowering *lowering, oribi_call *call)
{
    ORIBI_TRY(check_count(lowering, call));
    const struct oribi_micro_dynamic_quantize_linear_args args = {
        (int32_t)oribi_lower_count(oribi_lower_output(lowering, call))};
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "dynamic_quantize_linear", dynamic_quantize_linear,
                          &args);
}

/* --- Sums and products ----------------------------------------------------------------------- */

static bool read_side(oribi_lowering *lowering, const oribi_call *call, int32_t input,
                      oribi_sizes *out, int32_t *out_signed)
{
    const oribi_value *value = oribi_lower_input(lowering, call, input);
    *out_signed = value->dtype == TF_INT8 ? 1 : 0;
    return oribi_lower_sizes(lowering, call, value, out, NULL);
}

static bool lower_binary(oribi_lowering *lowering, oribi_call *call, const char *kernel,
                         int32_t (*prepare)(const struct oribi_micro_qlinear_binary_spec *,
                                            struct oribi_micro_qlinear_binary_args *))
{
    oribi_sizes a, b;
    struct oribi_micro_qlinear_binary_args args = {0};
    struct oribi_micro_qlinear_binary_spec spec = {.a_dims = a.at, .b_dims = b.at};
    const oribi_value *y = oribi_lower_output(lowering, call);
    ORIBI_TRY(read_side(lowering, call, 0, &a, &spec.a_signed) &&
              read_side(lowering, call, 1, &b, &spec.b_signed));
    spec.a_rank = a.n;
    spec.b_rank = b.n;
    oribi_lower_quantisation(call, "a_scale", "a_zero", &spec.a);
    oribi_lower_quantisation(call, "b_scale", "b_zero", &spec.b);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    spec.output_signed = y->dtype == TF_INT8 ? 1 : 0;
    spec.low = oribi_lower_int(call, "low", INT8_MIN);
    spec.high = oribi_lower_int(call, "high", UINT8_MAX);
    ORIBI_TRY(oribi_lower_check(lowering, call, prepare(&spec, &args)));
    call->n_inputs = 2;
    oribi_call_overwrite(lowering, call, 0);
    oribi_call_overwrite(lowering, call, 1);
    return ORIBI_CALL_SET(lowering, call, kernel, qlinear_binary, &args);
}

bool oribi_lower_qlinear_add(oribi_lowering *lowering, oribi_call *call)
{
    return lower_binary(lowering, call, "qlinear_add", oribi_micro_qlinear_add_prepare);
}

bool oribi_lower_qlinear_mul(oribi_lowering *lowering, oribi_call *call)
{
    return lower_binary(lowering, call, "qlinear_mul", oribi_micro_qlinear_mul_prepare);
}

/* --- Tables, means, softmax ------------------------------------------------------------------ */

bool oribi_lower_qlinear_table(oribi_lowering *lowering, oribi_call *call)
{
    uint8_t table[256];
    ORIBI_TRY(check_count(lowering, call));
    for (int32_t i = 0; i < 256; i++) {
        table[i] = (uint8_t)((uint32_t)oribi_lower_list(call, "table", i, 0) & 255U);
    }
    return oribi_call_lookup(lowering, call, table);
}

bool oribi_lower_qlinear_mean(oribi_lowering *lowering, oribi_call *call)
{
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const int64_t *dims = x->shape.dims;
    int32_t low = oribi_lower_int(call, "low", INT8_MIN);
    int32_t high = oribi_lower_int(call, "high", UINT8_MAX);
    struct oribi_micro_quantisation input, output;
    ORIBI_TRY(oribi_lower_qlinear(lowering, call, "input_scale", "input_zero", &input));
    ORIBI_TRY(oribi_lower_qlinear(lowering, call, "output_scale", "output_zero", &output));
    if (x->shape.rank != 3 || dims[1] < 1 || dims[1] >= 1 << 23 ||
        oribi_lower_count(x) > INT32_MAX) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    oribi_micro_qlinear_bound(x->dtype == TF_INT8 ? 1 : 0, &low, &high);
    const struct oribi_micro_qlinear_mean_args args = {
        .batch = (int32_t)dims[0],
        .count = (int32_t)dims[1],
        .channels = (int32_t)dims[2],
        .is_signed = x->dtype == TF_INT8,
        .input_zero = input.zero,
        .output_zero = output.zero,
        .multiplier =
            oribi_micro_qlinear_mean_multiplier(input.scale, output.scale, (int32_t)dims[1]),
        .low = low,
        .high = high,
    };
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "qlinear_mean", qlinear_mean, &args);
}

bool oribi_lower_qlinear_softmax(oribi_lowering *lowering, oribi_call *call)
{
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    float table[256], steps;
    const int64_t columns = x->shape.rank < 1 ? 0 : x->shape.dims[x->shape.rank - 1];
    struct oribi_micro_quantisation output;
    ORIBI_TRY(check_count(lowering, call));
    ORIBI_TRY(oribi_lower_qlinear(lowering, call, "output_scale", "output_zero", &output));
    const int32_t code = oribi_micro_qlinear_softmax_prepare(
        oribi_lower_float(call, "input_scale"), output.scale, (int32_t)columns, table, &steps);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    const void *copy = oribi_arena_memdup(lowering->arena, table, sizeof table);
    ORIBI_TRY(copy != NULL || oribi_fail_memory(lowering->status));
    const struct oribi_micro_qlinear_softmax_args args = {
        .rows = (int32_t)(oribi_lower_count(x) / columns),
        .columns = (int32_t)columns,
        .is_signed = x->dtype == TF_INT8,
        .steps = steps,
        .output_zero = output.zero,
        .table = copy,
    };
    call->n_inputs = 1;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "qlinear_softmax", qlinear_softmax, &args));
    ORIBI_CALL_PLACE(call, &args, table, 256);
    return true;
}
