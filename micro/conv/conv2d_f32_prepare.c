/* SPDX-License-Identifier: Apache-2.0 */
/* Packs a filter so that the inner loop of conv2d_f32 reads it from front to back. */
#include "micro/conv/conv2d_f32_prepare.h"

void oribi_micro_conv2d_f32_pack(const struct oribi_micro_filter_f32 *filter, int64_t taps,
                                 int32_t out_c, int32_t groups, float *packed)
{
    const int32_t each = out_c / groups;
    for (int32_t c = 0; c < out_c;) {
        const int32_t width = each - c % each >= ORIBI_MICRO_CONV2D_F32_BLOCK
                                  ? (int32_t)ORIBI_MICRO_CONV2D_F32_BLOCK
                                  : 1;
        for (int64_t t = 0; t < taps; t++) {
            for (int32_t k = 0; k < width; k++) {
                *packed++ = filter->data[t * filter->tap_step + (c + k) * filter->channel_step];
            }
        }
        c += width;
    }
}
