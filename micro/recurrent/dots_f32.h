/* SPDX-License-Identifier: Apache-2.0 */
/* Eight sums of products of float, for weights that are met once. */
#ifndef ORIBI_MICRO_DOTS_F32_H_
#define ORIBI_MICRO_DOTS_F32_H_

#include <stdint.h>

/* Adds to sums[k] the products of x with row k of w, from the first on.
 * Shapes   w [8, n], x [n], sums [8]; sums overlap neither.
 */
void oribi_micro_dots_f32(const float *w, const float *x, int32_t n, float *sums);

#endif
