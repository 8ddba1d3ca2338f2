/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8 for cores with MVE, four results at a time, exact to TensorFlow
 * Lite Micro. The arguments come from fully_connected_mve_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_MVE_S8_H_
#define ORIBI_MICRO_FULLY_CONNECTED_MVE_S8_H_

#include "micro/mve/mve.h"

struct oribi_micro_fully_connected_mve_s8_args {
    const int32_t *filter; /* groups of mve.h */
    int32_t rows, in_c, out_c;
    struct oribi_micro_mve_output output;
};

/* Multiplies rows of input by the filter.
 * Shapes   input [rows, in_c], output [rows, out_c], dense; they must not overlap.
 * Context  run: no allocation, no state; scratch may be NULL.
 * Source   TensorFlow Lite Micro's reference fully connected layer, bit for bit (docs/rounding.md).
 */
void oribi_micro_fully_connected_mve_s8(const struct oribi_micro_fully_connected_mve_s8_args *args,
                                        const int8_t *input, int8_t *output, void *scratch);

#endif
