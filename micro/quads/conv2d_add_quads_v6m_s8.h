/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 in quads, for ARMv6-M, whose results are added to another tensor at once: as
 * conv2d_add_lanes_s8.h. */
#ifndef ORIBI_MICRO_CONV2D_ADD_QUADS_V6M_S8_H_
#define ORIBI_MICRO_CONV2D_ADD_QUADS_V6M_S8_H_

#include "micro/conv/conv2d_add_lanes_s8_args.h"
#include "micro/quads/conv2d_quads_v6m_s8.h"

/* As oribi_micro_conv2d_add_lanes_s8. */
void oribi_micro_conv2d_add_quads_v6m_s8(const struct oribi_micro_conv2d_add_lanes_s8_args *args,
                                         const int8_t *input, const int8_t *other, int8_t *output,
                                         void *scratch);

#endif
