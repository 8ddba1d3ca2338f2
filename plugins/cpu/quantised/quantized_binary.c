/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QAdd, Oribi>QSub, Oribi>QMul and Oribi>QDiv by micro/'s kernels; sums and products of int8
 * also by vectors, with the same results.
 */
#include "cpu/base/families.h"
#include "cpu/quantised/bytes.h"
#include "cpu/quantised/quantized.h"
#include "cpu/quantised/quantized_panels.h"

#include "micro/elementwise/binary_q_prepare.h"
#include "micro/elementwise/div_q.h"
#include "micro/element.h"

#include <string.h>

typedef struct binary_state {
    struct oribi_micro_binary_q_spec spec; /* dims unset */
    const oribi_quantized_simd *simd;      /* NULL: micro/'s kernel */
    bool is_product;
    oribi_quantized_sum sum; /* of use where there is simd, as the product */
    oribi_quantized_product product;
} binary_state;

typedef int32_t sum_prepare(const struct oribi_micro_binary_q_spec *,
                            struct oribi_micro_add_s8_args *);

/* What vectors need of a sum, or of a product where there is no `prepare`. None where scales are
 * too far apart, of which a run tells. */
static void take_pairs(binary_state *state, sum_prepare *prepare, const oribi_quantized_simd *simd)
{
    struct oribi_micro_binary_q_spec spec = state->spec;
    struct oribi_micro_add_s8_args sum;
    struct oribi_micro_mul_q_args product;
    spec.kind = ORIBI_MICRO_S8;
    state->is_product = prepare == NULL;
    if (prepare == NULL) {
        if (oribi_micro_mul_q_prepare(&spec, &product) == ORIBI_MICRO_OK) {
            state->simd = simd;
            oribi_quantized_product_find(&product, &state->product);
        }
    } else if (prepare(&spec, &sum) == ORIBI_MICRO_OK) {
        state->simd = simd;
        state->sum.exact = sum.scales;
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
            take_pairs(state, prepare, simd);
        }
    }
    return oribi_kit_setup_end(&setup);
}

#define CREATE(fn, set, prepare, simd)                                                             \
    static void *fn##_create_##set(TF_OpKernelConstruction *construction)                          \
    {                                                                                              \
        return binary_make(construction, prepare, simd);                                           \
    }
#define CREATE_ALL(set, simd)                                                                      \
    CREATE(add, set, oribi_micro_add_s8_prepare, simd)                                             \
    CREATE(sub, set, oribi_micro_sub_s8_prepare, simd)                                             \
    CREATE(mul, set, NULL, simd)
#define CREATE_SET(part, set) CREATE_ALL(set, &oribi_quantized_##set)
CREATE_ALL(any, NULL)
ORIBI_ISAS_OF_quantized_panels(CREATE_SET)

    typedef struct binary_args {
    int32_t kind;
    const oribi_bytes *loops; /* of products of int16; NULL: micro/'s */
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

/* Rows of the last dimension, of int16. */
static void mul_rows(const binary_args *args, const struct oribi_micro_broadcast *shape,
                     const int16_t *a, const int16_t *b, int16_t *y)
{
    const int32_t last = shape->rank - 1, n = shape->dims[last];
    struct oribi_micro_broadcast_walk walk = {0};
    do {
        args->loops->mul_words(&args->u.mul, a + walk.a, shape->a_step[last], b + walk.b,
                               shape->b_step[last], n, y);
        y += n;
    } while (oribi_micro_broadcast_next(shape, &walk) != 0);
}

static void mul_call(const void *all, const struct oribi_micro_broadcast *shape, const void *a,
                     const void *b, void *y)
{
    binary_args args = *(const binary_args *)all;
    args.u.mul.shape = *shape;
    if (args.kind == ORIBI_MICRO_S8) {
        oribi_micro_mul_s8(&args.u.mul, a, b, y, NULL);
    } else if (args.loops != NULL) {
        mul_rows(&args, shape, a, b, y);
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

/* --- By vectors ------------------------------------------------------------------------------ */

enum { BLOCK = 512 /* of bytes that are repeated */ };

static void line(const binary_state *state, const int8_t *a, const int8_t *b, int64_t n,
                 int8_t *out)
{
    if (state->is_product) {
        state->simd->multiply(&state->product, a, b, n, out);
    } else if (state->sum.is_real) {
        state->simd->add(&state->sum, a, b, n, out);
    } else {
        oribi_micro_add_row_s8(&state->sum.exact, a, 1, b, 1, (int32_t)n, out);
    }
}

/* One side of a line has `period` bytes, again and again. */
static void line_of_some(const binary_state *state, const int8_t *a, const int8_t *b,
                         bool a_is_some, int32_t period, int64_t n, int8_t *out)
{
    int8_t some[BLOCK];
    const int64_t whole = BLOCK / period * period;
    for (int64_t i = 0; i < whole && i < n; i++) {
        some[i] = (a_is_some ? a : b)[i % period];
    }
    for (int64_t i = 0; i < n; i += whole) {
        const int64_t count = n - i < whole ? n - i : whole;
        line(state, a_is_some ? some : a + i, a_is_some ? b + i : some, count, out + i);
    }
}

/* Rows of the last dimension, those of few bytes together where they lie so. */
static void rows_call(const void *all, const struct oribi_micro_broadcast *shape, const void *a,
                      const void *b, void *y)
{
    enum { FEW = 64 };
    const binary_state *state = all;
    const int32_t last = shape->rank - 1, n = shape->dims[last], before = last > 0 ? last - 1 : 0;
    const int32_t a_row = shape->a_step[before], b_row = shape->b_step[before];
    const bool are_whole = shape->a_step[last] == 1 && shape->b_step[last] == 1;
    const bool a_is_some = last > 0 && are_whole && n < FEW && a_row == 0 && b_row == n;
    const bool b_is_some = last > 0 && are_whole && n < FEW && b_row == 0 && a_row == n;
    struct oribi_micro_broadcast outer = *shape;
    struct oribi_micro_broadcast_walk walk = {0};
    int64_t count = n;
    if (a_is_some || b_is_some) { /* a walk goes over all but the last dimension */
        outer.rank--;
        count *= shape->dims[before];
    }
    int8_t *out = y;
    do {
        const int8_t *x = (const int8_t *)a + walk.a, *z = (const int8_t *)b + walk.b;
        if (a_is_some || b_is_some) {
            line_of_some(state, x, z, a_is_some, n, count, out);
        } else if (are_whole) {
            line(state, x, z, count, out);
        } else {
            line_of_some(state, x, z, shape->a_step[last] == 0, 1, count, out);
        }
        out += count;
    } while (oribi_micro_broadcast_next(&outer, &walk) != 0);
}

/* Tensors of one shape. */
typedef struct flat_call {
    const binary_state *state;
    const int8_t *a, *b;
    int8_t *y;
} flat_call;

static void flat_units(void *object, int64_t begin, int64_t end)
{
    const flat_call *call = object;
    line(call->state, call->a + begin, call->b + begin, end - begin, call->y + begin);
}

static bool binary_run(const binary_state *state, oribi_kit_run *run,
                       int32_t (*prepare)(const struct oribi_micro_binary_q_spec *, binary_args *),
                       int what, const oribi_bytes *loops)
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
        flat_call call = {state, in.a_data, in.b_data,
                          oribi_kit_output_in_place(run, in.whole, in.n_whole, in.y.at, in.y.n)};
        if (call.y != NULL) {
            oribi_kit_parallel(run, oribi_cpu_product(in.y.at, in.y.n), 1, &call, flat_units);
        }
        return call.y != NULL;
    }
    spec.a_dims = in.a.at;
    spec.a_rank = in.a.n;
    spec.b_dims = in.b.at;
    spec.b_rank = in.b.n;
    spec.kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    args.kind = spec.kind;
    args.loops = loops;
    if (!oribi_quantized_check(run, prepare(&spec, &args))) {
        return false;
    }
    void *output = oribi_kit_output_in_place(run, in.whole, in.n_whole, in.y.at, in.y.n);
    if (output != NULL) {
        const bool is_vector = state->simd != NULL;
        const oribi_quantized_pairs pairs = {is_vector ? (const void *)state : &args,
                                             shape_of(&args, what),
                                             is_vector ? rows_call : calls[what],
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
        return binary_run(state, run, name##_prepare, what, NULL);                                 \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(name, 2)
BINARY(add, SUM)
BINARY(sub, SUM)
BINARY(mul, PRODUCT)
BINARY(squared, SQUARED)
BINARY(div, QUOTIENT)

void *oribi_words_create(TF_OpKernelConstruction *construction)
{
    return mul_create_any(construction);
}

bool oribi_mul_words_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops)
{
    return binary_run(state, run, mul_prepare, PRODUCT, loops);
}

#define ROW(op, value_types, set, make, fn, text)                                                  \
    {                                                                                              \
        .op_name = op, .types = {{"T", value_types}}, ORIBI_ISA_FIELDS(set), .create = make,       \
        .compute = fn##_compute, .destroy = oribi_kit_free, .why = text                            \
    }
#define PLAIN(op, make, fn) ROW(op, ORIBI_QUANTIZED_TYPES, any, make, fn, ORIBI_QUANTIZED_WHY),
#define PAIR_ROW(op, fn, set)                                                                      \
    ROW(op, ORIBI_KIT_TYPE(TF_INT8), set, fn##_create_##set, fn, "vectors, the same bits, " #set),
#define PAIRS(part, set)                                                                           \
    PAIR_ROW("Oribi>QAdd", add, set)                                                               \
    PAIR_ROW("Oribi>QSub", sub, set) PAIR_ROW("Oribi>QMul", mul, set)

/* clang-format off */
const oribi_cpu_kernel oribi_cpu_quantized_binary_kernels[] = {
    PLAIN("Oribi>QAdd", add_create_any, add)
    PLAIN("Oribi>QSub", sub_create_any, sub)
    PLAIN("Oribi>QMul", mul_create_any, mul)
    PLAIN("Oribi>QDiv", mul_create_any, div)
    ROW("Oribi>QSquaredDifference", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_INT16), any,
        mul_create_any, squared, ORIBI_QUANTIZED_WHY),
    ORIBI_ISAS_OF_quantized_panels(PAIRS)
    {.op_name = NULL},
};
/* clang-format on */
