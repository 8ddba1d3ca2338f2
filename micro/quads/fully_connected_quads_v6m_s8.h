/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8 whose weights lie in quads, for ARMv6-M; exact to TensorFlow
 * Lite Micro. The arguments are those of fully_connected_lanes_s8.h, the weights as
 * fully_connected_quads_s8_prepare.h packs them.
 */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_QUADS_V6M_S8_H_
#define ORIBI_MICRO_FULLY_CONNECTED_QUADS_V6M_S8_H_

#include "micro/dense/fully_connected_lanes_s8_args.h"

/* As oribi_micro_fully_connected_lanes_s8. */
void oribi_micro_fully_connected_quads_v6m_s8(
    const struct oribi_micro_fully_connected_lanes_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch);

#endif
