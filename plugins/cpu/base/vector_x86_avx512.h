/* SPDX-License-Identifier: Apache-2.0 */
/* One vector of floats, 16 lanes, as the templates gemm_tile.inc and depthwise_tile.inc ask for it.
 * For files compiled with the flags of the ISA only.
 */
#ifndef ORIBI_PLUGINS_CPU_VECTOR_X86_AVX512_H_
#define ORIBI_PLUGINS_CPU_VECTOR_X86_AVX512_H_

#include <immintrin.h>

enum { LANES = 16 };
typedef __m512 vector;
typedef __mmask16 vector_mask;

static inline vector_mask vector_mask_of(int32_t n)
{
    unsigned bits = n >= LANES ? 0xffffu : n <= 0 ? 0u : (1u << n) - 1u;
    return (vector_mask)bits; /* one cast: a conditional of masks is an int again */
}

static inline vector vector_load_part(vector_mask mask, const float *from)
{
    return _mm512_maskz_loadu_ps(mask, from);
}

static inline void vector_store_part(float *to, vector_mask mask, vector value)
{
    _mm512_mask_storeu_ps(to, mask, value);
}

static inline vector vector_load(const float *from)
{
    return _mm512_load_ps(from);
}

/* At any address. */
static inline vector vector_load_loose(const float *from)
{
    return _mm512_loadu_ps(from);
}

static inline void vector_store(float *to, vector value)
{
    _mm512_storeu_ps(to, value);
}

static inline vector vector_splat(float value)
{
    return _mm512_set1_ps(value);
}

static inline vector vector_multiply_add(vector a, vector b, vector sum)
{
    return _mm512_fmadd_ps(a, b, sum);
}

static inline vector vector_add(vector a, vector b)
{
    return _mm512_add_ps(a, b);
}

/* The sum stands second in both: a NaN in it comes through. */
static inline vector vector_bound(vector low, vector high, vector sum)
{
    return _mm512_min_ps(high, _mm512_max_ps(low, sum));
}

#endif
