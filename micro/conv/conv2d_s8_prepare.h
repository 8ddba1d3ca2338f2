/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of conv2d_s8 from what a model says. Host only. */
#ifndef ORIBI_MICRO_CONV2D_S8_PREPARE_H_
#define ORIBI_MICRO_CONV2D_S8_PREPARE_H_

#include "micro/conv/conv2d_s8.h"
#include "micro/prepare.h"

struct oribi_micro_conv2d_s8_spec {
    int32_t batch, in_h, in_w, in_c; /* in_h 0: sizes come later, with resize */
    int32_t out_c, filter_h, filter_w;
    int32_t filter_c; /* in_c / groups */
    int32_t stride_h, stride_w, dilation_h, dilation_w;
    int32_t padding;
    int32_t pads[4]; /* of EXPLICIT: above, below, left, right; each smaller than a window */
    int32_t activation;
    int32_t gather; /* 1: results may be written over inputs that no later window reads */
    struct oribi_micro_quantisation input, output;
    const float *filter_scales;
    int32_t n_filter_scales; /* 1 or out_c */
    const int8_t *filter;    /* OHWI; kept, not copied */
    const int32_t *bias;     /* out_c, or NULL: zeros */
};

/* Fills args, and bias, multiplier and shift of out_c values each, to which args then points.
 * Errors: the codes of prepare.h; args and arrays are then unspecified. */
int32_t oribi_micro_conv2d_s8_prepare(const struct oribi_micro_conv2d_s8_spec *spec,
                                      struct oribi_micro_conv2d_s8_args *args, int32_t *bias,
                                      int32_t *multiplier, int32_t *shift);

/* Sets the sizes of args for images of this size; the rest of args stays. */
int32_t oribi_micro_conv2d_s8_resize(const struct oribi_micro_conv2d_s8_spec *spec, int32_t batch,
                                     int32_t in_h, int32_t in_w,
                                     struct oribi_micro_conv2d_s8_args *args);

#endif
