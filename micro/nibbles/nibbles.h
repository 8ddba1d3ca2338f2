/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of four bits in flash, two a byte: those of some channels at a time are widened to
 * scratch, into what a kernel of int8 reads, and that kernel computes these channels. A word holds
 * eight weights, each 8 more than it is: those of the first word in the lower halves of its bytes,
 * of the second in the upper ones. What lies before and behind a group's weights stays as it is.
 * nibbles_prepare.h packs.
 */
#ifndef ORIBI_MICRO_NIBBLES_H_
#define ORIBI_MICRO_NIBBLES_H_

#include <stdint.h>

/* So many groups of `head` words, an even number of words of weights, `tail` words. */
struct oribi_micro_nibbles_form {
    int32_t groups, head, words, tail;
    uint32_t set,
        flip;         /* bits by which four weights that are 8 more become what the kernel reads */
    int32_t is_bytes; /* 1: it reads bytes as they lie in memory, else words */
};

/* Returns what lies behind these groups. */
const int32_t *oribi_micro_nibbles_widen(const struct oribi_micro_nibbles_form *form,
                                         const int32_t *from, int32_t *to);

#endif
