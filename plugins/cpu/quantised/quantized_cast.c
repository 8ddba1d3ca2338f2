/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QQuantize, Oribi>QDequantize and Oribi>QRequantize by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/quantize/dequantize.h"
#include "micro/element.h"
#include "micro/quantize/quantize.h"
#include "micro/quantize/requantize_prepare.h"

static void quantize_read(oribi_kit_setup *setup, struct oribi_micro_quantize_args *args)
{
    struct oribi_micro_quantisation output = {0};
    TF_DataType type = TF_INT8;
    oribi_kit_attr_type(setup, "T", &type);
    oribi_quantized_attr_any(setup, "output", &output);
    args->kind = oribi_quantized_kind(type);
    args->scale = output.scale;
    args->zero = output.zero;
    if (TF_GetCode(setup->status) == TF_OK) {
        (void)oribi_quantized_setup_check(
            setup, oribi_micro_kind_range(args->kind, output, &args->low, &args->high));
    }
}
ORIBI_KIT_CREATE(quantize, struct oribi_micro_quantize_args)

/* All values of input 0 by `call`, whose results have this type. */
static bool cast_run(oribi_kit_run *run, const void *args, TF_DataType type,
                     void (*call)(const void *, int32_t, const void *, void *))
{
    enum { CAST_CYCLES = 6 };
    oribi_cpu_shape shape;
    const int32_t count = oribi_quantized_count(run, &shape);
    void *output = count >= 0 ? oribi_kit_output(run, 0, shape.at, shape.n) : NULL;
    if (output != NULL) {
        const oribi_quantized_each each = {args,
                                           call,
                                           TF_TensorData(run->in[0]),
                                           output,
                                           (int64_t)TF_DataTypeSize(TF_TensorType(run->in[0])),
                                           (int64_t)TF_DataTypeSize(type)};
        oribi_quantized_run_each(run, &each, count, CAST_CYCLES);
    }
    return output != NULL;
}

static void quantize_call(const void *all, int32_t count, const void *x, void *y)
{
    struct oribi_micro_quantize_args args = *(const struct oribi_micro_quantize_args *)all;
    args.count = count;
    oribi_micro_quantize(&args, x, y);
}

static bool quantize_run(const struct oribi_micro_quantize_args *args, oribi_kit_run *run)
{
    return cast_run(run, args, TF_ExpectedOutputDataType(run->context, 0), quantize_call);
}
ORIBI_KIT_COMPUTE(quantize, 1)

static void dequantize_read(oribi_kit_setup *setup, struct oribi_micro_quantisation *state)
{
    TF_DataType type = TF_INT8;
    int32_t low, high;
    oribi_kit_attr_type(setup, "T", &type);
    oribi_quantized_attr_any(setup, "input", state);
    if (TF_GetCode(setup->status) == TF_OK) {
        (void)oribi_quantized_setup_check(
            setup, oribi_micro_kind_range(oribi_quantized_kind(type), *state, &low, &high));
    }
}
ORIBI_KIT_CREATE(dequantize, struct oribi_micro_quantisation)

static void dequantize_call(const void *all, int32_t count, const void *x, void *y)
{
    struct oribi_micro_dequantize_args args = *(const struct oribi_micro_dequantize_args *)all;
    args.count = count;
    oribi_micro_dequantize(&args, x, y);
}

static bool dequantize_run(const struct oribi_micro_quantisation *state, oribi_kit_run *run)
{
    const struct oribi_micro_dequantize_args args = {
        0, oribi_quantized_kind(TF_TensorType(run->in[0])), state->scale, state->zero};
    return cast_run(run, &args, TF_FLOAT, dequantize_call);
}
ORIBI_KIT_COMPUTE(dequantize, 1)

static void requantize_read(oribi_kit_setup *setup, struct oribi_micro_requantize_args *args)
{
    TF_DataType from = TF_INT8, to = TF_INT8;
    struct oribi_micro_requantize_spec spec = {0};
    oribi_kit_attr_type(setup, "T", &from);
    oribi_kit_attr_type(setup, "Tout", &to);
    oribi_quantized_attr_any(setup, "input", &spec.input);
    oribi_quantized_attr_any(setup, "output", &spec.output);
    spec.in_kind = oribi_quantized_kind(from);
    spec.out_kind = oribi_quantized_kind(to);
    if (TF_GetCode(setup->status) == TF_OK) {
        (void)oribi_quantized_setup_check(setup, oribi_micro_requantize_prepare(&spec, args));
    }
}
ORIBI_KIT_CREATE(requantize, struct oribi_micro_requantize_args)

static void requantize_call(const void *all, int32_t count, const void *x, void *y)
{
    struct oribi_micro_requantize_args args = *(const struct oribi_micro_requantize_args *)all;
    args.count = count;
    oribi_micro_requantize(&args, x, y);
}

static bool requantize_run(const struct oribi_micro_requantize_args *args, oribi_kit_run *run)
{
    return cast_run(run, args, TF_ExpectedOutputDataType(run->context, 0), requantize_call);
}
ORIBI_KIT_COMPUTE(requantize, 1)

const oribi_cpu_kernel oribi_cpu_quantized_cast_kernels[] = {
    ORIBI_QUANTIZED_ROW("Oribi>QQuantize", quantize, quantize, {"T", ORIBI_QUANTIZED_TYPES}),
    ORIBI_QUANTIZED_ROW("Oribi>QDequantize", dequantize, dequantize, {"T", ORIBI_QUANTIZED_TYPES}),
    ORIBI_QUANTIZED_ROW("Oribi>QRequantize", requantize, requantize,
                        {"T", ORIBI_QUANTIZED_TYPES | ORIBI_KIT_TYPE(TF_INT32)},
                        {"Tout", ORIBI_QUANTIZED_TYPES | ORIBI_KIT_TYPE(TF_INT32)}),
    {.op_name = NULL},
};
