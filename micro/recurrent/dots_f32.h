/* SPDX-License-Identifier: Apache-2.0 */
/* The product of a matrix and a vector of float, for weights that are met once: what recurrent
 * kernels compute with. They call ORIBI_MICRO_DOTS_F32, which is one of the two functions here, and
 * include the one that is not fused by this header, the other by fma/dots_fma_f32.h. */
#ifndef ORIBI_MICRO_DOTS_F32_H_
#define ORIBI_MICRO_DOTS_F32_H_

#include <stdint.h>

/* Adds to sums[k] the products of x with row k of w, one after the other.
 * Shapes   w [rows, n], x [n], sums [rows]; sums overlap neither.
 */
void oribi_micro_dots_f32(const float *w, const float *x, int32_t rows, int32_t n, float *sums);

#endif
