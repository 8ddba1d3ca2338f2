/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of depthwise_conv2d_rvv_s8 from those of depthwise_conv2d_s8. Host only. */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_RVV_S8_PREPARE_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_RVV_S8_PREPARE_H_

#include "micro/depthwise/depthwise_conv2d_s8.h"
#include "micro/rvv/depthwise_conv2d_rvv_s8.h"
#include "micro/variant_prepare.h"

extern const struct oribi_micro_variant
    oribi_micro_depthwise_conv2d_rvv_s8_variant; /* of depthwise_conv2d_s8 */

#endif
