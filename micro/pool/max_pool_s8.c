/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pooling of int8: the output holds the largest value so far. */
#include "micro/pool/pool_q.h"

#include "micro/fixed_point.h"
#include "micro/memory.h"
#include "micro/port.h"

static void pixel(const struct oribi_micro_pool_q_args *a, const int8_t *image,
                  struct oribi_micro_pool_window w, int8_t *output)
{
    (void)memset(output, INT8_MIN, (size_t)a->channels);
    for (int32_t y = w.top; y < w.bottom; y++) {
        for (int32_t x = w.left; x < w.right; x++) {
            const int8_t *values = image + (y * a->in_w + x) * a->channels;
            for (int32_t c = 0; c < a->channels; c++) {
                output[c] = values[c] > output[c] ? values[c] : output[c];
            }
        }
    }
    for (int32_t c = 0; c < a->channels; c++) {
        output[c] = (int8_t)oribi_micro_clamp(output[c], a->low, a->high);
    }
}

void oribi_micro_max_pool_s8(const struct oribi_micro_pool_q_args *args, const int8_t *input,
                             int8_t *output, void *scratch)
{
    const struct oribi_micro_pool_q_args *a = args;
    (void)scratch;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            for (int32_t x = 0; x < a->out_w; x++) {
                pixel(a, input, oribi_micro_pool_window(a, y, x), output);
                output += a->channels;
            }
        }
        input += a->in_h * a->in_w * a->channels;
    }
}
