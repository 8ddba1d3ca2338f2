/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QConv2D and Oribi>QDepthwiseConv2D by micro/'s kernels, in parallel over rows of the
 * result: a row is the layer with another padding above.
 */
#include "cpu/families.h"
#include "cpu/quantized.h"

#include "micro/conv2d_s8_prepare.h"
#include "micro/depthwise_conv2d_s8_prepare.h"

#include <stdlib.h>

typedef struct conv_state {
    oribi_quantized_weights weights;
    struct oribi_micro_conv2d_s8_spec spec;
    struct oribi_micro_conv2d_s8_args args;
} conv_state;

typedef struct depthwise_state {
    oribi_quantized_weights weights;
    struct oribi_micro_depthwise_conv2d_s8_spec spec;
    struct oribi_micro_depthwise_conv2d_s8_args args;
} depthwise_state;

/* The attributes and weights that both specs name alike. */
#define READ_COMMON(setup, s, w, channel_dim)                                                      \
    do {                                                                                           \
        oribi_quantized_attr((setup), "input", &(s)->input);                                       \
        oribi_quantized_attr((setup), "output", &(s)->output);                                     \
        oribi_quantized_activation((setup), &(s)->activation);                                     \
        oribi_quantized_padding((setup), &(s)->padding);                                           \
        oribi_quantized_pair((setup), "strides", &(s)->stride_h, &(s)->stride_w);                  \
        oribi_quantized_pair((setup), "dilations", &(s)->dilation_h, &(s)->dilation_w);            \
        oribi_quantized_weights_take((setup), 4, (channel_dim), (w));                              \
        (s)->filter_scales = (w)->scales;                                                          \
        (s)->n_filter_scales = (w)->n_scales;                                                      \
        (s)->filter = (w)->filter;                                                                 \
        (s)->bias = (w)->bias;                                                                     \
        (s)->filter_h = (w)->filter_dims[1];                                                       \
        (s)->filter_w = (w)->filter_dims[2];                                                       \
    } while (0)

/* Channels of input 0 if they are known when the kernel is created, else `otherwise`. */
static int32_t known_channels(oribi_cpu_setup *setup, int32_t otherwise)
{
    int64_t dims[4] = {0};
    const int rank = TF_OpKernelConstruction_InputShape(setup->construction, 0, dims, 4);
    return rank == 4 && dims[3] >= 1 && dims[3] <= INT32_MAX ? (int32_t)dims[3] : otherwise;
}

static void *conv_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    conv_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        READ_COMMON(&setup, &state->spec, &state->weights, 0);
    }
    if (state != NULL && TF_GetCode(setup.status) == TF_OK) {
        state->spec.out_c = state->weights.n_channels;
        state->spec.filter_c = state->weights.filter_dims[3];
        state->spec.in_c = known_channels(&setup, state->spec.filter_c);
        (void)oribi_quantized_setup_check(
            &setup, oribi_micro_conv2d_s8_prepare(&state->spec, &state->args, state->weights.folded,
                                                  state->weights.multiplier, state->weights.shift));
    }
    return oribi_cpu_setup_end(&setup);
}

static void *depthwise_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    depthwise_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    int64_t multiplier = 1;
    if (state != NULL) {
        READ_COMMON(&setup, &state->spec, &state->weights, 3);
        oribi_cpu_attr_int(&setup, "depth_multiplier", &multiplier);
    }
    if (state != NULL && TF_GetCode(setup.status) == TF_OK) {
        const int32_t channels = state->weights.n_channels;
        if (multiplier < 1 || multiplier > channels || channels % multiplier != 0) {
            (void)oribi_cpu_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                       "a depth multiplier of %lld does not divide %d channels",
                                       (long long)multiplier, (int)channels);
            return oribi_cpu_setup_end(&setup);
        }
        state->spec.depth_multiplier = (int32_t)multiplier;
        state->spec.in_c = channels / (int32_t)multiplier;
        (void)oribi_quantized_setup_check(&setup,
                                          oribi_micro_depthwise_conv2d_s8_prepare(
                                              &state->spec, &state->args, state->weights.folded,
                                              state->weights.multiplier, state->weights.shift));
    }
    return oribi_cpu_setup_end(&setup);
}

static void conv_destroy(void *state)
{
    if (state != NULL) {
        oribi_quantized_weights_free(&((conv_state *)state)->weights);
        free(state);
    }
}

static void depthwise_destroy(void *state)
{
    if (state != NULL) {
        oribi_quantized_weights_free(&((depthwise_state *)state)->weights);
        free(state);
    }
}

/* One call, split over the rows of all images; each row has scratch of its own. */
typedef struct conv_call {
    struct oribi_micro_conv2d_s8_args args;
    const int8_t *input;
    int8_t *output, *scratch;
} conv_call;

static void conv_rows(void *object, int64_t begin, int64_t end)
{
    const conv_call *call = object;
    for (int64_t row = begin; row < end; row++) {
        struct oribi_micro_conv2d_s8_args args = call->args;
        const int64_t image = row / args.out_h, y = row % args.out_h;
        args.batch = 1;
        args.out_h = 1;
        args.before_h -= (int32_t)y * args.stride_h;
        oribi_micro_conv2d_s8(&args, call->input + image * args.in_h * args.in_w * args.in_c,
                              call->output + row * args.out_w * args.out_c,
                              call->scratch + row * args.scratch_bytes);
    }
}

static bool conv_run(const conv_state *state, oribi_cpu_run *run)
{
    conv_call call = {.args = state->args};
    struct oribi_micro_conv2d_s8_args *a = &call.args;
    TF_Tensor *scratch = NULL;
    int32_t in[4];
    int rank;
    if (!oribi_quantized_dims(run, 0, 4, 4, in, &rank)) {
        return false;
    }
    if (in[3] != state->spec.in_c) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "%d channels where %d are expected",
                              (int)in[3], (int)state->spec.in_c);
    }
    if (!oribi_quantized_check(
            run, oribi_micro_conv2d_s8_resize(&state->spec, in[0], in[1], in[2], a))) {
        return false;
    }
    const int64_t dims[4] = {in[0], a->out_h, a->out_w, a->out_c};
    const int64_t rows = dims[0] * dims[1];
    call.input = TF_TensorData(run->in[0]);
    call.output = oribi_cpu_output(run, 0, dims, 4);
    if (call.output != NULL) {
        call.scratch = oribi_cpu_scratch(run, rows * a->scratch_bytes + 1, &scratch);
    }
    if (call.scratch != NULL) {
        const int64_t taps = (int64_t)a->filter_h * a->filter_w * state->spec.filter_c;
        oribi_cpu_parallel(run, rows, a->out_w * (int64_t)a->out_c * taps / 4, &call, conv_rows);
        TF_DeleteTensor(scratch);
    }
    return call.scratch != NULL;
}
ORIBI_CPU_COMPUTE(conv, 1)

typedef struct depthwise_call {
    struct oribi_micro_depthwise_conv2d_s8_args args;
    const int8_t *input;
    int8_t *output;
} depthwise_call;

static void depthwise_rows(void *object, int64_t begin, int64_t end)
{
    const depthwise_call *call = object;
    for (int64_t row = begin; row < end; row++) {
        struct oribi_micro_depthwise_conv2d_s8_args args = call->args;
        const int64_t image = row / args.out_h, y = row % args.out_h;
        args.batch = 1;
        args.out_h = 1;
        args.before_h -= (int32_t)y * args.stride_h;
        oribi_micro_depthwise_conv2d_s8(&args,
                                        call->input + image * args.in_h * args.in_w * args.in_c,
                                        call->output + row * args.out_w * args.out_c, NULL);
    }
}

static bool depthwise_run(const depthwise_state *state, oribi_cpu_run *run)
{
    depthwise_call call = {.args = state->args};
    struct oribi_micro_depthwise_conv2d_s8_args *a = &call.args;
    int32_t in[4];
    int rank;
    if (!oribi_quantized_dims(run, 0, 4, 4, in, &rank)) {
        return false;
    }
    if (in[3] != state->spec.in_c) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "%d channels where %d are expected",
                              (int)in[3], (int)state->spec.in_c);
    }
    if (!oribi_quantized_check(
            run, oribi_micro_depthwise_conv2d_s8_resize(&state->spec, in[0], in[1], in[2], a))) {
        return false;
    }
    const int64_t dims[4] = {in[0], a->out_h, a->out_w, a->out_c};
    call.input = TF_TensorData(run->in[0]);
    call.output = oribi_cpu_output(run, 0, dims, 4);
    if (call.output != NULL) {
        oribi_cpu_parallel(run, dims[0] * dims[1], dims[2] * dims[3] * a->filter_h * a->filter_w,
                           &call, depthwise_rows);
    }
    return call.output != NULL;
}
ORIBI_CPU_COMPUTE(depthwise, 1)

#define ROW(op, fn)                                                                                \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_TYPE(TF_INT8)}}, .priority = ORIBI_CPU_REFERENCE, \
        .create = fn##_create, .compute = fn##_compute, .destroy = fn##_destroy,                   \
        .why = "the arithmetic of micro/, bit for bit"                                             \
    }
const oribi_cpu_kernel oribi_cpu_quantized_conv_kernels[] = {
    ROW("Oribi>QConv2D", conv),
    ROW("Oribi>QDepthwiseConv2D", depthwise),
    {.op_name = NULL},
};
