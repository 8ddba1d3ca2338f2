/* SPDX-License-Identifier: Apache-2.0 */
/* Products with 4 bits for AVX2 and FMA. Rounded rows are bytes: a sum of two products is at most
 * 2 * 15 * 127, so that vpmaddubsw does not saturate, and eight of such sums fit int16. See
 * bits_loops.h.
 */
#include "cpu/bits/bits.h"

#include "cpu/base/vector_x86_avx2.h"

#define ORIBI_ISA avx2
#define WIDTH     8
#define HAS_BYTES

enum { WORDS_IN_16 = 4 }; /* whose sums fit int16 */

typedef int64_t bytes;
static inline bytes bytes_of(vector x)
{
    const __m128i order = _mm_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i places = _mm256_cvttps_epi32(x);
    const __m128i pairs =
        _mm_packs_epi32(_mm256_castsi256_si128(places), _mm256_extracti128_si256(places, 1));
    return _mm_cvtsi128_si64(_mm_shuffle_epi8(pairs, order));
}

static inline __m256i four_bytes(const int8_t *x)
{
    int32_t bits;
    __builtin_memcpy(&bits, x, sizeof bits);
    return _mm256_set1_epi32(bits);
}

static inline __attribute__((always_inline)) void
byte_products(const uint32_t *panel, int64_t panel_step, const int panels, const int n_words,
              const oribi_bits_row *x, const int rows, int64_t at,
              vector out[][ORIBI_BITS_COLUMNS / LANES])
{
    enum { VECTORS_HERE = ORIBI_BITS_COLUMNS / LANES };
    const __m256i low_half = _mm256_set1_epi8(15), ones = _mm256_set1_epi16(1);
    const int n = rows * panels * VECTORS_HERE;
    __m256i sums[ORIBI_BITS_ROWS * VECTORS_HERE], narrow[ORIBI_BITS_ROWS * VECTORS_HERE];
    for (int i = 0; i < n; i++) {
        sums[i] = _mm256_setzero_si256();
    }
    for (int first = 0; first < n_words; first += WORDS_IN_16) {
        const int end = n_words - first < WORDS_IN_16 ? n_words : first + WORDS_IN_16;
        for (int i = 0; i < n; i++) {
            narrow[i] = _mm256_setzero_si256();
        }
        for (int w = first; w < end; w++, panel += ORIBI_BITS_COLUMNS, at += ORIBI_BITS_WORD) {
            for (int i = 0; i < panels * VECTORS_HERE; i++) {
                const uint32_t *words = panel + i / VECTORS_HERE * panel_step;
                const __m256i word = _mm256_load_si256(
                    (const __m256i *)(const void *)(words + i % VECTORS_HERE * LANES));
                const __m256i low = _mm256_and_si256(word, low_half);
                const __m256i high = _mm256_and_si256(_mm256_srli_epi16(word, 4), low_half);
                for (int r = 0; r < rows; r++) {
                    const int8_t *a = (const int8_t *)x[r].values + at;
                    const __m256i pairs =
                        _mm256_add_epi16(_mm256_maddubs_epi16(low, four_bytes(a)),
                                         _mm256_maddubs_epi16(high, four_bytes(a + 4)));
                    __m256i *sum = &narrow[i * rows + r];
                    *sum = _mm256_add_epi16(*sum, pairs);
                }
            }
        }
        for (int i = 0; i < n; i++) {
            sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(narrow[i], ones));
        }
    }
    for (int i = 0; i < n; i++) { /* i: panel, vector, row */
        const int v = i / rows % VECTORS_HERE, to = i / rows / VECTORS_HERE * rows + i % rows;
        out[to][v] = _mm256_cvtepi32_ps(sums[i]);
    }
}

#include "cpu/bits/bits_loops.h"
