/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8 whose weights have four bits, two a byte, for cores with DSP
 * instructions: fully_connected_lanes_s8 with the same arguments and results, weights as
 * nibbles_prepare.h packs them, and scratch for those of four channels. No result may lie over an
 * input.
 */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_LANES_S4_H_
#define ORIBI_MICRO_FULLY_CONNECTED_LANES_S4_H_

#include "micro/dense/fully_connected_lanes_s8.h"

void oribi_micro_fully_connected_lanes_s4(
    const struct oribi_micro_fully_connected_lanes_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch);

#endif
