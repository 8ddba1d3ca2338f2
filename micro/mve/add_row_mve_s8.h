/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of two runs of int8 for cores with MVE, bit for bit add_row_s8.h, which has all
 * the ways that are rare.
 */
#ifndef ORIBI_MICRO_ADD_ROW_MVE_S8_H_
#define ORIBI_MICRO_ADD_ROW_MVE_S8_H_

#include "micro/elementwise/add_row_s8.h"

/* As oribi_micro_add_row_s8. */
void oribi_micro_add_row_mve_s8(const struct oribi_micro_add_scales_s8 *scales, const int8_t *a,
                                int32_t a_step, const int8_t *b, int32_t b_step, int32_t count,
                                int8_t *output);

#endif
