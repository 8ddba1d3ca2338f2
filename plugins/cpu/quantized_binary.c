/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QAdd, Oribi>QSub and Oribi>QMul by micro/'s kernels; sums of int8 that need no broadcasting
 * also by vectors, with the same results.
 */
#include "cpu/families.h"
#include "cpu/quantized.h"
#include "cpu/quantized_panels.h"

#include "micro/binary_q_prepare.h"
#include "micro/element.h"

typedef struct binary_state {
    struct oribi_micro_binary_q_spec spec; /* dims unset */
    const oribi_quantized_simd *simd;      /* NULL: micro/'s kernel */
} binary_state;

/* `has_sums`: the op has pot_scale_int16. */
static void *binary_make(TF_OpKernelConstruction *construction, bool has_sums,
                         const oribi_quantized_simd *simd)
{
    oribi_cpu_setup setup;
    bool prefers_binary = false;
    binary_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_quantized_attr_any(&setup, "a", &state->spec.a);
        oribi_quantized_attr_any(&setup, "b", &state->spec.b);
        oribi_quantized_attr_any(&setup, "output", &state->spec.output);
        oribi_quantized_activation(&setup, &state->spec.activation);
        oribi_quantized_variant(&setup, &state->spec.variant);
        if (has_sums) {
            oribi_cpu_attr_bool(&setup, "pot_scale_int16", &prefers_binary);
        }
        state->simd = simd;
        state->spec.prefers_binary = prefers_binary ? 1 : 0;
    }
    return oribi_cpu_setup_end(&setup);
}

static void *sum_create(TF_OpKernelConstruction *construction)
{
    return binary_make(construction, true, NULL);
}

#if defined(__x86_64__)
static void *sum_create_avx2(TF_OpKernelConstruction *construction)
{
    return binary_make(construction, true, &oribi_quantized_avx2);
}

static void *sum_create_vnni(TF_OpKernelConstruction *construction)
{
    return binary_make(construction, true, &oribi_quantized_vnni);
}
#endif

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

static int32_t mul_prepare(const struct oribi_micro_binary_q_spec *spec, binary_args *args)
{
    return oribi_micro_mul_q_prepare(spec, &args->u.mul);
}

static void add_call(const binary_args *args, const void *a, const void *b, void *y)
{
    if (args->kind == ORIBI_MICRO_S8) {
        oribi_micro_add_s8(&args->u.add, a, b, y, NULL);
    } else {
        oribi_micro_wide_add(&args->u.wide_add, a, b, y);
    }
}

static void mul_call(const binary_args *args, const void *a, const void *b, void *y)
{
    if (args->kind == ORIBI_MICRO_S8) {
        oribi_micro_mul_s8(&args->u.mul, a, b, y, NULL);
    } else {
        oribi_micro_wide_mul(&args->u.mul, a, b, y, NULL);
    }
}

static bool binary_run(const binary_state *state, oribi_cpu_run *run,
                       int32_t (*prepare)(const struct oribi_micro_binary_q_spec *, binary_args *),
                       void (*call)(const binary_args *, const void *, const void *, void *))
{
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
    void *output = oribi_cpu_output_in_place(run, candidates, n, y.at, y.n);
    if (output != NULL && state->simd != NULL && n == 2) {
        state->simd->add(&args.u.add.scales, x0, x1, oribi_cpu_product(y.at, y.n), output);
    } else if (output != NULL) {
        call(&args, x0, x1, output);
    }
    return output != NULL;
}

#define BINARY(name, call)                                                                         \
    static bool name##_run(const void *state, oribi_cpu_run *run)                                  \
    {                                                                                              \
        return binary_run(state, run, name##_prepare, call);                                       \
    }                                                                                              \
    ORIBI_CPU_COMPUTE(name, 2)
BINARY(add, add_call)
BINARY(sub, add_call)
BINARY(mul, mul_call)

#define ROW_OF(op, value_types, rank, needs, make, fn, text)                                       \
    {                                                                                              \
        .op_name = op, .types = {{"T", value_types}}, .priority = rank, .isa = needs,              \
        .create = make, .compute = fn##_compute, .destroy = oribi_cpu_free, .why = text            \
    }
#define ROW(op, make, fn)                                                                          \
    ROW_OF(op, ORIBI_QUANTIZED_TYPES, ORIBI_CPU_REFERENCE, ORIBI_CPU_ISA_ANY, make##_create, fn,   \
           "the arithmetic of micro/, bit for bit")
#define SUM(op, fn, variant, rank, needs)                                                          \
    ROW_OF(op, ORIBI_CPU_TYPE(TF_INT8), rank, needs, sum_create_##variant, fn,                     \
           "vectors, the same bits")
const oribi_cpu_kernel oribi_cpu_quantized_binary_kernels[] = {
    ROW("Oribi>QAdd", sum, add),
    ROW("Oribi>QSub", sum, sub),
    ROW("Oribi>QMul", mul, mul),
#if defined(__x86_64__)
    SUM("Oribi>QAdd", add, avx2, ORIBI_CPU_AVX2, ORIBI_CPU_ISA_AVX2),
    SUM("Oribi>QSub", sub, avx2, ORIBI_CPU_AVX2, ORIBI_CPU_ISA_AVX2),
    SUM("Oribi>QAdd", add, vnni, ORIBI_CPU_VNNI, ORIBI_CPU_ISA_VNNI),
    SUM("Oribi>QSub", sub, vnni, ORIBI_CPU_VNNI, ORIBI_CPU_ISA_VNNI),
#endif
    {.op_name = NULL},
};
