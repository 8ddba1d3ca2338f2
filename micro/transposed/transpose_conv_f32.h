/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution of float, NHWC: each value of the output sums the windows that reach it.
 */
#ifndef ORIBI_MICRO_TRANSPOSE_CONV_F32_H_
#define ORIBI_MICRO_TRANSPOSE_CONV_F32_H_

#include <stdint.h>

struct oribi_micro_transpose_conv_f32_args {
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w, out_c;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t before_h, before_w; /* rows and columns of windows that lie before the output */
};

/* Shapes   filter [filter_h, filter_w, out_c, in_c], input [batch, in_h, in_w, in_c], output
 *          [batch, out_h, out_w, out_c], dense.
 * Owns     nothing; output is no input's memory.
 * Context  run: no allocation, no state.
 * Source   products summed one after the other, in the order row, column, channel of the input;
 *          each operation rounds once (float_rules.h).
 */
void oribi_micro_transpose_conv_f32(const struct oribi_micro_transpose_conv_f32_args *args,
                                    const float *filter, const float *input, float *output);

#endif
