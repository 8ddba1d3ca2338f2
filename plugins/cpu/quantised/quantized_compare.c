/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QCompare and Oribi>QL2Normalize by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/element.h"
#include "micro/binary/compare_q_prepare.h"
#include "micro/norm/l2_normalize_8.h"

typedef struct compare_state {
    struct oribi_micro_binary_q_spec spec; /* dims unset */
    int32_t comparison;
} compare_state;

static void compare_read(oribi_kit_setup *setup, compare_state *state)
{
    oribi_quantized_attr_any(setup, "a", &state->spec.a);
    oribi_quantized_attr_any(setup, "b", &state->spec.b);
    oribi_quantized_word(setup, "comparison", oribi_micro_comparison_words(),
                         ORIBI_MICRO_COMPARISONS, &state->comparison);
}
ORIBI_KIT_CREATE(compare, compare_state)

static void compare_call(const void *all, const struct oribi_micro_broadcast *shape, const void *a,
                         const void *b, void *y)
{
    struct oribi_micro_compare_q_args args = *(const struct oribi_micro_compare_q_args *)all;
    args.shape = *shape;
    oribi_micro_compare_q(&args, a, b, y);
}

static bool compare_run(const compare_state *state, oribi_kit_run *run)
{
    struct oribi_micro_binary_q_spec spec = state->spec;
    struct oribi_micro_compare_q_args args;
    oribi_quantized_operands in;
    if (!oribi_quantized_operands_take(run, 0, &in)) {
        return false;
    }
    spec.a_dims = in.a.at;
    spec.a_rank = in.a.n;
    spec.b_dims = in.b.at;
    spec.b_rank = in.b.n;
    spec.kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    if (!oribi_quantized_check(run, oribi_micro_compare_q_prepare(&spec, &args))) {
        return false;
    }
    args.comparison = state->comparison;
    void *output = oribi_kit_output(run, 0, in.y.at, in.y.n);
    if (output != NULL) {
        const oribi_quantized_pairs pairs = {
            &args, &args.shape, compare_call, in.a_data, in.b_data, output, 1, false};
        oribi_quantized_run_pairs(run, &pairs);
    }
    return output != NULL;
}
ORIBI_KIT_COMPUTE(compare, 2)

/* --- Norms ------------------------------------------------------------------------------------ */

static void norm_read(oribi_kit_setup *setup, struct oribi_micro_l2_normalize_8_args *args)
{
    TF_DataType type = TF_INT8;
    int64_t zero = 0;
    oribi_kit_attr_type(setup, "T", &type);
    oribi_kit_attr_int(setup, "input_zero", &zero);
    args->is_unsigned = type == TF_UINT8 ? 1 : 0;
    args->input_zero = (int32_t)zero;
    const struct oribi_micro_quantisation q = {1.0F, args->input_zero};
    if (TF_GetCode(setup->status) == TF_OK) {
        (void)oribi_quantized_setup_check(setup,
                                          zero < INT8_MIN || zero > UINT8_MAX
                                              ? ORIBI_MICRO_INVALID
                                              : oribi_micro_check(oribi_quantized_kind(type), q));
    }
}
ORIBI_KIT_CREATE(norm, struct oribi_micro_l2_normalize_8_args)

static void norm_rows(const void *all, int32_t rows, const void *x, void *y)
{
    struct oribi_micro_l2_normalize_8_args args =
        *(const struct oribi_micro_l2_normalize_8_args *)all;
    args.rows = rows;
    oribi_micro_l2_normalize_8(&args, x, y);
}

static bool norm_run(const struct oribi_micro_l2_normalize_8_args *state, oribi_kit_run *run)
{
    enum { MOST_COLUMNS = 32768 };
    struct oribi_micro_l2_normalize_8_args args = *state;
    oribi_cpu_shape shape;
    const int32_t values = oribi_quantized_count(run, &shape);
    if (values < 0) {
        return false;
    }
    const int64_t columns = shape.n < 1 ? 1 : shape.at[shape.n - 1];
    if (columns > MOST_COLUMNS) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "rows of %lld values are too long: %d are possible",
                              (long long)columns, (int)MOST_COLUMNS);
    }
    args.columns = (int32_t)columns;
    const void *input = TF_TensorData(run->in[0]);
    void *output = oribi_kit_output_in_place(run, (const int[]){0}, 1, shape.at, shape.n);
    if (output != NULL && values > 0) {
        const oribi_quantized_each each = {&args, norm_rows, input, output, columns, columns};
        oribi_quantized_run_each(run, &each, values / columns, columns * 8);
    }
    return output != NULL;
}
ORIBI_KIT_COMPUTE(norm, 1)

const oribi_cpu_kernel oribi_cpu_quantized_compare_kernels[] = {
    ORIBI_QUANTIZED_ROW("Oribi>QCompare", compare, compare, {"T", ORIBI_QUANTIZED_BYTES}),
    ORIBI_QUANTIZED_ROW("Oribi>QL2Normalize", norm, norm, {"T", ORIBI_QUANTIZED_BYTES}),
    {.op_name = NULL},
};
