/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8 in quads for ARMv6-M. Read next: fully_connected_quads_s8_body.h.
 */
#define ORIBI_MICRO_BIASED 1
#include "micro/quads/fully_connected_quads_v6m_s8.h"

#include "micro/quads/fully_connected_quads_s8_body.h"

void oribi_micro_fully_connected_quads_v6m_s8(
    const struct oribi_micro_fully_connected_lanes_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch)
{
    all_rows(args, input, output, scratch);
}
