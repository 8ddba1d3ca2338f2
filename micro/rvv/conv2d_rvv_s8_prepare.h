/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of conv2d_rvv_s8 from those of conv2d_s8, or of fully_connected_s8. Host only. */
#ifndef ORIBI_MICRO_CONV2D_RVV_S8_PREPARE_H_
#define ORIBI_MICRO_CONV2D_RVV_S8_PREPARE_H_

#include "micro/conv/conv2d_s8.h"
#include "micro/dense/fully_connected_s8.h"
#include "micro/rvv/conv2d_rvv_s8.h"
#include "micro/variant_prepare.h"

/* Of conv2d_s8 and fully_connected_s8; `nibbles`: with weights of four bits, in blocks. */
extern const struct oribi_micro_variant oribi_micro_conv2d_rvv_s8_variant,
    oribi_micro_conv2d_rvv_s8_nibbles, oribi_micro_fully_connected_rvv_s8_variant,
    oribi_micro_fully_connected_rvv_s8_nibbles;

#endif
