/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of four bits in flash, two a byte: a group of channels at a time is widened to scratch,
 * into what a kernel of int8 reads, and that kernel computes it. A word holds eight weights, each 8
 * more than it is: those of the first word in the lower halves of its bytes, of the second in the
 * upper ones. What lies before and behind a group's weights stays as it is. nibbles_prepare.h
 * packs.
 */
#ifndef ORIBI_MICRO_NIBBLES_H_
#define ORIBI_MICRO_NIBBLES_H_

#include <stdint.h>

/* What a kernel reads, of four weights that are 8 more: bytes, bytes that are 128 more, or two
 * lanes, of which nothing is carried into the next. */
static inline uint32_t oribi_micro_nibbles_bytes(uint32_t four)
{
    return ((four | 0x80808080U) - 0x08080808U) ^ 0x80808080U;
}
static inline uint32_t oribi_micro_nibbles_biased(uint32_t four)
{
    return four + 0x78787878U;
}
static inline uint32_t oribi_micro_nibbles_lanes(uint32_t four)
{
    return ((four | 0x80008000U) - 0x08080808U) ^ 0x80008000U;
}

/* A group: `head` words, an even number of words of weights, `tail` words. Returns what is behind
 * it. */
#define ORIBI_MICRO_NIBBLES_WIDEN(widen)                                                           \
    static const int32_t *widen_group(const int32_t *from, int32_t head, int32_t words,            \
                                      int32_t tail, int32_t *to)                                   \
    {                                                                                              \
        for (; head > 0; head--) {                                                                 \
            *to++ = *from++;                                                                       \
        }                                                                                          \
        for (; words > 0; words -= 2) {                                                            \
            const uint32_t eight = (uint32_t)*from++;                                              \
            to[0] = (int32_t)widen(eight & 0x0f0f0f0fU);                                           \
            to[1] = (int32_t)widen(eight >> 4 & 0x0f0f0f0fU);                                      \
            to += 2;                                                                               \
        }                                                                                          \
        for (; tail > 0; tail--) {                                                                 \
            *to++ = *from++;                                                                       \
        }                                                                                          \
        return from;                                                                               \
    }

#endif
