/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of two int8 tensors for cores with RISC-V's vectors; the arguments are those of
 * add_s8. */
#ifndef ORIBI_MICRO_ADD_RVV_S8_H_
#define ORIBI_MICRO_ADD_RVV_S8_H_

#include "micro/elementwise/add_s8.h"

/* As oribi_micro_add_s8. */
void oribi_micro_add_rvv_s8(const struct oribi_micro_add_s8_args *args, const int8_t *a,
                            const int8_t *b, int8_t *output, void *scratch);

#endif
