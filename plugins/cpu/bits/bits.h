/* SPDX-License-Identifier: Apache-2.0 */
/* Products with weights of 4 bits: what the kernels of Oribi>MatMul4Bits share. Weights stay packed
 * in memory, a scale for each block of k, and become numbers in registers. Read next:
 * matmul_bits.c, then bits_loops.h.
 */
#ifndef ORIBI_PLUGINS_CPU_BITS_H_
#define ORIBI_PLUGINS_CPU_BITS_H_

#include "cpu/base/cpu_shape.h"

#include "isa_parts.h"

enum {
    ORIBI_BITS_COLUMNS = 16, /* of a panel */
    ORIBI_BITS_WORD = 8,     /* numbers of k in a word */
    ORIBI_BITS_ROWS = 4,     /* that meet a panel at once */
    ORIBI_BITS_PANELS = 2,   /* that a row alone meets at once, in blocks of the usual size */
    ORIBI_BITS_USUAL = 32,
    ORIBI_BITS_MOST_BLOCK = 256 /* sums of a block of rounded numbers are exact in float */
};

typedef struct oribi_bits_attrs {
    int64_t block, level, n_zeros, n_biases;
} oribi_bits_attrs;
void oribi_bits_attrs_read(oribi_kit_setup *setup, oribi_bits_attrs *out);
/* Level 4 allows that rows are rounded to bytes, block by block. */
static inline bool oribi_bits_rounds(const oribi_bits_attrs *attrs)
{
    return attrs->level == 4;
}

/* a [m, k] with weights [n, blocks, block / 2] bytes. */
typedef struct oribi_bits_shapes {
    int64_t m, k, n, blocks;
    oribi_cpu_shape out;
} oribi_bits_shapes;
/* Takes dims of the weights, and of input 0. Fails where inputs do not fit together. */
bool oribi_bits_shapes_take(oribi_kit_run *run, const oribi_bits_attrs *attrs,
                            const int64_t weights[3], oribi_bits_shapes *out);
/* Zero points of 4 bits lie two in a byte, those of a column side by side. */
static inline float oribi_bits_zero(const char *bytes, int64_t block)
{
    const unsigned two = (unsigned char)bytes[block / 2];
    return (float)(block % 2 == 0 ? two & 15U : two >> 4);
}
/* Dims of input 1; scales and zero points must be as many as blocks. */
bool oribi_bits_weights_take(oribi_kit_run *run, const oribi_bits_attrs *attrs, int64_t out[3]);
/* The bias, n numbers, where there is one; NULL: failed. */
const float *oribi_bits_bias_take(oribi_kit_run *run, const oribi_bits_attrs *attrs, int64_t n);

/* One row of a, block by block: sum over a block = factor * sum over k of value * weight. */
typedef struct oribi_bits_row {
    void *values;          /* float or int8, whole blocks: zeros behind k */
    float *factors, *sums; /* of each block: the factor, and the sum of its values */
} oribi_bits_row;

/* Some rows and a panel. Of each block it holds words of 8 numbers, [block / 8, columns], the
 * lowest bits first, then the scales of its columns, then their zero points where there are any. */
typedef struct oribi_bits_tile {
    const float *panel;
    int64_t blocks;
    int32_t words; /* of a block */
    bool has_zeros;
    const oribi_bits_row *rows;
    int32_t n_rows;     /* 1 to ORIBI_BITS_ROWS */
    int32_t n_panels;   /* 1, or ORIBI_BITS_PANELS for one row and blocks of ORIBI_BITS_USUAL */
    int64_t panel_step; /* in floats */
    float *out;         /* [n_panels, n_rows, columns] */
} oribi_bits_tile;

typedef struct oribi_bits_variant {
    const char *name;
    /* A row of k numbers as tiles take it; rounded to 127 steps of each block where `rounds`. */
    void (*prepare)(const float *x, int64_t k, int32_t block, bool rounds,
                    const oribi_bits_row *out);
    void (*tile)(const oribi_bits_tile *tile);
    /* The same where values of rounded rows are int8; NULL: they are floats as well. */
    void (*byte_tile)(const oribi_bits_tile *tile);
} oribi_bits_variant;

#define ORIBI_BITS_DECLARE(part, isa) extern const oribi_bits_variant oribi_bits_##isa;
ORIBI_ISAS_OF_bits(ORIBI_BITS_DECLARE)
#undef ORIBI_BITS_DECLARE

#endif
