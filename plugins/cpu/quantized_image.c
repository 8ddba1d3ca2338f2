/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QTransposeConv and Oribi>QResizeBilinear by micro/'s kernels. */
#include "cpu/families.h"
#include "cpu/quantized.h"

#include "micro/resize_bilinear_s8.h"
#include "micro/resize_prepare.h"
#include "micro/transpose_conv_s8_prepare.h"

#include <stdlib.h>
#include <string.h>

/* --- Transposed convolution ------------------------------------------------------------------ */

typedef struct conv_state {
    oribi_quantized_weights weights;
    struct oribi_micro_transpose_conv_s8_spec spec; /* sizes unset */
} conv_state;

static void *conv_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    conv_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        struct oribi_micro_transpose_conv_s8_spec *spec = &state->spec;
        oribi_quantized_attr(&setup, "input", &spec->input);
        oribi_quantized_attr(&setup, "output", &spec->output);
        oribi_quantized_activation(&setup, &spec->activation);
        oribi_quantized_padding(&setup, &spec->padding);
        oribi_quantized_pair(&setup, "strides", &spec->stride_h, &spec->stride_w);
        oribi_quantized_weights_take(&setup, 4, 0, &state->weights);
        spec->filter_h = state->weights.filter_dims[1];
        spec->filter_w = state->weights.filter_dims[2];
        spec->filter = state->weights.filter;
        spec->bias = state->weights.bias;
        spec->filter_scales = state->weights.scales;
        spec->n_filter_scales = state->weights.n_scales;
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

/* Multipliers belong to the run: other runs of this kernel may have other sizes. */
static bool conv_run(const conv_state *state, oribi_cpu_run *run)
{
    struct oribi_micro_transpose_conv_s8_spec spec = state->spec;
    struct oribi_micro_transpose_conv_s8_args args;
    const int32_t channels = state->weights.n_channels;
    const int32_t *sizes = TF_TensorData(run->in[0]);
    TF_Tensor *scratch = NULL;
    int rank;
    if (!oribi_quantized_dims(run, 3, 4, 4, spec.in, &rank)) {
        return false;
    }
    if (TF_TensorElementCount(run->in[0]) != 4 || sizes[3] != channels ||
        spec.in[3] != state->weights.filter_dims[3]) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "sizes of the result or channels of the input do not fit the filter");
    }
    memcpy(spec.out, sizes, sizeof spec.out);
    int32_t *derived = oribi_cpu_scratch(run, 8 * (int64_t)channels, &scratch);
    bool good = derived != NULL &&
                oribi_quantized_check(run, oribi_micro_transpose_conv_s8_prepare(
                                               &spec, &args, derived, derived + channels));
    const int64_t dims[4] = {spec.out[0], spec.out[1], spec.out[2], spec.out[3]};
    int8_t *output = good ? oribi_cpu_output(run, 0, dims, 4) : NULL;
    if (output != NULL) {
        oribi_micro_transpose_conv_s8(&args, TF_TensorData(run->in[3]), output);
    }
    if (scratch != NULL) {
        TF_DeleteTensor(scratch);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(conv, 4)

/* --- Resizing -------------------------------------------------------------------------------- */

typedef struct resize_state {
    bool align_corners, half_pixel_centers;
} resize_state;

static void *resize_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    resize_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_cpu_attr_bool(&setup, "align_corners", &state->align_corners);
        oribi_cpu_attr_bool(&setup, "half_pixel_centers", &state->half_pixel_centers);
    }
    return oribi_cpu_setup_end(&setup);
}

static bool resize_run(const resize_state *state, oribi_cpu_run *run)
{
    struct oribi_micro_resize_bilinear_s8_args args = {0};
    const int32_t *sizes = TF_TensorData(run->in[1]);
    TF_Tensor *scratch = NULL;
    int32_t in[4];
    int rank;
    if (!oribi_quantized_dims(run, 0, 4, 4, in, &rank)) {
        return false;
    }
    if (TF_TensorElementCount(run->in[1]) != 2 || sizes[0] < 1 || sizes[1] < 1) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "the new size must be two positive values");
    }
    const struct oribi_micro_resize_spec y = {in[1], sizes[0], state->align_corners,
                                              state->half_pixel_centers};
    const struct oribi_micro_resize_spec x = {in[2], sizes[1], state->align_corners,
                                              state->half_pixel_centers};
    const int64_t dims[4] = {in[0], sizes[0], sizes[1], in[3]};
    int32_t *places = oribi_cpu_scratch(run, 12 * ((int64_t)sizes[0] + sizes[1]), &scratch);
    bool good = places != NULL &&
                oribi_quantized_check(run, oribi_micro_resize_bilinear_places(&y, places)) &&
                oribi_quantized_check(
                    run, oribi_micro_resize_bilinear_places(&x, places + 3 * (int64_t)sizes[0]));
    int8_t *output = good ? oribi_cpu_output(run, 0, dims, 4) : NULL;
    if (output != NULL) {
        args = (struct oribi_micro_resize_bilinear_s8_args){
            in[0], in[1], in[2], sizes[0], sizes[1], in[3], places, places + 3 * (int64_t)sizes[0]};
        oribi_micro_resize_bilinear_s8(&args, TF_TensorData(run->in[0]), output);
    }
    if (scratch != NULL) {
        TF_DeleteTensor(scratch);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(resize, 2)

const oribi_cpu_kernel oribi_cpu_quantized_image_kernels[] = {
    {.op_name = "Oribi>QTransposeConv",
     .types = {{"T", ORIBI_CPU_TYPE(TF_INT8)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = conv_create,
     .compute = conv_compute,
     .destroy = conv_destroy,
     .why = "the arithmetic of micro/, bit for bit"},
    {.op_name = "Oribi>QResizeBilinear",
     .types = {{"T", ORIBI_CPU_TYPE(TF_INT8)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = resize_create,
     .compute = resize_compute,
     .destroy = oribi_cpu_free,
     .why = "the arithmetic of micro/, bit for bit"},
    {.op_name = NULL},
};
