/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling of int8: a block of channels at a time. */
#include "micro/pool/pool_q.h"

#include "micro/fixed_point.h"
#include "micro/port.h"

enum { BLOCK = 16 };

static void block(const struct oribi_micro_pool_q_args *a, const int8_t *image,
                  struct oribi_micro_pool_window w, int32_t first, int32_t count, int8_t *output)
{
    const int32_t values = (w.bottom - w.top) * (w.right - w.left);
    int32_t sum[BLOCK] = {0};
    for (int32_t y = w.top; y < w.bottom; y++) {
        for (int32_t x = w.left; x < w.right; x++) {
            const int8_t *pixel = image + (y * a->in_w + x) * a->channels + first;
            for (int32_t c = 0; c < count; c++) {
                sum[c] += pixel[c];
            }
        }
    }
    for (int32_t c = 0; c < count; c++) {
        const int32_t half = sum[c] > 0 ? values / 2 : -(values / 2);
        output[first + c] = (int8_t)oribi_micro_clamp((sum[c] + half) / values, a->low, a->high);
    }
}

void oribi_micro_average_pool_s8(const struct oribi_micro_pool_q_args *args, const int8_t *input,
                                 int8_t *output, void *scratch)
{
    const struct oribi_micro_pool_q_args *a = args;
    (void)scratch;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            for (int32_t x = 0; x < a->out_w; x++) {
                const struct oribi_micro_pool_window w = oribi_micro_pool_window(a, y, x);
                for (int32_t c = 0; c < a->channels; c += BLOCK) {
                    const int32_t left = a->channels - c;
                    block(a, input, w, c, left < BLOCK ? left : BLOCK, output);
                }
                output += a->channels;
            }
        }
        input += a->in_h * a->in_w * a->channels;
    }
}
