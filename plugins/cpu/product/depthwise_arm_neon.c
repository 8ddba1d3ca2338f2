/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise loops for NEON; the loops themselves stand in depthwise_tile.inc. */
#include "cpu/product/depthwise.h"

#include "cpu/base/vector_arm_neon.h"

#define DEPTHWISE_ROWS 2
#include "cpu/product/depthwise_tile.inc"

const oribi_depthwise_variant oribi_depthwise_neon = {"neon", loops, loop_any, loop_some};
