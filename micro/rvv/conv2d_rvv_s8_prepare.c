/* SPDX-License-Identifier: Apache-2.0 */
/* What conv2d_rvv_s8 needs of the arguments of a convolution or a fully connected layer. */
#include "micro/rvv/conv2d_rvv_s8_prepare.h"

#include "micro/nibbles/nibbles_prepare.h"
#include "micro/rvv/rvv_prepare.h"

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

static int64_t conv_prepare(const void *plain, int32_t *words, void *args)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    const struct oribi_micro_rvv_spec spec = conv_spec(a);
    const struct oribi_micro_conv2d_rvv_s8_args made = {
        oribi_micro_rvv_pack(&spec, a->output_zero, a->low, a->high, words),
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

static int64_t dense_prepare(const void *plain, int32_t *words, void *args)
{
    const struct oribi_micro_fully_connected_s8_args *a = plain;
    const struct oribi_micro_rvv_spec spec = dense_spec(a);
    const struct oribi_micro_conv2d_rvv_s8_args made = {
        oribi_micro_rvv_pack(&spec, a->output_zero, a->low, a->high, words),
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

const struct oribi_micro_variant oribi_micro_conv2d_rvv_s8_variant = {
    .kernel = "conv2d_rvv_s8",
    .words = conv_words,
    .prepare = conv_prepare,
    .nibbles = &oribi_micro_conv2d_rvv_nibbles};
const struct oribi_micro_variant oribi_micro_fully_connected_rvv_s8_variant = {
    .kernel = "conv2d_rvv_s8",
    .words = dense_words,
    .prepare = dense_prepare,
    .nibbles = &oribi_micro_conv2d_rvv_nibbles};
