/* SPDX-License-Identifier: Apache-2.0 */
/* Two weights a byte, from what kernels of int8 read. Kernels whose weights are bytes:
 * nibbles_plain_prepare.c. */
#include "micro/nibbles/nibbles_prepare.h"

#include "micro/conv/conv2d_lanes_s8_args.h"
#include "micro/dense/fully_connected_lanes_s8_args.h"
#include "micro/mve/conv2d_mve_s8_pixels.h"
#include "micro/mve/fully_connected_mve_s8.h"
#include "micro/mve/mve_3x3.h"
#include "micro/quads/quads_s8.h"
#include "micro/rvv/conv2d_rvv_s8.h"
#include "micro/rvv/depthwise_conv2d_rvv_s8.h"
#include "micro/rvv/rvv_prepare.h"

/* Four weights, each 8 more than it is; those that do not fit have upper bits. */
static uint32_t four_of(const struct oribi_micro_nibbles *n, int32_t word)
{
    uint32_t four = 0;
    for (uint32_t unit = 1, lane = n->lane; lane != 0; unit *= n->lane + 1, lane *= n->lane + 1) {
        four |= (((uint32_t)word & lane) + n->more * unit) & lane;
    }
    return four;
}

/* Channels of a whole group. */
static int32_t group_of(const struct oribi_micro_nibbles *n, const void *args, int32_t channels)
{
    const int32_t group = n->block != NULL ? n->block(args) : n->channels;
    return group == 0 || group > channels ? channels : group;
}

/* The form of so many channels, one group or whole groups. */
static struct oribi_micro_nibbles_form form_of(const struct oribi_micro_nibbles *n,
                                               const void *args, int32_t group, int32_t channels)
{
    struct oribi_micro_nibbles_form form = n->form;
    const int32_t part = n->halves != 0 && channels <= 2 ? 2 : 1;
    form.head += n->head_each * channels;
    form.groups = (channels + group - 1) / group;
    form.words = n->weights(args, channels < group ? channels : group) / part;
    form.tail /= part;
    return form;
}

int64_t oribi_micro_nibbles_pack(const struct oribi_micro_nibbles *nibbles, const void *args,
                                 int32_t channels, int32_t *words)
{
    const struct oribi_micro_nibbles *n = nibbles;
    const int32_t group = group_of(n, args, channels);
    int64_t to = 0;
    for (int32_t writes = 0; writes < 2; writes++) {
        int64_t from = 0;
        to = 0;
        for (int32_t c = 0; c < channels; c += group) {
            const int32_t left = channels - c;
            const struct oribi_micro_nibbles_form form =
                form_of(n, args, group, left < group ? left : group);
            for (int32_t i = 0; i < form.head; i++, from++, to += writes) {
                words[writes != 0 ? to : from] = words[from];
            }
            for (int32_t i = 0; i < form.words; i += 2, from += 2) {
                const uint32_t low = four_of(n, words[from]), high = four_of(n, words[from + 1]);
                if (((low | high) & 0xf0f0f0f0U) != 0) {
                    return 0; /* in the first round: nothing is written yet */
                }
                if (writes != 0) {
                    words[to++] = (int32_t)(low | high << 4);
                }
            }
            for (int32_t i = 0; i < form.tail; i++, from++, to += writes) {
                words[writes != 0 ? to : from] = words[from];
            }
        }
    }
    return to;
}

int64_t oribi_micro_nibbles_bytes(const struct oribi_micro_nibbles_form *form)
{
    return 4 * (int64_t)form->groups * ((int64_t)form->head + form->words + form->tail);
}

int32_t oribi_micro_nibbles_blocks(const struct oribi_micro_nibbles *nibbles, const void *args,
                                   int32_t channels, int64_t bytes,
                                   struct oribi_micro_nibbles_block *out_first,
                                   struct oribi_micro_nibbles_block *out_rest)
{
    const struct oribi_micro_nibbles *n = nibbles;
    const int32_t group = group_of(n, args, channels);
    const struct oribi_micro_nibbles_form one = form_of(n, args, group, group);
    int64_t groups = bytes / oribi_micro_nibbles_bytes(&one);
    groups = groups < 1 || n->halves != 0 || n->block != NULL ? 1 : groups;
    const int32_t most = channels / group > 0 ? channels / group : 1;
    groups = bytes == 0 || groups > most ? most : groups;
    const int32_t block = bytes == 0 ? channels : (int32_t)groups * group;
    out_first->channels = block < channels ? block : channels;
    out_first->form = form_of(n, args, group, out_first->channels);
    out_rest->channels = channels % out_first->channels;
    out_rest->form = form_of(n, args, group, out_rest->channels == 0 ? group : out_rest->channels);
    return channels / out_first->channels;
}

/* --- Kernels ---------------------------------------------------------------------------------- */

static int32_t conv_pair(const void *args, int32_t channels)
{
    (void)channels;
    return ((const struct oribi_micro_conv2d_lanes_s8_args *)args)->taps / 2;
}

static int32_t conv_taps(const void *args, int32_t channels)
{
    (void)channels;
    return ((const struct oribi_micro_conv2d_lanes_s8_args *)args)->taps;
}

static int32_t conv_mve(const void *args, int32_t channels)
{
    (void)channels;
    return ((const struct oribi_micro_conv2d_mve_s8_args *)args)->taps;
}

static int32_t dense_taps(const void *args, int32_t channels)
{
    (void)channels;
    return (((const struct oribi_micro_fully_connected_lanes_s8_args *)args)->in_c + 7) / 8 * 8;
}

static int32_t dense_mve(const void *args, int32_t channels)
{
    const int32_t in_c = ((const struct oribi_micro_fully_connected_mve_s8_args *)args)->in_c;
    (void)channels;
    return (in_c + ORIBI_MICRO_MVE_TAPS - 1) / ORIBI_MICRO_MVE_TAPS * ORIBI_MICRO_MVE_TAPS;
}

static int32_t plane(const void *args, int32_t channels)
{
    (void)args;
    (void)channels;
    return 2; /* the ninth weight is in the last word */
}

static int32_t plane_mve(const void *args, int32_t channels)
{
    (void)args;
    (void)channels;
    return ORIBI_MICRO_MVE_WEIGHTS;
}

static int32_t conv_rvv(const void *args, int32_t channels)
{
    const struct oribi_micro_conv2d_rvv_s8_args *a = args;
    return (channels * a->taps + 7) / 8 * 2;
}

static int32_t block_rvv(const void *args)
{
    const struct oribi_micro_conv2d_rvv_s8_args *a = args;
    return oribi_micro_rvv_block(a->taps, a->layer.channels);
}

static int32_t depthwise_rvv(const void *args, int32_t channels)
{
    const struct oribi_micro_depthwise_conv2d_rvv_s8_args *a = args;
    return (channels * a->filter_h * a->filter_w + 7) / 8 * 2;
}

/* Bytes, bytes that are 128 more, lanes of two weights; bytes in memory. Each: head, tail. */
#define FORM(head, tail, set, flip, is_bytes) .form = {1, head, 0, tail, set, flip, is_bytes}
#define BYTES(head, tail)                     .lane = 0xffU, .more = 8, FORM(head, tail, 0x80808080U, 0x80808080U, 0)
#define BIASED(head, tail)                    .lane = 0xffU, .more = 0x88, FORM(head, tail, 0x80808080U, 0, 0)
#define LANES(head, tail)                                                                          \
    .lane = 0xffffU, .more = 0x0808, FORM(head, tail, 0x80008000U, 0x80008000U, 0)
#define MEMORY .lane = 0xffU, .more = 8, FORM(0, 0, 0x80808080U, 0x80808080U, 1)
enum { PAIR = ORIBI_MICRO_LANES_RECORD, QUAD = ORIBI_MICRO_QUADS_RECORD, MVE_HEAD = 4 };
enum { MVE_TAIL = ORIBI_MICRO_MVE_RECORD - MVE_HEAD };

const struct oribi_micro_nibbles oribi_micro_conv2d_lanes_nibbles = {
    .kernel = "conv2d_lanes_s4", LANES(0, PAIR), .channels = 2, .weights = conv_pair};
const struct oribi_micro_nibbles oribi_micro_conv2d_quads_nibbles = {
    .kernel = "conv2d_quads_s4", BYTES(0, QUAD), .channels = 4, .weights = conv_taps};
const struct oribi_micro_nibbles oribi_micro_conv2d_quads_v6m_nibbles = {
    .kernel = "conv2d_quads_v6m_s4", BIASED(0, QUAD), .channels = 4, .weights = conv_taps};
const struct oribi_micro_nibbles oribi_micro_conv2d_mve_nibbles = {
    .kernel = "conv2d_mve_s4", BYTES(MVE_HEAD, MVE_TAIL), .channels = 4, .weights = conv_mve};
const struct oribi_micro_nibbles oribi_micro_conv2d_rvv_nibbles = {
    MEMORY, .head_each = 3, .weights = conv_rvv, .count = "layer.channels", .block = block_rvv};

#define DENSE .count = "out_c", .repeat = "rows"
const struct oribi_micro_nibbles oribi_micro_fully_connected_lanes_nibbles = {
    LANES(0, 2 * PAIR), .channels = 4, .halves = 1, .weights = dense_taps, DENSE};
const struct oribi_micro_nibbles oribi_micro_fully_connected_quads_nibbles = {
    BYTES(0, QUAD), .channels = 4, .weights = dense_taps, DENSE};
const struct oribi_micro_nibbles oribi_micro_fully_connected_quads_v6m_nibbles = {
    BIASED(0, QUAD), .channels = 4, .weights = dense_taps, DENSE};
const struct oribi_micro_nibbles oribi_micro_fully_connected_mve_nibbles = {
    BYTES(MVE_HEAD, MVE_TAIL), .channels = 4, .weights = dense_mve, DENSE};

#define DEPTHWISE .count = "channels", .repeat = "batch", .has_channels = 1
const struct oribi_micro_nibbles oribi_micro_depthwise_conv2d_3x3_nibbles = {
    BYTES(0, ORIBI_MICRO_LANES_RECORD - 2), .channels = 1, .weights = plane, DEPTHWISE};
const struct oribi_micro_nibbles oribi_micro_depthwise_conv2d_3x3_mve_nibbles = {
    BYTES(ORIBI_MICRO_MVE_BIASES,
          ORIBI_MICRO_MVE_BLOCK_WORDS - ORIBI_MICRO_MVE_BIASES - ORIBI_MICRO_MVE_WEIGHTS),
    .channels = ORIBI_MICRO_MVE_BLOCK, .weights = plane_mve, DEPTHWISE};
const struct oribi_micro_nibbles oribi_micro_depthwise_conv2d_rvv_nibbles = {
    MEMORY, .head_each = 3, .weights = depthwise_rvv};
