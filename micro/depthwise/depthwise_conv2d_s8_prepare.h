/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of depthwise_conv2d_s8 from what a model says. Host only. */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_S8_PREPARE_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_S8_PREPARE_H_

#include "micro/depthwise/depthwise_conv2d_s8.h"
#include "micro/prepare.h"

struct oribi_micro_depthwise_conv2d_s8_spec {
    int32_t batch, in_h, in_w, in_c; /* in_h 0: sizes come later, with resize */
    int32_t depth_multiplier, filter_h, filter_w;
    int32_t stride_h, stride_w, dilation_h, dilation_w;
    int32_t padding;
    int32_t pads[4]; /* of EXPLICIT: above, below, left, right; each smaller than a window */
    int32_t activation;
    int32_t in_place; /* 1: output may be the memory of input; refused where that cannot be */
    struct oribi_micro_quantisation input, output;
    const float *filter_scales;
    int32_t n_filter_scales; /* 1 or in_c * depth_multiplier */
    const int8_t *filter;    /* [1, filter_h, filter_w, in_c * depth_multiplier]; kept */
    const int32_t *bias;     /* one per result channel, or NULL: zeros */
};

/* Fills args, and bias, multiplier and shift of one value per result channel, to which args then
 * points. Errors: the codes of prepare.h; args and arrays are then unspecified. */
int32_t
oribi_micro_depthwise_conv2d_s8_prepare(const struct oribi_micro_depthwise_conv2d_s8_spec *spec,
                                        struct oribi_micro_depthwise_conv2d_s8_args *args,
                                        int32_t *bias, int32_t *multiplier, int32_t *shift);

/* Sets the sizes of args for images of this size; the rest of args stays. */
int32_t
oribi_micro_depthwise_conv2d_s8_resize(const struct oribi_micro_depthwise_conv2d_s8_spec *spec,
                                       int32_t batch, int32_t in_h, int32_t in_w,
                                       struct oribi_micro_depthwise_conv2d_s8_args *args);

#endif
