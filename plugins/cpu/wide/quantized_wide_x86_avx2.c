/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of int16 and of uint8 for AVX2. See quantized_wide_loops.h. */
#include "cpu/base/add_x86_avx2.h"
#include "cpu/base/unrolled.h"
#include "cpu/wide/quantized_wide.h"

#include <string.h>

#define ORIBI_ISA       avx2
#define OP(name)        _mm256_##name
#define BITS(name)      _mm256_##name##_si256
#define BLEND_ODD(a, b) _mm256_blend_epi32(a, b, 0xaa)
typedef __m256i vector;
enum { PIXELS = 6 };

static inline vector dot(vector sum, vector a, vector b)
{
    return oribi_add_in_place(sum, _mm256_madd_epi16(a, b));
}

/* x / 2^n of each int64, downwards; the lower half alone is right. */
static inline vector shifted(vector x, vector n)
{
    const vector most = _mm256_set1_epi64x(INT64_MIN);
    return _mm256_sub_epi64(_mm256_srlv_epi64(_mm256_xor_si256(x, most), n),
                            _mm256_srlv_epi64(most, n));
}

/* The first `count` of words, within the bounds of what they become. */
static inline void store(vector words, int32_t count, bool is_byte, char *out)
{
    const int32_t width = (int32_t)sizeof words / 2;
    char all[sizeof words];
    if (is_byte) {
        words = _mm256_permute4x64_epi64(_mm256_packus_epi16(words, words), 0xd8);
    }
    _mm256_storeu_si256((void *)all, words);
    if (count < width) {
        memcpy(out, all, (size_t)count * (is_byte ? 1 : 2));
    } else if (is_byte) {
        memcpy(out, all, sizeof all / 2);
    } else {
        memcpy(out, all, sizeof all);
    }
}

#include "cpu/wide/quantized_wide_loops.h"
