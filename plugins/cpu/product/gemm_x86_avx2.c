/* SPDX-License-Identifier: Apache-2.0 */
/* AVX2 and FMA micro-kernels: 6 rows by 16 columns are 12 accumulators of the 16 registers. See
 * gemm_tile.inc for the kernels themselves.
 */
#include "cpu/product/gemm.h"

#include "cpu/base/vector_x86_avx2.h"

enum { ROWS = 6 };
#define EACH_HEIGHT ORIBI_EACH_TO_6
#include "cpu/product/gemm_tile.inc"

const oribi_gemm_variant oribi_gemm_avx2 = {.name = "avx2", GEMM_TILES};
