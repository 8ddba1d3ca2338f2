/* SPDX-License-Identifier: Apache-2.0 */
/* Four products for each value, in the source's order: each operation rounds once. It is included
 * after ORIBI_MICRO_PIXEL, the type of a value, and ORIBI_MICRO_VALUE(sum), the value of a sum. */
#ifndef ORIBI_MICRO_RESIZE_BILINEAR_REAL_BODY_H_
#define ORIBI_MICRO_RESIZE_BILINEAR_REAL_BODY_H_

#include "micro/port.h"
#include "micro/resize/resize_bilinear_real.h"

/* One pixel from the four at `corners` (top left, bottom left, top right, bottom right). */
static void blend(const ORIBI_MICRO_PIXEL *const corners[4], float down, float across,
                  int32_t channels, ORIBI_MICRO_PIXEL *output)
{
    const ORIBI_MICRO_PIXEL *a = corners[0], *b = corners[1], *c = corners[2], *d = corners[3];
    const float up = 1.0F - down, back = 1.0F - across;
    for (int32_t i = 0; i < channels; i++) {
        const float top_left = (float)a[i] * up * back;
        const float bottom_left = (float)b[i] * down * back;
        const float top_right = (float)c[i] * up * across;
        const float bottom_right = (float)d[i] * down * across;
        output[i] = ORIBI_MICRO_VALUE(top_left + bottom_left + top_right + bottom_right);
    }
}

static void resize(const struct oribi_micro_resize_bilinear_real_args *args,
                   const ORIBI_MICRO_PIXEL *input, ORIBI_MICRO_PIXEL *output)
{
    const struct oribi_micro_resize_bilinear_real_args *p = args;
    const int32_t row = p->in_w * p->channels;
    for (int32_t n = 0; n < p->batch; n++, input += p->in_h * row) {
        for (int32_t y = 0; y < p->out_h; y++) {
            const ORIBI_MICRO_PIXEL *top = input + p->rows[2 * y] * row;
            const ORIBI_MICRO_PIXEL *bottom = input + p->rows[2 * y + 1] * row;
            TVMGEN_YIELD();
            for (int32_t x = 0; x < p->out_w; x++, output += p->channels) {
                const int32_t left = p->columns[2 * x] * p->channels;
                const int32_t right = p->columns[2 * x + 1] * p->channels;
                const ORIBI_MICRO_PIXEL *const corners[4] = {top + left, bottom + left, top + right,
                                                             bottom + right};
                blend(corners, p->row_weights[y], p->column_weights[x], p->channels, output);
            }
        }
    }
}

#endif
