/* SPDX-License-Identifier: Apache-2.0 */
/* Where the taps of a two-dimensional filter fall in an image, NHWC: output sizes, padding, and the
 * rows of the matrix that a convolution multiplies. No attributes, no arithmetic on data. Read
 * next: conv.c.
 */
#ifndef ORIBI_PLUGINS_CPU_CONV_GEOMETRY_H_
#define ORIBI_PLUGINS_CPU_CONV_GEOMETRY_H_

#include <stdbool.h>
#include <stdint.h>

typedef enum oribi_conv_padding {
    ORIBI_CONV_VALID,
    ORIBI_CONV_SAME,
    ORIBI_CONV_EXPLICIT,
} oribi_conv_padding;

/* One spatial dimension. */
typedef struct oribi_conv_axis {
    int64_t in, out, taps, stride, dilation;
    int64_t before, after; /* padding */
} oribi_conv_axis;

/* Fills out, before and after from the other fields; before and after are read for EXPLICIT.
 * Returns false when a field is out of range or the window is wider than the padded input. */
bool oribi_conv_axis_resolve(oribi_conv_axis *axis, oribi_conv_padding padding);

/* Rows of the matrix A of a convolution: row (b, y, x) at tap (ky, kx). */
typedef struct oribi_conv_rows {
    const float *input, *zeros; /* zeros: as many as one tap may read */
    int64_t channels;           /* floats from one pixel to the next */
    oribi_conv_axis y, x;
} oribi_conv_rows;

/* An oribi_gemm_rows_fn; arg is an oribi_conv_rows. */
void oribi_conv_rows_fill(const void *arg, int64_t row, int32_t n_rows, int64_t tap, int64_t n_taps,
                          int64_t channel, const float **out);

#endif
