/* SPDX-License-Identifier: Apache-2.0 */
/* Products with 4 bits for AVX2 and FMA. Rounded rows are bytes: a sum of two products is at most
 * 2 * 15 * 127, so that vpmaddubsw does not saturate, and eight of such sums fit int16. See
 * bits_loops.h.
 */
#include "cpu/bits/bits.h"

#include "cpu/base/vector_x86_avx2.h"

#define ORIBI_ISA avx2
#define HAS_BYTES

enum { WORDS_IN_16 = 4 }; /* whose sums fit int16 */

static inline __m256i four_bytes(const int8_t *x)
{
    int32_t bits;
    __builtin_memcpy(&bits, x, sizeof bits);
    return _mm256_set1_epi32(bits);
}

static inline __attribute__((always_inline)) void
byte_products(const uint32_t *panel, int32_t n_words, const oribi_bits_row *x, const int rows,
              int64_t at, vector out[][ORIBI_BITS_COLUMNS / LANES])
{
    enum { VECTORS_HERE = ORIBI_BITS_COLUMNS / LANES };
    const __m256i low_half = _mm256_set1_epi8(15), ones = _mm256_set1_epi16(1);
    __m256i sums[ORIBI_BITS_ROWS][VECTORS_HERE];
    for (int i = 0; i < rows * VECTORS_HERE; i++) {
        sums[i / VECTORS_HERE][i % VECTORS_HERE] = _mm256_setzero_si256();
    }
    for (int32_t first = 0; first < n_words; first += WORDS_IN_16) {
        const int32_t end = n_words - first < WORDS_IN_16 ? n_words : first + WORDS_IN_16;
        __m256i narrow[ORIBI_BITS_ROWS][VECTORS_HERE];
        for (int i = 0; i < rows * VECTORS_HERE; i++) {
            narrow[i / VECTORS_HERE][i % VECTORS_HERE] = _mm256_setzero_si256();
        }
        for (int32_t w = first; w < end; w++, panel += ORIBI_BITS_COLUMNS, at += ORIBI_BITS_WORD) {
            for (int v = 0; v < VECTORS_HERE; v++) {
                const __m256i word =
                    _mm256_load_si256((const __m256i *)(const void *)(panel + v * LANES));
                const __m256i low = _mm256_and_si256(word, low_half);
                const __m256i high = _mm256_and_si256(_mm256_srli_epi16(word, 4), low_half);
                for (int r = 0; r < rows; r++) {
                    const int8_t *a = (const int8_t *)x[r].values + at;
                    const __m256i pairs =
                        _mm256_add_epi16(_mm256_maddubs_epi16(low, four_bytes(a)),
                                         _mm256_maddubs_epi16(high, four_bytes(a + 4)));
                    narrow[r][v] = _mm256_add_epi16(narrow[r][v], pairs);
                }
            }
        }
        for (int r = 0; r < rows; r++) {
            for (int v = 0; v < VECTORS_HERE; v++) {
                sums[r][v] = _mm256_add_epi32(sums[r][v], _mm256_madd_epi16(narrow[r][v], ones));
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < VECTORS_HERE; v++) {
            out[r][v] = _mm256_cvtepi32_ps(sums[r][v]);
        }
    }
}

#include "cpu/bits/bits_loops.h"
