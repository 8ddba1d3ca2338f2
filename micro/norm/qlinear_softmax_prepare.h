/* SPDX-License-Identifier: Apache-2.0 */
/* The table of qlinear_softmax. Host only. */
#ifndef ORIBI_MICRO_QLINEAR_SOFTMAX_PREPARE_H_
#define ORIBI_MICRO_QLINEAR_SOFTMAX_PREPARE_H_

#include "micro/prepare.h"

/* Exponentials as large as their sum over `columns` values allows in float, and the whole steps of
 * the result in 1. Errors: INVALID for a scale that is not finite and above 0, an output scale
 * above 1, or no columns. */
int32_t oribi_micro_qlinear_softmax_prepare(float input_scale, float output_scale, int32_t columns,
                                            float table[256], float *out_steps);

#endif
