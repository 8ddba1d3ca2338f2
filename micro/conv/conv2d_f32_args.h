/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of convolutions of float. Read next: conv2d_f32.h, or conv2d_fma_f32.h. */
#ifndef ORIBI_MICRO_CONV2D_F32_ARGS_H_
#define ORIBI_MICRO_CONV2D_F32_ARGS_H_

#include <stdint.h>

struct oribi_micro_conv2d_f32_args {
    const float
        *filter;       /* in blocks of ORIBI_MICRO_CONV2D_F32_BLOCK result channels, then of one */
    const float *bias; /* out_c, or NULL */
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w, out_c;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t groups;
    int32_t adds;       /* 1: residual is added before the activation */
    int32_t activation; /* of activation_f32.h */
    float alpha;
};

enum { ORIBI_MICRO_CONV2D_F32_BLOCK = 8 };

#endif
