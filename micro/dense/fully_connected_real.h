/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8, uint8, or int16 with weights of int8, whose sums are scaled in
 * double: needs a double of 64 bits, in software where the processor has none. The arguments come
 * from fully_connected_real_prepare.h.
 */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_REAL_H_
#define ORIBI_MICRO_FULLY_CONNECTED_REAL_H_

#include <stdint.h>

struct oribi_micro_fully_connected_real_args {
    const void *filter;                   /* [out_c, in_c] */
    const void *bias;                     /* out_c, of bias_kind */
    const void *scale;                    /* doubles, of a sum: out_c with per_channel, else 1 */
    int32_t kind, filter_kind, bias_kind; /* element.h; S64 is of int16 alone */
    int32_t rows, in_c, out_c;
    int32_t per_channel;
    int32_t input_zero, filter_zero, output_zero;
    int32_t low, high; /* bounds of the result, activation included */
};

/* Multiplies rows of input by the filter.
 * Shapes   input [rows, in_c], output [rows, out_c], dense; they must not overlap.
 * Context  run: no allocation, no state.
 * Source   LiteRT's reference fully connected layer, bit for bit (docs/rounding.md).
 */
void oribi_micro_fully_connected_real(const struct oribi_micro_fully_connected_real_args *args,
                                      const void *input, void *output);

#endif
