/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one quantised number that are defined by the function of the real one: what tables
 * of bytes and of int16 are made of. Host only.
 */
#ifndef ORIBI_MICRO_UNARY_REAL_PREPARE_H_
#define ORIBI_MICRO_UNARY_REAL_PREPARE_H_

#include "micro/unary/lookup_s16.h"
#include "micro/elementwise/unary_16_prepare.h"

/* SQRT and those behind it of unary_8_prepare.h, in float32. `outside`: where there is no value. */
float oribi_micro_unary_real(int32_t function, float x, float outside);

/* The places of lookup_s16, of EXP, LOG, RSQRT and the GELUs. Errors: INVALID, as above.
 * Source   docs/rounding.md. */
int32_t oribi_micro_lookup_s16_table(const struct oribi_micro_unary_16_spec *spec,
                                     int16_t table[ORIBI_MICRO_LOOKUP_S16]);

#endif
