/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of a transposed convolution, and which pixel a tap of its filter comes from: what its
 * kernels share.
 */
#ifndef ORIBI_MICRO_TRANSPOSE_SIZES_H_
#define ORIBI_MICRO_TRANSPOSE_SIZES_H_

#include <stdint.h>

struct oribi_micro_transpose_sizes {
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w, out_c;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t before_h, before_w; /* rows and columns of windows that lie before the output */
};

/* The place along an axis that tap `k` brings to output `at`; -1: none. */
static inline int32_t oribi_micro_transpose_origin(int32_t at, int32_t k, int32_t stride,
                                                   int32_t size)
{
    const int32_t reach = at - k;
    if (reach < 0 || reach % stride != 0 || reach / stride >= size) {
        return -1;
    }
    return reach / stride;
}

/* The image's pixel that tap (ky, kx) brings to output (y, x), counted in pixels; -1: none. */
static inline int32_t oribi_micro_transpose_pixel(const struct oribi_micro_transpose_sizes *s,
                                                  int32_t y, int32_t x, int32_t ky, int32_t kx)
{
    const int32_t in_y = oribi_micro_transpose_origin(y + s->before_h, ky, s->stride_h, s->in_h);
    const int32_t in_x = oribi_micro_transpose_origin(x + s->before_w, kx, s->stride_w, s->in_w);
    return in_y < 0 || in_x < 0 ? -1 : in_y * s->in_w + in_x;
}

#endif
