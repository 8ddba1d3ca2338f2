/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of fully_connected_mve_s8 from those of fully_connected_s8, which hold the multipliers.
 * Host only.
 */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_MVE_S8_PREPARE_H_
#define ORIBI_MICRO_FULLY_CONNECTED_MVE_S8_PREPARE_H_

#include "micro/mve/fully_connected_mve_s8.h"
#include "micro/dense/fully_connected_s8.h"
#include "micro/mve/mve_prepare.h"
#include "micro/variant_prepare.h"

extern const struct oribi_micro_variant
    oribi_micro_fully_connected_mve_s8_variant; /* of fully_connected_s8 */

#endif
