/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of cumsum_s8 from what a model says. Host only. */
#ifndef ORIBI_MICRO_CUMSUM_S8_PREPARE_H_
#define ORIBI_MICRO_CUMSUM_S8_PREPARE_H_

#include "micro/index/cumsum_s8.h"
#include "micro/prepare.h"

/* Fills multipliers, zero points and the start, which the source has at one quantised 0.
 * Errors: INVALID, also where the output's scale is so small that sums would have to grow. */
int32_t oribi_micro_cumsum_s8_prepare(struct oribi_micro_quantisation input,
                                      struct oribi_micro_quantisation output,
                                      struct oribi_micro_cumsum_s8_args *args);

#endif
