/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8 whose weights have four bits: four results of all rows, then the
 * next four, by the kernel of int8. The body of a file that says which (ORIBI_MICRO_LAYER,
 * ORIBI_MICRO_ROW) and what a group of its weights is.
 */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_NIBBLES_S8_BODY_H_
#define ORIBI_MICRO_FULLY_CONNECTED_NIBBLES_S8_BODY_H_

#include "micro/nibbles/nibbles.h"

enum { CHANNELS = 4 };

static inline void all_channels(const struct ORIBI_MICRO_LAYER *a, const int8_t *input,
                                int8_t *output, void *scratch)
{
    struct ORIBI_MICRO_LAYER layer = *a;
    const int32_t *packed = a->filter;
    int32_t *const weights = scratch, *const rest = weights + ORIBI_MICRO_GROUP_WORDS(a);
    layer.filter = weights;
    layer.rows = 1;
    for (int32_t c = 0; c < a->out_c; c += CHANNELS) {
        layer.out_c = a->out_c - c < CHANNELS ? a->out_c - c : CHANNELS;
        packed = ORIBI_MICRO_GROUP(packed, &layer, weights);
        for (int32_t i = 0; i < a->rows; i++) {
            ORIBI_MICRO_ROW(&layer, input + i * a->in_c, output + i * a->out_c + c, rest);
        }
    }
}

#endif
