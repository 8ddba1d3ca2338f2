/* SPDX-License-Identifier: Apache-2.0 */
/* One vector of floats, 4 lanes, as the templates gemm_tile.inc and depthwise_tile.inc ask for it.
 * For files compiled with the flags of the ISA only.
 */
#ifndef ORIBI_PLUGINS_CPU_VECTOR_ARM_NEON_H_
#define ORIBI_PLUGINS_CPU_VECTOR_ARM_NEON_H_

#include <arm_neon.h>

#define VECTOR_MASKS_COST /* see vector_x86_avx2.h */

enum { LANES = 4 };
typedef float32x4_t vector;
typedef int32_t vector_mask; /* lanes that count */

static inline vector_mask vector_mask_of(int32_t n)
{
    return n;
}

static inline vector vector_load(const float *from)
{
    return vld1q_f32(from);
}

__attribute__((noinline)) static vector lanes_load(vector_mask mask, const float *from)
{
    float lanes[LANES] = {0.0f};
    for (int32_t i = 0; i < mask; i++) {
        lanes[i] = from[i];
    }
    return vld1q_f32(lanes);
}

__attribute__((noinline)) static void lanes_store(float *to, vector_mask mask, vector value)
{
    float lanes[LANES];
    vst1q_f32(lanes, value);
    for (int32_t i = 0; i < mask; i++) {
        to[i] = lanes[i];
    }
}

static inline vector vector_load_part(vector_mask mask, const float *from)
{
    return mask >= LANES ? vld1q_f32(from) : lanes_load(mask, from);
}

static inline void vector_store_part(float *to, vector_mask mask, vector value)
{
    if (mask >= LANES) {
        vst1q_f32(to, value);
    } else {
        lanes_store(to, mask, value);
    }
}

/* At any address. */
static inline vector vector_load_loose(const float *from)
{
    return vector_load(from);
}

static inline void vector_store(float *to, vector value)
{
    vst1q_f32(to, value);
}

static inline vector vector_splat(float value)
{
    return vdupq_n_f32(value);
}

static inline vector vector_multiply_add(vector a, vector b, vector sum)
{
    return vfmaq_f32(sum, a, b);
}

static inline vector vector_add(vector a, vector b)
{
    return vaddq_f32(a, b);
}

static inline vector vector_bound(vector low, vector high, vector sum)
{
    return vminq_f32(high, vmaxq_f32(low, sum));
}

#endif
