/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of wide_transpose_conv from what a model says. Host only. */
#ifndef ORIBI_MICRO_WIDE_TRANSPOSE_CONV_PREPARE_H_
#define ORIBI_MICRO_WIDE_TRANSPOSE_CONV_PREPARE_H_

#include "micro/conv/transpose_conv_s8_prepare.h"
#include "micro/conv/wide_conv2d_prepare.h"
#include "micro/conv/wide_transpose_conv.h"

struct oribi_micro_wide_transpose_conv_spec {
    int32_t filter_kind; /* element.h: U8 with channels of U8, S8 with S16 */
    const void *filter;  /* as of the args */
    struct oribi_micro_transpose_shape shape;
    int32_t activation;
    int32_t filter_zero;
    struct oribi_micro_wide_channels channels; /* taps unset */
};

/* Fills args; the arrays have room for out_c each. Errors: the codes of prepare.h; INVALID also
 * when input and output sizes do not belong together. */
int32_t
oribi_micro_wide_transpose_conv_prepare(const struct oribi_micro_wide_transpose_conv_spec *spec,
                                        struct oribi_micro_wide_transpose_conv_args *args,
                                        int32_t *bias_low, int32_t *bias_high, int32_t *multiplier,
                                        int32_t *shift);

#endif
