/* SPDX-License-Identifier: Apache-2.0 */
/* What conv2d_add_lanes_s8 needs of a convolution and a sum, and what it costs. */
#include "micro/conv/conv2d_add_lanes_s8_prepare.h"

#include "micro/conv/conv2d_lanes_s8_prepare.h"

enum {
    RESULTS = 2, /* pixels that the kernel keeps in scratch */
    ADD = 33     /* instructions of a sum behind a convolution */
};

struct oribi_micro_add_scales_s8
oribi_micro_conv2d_add_scales(const struct oribi_micro_add_scales_s8 *scales, int32_t conv_is_b)
{
    struct oribi_micro_add_scales_s8 out = *scales;
    if (conv_is_b != 0) {
        out.a_zero = scales->b_zero;
        out.a_multiplier = scales->b_multiplier;
        out.a_shift = scales->b_shift;
        out.b_zero = scales->a_zero;
        out.b_multiplier = scales->a_multiplier;
        out.b_shift = scales->a_shift;
    }
    return out;
}

int64_t oribi_micro_conv2d_add_lanes_s8_prepare(const struct oribi_micro_conv2d_lanes_s8_args *conv,
                                                int64_t conv_scratch,
                                                const struct oribi_micro_add_scales_s8 *scales,
                                                int32_t conv_is_b,
                                                struct oribi_micro_conv2d_add_lanes_s8_args *args)
{
    args->conv = *conv;
    args->scales = oribi_micro_conv2d_add_scales(scales, conv_is_b);
    args->results = (int32_t)conv_scratch;
    return conv_scratch + RESULTS * (int64_t)conv->out_c;
}

static int64_t instructions(const void *args)
{
    const struct oribi_micro_conv2d_add_lanes_s8_args *a = args;
    return oribi_micro_conv2d_lanes_s8_costs.instructions(&a->conv) +
           ADD * (int64_t)a->conv.batch * a->conv.out_h * a->conv.out_w * a->conv.out_c;
}

const struct oribi_micro_costs oribi_micro_conv2d_add_lanes_s8_costs = {
    .kernel = "conv2d_add_lanes_s8",
    .uses = &oribi_micro_conv2d_lanes_s8_costs,
    .instructions = instructions,
};
