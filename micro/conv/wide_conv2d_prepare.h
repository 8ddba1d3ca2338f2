/* SPDX-License-Identifier: Apache-2.0 */
/* The prepare half of wide_conv2d: sizes, multipliers, biases in halves. Host only. */
#ifndef ORIBI_MICRO_WIDE_CONV2D_PREPARE_H_
#define ORIBI_MICRO_WIDE_CONV2D_PREPARE_H_

#include "micro/prepare.h"
#include "micro/conv/wide_conv2d.h"

/* What becomes of the channels of a layer: biases and multipliers. */
struct oribi_micro_wide_channels {
    int32_t kind;             /* U8 or S16 of element.h */
    int32_t n;                /* channels */
    int64_t taps;             /* products that a sum has */
    int32_t is_wide;          /* 1: sums of 64 bits */
    const int32_t *bias;      /* n, or NULL */
    const int64_t *wide_bias; /* n, or NULL */
    int32_t has_float_scales; /* 1: input's times filter's scale is rounded to float32 first */
    struct oribi_micro_quantisation input, output;
    const float *filter_scales; /* 1 or n */
    int32_t n_filter_scales;
};

/* Fills arrays of n: halves of the biases, multipliers, shifts. Errors: the codes of prepare.h. */
int32_t oribi_micro_wide_channels_prepare(const struct oribi_micro_wide_channels *channels,
                                          int32_t *bias_low, int32_t *bias_high,
                                          int32_t *multiplier, int32_t *shift);

struct oribi_micro_wide_conv2d_spec {
    int32_t kind, filter_kind; /* element.h: U8 with U8, S16 with S8 */
    const void *filter;        /* as of the args */
    const int32_t *bias;       /* out_c, or NULL */
    const int64_t *wide_bias;  /* out_c, or NULL; sums are of 64 bits with it */
    int32_t batch, in_h, in_w, in_c;
    int32_t out_c, filter_h, filter_w, filter_c;
    int32_t stride_h, stride_w, dilation_h, dilation_w;
    int32_t padding; /* codes of prepare.h, as activation */
    int32_t pads[4]; /* of EXPLICIT: above, below, left, right; each smaller than a window */
    int32_t activation;
    int32_t has_float_scales; /* 1: input's times filter's scale is rounded to float32 first */
    struct oribi_micro_quantisation input, output;
    int32_t filter_zero;
    const float *filter_scales; /* n: 1 or out_c */
    int32_t n_filter_scales;
};

/* Fills args; the arrays have room for out_c each.
 * Errors: INVALID for a size, scale or zero point outside its range, OVERFLOW when a sum could
 * leave what its arithmetic bears, TOO_LARGE. */
int32_t oribi_micro_wide_conv2d_prepare(const struct oribi_micro_wide_conv2d_spec *spec,
                                        struct oribi_micro_wide_conv2d_args *args,
                                        int32_t *bias_low, int32_t *bias_high, int32_t *multiplier,
                                        int32_t *shift);
/* Other sizes of images alone, of args that were prepared. */
int32_t oribi_micro_wide_conv2d_resize(const struct oribi_micro_wide_conv2d_spec *spec,
                                       struct oribi_micro_wide_conv2d_args *args);

#endif
