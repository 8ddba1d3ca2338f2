/* SPDX-License-Identifier: Apache-2.0 */
/* The transforms of winograd.h in NEON; they themselves stand in winograd_tile.inc. */
#include "cpu/winograd/winograd.h"

#include "cpu/base/vector_arm_neon.h"

#include "cpu/winograd/winograd_tile.inc"

const oribi_winograd_variant oribi_winograd_neon = {input_tile, output_tile};
