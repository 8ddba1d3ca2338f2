/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's quantisation, and functions of quantised elements, by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/bytes.h"

#include "micro/quantize/dynamic_quantize_linear.h"
#include "micro/element.h"
#include "micro/elementwise/qlinear_binary_prepare.h"
#include "micro/qlinear.h"
#include "micro/reduce/qlinear_mean.h"
#include "micro/norm/qlinear_softmax_prepare.h"

void oribi_bytes_range(const float *x, int64_t n, float range[2])
{
    for (int64_t i = 0; i < n; i++) {
        range[0] = x[i] < range[0] ? x[i] : range[0];
        range[1] = x[i] > range[1] ? x[i] : range[1];
    }
}

static const oribi_bytes micro_bytes = {oribi_micro_quantize_linear,
                                        oribi_micro_dequantize_linear,
                                        oribi_bytes_range,
                                        oribi_micro_qlinear_softmax,
                                        oribi_micro_through_bytes,
                                        oribi_micro_row_to_bytes,
                                        oribi_micro_qlinear_add,
                                        oribi_micro_qlinear_mul,
                                        oribi_micro_qlinear_max_pool,
                                        oribi_micro_lookup_8,
                                        NULL,
                                        NULL};

/* --- QuantizeLinear and DequantizeLinear ----------------------------------------------------- */

typedef struct linear_state {
    int64_t axis;
} linear_state;

static void linear_read(oribi_kit_setup *setup, linear_state *state)
{
    oribi_kit_attr_int(setup, "axis", &state->axis);
}
ORIBI_KIT_CREATE(linear, linear_state)

void *oribi_linear_create(TF_OpKernelConstruction *construction)
{
    return linear_create(construction);
}

typedef struct linear_sizes {
    oribi_cpu_shape shape;
    int32_t outer, channels, inner;
} linear_sizes;

/* The parameters lie along as many dimensions from the axis on as hold one each. */
static bool read_sizes(const linear_state *state, oribi_kit_run *run, linear_sizes *out)
{
    const int64_t count = TF_TensorElementCount(run->in[1]);
    if (!oribi_cpu_input_shape(run, 0, &out->shape)) {
        return false;
    }
    const int64_t total = oribi_cpu_product(out->shape.at, out->shape.n);
    int64_t outer = 1, channels = 1;
    int axis = 0;
    if (TF_TensorElementCount(run->in[2]) != count || total > INT32_MAX) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "there are %lld scales, %lld zero points and %lld values of x, which "
                              "may have at most 2^31 - 1",
                              (long long)count, (long long)TF_TensorElementCount(run->in[2]),
                              (long long)total);
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
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "%lld scales do not fit axis %lld of %s", (long long)count,
                                  (long long)state->axis, oribi_cpu_shape_text(&out->shape).chars);
        }
    }
    out->outer = (int32_t)(total == 0 ? 0 : outer);
    out->channels = (int32_t)channels;
    out->inner = (int32_t)(total == 0 ? 0 : total / (outer * channels));
    return true;
}

/* A part of the work is some of the outermost dimension that has more than one place: with it go
 * the parameters where that is the channels. */
typedef struct linear_call {
    const oribi_bytes *loops;
    linear_sizes sizes;
    const char *x, *zeros;
    const float *scales;
    char *y;
    int64_t x_width, y_width, zero_width;
    int32_t kind; /* of the quantised side */
    bool quantizes;
} linear_call;

static void linear_units(void *object, int64_t begin, int64_t end)
{
    const linear_call *c = object;
    const linear_sizes *s = &c->sizes;
    const int32_t n = (int32_t)(end - begin);
    const bool is_outer = s->outer > 1, is_channel = !is_outer && s->channels > 1;
    const int32_t outer = is_outer ? n : s->outer, channels = is_channel ? n : s->channels;
    const int32_t inner = is_outer || is_channel ? s->inner : n;
    const int64_t at = begin * (is_outer     ? (int64_t)s->channels * s->inner
                                : is_channel ? s->inner
                                             : 1);
    const char *x = c->x + at * c->x_width;
    char *y = c->y + at * c->y_width;
    const float *scales = c->scales + (is_channel ? begin : 0);
    const char *zeros = c->zeros + (is_channel ? begin * c->zero_width : 0);
    if (c->quantizes) {
        const struct oribi_micro_quantize_linear_args args = {outer, channels, inner,
                                                              c->kind == ORIBI_MICRO_S8 ? 1 : 0};
        c->loops->quantize(&args, (const float *)(const void *)x, scales, zeros, y);
    } else {
        const struct oribi_micro_dequantize_linear_args args = {outer, channels, inner, c->kind};
        c->loops->dequantize(&args, x, scales, zeros, (float *)(void *)y);
    }
}

static void linear_call_run(oribi_kit_run *run, linear_call *call)
{
    const linear_sizes *s = &call->sizes;
    const int64_t total = (int64_t)s->outer * s->channels * s->inner;
    const int64_t units = s->outer > 1 ? s->outer : s->channels > 1 ? s->channels : s->inner;
    if (total > 0) {
        oribi_kit_parallel(run, units, total / units * 6, call, linear_units);
    }
}

bool oribi_quantize_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops)
{
    linear_sizes sizes;
    if (!read_sizes(state, run, &sizes)) {
        return false;
    }
    linear_call call = {.loops = loops,
                        .sizes = sizes,
                        .x = TF_TensorData(run->in[0]),
                        .scales = TF_TensorData(run->in[1]),
                        .zeros = TF_TensorData(run->in[2]),
                        .y = oribi_kit_output(run, 0, sizes.shape.at, sizes.shape.n),
                        .x_width = sizeof(float),
                        .y_width = 1,
                        .zero_width = 1,
                        .kind = oribi_quantized_kind(TF_TensorType(run->in[2])),
                        .quantizes = true};
    if (call.y != NULL) {
        linear_call_run(run, &call);
    }
    return call.y != NULL;
}

static bool quantize_run(const void *state, oribi_kit_run *run)
{
    return oribi_quantize_run(state, run, &micro_bytes);
}
ORIBI_KIT_COMPUTE(quantize, 3)

bool oribi_dequantize_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops)
{
    linear_sizes sizes;
    if (!read_sizes(state, run, &sizes)) {
        return false;
    }
    const TF_DataType type = TF_TensorType(run->in[0]);
    const int64_t width = type == TF_INT32 ? (int64_t)sizeof(int32_t) : 1;
    linear_call call = {.loops = loops,
                        .sizes = sizes,
                        .x = TF_TensorData(run->in[0]),
                        .scales = TF_TensorData(run->in[1]),
                        .zeros = TF_TensorData(run->in[2]),
                        .y = oribi_kit_output(run, 0, sizes.shape.at, sizes.shape.n),
                        .x_width = width,
                        .y_width = sizeof(float),
                        .zero_width = width,
                        .kind = type == TF_INT32 ? ORIBI_MICRO_S32 : oribi_quantized_kind(type)};
    if (call.y != NULL) {
        linear_call_run(run, &call);
    }
    return call.y != NULL;
}

static bool dequantize_run(const void *state, oribi_kit_run *run)
{
    return oribi_dequantize_run(state, run, &micro_bytes);
}
ORIBI_KIT_COMPUTE(dequantize, 3)

/* --- DynamicQuantizeLinear ------------------------------------------------------------------- */

static void *nothing_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    (void)oribi_kit_setup_begin(&setup, construction, 1);
    return oribi_kit_setup_end(&setup);
}

void *oribi_dynamic_create(TF_OpKernelConstruction *construction)
{
    return nothing_create(construction);
}

/* The least and the largest of x and 0; false: the run stops. */
static bool find_range(oribi_kit_run *run, const oribi_bytes *loops, const float *x, int32_t count,
                       float out[2])
{
    enum { PART = 65536 };
    int64_t patience = 0;
    out[0] = out[1] = 0.0F;
    for (int64_t i = 0; i < count; i += PART) {
        if (oribi_kit_stops(run, &patience, PART)) {
            return false;
        }
        loops->range(x + i, count - i < PART ? count - i : PART, out);
    }
    return true;
}

bool oribi_dynamic_run(oribi_kit_run *run, const oribi_bytes *loops)
{
    const struct oribi_micro_dynamic_quantize_linear_args ends = {2};
    oribi_cpu_shape shape;
    float range[2];
    uint8_t bytes[2];
    const int32_t count = oribi_quantized_count(run, &shape);
    if (count < 0 || !find_range(run, loops, TF_TensorData(run->in[0]), count, range)) {
        return false;
    }
    void *output = oribi_kit_output(run, 0, shape.at, shape.n);
    float *scale = output == NULL ? NULL : oribi_kit_output(run, 1, NULL, 0);
    void *zero = scale == NULL ? NULL : oribi_kit_output(run, 2, NULL, 0);
    if (zero != NULL) { /* scale and zero point follow from the ends of the range */
        oribi_micro_dynamic_quantize_linear(&ends, range, bytes, scale, zero);
        linear_call call = {.loops = loops,
                            .sizes = {.outer = 1, .channels = 1, .inner = count},
                            .x = TF_TensorData(run->in[0]),
                            .scales = scale,
                            .zeros = zero,
                            .y = output,
                            .x_width = sizeof(float),
                            .y_width = 1,
                            .zero_width = 1,
                            .kind = ORIBI_MICRO_U8,
                            .quantizes = true};
        linear_call_run(run, &call);
    }
    return zero != NULL;
}

static bool dynamic_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return oribi_dynamic_run(run, &micro_bytes);
}
ORIBI_KIT_COMPUTE(dynamic, 1)

/* --- Tables ---------------------------------------------------------------------------------- */

void *oribi_table_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    oribi_byte_table *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    int64_t values[256] = {0};
    int count = 0;
    if (state != NULL) {
        TF_DataType type = TF_INT8;
        oribi_kit_attr_type(&setup, "T", &type);
        oribi_kit_attr_ints(&setup, "table", values, 256, &count);
        const int64_t low = type == TF_INT8 ? INT8_MIN : 0;
        if (TF_GetCode(setup.status) == TF_OK && count != 256) {
            (void)oribi_kit_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                       "the table has %d values instead of 256", count);
        }
        for (int i = 0; i < 256 && TF_GetCode(setup.status) == TF_OK; i++) {
            if (values[i] < low || values[i] > low + 255) {
                (void)oribi_kit_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                           "value %lld of the table does not fit its type",
                                           (long long)values[i]);
            }
            state->values[i] = (uint8_t)((uint64_t)values[i] & 255U);
        }
    }
    return oribi_kit_setup_end(&setup);
}

bool oribi_table_run(const void *object, oribi_kit_run *run, const oribi_bytes *loops)
{
    return oribi_quantized_lookup(run, object, loops->lookup);
}

static bool table_run(const void *state, oribi_kit_run *run)
{
    return oribi_table_run(state, run, &micro_bytes);
}
ORIBI_KIT_COMPUTE(table, 1)

/* --- Means and softmax ----------------------------------------------------------------------- */

typedef struct scaled_state {
    bool is_signed;
    struct oribi_micro_quantisation input, output;
    int32_t low, high;
} scaled_state;

static scaled_state *scaled_begin(oribi_kit_setup *setup, TF_OpKernelConstruction *construction)
{
    scaled_state *state = oribi_kit_setup_begin(setup, construction, sizeof *state);
    TF_DataType type = TF_INT8;
    if (state != NULL) {
        oribi_kit_attr_type(setup, "T", &type);
        state->is_signed = type == TF_INT8;
        oribi_qlinear_attr(setup, "output", state->is_signed, &state->output);
    }
    return state;
}

enum { MEAN_BLOCK = 256 };

static void *mean_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    scaled_state *state = scaled_begin(&setup, construction);
    if (state != NULL) {
        oribi_qlinear_attr(&setup, "input", state->is_signed, &state->input);
        oribi_qlinear_bounds(&setup, state->is_signed, &state->low, &state->high);
    }
    return oribi_kit_setup_end(&setup);
}

/* oribi_micro_qlinear_mean of `n` channels, by whole pixels: a channel at a time would read all
 * lines of the cache for each. */
static void mean_block(const struct oribi_micro_qlinear_mean_args *a, const uint8_t *from,
                       int32_t n, uint8_t *to)
{
    const uint32_t flip = a->is_signed != 0 ? 128U : 0U;
    const int32_t less = (a->input_zero + (int32_t)flip) * a->count;
    int32_t sums[MEAN_BLOCK] = {0};
    for (int32_t i = 0; i < a->count; i++, from += a->channels) {
        for (int32_t j = 0; j < n; j++) {
            sums[j] += (int32_t)(from[j] ^ flip);
        }
    }
    for (int32_t j = 0; j < n; j++) {
        to[j] = oribi_micro_qlinear_byte((float)(sums[j] - less) * a->multiplier, a->output_zero,
                                         a->low, a->high);
    }
}

static void mean_rows(const void *all, int32_t rows, const void *x, void *y)
{
    const struct oribi_micro_qlinear_mean_args *a = all;
    const uint8_t *from = x;
    uint8_t *to = y;
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t c = 0; c < a->channels; c += MEAN_BLOCK) {
            const int32_t left = a->channels - c;
            mean_block(a, from + c, left < MEAN_BLOCK ? left : MEAN_BLOCK, to + c);
        }
        from += (int64_t)a->count * a->channels;
        to += a->channels;
    }
}

static bool mean_run(const scaled_state *state, oribi_kit_run *run)
{
    int32_t in[3];
    int rank;
    if (!oribi_quantized_dims(run, 0, 3, 3, in, &rank)) {
        return false;
    }
    const int64_t total = (int64_t)in[0] * in[1];
    if (in[1] < 1 || in[1] >= 1 << 23 || total > INT32_MAX ||
        (in[2] > 0 && total > INT32_MAX / in[2])) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "a mean is over %d values; 1 to 8388607 are supported, in tensors of less than 2^31",
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
    void *output = oribi_kit_output(run, 0, dims, 2);
    if (output != NULL) {
        const int64_t row = (int64_t)in[1] * in[2];
        const oribi_quantized_each each = {&args,  mean_rows, TF_TensorData(run->in[0]),
                                           output, row,       in[2]};
        oribi_quantized_run_each(run, &each, in[0], row);
    }
    return output != NULL;
}
ORIBI_KIT_COMPUTE(mean, 1)

void *oribi_softmax_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    scaled_state *state = scaled_begin(&setup, construction);
    if (state != NULL) {
        oribi_kit_attr_float(&setup, "input_scale", &state->input.scale);
    }
    return oribi_kit_setup_end(&setup);
}

typedef struct softmax_call {
    struct oribi_micro_qlinear_softmax_args args;
    const oribi_bytes *loops;
} softmax_call;

static void softmax_rows(const void *all, int32_t rows, const void *x, void *y)
{
    const softmax_call *call = all;
    struct oribi_micro_qlinear_softmax_args args = call->args;
    args.rows = rows;
    call->loops->softmax(&args, x, y);
}

bool oribi_softmax_run(const void *object, oribi_kit_run *run, const oribi_bytes *loops)
{
    const scaled_state *state = object;
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
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "softmax does not support shape %s",
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
    void *output = oribi_kit_output_in_place(run, (const int[]){0}, 1, shape.at, shape.n);
    if (output != NULL) {
        const softmax_call call = {args, loops};
        const oribi_quantized_each each = {&call, softmax_rows, input, output, columns, columns};
        oribi_quantized_run_each(run, &each, args.rows, args.rows > 0 ? columns * 10 : 0);
    }
    return output != NULL;
}

static bool softmax_run(const void *state, oribi_kit_run *run)
{
    return oribi_softmax_run(state, run, &micro_bytes);
}
ORIBI_KIT_COMPUTE(softmax, 1)

const oribi_cpu_kernel oribi_cpu_qlinear_elements_kernels[] = {
    ORIBI_QUANTIZED_ROW("ONNX>QuantizeLinear", linear, quantize, {"T", ORIBI_QUANTIZED_BYTES}),
    ORIBI_QUANTIZED_ROW("ONNX>DequantizeLinear", linear, dequantize,
                        {"T", ORIBI_QUANTIZED_BYTES | ORIBI_KIT_TYPE(TF_INT32)}),
    ORIBI_QUANTIZED_ROW("ONNX>QLinearTable", oribi_table, table, {"T", ORIBI_QUANTIZED_BYTES}),
    ORIBI_QUANTIZED_ROW("ONNX>QLinearMean", mean, mean, {"T", ORIBI_QUANTIZED_BYTES}),
    ORIBI_QUANTIZED_ROW("ONNX>QLinearSoftmax", oribi_softmax, softmax,
                        {"T", ORIBI_QUANTIZED_BYTES}),
    {.op_name = "ONNX>DynamicQuantizeLinear",
     .priority = ORIBI_CPU_REFERENCE,
     .create = nothing_create,
     .compute = dynamic_compute,
     .destroy = oribi_kit_free,
     .why = ORIBI_QUANTIZED_WHY},
    {.op_name = NULL},
};
