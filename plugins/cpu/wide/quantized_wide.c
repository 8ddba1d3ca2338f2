/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QWideConv2D and Oribi>QWideTransposeConv by micro/'s kernels: layers of uint8, and of int16
 * with weights of int8. Convolutions also by vectors, with the same results. Read next:
 * quantized_wide.h.
 */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"
#include "cpu/wide/quantized_wide.h"

#include "micro/element.h"
#include "micro/conv/wide_transpose_conv_prepare.h"

#include <stdlib.h>
#include <string.h>

typedef struct wide_state {
    float *scales;
    struct oribi_micro_wide_conv2d_spec spec;
    const oribi_wide_simd *simd;              /* NULL: micro/'s kernel, as nothing is packed */
    struct oribi_micro_wide_conv2d_args args; /* of what is packed, for images of in_c channels */
    oribi_wide_panels panels;
    int32_t in_c;
} wide_state;

float *oribi_quantized_scales(oribi_kit_setup *setup, int32_t *out_n)
{
    int32_t n = 0, total = 0;
    TF_OpKernelConstruction_GetAttrSize(setup->construction, "filter_scales", &n, &total,
                                        setup->status);
    if (TF_GetCode(setup->status) != TF_OK) {
        return NULL;
    }
    if (n < 1) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "there are no filter scales");
        return NULL;
    }
    float *scales = calloc((size_t)n, sizeof(float));
    if (scales == NULL) {
        (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for %d scales", (int)n);
        return NULL;
    }
    TF_OpKernelConstruction_GetAttrFloatList(setup->construction, "filter_scales", scales, n,
                                             setup->status);
    *out_n = n;
    return scales;
}

int32_t oribi_quantized_int(oribi_kit_setup *setup, const char *name)
{
    int64_t value = 0;
    oribi_kit_attr_int(setup, name, &value);
    return value < INT32_MIN || value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

static void wide_read(oribi_kit_setup *setup, wide_state *state)
{
    struct oribi_micro_wide_conv2d_spec *s = &state->spec;
    bool has_float_scales = false;
    oribi_quantized_attr_any(setup, "input", &s->input);
    oribi_quantized_attr_any(setup, "output", &s->output);
    s->filter_zero = oribi_quantized_int(setup, "filter_zero");
    oribi_kit_attr_bool(setup, "has_float_scales", &has_float_scales);
    s->has_float_scales = has_float_scales ? 1 : 0;
    oribi_quantized_activation(setup, &s->activation);
    oribi_quantized_pads(setup, &s->padding, s->pads);
    oribi_quantized_pair(setup, "strides", &s->stride_h, &s->stride_w);
    oribi_quantized_pair(setup, "dilations", &s->dilation_h, &s->dilation_w);
    if (oribi_kit_setup_is_ok(setup)) {
        state->scales = oribi_quantized_scales(setup, &s->n_filter_scales);
        s->filter_scales = state->scales;
    }
}

/* Input `index` if it is a constant; the caller deletes it. */
static TF_Tensor *constant_of(oribi_kit_setup *setup, int index)
{
    TF_Tensor *tensor = NULL;
    if (oribi_kit_setup_is_ok(setup)) {
        TF_OpKernelConstruction_ConstantInput(setup->construction, index, &tensor, setup->status);
        if (TF_GetCode(setup->status) == TF_NOT_FOUND) {
            TF_SetStatus(setup->status, TF_OK, "");
        }
    }
    return tensor;
}

/* Is it what layers have? */
static bool set_weights(struct oribi_micro_wide_conv2d_spec *s, const TF_Tensor *filter,
                        const TF_Tensor *bias)
{
    bool is_small = filter != NULL && bias != NULL && TF_NumDims(filter) == 4 &&
                    TF_NumDims(bias) == 1 && TF_TensorElementCount(filter) > 0;
    for (int i = 0; is_small && i < 4; i++) {
        is_small = TF_Dim(filter, i) <= INT32_MAX;
    }
    if (!is_small || TF_Dim(bias, 0) != TF_Dim(filter, 0)) {
        return false;
    }
    s->filter_kind = TF_TensorType(filter) == TF_INT8 ? ORIBI_MICRO_S8 : ORIBI_MICRO_U8;
    s->filter = TF_TensorData(filter);
    s->wide_bias = TF_TensorType(bias) == TF_INT64 ? TF_TensorData(bias) : NULL;
    s->bias = s->wide_bias == NULL ? TF_TensorData(bias) : NULL;
    s->out_c = (int32_t)TF_Dim(filter, 0);
    s->filter_h = (int32_t)TF_Dim(filter, 1);
    s->filter_w = (int32_t)TF_Dim(filter, 2);
    s->filter_c = (int32_t)TF_Dim(filter, 3);
    return true;
}

/* Weights that no run changes are packed, for images of one window; what prepare refuses each run
 * refuses with its own words. */
static void wide_pack(oribi_kit_setup *setup, const oribi_wide_simd *simd, wide_state *state)
{
    TF_Tensor *filter = constant_of(setup, 1), *bias = constant_of(setup, 2);
    struct oribi_micro_wide_conv2d_spec s = state->spec;
    int32_t *arrays = NULL;
    if (oribi_kit_setup_is_ok(setup) && set_weights(&s, filter, bias)) {
        int64_t dims[4] = {0};
        const int rank = TF_OpKernelConstruction_InputShape(setup->construction, 0, dims, 4);
        const bool is_known = rank == 4 && dims[3] >= 1 && dims[3] <= INT32_MAX;
        s.kind = s.filter_kind == ORIBI_MICRO_S8 ? ORIBI_MICRO_S16 : ORIBI_MICRO_U8;
        s.batch = s.in_h = s.in_w = 1;
        s.padding = ORIBI_MICRO_SAME;
        s.in_c = is_known ? (int32_t)dims[3] : s.filter_c;
        const size_t n = (size_t)s.out_c;
        arrays = calloc(4 * n, sizeof *arrays);
        bool is_ok = arrays != NULL;
        if (is_ok &&
            oribi_micro_wide_conv2d_prepare(&s, &state->args, arrays, arrays + n, arrays + 2 * n,
                                            arrays + 3 * n) == ORIBI_MICRO_OK) {
            is_ok = oribi_wide_panels_make(&state->args, simd, &state->panels);
            state->simd = is_ok ? simd : NULL;
            state->in_c = s.in_c;
        }
        if (!is_ok) {
            (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for %d channels",
                                       (int)s.out_c);
        }
    }
    free(arrays);
    if (filter != NULL) {
        TF_DeleteTensor(filter);
    }
    if (bias != NULL) {
        TF_DeleteTensor(bias);
    }
}

static void *wide_create_for(TF_OpKernelConstruction *construction, const oribi_wide_simd *simd)
{
    oribi_kit_setup setup;
    wide_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        wide_read(&setup, state);
    }
    if (state != NULL && simd != NULL) {
        wide_pack(&setup, simd, state);
    }
    return oribi_kit_setup_end(&setup);
}

static void wide_destroy(void *state)
{
    if (state != NULL) {
        oribi_wide_panels_free(&((wide_state *)state)->panels);
        free(((wide_state *)state)->scales);
        free(state);
    }
}

static bool read_inputs(oribi_kit_run *run, struct oribi_micro_wide_conv2d_spec *s)
{
    int32_t in[4] = {0}, filter[4] = {0}, bias[1] = {0};
    int rank;
    if (!oribi_quantized_dims(run, 0, 4, 4, in, &rank) ||
        !oribi_quantized_dims(run, 1, 4, 4, filter, &rank) ||
        !oribi_quantized_dims(run, 2, 1, 1, bias, &rank)) {
        return false;
    }
    if (bias[0] != filter[0] || filter[0] < 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "there are %d biases for %d channels",
                              (int)bias[0], (int)filter[0]);
    }
    s->kind = TF_TensorType(run->in[0]) == TF_INT16 ? ORIBI_MICRO_S16 : ORIBI_MICRO_U8;
    s->filter_kind = TF_TensorType(run->in[1]) == TF_INT8 ? ORIBI_MICRO_S8 : ORIBI_MICRO_U8;
    s->filter = TF_TensorData(run->in[1]);
    s->wide_bias = TF_TensorType(run->in[2]) == TF_INT64 ? TF_TensorData(run->in[2]) : NULL;
    s->bias = s->wide_bias == NULL ? TF_TensorData(run->in[2]) : NULL;
    s->batch = in[0];
    s->in_h = in[1];
    s->in_w = in[2];
    s->in_c = in[3];
    s->out_c = filter[0];
    s->filter_h = filter[1];
    s->filter_w = filter[2];
    s->filter_c = filter[3];
    return true;
}

typedef struct wide_call {
    struct oribi_micro_wide_conv2d_args args;
    const char *input;
    char *output;
    int64_t width; /* of an element */
} wide_call;

/* A unit is one row of the result: windows that start where it lies in its image. */
static void wide_rows(void *object, int64_t begin, int64_t end)
{
    const wide_call *call = object;
    const struct oribi_micro_wide_conv2d_args *whole = &call->args;
    const int64_t image = (int64_t)whole->in_h * whole->in_w * whole->in_c * call->width;
    const int64_t row = (int64_t)whole->out_w * whole->out_c * call->width;
    for (int64_t unit = begin; unit < end; unit++) {
        struct oribi_micro_wide_conv2d_args args = *whole;
        const int32_t y = (int32_t)(unit % whole->out_h);
        args.batch = args.out_h = 1;
        args.before_h -= y * args.stride_h;
        oribi_micro_wide_conv2d(&args, call->input + unit / whole->out_h * image,
                                call->output + unit * row);
    }
}

static bool run_panels(const wide_state *state, oribi_kit_run *run,
                       const struct oribi_micro_wide_conv2d_args *args)
{
    const int64_t dims[4] = {args->batch, args->out_h, args->out_w, args->out_c};
    void *output = oribi_kit_output(run, 0, dims, 4);
    return output != NULL && oribi_wide_panels_run(run, &state->panels, state->simd, args,
                                                   TF_TensorData(run->in[0]), output);
}

static bool wide_run(const wide_state *state, oribi_kit_run *run)
{
    struct oribi_micro_wide_conv2d_spec spec = state->spec;
    struct oribi_micro_wide_conv2d_args args = state->args;
    TF_Tensor *tensor = NULL;
    if (!read_inputs(run, &spec)) {
        return false;
    }
    if (state->simd != NULL && spec.in_c == state->in_c && spec.kind == args.kind) {
        if (!oribi_quantized_check(run, oribi_micro_wide_conv2d_resize(&spec, &args))) {
            return false;
        }
        if (oribi_wide_panels_fit(&args)) {
            return run_panels(state, run, &args);
        }
    }
    const int64_t n = spec.out_c;
    int32_t *arrays = oribi_kit_scratch(run, n * 4 * (int64_t)sizeof(int32_t), &tensor);
    bool ok =
        arrays != NULL &&
        oribi_quantized_check(run, oribi_micro_wide_conv2d_prepare(&spec, &args, arrays, arrays + n,
                                                                   arrays + 2 * n, arrays + 3 * n));
    if (ok) {
        const int64_t dims[4] = {args.batch, args.out_h, args.out_w, args.out_c};
        void *output = oribi_kit_output(run, 0, dims, 4);
        ok = output != NULL;
        if (ok) {
            wide_call call = {args, TF_TensorData(run->in[0]), output,
                              spec.kind == ORIBI_MICRO_S16 ? 2 : 1};
            oribi_kit_parallel(run, dims[0] * dims[1], dims[2] * TF_TensorElementCount(run->in[1]),
                               &call, wide_rows);
        }
    }
    if (tensor != NULL) {
        TF_DeleteTensor(tensor);
    }
    return ok;
}
ORIBI_KIT_COMPUTE(wide, 3)

/* --- Transposed convolution ------------------------------------------------------------------ */

typedef struct transpose_state {
    float *scales;
    struct oribi_micro_wide_transpose_conv_spec spec;
} transpose_state;

static void transpose_read(oribi_kit_setup *setup, transpose_state *state)
{
    struct oribi_micro_wide_transpose_conv_spec *s = &state->spec;
    oribi_quantized_attr_any(setup, "input", &s->channels.input);
    oribi_quantized_attr_any(setup, "output", &s->channels.output);
    s->filter_zero = oribi_quantized_int(setup, "filter_zero");
    oribi_quantized_activation(setup, &s->activation);
    oribi_quantized_padding(setup, &s->shape.padding);
    oribi_quantized_pair(setup, "strides", &s->shape.stride_h, &s->shape.stride_w);
    if (oribi_kit_setup_is_ok(setup)) {
        state->scales = oribi_quantized_scales(setup, &s->channels.n_filter_scales);
        s->channels.filter_scales = state->scales;
    }
}
ORIBI_KIT_CREATE(transpose, transpose_state)

static void transpose_destroy(void *state)
{
    if (state != NULL) {
        free(((transpose_state *)state)->scales);
        free(state);
    }
}

static bool read_transposed(oribi_kit_run *run, struct oribi_micro_wide_transpose_conv_spec *s)
{
    int32_t filter[4] = {0}, bias[1] = {0};
    const int32_t *sizes = TF_TensorData(run->in[0]);
    int rank;
    if (!oribi_quantized_dims(run, 3, 4, 4, s->shape.in, &rank) ||
        !oribi_quantized_dims(run, 1, 4, 4, filter, &rank) ||
        !oribi_quantized_dims(run, 2, 1, 1, bias, &rank)) {
        return false;
    }
    if (TF_TensorElementCount(run->in[0]) != 4 || bias[0] != filter[0] || filter[0] < 1 ||
        sizes[3] != filter[0] || s->shape.in[3] != filter[3]) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the sizes of the result, the biases or the channels of the input do "
                              "not fit the filter");
    }
    memcpy(s->shape.out, sizes, sizeof s->shape.out);
    s->shape.filter_h = filter[1];
    s->shape.filter_w = filter[2];
    s->filter = TF_TensorData(run->in[1]);
    s->filter_kind = oribi_quantized_kind(TF_TensorType(run->in[1]));
    s->channels.kind = oribi_quantized_kind(TF_TensorType(run->in[3]));
    s->channels.has_float_scales = s->channels.kind == ORIBI_MICRO_U8 ? 1 : 0;
    const bool is_wide = TF_TensorType(run->in[2]) == TF_INT64;
    s->channels.wide_bias = is_wide ? TF_TensorData(run->in[2]) : NULL;
    s->channels.bias = is_wide ? NULL : TF_TensorData(run->in[2]);
    return true;
}

typedef struct transpose_call {
    const struct oribi_micro_wide_transpose_conv_args *args;
    const char *input;
    char *output;
    int64_t width;
} transpose_call;

/* A row of results is a call of its own, further down behind the window's rows. */
static void transpose_rows(void *object, int64_t begin, int64_t end)
{
    const transpose_call *call = object;
    const struct oribi_micro_transpose_sizes *s = &call->args->sizes;
    const int64_t image = (int64_t)s->in_h * s->in_w * s->in_c, row = (int64_t)s->out_w * s->out_c;
    for (int64_t unit = begin; unit < end; unit++) {
        struct oribi_micro_wide_transpose_conv_args args = *call->args;
        args.sizes.batch = args.sizes.out_h = 1;
        args.sizes.before_h += (int32_t)(unit % s->out_h);
        oribi_micro_wide_transpose_conv(&args, call->input + unit / s->out_h * image * call->width,
                                        call->output + unit * row * call->width);
    }
}

static bool transpose_run(const transpose_state *state, oribi_kit_run *run)
{
    struct oribi_micro_wide_transpose_conv_spec spec = state->spec;
    struct oribi_micro_wide_transpose_conv_args args;
    TF_Tensor *tensor = NULL;
    if (!read_transposed(run, &spec)) {
        return false;
    }
    const int64_t n = spec.shape.out[3];
    int32_t *arrays = oribi_kit_scratch(run, n * 4 * (int64_t)sizeof(int32_t), &tensor);
    const bool good =
        arrays != NULL && oribi_quantized_check(run, oribi_micro_wide_transpose_conv_prepare(
                                                         &spec, &args, arrays, arrays + n,
                                                         arrays + 2 * n, arrays + 3 * n));
    const int64_t dims[4] = {spec.shape.out[0], spec.shape.out[1], spec.shape.out[2], n};
    void *output = good ? oribi_kit_output(run, 0, dims, 4) : NULL;
    if (output != NULL) {
        transpose_call call = {&args, TF_TensorData(run->in[3]), output,
                               spec.channels.kind == ORIBI_MICRO_S16 ? 2 : 1};
        oribi_kit_parallel(run, dims[0] * dims[1], dims[2] * TF_TensorElementCount(run->in[1]),
                           &call, transpose_rows);
    }
    if (tensor != NULL) {
        TF_DeleteTensor(tensor);
    }
    return output != NULL;
}
ORIBI_KIT_COMPUTE(transpose, 4)

#define TYPES                                                                                      \
    {                                                                                              \
        {                                                                                          \
            "T", ORIBI_KIT_TYPE(TF_UINT8) | ORIBI_KIT_TYPE(TF_INT16)                               \
        }                                                                                          \
    }
#define CREATE_SET(part, set)                                                                      \
    static void *wide_create_##set(TF_OpKernelConstruction *construction)                          \
    {                                                                                              \
        return wide_create_for(construction, &oribi_wide_##set);                                   \
    }
#define ROW(op, fn, set, make, text)                                                               \
    {                                                                                              \
        .op_name = op, .types = TYPES, ORIBI_ISA_FIELDS(set), .create = make,                      \
        .compute = fn##_compute, .destroy = fn##_destroy, .why = text                              \
    }
#define ROW_SET(part, set)                                                                         \
    ROW("Oribi>QWideConv2D", wide, set, wide_create_##set, "pairs of int16, the same bits, " #set),

static void *wide_create(TF_OpKernelConstruction *construction)
{
    return wide_create_for(construction, NULL);
}
ORIBI_ISAS_OF_quantized_wide(CREATE_SET)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_quantized_wide_kernels[] = {
    ROW("Oribi>QWideConv2D", wide, any, wide_create, ORIBI_QUANTIZED_WHY),
    ROW("Oribi>QWideTransposeConv", transpose, any, transpose_create, ORIBI_QUANTIZED_WHY),
    ORIBI_ISAS_OF_quantized_wide(ROW_SET)
    {.op_name = NULL},
};
/* clang-format on */
