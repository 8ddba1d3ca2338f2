/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of conv2d_quads_s8 and conv2d_quads_v6m_s8 from those of conv2d_s8. Host only. */
#ifndef ORIBI_MICRO_CONV2D_QUADS_S8_PREPARE_H_
#define ORIBI_MICRO_CONV2D_QUADS_S8_PREPARE_H_

#include "micro/variant_prepare.h"

/* Of conv2d_s8, with the arguments of conv2d_lanes_s8. */
extern const struct oribi_micro_variant oribi_micro_conv2d_quads_s8_variant;
extern const struct oribi_micro_variant oribi_micro_conv2d_quads_v6m_s8_variant;

#endif
