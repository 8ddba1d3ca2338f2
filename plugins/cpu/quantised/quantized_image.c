/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QTransposeConv by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/conv/transpose_conv_s8_prepare.h"

#include <stdlib.h>
#include <string.h>

typedef struct conv_state {
    oribi_quantized_weights weights;
    struct oribi_micro_transpose_conv_s8_spec spec; /* sizes unset */
} conv_state;

static void conv_read(oribi_kit_setup *setup, conv_state *state)
{
    struct oribi_micro_transpose_conv_s8_spec *spec = &state->spec;
    oribi_quantized_attr(setup, "input", &spec->input);
    oribi_quantized_attr(setup, "output", &spec->output);
    oribi_quantized_activation(setup, &spec->activation);
    oribi_quantized_padding(setup, &spec->shape.padding);
    oribi_quantized_pair(setup, "strides", &spec->shape.stride_h, &spec->shape.stride_w);
    oribi_quantized_weights_take(setup, 4, 0, &state->weights);
    spec->shape.filter_h = state->weights.filter_dims[1];
    spec->shape.filter_w = state->weights.filter_dims[2];
    spec->filter = state->weights.filter;
    spec->bias = state->weights.bias;
    spec->filter_scales = state->weights.scales;
    spec->n_filter_scales = state->weights.n_scales;
}
ORIBI_KIT_CREATE(conv, conv_state)

static void conv_destroy(void *state)
{
    if (state != NULL) {
        oribi_quantized_weights_free(&((conv_state *)state)->weights);
        free(state);
    }
}

typedef struct conv_call {
    const struct oribi_micro_transpose_conv_s8_args *args;
    const int8_t *input;
    int8_t *output;
} conv_call;

/* A row of results is a call of its own, further down behind the window's rows. */
static void conv_rows(void *object, int64_t begin, int64_t end)
{
    const conv_call *call = object;
    const struct oribi_micro_transpose_sizes *s = &call->args->sizes;
    const int64_t image = (int64_t)s->in_h * s->in_w * s->in_c, row = (int64_t)s->out_w * s->out_c;
    for (int64_t unit = begin; unit < end; unit++) {
        struct oribi_micro_transpose_conv_s8_args args = *call->args;
        args.sizes.batch = args.sizes.out_h = 1;
        args.sizes.before_h += (int32_t)(unit % s->out_h);
        oribi_micro_transpose_conv_s8(&args, call->input + unit / s->out_h * image,
                                      call->output + unit * row);
    }
}

/* Multipliers belong to the run: other runs of this kernel may have other sizes. */
static bool conv_run(const conv_state *state, oribi_kit_run *run)
{
    struct oribi_micro_transpose_conv_s8_spec spec = state->spec;
    struct oribi_micro_transpose_conv_s8_args args;
    const int32_t channels = state->weights.n_channels;
    const int32_t *sizes = TF_TensorData(run->in[0]);
    TF_Tensor *scratch = NULL;
    int rank;
    if (!oribi_quantized_dims(run, 3, 4, 4, spec.shape.in, &rank)) {
        return false;
    }
    if (TF_TensorElementCount(run->in[0]) != 4 || sizes[3] != channels ||
        spec.shape.in[3] != state->weights.filter_dims[3]) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "the sizes of the result or the channels of the input do not fit the filter");
    }
    memcpy(spec.shape.out, sizes, sizeof spec.shape.out);
    int32_t *derived = oribi_kit_scratch(run, 8 * (int64_t)channels, &scratch);
    bool good = derived != NULL &&
                oribi_quantized_check(run, oribi_micro_transpose_conv_s8_prepare(
                                               &spec, &args, derived, derived + channels));
    const int64_t dims[4] = {spec.shape.out[0], spec.shape.out[1], spec.shape.out[2],
                             spec.shape.out[3]};
    int8_t *output = good ? oribi_kit_output(run, 0, dims, 4) : NULL;
    if (output != NULL) {
        conv_call call = {&args, TF_TensorData(run->in[3]), output};
        oribi_kit_parallel(run, dims[0] * dims[1], dims[2] * TF_TensorElementCount(run->in[1]),
                           &call, conv_rows);
    }
    if (scratch != NULL) {
        TF_DeleteTensor(scratch);
    }
    return output != NULL;
}
ORIBI_KIT_COMPUTE(conv, 4)

const oribi_cpu_kernel oribi_cpu_quantized_image_kernels[] = {
    {.op_name = "Oribi>QTransposeConv",
     .types = {{"T", ORIBI_KIT_TYPE(TF_INT8)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = conv_create,
     .compute = conv_compute,
     .destroy = conv_destroy,
     .why = ORIBI_QUANTIZED_WHY},
    {.op_name = NULL},
};
