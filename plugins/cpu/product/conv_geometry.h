/* SPDX-License-Identifier: Apache-2.0 */
/* Where the taps of a two-dimensional filter fall in an image, NHWC: output sizes, padding, and the
 * rows of the matrix that a convolution multiplies. No attributes, no arithmetic on data. Read
 * next: conv.c.
 */
#ifndef ORIBI_PLUGINS_CPU_CONV_GEOMETRY_H_
#define ORIBI_PLUGINS_CPU_CONV_GEOMETRY_H_

#include "micro/geometry/geometry_window.h"

/* Rows of the matrix A of a convolution: row (b, y, x) at tap (ky, kx). */
typedef struct oribi_conv_rows {
    const float *input, *zeros; /* zeros: as many as one tap may read */
    int64_t channels;           /* floats from one pixel to the next */
    oribi_geometry_window y, x;
} oribi_conv_rows;

/* An oribi_gemm_rows_fn; arg is an oribi_conv_rows. */
void oribi_conv_rows_fill(const void *arg, int64_t row, int32_t n_rows, int64_t tap, int64_t n_taps,
                          int64_t channel, const float **out);

#endif
