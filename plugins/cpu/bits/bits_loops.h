/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of products with 4 bits. The including file is compiled for one ISA: it defines
 * ORIBI_ISA (cpu/base/isa.h), includes a vector_*.h and, where it defines HAS_BYTES, has
 * byte_products (see float_products). A word's numbers are masked where they stand and become
 * 16^j times what they are; the rows were divided by as much, which is exact but below 1e-34.
 */
#include "cpu/bits/bits.h"
#include "cpu/base/isa.h"

#include <string.h>

enum {
    COLUMNS = ORIBI_BITS_COLUMNS,
    WORD = ORIBI_BITS_WORD,
    HALF = WORD / 2,
    VECTORS = COLUMNS / LANES,
    MIDDLE = 8, /* the zero point where none is given */
    STEPS = 127 /* of a rounded block on either side of zero */
};
typedef int32_t ints __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef uint32_t words __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef float floats __attribute__((vector_size(LANES * 4)));

/* --- Rows ------------------------------------------------------------------------------------ */

/* x to the nearest integer, ties to even, within 2^21; any bits where it is further, or NaN. */
static inline int32_t nearest(float x)
{
    const float shifted = x + 0x1.8p23f, base = 0x1.8p23f;
    int32_t bits, base_bits;
    memcpy(&bits, &shifted, sizeof bits);
    memcpy(&base_bits, &base, sizeof base_bits);
    return bits - base_bits;
}

/* The numbers of a word, divided as float_products wants them. */
static inline void write_floats(const float *x, float *to)
{
    static const float shares[WORD] = {1.0f, 0x1p-4f, 0x1p-8f, 0x1p-12f,
                                       1.0f, 0x1p-4f, 0x1p-8f, 0x1p-12f};
    for (int j = 0; j < WORD; j++) {
        to[j] = x[j] * shares[j];
    }
}

/* Even places first: the low halves of a word's bytes, then the high ones. */
static inline void write_bytes(const float *x, int8_t *to)
{
    for (int j = 0; j < WORD; j++) {
        to[j % 2 * HALF + j / 2] = (int8_t)x[j];
    }
}

/* One block, whole. x becomes rounded where `rounds`. */
static inline void prepare_block(float *x, int32_t block, bool rounds, float *factor, float *sum)
{
    float sums[WORD] = {0.0f}, most[WORD] = {0.0f}, other[WORD] = {0.0f};
    *factor = 1.0f;
    for (int32_t i = 0; rounds && i < block; i += WORD) {
        for (int j = 0; j < WORD; j++) {
            const float size = __builtin_fabsf(x[i + j]);
            most[j] = size > most[j] ? size : most[j];
            other[j] += x[i + j] * 0.0f; /* NaN where a number is none, or is infinite */
        }
    }
    if (rounds) {
        for (int j = 1; j < WORD; j++) {
            most[0] = most[j] > most[0] ? most[j] : most[0];
            other[0] += other[j];
        }
        const float step = most[0] / STEPS, inverse = step >= 0x1p-120f ? 1.0f / step : 0.0f;
        *factor = step + other[0];
        for (int32_t i = 0; i < block; i++) {
            const int32_t place = nearest(x[i] * inverse);
            x[i] = (float)(place < -STEPS ? -STEPS : place > STEPS ? STEPS : place);
        }
    }
    for (int32_t i = 0; i < block; i += WORD) {
        for (int j = 0; j < WORD; j++) {
            sums[j] += x[i + j];
        }
    }
    *sum =
        ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

static void prepare(const float *x, int64_t k, int32_t block, bool rounds,
                    const oribi_bits_row *out)
{
#ifdef HAS_BYTES
    const bool is_bytes = rounds;
#else
    const bool is_bytes = false;
#endif
    float numbers[ORIBI_BITS_MOST_BLOCK];
    for (int64_t at = 0, b = 0; at < k; at += block, b++) {
        const int64_t n = k - at < block ? k - at : block;
        memcpy(numbers, x + at, (size_t)n * sizeof *numbers);
        memset(numbers + n, 0, (size_t)(block - n) * sizeof *numbers);
        prepare_block(numbers, block, rounds, &out->factors[b], &out->sums[b]);
        for (int32_t i = 0; i < block; i += WORD) {
            if (is_bytes) {
                write_bytes(numbers + i, (int8_t *)out->values + at + i);
            } else {
                write_floats(numbers + i, (float *)out->values + at + i);
            }
        }
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
                    const words word = *(const words *)(panel + v * LANES) >> (half * 16);
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

static inline __attribute__((always_inline)) void tile_of(const oribi_bits_tile *tile,
                                                          const int rows, const bool is_bytes)
{
    const oribi_bits_row *x = tile->rows;
    const int64_t block = tile->words * WORD;
    const float *panel = tile->panel;
    vector totals[ORIBI_BITS_ROWS][VECTORS], sums[ORIBI_BITS_ROWS][VECTORS];
    for (int i = 0; i < rows * VECTORS; i++) {
        totals[i / VECTORS][i % VECTORS] = vector_splat(0.0f);
    }
    for (int64_t b = 0; b < tile->blocks; b++) {
        const uint32_t *bits = (const uint32_t *)(const void *)panel;
        const float *scales = panel + tile->words * COLUMNS;
        const float *zeros = scales + COLUMNS;
#ifdef HAS_BYTES
        if (is_bytes) {
            byte_products(bits, tile->words, x, rows, b * block, sums);
        } else
#endif
            float_products(bits, tile->words, x, rows, b * block, sums);
        panel = tile->has_zeros ? zeros + COLUMNS : zeros;
        for (int v = 0; v < VECTORS; v++) {
            const vector scale = vector_load(scales + v * LANES);
            const vector zero =
                tile->has_zeros ? vector_load(zeros + v * LANES) : vector_splat(MIDDLE);
            for (int r = 0; r < rows; r++) {
                const vector less = vector_splat(-x[r].sums[b]);
                const vector sum = vector_multiply_add(zero, less, sums[r][v]);
                const vector step = scale * vector_splat(x[r].factors[b]);
                totals[r][v] = vector_multiply_add(step, sum, totals[r][v]);
            }
        }
    }
    for (int i = 0; i < rows * VECTORS; i++) {
        vector_store(tile->out + i * LANES, totals[i / VECTORS][i % VECTORS]);
    }
    (void)is_bytes;
}

#define TILES(name, is_bytes)                                                                      \
    static void name(const oribi_bits_tile *tile)                                                  \
    {                                                                                              \
        switch (tile->n_rows) {                                                                    \
        case 1:                                                                                    \
            tile_of(tile, 1, is_bytes);                                                            \
            break;                                                                                 \
        case 2:                                                                                    \
            tile_of(tile, 2, is_bytes);                                                            \
            break;                                                                                 \
        case 3:                                                                                    \
            tile_of(tile, 3, is_bytes);                                                            \
            break;                                                                                 \
        default:                                                                                   \
            tile_of(tile, ORIBI_BITS_ROWS, is_bytes);                                              \
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
