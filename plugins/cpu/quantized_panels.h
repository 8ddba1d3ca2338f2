/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of int8 for vectors: weights in panels of 16 channels, and the loops that a processor
 * brings. Sums and results are those of micro/, bit for bit: products are added in int32, which
 * knows no order, and results are made by the same double rounding. Read next:
 * quantized_panels_x86_avx2.c.
 */
#ifndef ORIBI_PLUGINS_CPU_QUANTIZED_PANELS_H_
#define ORIBI_PLUGINS_CPU_QUANTIZED_PANELS_H_

#include <stdbool.h>
#include <stdint.h>

enum {
    ORIBI_PANEL = 16,       /* channels of a panel */
    ORIBI_PANEL_PIXELS = 4, /* that a tile of results has at most */
};

/* A packed layer. Within a panel channels have the order of oribi_panel_channel, all arrays alike:
 * it is the one in which two vectors of sums become one of results. Channels that do not exist are
 * zeros. */
typedef struct oribi_quantized_panels {
    int16_t *weights; /* [panels, pairs of taps, 16 channels, 2 taps]; a tap behind the last is 0 */
    int32_t *bias, *multiplier, *left, *right; /* [panels * 16]; shifts, one of them 0 */
    int32_t n_channels, n_panels, pairs;
    int32_t zero, low, high; /* of the results */
} oribi_quantized_panels;

/* A layer as micro/ has it; the weight of channel c and tap t is at c * channel_step + t *
 * tap_step. scale_step is 0 where all channels share a multiplier and a shift, else 1. */
typedef struct oribi_quantized_layer {
    const int8_t *filter;
    const int32_t *bias, *multiplier, *shift;
    int64_t channel_step, tap_step;
    int32_t n_channels, taps, scale_step;
    int32_t zero, low, high;
} oribi_quantized_layer;

/* Packs a layer. False: no memory, *out is empty. free takes an empty one, too. */
bool oribi_quantized_panels_make(const oribi_quantized_layer *layer, oribi_quantized_panels *out);
void oribi_quantized_panels_free(oribi_quantized_panels *panels);

/* Which channel of its panel lies at place i. */
int32_t oribi_panel_channel(int32_t i);

/* What a processor brings. */
typedef struct oribi_quantized_simd {
    const char *name;
    /* to[i] = from[i] of `count`. */
    void (*widen)(const int8_t *from, int64_t count, int16_t *to);
    /* Results of 1 to 4 pixels, whose 2 * pairs inputs follow each other at x; the results of one
     * pixel lie `stride` behind those of the one before. */
    void (*tile)(const oribi_quantized_panels *panels, const int16_t *x, int32_t n_pixels,
                 int8_t *out, int64_t stride);
    /* Results of one pixel of a depthwise layer; taps are 2 * pairs pointers to n_channels inputs.
     */
    void (*depthwise)(const oribi_quantized_panels *panels, const int8_t *const *taps, int8_t *out);
} oribi_quantized_simd;

#if defined(__x86_64__)
extern const oribi_quantized_simd oribi_quantized_avx2;
#endif

#endif
