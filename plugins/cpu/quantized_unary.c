/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QSoftmax and Oribi>QUnary by micro/'s kernels. */
#include "cpu/families.h"
#include "cpu/quantized.h"

#include "micro/lookup_8.h"
#include "micro/softmax_s8_prepare.h"
#include "micro/unary_8_prepare.h"

#include <string.h>

static void *softmax_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    struct oribi_micro_softmax_s8_spec *spec =
        oribi_cpu_setup_begin(&setup, construction, sizeof *spec);
    if (spec != NULL) {
        oribi_quantized_attr(&setup, "input", &spec->input);
        oribi_quantized_attr(&setup, "output", &spec->output);
        oribi_cpu_attr_float(&setup, "beta", &spec->beta);
    }
    return oribi_cpu_setup_end(&setup);
}

static bool softmax_run(const struct oribi_micro_softmax_s8_spec *state, oribi_cpu_run *run)
{
    struct oribi_micro_softmax_s8_spec spec = *state;
    struct oribi_micro_softmax_s8_args args;
    oribi_cpu_shape shape;
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    const int64_t values = oribi_cpu_product(shape.dims, shape.rank);
    const int64_t columns = shape.rank < 1 ? 1 : shape.dims[shape.rank - 1];
    if (values < 1 || values > INT32_MAX) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "softmax of shape %s",
                              oribi_cpu_shape_text(&shape).chars);
    }
    spec.columns = (int32_t)columns;
    spec.rows = (int32_t)(values / columns);
    if (!oribi_quantized_check(run, oribi_micro_softmax_s8_prepare(&spec, &args))) {
        return false;
    }
    const int8_t *input = TF_TensorData(run->in[0]);
    int8_t *output = oribi_cpu_output_in_place(run, (const int[]){0}, 1, shape.dims, shape.rank);
    if (output != NULL) {
        oribi_micro_softmax_s8(&args, input, output, NULL);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(softmax, 1)

/* --- Tables ---------------------------------------------------------------------------------- */

static void read_function(oribi_cpu_setup *setup, int32_t *out)
{
    static const char *const names[] = {
        [ORIBI_MICRO_UNARY_RELU] = "RELU",
        [ORIBI_MICRO_UNARY_RELU6] = "RELU6",
        [ORIBI_MICRO_UNARY_RELU_N1_TO_1] = "RELU_N1_TO_1",
        [ORIBI_MICRO_UNARY_LOGISTIC] = "LOGISTIC",
        [ORIBI_MICRO_UNARY_TANH] = "TANH",
        [ORIBI_MICRO_UNARY_HARD_SWISH] = "HARD_SWISH",
        [ORIBI_MICRO_UNARY_LEAKY_RELU] = "LEAKY_RELU",
        [ORIBI_MICRO_UNARY_REQUANTIZE] = "REQUANTIZE",
    };
    char name[32] = "";
    oribi_cpu_attr_string(setup, "function", name, sizeof name);
    for (int32_t i = 0; i < ORIBI_MICRO_UNARY_FUNCTIONS; i++) {
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return;
        }
    }
    if (TF_GetCode(setup->status) == TF_OK) {
        (void)oribi_cpu_setup_fail(setup, TF_UNIMPLEMENTED, "%s of int8 is not there", name);
    }
}

typedef struct unary_state {
    uint8_t table[256];
} unary_state;

static void *unary_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    unary_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    struct oribi_micro_unary_8_spec spec = {0};
    TF_DataType type = TF_INT8;
    if (state != NULL) {
        oribi_cpu_attr_type(&setup, "T", &type);
        spec.in_unsigned = spec.out_unsigned = type == TF_UINT8 ? 1 : 0;
        oribi_quantized_attr_any(&setup, "input", &spec.input);
        oribi_quantized_attr_any(&setup, "output", &spec.output);
        oribi_quantized_variant(&setup, &spec.variant);
        oribi_cpu_attr_float(&setup, "alpha", &spec.alpha);
        read_function(&setup, &spec.function);
        if (TF_GetCode(setup.status) == TF_OK) {
            (void)oribi_quantized_setup_check(&setup,
                                              oribi_micro_unary_8_table(&spec, state->table));
        }
    }
    return oribi_cpu_setup_end(&setup);
}

static bool unary_run(const unary_state *state, oribi_cpu_run *run)
{
    oribi_cpu_shape shape;
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    const int64_t values = oribi_cpu_product(shape.dims, shape.rank);
    if (values > INT32_MAX) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "a tensor of 2^31 values or more");
    }
    const struct oribi_micro_lookup_8_args args = {(int32_t)values, state->table};
    const void *input = TF_TensorData(run->in[0]);
    void *output = oribi_cpu_output_in_place(run, (const int[]){0}, 1, shape.dims, shape.rank);
    if (output != NULL) {
        oribi_micro_lookup_8(&args, input, output);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(unary, 1)

const oribi_cpu_kernel oribi_cpu_quantized_unary_kernels[] = {
    {.op_name = "Oribi>QUnary",
     .types = {{"T", ORIBI_CPU_TYPE(TF_INT8) | ORIBI_CPU_TYPE(TF_UINT8)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = unary_create,
     .compute = unary_compute,
     .destroy = oribi_cpu_free,
     .why = "a table of micro/'s scalar truth"},
    {.op_name = "Oribi>QSoftmax",
     .types = {{"T", ORIBI_CPU_TYPE(TF_INT8)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = softmax_create,
     .compute = softmax_compute,
     .destroy = oribi_cpu_free,
     .why = "the arithmetic of micro/, bit for bit"},
    {.op_name = NULL},
};
