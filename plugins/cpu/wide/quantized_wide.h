/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of int16 and of uint8 for vectors: inputs and weights, less their zero points, are int16,
 * pairs of products are added in int32, and where a sum could leave it, in int64. Results are those
 * of micro/, bit for bit. Read next: quantized_wide_panels.c, quantized_wide_loops.h.
 */
#ifndef ORIBI_PLUGINS_CPU_QUANTIZED_WIDE_H_
#define ORIBI_PLUGINS_CPU_QUANTIZED_WIDE_H_

#include <stdbool.h>
#include <stdint.h>

#include "cpu/base/cpu.h"
#include "isa_parts.h"
#include "micro/conv/wide_conv2d.h"

enum {
    ORIBI_WIDE_PAIRS = 255, /* whose sum fits int32, whatever the values: a pair is 2^23 at most */
    ORIBI_WIDE_MOST = 32    /* channels of a panel */
};

/* How results are made. */
typedef enum oribi_wide_ending {
    ORIBI_WIDE_NARROW, /* oribi_micro_scale_wide of sums that fit int32, biases included */
    ORIBI_WIDE_FULL,   /* the same of any */
    ORIBI_WIDE_MODULO  /* oribi_micro_scale of sums modulo 2^32 */
} oribi_wide_ending;

/* A packed layer. A panel is two vectors of channels; the second has channels 4 to 7 of each eight,
 * so that packing results gives them in order. Channels that do not exist are zeros. */
typedef struct oribi_wide_panels {
    int16_t *weights;                     /* [panels, pairs, width, 2] */
    int32_t *start;                       /* [panels * width]: biases, 0 of the ending FULL */
    int32_t *multiplier, *left, *right;   /* as its ending reads them */
    int64_t *bias;                        /* of the ending FULL; even lanes of a vector, then odd */
    int32_t n_panels, pairs, n_runs;      /* taps of a run lie side by side in an image */
    int32_t run_pairs, run_taps;          /* of a depthwise layer, run_pairs is 0 */
    int32_t of_group, channels, n_groups; /* panels and channels of a group */
    int32_t depth;                        /* inputs from one group to the next */
    int32_t segment;                      /* pairs whose sums fit int32 */
    int32_t zero, low, high;              /* of the results */
    oribi_wide_ending ending;
    bool is_byte; /* of results and of what inputs were */
} oribi_wide_panels;

/* Some pixels whose inputs lie `step` values apart. */
typedef struct oribi_wide_line {
    const int16_t *x;
    const int64_t *runs; /* where the runs of a window begin, an even number of a depthwise one */
    int64_t step, n_pixels;
    char *out;
    int64_t stride; /* results from one pixel to the next */
} oribi_wide_line;

/* What a processor brings: results of one panel. */
typedef struct oribi_wide_simd {
    int32_t width;
    void (*line)(const oribi_wide_panels *panels, int32_t panel, const oribi_wide_line *line);
} oribi_wide_simd;

#define ORIBI_WIDE_DECLARE(part, isa) extern const oribi_wide_simd oribi_wide_##isa;
ORIBI_ISAS_OF_quantized_wide(ORIBI_WIDE_DECLARE)
#undef ORIBI_WIDE_DECLARE

    /* Packs a layer whose args are complete but for sizes of images. False: no memory, *out is
     * empty. free takes an empty one, too. */
    bool oribi_wide_panels_make(const struct oribi_micro_wide_conv2d_args *args,
                                const oribi_wide_simd *simd, oribi_wide_panels *out);
void oribi_wide_panels_free(oribi_wide_panels *panels);

/* Can images of these sizes be padded? Else windows see little but padding. */
bool oribi_wide_panels_fit(const struct oribi_micro_wide_conv2d_args *args);
/* The layer of input and output; false: failed. */
bool oribi_wide_panels_run(oribi_kit_run *run, const oribi_wide_panels *panels,
                           const oribi_wide_simd *simd,
                           const struct oribi_micro_wide_conv2d_args *args, const void *input,
                           void *output);

#endif
