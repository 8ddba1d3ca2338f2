/* SPDX-License-Identifier: Apache-2.0 */
/* Where the taps of a two-dimensional filter fall in an image, NHWC: output sizes, padding, and the
 * rows of the matrix that a convolution multiplies; the product over few channels, as first layers
 * have them. No attributes, no op. Read next: conv.c, conv_bands.c.
 */
#ifndef ORIBI_PLUGINS_CPU_CONV_GEOMETRY_H_
#define ORIBI_PLUGINS_CPU_CONV_GEOMETRY_H_

#include "cpu/base/cpu_shape.h"
#include "cpu/product/gemm.h"
#include "micro/geometry/geometry_window.h"

/* Rows of the matrix A of a convolution: row (b, y, x) at tap (ky, kx). */
typedef struct oribi_conv_rows {
    const float *input, *zeros; /* zeros: as many as one tap may read */
    int64_t channels;           /* floats from one pixel to the next */
    oribi_geometry_window y, x;
    const oribi_gemm_variant *variant; /* of the product */
    bool is_planes; /* input is NCHW: bands alone read it, others what oribi_conv_pixels makes */
} oribi_conv_rows;

/* An oribi_gemm_rows_fn; arg is an oribi_conv_rows. */
void oribi_conv_rows_fill(const void *arg, int64_t row, int32_t n_rows, int64_t tap, int64_t n_taps,
                          int64_t channel, const float **out);

/* --- conv_bands.c ---------------------------------------------------------------------------- */

/* Is this quicker than a product with a tap for each of the filter's? */
bool oribi_conv_bands_are_worth(const oribi_conv_rows *image, int64_t groups);

/* Writes the first `count` pixels of a row of planes; rows of all images are counted through. */
void oribi_conv_pixels(const oribi_conv_rows *image, int64_t row, int64_t count, float *to);

/* The product of `direct`, which is that of all of the filter's taps, one by one; its rows are not
 * called. False after failing. */
bool oribi_conv_bands_run(oribi_kit_run *run, const oribi_conv_rows *image,
                          const oribi_gemm *direct);

#endif
