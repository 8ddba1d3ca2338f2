/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pool of a quantised image: bytes are compared, nothing is scaled. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/qlinear.h"
#include "micro/pool/qlinear_pool.h"

static uint8_t largest(const struct oribi_micro_qlinear_pool_args *a, const uint8_t *channel,
                       const struct oribi_micro_pool_window *w)
{
    int32_t most = INT8_MIN;
    for (int32_t y = w->top; y < w->bottom; y++) {
        for (int32_t x = w->left; x < w->right; x++) {
            const int32_t v =
                oribi_micro_qlinear_get(channel, (y * a->in_w + x) * a->channels, a->is_signed);
            most = v > most ? v : most;
        }
    }
    return (uint8_t)((uint32_t)most & 255U);
}

void oribi_micro_qlinear_max_pool(const struct oribi_micro_qlinear_pool_args *args,
                                  const void *input, void *output)
{
    const struct oribi_micro_qlinear_pool_args *a = args;
    const uint8_t *image = (const uint8_t *)input;
    uint8_t *to = (uint8_t *)output;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            for (int32_t x = 0; x < a->out_w; x++) {
                const struct oribi_micro_pool_window w = oribi_micro_qlinear_pool_window(a, y, x);
                for (int32_t c = 0; c < a->channels; c++) {
                    *to++ = largest(a, image + c, &w);
                }
            }
        }
        image += a->in_h * a->in_w * a->channels;
    }
}
