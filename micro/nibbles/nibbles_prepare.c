/* SPDX-License-Identifier: Apache-2.0 */
/* Two weights a byte, from what kernels of int8 read. */
#include "micro/nibbles/nibbles_prepare.h"

#include "micro/conv/conv2d_lanes_s8_args.h"
#include "micro/dense/fully_connected_lanes_s8_args.h"
#include "micro/mve/conv2d_mve_s8_pixels.h"
#include "micro/mve/fully_connected_mve_s8.h"
#include "micro/quads/quads_s8.h"

/* Four weights, each 8 more than it is; those that do not fit have upper bits. */
static uint32_t four_of(const struct oribi_micro_nibbles *n, int32_t word)
{
    uint32_t four = 0;
    for (uint32_t unit = 1, lane = n->lane; lane != 0; unit *= n->lane + 1, lane *= n->lane + 1) {
        four |= (((uint32_t)word & lane) + n->more * unit) & lane;
    }
    return four;
}

int64_t oribi_micro_nibbles_pack(const struct oribi_micro_nibbles *nibbles, const void *args,
                                 int32_t *words, int64_t count, int64_t *out_scratch)
{
    const struct oribi_micro_nibbles *n = nibbles;
    const int32_t weights = n->weights(args);
    int64_t to = 0;
    for (int32_t writes = 0; writes < 2; writes++) {
        to = 0;
        for (int64_t from = 0; from < count;) {
            const int32_t part =
                n->halves != 0 && count - from < n->head + weights + n->tail ? 2 : 1;
            int32_t left = n->head;
            for (; writes != 0 && left > 0; left--) {
                words[to++] = words[from++];
            }
            from += left;
            for (left = weights / part; left > 0; left -= 2, from += 2) {
                const uint32_t low = four_of(n, words[from]), high = four_of(n, words[from + 1]);
                if (((low | high) & 0xf0f0f0f0U) != 0) {
                    return 0; /* in the first round: nothing is written yet */
                }
                if (writes != 0) {
                    words[to++] = (int32_t)(low | high << 4);
                }
            }
            left = n->tail / part;
            for (; writes != 0 && left > 0; left--) {
                words[to++] = words[from++];
            }
            from += left;
        }
    }
    *out_scratch = 4 * (int64_t)n->groups * (n->head + weights + n->tail);
    return to;
}

/* --- Kernels ---------------------------------------------------------------------------------- */

static int32_t conv_pair(const void *args)
{
    return ((const struct oribi_micro_conv2d_lanes_s8_args *)args)->taps / 2;
}

static int32_t conv_taps(const void *args)
{
    return ((const struct oribi_micro_conv2d_lanes_s8_args *)args)->taps;
}

static int32_t conv_mve(const void *args)
{
    return ((const struct oribi_micro_conv2d_mve_s8_args *)args)->taps;
}

static int32_t dense_taps(const void *args)
{
    return (((const struct oribi_micro_fully_connected_lanes_s8_args *)args)->in_c + 7) / 8 * 8;
}

static int32_t dense_mve(const void *args)
{
    const int32_t in_c = ((const struct oribi_micro_fully_connected_mve_s8_args *)args)->in_c;
    return (in_c + ORIBI_MICRO_MVE_TAPS - 1) / ORIBI_MICRO_MVE_TAPS * ORIBI_MICRO_MVE_TAPS;
}

/* Bytes, bytes that are 128 more, lanes of two weights. */
#define BYTES  0xffU, 8
#define BIASED 0xffU, 0x88
#define LANES  0xffffU, 0x0808
enum { PAIR = ORIBI_MICRO_LANES_RECORD, QUAD = ORIBI_MICRO_QUADS_RECORD, MVE_HEAD = 4 };
enum { MVE_TAIL = ORIBI_MICRO_MVE_RECORD - MVE_HEAD };

const struct oribi_micro_nibbles oribi_micro_conv2d_lanes_nibbles = {
    "conv2d_lanes_s4", LANES, 0, PAIR, 2, 0, conv_pair};
const struct oribi_micro_nibbles oribi_micro_conv2d_quads_nibbles = {
    "conv2d_quads_s4", BYTES, 0, QUAD, 1, 0, conv_taps};
const struct oribi_micro_nibbles oribi_micro_conv2d_quads_v6m_nibbles = {
    "conv2d_quads_v6m_s4", BIASED, 0, QUAD, 1, 0, conv_taps};
const struct oribi_micro_nibbles oribi_micro_conv2d_mve_nibbles = {
    "conv2d_mve_s4", BYTES, MVE_HEAD, MVE_TAIL, 1, 0, conv_mve};
const struct oribi_micro_nibbles oribi_micro_fully_connected_lanes_nibbles = {
    "fully_connected_lanes_s4", LANES, 0, 2 * PAIR, 1, 1, dense_taps};
const struct oribi_micro_nibbles oribi_micro_fully_connected_quads_nibbles = {
    "fully_connected_quads_s4", BYTES, 0, QUAD, 1, 0, dense_taps};
const struct oribi_micro_nibbles oribi_micro_fully_connected_quads_v6m_nibbles = {
    "fully_connected_quads_v6m_s4", BIASED, 0, QUAD, 1, 0, dense_taps};
const struct oribi_micro_nibbles oribi_micro_fully_connected_mve_nibbles = {
    "fully_connected_mve_s4", BYTES, MVE_HEAD, MVE_TAIL, 1, 0, dense_mve};
