/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a depthwise layer's taps, in portable C. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_TAPS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_TAPS_H_

#include <stdint.h>

/* Taps of some channels of a pixel, two and two: bytes (in the padding those of a pixel of zero
 * points); and weights less their zero points, those of both taps of a pair side by side. The zero
 * points of the bytes are in what sums begin with. */
typedef struct tap_list {
    const uint8_t *const *from;
    int64_t at; /* where their bytes begin, behind `from` */
    const int16_t *weights;
    int64_t step;          /* from a pair's weights to the next one's */
    int32_t n;             /* pairs */
    int32_t columns, rows; /* of the window */
    int32_t slide;         /* columns from a pixel's window to the next one's; 0: no whole number */
    uint32_t flip;
    const int32_t *begin;  /* sums begin with; may be where they go to */
    const uint8_t *narrow; /* of each TAPS_BLOCK channels: are their weights bytes, in the place of
                              half of these numbers, as the instruction set wants them? */
} tap_list;

#ifndef TAPS_AT_ONCE
#define TAPS_AT_ONCE 32
#endif
/* Windows are looked up for MOST_TAPS taps at a time. */
enum { MOST_TAPS = 64 };

enum { TAPS_BLOCK = TAPS_AT_ONCE };

/* Sums of channels [first, last) of the list. */
static inline void sum_taps(const tap_list *t, int32_t first, int32_t last, int32_t *sums)
{
    const uint32_t flip = t->flip;
    for (int32_t i = first; i < last; i++) {
        uint32_t sum = (uint32_t)t->begin[i];
        for (int32_t k = 0; k < t->n; k++) {
            const int16_t *w = t->weights + k * t->step + 2 * i;
            sum += (uint32_t)((int32_t)(t->from[2 * k][t->at + i] ^ flip) * w[0]);
            sum += (uint32_t)((int32_t)(t->from[2 * k + 1][t->at + i] ^ flip) * w[1]);
        }
        sums[i] = (int32_t)sum;
    }
}

#endif
