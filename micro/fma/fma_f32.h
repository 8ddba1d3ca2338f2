/* SPDX-License-Identifier: Apache-2.0 */
/* Fused multiply-add: sum + x * weight, rounded once. The core's instruction where the compiler
 * says that there is one, else the same bits by arithmetic of double; nothing is asked of libm.
 * Kernels add products by it (conv2d_f32_body.h).
 */
#ifndef ORIBI_MICRO_FMA_F32_H_
#define ORIBI_MICRO_FMA_F32_H_

#include "micro/float_rules.h"
#include "micro/vector_f32.h"

#if defined(__GNUC__) && !defined(ORIBI_MICRO_PLAIN_C)
#if defined(__FMA__) && ORIBI_MICRO_F32_WIDTH == 8
#include <immintrin.h>
#define ORIBI_MICRO_FUSED_VECTORS
#elif defined(__aarch64__)
#include <arm_neon.h>
#define ORIBI_MICRO_FUSED_VECTORS
#endif
#if defined(__clang__) && defined(__arm__) && defined(__ARM_FEATURE_FMA)
/* Where no GNU system is the target, clang calls fmaf. */
#define ORIBI_MICRO_FUSED_ASM(sum, x, weight)                                                      \
    __asm("vfma.f32 %0, %1, %2" : "+t"(sum) : "t"(x), "t"(weight))
#elif defined(__clang__) && defined(__riscv) && defined(__riscv_flen)
#define ORIBI_MICRO_FUSED_ASM(sum, x, weight)                                                      \
    __asm("fmadd.s %0, %1, %2, %0" : "+f"(sum) : "f"(x), "f"(weight))
#elif defined(__FP_FAST_FMAF) || defined(__FMA__) || defined(__aarch64__)
#define ORIBI_MICRO_FUSED_BUILTIN
#endif
#endif

#if !defined(ORIBI_MICRO_FUSED_ASM) && !defined(ORIBI_MICRO_FUSED_BUILTIN)
/* The product of two floats is exact in double. The sum is not: what it lost says to which side the
 * value lies, and a last bit that is odd then keeps the way to float, which has 29 bits less, from
 * taking it for a tie or for exact. */
static inline float oribi_micro_fused_in_double(float sum, float x, float weight)
{
    union {
        double value;
        uint64_t bits;
    } near;
    const double product = (double)x * (double)weight;
    near.value = product + (double)sum;
    const double added = near.value - product;
    const double lost = (product - (near.value - added)) + ((double)sum - added);
    if ((lost < 0.0 || lost > 0.0) && near.bits % 2U == 0U) { /* neither where it is no number */
        near.bits += (lost > 0.0) == (near.value > 0.0) ? UINT64_C(1) : UINT64_MAX;
    }
    return (float)near.value;
}
#endif

static inline float oribi_micro_fused_f32(float sum, float x, float weight)
{
#if defined(ORIBI_MICRO_FUSED_ASM)
    ORIBI_MICRO_FUSED_ASM(sum, x, weight);
    return sum;
#elif defined(ORIBI_MICRO_FUSED_BUILTIN)
    return __builtin_fmaf(x, weight, sum);
#else
    return oribi_micro_fused_in_double(sum, x, weight);
#endif
}

#if defined(ORIBI_MICRO_F32_HELIUM)
#define ORIBI_MICRO_FUSED_F32S(sum, x, weight) oribi_micro_mve_fused_f32s(sum, x, weight)
#elif ORIBI_MICRO_F32_WIDTH > 1
static inline oribi_micro_f32s oribi_micro_fused_f32s(oribi_micro_f32s sum, oribi_micro_f32s x,
                                                      oribi_micro_f32s weight)
{
#if !defined(ORIBI_MICRO_FUSED_VECTORS)
    for (int32_t k = 0; k < ORIBI_MICRO_F32_WIDTH; k++) {
        sum[k] = oribi_micro_fused_f32(sum[k], x[k], weight[k]);
    }
    return sum;
#elif ORIBI_MICRO_F32_WIDTH == 8
    return (oribi_micro_f32s)_mm256_fmadd_ps((__m256)x, (__m256)weight, (__m256)sum);
#else
    return (oribi_micro_f32s)vfmaq_f32((float32x4_t)sum, (float32x4_t)x, (float32x4_t)weight);
#endif
}
/* x may be one value for all: what nought is taken off becomes a vector, and stays what it is. */
#define ORIBI_MICRO_FUSED_F32S(sum, x, weight)                                                     \
    oribi_micro_fused_f32s(sum, (x) - (oribi_micro_f32s){0}, weight)
#else
#define ORIBI_MICRO_FUSED_F32S(sum, x, weight) oribi_micro_fused_f32(sum, x, weight)
#endif

#endif
