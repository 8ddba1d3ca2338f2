/* SPDX-License-Identifier: Apache-2.0 */
/* What conv2d_mve_s8 needs of the plain convolution's arguments. */
#include "micro/mve/conv2d_mve_s8_prepare.h"

#include <stddef.h>

#include "micro/nibbles/nibbles_prepare.h"

static struct oribi_micro_mve_spec spec_of(const struct oribi_micro_conv2d_s8_args *a)
{
    const struct oribi_micro_mve_spec spec = {
        a->filter, a->out_c, a->filter_h * a->filter_w * a->in_c, a->bias, a->multiplier,
        a->shift,  0,
    };
    return spec;
}

static int32_t sizes_fit(const struct oribi_micro_conv2d_s8_args *a)
{
    const int32_t sizes[] = {a->batch,    a->in_h,     a->in_w,     a->in_c,      a->out_h,
                             a->out_w,    a->out_c,    a->filter_h, a->filter_w,  a->stride_h,
                             a->stride_w, a->before_h, a->before_w, a->dilation_h};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] > INT16_MAX) {
            return 0;
        }
    }
    return (int64_t)a->filter_h * a->filter_w * a->in_c <= UINT16_MAX - ORIBI_MICRO_MVE_TAPS;
}

static int64_t words_of(const void *plain)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    if (a->groups != 1 || (a->dilation_w != 1 && a->filter_w != 1) || !sizes_fit(a)) {
        return 0;
    }
    const struct oribi_micro_mve_spec spec = spec_of(a);
    return oribi_micro_mve_words(&spec);
}

static int64_t prepare(const void *plain, int32_t *words, void *args)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    struct oribi_micro_conv2d_mve_s8_args *to = args;
    const struct oribi_micro_mve_spec spec = spec_of(a);
    oribi_micro_mve_pack(&spec, words);
    to->filter = words;
    to->batch = (int16_t)a->batch;
    to->in_h = (int16_t)a->in_h;
    to->in_w = (int16_t)a->in_w;
    to->in_c = (int16_t)a->in_c;
    to->out_h = (int16_t)a->out_h;
    to->out_w = (int16_t)a->out_w;
    to->out_c = (int16_t)a->out_c;
    to->filter_h = (int16_t)a->filter_h;
    to->filter_w = (int16_t)a->filter_w;
    to->stride_h = (int16_t)a->stride_h;
    to->stride_w = (int16_t)a->stride_w;
    to->dilation_h = (int16_t)a->dilation_h;
    to->before_h = (int16_t)a->before_h;
    to->before_w = (int16_t)a->before_w;
    to->taps = (uint16_t)oribi_micro_mve_padded(spec.taps);
    to->input_zero = (int8_t)a->input_zero;
    to->output.zero = (int8_t)a->output_zero;
    to->output.low = (int8_t)a->low;
    to->output.high = (int8_t)a->high;
    return 2 * (int64_t)to->taps;
}

const struct oribi_micro_variant oribi_micro_conv2d_mve_s8_variant = {
    .kernel = "conv2d_mve_s8",
    .words = words_of,
    .prepare = prepare,
    .nibbles = &oribi_micro_conv2d_mve_nibbles};
