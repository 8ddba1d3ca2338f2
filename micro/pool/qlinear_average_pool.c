/* SPDX-License-Identifier: Apache-2.0 */
/* Average pool of a quantised image, in float as the source has it. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/qlinear.h"
#include "micro/pool/qlinear_pool.h"

static float average(const struct oribi_micro_qlinear_pool_args *a, const uint8_t *channel,
                     const struct oribi_micro_pool_window *w)
{
    float sum = 0.0F;
    for (int32_t y = w->top; y < w->bottom; y++) {
        for (int32_t x = w->left; x < w->right; x++) {
            const int32_t v =
                oribi_micro_qlinear_get(channel, (y * a->in_w + x) * a->channels, a->is_signed);
            sum += a->input_scale * (float)(v - a->input_zero);
        }
    }
    return sum / (float)((w->bottom - w->top) * (w->right - w->left));
}

void oribi_micro_qlinear_average_pool(const struct oribi_micro_qlinear_pool_args *args,
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
                    const float steps = average(a, image + c, &w) / a->output_scale;
                    *to++ = oribi_micro_qlinear_shifted_byte(steps + (float)a->output_zero, a->low,
                                                             a->high);
                }
            }
        }
        image += a->in_h * a->in_w * a->channels;
    }
}
