/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of conv2d_mve_s8 from those of conv2d_s8, which hold the multipliers. Host only. */
#ifndef ORIBI_MICRO_CONV2D_MVE_S8_PREPARE_H_
#define ORIBI_MICRO_CONV2D_MVE_S8_PREPARE_H_

#include "micro/conv/conv2d_s8.h"
#include "micro/mve/conv2d_mve_s8.h"
#include "micro/mve/mve_prepare.h"
#include "micro/variant_prepare.h"

extern const struct oribi_micro_variant oribi_micro_conv2d_mve_s8_variant; /* of conv2d_s8 */

#endif
