/* SPDX-License-Identifier: Apache-2.0 */
/* The logistic function at x = k / 24, as 1/65536, for k in [0, 256): the places between which
 * curve_s16.h interpolates. The values are TensorFlow Lite Micro's, asked of its interpreter.
 */
#ifndef ORIBI_MICRO_CURVE_TABLE_S16_H_
#define ORIBI_MICRO_CURVE_TABLE_S16_H_

#include <stdint.h>

extern const uint16_t oribi_micro_curve_table_s16[256];

#endif
