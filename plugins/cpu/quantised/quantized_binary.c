/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QAdd, Oribi>QSub, Oribi>QMul and Oribi>QDiv by micro/'s kernels; sums of int8 that need no
 * broadcasting also by vectors, with the same results.
 */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"
#include "cpu/quantised/quantized_panels.h"

#include "micro/elementwise/binary_q_prepare.h"
#include "micro/elementwise/div_q.h"
#include "micro/element.h"

typedef struct binary_state {
    struct oribi_micro_binary_q_spec spec; /* dims unset */
    const oribi_quantized_simd *simd;      /* NULL: micro/'s kernel */
    oribi_quantized_sum sum;               /* of use where there is simd */
} binary_state;

typedef int32_t sum_prepare(const struct oribi_micro_binary_q_spec *,
                            struct oribi_micro_add_s8_args *);

/* What vectors need of a sum. None where its scales are too far apart, of which a run tells. */
static void take_sum(binary_state *state, sum_prepare *prepare, const oribi_quantized_simd *simd)
{
    struct oribi_micro_binary_q_spec spec = state->spec;
    struct oribi_micro_add_s8_args args;
    spec.kind = ORIBI_MICRO_S8;
    if (prepare(&spec, &args) == ORIBI_MICRO_OK) {
        state->simd = simd;
        state->sum.exact = args.scales;
        oribi_quantized_sum_find(simd, &state->sum);
    }
}

/* `prepare`: of a sum or a difference, else NULL; `simd`: NULL for micro/'s kernel. */
static void *binary_make(TF_OpKernelConstruction *construction, sum_prepare *prepare,
                         const oribi_quantized_simd *simd)
{
    oribi_kit_setup setup;
    bool prefers_binary = false;
    binary_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_quantized_attr_any(&setup, "a", &state->spec.a);
        oribi_quantized_attr_any(&setup, "b", &state->spec.b);
        oribi_quantized_attr_any(&setup, "output", &state->spec.output);
        oribi_quantized_activation(&setup, &state->spec.activation);
        oribi_quantized_variant(&setup, &state->spec.variant);
        if (prepare != NULL) { /* the op has it */
            oribi_kit_attr_bool(&setup, "pot_scale_int16", &prefers_binary);
        }
        state->spec.prefers_binary = prefers_binary ? 1 : 0;
        if (simd != NULL && TF_GetCode(setup.status) == TF_OK) {
            take_sum(state, prepare, simd);
        }
    }
    return oribi_kit_setup_end(&setup);
}

#define CREATE_SUM(set, simd)                                                                      \
    static void *add_create_##set(TF_OpKernelConstruction *construction)                           \
    {                                                                                              \
        return binary_make(construction, oribi_micro_add_s8_prepare, simd);                        \
    }                                                                                              \
    static void *sub_create_##set(TF_OpKernelConstruction *construction)                           \
    {                                                                                              \
        return binary_make(construction, oribi_micro_sub_s8_prepare, simd);                        \
    }
#define CREATE_SUM_SET(part, set) CREATE_SUM(set, &oribi_quantized_##set)
CREATE_SUM(any, NULL)
ORIBI_ISAS_OF_quantized_panels(CREATE_SUM_SET)

    static void *mul_create(TF_OpKernelConstruction *construction)
{
    return binary_make(construction, NULL, NULL);
}

typedef struct binary_args {
    int32_t kind;
    union {
        struct oribi_micro_add_s8_args add;
        struct oribi_micro_wide_add_args wide_add;
        struct oribi_micro_mul_q_args mul;
    } u;
} binary_args;

static int32_t add_prepare(const struct oribi_micro_binary_q_spec *spec, binary_args *args)
{
    return args->kind == ORIBI_MICRO_S8 ? oribi_micro_add_s8_prepare(spec, &args->u.add)
                                        : oribi_micro_wide_add_prepare(spec, &args->u.wide_add);
}

static int32_t sub_prepare(const struct oribi_micro_binary_q_spec *spec, binary_args *args)
{
    return args->kind == ORIBI_MICRO_S8 ? oribi_micro_sub_s8_prepare(spec, &args->u.add)
                                        : oribi_micro_wide_sub_prepare(spec, &args->u.wide_add);
}

static int32_t squared_prepare(const struct oribi_micro_binary_q_spec *spec, binary_args *args)
{
    return oribi_micro_squared_difference_q_prepare(spec, &args->u.wide_add);
}

static int32_t mul_prepare(const struct oribi_micro_binary_q_spec *spec, binary_args *args)
{
    return oribi_micro_mul_q_prepare(spec, &args->u.mul);
}

static int32_t div_prepare(const struct oribi_micro_binary_q_spec *spec, binary_args *args)
{
    return oribi_micro_div_q_prepare(spec, &args->u.mul);
}

enum { SUM, PRODUCT, SQUARED, QUOTIENT };

static const struct oribi_micro_broadcast *shape_of(const binary_args *args, int what)
{
    return what == PRODUCT || what == QUOTIENT           ? &args->u.mul.shape
           : what == SUM && args->kind == ORIBI_MICRO_S8 ? &args->u.add.shape
                                                         : &args->u.wide_add.shape;
}

static void add_call(const void *all, const struct oribi_micro_broadcast *shape, const void *a,
                     const void *b, void *y)
{
    binary_args args = *(const binary_args *)all;
    if (args.kind == ORIBI_MICRO_S8) {
        args.u.add.shape = *shape;
        oribi_micro_add_s8(&args.u.add, a, b, y, NULL);
    } else {
        args.u.wide_add.shape = *shape;
        oribi_micro_wide_add(&args.u.wide_add, a, b, y);
    }
}

static void mul_call(const void *all, const struct oribi_micro_broadcast *shape, const void *a,
                     const void *b, void *y)
{
    binary_args args = *(const binary_args *)all;
    args.u.mul.shape = *shape;
    if (args.kind == ORIBI_MICRO_S8) {
        oribi_micro_mul_s8(&args.u.mul, a, b, y, NULL);
    } else {
        oribi_micro_wide_mul(&args.u.mul, a, b, y, NULL);
    }
}

static void div_call(const void *all, const struct oribi_micro_broadcast *shape, const void *a,
                     const void *b, void *y)
{
    struct oribi_micro_mul_q_args args = ((const binary_args *)all)->u.mul;
    args.shape = *shape;
    oribi_micro_div_q(&args, a, b, y, NULL);
}

static void squared_call(const void *all, const struct oribi_micro_broadcast *shape, const void *a,
                         const void *b, void *y)
{
    struct oribi_micro_wide_add_args args = ((const binary_args *)all)->u.wide_add;
    args.shape = *shape;
    oribi_micro_wide_add(&args, a, b, y);
}

/* A sum by vectors, without broadcasting. */
typedef struct sum_call {
    const binary_state *state;
    const int8_t *a, *b;
    int8_t *y;
} sum_call;

static void sum_units(void *object, int64_t begin, int64_t end)
{
    const sum_call *call = object;
    const oribi_quantized_sum *sum = &call->state->sum;
    const int8_t *a = call->a + begin, *b = call->b + begin;
    if (sum->is_real) {
        call->state->simd->add(sum, a, b, end - begin, call->y + begin);
    } else {
        oribi_micro_add_row_s8(&sum->exact, a, 1, b, 1, (int32_t)(end - begin), call->y + begin);
    }
}

static bool binary_run(const binary_state *state, oribi_kit_run *run,
                       int32_t (*prepare)(const struct oribi_micro_binary_q_spec *, binary_args *),
                       int what)
{
    static void (*const calls[])(const void *, const struct oribi_micro_broadcast *, const void *,
                                 const void *,
                                 void *) = {add_call, mul_call, squared_call, div_call};
    struct oribi_micro_binary_q_spec spec = state->spec;
    oribi_quantized_operands in;
    binary_args args;
    if (!oribi_quantized_operands_take(run, 0, &in)) {
        return false;
    }
    if (state->simd != NULL && in.n_whole == 2) {
        sum_call call = {state, in.a_data, in.b_data,
                         oribi_kit_output_in_place(run, in.whole, in.n_whole, in.y.at, in.y.n)};
        if (call.y != NULL) {
            oribi_kit_parallel(run, oribi_cpu_product(in.y.at, in.y.n), 1, &call, sum_units);
        }
        return call.y != NULL;
    }
    spec.a_dims = in.a.at;
    spec.a_rank = in.a.n;
    spec.b_dims = in.b.at;
    spec.b_rank = in.b.n;
    spec.kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    args.kind = spec.kind;
    if (!oribi_quantized_check(run, prepare(&spec, &args))) {
        return false;
    }
    void *output = oribi_kit_output_in_place(run, in.whole, in.n_whole, in.y.at, in.y.n);
    if (output != NULL) {
        const oribi_quantized_pairs pairs = {&args,
                                             shape_of(&args, what),
                                             calls[what],
                                             in.a_data,
                                             in.b_data,
                                             output,
                                             spec.kind == ORIBI_MICRO_S16 ? (int64_t)sizeof(int16_t)
                                                                          : 1,
                                             false};
        oribi_quantized_run_pairs(run, &pairs);
    }
    return output != NULL;
}

#define BINARY(name, what)                                                                         \
    static bool name##_run(const void *state, oribi_kit_run *run)                                  \
    {                                                                                              \
        return binary_run(state, run, name##_prepare, what);                                       \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(name, 2)
BINARY(add, SUM)
BINARY(sub, SUM)
BINARY(mul, PRODUCT)
BINARY(squared, SQUARED)
BINARY(div, QUOTIENT)

#define ROW(op, value_types, set, make, fn, text)                                                  \
    {                                                                                              \
        .op_name = op, .types = {{"T", value_types}}, ORIBI_ISA_FIELDS(set), .create = make,       \
        .compute = fn##_compute, .destroy = oribi_kit_free, .why = text                            \
    }
#define PLAIN(op, make, fn) ROW(op, ORIBI_QUANTIZED_TYPES, any, make, fn, ORIBI_QUANTIZED_WHY),
#define SUM_ROW(op, fn, set)                                                                       \
    ROW(op, ORIBI_KIT_TYPE(TF_INT8), set, fn##_create_##set, fn, "vectors, the same bits, " #set),
#define SUMS(part, set) SUM_ROW("Oribi>QAdd", add, set) SUM_ROW("Oribi>QSub", sub, set)

/* clang-format off */
const oribi_cpu_kernel oribi_cpu_quantized_binary_kernels[] = {
    PLAIN("Oribi>QAdd", add_create_any, add)
    PLAIN("Oribi>QSub", sub_create_any, sub)
    PLAIN("Oribi>QMul", mul_create, mul)
    PLAIN("Oribi>QDiv", mul_create, div)
    ROW("Oribi>QSquaredDifference", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_INT16), any,
        mul_create, squared, ORIBI_QUANTIZED_WHY),
    ORIBI_ISAS_OF_quantized_panels(SUMS)
    {.op_name = NULL},
};
/* clang-format on */
