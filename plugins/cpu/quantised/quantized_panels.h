/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of int8 for vectors: weights in panels of 16 channels, and the loops that a processor
 * brings. Sums and results are those of micro/, bit for bit: products are added in int32, which
 * knows no order, and results are made by the same double rounding. Read next:
 * quantized_panels_x86_avx2.c, quantized_panels_x86_vnni.c.
 */
#ifndef ORIBI_PLUGINS_CPU_QUANTIZED_PANELS_H_
#define ORIBI_PLUGINS_CPU_QUANTIZED_PANELS_H_

#include <stdbool.h>
#include <stdint.h>

#include "isa_parts.h"
#include "micro/elementwise/add_row_s8.h"
#include "micro/elementwise/mul_q.h"

enum {
    ORIBI_PANEL = 16,       /* channels of a panel */
    ORIBI_SIDE_BY_SIDE = 4, /* panels of one pixel */
    ORIBI_ANY_ROWS = 0,     /* of a window */
    ORIBI_MOST_APART = 2    /* sums of a channel whose results by floats are corrected: with more
                             * they would take longer than by integers */
};

/* How a processor wants its numbers. */
typedef struct oribi_quantized_format {
    int32_t group;  /* taps that are multiplied and added at once: 2 of int16, or 4 of a byte */
    int32_t bytes;  /* of an input and of a weight: 2, or 1, where inputs are 128 more, in uint8 */
    int32_t pixels; /* that are best prepared at a time */
    int32_t least;  /* pixels of a tile; fewer are made one by one */
    int32_t speed;  /* products a cycle, about, of a layer whose products are summed */
    int32_t by_columns; /* depthwise windows of so many rows have groups of one column's taps */
    bool is_packed; /* channels of a panel in the order in which packing gives them back: 0 to 3,
                     * 8 to 11, 4 to 7, 12 to 15 */
} oribi_quantized_format;

/* Where the inputs of a tile are: those of a pixel are n_rows rows of row_groups groups. */
typedef struct oribi_quantized_window {
    int64_t pixel_step, row_step; /* bytes from one to the next */
    int32_t n_rows, row_groups;
} oribi_quantized_window;

/* Returns the bytes that the inputs of a tile take. */
static inline int64_t oribi_quantized_tile_bytes(const oribi_quantized_format *format,
                                                 int64_t groups)
{
    return groups * format->group * format->bytes * format->pixels;
}

/* A packed layer. Within a panel channels have the order of the format, all arrays alike. Channels
 * that do not exist are zeros, or, where as many as there are fill a panel evenly, the first ones
 * again, so that a panel is several pixels. */
typedef struct oribi_quantized_panels {
    void *weights; /* [panels, groups of taps, 16 channels, taps]; those behind the last are 0 */
    int32_t *bias, *multiplier, *left, *right; /* [panels * 16]; shifts, one of them 0 */
    /* Results by floats, for every sum as by the integers above: the integer next to sum * factor +
     * term, of the sum and `more` where it is `apart`; the term of a sum below 0 has its sign where
     * `sign` says so, and `added` makes it the result. */
    float *factor, *term;  /* [panels * 16] */
    int32_t *apart, *more; /* [panels, ORIBI_MOST_APART, 16] */
    int8_t *n_apart;       /* [panels]; below 0: results are made by integers */
    int32_t sign;          /* the bit, or 0 */
    int32_t added;
    int32_t n_channels, n_panels, groups, row_taps;
    int32_t zero, low, high; /* of the results */
    int32_t weight_bytes;
    bool is_by_fours; /* groups of as many panels as are read side by side follow each other, so
                       * that a processor fetches ahead */
} oribi_quantized_panels;

/* Bytes of a panel's weights. */
static inline int64_t oribi_quantized_panel_bytes(const oribi_quantized_panels *panels,
                                                  const oribi_quantized_format *format)
{
    return (int64_t)panels->groups * format->group * ORIBI_PANEL * panels->weight_bytes;
}

/* A layer as micro/ has it; the weight of channel c and tap t of row r is at c * channel_step + r *
 * row_step + t * tap_step. Each row of row_taps begins a group, so that what a window reads behind
 * a row of a padded image meets zeros. scale_step is 0 where all channels share a multiplier and a
 * shift, else 1. */
typedef struct oribi_quantized_layer {
    const int8_t *filter;
    const int32_t *bias, *multiplier, *shift;
    int64_t channel_step, row_step, tap_step;
    int32_t n_channels, taps, row_taps, scale_step;
    int32_t zero, low, high;
    bool is_read_once; /* in a run, as there are fewer rows than format.least: weights are bytes
                        * whatever the format, as memory is what counts */
} oribi_quantized_layer;

/* The floats of one channel; see above. */
typedef struct oribi_quantized_real {
    float factor, term;
    int32_t n_apart, apart[ORIBI_MOST_APART], more[ORIBI_MOST_APART];
} oribi_quantized_real;

/* Finds the floats of a channel whose sums are `reach[0]` at least and `reach[1]` at most. False:
 * there are none. */
bool oribi_quantized_real_find(const oribi_quantized_layer *layer, int32_t multiplier,
                               int32_t shift, const int64_t reach[2], oribi_quantized_real *out);

/* Packs a layer. False: no memory, *out is empty. free takes an empty one, too. */
bool oribi_quantized_panels_make(const oribi_quantized_layer *layer,
                                 const oribi_quantized_format *format, oribi_quantized_panels *out);
void oribi_quantized_panels_free(oribi_quantized_panels *panels);
/* Some of the panels from `first` on, at most `count`, as a layer of their channels alone; they
 * remain the whole layer's. */
oribi_quantized_panels oribi_quantized_panels_part(const oribi_quantized_panels *whole,
                                                   const oribi_quantized_format *format,
                                                   int32_t first, int32_t count);

/* A sum of two tensors: oribi_micro_add_row_s8 where both steps are 1, or by floats: the integer
 * next to y = a * of_a + b * of_b + term, or, where `tie` is not 0, next to y and a tie of its
 * sign, to which `added` is added. */
typedef struct oribi_quantized_sum {
    struct oribi_micro_add_scales_s8 exact;
    float of_a, of_b, term, tie;
    int32_t added;
    bool is_real; /* for each pair of bytes both are equal */
} oribi_quantized_sum;

/* A product of two tensors, less their zero points: by floats, the integer next to a * b * factor +
 * term, where the term of a product below 0 has its sign where `sign` says so, and `added`; or,
 * where n_apart is below 0, by integers. Scales that are powers of two want those: ties are many.
 */
typedef struct oribi_quantized_product {
    int32_t a_zero, b_zero;
    float factor, term;
    float apart[ORIBI_MOST_APART],
        more[ORIBI_MOST_APART]; /* as of a layer; 0 where there is none */
    int32_t n_apart, sign, added;
    int32_t multiplier, left, right; /* shifts, one of them 0 */
    int32_t low, high;
} oribi_quantized_product;

/* Holds what a processor brings. */
typedef struct oribi_quantized_simd {
    oribi_quantized_format format;
    /* `count` inputs in the format; returns where they end. */
    void *(*take)(const int8_t *from, int64_t count, void *to);
    void *(*fill)(int32_t value, int64_t count, void *to);
    /* Results of some pixels; those of one pixel lie `stride` behind those of the one before. Of a
     * layer whose weights are read once: fewer than format.least rows of all groups. */
    void (*tile)(const oribi_quantized_panels *panels, const void *x,
                 const oribi_quantized_window *window, int32_t n_pixels, int8_t *out,
                 int64_t stride);
    /* Results of n pixels of a depthwise layer; taps are groups * group pointers to n_channels
     * inputs of the first, as the model has them; those of the next lie `step` behind. Its window
     * begins `slide` columns behind; 0: no whole number of them. */
    void (*depthwise)(const oribi_quantized_panels *panels, const int8_t *const *taps,
                      int32_t n_pixels, int64_t step, int32_t slide, int8_t *out);
    /* A sum whose results are made by floats. */
    void (*add)(const oribi_quantized_sum *sum, const int8_t *a, const int8_t *b, int64_t count,
                int8_t *out);
    void (*multiply)(const oribi_quantized_product *product, const int8_t *a, const int8_t *b,
                     int64_t count, int8_t *out);
} oribi_quantized_simd;

/* Finds the floats of a sum or a difference, which `exact` says. */
void oribi_quantized_sum_find(const oribi_quantized_simd *simd, oribi_quantized_sum *sum);
/* The same of a product. */
void oribi_quantized_product_find(const struct oribi_micro_mul_q_args *exact,
                                  oribi_quantized_product *out);

#define ORIBI_QUANTIZED_DECLARE(part, isa) extern const oribi_quantized_simd oribi_quantized_##isa;
ORIBI_ISAS_OF_quantized_panels(ORIBI_QUANTIZED_DECLARE)
#undef ORIBI_QUANTIZED_DECLARE

#endif
