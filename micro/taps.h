/* SPDX-License-Identifier: Apache-2.0 */
/* Which taps of a window lie in the image, along one axis? */
#ifndef ORIBI_MICRO_TAPS_H_
#define ORIBI_MICRO_TAPS_H_

#include <stdint.h>

/* The first tap inside of `taps`, dilation apart, that start at `start`; and the first one beyond.
 */
static inline void oribi_micro_taps_inside(int32_t start, int32_t taps, int32_t dilation,
                                           int32_t size, int32_t *out_from, int32_t *out_to)
{
    int32_t from = 0, to = taps;
    while (from < taps && start + from * dilation < 0) {
        from++;
    }
    while (to > from && start + (to - 1) * dilation >= size) {
        to--;
    }
    *out_from = from;
    *out_to = to;
}

#endif
