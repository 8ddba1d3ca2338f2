/* SPDX-License-Identifier: Apache-2.0 */
/* What int8 layers with VNNI share: the ends of their sums, 16 channels at a time.
 * quantized_panels_x86_vnni.c has their tiles, quantized_depthwise_x86_vnni.c windows of a channel.
 */
#ifndef ORIBI_PLUGINS_CPU_QUANTIZED_RESULTS_X86_VNNI_H_
#define ORIBI_PLUGINS_CPU_QUANTIZED_RESULTS_X86_VNNI_H_

#include "cpu/base/dot_x86_vnni.h"
#include "cpu/base/unrolled.h"
#include "cpu/quantised/quantized_panels.h"

enum {
    GROUP = 4,
    PANEL_BYTES = GROUP * ORIBI_PANEL /* of a group */
};

static inline __m512i load(const void *from)
{
    return _mm512_loadu_si512(from);
}

static inline __mmask64 below(int64_t count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* Holds what the results of a panel need. */
typedef struct ending {
    __m512 factor, term;
    __m512i sign, added, low, high;
    const int32_t *apart, *more;
    __mmask16 mask; /* channels that exist */
    int32_t n_apart;
} ending;

static inline ending ending_of(const oribi_quantized_panels *p, int32_t first)
{
    const ending e = {_mm512_loadu_ps(p->factor + first),
                      _mm512_loadu_ps(p->term + first),
                      _mm512_set1_epi32(p->sign),
                      _mm512_set1_epi32(p->n_apart[first / ORIBI_PANEL] < 0 ? p->zero : p->added),
                      _mm512_set1_epi32(p->low),
                      _mm512_set1_epi32(p->high),
                      p->apart + first * ORIBI_MOST_APART,
                      p->more + first * ORIBI_MOST_APART,
                      (__mmask16)below(p->n_channels - first),
                      p->n_apart[first / ORIBI_PANEL]};
    return e;
}

/* `tie` with the sign of x where `sign` says so. */
ALWAYS __m512 tie_of(__m512 x, __m512i sign, __m512 tie)
{
    enum { FIRST_AND_SECOND_OR_THIRD = 0xea };
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
        _mm512_castps_si512(x), sign, _mm512_castps_si512(tie), FIRST_AND_SECOND_OR_THIRD));
}

/* Sums, n of which are apart, become their neighbours, whose results they have. */
ALWAYS __m512i corrected(const ending *e, __m512i sums, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        const __mmask16 is_apart = _mm512_cmpeq_epi32_mask(sums, load(e->apart + k * ORIBI_PANEL));
        sums = _mm512_mask_add_epi32(sums, is_apart, sums, load(e->more + k * ORIBI_PANEL));
    }
    return sums;
}

/* Results before `added`, by floats: quantized_panels.h. */
ALWAYS __m512i rounded_of(__m512 x, __m512 factor, __m512 term, __m512i sign)
{
    return _mm512_cvtps_epi32(_mm512_fmadd_ps(x, factor, tie_of(x, sign, term)));
}

ALWAYS __m512i rounded_by(__m512i sums, __m512 factor, __m512 term, __m512i sign)
{
    return rounded_of(_mm512_cvtepi32_ps(sums), factor, term, sign);
}

ALWAYS __m512i rounded(const ending *e, __m512i sums)
{
    return rounded_by(sums, e->factor, e->term, e->sign);
}

/* oribi_micro_scale (micro/fixed_point.h) of 16 sums: a high product rounded with ties up, then a
 * shift rounded with ties away from zero. A product never leaves int32, as multipliers are at least
 * 0. */
static inline __m512i scale(__m512i x, __m512i multiplier, __m512i left, __m512i right)
{
    const __m512i half = _mm512_set1_epi64(INT64_C(1) << 30), one = _mm512_set1_epi32(1);
    x = _mm512_sllv_epi32(x, left);
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(x, multiplier), half);
    const __m512i odd = _mm512_add_epi64(
        _mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(multiplier, 32)), half);
    x = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 31), _mm512_slli_epi64(odd, 1));
    const __m512i mask = _mm512_sub_epi32(_mm512_sllv_epi32(one, right), one);
    const __m512i threshold =
        _mm512_sub_epi32(_mm512_srli_epi32(mask, 1), _mm512_srai_epi32(x, 31));
    const __mmask16 up = _mm512_cmpgt_epi32_mask(_mm512_and_si512(x, mask), threshold);
    x = _mm512_srav_epi32(x, right);
    return _mm512_mask_add_epi32(x, up, x, one);
}

static inline void store(__m128i bytes, __mmask16 mask, int8_t *out)
{
    if (mask == 0xffff) {
        _mm_storeu_si128((void *)out, bytes);
    } else {
        _mm_mask_storeu_epi8(out, mask, bytes);
    }
}

static inline __m128i bytes_of(const ending *e, __m512i results)
{
    const __m512i all = _mm512_add_epi32(results, e->added);
    return _mm512_cvtepi32_epi8(_mm512_min_epi32(_mm512_max_epi32(all, e->low), e->high));
}

/* What is added to results in int16, and bounds of bytes. */
typedef struct bounds {
    __m512i added, low, high;
} bounds;

/* The bytes of four vectors of results, one behind the other. */
ALWAYS __m512i four_of(const bounds *of, __m512i a, __m512i b, __m512i c, __m512i d)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i ab = _mm512_adds_epi16(_mm512_packs_epi32(a, b), of->added);
    const __m512i cd = _mm512_adds_epi16(_mm512_packs_epi32(c, d), of->added);
    const __m512i bytes = _mm512_max_epi8(_mm512_packs_epi16(ab, cd), of->low);
    return _mm512_permutexvar_epi32(order, _mm512_min_epi8(bytes, of->high));
}

/* Results of n pixels of a panel, whose first channel is `first`, those of one `stride` behind
 * those of the one before. */
void oribi_quantized_vnni_finish(const oribi_quantized_panels *p, int32_t first,
                                 const __m512i *sums, int32_t n, int8_t *out, int64_t stride);

/* oribi_quantized_simd.depthwise */
void oribi_quantized_vnni_depthwise(const oribi_quantized_panels *p, const int8_t *const *taps,
                                    int32_t n_pixels, int64_t step, int32_t slide, int8_t *out);

#endif
