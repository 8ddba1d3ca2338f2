/* SPDX-License-Identifier: Apache-2.0 */
/* Two weights a byte of the plain kernels, whose weights are bytes: they are put in words block by
 * block, as a block's lie when it is a layer of its own. */
#include "micro/nibbles/nibbles_prepare.h"

#include <stddef.h>

#include "micro/conv/conv2d_s8.h"
#include "micro/dense/fully_connected_s8.h"
#include "micro/depthwise/depthwise_conv2d_s8.h"
#include "micro/variant_prepare.h"

/* Bytes of scratch for a block, where its weights allow, and for a single channel's beside three
 * others. */
enum { BYTES = 2048, FOUR = 16384 };

static int64_t words_of(int64_t weights)
{
    return (weights + 7) / 8 * 2;
}

/* Puts a block's weight `i` where it belongs. */
static void put(int32_t *words, int64_t i, int8_t weight)
{
    words[i / 4] =
        (int32_t)((uint32_t)words[i / 4] | ((uint32_t)weight & 0xffU) << (uint32_t)(8 * (i % 4)));
}

/* Channels whose weights lie one behind the other, `taps` each, of blocks of `block`. */
static void pack_rows(const int8_t *filter, int64_t taps, int32_t channels, int32_t block,
                      int32_t *words)
{
    for (int32_t c = 0; c < channels; c += block) {
        const int64_t n = taps * (channels - c < block ? channels - c : block);
        for (int64_t i = 0; i < n; i++) {
            put(words, i, filter[c * taps + i]);
        }
        words += words_of(n);
    }
}

/* A block of channels for which that is all that matters. */
static int32_t some(int32_t taps, int32_t channels)
{
    const int32_t fours = BYTES / taps / 4 * 4;
    const int32_t block = fours > 0 ? fours : taps > FOUR / 4 ? 1 : 4;
    return block < channels ? block : channels;
}

static int64_t all_words(int64_t taps, int32_t channels, int32_t block)
{
    const int32_t rest = channels % block;
    return channels / block * words_of(taps * block) + words_of(taps * rest);
}

/* --- Convolution ------------------------------------------------------------------------------ */

static int32_t conv_taps(const struct oribi_micro_conv2d_s8_args *a)
{
    return a->filter_h * a->filter_w * a->depth;
}

/* Whole groups, or equal parts of one. */
static int32_t conv_block(const void *args)
{
    const struct oribi_micro_conv2d_s8_args *a = args;
    const int32_t taps = conv_taps(a), outputs = a->out_c / a->groups;
    int32_t block = some(taps, a->out_c);
    if (a->groups == 1) {
        return block;
    }
    if (block >= outputs) {
        return block / outputs * outputs;
    }
    while (outputs % block != 0) {
        block--;
    }
    return block;
}

static int32_t conv_input(const void *args, int32_t block)
{
    const struct oribi_micro_conv2d_s8_args *a = args;
    return block * conv_block(a) / (a->out_c / a->groups) * a->depth;
}

static int32_t conv_weights(const void *args, int32_t channels)
{
    return (int32_t)words_of((int64_t)conv_taps(args) * channels);
}

static int64_t conv_words(const void *plain)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    return all_words(conv_taps(a), a->out_c, conv_block(a));
}

static int64_t conv_prepare(const void *plain, int32_t *words, void *args)
{
    struct oribi_micro_conv2d_s8_args *to = args;
    *to = *(const struct oribi_micro_conv2d_s8_args *)plain;
    pack_rows(to->filter, conv_taps(to), to->out_c, conv_block(to), words);
    return to->scratch_bytes;
}

/* --- Fully connected -------------------------------------------------------------------------- */

static int32_t dense_block(const void *args)
{
    const struct oribi_micro_fully_connected_s8_args *a = args;
    return some(a->in_c, a->out_c);
}

static int32_t dense_weights(const void *args, int32_t channels)
{
    const struct oribi_micro_fully_connected_s8_args *a = args;
    return (int32_t)words_of((int64_t)a->in_c * channels);
}

static int64_t dense_words(const void *plain)
{
    const struct oribi_micro_fully_connected_s8_args *a = plain;
    return all_words(a->in_c, a->out_c, dense_block(a));
}

static int64_t dense_prepare(const void *plain, int32_t *words, void *args)
{
    struct oribi_micro_fully_connected_s8_args *to = args;
    *to = *(const struct oribi_micro_fully_connected_s8_args *)plain;
    pack_rows(to->filter, to->in_c, to->out_c, dense_block(to), words);
    return to->scratch_bytes;
}

/* --- Depthwise convolution -------------------------------------------------------------------- */

enum { BLOCK = 16 /* channels that the kernel computes at once */ };

/* Channels made of whole ones of the input. */
static int32_t depthwise_block(const void *args)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = args;
    const int32_t taps = a->filter_h * a->filter_w, m = a->depth_multiplier;
    const int32_t least = (BLOCK + m - 1) / m * m, most = BYTES / taps / least * least;
    const int32_t block = most > 0 ? most : taps > FOUR / least ? m : least;
    return block < a->out_c ? block : a->out_c;
}

static int32_t depthwise_input(const void *args, int32_t block)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = args;
    return block * depthwise_block(a) / a->depth_multiplier;
}

static int32_t depthwise_weights(const void *args, int32_t channels)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = args;
    return (int32_t)words_of((int64_t)a->filter_h * a->filter_w * channels);
}

static int64_t depthwise_words(const void *plain)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = plain;
    return all_words(a->filter_h * a->filter_w, a->out_c, depthwise_block(a));
}

static int64_t depthwise_prepare(const void *plain, int32_t *words, void *args)
{
    struct oribi_micro_depthwise_conv2d_s8_args *to = args;
    *to = *(const struct oribi_micro_depthwise_conv2d_s8_args *)plain;
    const int32_t taps = to->filter_h * to->filter_w, block = depthwise_block(to);
    for (int32_t c = 0; c < to->out_c; c += block) {
        const int32_t n = to->out_c - c < block ? to->out_c - c : block;
        for (int32_t i = 0; i < taps * n; i++) {
            put(words, i, to->filter[i / n * to->out_c + c + i % n]);
        }
        words += words_of((int64_t)taps * n);
    }
    return to->scratch_bytes;
}

/* --- Kernels ---------------------------------------------------------------------------------- */

/* Bytes as they lie in memory. */
#define BLOCKS                                                                                     \
    .lane = 0xffU, .more = 8, .form = {1, 0, 0, 0, 0x80808080U, 0x80808080U, 1}, .count = "out_c"

static const struct oribi_micro_nibbles conv = {BLOCKS, .weights = conv_weights,
                                                .block = conv_block, .input = conv_input};
static const struct oribi_micro_nibbles dense = {BLOCKS, .weights = dense_weights,
                                                 .block = dense_block, .repeat = "rows"};
static const struct oribi_micro_nibbles depthwise = {BLOCKS, .weights = depthwise_weights,
                                                     .has_channels = 1, .block = depthwise_block,
                                                     .input = depthwise_input};

const struct oribi_micro_variant oribi_micro_conv2d_s8_nibbles = {
    .kernel = "conv2d_s8", .words = conv_words, .prepare = conv_prepare, .nibbles = &conv};
const struct oribi_micro_variant oribi_micro_fully_connected_s8_nibbles = {.kernel =
                                                                               "fully_connected_s8",
                                                                           .words = dense_words,
                                                                           .prepare = dense_prepare,
                                                                           .nibbles = &dense};
const struct oribi_micro_variant oribi_micro_depthwise_conv2d_s8_nibbles = {
    .kernel = "depthwise_conv2d_s8",
    .words = depthwise_words,
    .prepare = depthwise_prepare,
    .nibbles = &depthwise};
