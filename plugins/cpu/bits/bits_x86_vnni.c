/* SPDX-License-Identifier: Apache-2.0 */
/* Products with 4 bits for AVX-512 with VNNI: four products of bytes in a lane at once. See
 * bits_loops.h.
 */
#include "cpu/bits/bits.h"

#include "cpu/base/vector_x86_avx512.h"
#include "cpu/base/dot_x86_vnni.h"

#define ORIBI_ISA vnni
#define WIDTH     16
#define HAS_BYTES

typedef __m128i bytes;
static inline bytes bytes_of(vector x)
{
    const __m128i order = _mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
    return _mm_shuffle_epi8(_mm512_cvtepi32_epi8(_mm512_cvttps_epi32(x)), order);
}

static inline __m512i four_bytes(const int8_t *x)
{
    int32_t bits;
    __builtin_memcpy(&bits, x, sizeof bits);
    return _mm512_set1_epi32(bits);
}

static inline __attribute__((always_inline)) void
byte_products(const uint32_t *panel, int64_t panel_step, const int panels, const int n_words,
              const oribi_bits_row *x, const int rows, int64_t at, vector out[][1])
{
    const __m512i low_half = _mm512_set1_epi8(15);
    __m512i low_sums[ORIBI_BITS_ROWS], high_sums[ORIBI_BITS_ROWS];
    for (int i = 0; i < rows * panels; i++) {
        low_sums[i] = high_sums[i] = _mm512_setzero_si512();
    }
    for (int w = 0; w < n_words; w++, panel += ORIBI_BITS_COLUMNS, at += ORIBI_BITS_WORD) {
        for (int i = 0; i < rows * panels; i++) {
            const __m512i word = _mm512_load_si512(panel + i / rows * panel_step);
            const __m512i low = _mm512_and_si512(word, low_half);
            const __m512i high = _mm512_and_si512(_mm512_srli_epi16(word, 4), low_half);
            const int8_t *a = (const int8_t *)x[i % rows].values + at;
            low_sums[i] = oribi_dot_of_bytes(low_sums[i], low, four_bytes(a));
            high_sums[i] = oribi_dot_of_bytes(high_sums[i], high, four_bytes(a + 4));
        }
    }
    for (int i = 0; i < rows * panels; i++) {
        out[i][0] = _mm512_cvtepi32_ps(_mm512_add_epi32(low_sums[i], high_sums[i]));
    }
}

#include "cpu/bits/bits_loops.h"
