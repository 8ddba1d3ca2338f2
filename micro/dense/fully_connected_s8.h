/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8, exact to TensorFlow Lite Micro. The arguments come from
 * fully_connected_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_S8_H_
#define ORIBI_MICRO_FULLY_CONNECTED_S8_H_

#include <stdint.h>

struct oribi_micro_fully_connected_s8_args {
    const int8_t *filter;      /* [out_c, in_c] */
    const int32_t *bias;       /* out_c; the input's zero point is folded in */
    const int32_t *multiplier; /* out_c with per_channel, else 1 */
    const int32_t *shift;      /* as multiplier */
    int32_t rows, in_c, out_c;
    int32_t per_channel;
    int32_t output_zero;
    int32_t low, high;     /* bounds of the result, activation included */
    int32_t scratch_bytes; /* 0 */
};

/* Multiplies rows of input by the filter.
 * Shapes   input [rows, in_c], output [rows, out_c], dense; they must not overlap.
 * Context  run: no allocation, no state; scratch may be NULL.
 * Source   TensorFlow Lite Micro's reference fully connected layer, bit for bit (docs/rounding.md).
 */
void oribi_micro_fully_connected_s8(const struct oribi_micro_fully_connected_s8_args *args,
                                    const int8_t *input, int8_t *output, void *scratch);

#endif
