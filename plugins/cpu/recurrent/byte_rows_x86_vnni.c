/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of bytes for AVX-512 with VNNI, which multiplies and adds four bytes at once.
 * See byte_rows.h.
 */
#include "cpu/recurrent/byte_rows.h"

#include <immintrin.h>
#include <string.h>

enum { ROWS = 4, STEP = ORIBI_BYTE_COLUMNS * ORIBI_BYTE_GROUP };

static inline __m512i four_of(const uint8_t *x, int64_t group)
{
    int32_t bits;
    memcpy(&bits, x + group * ORIBI_BYTE_GROUP, sizeof bits);
    return _mm512_set1_epi32(bits);
}

static void tile_whole(const uint8_t *const *x, const int8_t *panel, int64_t groups, int32_t *sums)
{
    __m512i sum[ROWS];
    for (int r = 0; r < ROWS; r++) {
        sum[r] = _mm512_setzero_si512();
    }
    for (int64_t g = 0; g < groups; g++) {
        const __m512i weights = _mm512_load_si512(panel + g * STEP);
        for (int r = 0; r < ROWS; r++) {
            sum[r] = _mm512_dpbusd_epi32(sum[r], four_of(x[r], g), weights);
        }
    }
    for (int r = 0; r < ROWS; r++) {
        _mm512_storeu_si512(sums + r * ORIBI_BYTE_COLUMNS, sum[r]);
    }
}

/* One row: several sums of it, for one would wait for each product. */
static void tile_one(const uint8_t *x, const int8_t *panel, int64_t groups, int32_t *sums)
{
    __m512i sum[ROWS];
    int64_t g = 0;
    for (int i = 0; i < ROWS; i++) {
        sum[i] = _mm512_setzero_si512();
    }
    for (; g + ROWS <= groups; g += ROWS) {
        for (int i = 0; i < ROWS; i++) {
            sum[i] = _mm512_dpbusd_epi32(sum[i], four_of(x, g + i),
                                         _mm512_load_si512(panel + (g + i) * STEP));
        }
    }
    for (; g < groups; g++) {
        sum[0] = _mm512_dpbusd_epi32(sum[0], four_of(x, g), _mm512_load_si512(panel + g * STEP));
    }
    _mm512_storeu_si512(
        sums, _mm512_add_epi32(_mm512_add_epi32(sum[0], sum[1]), _mm512_add_epi32(sum[2], sum[3])));
}

static void tile(const uint8_t *const *x, bool is_whole, const int8_t *panel, int64_t groups,
                 int32_t *sums)
{
    if (is_whole) {
        tile_whole(x, panel, groups, sums);
    } else {
        tile_one(x[0], panel, groups, sums);
    }
}

const oribi_byte_rows oribi_byte_rows_vnni = {ROWS, tile};
