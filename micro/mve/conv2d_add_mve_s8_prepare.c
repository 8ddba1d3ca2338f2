/* SPDX-License-Identifier: Apache-2.0 */
/* What conv2d_add_mve_s8 needs of a convolution and a sum. */
#include "micro/mve/conv2d_add_mve_s8_prepare.h"

#include "micro/conv/conv2d_add_lanes_s8_prepare.h"

enum { RESULTS = 2 /* pixels that the kernel keeps in scratch */ };

int64_t oribi_micro_conv2d_add_mve_s8_prepare(const struct oribi_micro_conv2d_mve_s8_args *conv,
                                              int64_t conv_scratch,
                                              const struct oribi_micro_add_scales_s8 *scales,
                                              int32_t conv_is_b,
                                              struct oribi_micro_conv2d_add_mve_s8_args *args)
{
    args->conv = *conv;
    args->scales = oribi_micro_conv2d_add_scales(scales, conv_is_b);
    args->results = (int32_t)conv_scratch;
    return conv_scratch + RESULTS * (int64_t)conv->out_c;
}
