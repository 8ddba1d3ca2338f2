/* SPDX-License-Identifier: Apache-2.0 */
/* The transforms of winograd.h in AVX2; they themselves stand in winograd_tile.inc. */
#include "cpu/winograd/winograd.h"

#include "cpu/base/vector_x86_avx2.h"

#include "cpu/winograd/winograd_tile.inc"

const oribi_winograd_variant oribi_winograd_avx2 = {input_tile, output_tile};
