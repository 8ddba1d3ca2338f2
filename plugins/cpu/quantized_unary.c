/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QSoftmax by micro/'s kernel. */
#include "cpu/families.h"
#include "cpu/quantized.h"

#include "micro/softmax_s8_prepare.h"

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

const oribi_cpu_kernel oribi_cpu_quantized_unary_kernels[] = {
    {.op_name = "Oribi>QSoftmax",
     .types = {{"T", ORIBI_CPU_TYPE(TF_INT8)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = softmax_create,
     .compute = softmax_compute,
     .destroy = oribi_cpu_free,
     .why = "the arithmetic of micro/, bit for bit"},
    {.op_name = NULL},
};
