/* SPDX-License-Identifier: Apache-2.0 */
/* How much two boxes (y, x, y, x) have in common, in float32 as TensorFlow Lite computes it: a
 * ratio at the threshold decides.
 */
#ifndef ORIBI_MICRO_BOX_OVERLAP_H_
#define ORIBI_MICRO_BOX_OVERLAP_H_

#include <stdint.h>

static inline float oribi_micro_lower(float a, float b)
{
    return b < a ? b : a;
}

static inline float oribi_micro_upper(float a, float b)
{
    return a < b ? b : a;
}

/* Of the first corner of a box the lower coordinates; 0 for a box without area. */
static inline float oribi_micro_box_overlap(const float *a, const float *b)
{
    float common = 1.0F, area_a = 1.0F, area_b = 1.0F;
    for (int32_t k = 0; k < 2; k++) {
        const float a0 = oribi_micro_lower(a[k], a[k + 2]), a1 = oribi_micro_upper(a[k], a[k + 2]);
        const float b0 = oribi_micro_lower(b[k], b[k + 2]), b1 = oribi_micro_upper(b[k], b[k + 2]);
        const float side = oribi_micro_lower(a1, b1) - oribi_micro_upper(a0, b0);
        area_a *= a1 - a0;
        area_b *= b1 - b0;
        common *= oribi_micro_upper(side, 0.0F);
    }
    return area_a <= 0.0F || area_b <= 0.0F ? 0.0F : common / (area_a + area_b - common);
}

#endif
