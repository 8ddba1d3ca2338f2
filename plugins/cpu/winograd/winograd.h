/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution by 3x3 filters at stride 1 in 16 products instead of 36: Winograd's F(2x2, 3x3). Four
 * output pixels make a tile; 16 sums of its 4x4 input pixels are multiplied by 16 sums of the
 * filter, and four sums of the products are the result. For example, a tile of 64 channels to 64
 * takes 65,536 multiplications where the direct product takes 147,456.
 * Its error is that of the direct product, or below it. An infinity or a NaN in the image reaches
 * the four pixels of its tile, where the direct product spares those that do not see it.
 * Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015, section 4.1.
 * Read next: winograd.c, then winograd_tile.inc.
 */
#ifndef ORIBI_PLUGINS_CPU_WINOGRAD_H_
#define ORIBI_PLUGINS_CPU_WINOGRAD_H_

#include "cpu/product/conv_geometry.h"
#include "cpu/product/packed_weights.h"

enum { ORIBI_WINOGRAD_PIXELS = 16, ORIBI_WINOGRAD_PRODUCTS = 16, ORIBI_WINOGRAD_OUTPUTS = 4 };

/* The sums of one tile of the image: number p of channel c goes to to[p * step + c]. */
typedef struct oribi_winograd_input {
    const float *pixels[ORIBI_WINOGRAD_PIXELS]; /* 4x4, row by row, zeros where padding is */
    int64_t channels, step;
    float *to;
} oribi_winograd_input;

/* The result of one tile: number p of channel c lies at from[p * step + c]. */
typedef struct oribi_winograd_output {
    const float *from;
    int64_t channels, step;
    const float *bias;                             /* or NULL */
    float *to[ORIBI_WINOGRAD_OUTPUTS];             /* 2x2; NULL outside of the image */
    const float *residual[ORIBI_WINOGRAD_OUTPUTS]; /* or NULL */
    float low, high;                               /* as in oribi_gemm_tile */
} oribi_winograd_output;

/* One implementation of both. */
typedef struct oribi_winograd_variant {
    void (*input)(const oribi_winograd_input *tile);
    void (*output)(const oribi_winograd_output *tile);
} oribi_winograd_variant;

#define ORIBI_WINOGRAD_DECLARE(part, isa) extern const oribi_winograd_variant oribi_winograd_##isa;
ORIBI_ISAS_OF_winograd(ORIBI_WINOGRAD_DECLARE)
#undef ORIBI_WINOGRAD_DECLARE

    /* Is it worth while? By shape alone: an image [batch, y, x, channels], -1 for what is not
     * known, and a filter [y, x, in, out] of one group, stride and dilation 1. Where tiles are few,
     * the sums of the filter are more to read than there is to save. */
    bool oribi_winograd_is_worth(const int64_t *image, const int64_t *filter);
/* Floats that the packed form of such a filter takes; -1 when the count leaves int64. */
int64_t oribi_winograd_count(const oribi_gemm_variant *variant, const int64_t *filter);
/* Packs the filter, 64-byte aligned. reader may be NULL. */
void oribi_winograd_pack(const oribi_gemm_variant *variant, const oribi_weights_view *filter,
                         oribi_weights_reader *reader, float *out);
/* Computes what `direct` says, whose panels are those of oribi_winograd_pack, over an image of any
 * size. False: failed, reported.
 * Context  allocates scratch of the run, a share for each thread. */
bool oribi_winograd_run(oribi_kit_run *run, const oribi_winograd_variant *variant,
                        const oribi_conv_rows *image, const oribi_gemm *direct);

#endif
