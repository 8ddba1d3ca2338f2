/* SPDX-License-Identifier: Apache-2.0 */
/* Pixel by pixel of the smaller pictures. */
#include "micro/move/batch_blocks.h"

#include "micro/memory.h"
#include "micro/port.h"

void oribi_micro_batch_blocks(const struct oribi_micro_batch_blocks_args *args, const void *input,
                              void *output)
{
    const struct oribi_micro_batch_blocks_args *p = args;
    const uint8_t *from = input;
    uint8_t *to = output;
    const size_t bytes = (size_t)p->bytes;
    int32_t small = 0; /* of the pixel among the smaller pictures */
    for (int32_t n = 0; n < p->block_h * p->block_w * p->batch; n++) {
        const int32_t place = n / p->batch, picture = n % p->batch;
        const int32_t down = place / p->block_w - p->top, right = place % p->block_w - p->left;
        TVMGEN_YIELD();
        for (int32_t i = 0; i < p->rows * p->columns; i++, small++) {
            const int32_t y = i / p->columns * p->block_h + down;
            const int32_t x = i % p->columns * p->block_w + right;
            if (y >= 0 && y < p->height && x >= 0 && x < p->width) {
                const int32_t large = (picture * p->height + y) * p->width + x;
                if (p->to_space != 0) {
                    (void)memcpy(to + large * p->bytes, from + small * p->bytes, bytes);
                } else {
                    (void)memcpy(to + small * p->bytes, from + large * p->bytes, bytes);
                }
            } else if (p->to_space == 0) {
                (void)memset(to + small * p->bytes, 0, bytes);
            } else {
                /* outside, and nothing is made of it */
            }
        }
    }
}
