/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QMean, Oribi>QSum, Oribi>QProd, Oribi>QPRelu and Oribi>QBatchMatMul by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/dense/batch_matmul_q_prepare.h"
#include "micro/elementwise/prelu_q_prepare.h"
#include "micro/element.h"
#include "micro/fixed_point.h"
#include "micro/reduce/reduce_q_prepare.h"

/* --- Means, sums and products
 * -------------------------------------------------------------------------- */

typedef struct reduce_state {
    struct oribi_micro_reduce_q_spec spec; /* sizes unset */
    bool keeps_dims;
} reduce_state;

static void reduce_read(oribi_kit_setup *setup, reduce_state *state)
{
    oribi_quantized_attr_any(setup, "input", &state->spec.input);
    oribi_quantized_attr_any(setup, "output", &state->spec.output);
    oribi_kit_attr_bool(setup, "keep_dims", &state->keeps_dims);
}
ORIBI_KIT_CREATE(reduce, reduce_state)

static bool mark_axes(oribi_kit_run *run, int rank, uint32_t *out_summed)
{
    const int32_t *axes = TF_TensorData(run->in[1]);
    const int64_t n = TF_TensorElementCount(run->in[1]);
    *out_summed = 0;
    for (int64_t i = 0; i < n; i++) {
        const int32_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
        if (axis < 0 || axis >= rank) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "axis %d does not exist in a tensor of rank %d", (int)axes[i],
                                  rank);
        }
        *out_summed |= 1U << axis;
    }
    return true;
}

typedef struct reduce_call {
    const struct oribi_micro_reduce_q_args *args;
    const char *input;
    char *output;
    int64_t inner; /* results of one place along the outermost dimension that is kept */
    int64_t width;
    int32_t function;
} reduce_call;

/* Do channels lie side by side, so that vectors add them? */
static bool is_by_channels(const struct oribi_micro_reduce_q_args *a)
{
    const int32_t last = a->kept.rank - 1;
    return a->summed.rank == 1 && last <= 1 && a->kept.step[last] == 1;
}

/* As oribi_quantized_add_rows. */
#define ADD_ROWS(name, type)                                                                       \
    static void name(const type *restrict from, int64_t step, int64_t rows, int32_t n,             \
                     int32_t *restrict sums)                                                       \
    {                                                                                              \
        for (int64_t row = 0; row < rows; row++, from += step) {                                   \
            for (int32_t k = 0; k < n; k++) {                                                      \
                sums[k] += from[k];                                                                \
            }                                                                                      \
        }                                                                                          \
    }
ADD_ROWS(add_rows_u8, uint8_t)
ADD_ROWS(add_rows_s16, int16_t)

/* Adds n neighbours from value `at` on. */
static void add_rows(const struct oribi_micro_reduce_q_args *a, const void *input, int64_t at,
                     int32_t n, int32_t *sums)
{
    const int64_t step = a->summed.step[0], rows = a->summed.dims[0];
    if (a->kind == ORIBI_MICRO_S8) {
        oribi_quantized_add_rows((const int8_t *)input + at, step, rows, n, sums);
    } else if (a->kind == ORIBI_MICRO_S16) {
        add_rows_s16((const int16_t *)input + at, step, rows, n, sums);
    } else {
        add_rows_u8((const uint8_t *)input + at, step, rows, n, sums);
    }
}

/* oribi_micro_reduce_s8, or oribi_micro_wide_reduce, of such sums. */
static void reduce_channels(const struct oribi_micro_reduce_q_args *a, const void *input,
                            void *output)
{
    const int32_t last = a->kept.rank - 1, channels = a->kept.dims[last];
    for (int32_t i = 0; i < (last == 0 ? 1 : a->kept.dims[0]); i++) {
        for (int32_t c = 0; c < channels; c += ORIBI_QUANTIZED_SUMS) {
            int32_t sums[ORIBI_QUANTIZED_SUMS] = {0};
            const int32_t left = channels - c;
            const int32_t n = left < ORIBI_QUANTIZED_SUMS ? left : ORIBI_QUANTIZED_SUMS;
            add_rows(a, input, (int64_t)i * a->kept.step[0] + c, n, sums);
            for (int32_t k = 0; k < n; k++) {
                const int32_t y =
                    oribi_micro_scale(sums[k] - a->zero_sum, a->output_multiplier, a->output_shift);
                oribi_micro_element_set(output, a->kind, i * channels + c + k,
                                        oribi_micro_clamp(y + a->output_zero, a->low, a->high));
            }
        }
    }
}

static void reduce_units(void *object, int64_t begin, int64_t end)
{
    const reduce_call *call = object;
    struct oribi_micro_reduce_q_args args = *call->args;
    const char *input = call->input + begin * args.kept.step[0] * call->width;
    char *output = call->output + begin * call->inner * call->width;
    args.kept.dims[0] = (int32_t)(end - begin);
    if (call->function == ORIBI_MICRO_REDUCE_PROD) {
        oribi_micro_prod_q(&args, input, output);
    } else if (is_by_channels(&args)) {
        reduce_channels(&args, input, output);
    } else if (args.kind == ORIBI_MICRO_S8) {
        oribi_micro_reduce_s8(&args, (const int8_t *)input, (int8_t *)output);
    } else {
        oribi_micro_wide_reduce(&args, input, output);
    }
}

static bool reduce_run(const reduce_state *state, oribi_kit_run *run, int32_t function)
{
    struct oribi_micro_reduce_q_spec spec = state->spec;
    struct oribi_micro_reduce_q_args args;
    oribi_sizes dims;
    oribi_dims out = {.n = 0};
    if (!oribi_quantized_sizes(run, 0, 0, ORIBI_MAX_LOWERED_RANK, &dims) ||
        !mark_axes(run, dims.n, &spec.summed)) {
        return false;
    }
    spec.dims = dims.at;
    spec.rank = dims.n;
    spec.function = function;
    spec.kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    if (!oribi_quantized_check(run, oribi_micro_reduce_q_prepare(&spec, &args))) {
        return false;
    }
    for (int i = 0; i < dims.n; i++) {
        const bool is_summed = (spec.summed >> i & 1U) != 0;
        if (!is_summed || state->keeps_dims) {
            out.at[out.n++] = is_summed ? 1 : dims.at[i];
        }
    }
    void *output = oribi_kit_output(run, 0, out.at, out.n);
    if (output != NULL) {
        const int64_t units = args.kept.dims[0];
        reduce_call call = {&args,
                            TF_TensorData(run->in[0]),
                            output,
                            oribi_cpu_product(out.at, out.n) / units,
                            args.kind == ORIBI_MICRO_S16 ? 2 : 1,
                            function};
        oribi_kit_parallel(run, units, TF_TensorElementCount(run->in[0]) / units * 2, &call,
                           reduce_units);
    }
    return output != NULL;
}

static bool mean_run(const void *state, oribi_kit_run *run)
{
    return reduce_run(state, run, ORIBI_MICRO_REDUCE_MEAN);
}
ORIBI_KIT_COMPUTE(mean, 2)

static bool sum_run(const void *state, oribi_kit_run *run)
{
    return reduce_run(state, run, ORIBI_MICRO_REDUCE_SUM);
}
ORIBI_KIT_COMPUTE(sum, 2)

static bool prod_run(const void *state, oribi_kit_run *run)
{
    return reduce_run(state, run, ORIBI_MICRO_REDUCE_PROD);
}
ORIBI_KIT_COMPUTE(prod, 2)

/* --- Rectifiers with slopes ------------------------------------------------------------------ */

static void *prelu_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    struct oribi_micro_prelu_q_spec *spec =
        oribi_kit_setup_begin(&setup, construction, sizeof *spec);
    if (spec != NULL) {
        oribi_quantized_attr_any(&setup, "input", &spec->input);
        oribi_quantized_attr_any(&setup, "slope", &spec->slope);
        oribi_quantized_attr_any(&setup, "output", &spec->output);
        oribi_quantized_variant(&setup, &spec->variant);
    }
    return oribi_kit_setup_end(&setup);
}

static void prelu_call(const void *all, const struct oribi_micro_broadcast *shape,
                       const void *input, const void *slopes, void *output)
{
    struct oribi_micro_prelu_q_args args = *(const struct oribi_micro_prelu_q_args *)all;
    args.shape = *shape;
    oribi_micro_prelu_s8(&args, input, slopes, output);
}

static void prelu_wide_call(const void *all, const struct oribi_micro_broadcast *shape,
                            const void *input, const void *slopes, void *output)
{
    struct oribi_micro_prelu_q_args args = *(const struct oribi_micro_prelu_q_args *)all;
    args.shape = *shape;
    oribi_micro_wide_prelu(&args, input, slopes, output);
}

static bool prelu_run(const struct oribi_micro_prelu_q_spec *state, oribi_kit_run *run)
{
    struct oribi_micro_prelu_q_spec spec = *state;
    struct oribi_micro_prelu_q_args args;
    oribi_quantized_operands in;
    if (!oribi_quantized_operands_take(run, 0, &in)) {
        return false;
    }
    spec.dims = in.a.at;
    spec.rank = in.a.n;
    spec.slope_dims = in.b.at;
    spec.slope_rank = in.b.n;
    spec.kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    if (!oribi_quantized_check(run, oribi_micro_prelu_q_prepare(&spec, &args))) {
        return false;
    }
    void *output = oribi_kit_output_in_place(run, (const int[]){0}, 1, in.a_shape.at, in.a_shape.n);
    if (output != NULL) {
        const oribi_quantized_pairs pairs = {&args,
                                             &args.shape,
                                             spec.kind == ORIBI_MICRO_S8 ? prelu_call
                                                                         : prelu_wide_call,
                                             in.a_data,
                                             in.b_data,
                                             output,
                                             spec.kind == ORIBI_MICRO_S16 ? 2 : 1,
                                             spec.kind == ORIBI_MICRO_S16};
        oribi_quantized_run_pairs(run, &pairs);
    }
    return output != NULL;
}
ORIBI_KIT_COMPUTE(prelu, 2)

/* --- Products of matrices -------------------------------------------------------------------- */

static void *matmul_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    struct oribi_micro_batch_matmul_q_spec *spec =
        oribi_kit_setup_begin(&setup, construction, sizeof *spec);
    bool a_transposed = false, b_transposed = false;
    if (spec != NULL) {
        oribi_quantized_attr_any(&setup, "a", &spec->a);
        oribi_quantized_attr_any(&setup, "b", &spec->b);
        oribi_quantized_attr_any(&setup, "output", &spec->output);
        oribi_kit_attr_bool(&setup, "adj_x", &a_transposed);
        oribi_kit_attr_bool(&setup, "adj_y", &b_transposed);
        spec->a_transposed = a_transposed;
        spec->b_transposed = b_transposed;
    }
    return oribi_kit_setup_end(&setup);
}

typedef struct matmul_call {
    struct oribi_micro_batch_matmul_q_args args;
    const void *a, *b;
    void *output;
    bool is_wide;
} matmul_call;

/* A unit is one row of one product. */
static void matmul_rows(void *object, int64_t begin, int64_t end)
{
    const matmul_call *call = object;
    const struct oribi_micro_batch_matmul_q_args *whole = &call->args;
    for (int64_t unit = begin; unit < end; unit++) {
        struct oribi_micro_batch_matmul_q_args args = *whole;
        int64_t a = 0, b = 0;
        oribi_quantized_matrices(&whole->batches, unit / whole->m, &a, &b);
        a = a * whole->m * whole->k + unit % whole->m * whole->a_row;
        b *= (int64_t)whole->k * whole->n;
        args.batches = (struct oribi_micro_broadcast){1, {1}, {0}, {0}};
        args.m = 1;
        if (call->is_wide) {
            oribi_micro_batch_matmul_s16(&args, (const int16_t *)call->a + a,
                                         (const int16_t *)call->b + b,
                                         (int16_t *)call->output + unit * whole->n);
        } else {
            oribi_micro_batch_matmul_s8(&args, (const int8_t *)call->a + a,
                                        (const int8_t *)call->b + b,
                                        (int8_t *)call->output + unit * whole->n);
        }
    }
}

static bool matmul_run(const struct oribi_micro_batch_matmul_q_spec *state, oribi_kit_run *run)
{
    struct oribi_micro_batch_matmul_q_spec spec = *state;
    struct oribi_micro_batch_matmul_q_args args;
    oribi_quantized_operands in;
    if (!oribi_quantized_operands_take(run, 2, &in)) {
        return false;
    }
    spec.a_dims = in.a.at;
    spec.a_rank = in.a.n;
    spec.b_dims = in.b.at;
    spec.b_rank = in.b.n;
    spec.kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    if (!oribi_quantized_check(run, oribi_micro_batch_matmul_q_prepare(&spec, &args))) {
        return false;
    }
    in.y.at[in.y.n++] = args.m;
    in.y.at[in.y.n++] = args.n;
    matmul_call call = {args, in.a_data, in.b_data, oribi_kit_output(run, 0, in.y.at, in.y.n),
                        spec.kind == ORIBI_MICRO_S16};
    const int64_t count = oribi_cpu_product(in.y.at, in.y.n);
    if (call.output != NULL && count > 0) {
        oribi_kit_parallel(run, count / args.n, (int64_t)args.n * args.k, &call, matmul_rows);
    }
    return call.output != NULL;
}
ORIBI_KIT_COMPUTE(matmul, 2)

const oribi_cpu_kernel oribi_cpu_quantized_math_kernels[] = {
    ORIBI_QUANTIZED_ROW("Oribi>QMean", reduce, mean, {"T", ORIBI_QUANTIZED_TYPES}),
    ORIBI_QUANTIZED_ROW("Oribi>QSum", reduce, sum, {"T", ORIBI_QUANTIZED_TYPES}),
    ORIBI_QUANTIZED_ROW("Oribi>QProd", reduce, prod,
                        {"T", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_INT16)}),
    ORIBI_QUANTIZED_ROW("Oribi>QPRelu", prelu, prelu, {"T", ORIBI_QUANTIZED_TYPES}),
    ORIBI_QUANTIZED_ROW("Oribi>QBatchMatMul", matmul, matmul,
                        {"T", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_INT16)}),
    {.op_name = NULL},
};
