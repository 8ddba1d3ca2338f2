/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one float, a file each. */
#ifndef ORIBI_MICRO_UNARY_F32_H_
#define ORIBI_MICRO_UNARY_F32_H_

#include <stdint.h>

struct oribi_micro_unary_f32_args {
    int32_t count;
    float alpha;     /* slope below 0 of leaky_relu */
    float low, high; /* bounds of clip */
};

/* Each writes the function of count elements.
 * Units    a NaN gives a NaN; accuracy as math_f32.h says.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_abs_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                         float *output);
void oribi_micro_ceil_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                          float *output);
void oribi_micro_clip_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                          float *output);
void oribi_micro_atan_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                          float *output);
void oribi_micro_cos_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                         float *output);
void oribi_micro_elu_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                         float *output);
void oribi_micro_erf_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                         float *output);
void oribi_micro_exp_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                         float *output);
void oribi_micro_floor_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                           float *output);
void oribi_micro_hard_swish_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                                float *output);
void oribi_micro_leaky_relu_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                                float *output);
void oribi_micro_log_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                         float *output);
void oribi_micro_neg_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                         float *output);
void oribi_micro_relu_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                          float *output);
void oribi_micro_relu6_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                           float *output);
void oribi_micro_reciprocal_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                                float *output);
void oribi_micro_round_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                           float *output);
void oribi_micro_rsqrt_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                           float *output);
void oribi_micro_selu_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                          float *output);
void oribi_micro_sigmoid_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                             float *output);
void oribi_micro_sign_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                          float *output);
void oribi_micro_sin_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                         float *output);
void oribi_micro_softplus_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                              float *output);
void oribi_micro_softsign_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                              float *output);
void oribi_micro_sqrt_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                          float *output);
void oribi_micro_square_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                            float *output);
void oribi_micro_tanh_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                          float *output);

#endif
