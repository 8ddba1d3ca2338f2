/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QRealFullyConnected by micro/'s kernel: layers whose sums are scaled in double. Of int8
 * quantized_dense.c has vectors with the same results.
 */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/dense/fully_connected_real_prepare.h"
#include "micro/element.h"

#include <stdlib.h>

typedef struct real_state {
    float *scales;
    struct oribi_micro_fully_connected_real_spec spec;
    bool keeps_rank;
} real_state;

static void real_read(oribi_kit_setup *setup, real_state *state)
{
    struct oribi_micro_fully_connected_real_spec *s = &state->spec;
    oribi_quantized_attr_any(setup, "input", &s->input);
    oribi_quantized_attr_any(setup, "output", &s->output);
    oribi_quantized_activation(setup, &s->activation);
    s->filter_zero = oribi_quantized_int(setup, "filter_zero");
    oribi_kit_attr_bool(setup, "keep_num_dims", &state->keeps_rank);
    if (oribi_kit_setup_is_ok(setup)) {
        state->scales = oribi_quantized_scales(setup, &s->n_filter_scales);
        s->filter_scales = state->scales;
    }
}
ORIBI_KIT_CREATE(real, real_state)

static void real_destroy(void *state)
{
    if (state != NULL) {
        free(((real_state *)state)->scales);
        free(state);
    }
}

/* Sizes and constants; the shape of the result in out. */
static bool read_inputs(const real_state *state, oribi_kit_run *run,
                        struct oribi_micro_fully_connected_real_spec *s, oribi_cpu_shape *out)
{
    int32_t filter[2] = {0}, bias[1] = {0};
    int rank;
    if (!oribi_quantized_dims(run, 1, 2, 2, filter, &rank) ||
        !oribi_quantized_dims(run, 2, 1, 1, bias, &rank)) {
        return false;
    }
    const int64_t values = oribi_quantized_count(run, out);
    if (values < 0) {
        return false;
    }
    const bool fits = values > 0 && filter[1] > 0 && values % filter[1] == 0 &&
                      (!state->keeps_rank || (out->n >= 1 && out->at[out->n - 1] == filter[1]));
    if (!fits || bias[0] != filter[0] || filter[0] < 1) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "an input of shape %s does not consist of rows of %d values, or there "
            "are %d biases for %d channels",
            oribi_cpu_shape_text(out).chars, (int)filter[1], (int)bias[0], (int)filter[0]);
    }
    s->in_c = filter[1];
    s->out_c = filter[0];
    s->rows = (int32_t)(values / filter[1]);
    s->kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    s->filter_kind = oribi_quantized_kind(TF_TensorType(run->in[1]));
    s->filter = TF_TensorData(run->in[1]);
    s->bias = TF_TensorData(run->in[2]);
    s->bias_kind = TF_TensorType(run->in[2]) == TF_INT64 ? ORIBI_MICRO_S64 : ORIBI_MICRO_S32;
    if (state->keeps_rank) {
        out->at[out->n - 1] = s->out_c;
    } else {
        *out = (oribi_cpu_shape){.n = 2, .at = {s->rows, s->out_c}};
    }
    return true;
}

typedef struct real_call {
    struct oribi_micro_fully_connected_real_args args;
    const char *input;
    char *output;
    int64_t width; /* of an element */
} real_call;

/* A unit is one row. */
static void real_rows(void *object, int64_t begin, int64_t end)
{
    const real_call *call = object;
    struct oribi_micro_fully_connected_real_args args = call->args;
    args.rows = (int32_t)(end - begin);
    oribi_micro_fully_connected_real(&args, call->input + begin * args.in_c * call->width,
                                     call->output + begin * args.out_c * call->width);
}

static bool real_run(const real_state *state, oribi_kit_run *run)
{
    struct oribi_micro_fully_connected_real_spec spec = state->spec;
    struct oribi_micro_fully_connected_real_args args = {0};
    oribi_cpu_shape shape;
    TF_Tensor *tensor = NULL;
    if (!read_inputs(state, run, &spec, &shape)) {
        return false;
    }
    const int64_t n = spec.out_c;
    double *scale =
        oribi_kit_scratch(run, n * (int64_t)(sizeof(double) + sizeof(int32_t)), &tensor);
    const bool fits =
        scale != NULL &&
        oribi_quantized_check(run, oribi_micro_fully_connected_real_prepare(
                                       &spec, &args, (int32_t *)(void *)(scale + n), scale));
    void *output = fits ? oribi_kit_output(run, 0, shape.at, shape.n) : NULL;
    if (output != NULL) {
        real_call call = {args, TF_TensorData(run->in[0]), output,
                          spec.kind == ORIBI_MICRO_S16 ? 2 : 1};
        oribi_kit_parallel(run, spec.rows, n * spec.in_c, &call, real_rows);
    }
    if (tensor != NULL) {
        TF_DeleteTensor(tensor);
    }
    return output != NULL;
}
ORIBI_KIT_COMPUTE(real, 3)

const oribi_cpu_kernel oribi_cpu_quantized_real_kernels[] = {
    {.op_name = "Oribi>QRealFullyConnected",
     .types = {{"T", ORIBI_QUANTIZED_TYPES}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = real_create,
     .compute = real_compute,
     .destroy = real_destroy,
     .why = ORIBI_QUANTIZED_WHY},
    {.op_name = NULL},
};
