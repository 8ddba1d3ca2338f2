/* SPDX-License-Identifier: Apache-2.0 */
/* One copy for each pixel. */
#include "micro/resize/resize_nearest.h"

#include "micro/memory.h"

void oribi_micro_resize_nearest(const struct oribi_micro_resize_nearest_args *args,
                                const void *input, void *output)
{
    const struct oribi_micro_resize_nearest_args *p = args;
    const int32_t row_bytes = p->in_w * p->pixel_bytes;
    const uint8_t *image = input;
    uint8_t *to = output;
    for (int32_t n = 0; n < p->batch; n++) {
        for (int32_t y = 0; y < p->out_h; y++) {
            const uint8_t *row = image + p->rows[y] * row_bytes;
            for (int32_t x = 0; x < p->out_w; x++) {
                (void)memcpy(to, row + p->columns[x] * p->pixel_bytes, (size_t)p->pixel_bytes);
                to += p->pixel_bytes;
            }
        }
        image += p->in_h * row_bytes;
    }
}
