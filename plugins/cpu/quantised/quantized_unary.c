/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QSoftmax, Oribi>QWideSoftmax and Oribi>QUnary by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/bytes.h"

#include "micro/element.h"
#include "micro/norm/softmax_s16_prepare.h"
#include "micro/elementwise/unary_8_prepare.h"

#include <string.h>

static void softmax_read(oribi_kit_setup *setup, struct oribi_micro_softmax_spec *spec)
{
    oribi_quantized_attr_any(setup, "input", &spec->input);
    oribi_quantized_attr_any(setup, "output", &spec->output);
    oribi_quantized_variant(setup, &spec->variant);
    oribi_kit_attr_float(setup, "beta", &spec->beta);
}
ORIBI_KIT_CREATE(softmax, struct oribi_micro_softmax_spec)

typedef struct softmax_args {
    int32_t kind;
    bool is_wide; /* of bytes into int16 */
    union {
        struct oribi_micro_softmax_8_args bytes;
        struct oribi_micro_softmax_s16_args s16;
        struct oribi_micro_softmax_wide_args wide;
    } u;
} softmax_args;

static int32_t softmax_prepare(const struct oribi_micro_softmax_spec *spec, softmax_args *args)
{
    args->kind = spec->kind;
    if (args->is_wide) {
        return oribi_micro_softmax_wide_prepare(spec, &args->u.wide);
    }
    return spec->kind == ORIBI_MICRO_S16 ? oribi_micro_softmax_s16_prepare(spec, &args->u.s16)
                                         : oribi_micro_softmax_8_prepare(spec, &args->u.bytes);
}

static void softmax_rows(const void *all, int32_t rows, const void *input, void *output)
{
    softmax_args args = *(const softmax_args *)all;
    if (args.is_wide) {
        args.u.wide.rows = rows;
        oribi_micro_softmax_wide(&args.u.wide, input, output);
        return;
    }
    if (args.kind == ORIBI_MICRO_S16) {
        args.u.s16.rows = rows;
        oribi_micro_softmax_s16(&args.u.s16, input, output);
        return;
    }
    args.u.bytes.rows = rows;
    if (args.kind == ORIBI_MICRO_U8) {
        oribi_micro_softmax_u8(&args.u.bytes, input, output, NULL);
    } else {
        oribi_micro_softmax_s8(&args.u.bytes, input, output, NULL);
    }
}

static bool run_softmax(const struct oribi_micro_softmax_spec *state, oribi_kit_run *run,
                        bool is_wide)
{
    struct oribi_micro_softmax_spec spec = *state;
    softmax_args args = {.is_wide = is_wide};
    oribi_cpu_shape shape;
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    const int64_t values = oribi_cpu_product(shape.at, shape.n);
    const int64_t columns = shape.n < 1 ? 1 : shape.at[shape.n - 1];
    if (values < 1 || values > INT32_MAX) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "softmax does not support shape %s",
                              oribi_cpu_shape_text(&shape).chars);
    }
    spec.kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    spec.columns = (int32_t)columns;
    spec.rows = (int32_t)(values / columns);
    if (!oribi_quantized_check(run, softmax_prepare(&spec, &args))) {
        return false;
    }
    const void *input = TF_TensorData(run->in[0]);
    void *output = is_wide ? oribi_kit_output(run, 0, shape.at, shape.n)
                           : oribi_kit_output_in_place(run, (const int[]){0}, 1, shape.at, shape.n);
    if (output != NULL) {
        const int64_t bytes = columns * (spec.kind == ORIBI_MICRO_S16 ? 2 : 1);
        const int64_t out_bytes = is_wide ? 2 * bytes : bytes;
        const oribi_quantized_each each = {&args, softmax_rows, input, output, bytes, out_bytes};
        oribi_quantized_run_each(run, &each, spec.rows, columns * 40);
    }
    return output != NULL;
}

static bool softmax_run(const struct oribi_micro_softmax_spec *state, oribi_kit_run *run)
{
    return run_softmax(state, run, false);
}
ORIBI_KIT_COMPUTE(softmax, 1)

static bool wide_softmax_run(const struct oribi_micro_softmax_spec *state, oribi_kit_run *run)
{
    return run_softmax(state, run, true);
}
ORIBI_KIT_COMPUTE(wide_softmax, 1)

/* --- Tables of bytes ------------------------------------------------------------------------- */

static void unary_read(oribi_kit_setup *setup, oribi_byte_table *state)
{
    struct oribi_micro_unary_8_spec spec = {0};
    TF_DataType type = TF_INT8;
    oribi_kit_attr_type(setup, "T", &type);
    spec.in_unsigned = spec.out_unsigned = type == TF_UINT8 ? 1 : 0;
    oribi_quantized_attr_any(setup, "input", &spec.input);
    oribi_quantized_attr_any(setup, "output", &spec.output);
    oribi_quantized_variant(setup, &spec.variant);
    oribi_kit_attr_float(setup, "alpha", &spec.alpha);
    oribi_quantized_function(setup, &spec.function);
    if (TF_GetCode(setup->status) == TF_OK) {
        (void)oribi_quantized_setup_check(setup, oribi_micro_unary_8_table(&spec, state->values));
    }
}
ORIBI_KIT_CREATE(unary, oribi_byte_table)

void *oribi_unary_create(TF_OpKernelConstruction *construction)
{
    return unary_create(construction);
}

static bool unary_run(const oribi_byte_table *state, oribi_kit_run *run)
{
    return oribi_quantized_lookup(run, state, oribi_micro_lookup_8);
}
ORIBI_KIT_COMPUTE(unary, 1)

const oribi_cpu_kernel oribi_cpu_quantized_unary_kernels[] = {
    {.op_name = "Oribi>QUnary",
     .types = {{"T", ORIBI_QUANTIZED_BYTES}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = unary_create,
     .compute = unary_compute,
     .destroy = oribi_kit_free,
     .why = "a table of micro/'s scalar truth"},
    ORIBI_QUANTIZED_ROW("Oribi>QSoftmax", softmax, softmax, {"T", ORIBI_QUANTIZED_TYPES}),
    ORIBI_QUANTIZED_ROW("Oribi>QWideSoftmax", softmax, wide_softmax, {"T", ORIBI_QUANTIZED_BYTES}),
    {.op_name = NULL},
};
