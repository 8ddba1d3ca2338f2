/* SPDX-License-Identifier: Apache-2.0 */
/* AVX-512 micro-kernel for a last panel of 17 to 24 columns, which would leave a quarter of two
 * vectors empty: k goes in pairs, so 24 columns fill three vectors, and one broadcast of 64 bits
 * brings two neighbours of a row. The halves of each sum meet at the end. See gemm.h for the
 * contract and gemm_pack.c for the order of the panel.
 */
#include "cpu/product/gemm.h"

#include "cpu/product/gemm_repeat.h"
#include "cpu/base/vector_x86_avx512.h"

#include <string.h>

enum { PART_ROWS = 6 }; /* 18 sums: a tile of 12 rows is made in two passes */

static inline vector pair_splat(const float *from)
{
    double pair;
    memcpy(&pair, from, sizeof pair);
    return _mm512_castpd_ps(_mm512_set1_pd(pair));
}

/* Lanes 2i and 2i + 1 of (a, b) added: 16 sums in order. */
static inline vector pair_sum(vector a, vector b)
{
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    return _mm512_add_ps(_mm512_permutex2var_ps(a, even, b), _mm512_permutex2var_ps(a, odd, b));
}

/* Sums of one row, columns from `column` on, on their way out. */
static inline void pair_store(const oribi_gemm_tile *tile, int32_t row, int32_t column, vector sum)
{
    const vector_mask mask = vector_mask_of(tile->n - column);
    float *c = tile->c + row * tile->c_stride + column;
    if (tile->resume) {
        sum = vector_add(sum, vector_load_part(mask, c));
    }
    if (tile->finish) {
        if (tile->bias != NULL) {
            sum = vector_add(sum, vector_load_part(mask, tile->bias + column));
        }
        if (tile->residual != NULL) {
            const float *residual = tile->residual + row * tile->residual_stride + column;
            sum = vector_add(sum, vector_load_part(mask, residual));
        }
        sum = vector_bound(vector_splat(tile->low), vector_splat(tile->high), sum);
    }
    vector_store_part(c, mask, sum);
}

/* clang-format off */
#define START(i)                                                                                   \
    vector a##i = vector_splat(0.0f), b##i = vector_splat(0.0f), c##i = vector_splat(0.0f);
#define POINTER(i) const float *restrict row##i = rows[i];
#define STEP(i)                                                                                    \
    {                                                                                              \
        const vector pair = pair_splat(row##i + k);                                                \
        a##i = vector_multiply_add(pair, panel0, a##i);                                            \
        b##i = vector_multiply_add(pair, panel1, b##i);                                            \
        c##i = vector_multiply_add(pair, panel2, c##i);                                            \
    }
#define STORE(i)                                                                                   \
    pair_store(tile, first + i, 0, pair_sum(a##i, b##i));                                          \
    pair_store(tile, first + i, LANES, pair_sum(c##i, c##i));
#define KERNEL(height)                                                                                  \
    static void pairs_##height(const oribi_gemm_tile *tile, int32_t first)                              \
    {                                                                                              \
        const float *const *rows = tile->rows + first;                                             \
        const float *panel = tile->panel;                                                          \
        const int64_t depth = tile->depth;                                                         \
        ORIBI_REPEAT_##height(START)                                                                    \
        for (int64_t tap = tile->n_taps; tap > 0; tap--, rows += tile->m) {                        \
            ORIBI_REPEAT_##height(POINTER)                                                              \
            for (int64_t k = 0; k < depth; k += 2, panel += 3 * LANES) {                           \
                const vector panel0 = vector_load(panel), panel1 = vector_load(panel + LANES);     \
                const vector panel2 = vector_load(panel + 2 * LANES);                              \
                ORIBI_REPEAT_##height(STEP)                                                             \
            }                                                                                      \
        }                                                                                          \
        ORIBI_REPEAT_##height(STORE)                                                                    \
    }

ORIBI_EACH_TO_6(KERNEL)
#define NAME(m) pairs_##m,
static void (*const kernels[PART_ROWS])(const oribi_gemm_tile *, int32_t) = {
    ORIBI_EACH_TO_6(NAME)};
/* clang-format on */

void oribi_gemm_pairs_avx512(const oribi_gemm_tile *tile)
{
    const int32_t half = tile->m > PART_ROWS ? (tile->m + 1) / 2 : tile->m;
    for (int32_t first = 0; first < tile->m; first += half) {
        const int32_t rest = tile->m - first;
        kernels[(rest < half ? rest : half) - 1](tile, first);
    }
}
