/* SPDX-License-Identifier: Apache-2.0 */
/* One copy for each element of the two dimensions. */
#include "micro/resize/resize_pick.h"

#include "micro/memory.h"

void oribi_micro_resize_pick(const struct oribi_micro_resize_pick_args *args, const void *input,
                             void *output)
{
    const struct oribi_micro_resize_pick_args *a = args;
    const uint8_t *plane = input;
    uint8_t *to = output;
    const int32_t line = a->in_w * a->inner_bytes;
    for (int32_t o = 0; o < a->outer; o++) {
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            for (int32_t m = 0; m < a->middle; m++) {
                const uint8_t *row = plane + (a->rows[y] * a->middle + m) * line;
                for (int32_t x = 0; x < a->out_w; x++) {
                    (void)memcpy(to, row + a->columns[x] * a->inner_bytes, (size_t)a->inner_bytes);
                    to += a->inner_bytes;
                }
            }
        }
        plane += a->in_h * a->middle * line;
    }
}
