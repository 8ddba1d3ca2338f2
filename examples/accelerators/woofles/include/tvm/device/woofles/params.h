/* SPDX-License-Identifier: Apache-2.0 */
/* What a woofles calls its operators, and their params: words, then int32 arrays, then weights. The
 * target (../../../../target.c) writes them, the device reads them.
 */
#ifndef TVM_DEVICE_WOOFLES_PARAMS_H_
#define TVM_DEVICE_WOOFLES_PARAMS_H_

#include <stdint.h>

/* int8 convolutions, per channel, as TensorFlow Lite Micro rounds. Input 0 NHWC, output 0 NHWC.
 * Behind the words: bias, multiplier, shift (out_c each), weights
 * [out_c][filter_h][filter_w][in_c], of a depthwise one [filter_h][filter_w][out_c]. */
#define WOOFLES_CONV      1u
#define WOOFLES_DEPTHWISE 2u

struct woofles_conv {
    int32_t batch, in_h, in_w, in_c, out_h, out_w, out_c;
    int32_t filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w, before_h, before_w;
    int32_t depth_multiplier; /* of a depthwise one */
    int32_t input_zero, output_zero, low, high;
};

#endif
