/* SPDX-License-Identifier: Apache-2.0 */
/* The words of int8 kernels with two weights a byte (nibbles.h), where all weights fit in four
 * bits. Host only.
 */
#ifndef ORIBI_MICRO_NIBBLES_PREPARE_H_
#define ORIBI_MICRO_NIBBLES_PREPARE_H_

#include <stdint.h>

/* What the words of a kernel are: groups of `head` words, weights and `tail` words. */
struct oribi_micro_nibbles {
    const char *kernel; /* that reads the packed words */
    uint32_t lane,
        more; /* the bits of the lowest lane; what makes its weights 8 more than they are */
    int32_t head, tail;
    int32_t groups; /* of four channels */
    int32_t halves; /* 1: a group of the last one or two channels is half as long */
    int32_t (*weights)(const void *args); /* words of weights in a group, an even number */
};

/* Packs `count` words of the kernel's args in place. Returns how many there are then, and in
 * *out_scratch the bytes that four channels take when they are unpacked; 0: a weight does not fit,
 * and the words are as they were. */
int64_t oribi_micro_nibbles_pack(const struct oribi_micro_nibbles *nibbles, const void *args,
                                 int32_t *words, int64_t count, int64_t *out_scratch);

/* One for each kernel of this room. */
extern const struct oribi_micro_nibbles oribi_micro_conv2d_lanes_nibbles,
    oribi_micro_conv2d_quads_nibbles, oribi_micro_conv2d_quads_v6m_nibbles,
    oribi_micro_conv2d_mve_nibbles, oribi_micro_fully_connected_lanes_nibbles,
    oribi_micro_fully_connected_quads_nibbles, oribi_micro_fully_connected_quads_v6m_nibbles,
    oribi_micro_fully_connected_mve_nibbles;

#endif
