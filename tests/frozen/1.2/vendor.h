/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for the library of somebody else that generated code calls: int8 layers of neurons. */
#ifndef ORIBI_EXAMPLES_OWN_CODE_VENDOR_H_
#define ORIBI_EXAMPLES_OWN_CODE_VENDOR_H_

#include <stdint.h>

#define VENDOR_WEIGHTS_ALIGNMENT 64

/* sums[j] = bias[j] + sum over i of x[i] * weights[j * n_in + i]. weights begin at a multiple of
 * VENDOR_WEIGHTS_ALIGNMENT; -1 where they do not, sums are untouched then. */
int32_t vendor_dense_s8(const int8_t *x, const int8_t *weights, const int32_t *bias, int32_t n_in,
                        int32_t n_out, int32_t *sums);

/* sums[j] * multiplier[j] * 2^(shift[j] - 31), rounded as TensorFlow Lite Micro does, plus zero,
 * clamped to [low, high]. */
void vendor_requantise_s8(const int32_t *sums, const int32_t *multiplier, const int32_t *shift,
                          int32_t n, int32_t zero, int32_t low, int32_t high, int8_t *y);

#endif
