/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QFullyConnected by micro/'s kernel: rows of inputs, whatever the input's rank. */
#include "cpu/families.h"
#include "cpu/quantized.h"

#include "micro/fully_connected_s8_prepare.h"

#include <stdlib.h>

typedef struct dense_state {
    oribi_quantized_weights weights;
    struct oribi_micro_fully_connected_s8_spec spec;
    struct oribi_micro_fully_connected_s8_args args;
    bool keeps_rank;
} dense_state;

static void *dense_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    dense_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_quantized_attr(&setup, "input", &state->spec.input);
        oribi_quantized_attr(&setup, "output", &state->spec.output);
        oribi_quantized_activation(&setup, &state->spec.activation);
        oribi_cpu_attr_bool(&setup, "keep_num_dims", &state->keeps_rank);
        oribi_quantized_weights_take(&setup, 2, 0, &state->weights);
    }
    if (state != NULL && TF_GetCode(setup.status) == TF_OK) {
        const oribi_quantized_weights *w = &state->weights;
        state->spec.in_c = w->filter_dims[1];
        state->spec.out_c = w->filter_dims[0];
        state->spec.filter = w->filter;
        state->spec.bias = w->bias;
        state->spec.filter_scales = w->scales;
        state->spec.n_filter_scales = w->n_scales;
        (void)oribi_quantized_setup_check(
            &setup, oribi_micro_fully_connected_s8_prepare(&state->spec, &state->args, w->folded,
                                                           w->multiplier, w->shift));
    }
    return oribi_cpu_setup_end(&setup);
}

static void dense_destroy(void *state)
{
    if (state != NULL) {
        oribi_quantized_weights_free(&((dense_state *)state)->weights);
        free(state);
    }
}

static bool dense_run(const dense_state *state, oribi_cpu_run *run)
{
    struct oribi_micro_fully_connected_s8_args args = state->args;
    oribi_cpu_shape shape;
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    const int64_t values = oribi_cpu_product(shape.dims, shape.rank);
    const bool fits =
        values > 0 && values <= INT32_MAX && values % args.in_c == 0 &&
        (!state->keeps_rank || (shape.rank >= 1 && shape.dims[shape.rank - 1] == args.in_c));
    if (!fits) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "an input of shape %s does not consist of rows of %d values",
                              oribi_cpu_shape_text(&shape).chars, (int)args.in_c);
    }
    const int32_t rows = (int32_t)(values / args.in_c);
    if (!oribi_quantized_check(run,
                               oribi_micro_fully_connected_s8_resize(&state->spec, rows, &args))) {
        return false;
    }
    if (state->keeps_rank) {
        shape.dims[shape.rank - 1] = args.out_c;
    } else {
        shape = (oribi_cpu_shape){.rank = 2, .dims = {rows, args.out_c}};
    }
    int8_t *output = oribi_cpu_output(run, 0, shape.dims, shape.rank);
    if (output != NULL) {
        oribi_micro_fully_connected_s8(&args, TF_TensorData(run->in[0]), output, NULL);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(dense, 1)

const oribi_cpu_kernel oribi_cpu_quantized_dense_kernels[] = {
    {.op_name = "Oribi>QFullyConnected",
     .types = {{"T", ORIBI_CPU_TYPE(TF_INT8)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = dense_create,
     .compute = dense_compute,
     .destroy = dense_destroy,
     .why = "the arithmetic of micro/, bit for bit"},
    {.op_name = NULL},
};
