/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's activations that TensorFlow has no op for, reference: plain loops in double, the formulas
 * of ONNX's operator page. PRelu stands with the binary ops.
 */
#include "cpu/elementwise/elementwise.h"
#include "cpu/base/families.h"
#include "cpu/base/micro_rows.h"
#include "micro/unary/swish_f32.h"

#include <math.h>
#include <string.h>

/* Reads up to two float attributes. */
static void *create(TF_OpKernelConstruction *construction, const char *a, const char *b)
{
    oribi_kit_setup setup;
    oribi_cpu_activation *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL && a != NULL) {
        oribi_kit_attr_float(&setup, a, &state->a);
    }
    if (state != NULL && b != NULL) {
        oribi_kit_attr_float(&setup, b, &state->b);
    }
    return oribi_kit_setup_end(&setup);
}

void *oribi_cpu_alpha_beta_create(TF_OpKernelConstruction *construction)
{
    return create(construction, "alpha", "beta");
}

void *oribi_cpu_alpha_create(TF_OpKernelConstruction *construction)
{
    return create(construction, "alpha", NULL);
}

static void *shrink_create(TF_OpKernelConstruction *construction)
{
    return create(construction, "bias", "lambd");
}

void *oribi_cpu_plain_create(TF_OpKernelConstruction *construction)
{
    return create(construction, NULL, NULL);
}

/* a = 1: the tanh approximation. */
void *oribi_cpu_gelu_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    char approximate[16] = "none";
    oribi_cpu_activation *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_kit_attr_string(&setup, "approximate", approximate, sizeof approximate);
        state->a = strcmp(approximate, "tanh") == 0 ? 1.0f : 0.0f;
    }
    return oribi_kit_setup_end(&setup);
}

static double between(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* By forms that do not subtract from 1: far to the left the share of the normal distribution is as
 * precise as elsewhere. */
static double gelu(double v, double approximate)
{
    const double root_2_over_pi = 0.79788456080286535588, root_half = 0.70710678118654752440;
    return approximate != 0 ? v / (1 + exp(-2 * root_2_over_pi * (v + 0.044715 * v * v * v)))
                            : 0.5 * v * erfc(-v * root_half);
}

static double mish(double v)
{
    double softplus = log1p(exp(-fabs(v))) + (v > 0 ? v : 0);
    return v * tanh(softplus);
}

#define OPS(X)                                                                                     \
    X(hard_sigmoid, "ONNX>HardSigmoid", oribi_cpu_alpha_beta_create, between(a *v + b, 0, 1))      \
    X(hard_swish, "ONNX>HardSwish", oribi_cpu_plain_create, v *between(v / 6 + 0.5, 0, 1))         \
    X(mish, "ONNX>Mish", oribi_cpu_plain_create, mish(v))                                          \
    X(swish, "ONNX>Swish", oribi_cpu_alpha_create, v / (1 + exp(-a * v)))                          \
    X(gelu, "ONNX>Gelu", oribi_cpu_gelu_create, gelu(v, a))                                        \
    X(celu, "ONNX>Celu", oribi_cpu_alpha_create, v > 0 ? v : a * expm1(v / a))                     \
    X(shrink, "ONNX>Shrink", shrink_create, v<-b ? v + a : v> b ? v - a : v != v ? v : 0)          \
    X(thresholded, "ONNX>ThresholdedRelu", oribi_cpu_alpha_create, v > a || v != v ? v : 0)

#define LOOP(id, T, expr)                                                                          \
    static void id##_##T##_loop(void *object, int64_t begin, int64_t end)                          \
    {                                                                                              \
        const oribi_kit_elements *work = object;                                                   \
        const T *x = work->x;                                                                      \
        T *y = work->y;                                                                            \
        const oribi_cpu_activation *own = work->state;                                             \
        const double a = (double)own->a, b = (double)own->b;                                       \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        for (int64_t i = begin; i < end; i++) {                                                    \
            double v = (double)x[i];                                                               \
            y[i] = (T)(expr);                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void id##_##T##_compute(void *state, TF_OpKernelContext *context)                       \
    {                                                                                              \
        oribi_kit_unary(context, state, id##_##T##_loop, 20);                                      \
    }
#define LOOPS(id, op, create_fn, expr) LOOP(id, float, expr) LOOP(id, double, expr)
OPS(LOOPS)

/* Those that emitted C computes, and what the kernel is told. */
#define ALPHA (((const oribi_cpu_activation *)state)->a)
#define MICRO_OPS(X)                                                                               \
    X(hard_swish, "ONNX>HardSwish", oribi_cpu_plain_create, 0)                                     \
    X(swish, "ONNX>Swish", oribi_cpu_alpha_create, ALPHA)
#define MICRO(id, op, create_fn, alpha) ORIBI_CPU_MICRO_UNARY(id, alpha)
#define MICRO_ROWS(id, op, create_fn, alpha)                                                       \
    ORIBI_CPU_MICRO_UNARY_ROWS(op, id, create_fn, oribi_kit_free)
MICRO_OPS(MICRO)

#define ROW(id, op, create_fn, T, dtype)                                                           \
    ORIBI_CPU_ROW(op, id##_##T, "plain loop", ORIBI_CPU_OF(dtype), .create = create_fn,            \
                  .destroy = oribi_kit_free),
#define ROWS(id, op, create_fn, expr)                                                              \
    ROW(id, op, create_fn, float, TF_FLOAT) ROW(id, op, create_fn, double, TF_DOUBLE)
/* clang-format off */
const oribi_cpu_kernel oribi_cpu_unary_onnx_kernels[] = {
    OPS(ROWS)
    MICRO_OPS(MICRO_ROWS)
    {.op_name = NULL},
};
/* clang-format on */
