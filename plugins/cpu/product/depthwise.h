/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of depthwise convolution: tiles of a few output pixels, all channels of each, a
 * vector of channels at a time. Padding is a pointer to zeros. Read next: depthwise.c.
 */
#ifndef ORIBI_PLUGINS_CPU_DEPTHWISE_H_
#define ORIBI_PLUGINS_CPU_DEPTHWISE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa_parts.h"

enum {
    ORIBI_DEPTHWISE_PAD = 16,         /* channels of packed weights are rounded up to this */
    ORIBI_DEPTHWISE_TOGETHER = 4,     /* output pixels that `any` computes at once */
    ORIBI_DEPTHWISE_MAX_PIXELS = 1024 /* input pixels that one tile reads */
};

/* One tile: rows x columns output pixels. */
typedef struct oribi_depthwise_tile {
    const float *const *pixels;        /* input pixels of the tile, row by row */
    int64_t pixel_columns;             /* from one row of pixels to the next */
    const float *weights;              /* [channels / PAD, taps, PAD], aligned */
    int64_t first, end;                /* channels; first is a multiple of ORIBI_DEPTHWISE_PAD */
    float *out;                        /* first pixel of the tile */
    int64_t row_stride, column_stride; /* floats between output rows and columns */
    const float *bias;                 /* zeros for none */
    const float *residual;             /* as in oribi_gemm_tile; NULL for none */
    int64_t residual_row_stride, residual_column_stride;
    float low, high;
} oribi_depthwise_tile;

typedef void (*oribi_depthwise_fn)(const oribi_depthwise_tile *tile);

/* A loop for one shape of filter, in two sizes: full tiles, and single pixels for what remains. */
typedef struct oribi_depthwise_loop {
    int32_t taps_y, taps_x, stride;      /* dilation 1 */
    int32_t rows, columns;               /* output pixels of a full tile */
    oribi_depthwise_fn full, row, pixel; /* rows x columns, 1 x columns, 1 x 1 */
} oribi_depthwise_loop;

/* Loops end with taps_y 0. `any` does one pixel of any filter: pixels lists its taps in order,
 * their number being pixel_columns. `some` does ORIBI_DEPTHWISE_TOGETHER pixels of a row, whose
 * lists follow each other. */
typedef struct oribi_depthwise_variant {
    const char *name;
    const oribi_depthwise_loop *loops;
    oribi_depthwise_fn any, some;
} oribi_depthwise_variant;

#define ORIBI_DEPTHWISE_DECLARE(part, isa)                                                         \
    extern const oribi_depthwise_variant oribi_depthwise_##isa;
ORIBI_ISAS_OF_depthwise(ORIBI_DEPTHWISE_DECLARE)
#undef ORIBI_DEPTHWISE_DECLARE

#endif
