/* SPDX-License-Identifier: Apache-2.0 */
/* Fast f32 loops of the unary ops and their rows; the including file is compiled for one ISA and
 * defines ORIBI_ISA (cpu/base/isa.h). Included once in each.
 */
#include "cpu/elementwise/elementwise.h"
#include "cpu/base/families.h"
#include "cpu/base/vector_math.h"

#define UNARY_WHY "branch-free loop that compilers vectorise, " ORIBI_ISA_NAME

#define FAST_OPS(X)                                                                                \
    X(abs, "Abs", 1, 0, __builtin_fabsf(v))                                                        \
    X(neg, "Neg", 1, 0, -v)                                                                        \
    X(square, "Square", 1, 0, v *v)                                                                \
    X(relu, "Relu", 1, 0, v < 0.0f ? 0.0f : v)                                                     \
    X(relu6, "Relu6", 1, 0, clip(v, 0.0f, 6.0f))                                                   \
    X(sqrt, "Sqrt", 2, 1e-6, __builtin_sqrtf(v))                                                   \
    X(rsqrt, "Rsqrt", 2, 1e-6, 1.0f / __builtin_sqrtf(v))                                          \
    X(reciprocal, "Reciprocal", 2, 1e-6, 1.0f / v)                                                 \
    X(log, "Log", 4, 1e-6, vector_log(v))                                                          \
    X(sigmoid, "Sigmoid", 4, 1e-6, vector_sigmoid(v))                                              \
    X(tanh, "Tanh", 4, 1e-6, vector_tanh(v))                                                       \
    X(elu, "Elu", 4, 1e-6,                                                                         \
      vector_expm1_negative(pick(v > 0.0f, 0.0f, v)) + pick(v > 0.0f, v, 0.0f))                    \
    X(selu, "Selu", 4, 1e-6,                                                                       \
      1.75809934f * vector_expm1_negative(pick(v > 0.0f, 0.0f, v)) +                               \
          1.05070099f * pick(v > 0.0f, v, 0.0f))                                                   \
    X(softplus, "Softplus", 8, 1e-6, vector_softplus(v))                                           \
    X(erf, "Erf", 6, 1e-6, vector_erf(v))                                                          \
    X(softsign, "Softsign", 2, 1e-6, v / (1.0f + __builtin_fabsf(v)))

/* Those of ONNX, whose state has the numbers a and b. */
#define STATE_OPS(X)                                                                               \
    X(hard_sigmoid, "ONNX>HardSigmoid", oribi_cpu_alpha_beta_create, 1, 1e-6,                      \
      clip(ORIBI_FMA(a, v, b), 0.0f, 1.0f))                                                        \
    X(hard_swish, "ONNX>HardSwish", oribi_cpu_plain_create, 1, 1e-6,                               \
      v *clip(ORIBI_FMA(v, 1.0f / 6.0f, 0.5f), 0.0f, 1.0f))                                        \
    X(leaky_relu, "LeakyRelu", oribi_cpu_alpha_create, 1, 0, pick(v < 0.0f, a * v, v))             \
    X(mish, "ONNX>Mish", oribi_cpu_plain_create, 6, 1e-6, vector_mish(v))                          \
    X(swish, "ONNX>Swish", oribi_cpu_alpha_create, 6, 1e-6, vector_gate(v, a *v))

/* NaN passes: both comparisons are false. */
static inline float clip(float v, float low, float high)
{
    v = v < low ? low : v;
    return v > high ? high : v;
}

#define LOOP(id, cost, expr)                                                                       \
    static void id##_loop(void *object, int64_t begin, int64_t end)                                \
    {                                                                                              \
        const oribi_kit_elements *work = object;                                                   \
        const float *x = work->x;                                                                  \
        float *y = work->y;                                                                        \
        NUMBERS                                                                                    \
        ORIBI_CPU_NO_ALIAS                                                                         \
        for (int64_t i = begin; i < end; i++) {                                                    \
            float v = x[i];                                                                        \
            y[i] = (expr);                                                                         \
        }                                                                                          \
    }                                                                                              \
    static void id##_compute(void *state, TF_OpKernelContext *context)                             \
    {                                                                                              \
        oribi_kit_unary(context, state, id##_loop, cost);                                          \
    }
#define FAST_LOOP(id, op, cost, tolerance, expr)          LOOP(id, cost, expr)
#define STATE_LOOP(id, op, create, cost, tolerance, expr) LOOP(id, cost, expr)
#define NUMBERS
FAST_OPS(FAST_LOOP)
#ifdef ORIBI_CPU_EXP /* a loop of the set's own */
static void exp_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_unary(context, state, ORIBI_CPU_EXP, 4);
}
#else
LOOP(exp, 4, vector_exp(v))
#endif
#undef NUMBERS
#define NUMBERS                                                                                    \
    const oribi_cpu_activation *own = work->state;                                                 \
    const float a = own->a, b = own->b;                                                            \
    (void)a;                                                                                       \
    (void)b;
STATE_OPS(STATE_LOOP)
LOOP(gelu_by_erf, 8, vector_gelu(v))
LOOP(gelu_by_tanh, 8, vector_gelu_tanh(v))

static void gelu_compute(void *state, TF_OpKernelContext *context)
{
    const oribi_cpu_activation *own = state;
    (own->a != 0.0f ? gelu_by_tanh_compute : gelu_by_erf_compute)(state, context);
}

#define ROW(id, op, create_fn, destroy_fn, relative)                                               \
    ORIBI_CPU_ISA_ROW(op, ORIBI_ISA, id, UNARY_WHY, ORIBI_CPU_OF(TF_FLOAT), .create = create_fn,   \
                      .destroy = destroy_fn, .tolerance = (float)(relative)),
#define FAST_ROW(id, op, cost, relative, expr) ROW(id, op, NULL, NULL, relative)
#define STATE_ROW(id, op, create, cost, relative, expr)                                            \
    ROW(id, op, create, oribi_kit_free, relative)
/* clang-format off */
const oribi_cpu_kernel ORIBI_ISA_TABLE(unary)[] = {
    FAST_OPS(FAST_ROW)
    STATE_OPS(STATE_ROW)
    ROW(exp, "Exp", NULL, NULL, 1e-6)
    ROW(gelu, "ONNX>Gelu", oribi_cpu_gelu_create, oribi_kit_free, 1e-6)
    {.op_name = NULL},
};
/* clang-format on */
