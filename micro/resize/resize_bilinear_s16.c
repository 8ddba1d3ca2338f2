/* SPDX-License-Identifier: Apache-2.0 */
/* As of int8, in 64 bits. */
#include "micro/port.h"
#include "micro/resize/resize_bilinear_q.h"

enum { ONE = 1 << 10 };

/* Between two values, in 1/1024. */
static int64_t between(int64_t lower, int64_t upper, int32_t weight)
{
    return lower * (ONE - weight) + upper * weight;
}

void oribi_micro_resize_bilinear_s16(const struct oribi_micro_resize_bilinear_q_args *args,
                                     const int16_t *input, int16_t *output)
{
    const struct oribi_micro_resize_bilinear_q_args *p = args;
    const int32_t row = p->in_w * p->channels, n_rows = p->batch * p->out_h;
    for (int32_t i = 0; i < n_rows; i++) {
        const int32_t *v = &p->rows[3 * (i % p->out_h)];
        const int16_t *image = input + i / p->out_h * p->in_h * row;
        TVMGEN_YIELD();
        for (int32_t k = 0; k < p->out_w * p->channels; k++) {
            const int32_t *h = &p->columns[3 * (k / p->channels)];
            const int32_t c = k % p->channels;
            const int16_t *left = image + h[0] * p->channels + c;
            const int16_t *right = image + h[1] * p->channels + c;
            const int64_t sum = between(between(left[v[0] * row], right[v[0] * row], h[2]),
                                        between(left[v[1] * row], right[v[1] * row], h[2]), v[2]);
            const int64_t half = sum > 0 ? ONE * ONE / 2 : -(ONE * ONE / 2);
            *output++ = (int16_t)((sum + half) / (ONE * ONE));
        }
    }
}
