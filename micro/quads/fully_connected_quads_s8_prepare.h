/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of fully_connected_quads_s8 and fully_connected_quads_v6m_s8 from those of
 * fully_connected_s8. Host only. */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_QUADS_S8_PREPARE_H_
#define ORIBI_MICRO_FULLY_CONNECTED_QUADS_S8_PREPARE_H_

#include "micro/variant_prepare.h"

/* Of fully_connected_s8, with the arguments of fully_connected_lanes_s8. */
extern const struct oribi_micro_variant oribi_micro_fully_connected_quads_s8_variant;
extern const struct oribi_micro_variant oribi_micro_fully_connected_quads_v6m_s8_variant;

#endif
