/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the factors of batch_norm_f32. Host only, never emitted. */
#ifndef ORIBI_MICRO_BATCH_NORM_F32_PREPARE_H_
#define ORIBI_MICRO_BATCH_NORM_F32_PREPARE_H_

#include "micro/norm/batch_norm_f32.h"

/* scale / sqrt(variance + epsilon), each operation rounded to float, of every channel. */
void oribi_micro_batch_norm_f32_factor(const float *scale, const float *variance, float epsilon,
                                       int32_t channels, float *factor);

#endif
