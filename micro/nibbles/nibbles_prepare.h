/* SPDX-License-Identifier: Apache-2.0 */
/* The words of int8 kernels with two weights a byte (nibbles.h), where all weights fit in four
 * bits, and blocks of channels whose weights a call widens at a time. Host only.
 */
#ifndef ORIBI_MICRO_NIBBLES_PREPARE_H_
#define ORIBI_MICRO_NIBBLES_PREPARE_H_

#include <stdint.h>

#include "micro/nibbles/nibbles.h"

/* What the words of a kernel are: groups of `head` words, weights and `tail` words. */
struct oribi_micro_nibbles {
    const char *kernel; /* that widens four channels at a time itself; NULL: there is none */
    uint32_t lane,
        more; /* the bits of the lowest lane; what makes its weights 8 more than they are */
    struct oribi_micro_nibbles_form form; /* groups, words and tail: of the group, where it says */
    int32_t head_each;                    /* words before a group's weights for each channel */
    int32_t channels;                     /* of a group; 0: all, or those of `block` */
    int32_t halves; /* 1: the last group is half as long when it has one or two channels */
    int32_t (*weights)(const void *args, int32_t channels); /* words of a group's, an even number */
    /* The member that says how many channels the kernel computes; NULL: always all of them. Where
     * input and results are `repeat` times as many (a member, too), it computes each by itself. */
    const char *count, *repeat;
    int32_t has_channels; /* 1: results of a channel are made of that channel of the input */
    /* Channels of a group, of kernels whose weights are bytes; NULL: others. */
    int32_t (*block)(const void *args);
    /* How many channels of the input lie before that block; NULL: as has_channels says. */
    int32_t (*input)(const void *args, int32_t block);
};

/* Of some channels of a layer. */
struct oribi_micro_nibbles_block {
    struct oribi_micro_nibbles_form form;
    int32_t channels;
};

/* Packs the words of `channels` channels of the kernel's args in place. Returns how many there are
 * then; 0: a weight does not fit, and the words are as they were. */
int64_t oribi_micro_nibbles_pack(const struct oribi_micro_nibbles *nibbles, const void *args,
                                 int32_t channels, int32_t *words);

/* The layer as blocks of about `bytes` widened bytes, at least a group each; 0: one block. How many
 * have the form of the first, and the rest, which may have no channels. */
int32_t oribi_micro_nibbles_blocks(const struct oribi_micro_nibbles *nibbles, const void *args,
                                   int32_t channels, int64_t bytes,
                                   struct oribi_micro_nibbles_block *out_first,
                                   struct oribi_micro_nibbles_block *out_rest);
int64_t oribi_micro_nibbles_bytes(const struct oribi_micro_nibbles_form *form);

/* One for each kernel whose words are packed. */
extern const struct oribi_micro_nibbles oribi_micro_conv2d_lanes_nibbles,
    oribi_micro_conv2d_quads_nibbles, oribi_micro_conv2d_quads_v6m_nibbles,
    oribi_micro_conv2d_mve_nibbles, oribi_micro_conv2d_rvv_nibbles,
    oribi_micro_fully_connected_lanes_nibbles, oribi_micro_fully_connected_quads_nibbles,
    oribi_micro_fully_connected_quads_v6m_nibbles, oribi_micro_fully_connected_mve_nibbles,
    oribi_micro_depthwise_conv2d_3x3_nibbles, oribi_micro_depthwise_conv2d_3x3_mve_nibbles,
    oribi_micro_depthwise_conv2d_rvv_nibbles;

/* Kernels whose weights are bytes, with the words that nibbles are packed from. */
struct oribi_micro_variant;
extern const struct oribi_micro_variant oribi_micro_conv2d_s8_nibbles,
    oribi_micro_depthwise_conv2d_s8_nibbles, oribi_micro_fully_connected_s8_nibbles;

#endif
