/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of products with 4 bits. The including file is compiled for one ISA: it defines
 * ORIBI_ISA (cpu/base/isa.h) and WIDTH (cpu/base/lanes.h), includes a vector_*.h and, where it
 * defines HAS_BYTES, has byte_products (see float_products) and bytes_of: WIDTH numbers as bytes,
 * of each word the even places first, the low halves of its bytes, then the high ones. A word's
 * numbers are masked where they stand and become 16^j times what they are; the rows were divided by
 * as much, which is exact but below 1e-34.
 */
#include "cpu/bits/bits.h"
#include "cpu/base/isa.h"
#include "cpu/base/lanes.h"

#include <string.h>

enum {
    COLUMNS = ORIBI_BITS_COLUMNS,
    WORD = ORIBI_BITS_WORD,
    HALF = WORD / 2,
    VECTORS = COLUMNS / LANES,
    MIDDLE = 8,    /* the zero point where none is given */
    STEPS = 127,   /* of a rounded block on either side of zero */
    MOST_SUMS = 4, /* rows, or panels that a row meets */
    USUAL = ORIBI_BITS_USUAL / WORD
};
typedef int32_t ints __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef uint32_t unsigned_ints __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef float floats __attribute__((vector_size(LANES * 4)));

/* --- Rows ------------------------------------------------------------------------------------ */

/* Each to the nearest integer, ties to even, within STEPS of 0; NaN anywhere there. */
static inline ints nearest(lanes x)
{
    const lanes magic = (lanes){0.0f} + 0x1.8p23f;
    const ints place = (ints)(x + magic) - (ints)magic, most = (ints){0} + STEPS;
    const ints low = (place & (place > -most)) | (-most & ~(place > -most));
    return (low & (low < most)) | (most & ~(low < most));
}

/* Divided as float_products wants them. */
static inline void write_floats(lanes x, int64_t n, float *to)
{
#define SHARE(lane, s)                                                                             \
    ((lane) % 4 == 0 ? 1.0f : (lane) % 4 == 1 ? 0x1p-4f : (lane) % 4 == 2 ? 0x1p-8f : 0x1p-12f)
    const lanes divided = x * (lanes){EACH(SHARE, 0)};
    if (n >= WIDTH) {
        *(lanes *)to = divided;
    } else {
        memcpy(to, &divided, (size_t)n * sizeof *to);
    }
}

/* Some registers of one block become rounded: each a number of steps, the size of which is
 * returned. */
static inline float round_block(lanes *x, int n)
{
    lanes most = {0.0f}, other = {0.0f};
    for (int i = 0; i < n; i++) {
        most = larger_of(most, (lanes)((ints)x[i] & INT32_MAX));
        other += x[i] * 0.0f; /* NaN where a number is none, or is infinite */
    }
    const float step = largest_in(most) / STEPS, inverse = step >= 0x1p-120f ? 1.0f / step : 0.0f;
    for (int i = 0; i < n; i++) {
        x[i] = __builtin_convertvector(nearest(x[i] * inverse), lanes);
    }
    return step + sum_in(other);
}

static void prepare(const float *x, int64_t k, int32_t block, bool rounds,
                    const oribi_bits_row *out)
{
    const int n = (block + WIDTH - 1) / WIDTH;
    lanes numbers[ORIBI_BITS_MOST_BLOCK / WIDTH];
    for (int64_t at = 0, b = 0; at < k; at += block, b++) {
        const int64_t left = k - at < block ? k - at : block;
        lanes sum = {0.0f};
        for (int i = 0; i < n; i++) {
            numbers[i] = (lanes){0.0f};
            if ((i + 1) * WIDTH <= left) {
                numbers[i] = *(const lanes *)(x + at + i * WIDTH);
            } else if (i * WIDTH < left) {
                memcpy(&numbers[i], x + at + i * WIDTH, (size_t)(left - i * WIDTH) * sizeof *x);
            }
        }
        out->factors[b] = rounds ? round_block(numbers, n) : 1.0f;
        for (int i = 0; i < n; i++) {
            const int64_t to = at + i * WIDTH, count = block - i * WIDTH;
            sum += numbers[i];
#ifdef HAS_BYTES
            if (rounds) {
                const bytes some = bytes_of((vector)numbers[i]);
                memcpy((int8_t *)out->values + to, &some, (size_t)(count < WIDTH ? count : WIDTH));
                continue;
            }
#endif
            write_floats(numbers[i], count, (float *)out->values + to);
        }
        out->sums[b] = sum_in(sum);
    }
}

/* --- Products -------------------------------------------------------------------------------- */

/* Sums of a block, of `rows` rows from place `at` on and the panel's columns. Where rows are few,
 * several chains of sums stand in for them. */
static inline __attribute__((always_inline)) void
float_products(const uint32_t *panel, int32_t n_words, const oribi_bits_row *x, const int rows,
               int64_t at, vector out[][VECTORS])
{
    const int chains = rows == 1 ? 4 : rows == 2 ? 2 : 1;
    vector sums[ORIBI_BITS_ROWS][VECTORS];
    for (int i = 0; i < rows * chains; i++) {
        for (int v = 0; v < VECTORS; v++) {
            sums[i][v] = vector_splat(0.0f);
        }
    }
    for (int32_t w = 0; w < n_words; w++, panel += COLUMNS, at += WORD) {
        for (int half = 0; half < 2; half++) {
            for (int j = 0; j < HALF; j++) {
                for (int v = 0; v < VECTORS; v++) {
                    const unsigned_ints word =
                        *(const unsigned_ints *)(panel + v * LANES) >> (half * 16);
                    const ints bits = (ints)(word & (15u << (4 * j)));
                    const vector number = (vector) __builtin_convertvector(bits, floats);
                    for (int r = 0; r < rows; r++) {
                        vector *sum = &sums[r * chains + j % chains][v];
                        const float *a = (const float *)x[r].values + at + half * HALF + j;
                        *sum = vector_multiply_add(number, vector_splat(*a), *sum);
                    }
                }
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < VECTORS; v++) {
            out[r][v] = sums[r * chains][v];
            for (int i = 1; i < chains; i++) {
                out[r][v] = vector_add(out[r][v], sums[r * chains + i][v]);
            }
        }
    }
}

/* `words` and `panels` are constants where that pays. */
static inline __attribute__((always_inline)) void tile_of(const oribi_bits_tile *tile,
                                                          const int rows, const int words,
                                                          const int panels, const bool is_bytes)
{
    const oribi_bits_row *x = tile->rows;
    const float *panel = tile->panel;
    vector totals[MOST_SUMS][VECTORS], sums[MOST_SUMS][VECTORS];
    for (int i = 0; i < rows * panels * VECTORS; i++) {
        totals[i / VECTORS][i % VECTORS] = vector_splat(0.0f);
    }
    for (int64_t b = 0; b < tile->blocks; b++) {
        const float *scales = panel + words * COLUMNS, *zeros = scales + COLUMNS;
        for (int p = 0; p < (is_bytes ? 1 : panels); p++) {
            const uint32_t *bits = (const uint32_t *)(const void *)(panel + p * tile->panel_step);
#ifdef HAS_BYTES
            if (is_bytes) {
                byte_products(bits, tile->panel_step, panels, words, x, rows, b * words * WORD,
                              sums);
                continue;
            }
#endif
            float_products(bits, words, x, rows, b * words * WORD, sums + p * rows);
        }
        for (int i = 0; i < panels * VECTORS; i++) {
            const int64_t at = i / VECTORS * tile->panel_step + i % VECTORS * LANES;
            const vector scale = vector_load(scales + at);
            const vector zero = tile->has_zeros ? vector_load(zeros + at) : vector_splat(MIDDLE);
            for (int r = 0; r < rows; r++) {
                const int to = i / VECTORS * rows + r, v = i % VECTORS;
                const vector less = vector_splat(-x[r].sums[b]);
                const vector sum = vector_multiply_add(zero, less, sums[to][v]);
                const vector step = scale * vector_splat(x[r].factors[b]);
                totals[to][v] = vector_multiply_add(step, sum, totals[to][v]);
            }
        }
        panel = tile->has_zeros ? zeros + COLUMNS : zeros;
    }
    for (int i = 0; i < rows * panels * VECTORS; i++) {
        vector_store(tile->out + i * LANES, totals[i / VECTORS][i % VECTORS]);
    }
}

#define TILES(name, is_bytes)                                                                      \
    static void name(const oribi_bits_tile *tile)                                                  \
    {                                                                                              \
        switch (tile->n_rows) {                                                                    \
        case 1:                                                                                    \
            if ((is_bytes) && tile->n_panels > 1) {                                                \
                tile_of(tile, 1, USUAL, ORIBI_BITS_PANELS, is_bytes);                              \
            } else {                                                                               \
                tile_of(tile, 1, tile->words, 1, is_bytes);                                        \
            }                                                                                      \
            break;                                                                                 \
        case 2:                                                                                    \
            tile_of(tile, 2, tile->words, 1, is_bytes);                                            \
            break;                                                                                 \
        case 3:                                                                                    \
            tile_of(tile, 3, tile->words, 1, is_bytes);                                            \
            break;                                                                                 \
        default:                                                                                   \
            tile_of(tile, ORIBI_BITS_ROWS, tile->words, 1, is_bytes);                              \
            break;                                                                                 \
        }                                                                                          \
    }
TILES(tile_floats, false)
#ifdef HAS_BYTES
TILES(tile_bytes, true)
#else
#define tile_bytes NULL
#endif

#define VARIANT_(set) oribi_bits_##set
#define VARIANT(set)  VARIANT_(set)
const oribi_bits_variant VARIANT(ORIBI_ISA) = {ORIBI_ISA_NAME, prepare, tile_floats, tile_bytes};
