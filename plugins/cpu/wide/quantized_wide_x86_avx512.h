/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of quantized_wide_loops.h by vectors of 512 bits; `dot` is the set's own. */
#include "cpu/base/unrolled.h"

#include <string.h>

#define OP(name)        _mm512_##name
#define BITS(name)      _mm512_##name##_si512
#define BLEND_ODD(a, b) _mm512_mask_blend_epi32(0xaaaa, a, b)
typedef __m512i vector;
enum { PIXELS = 12 };

/* x / 2^n of each int64, downwards. */
static inline vector shifted(vector x, vector n)
{
    return _mm512_srav_epi64(x, n);
}

/* The first `count` of words, within the bounds of what they become. */
static inline void store(vector words, int32_t count, bool is_byte, char *out)
{
    const __mmask32 mask = count >= 32 ? ~(__mmask32)0 : ((__mmask32)1 << count) - 1;
    if (is_byte) {
        _mm256_mask_storeu_epi8(out, mask, _mm512_cvtepi16_epi8(words));
    } else {
        _mm512_mask_storeu_epi16(out, mask, words);
    }
}

#include "cpu/wide/quantized_wide_loops.h"
