/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution of float as ONNX has it: channels first, groups, one to three axes of
 * space (those that are not there have the size 1). One of NHWC without groups:
 * transpose_conv_f32.h.
 */
#ifndef ORIBI_MICRO_CONV_TRANSPOSE_F32_H_
#define ORIBI_MICRO_CONV_TRANSPOSE_F32_H_

#include <stdint.h>

struct oribi_micro_conv_transpose_f32_args {
    int32_t batch, groups;
    int32_t in_c, out_c; /* of one group */
    int32_t in_d, in_h, in_w;
    int32_t out_d, out_h, out_w;
    int32_t filter_d, filter_h, filter_w;
    int32_t stride_d, stride_h, stride_w;
    int32_t dilation_d, dilation_h, dilation_w;
    int32_t before_d, before_h, before_w; /* what windows reach before the output */
};

/* Shapes   filter [groups * in_c, out_c, filter_d, filter_h, filter_w], input [batch, groups *
 * in_c, in_d, in_h, in_w], output [batch, groups * out_c, out_d, out_h, out_w], dense. No count of
 *          elements, and no place that a window reaches, is above INT32_MAX.
 * Owns     nothing; output is no input's memory.
 * Context  run: no allocation, no state.
 * Source   each result sums products in the order channel, depth, row, column of the filter; each
 *          operation rounds once (float_rules.h).
 */
void oribi_micro_conv_transpose_f32(const struct oribi_micro_conv_transpose_f32_args *args,
                                    const float *filter, const float *input, float *output);

/* One row of the output: filter and input are those of its group and batch, channel that of the
 * group. */
void oribi_micro_conv_transpose_f32_row(const struct oribi_micro_conv_transpose_f32_args *args,
                                        const float *filter, const float *input, int32_t channel,
                                        int32_t depth, int32_t row, float *output);

#endif
