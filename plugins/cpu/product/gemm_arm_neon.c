/* SPDX-License-Identifier: Apache-2.0 */
/* NEON micro-kernels: 12 rows by 8 columns are 24 accumulators of the 32 registers; 14 loads feed
 * 24 multiply-adds. See gemm_tile.inc for the kernels themselves.
 */
#include "cpu/product/gemm.h"

#include "cpu/base/vector_arm_neon.h"

enum { ROWS = 8 };
#define EACH_HEIGHT ORIBI_EACH_TO_8
#include "cpu/product/gemm_tile.inc"

const oribi_gemm_variant oribi_gemm_neon = {.name = "neon", GEMM_TILES};
