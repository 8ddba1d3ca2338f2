/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QAdd, Oribi>QSub and Oribi>QMul by micro/'s kernels; sums of int8 that need no broadcasting
 * also by vectors, with the same results.
 */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"
#include "cpu/quantised/quantized_panels.h"

#include "micro/elementwise/binary_q_prepare.h"
#include "micro/element.h"

typedef struct binary_state {
    struct oribi_micro_binary_q_spec spec; /* dims unset */
    const oribi_quantized_simd *simd;      /* NULL: micro/'s kernel */
} binary_state;

/* `has_sums`: the op has pot_scale_int16. */
static void *binary_make(TF_OpKernelConstruction *construction, bool has_sums,
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
        if (has_sums) {
            oribi_kit_attr_bool(&setup, "pot_scale_int16", &prefers_binary);
        }
        state->simd = simd;
        state->spec.prefers_binary = prefers_binary ? 1 : 0;
    }
    return oribi_kit_setup_end(&setup);
}

#define CREATE_SUM(set, simd)                                                                      \
    static void *sum_create_##set(TF_OpKernelConstruction *construction)                           \
    {                                                                                              \
        return binary_make(construction, true, simd);                                              \
    }
#define CREATE_SUM_SET(part, set) CREATE_SUM(set, &oribi_quantized_##set)
CREATE_SUM(any, NULL)
ORIBI_ISAS_OF_quantized_panels(CREATE_SUM_SET)

    static void *mul_create(TF_OpKernelConstruction *construction)
{
    return binary_make(construction, false, NULL);
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

enum { SUM, PRODUCT, SQUARED };

static const struct oribi_micro_broadcast *shape_of(const binary_args *args, int what)
{
    return what == PRODUCT                               ? &args->u.mul.shape
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

static void squared_call(const void *all, const struct oribi_micro_broadcast *shape, const void *a,
                         const void *b, void *y)
{
    struct oribi_micro_wide_add_args args = ((const binary_args *)all)->u.wide_add;
    args.shape = *shape;
    oribi_micro_wide_add(&args, a, b, y);
}

/* A sum by vectors, without broadcasting. */
typedef struct sum_call {
    const oribi_quantized_simd *simd;
    const struct oribi_micro_add_scales_s8 *scales;
    const int8_t *a, *b;
    int8_t *y;
} sum_call;

static void sum_units(void *object, int64_t begin, int64_t end)
{
    const sum_call *sum = object;
    sum->simd->add(sum->scales, sum->a + begin, sum->b + begin, end - begin, sum->y + begin);
}

static bool binary_run(const binary_state *state, oribi_kit_run *run,
                       int32_t (*prepare)(const struct oribi_micro_binary_q_spec *, binary_args *),
                       int what)
{
    static void (*const calls[])(const void *, const struct oribi_micro_broadcast *, const void *,
                                 const void *, void *) = {add_call, mul_call, squared_call};
    struct oribi_micro_binary_q_spec spec = state->spec;
    oribi_sizes a_dims, b_dims;
    oribi_cpu_shape a, b, y;
    binary_args args;
    if (!oribi_quantized_sizes(run, 0, 0, ORIBI_MICRO_BROADCAST_RANK, &a_dims) ||
        !oribi_quantized_sizes(run, 1, 0, ORIBI_MICRO_BROADCAST_RANK, &b_dims) ||
        !oribi_cpu_input_shape(run, 0, &a) || !oribi_cpu_input_shape(run, 1, &b) ||
        !oribi_cpu_broadcast(run, &a, &b, &y)) {
        return false;
    }
    spec.a_dims = a_dims.at;
    spec.a_rank = a_dims.n;
    spec.b_dims = b_dims.at;
    spec.b_rank = b_dims.n;
    spec.kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    args.kind = spec.kind;
    if (!oribi_quantized_check(run, prepare(&spec, &args))) {
        return false;
    }
    const void *x0 = TF_TensorData(run->in[0]), *x1 = TF_TensorData(run->in[1]);
    int candidates[2], n = 0;
    if (oribi_cpu_shape_equal(&a, &y)) {
        candidates[n++] = 0;
    }
    if (oribi_cpu_shape_equal(&b, &y)) {
        candidates[n++] = 1;
    }
    void *output = oribi_kit_output_in_place(run, candidates, n, y.at, y.n);
    if (output != NULL && state->simd != NULL && n == 2) {
        sum_call sum = {state->simd, &args.u.add.scales, x0, x1, output};
        oribi_kit_parallel(run, oribi_cpu_product(y.at, y.n), 1, &sum, sum_units);
    } else if (output != NULL) {
        const oribi_quantized_pairs pairs = {&args,
                                             shape_of(&args, what),
                                             calls[what],
                                             x0,
                                             x1,
                                             output,
                                             spec.kind == ORIBI_MICRO_S16 ? (int64_t)sizeof(int16_t)
                                                                          : 1};
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

#define ROW(op, value_types, set, make, fn, text)                                                  \
    {                                                                                              \
        .op_name = op, .types = {{"T", value_types}}, ORIBI_ISA_FIELDS(set), .create = make,       \
        .compute = fn##_compute, .destroy = oribi_kit_free, .why = text                            \
    }
#define PLAIN(op, make, fn)                                                                        \
    ROW(op, ORIBI_QUANTIZED_TYPES, any, make, fn, "the arithmetic of micro/, bit for bit"),
#define SUM_ROW(op, fn, set)                                                                       \
    ROW(op, ORIBI_KIT_TYPE(TF_INT8), set, sum_create_##set, fn, "vectors, the same bits, " #set),
#define SUMS(part, set) SUM_ROW("Oribi>QAdd", add, set) SUM_ROW("Oribi>QSub", sub, set)

/* clang-format off */
const oribi_cpu_kernel oribi_cpu_quantized_binary_kernels[] = {
    PLAIN("Oribi>QAdd", sum_create_any, add)
    PLAIN("Oribi>QSub", sum_create_any, sub)
    PLAIN("Oribi>QMul", mul_create, mul)
    ROW("Oribi>QSquaredDifference", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_INT16), any,
        mul_create, squared, "the arithmetic of micro/, bit for bit"),
    ORIBI_ISAS_OF_quantized_panels(SUMS)
    {.op_name = NULL},
};
/* clang-format on */
