/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QQuantize, Oribi>QDequantize and Oribi>QRequantize by micro/'s kernels. */
#include "cpu/families.h"
#include "cpu/quantized.h"

#include "micro/dequantize.h"
#include "micro/element.h"
#include "micro/quantize.h"
#include "micro/requantize_prepare.h"

static void *quantize_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    struct oribi_micro_quantize_args *args =
        oribi_cpu_setup_begin(&setup, construction, sizeof *args);
    struct oribi_micro_quantisation output = {0};
    TF_DataType type = TF_INT8;
    if (args != NULL) {
        oribi_cpu_attr_type(&setup, "T", &type);
        oribi_quantized_attr_any(&setup, "output", &output);
        args->kind = oribi_quantized_kind(type);
        args->scale = output.scale;
        args->zero = output.zero;
        if (TF_GetCode(setup.status) == TF_OK) {
            (void)oribi_quantized_setup_check(
                &setup, oribi_micro_kind_range(args->kind, output, &args->low, &args->high));
        }
    }
    return oribi_cpu_setup_end(&setup);
}

static bool quantize_run(const struct oribi_micro_quantize_args *state, oribi_cpu_run *run)
{
    struct oribi_micro_quantize_args args = *state;
    oribi_cpu_shape shape;
    args.count = oribi_quantized_count(run, &shape);
    void *output = args.count >= 0 ? oribi_cpu_output(run, 0, shape.at, shape.n) : NULL;
    if (output != NULL) {
        oribi_micro_quantize(&args, TF_TensorData(run->in[0]), output);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(quantize, 1)

static void *dequantize_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    struct oribi_micro_quantisation *state =
        oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    TF_DataType type = TF_INT8;
    int32_t low, high;
    if (state != NULL) {
        oribi_cpu_attr_type(&setup, "T", &type);
        oribi_quantized_attr_any(&setup, "input", state);
        if (TF_GetCode(setup.status) == TF_OK) {
            (void)oribi_quantized_setup_check(
                &setup, oribi_micro_kind_range(oribi_quantized_kind(type), *state, &low, &high));
        }
    }
    return oribi_cpu_setup_end(&setup);
}

static bool dequantize_run(const struct oribi_micro_quantisation *state, oribi_cpu_run *run)
{
    oribi_cpu_shape shape;
    const int32_t n = oribi_quantized_count(run, &shape);
    const struct oribi_micro_dequantize_args args = {
        n, oribi_quantized_kind(TF_TensorType(run->in[0])), state->scale, state->zero};
    float *output = n >= 0 ? oribi_cpu_output(run, 0, shape.at, shape.n) : NULL;
    if (output != NULL) {
        oribi_micro_dequantize(&args, TF_TensorData(run->in[0]), output);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(dequantize, 1)

static void *requantize_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    struct oribi_micro_requantize_args *args =
        oribi_cpu_setup_begin(&setup, construction, sizeof *args);
    TF_DataType from = TF_INT8, to = TF_INT8;
    struct oribi_micro_requantize_spec spec = {0};
    if (args != NULL) {
        oribi_cpu_attr_type(&setup, "T", &from);
        oribi_cpu_attr_type(&setup, "Tout", &to);
        oribi_quantized_attr_any(&setup, "input", &spec.input);
        oribi_quantized_attr_any(&setup, "output", &spec.output);
        spec.in_kind = oribi_quantized_kind(from);
        spec.out_kind = oribi_quantized_kind(to);
        if (TF_GetCode(setup.status) == TF_OK) {
            (void)oribi_quantized_setup_check(&setup, oribi_micro_requantize_prepare(&spec, args));
        }
    }
    return oribi_cpu_setup_end(&setup);
}

static bool requantize_run(const struct oribi_micro_requantize_args *state, oribi_cpu_run *run)
{
    struct oribi_micro_requantize_args args = *state;
    oribi_cpu_shape shape;
    args.count = oribi_quantized_count(run, &shape);
    void *output = args.count >= 0 ? oribi_cpu_output(run, 0, shape.at, shape.n) : NULL;
    if (output != NULL) {
        oribi_micro_requantize(&args, TF_TensorData(run->in[0]), output);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(requantize, 1)

#define ROW(op, fn, ...)                                                                           \
    {                                                                                              \
        .op_name = op, .types = {__VA_ARGS__}, .priority = ORIBI_CPU_REFERENCE,                    \
        .create = fn##_create, .compute = fn##_compute, .destroy = oribi_cpu_free,                 \
        .why = "the arithmetic of micro/, bit for bit"                                             \
    }
const oribi_cpu_kernel oribi_cpu_quantized_cast_kernels[] = {
    ROW("Oribi>QQuantize", quantize, {"T", ORIBI_QUANTIZED_TYPES}),
    ROW("Oribi>QDequantize", dequantize, {"T", ORIBI_QUANTIZED_TYPES}),
    ROW("Oribi>QRequantize", requantize, {"T", ORIBI_QUANTIZED_TYPES},
        {"Tout", ORIBI_QUANTIZED_TYPES}),
    {.op_name = NULL},
};
