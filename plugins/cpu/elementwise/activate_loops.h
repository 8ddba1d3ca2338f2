/* SPDX-License-Identifier: Apache-2.0 */
/* Activations at the end of a product, of a row that is still in cache; the including file is
 * compiled for one ISA and defines ORIBI_ISA (cpu/base/isa.h).
 */
#include "cpu/elementwise/elementwise.h"
#include "cpu/product/epilogue.h"
#include "cpu/base/vector_math.h"

#define ACTIVATE_NAME_(set) oribi_activate_##set
#define ACTIVATE_NAME(set)  ACTIVATE_NAME_(set)

#define EACH(expr)                                                                                 \
    ORIBI_CPU_NO_ALIAS                                                                             \
    for (int64_t i = 0; i < count; i++) {                                                          \
        const float v = row[i];                                                                    \
        row[i] = (expr);                                                                           \
    }                                                                                              \
    break

/* NaN passes. */
static inline float unit(float v)
{
    v = v < 0.0f ? 0.0f : v;
    return v > 1.0f ? 1.0f : v;
}

void ACTIVATE_NAME(ORIBI_ISA)(const oribi_epilogue *epilogue, const float *slope, float *row,
                              int64_t count)
{
    const float alpha = epilogue->alpha;
    switch (epilogue->activation) {
    case ORIBI_ACTIVATION_NONE:
    case ORIBI_ACTIVATION_BOUND:
        break;
    case ORIBI_ACTIVATION_ELU:
        EACH(vector_expm1_negative(pick(v > 0.0f, 0.0f, v)) + pick(v > 0.0f, v, 0.0f));
    case ORIBI_ACTIVATION_LEAKY_RELU:
        EACH(pick(v < 0.0f, alpha * v, v));
    case ORIBI_ACTIVATION_SIGMOID:
        EACH(vector_sigmoid(v));
    case ORIBI_ACTIVATION_TANH:
        EACH(vector_tanh(v));
    case ORIBI_ACTIVATION_SWISH:
        EACH(vector_gate(v, v));
    case ORIBI_ACTIVATION_HARD_SWISH:
        EACH(v * unit(ORIBI_FMA(v, 1.0f / 6.0f, 0.5f)));
    case ORIBI_ACTIVATION_PRELU:
        EACH(pick(v < 0.0f, slope[i] * v, v));
    }
}
