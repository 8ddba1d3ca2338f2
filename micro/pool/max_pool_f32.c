/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pool of float. */
#include "micro/float_rules.h"

#include "micro/math_f32.h"
#include "micro/pool/pool_f32.h"
#include "micro/port.h"

static float largest(const struct oribi_micro_pool_f32_args *a, const float *channel,
                     const struct oribi_micro_pool_window *w)
{
    float most = oribi_micro_from_bits(UINT32_C(0xff800000)); /* -infinity */
    for (int32_t y = w->top; y < w->bottom; y++) {
        for (int32_t x = w->left; x < w->right; x++) {
            const float value = channel[(y * a->in_w + x) * a->channels];
            most = value > most ? value : most;
        }
    }
    return most;
}

void oribi_micro_max_pool_f32(const struct oribi_micro_pool_f32_args *args, const float *input,
                              float *output)
{
    for (int32_t b = 0; b < args->batch; b++) {
        const float *image = input + b * args->in_h * args->in_w * args->channels;
        for (int32_t y = 0; y < args->out_h; y++) {
            TVMGEN_YIELD();
            for (int32_t x = 0; x < args->out_w; x++) {
                const struct oribi_micro_pool_window w = oribi_micro_pool_f32_window(args, y, x);
                for (int32_t c = 0; c < args->channels; c++) {
                    *output++ = largest(args, image + c, &w);
                }
            }
        }
    }
}
