/* SPDX-License-Identifier: Apache-2.0 */
/* Four products for each value, summed in 1/2^20 and rounded once. */
#include "micro/resize/resize_bilinear_q.h"

enum { ONE = 1 << 10 };

void oribi_micro_resize_bilinear_s8(const struct oribi_micro_resize_bilinear_q_args *args,
                                    const int8_t *input, int8_t *output)
{
    const struct oribi_micro_resize_bilinear_q_args *p = args;
    const int32_t row = p->in_w * p->channels;
    for (int32_t n = 0; n < p->batch; n++, input += p->in_h * row) {
        for (int32_t y = 0; y < p->out_h; y++) {
            const int32_t *v = &p->rows[3 * y];
            const int8_t *top = input + v[0] * row, *bottom = input + v[1] * row;
            for (int32_t x = 0; x < p->out_w; x++) {
                const int32_t *h = &p->columns[3 * x];
                const int32_t left = h[0] * p->channels, right = h[1] * p->channels;
                for (int32_t c = 0; c < p->channels; c++) {
                    const int32_t above = top[left + c] * (ONE - h[2]) + top[right + c] * h[2];
                    const int32_t below =
                        bottom[left + c] * (ONE - h[2]) + bottom[right + c] * h[2];
                    const int32_t sum = above * (ONE - v[2]) + below * v[2];
                    const int32_t half = sum > 0 ? ONE * ONE / 2 : -(ONE * ONE / 2);
                    *output++ = (int8_t)((sum + half) / (ONE * ONE));
                }
            }
        }
    }
}
