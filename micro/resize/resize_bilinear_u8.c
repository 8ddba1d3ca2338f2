/* SPDX-License-Identifier: Apache-2.0 */
/* Four products for each value, in the source's order: each operation rounds once. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/resize/resize_bilinear_u8.h"

/* The number is cut after half is added: ties go up. */
static uint8_t blend(const uint8_t *left, const uint8_t *right, const int32_t at[2], float down,
                     float across)
{
    const float top_left = (float)left[at[0]] * (1.0F - down) * (1.0F - across);
    const float bottom_left = (float)left[at[1]] * down * (1.0F - across);
    const float top_right = (float)right[at[0]] * (1.0F - down) * across;
    const float bottom_right = (float)right[at[1]] * down * across;
    const float sum = top_left + bottom_left + top_right + bottom_right + 0.5F;
    return (uint8_t)(int32_t)sum;
}

void oribi_micro_resize_bilinear_u8(const struct oribi_micro_resize_bilinear_u8_args *args,
                                    const uint8_t *input, uint8_t *output)
{
    const struct oribi_micro_resize_bilinear_u8_args *p = args;
    const int32_t row = p->in_w * p->channels;
    for (int32_t n = 0; n < p->batch; n++, input += p->in_h * row) {
        for (int32_t y = 0; y < p->out_h; y++) {
            const int32_t at[2] = {p->rows[2 * y] * row, p->rows[2 * y + 1] * row};
            TVMGEN_YIELD();
            for (int32_t x = 0; x < p->out_w; x++) {
                const uint8_t *left = input + p->columns[2 * x] * p->channels;
                const uint8_t *right = input + p->columns[2 * x + 1] * p->channels;
                for (int32_t c = 0; c < p->channels; c++) {
                    *output++ =
                        blend(left + c, right + c, at, p->row_weights[y], p->column_weights[x]);
                }
            }
        }
    }
}
