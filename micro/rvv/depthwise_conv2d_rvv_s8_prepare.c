/* SPDX-License-Identifier: Apache-2.0 */
/* What depthwise_conv2d_rvv_s8 needs of the plain convolution's arguments. */
#include "micro/rvv/depthwise_conv2d_rvv_s8_prepare.h"

#include "micro/nibbles/nibbles_prepare.h"
#include "micro/rvv/rvv_prepare.h"

static struct oribi_micro_rvv_spec spec_of(const struct oribi_micro_depthwise_conv2d_s8_args *a)
{
    const struct oribi_micro_rvv_spec spec = {
        a->filter, a->out_c, a->filter_h * a->filter_w, 1, a->out_c, a->bias, a->multiplier,
        a->shift,  0};
    return spec;
}

/* Of the image that windows see, its padding included. */
static int64_t rows_of(const struct oribi_micro_depthwise_conv2d_s8_args *a)
{
    return (int64_t)(a->filter_h - 1) * a->dilation_h + 1;
}

static int64_t columns_of(const struct oribi_micro_depthwise_conv2d_s8_args *a)
{
    return (int64_t)(a->out_w - 1) * a->stride_w + (int64_t)(a->filter_w - 1) * a->dilation_w + 1;
}

static int64_t bytes_of(const struct oribi_micro_depthwise_conv2d_s8_args *a)
{
    return rows_of(a) * columns_of(a) *
           (a->out_c < ORIBI_MICRO_RVV_BLOCK ? a->out_c : ORIBI_MICRO_RVV_BLOCK);
}

static int64_t words_of(const void *plain)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = plain;
    const struct oribi_micro_rvv_spec spec = spec_of(a);
    if (a->depth_multiplier != 1 || a->filter_h > ORIBI_MICRO_RVV_ROWS || rows_of(a) > INT16_MAX ||
        columns_of(a) > INT16_MAX || bytes_of(a) > INT32_MAX) {
        return 0;
    }
    return oribi_micro_rvv_words(&spec);
}

static int64_t prepare(const void *plain, int32_t *words, void *args)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = plain;
    const struct oribi_micro_rvv_spec spec = spec_of(a);
    const struct oribi_micro_depthwise_conv2d_rvv_s8_args made = {
        oribi_micro_rvv_pack(&spec, a->output_zero, a->low, a->high, words),
        a->batch,
        a->in_h,
        a->in_w,
        a->out_h,
        a->out_w,
        a->filter_h,
        a->filter_w,
        a->stride_h,
        a->stride_w,
        a->dilation_h,
        a->dilation_w,
        a->before_h,
        a->before_w,
        (int32_t)rows_of(a),
        (int32_t)columns_of(a),
        a->input_zero};
    *(struct oribi_micro_depthwise_conv2d_rvv_s8_args *)args = made;
    return bytes_of(a);
}

const struct oribi_micro_variant oribi_micro_depthwise_conv2d_rvv_s8_variant = {
    .kernel = "depthwise_conv2d_rvv_s8",
    .words = words_of,
    .prepare = prepare,
    .nibbles = &oribi_micro_depthwise_conv2d_rvv_nibbles};
