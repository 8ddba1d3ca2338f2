/* SPDX-License-Identifier: Apache-2.0 */
/* Packs the filter of conv2d_f32. Host only, never emitted. */
#ifndef ORIBI_MICRO_CONV2D_F32_PREPARE_H_
#define ORIBI_MICRO_CONV2D_F32_PREPARE_H_

#include "micro/conv/conv2d_f32.h"

/* Where element (tap, result channel) of a filter lies: TensorFlow's [h, w, in, out] has tap_step
 * out and channel_step 1, a transposed matrix [out, in] has 1 and in. */
struct oribi_micro_filter_f32 {
    const float *data;
    int64_t tap_step, channel_step;
};

/* Writes taps * out_c floats; taps is filter_h * filter_w * in_c / groups. Result channels are
 * divided evenly among groups. */
void oribi_micro_conv2d_f32_pack(const struct oribi_micro_filter_f32 *filter, int64_t taps,
                                 int32_t out_c, int32_t groups, float *packed);

#endif
