/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's quantisation, and functions of quantised elements, by micro/'s kernels. */
#include "cpu/families.h"
#include "cpu/quantized.h"

#include "micro/dequantize_linear.h"
#include "micro/dynamic_quantize_linear.h"
#include "micro/element.h"
#include "micro/qlinear_binary_prepare.h"
#include "micro/qlinear_mean.h"
#include "micro/qlinear_softmax.h"
#include "micro/qlinear_softmax_prepare.h"
#include "micro/quantize_linear.h"

/* --- QuantizeLinear and DequantizeLinear ----------------------------------------------------- */

typedef struct linear_state {
    int64_t axis;
} linear_state;

static void *linear_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    linear_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_cpu_attr_int(&setup, "axis", &state->axis);
    }
    return oribi_cpu_setup_end(&setup);
}

typedef struct linear_sizes {
    oribi_cpu_shape shape;
    int32_t outer, channels, inner;
} linear_sizes;

/* The parameters lie along as many dimensions from the axis on as hold one each. */
static bool read_sizes(const linear_state *state, oribi_cpu_run *run, linear_sizes *out)
{
    const int64_t count = TF_TensorElementCount(run->in[1]);
    if (!oribi_cpu_input_shape(run, 0, &out->shape)) {
        return false;
    }
    const int64_t total = oribi_cpu_product(out->shape.at, out->shape.n);
    int64_t outer = 1, channels = 1;
    int axis = 0;
    if (TF_TensorElementCount(run->in[2]) != count || total > INT32_MAX) {
        return oribi_cpu_fail(
            run, TF_INVALID_ARGUMENT,
            "%lld scales, %lld zero points, %lld values of x; x may have 2^31 - 1",
            (long long)count, (long long)TF_TensorElementCount(run->in[2]), (long long)total);
    }
    if (count != 1) {
        if (!oribi_cpu_axis(run, state->axis, out->shape.n, &axis)) {
            return false;
        }
        for (int i = 0; i < axis; i++) {
            outer *= out->shape.at[i];
        }
        while (axis < out->shape.n && channels != count) {
            channels *= out->shape.at[axis++];
        }
        if (channels != count) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "%lld scales along axis %lld of %s",
                                  (long long)count, (long long)state->axis,
                                  oribi_cpu_shape_text(&out->shape).chars);
        }
    }
    out->outer = (int32_t)(total == 0 ? 0 : outer);
    out->channels = (int32_t)channels;
    out->inner = (int32_t)(total == 0 ? 0 : total / (outer * channels));
    return true;
}

static bool quantize_run(const linear_state *state, oribi_cpu_run *run)
{
    linear_sizes sizes;
    if (!read_sizes(state, run, &sizes)) {
        return false;
    }
    const struct oribi_micro_quantize_linear_args args = {
        sizes.outer, sizes.channels, sizes.inner, TF_TensorType(run->in[2]) == TF_INT8 ? 1 : 0};
    void *output = oribi_cpu_output(run, 0, sizes.shape.at, sizes.shape.n);
    if (output != NULL) {
        oribi_micro_quantize_linear(&args, TF_TensorData(run->in[0]), TF_TensorData(run->in[1]),
                                    TF_TensorData(run->in[2]), output);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(quantize, 3)

static bool dequantize_run(const linear_state *state, oribi_cpu_run *run)
{
    linear_sizes sizes;
    if (!read_sizes(state, run, &sizes)) {
        return false;
    }
    const TF_DataType type = TF_TensorType(run->in[0]);
    const struct oribi_micro_dequantize_linear_args args = {sizes.outer, sizes.channels,
                                                            sizes.inner,
                                                            type == TF_INT8    ? ORIBI_MICRO_S8
                                                            : type == TF_UINT8 ? ORIBI_MICRO_U8
                                                                               : ORIBI_MICRO_S32};
    float *output = oribi_cpu_output(run, 0, sizes.shape.at, sizes.shape.n);
    if (output != NULL) {
        oribi_micro_dequantize_linear(&args, TF_TensorData(run->in[0]), TF_TensorData(run->in[1]),
                                      TF_TensorData(run->in[2]), output);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(dequantize, 3)

/* --- DynamicQuantizeLinear ------------------------------------------------------------------- */

static void *nothing_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    (void)oribi_cpu_setup_begin(&setup, construction, 1);
    return oribi_cpu_setup_end(&setup);
}

static bool dynamic_run(const void *state, oribi_cpu_run *run)
{
    oribi_cpu_shape shape;
    const struct oribi_micro_dynamic_quantize_linear_args args = {
        oribi_quantized_count(run, &shape)};
    (void)state;
    if (args.count < 0) {
        return false;
    }
    void *output = oribi_cpu_output(run, 0, shape.at, shape.n);
    float *scale = output == NULL ? NULL : oribi_cpu_output(run, 1, NULL, 0);
    void *zero = scale == NULL ? NULL : oribi_cpu_output(run, 2, NULL, 0);
    if (zero != NULL) {
        oribi_micro_dynamic_quantize_linear(&args, TF_TensorData(run->in[0]), output, scale, zero);
    }
    return zero != NULL;
}
ORIBI_CPU_COMPUTE(dynamic, 1)

/* --- Tables ---------------------------------------------------------------------------------- */

typedef struct table_state {
    uint8_t table[256];
} table_state;

static void *table_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    table_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    int64_t values[256] = {0};
    int count = 0;
    if (state != NULL) {
        TF_DataType type = TF_INT8;
        oribi_cpu_attr_type(&setup, "T", &type);
        oribi_cpu_attr_ints(&setup, "table", values, 256, &count);
        const int64_t low = type == TF_INT8 ? INT8_MIN : 0;
        if (TF_GetCode(setup.status) == TF_OK && count != 256) {
            (void)oribi_cpu_setup_fail(&setup, TF_INVALID_ARGUMENT, "a table of %d values, not 256",
                                       count);
        }
        for (int i = 0; i < 256 && TF_GetCode(setup.status) == TF_OK; i++) {
            if (values[i] < low || values[i] > low + 255) {
                (void)oribi_cpu_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                           "value %lld of the table leaves its type",
                                           (long long)values[i]);
            }
            state->table[i] = (uint8_t)((uint64_t)values[i] & 255U);
        }
    }
    return oribi_cpu_setup_end(&setup);
}

static bool table_run(const table_state *state, oribi_cpu_run *run)
{
    return oribi_quantized_lookup(run, state->table);
}
ORIBI_CPU_COMPUTE(table, 1)

/* --- Means and softmax ----------------------------------------------------------------------- */

typedef struct scaled_state {
    bool is_signed;
    struct oribi_micro_quantisation input, output;
    int32_t low, high;
} scaled_state;

static scaled_state *scaled_begin(oribi_cpu_setup *setup, TF_OpKernelConstruction *construction)
{
    scaled_state *state = oribi_cpu_setup_begin(setup, construction, sizeof *state);
    TF_DataType type = TF_INT8;
    if (state != NULL) {
        oribi_cpu_attr_type(setup, "T", &type);
        state->is_signed = type == TF_INT8;
        oribi_qlinear_attr(setup, "output", state->is_signed, &state->output);
    }
    return state;
}

static void *mean_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    scaled_state *state = scaled_begin(&setup, construction);
    if (state != NULL) {
        oribi_qlinear_attr(&setup, "input", state->is_signed, &state->input);
        oribi_qlinear_bounds(&setup, state->is_signed, &state->low, &state->high);
    }
    return oribi_cpu_setup_end(&setup);
}

static bool mean_run(const scaled_state *state, oribi_cpu_run *run)
{
    int32_t in[3];
    int rank;
    if (!oribi_quantized_dims(run, 0, 3, 3, in, &rank)) {
        return false;
    }
    const int64_t total = (int64_t)in[0] * in[1];
    if (in[1] < 1 || in[1] >= 1 << 23 || total > INT32_MAX ||
        (in[2] > 0 && total > INT32_MAX / in[2])) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "a mean of %d values must be of 1 to 8388607, of a tensor below 2^31",
                              (int)in[1]);
    }
    const struct oribi_micro_qlinear_mean_args args = {
        .batch = in[0],
        .count = in[1],
        .channels = in[2],
        .is_signed = state->is_signed ? 1 : 0,
        .input_zero = state->input.zero,
        .output_zero = state->output.zero,
        .multiplier =
            oribi_micro_qlinear_mean_multiplier(state->input.scale, state->output.scale, in[1]),
        .low = state->low,
        .high = state->high};
    const int64_t dims[2] = {in[0], in[2]};
    void *output = oribi_cpu_output(run, 0, dims, 2);
    if (output != NULL) {
        oribi_micro_qlinear_mean(&args, TF_TensorData(run->in[0]), output);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(mean, 1)

static void *softmax_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    scaled_state *state = scaled_begin(&setup, construction);
    if (state != NULL) {
        oribi_cpu_attr_float(&setup, "input_scale", &state->input.scale);
    }
    return oribi_cpu_setup_end(&setup);
}

static bool softmax_run(const scaled_state *state, oribi_cpu_run *run)
{
    oribi_cpu_shape shape;
    float table[256];
    struct oribi_micro_qlinear_softmax_args args = {
        .is_signed = state->is_signed ? 1 : 0, .output_zero = state->output.zero, .table = table};
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    const int64_t total = oribi_cpu_product(shape.at, shape.n);
    const int64_t columns = shape.n < 1 ? 0 : shape.at[shape.n - 1];
    if (shape.n < 1 || total > INT32_MAX) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "softmax of shape %s",
                              oribi_cpu_shape_text(&shape).chars);
    }
    args.columns = (int32_t)columns;
    args.rows = total == 0 ? 0 : (int32_t)(total / columns);
    if (total > 0 && !oribi_quantized_check(run, oribi_micro_qlinear_softmax_prepare(
                                                     state->input.scale, state->output.scale,
                                                     args.columns, table, &args.steps))) {
        return false;
    }
    const void *input = TF_TensorData(run->in[0]);
    void *output = oribi_cpu_output_in_place(run, (const int[]){0}, 1, shape.at, shape.n);
    if (output != NULL) {
        oribi_micro_qlinear_softmax(&args, input, output);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(softmax, 1)

#define BYTES (ORIBI_CPU_TYPE(TF_INT8) | ORIBI_CPU_TYPE(TF_UINT8))
#define ROW(op, type_mask, make, fn)                                                               \
    {                                                                                              \
        .op_name = op, .types = {{"T", type_mask}}, .priority = ORIBI_CPU_REFERENCE,               \
        .create = make##_create, .compute = fn##_compute, .destroy = oribi_cpu_free,               \
        .why = "the arithmetic of micro/, bit for bit"                                             \
    }
const oribi_cpu_kernel oribi_cpu_qlinear_elements_kernels[] = {
    ROW("ONNX>QuantizeLinear", BYTES, linear, quantize),
    ROW("ONNX>DequantizeLinear", BYTES | ORIBI_CPU_TYPE(TF_INT32), linear, dequantize),
    ROW("ONNX>QLinearTable", BYTES, table, table),
    ROW("ONNX>QLinearMean", BYTES, mean, mean),
    ROW("ONNX>QLinearSoftmax", BYTES, softmax, softmax),
    {.op_name = "ONNX>DynamicQuantizeLinear",
     .priority = ORIBI_CPU_REFERENCE,
     .create = nothing_create,
     .compute = dynamic_compute,
     .destroy = oribi_cpu_free,
     .why = "the arithmetic of micro/, bit for bit"},
    {.op_name = NULL},
};
