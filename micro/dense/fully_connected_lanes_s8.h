/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8 whose weights lie in lanes, four results at a time, exact to
 * TensorFlow Lite Micro. Weights too large for lanes: fully_connected_s8.h. The arguments come from
 * fully_connected_lanes_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_LANES_S8_H_
#define ORIBI_MICRO_FULLY_CONNECTED_LANES_S8_H_

#include "micro/dense/fully_connected_lanes_s8_args.h"

/* Multiplies rows of input by the filter.
 * Shapes   input [rows, in_c], output [rows, out_c], dense; they must not overlap.
 * Context  run: no allocation, no state; scratch may be NULL where scratch_bytes is 0.
 * Source   TensorFlow Lite Micro's reference fully connected layer, bit for bit (docs/rounding.md).
 */
void oribi_micro_fully_connected_lanes_s8(
    const struct oribi_micro_fully_connected_lanes_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch);

#endif
