/* SPDX-License-Identifier: Apache-2.0 */
/* What conv2d_rvv_s8 needs of the arguments of a convolution or a fully connected layer: all
 * channels together, or, of weights of four bits, blocks of them that are layers of their own. */
#include "micro/rvv/conv2d_rvv_s8_prepare.h"

#include "micro/nibbles/nibbles_prepare.h"
#include "micro/rvv/rvv_prepare.h"

static int32_t even_words(int32_t weights)
{
    return (weights + 7) / 8 * 2;
}

/* The layer whose blocks the words become, one behind the other. */
static struct oribi_micro_rvv_layer pack(const struct oribi_micro_rvv_spec *spec, int32_t zero,
                                         int32_t low, int32_t high, int32_t block, int32_t *words)
{
    struct oribi_micro_rvv_layer layer = {0};
    int32_t *to = words;
    for (int32_t c = 0; c < spec->channels; c += block) {
        struct oribi_micro_rvv_spec part = *spec;
        const int32_t left = spec->channels - c, own = part.one_scale != 0 ? 0 : c;
        part.channels = left < block ? left : block;
        part.filter += c * part.channel_step;
        part.bias += c;
        part.multiplier += own;
        part.shift += own;
        layer = oribi_micro_rvv_pack(&part, zero, low, high, to);
        to += 3 * part.channels + even_words(part.channels * part.taps);
    }
    layer.words = words;
    layer.channels = spec->channels;
    return layer;
}

static int64_t block_words(const struct oribi_micro_rvv_spec *s, int32_t block)
{
    const int32_t rest = s->channels % block;
    return oribi_micro_rvv_words(s) == 0
               ? 0
               : 3 * (int64_t)s->channels +
                     (int64_t)(s->channels / block) * even_words(block * s->taps) +
                     even_words(rest * s->taps);
}

static struct oribi_micro_rvv_spec conv_spec(const struct oribi_micro_conv2d_s8_args *a)
{
    const int32_t taps = a->filter_h * a->filter_w * a->in_c;
    const struct oribi_micro_rvv_spec spec = {a->filter, a->out_c,      taps,     taps, 1,
                                              a->bias,   a->multiplier, a->shift, 0};
    return spec;
}

static int64_t conv_words(const void *plain)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    if (a->groups != 1 || (a->dilation_w != 1 && a->filter_w != 1)) {
        return 0;
    }
    const struct oribi_micro_rvv_spec spec = conv_spec(a);
    return oribi_micro_rvv_words(&spec);
}

static int64_t prepare_conv(const struct oribi_micro_conv2d_s8_args *a, int32_t block,
                            int32_t *words, void *args)
{
    const struct oribi_micro_rvv_spec spec = conv_spec(a);
    const struct oribi_micro_conv2d_rvv_s8_args made = {
        pack(&spec, a->output_zero, a->low, a->high, block, words),
        a->out_c,
        a->batch,
        a->in_h,
        a->in_w,
        a->in_c,
        a->out_h,
        a->out_w,
        a->filter_h,
        a->filter_w,
        a->stride_h,
        a->stride_w,
        a->dilation_h,
        a->before_h,
        a->before_w,
        spec.taps,
        a->input_zero,
        0};
    *(struct oribi_micro_conv2d_rvv_s8_args *)args = made;
    return 2 * (int64_t)spec.taps;
}

static int64_t conv_prepare(const void *plain, int32_t *words, void *args)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    return prepare_conv(a, a->out_c, words, args);
}

static int64_t conv_block_words(const void *plain)
{
    const struct oribi_micro_rvv_spec spec = conv_spec(plain);
    return conv_words(plain) == 0
               ? 0
               : block_words(&spec, oribi_micro_rvv_block(spec.taps, spec.channels));
}

static int64_t conv_block_prepare(const void *plain, int32_t *words, void *args)
{
    const struct oribi_micro_rvv_spec spec = conv_spec(plain);
    return prepare_conv(plain, oribi_micro_rvv_block(spec.taps, spec.channels), words, args);
}

static struct oribi_micro_rvv_spec dense_spec(const struct oribi_micro_fully_connected_s8_args *a)
{
    const struct oribi_micro_rvv_spec spec = {a->filter,     a->out_c, a->in_c,
                                              a->in_c,       1,        a->bias,
                                              a->multiplier, a->shift, a->per_channel == 0};
    return spec;
}

static int64_t dense_words(const void *plain)
{
    const struct oribi_micro_rvv_spec spec = dense_spec(plain);
    return oribi_micro_rvv_words(&spec);
}

static int64_t prepare_dense(const struct oribi_micro_fully_connected_s8_args *a, int32_t block,
                             int32_t *words, void *args)
{
    const struct oribi_micro_rvv_spec spec = dense_spec(a);
    const struct oribi_micro_conv2d_rvv_s8_args made = {
        pack(&spec, a->output_zero, a->low, a->high, block, words),
        a->out_c,
        1,
        1,
        a->rows,
        a->in_c,
        1,
        a->rows,
        1,
        1,
        1,
        1,
        1,
        0,
        0,
        a->in_c,
        0,
        1};
    *(struct oribi_micro_conv2d_rvv_s8_args *)args = made;
    return 0;
}

static int64_t dense_prepare(const void *plain, int32_t *words, void *args)
{
    const struct oribi_micro_fully_connected_s8_args *a = plain;
    return prepare_dense(a, a->out_c, words, args);
}

static int64_t dense_block_words(const void *plain)
{
    const struct oribi_micro_rvv_spec spec = dense_spec(plain);
    return block_words(&spec, oribi_micro_rvv_block(spec.taps, spec.channels));
}

static int64_t dense_block_prepare(const void *plain, int32_t *words, void *args)
{
    const struct oribi_micro_rvv_spec spec = dense_spec(plain);
    return prepare_dense(plain, oribi_micro_rvv_block(spec.taps, spec.channels), words, args);
}

const struct oribi_micro_variant oribi_micro_conv2d_rvv_s8_variant = {
    .kernel = "conv2d_rvv_s8", .words = conv_words, .prepare = conv_prepare};
const struct oribi_micro_variant oribi_micro_fully_connected_rvv_s8_variant = {
    .kernel = "conv2d_rvv_s8", .words = dense_words, .prepare = dense_prepare};
const struct oribi_micro_variant oribi_micro_conv2d_rvv_s8_nibbles = {
    .kernel = "conv2d_rvv_s8",
    .words = conv_block_words,
    .prepare = conv_block_prepare,
    .nibbles = &oribi_micro_conv2d_rvv_nibbles};
const struct oribi_micro_variant oribi_micro_fully_connected_rvv_s8_nibbles = {
    .kernel = "conv2d_rvv_s8",
    .words = dense_block_words,
    .prepare = dense_block_prepare,
    .nibbles = &oribi_micro_conv2d_rvv_nibbles};
