/* SPDX-License-Identifier: Apache-2.0 */
/* exp(x) for x from -10 to 0 and 1 / (1 + x) for x from 0 to 1, at 513 places each, as Q0.15, and
 * what lies between them: for softmax of int16. The values are TensorFlow Lite's.
 */
#ifndef ORIBI_MICRO_SOFTMAX_TABLE_S16_H_
#define ORIBI_MICRO_SOFTMAX_TABLE_S16_H_

#include <stdint.h>

extern const int16_t oribi_micro_exp_table_s16[513];
extern const int16_t oribi_micro_reciprocal_table_s16[513];

/* TensorFlow Lite computes the places of reciprocals in double, TensorFlow Lite Micro in float32:
 * these two then lie one higher and one lower. */
enum { ORIBI_MICRO_RECIPROCAL_HIGHER = 160, ORIBI_MICRO_RECIPROCAL_LOWER = 294 };

/* What lies between the places `at` and at + 1 of a table, and the number at x, INT16_MIN the first
 * place and INT16_MAX short of the last. */
static inline int32_t oribi_micro_between_s16(int32_t low, int32_t high, int32_t x)
{
    return low + (((high - low) * (x & 127) + 64) >> 7);
}

#endif
