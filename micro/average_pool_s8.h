/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling of int8, exact to TensorFlow Lite Micro. */
#ifndef ORIBI_MICRO_AVERAGE_POOL_S8_H_
#define ORIBI_MICRO_AVERAGE_POOL_S8_H_

#include "micro/pool_s8.h"

/* Pools each channel of input: the mean is rounded to the nearest integer, ties away from zero,
 * over what lies in the image. Shapes   input [batch, in_h, in_w, channels], output [batch, out_h,
 * out_w, channels], dense. Owns     nothing; output must not overlap input. Context  run: no
 * allocation, no state; scratch may be NULL. Source   TensorFlow Lite Micro's reference pooling,
 * bit for bit (docs/rounding.md).
 */
void oribi_micro_average_pool_s8(const struct oribi_micro_pool_s8_args *args, const int8_t *input,
                                 int8_t *output, void *scratch);

#endif
