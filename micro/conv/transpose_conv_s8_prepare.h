/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of transpose_conv_s8 from what a model says. Host only. */
#ifndef ORIBI_MICRO_TRANSPOSE_CONV_S8_PREPARE_H_
#define ORIBI_MICRO_TRANSPOSE_CONV_S8_PREPARE_H_

#include "micro/prepare.h"
#include "micro/conv/transpose_conv_s8.h"

struct oribi_micro_transpose_shape {
    int32_t in[4], out[4]; /* NHWC */
    int32_t filter_h, filter_w, stride_h, stride_w;
    int32_t padding;
};

/* Padding is as of the convolution from the output back to the input. Errors: the codes of
 * prepare.h; INVALID also when input and output sizes do not belong together. */
int32_t oribi_micro_transpose_sizes_prepare(const struct oribi_micro_transpose_shape *shape,
                                            struct oribi_micro_transpose_sizes *sizes);

struct oribi_micro_transpose_conv_s8_spec {
    struct oribi_micro_transpose_shape shape;
    int32_t activation;
    const int8_t *filter; /* [out_c, filter_h, filter_w, in_c]; kept, as is the bias */
    const int32_t *bias;
    const float *filter_scales;
    int32_t n_filter_scales; /* 1 or out_c */
    struct oribi_micro_quantisation input, output;
};

/* Fills args, and multiplier and shift of out_c each. Errors: the codes of prepare.h; INVALID also
 * when input and output sizes do not belong together, OVERFLOW when a sum could leave int32. */
int32_t oribi_micro_transpose_conv_s8_prepare(const struct oribi_micro_transpose_conv_s8_spec *spec,
                                              struct oribi_micro_transpose_conv_s8_args *args,
                                              int32_t *multiplier, int32_t *shift);

#endif
