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
    int8_t n_apart;
} ending;

static inline ending ending_of(const oribi_quantized_panels *p, int32_t first)
{
    const ending e = {_mm512_loadu_ps(p->factor + first),
                      _mm512_loadu_ps(p->term + first),
                      _mm512_set1_epi32(p->sign),
                      _mm512_set1_epi32(p->added),
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

/* Sums that are apart, from the k-th on, become their neighbours, whose results they have. */
ALWAYS __m512i corrected(const ending *e, __m512i sums, int32_t k)
{
    for (; k < e->n_apart; k++) {
        const __mmask16 is_apart = _mm512_cmpeq_epi32_mask(sums, load(e->apart + k * ORIBI_PANEL));
        sums = _mm512_mask_add_epi32(sums, is_apart, sums, load(e->more + k * ORIBI_PANEL));
    }
    return sums;
}

/* Results before `added`, by floats: quantized_panels.h. */
ALWAYS __m512i rounded(const ending *e, __m512i sums)
{
    const __m512 x = _mm512_cvtepi32_ps(sums);
    return _mm512_cvtps_epi32(_mm512_fmadd_ps(x, e->factor, tie_of(x, e->sign, e->term)));
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

/* Results of a panel by integers. */
void oribi_quantized_vnni_exactly(const oribi_quantized_panels *p, int32_t first,
                                  const __m512i *sums, int32_t n, __mmask16 mask, int8_t *out,
                                  int64_t stride);

/* oribi_quantized_simd.depthwise */
void oribi_quantized_vnni_depthwise(const oribi_quantized_panels *p, const int8_t *const *taps,
                                    int32_t n_pixels, int64_t step, int32_t slide, int8_t *out);

#endif
