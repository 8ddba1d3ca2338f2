/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QCumsum and Oribi>QLogSoftmax by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/index/cumsum_s8_prepare.h"
#include "micro/norm/log_softmax_8_prepare.h"

/* --- Running sums ----------------------------------------------------------------------------- */

static void cumsum_read(oribi_kit_setup *setup, struct oribi_micro_cumsum_s8_args *args)
{
    struct oribi_micro_quantisation input = {0}, output = {0};
    bool exclusive = false, reverse = false;
    oribi_quantized_attr(setup, "input", &input);
    oribi_quantized_attr(setup, "output", &output);
    oribi_kit_attr_bool(setup, "exclusive", &exclusive);
    oribi_kit_attr_bool(setup, "reverse", &reverse);
    args->exclusive = exclusive;
    args->reverse = reverse;
    if (TF_GetCode(setup->status) == TF_OK) {
        (void)oribi_quantized_setup_check(setup,
                                          oribi_micro_cumsum_s8_prepare(input, output, args));
    }
}
ORIBI_KIT_CREATE(cumsum, struct oribi_micro_cumsum_s8_args)

static void cumsum_planes(const void *all, int32_t planes, const void *x, void *y)
{
    struct oribi_micro_cumsum_s8_args args = *(const struct oribi_micro_cumsum_s8_args *)all;
    args.outer = planes;
    oribi_micro_cumsum_s8(&args, x, y);
}

static bool cumsum_run(const struct oribi_micro_cumsum_s8_args *state, oribi_kit_run *run)
{
    struct oribi_micro_cumsum_s8_args args = *state;
    oribi_cpu_shape shape;
    int64_t given = 0;
    int axis = 0;
    const int32_t count = oribi_quantized_count(run, &shape);
    if (count < 0 || !oribi_cpu_read_int(run, 1, "axis", &given)) {
        return false;
    }
    if (shape.n == 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "a scalar has no axis %lld",
                              (long long)given);
    }
    if (!oribi_cpu_axis(run, given, shape.n, &axis)) {
        return false;
    }
    const void *x = TF_TensorData(run->in[0]);
    void *y = oribi_kit_output_in_place(run, (const int[]){0}, 1, shape.at, shape.n);
    if (y != NULL && count > 0) {
        args.n = (int32_t)shape.at[axis];
        args.inner = (int32_t)oribi_cpu_product(shape.at + axis + 1, shape.n - axis - 1);
        const int64_t plane = (int64_t)args.n * args.inner;
        const oribi_quantized_each each = {&args, cumsum_planes, x, y, plane, plane};
        oribi_quantized_run_each(run, &each, count / plane, plane * 8);
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(cumsum, 2)

/* --- Logarithms of softmax -------------------------------------------------------------------- */

static void log_softmax_read(oribi_kit_setup *setup, struct oribi_micro_softmax_spec *spec)
{
    oribi_quantized_attr_any(setup, "input", &spec->input);
    oribi_quantized_attr_any(setup, "output", &spec->output);
    spec->beta = 1.0F;
}
ORIBI_KIT_CREATE(log_softmax, struct oribi_micro_softmax_spec)

static void log_softmax_rows(const void *all, int32_t rows, const void *x, void *y)
{
    struct oribi_micro_log_softmax_8_args args =
        *(const struct oribi_micro_log_softmax_8_args *)all;
    args.rows = rows;
    oribi_micro_log_softmax_8(&args, x, y);
}

static bool log_softmax_run(const struct oribi_micro_softmax_spec *state, oribi_kit_run *run)
{
    struct oribi_micro_softmax_spec spec = *state;
    struct oribi_micro_log_softmax_8_args args;
    oribi_cpu_shape shape;
    const int32_t values = oribi_quantized_count(run, &shape);
    if (values < 0) {
        return false;
    }
    const int64_t columns = shape.n < 1 ? 1 : shape.at[shape.n - 1];
    spec.kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    spec.columns = (int32_t)(columns < INT32_MAX ? columns : INT32_MAX);
    spec.rows = columns < 1 ? 0 : (int32_t)(values / columns);
    if (values > 0 &&
        !oribi_quantized_check(run, oribi_micro_log_softmax_8_prepare(&spec, &args))) {
        return false;
    }
    const void *x = TF_TensorData(run->in[0]);
    void *y = oribi_kit_output_in_place(run, (const int[]){0}, 1, shape.at, shape.n);
    if (y != NULL && values > 0) {
        const oribi_quantized_each each = {&args, log_softmax_rows, x, y, columns, columns};
        oribi_quantized_run_each(run, &each, spec.rows, columns * 40);
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(log_softmax, 1)

const oribi_cpu_kernel oribi_cpu_quantized_sums_kernels[] = {
    ORIBI_QUANTIZED_ROW("Oribi>QCumsum", cumsum, cumsum, {"T", ORIBI_KIT_TYPE(TF_INT8)}),
    ORIBI_QUANTIZED_ROW("Oribi>QLogSoftmax", log_softmax, log_softmax,
                        {"T", ORIBI_QUANTIZED_BYTES}),
    {.op_name = NULL},
};
