/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QAdd, Oribi>QSub and Oribi>QMul by micro/'s kernels. */
#include "cpu/families.h"
#include "cpu/quantized.h"

#include "micro/binary_s8_prepare.h"

typedef struct binary_state {
    struct oribi_micro_binary_s8_spec spec; /* dims unset */
} binary_state;

static void *binary_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    binary_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_quantized_attr(&setup, "a", &state->spec.a);
        oribi_quantized_attr(&setup, "b", &state->spec.b);
        oribi_quantized_attr(&setup, "output", &state->spec.output);
        oribi_quantized_activation(&setup, &state->spec.activation);
        oribi_quantized_variant(&setup, &state->spec.variant);
    }
    return oribi_cpu_setup_end(&setup);
}

typedef union binary_args {
    struct oribi_micro_add_s8_args add;
    struct oribi_micro_mul_s8_args mul;
} binary_args;

static int32_t add_prepare(const struct oribi_micro_binary_s8_spec *spec, binary_args *args)
{
    return oribi_micro_add_s8_prepare(spec, &args->add);
}

static int32_t sub_prepare(const struct oribi_micro_binary_s8_spec *spec, binary_args *args)
{
    return oribi_micro_sub_s8_prepare(spec, &args->add);
}

static int32_t mul_prepare(const struct oribi_micro_binary_s8_spec *spec, binary_args *args)
{
    return oribi_micro_mul_s8_prepare(spec, &args->mul);
}

static void add_call(const binary_args *args, const int8_t *a, const int8_t *b, int8_t *y)
{
    oribi_micro_add_s8(&args->add, a, b, y, NULL);
}

static void mul_call(const binary_args *args, const int8_t *a, const int8_t *b, int8_t *y)
{
    oribi_micro_mul_s8(&args->mul, a, b, y, NULL);
}

static bool binary_run(const binary_state *state, oribi_cpu_run *run,
                       int32_t (*prepare)(const struct oribi_micro_binary_s8_spec *, binary_args *),
                       void (*call)(const binary_args *, const int8_t *, const int8_t *, int8_t *))
{
    struct oribi_micro_binary_s8_spec spec = state->spec;
    int32_t a_dims[ORIBI_MICRO_BROADCAST_RANK], b_dims[ORIBI_MICRO_BROADCAST_RANK];
    oribi_cpu_shape a, b, y;
    binary_args args;
    if (!oribi_quantized_dims(run, 0, 0, ORIBI_MICRO_BROADCAST_RANK, a_dims, &spec.a_rank) ||
        !oribi_quantized_dims(run, 1, 0, ORIBI_MICRO_BROADCAST_RANK, b_dims, &spec.b_rank) ||
        !oribi_cpu_input_shape(run, 0, &a) || !oribi_cpu_input_shape(run, 1, &b) ||
        !oribi_cpu_broadcast(run, &a, &b, &y)) {
        return false;
    }
    spec.a_dims = a_dims;
    spec.b_dims = b_dims;
    if (!oribi_quantized_check(run, prepare(&spec, &args))) {
        return false;
    }
    const int8_t *x0 = TF_TensorData(run->in[0]), *x1 = TF_TensorData(run->in[1]);
    int candidates[2], n = 0;
    if (oribi_cpu_shape_equal(&a, &y)) {
        candidates[n++] = 0;
    }
    if (oribi_cpu_shape_equal(&b, &y)) {
        candidates[n++] = 1;
    }
    int8_t *output = oribi_cpu_output_in_place(run, candidates, n, y.dims, y.rank);
    if (output != NULL) {
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

#define ROW(op, fn)                                                                                \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_TYPE(TF_INT8)}}, .priority = ORIBI_CPU_REFERENCE, \
        .create = binary_create, .compute = fn##_compute, .destroy = oribi_cpu_free,               \
        .why = "the arithmetic of micro/, bit for bit"                                             \
    }
const oribi_cpu_kernel oribi_cpu_quantized_binary_kernels[] = {
    ROW("Oribi>QAdd", add),
    ROW("Oribi>QSub", sub),
    ROW("Oribi>QMul", mul),
    {.op_name = NULL},
};
