/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 whose weights have four bits: four channels of all pixels, then the next
 * four, by the kernel of two pixels. The body of a file that says which (ORIBI_MICRO_LAYER,
 * ORIBI_MICRO_PIXELS) and what four channels of its weights are (ORIBI_MICRO_FORM).
 */
#ifndef ORIBI_MICRO_CONV2D_NIBBLES_S8_BODY_H_
#define ORIBI_MICRO_CONV2D_NIBBLES_S8_BODY_H_

#include "micro/nibbles/nibbles.h"
#include "micro/port.h"

enum { CHANNELS = 4 };

/* What two pixels gave for `layer` of few channels goes among those of all. */
static void put(const struct ORIBI_MICRO_LAYER *layer, const int8_t *both, int32_t count,
                int32_t pitch, int8_t *to)
{
    for (int32_t i = 0; i < count; i++) {
        for (int32_t c = 0; c < layer->out_c; c++) {
            to[c] = *both++;
        }
        to += pitch;
    }
}

/* As the kernel of int8, but that no result may lie over an input. */
static inline void all_channels(const struct ORIBI_MICRO_LAYER *a, const int8_t *input,
                                int8_t *output, void *scratch)
{
    const int32_t pixels = a->out_h * a->out_w;
    struct ORIBI_MICRO_LAYER layer = *a;
    const int32_t *packed = a->filter;
    const struct oribi_micro_nibbles_form all = ORIBI_MICRO_FORM(a);
    int32_t *const weights = scratch;
    int32_t *const rest = weights + all.groups * (all.head + all.words + all.tail);
    layer.filter = weights;
    for (int32_t c = 0; c < a->out_c; c += CHANNELS) {
        layer.out_c = (int16_t)(a->out_c - c < CHANNELS ? a->out_c - c : CHANNELS);
        const struct oribi_micro_nibbles_form form = ORIBI_MICRO_FORM(&layer);
        packed = oribi_micro_nibbles_widen(&form, packed, weights);
        ORIBI_MICRO_BEGIN(&layer, rest);
        for (int32_t b = 0; b < a->batch; b++) {
            const int8_t *image = input + b * a->in_h * a->in_w * a->in_c;
            int8_t *to = output + b * pixels * a->out_c + c;
            for (int32_t p = 0; p < pixels; p += 2) {
                const int32_t count = p + 1 < pixels ? 2 : 1;
                int8_t both[2 * CHANNELS];
                TVMGEN_YIELD();
                ORIBI_MICRO_PIXELS(&layer, image, p, count, both, rest);
                put(&layer, both, count, a->out_c, to + p * a->out_c);
            }
        }
    }
}

#endif
