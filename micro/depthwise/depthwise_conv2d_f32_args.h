/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of depthwise convolutions of float. Read next: depthwise_conv2d_f32.h. */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_F32_ARGS_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_F32_ARGS_H_

#include <stdint.h>

struct oribi_micro_depthwise_conv2d_f32_args {
    const float *filter; /* [filter_h, filter_w, in_c * multiplier] */
    const float *bias;   /* in_c * multiplier, or NULL */
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t multiplier;         /* result channels of an input channel */
    int32_t adds;               /* 1: residual is added before the activation */
    int32_t activation;         /* of activation_f32.h */
    float alpha;
};

#endif
