/* SPDX-License-Identifier: Apache-2.0 */
/* One vector of floats, 8 lanes, as the templates gemm_tile.inc and depthwise_tile.inc ask for it.
 * For files compiled with the flags of the ISA only.
 */
#ifndef ORIBI_PLUGINS_CPU_VECTOR_X86_AVX2_H_
#define ORIBI_PLUGINS_CPU_VECTOR_X86_AVX2_H_

#include <immintrin.h>

#define VECTOR_MASKS_COST /* instructions: full vectors are worth kernels of their own */

enum { LANES = 8 };
typedef __m256 vector;
typedef __m256i vector_mask;

static inline vector_mask vector_mask_of(int32_t n)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lanes);
}

static inline vector vector_load_part(vector_mask mask, const float *from)
{
    return _mm256_maskload_ps(from, mask);
}

/* A masked store is microcode on some processors, 12 cycles and more: a full one is told apart, and
 * the lanes of a part go four, two and one at a time. */
static inline void vector_store_part(float *to, vector_mask mask, vector value)
{
    int lanes = _mm256_movemask_ps(_mm256_castsi256_ps(mask)); /* a bit each, from the lowest on */
    if (lanes == 0xff) {
        _mm256_storeu_ps(to, value);
        return;
    }
    __m128 part = _mm256_castps256_ps128(value);
    if ((lanes & 8) != 0) {
        _mm_storeu_ps(to, part);
        part = _mm256_extractf128_ps(value, 1);
        to += 4;
        lanes >>= 4;
    }
    if ((lanes & 2) != 0) {
        _mm_storel_pi((__m64 *)(void *)to, part);
        part = _mm_movehl_ps(part, part);
        to += 2;
        lanes >>= 2;
    }
    if ((lanes & 1) != 0) {
        _mm_store_ss(to, part);
    }
}

static inline vector vector_load(const float *from)
{
    return _mm256_load_ps(from);
}

/* At any address. */
static inline vector vector_load_loose(const float *from)
{
    return _mm256_loadu_ps(from);
}

static inline void vector_store(float *to, vector value)
{
    _mm256_storeu_ps(to, value);
}

static inline vector vector_splat(float value)
{
    return _mm256_set1_ps(value);
}

static inline vector vector_multiply_add(vector a, vector b, vector sum)
{
    return _mm256_fmadd_ps(a, b, sum);
}

static inline vector vector_add(vector a, vector b)
{
    return _mm256_add_ps(a, b);
}

/* The sum stands second in both: a NaN in it comes through. */
static inline vector vector_bound(vector low, vector high, vector sum)
{
    return _mm256_min_ps(high, _mm256_max_ps(low, sum));
}

#endif
