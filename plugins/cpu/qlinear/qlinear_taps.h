/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a depthwise layer's taps, in portable C. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_TAPS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_TAPS_H_

#include <stdint.h>
#include <string.h>

/* Taps of some channels of a pixel: bytes, NULL where a tap lies in the padding; and weights, those
 * of a tap `step` behind those of the one before, less their zero points. */
typedef struct tap_list {
    const uint8_t *const *from;
    int64_t at; /* where their bytes begin, behind `from` */
    const int16_t *weights;
    int64_t step;
    int32_t n, less; /* of the bytes, once they are flipped */
    uint32_t flip;
} tap_list;

/* Sums of channels [first, last) of the list. */
static inline void sum_taps(const tap_list *t, int32_t first, int32_t last, int32_t *restrict sums)
{
    const uint32_t flip = t->flip;
    const int32_t less = t->less;
    memset(sums + first, 0, (size_t)(last - first) * sizeof *sums);
    for (int32_t k = 0; k < t->n; k++) {
        const uint8_t *restrict x = t->from[k] != NULL ? t->from[k] + t->at : NULL;
        const int16_t *restrict w = t->weights + k * t->step;
        for (int32_t i = first; x != NULL && i < last; i++) {
            const int32_t product = ((int32_t)(x[i] ^ flip) - less) * w[i];
            sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)product);
        }
    }
}

#endif
