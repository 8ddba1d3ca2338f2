/* SPDX-License-Identifier: Apache-2.0 */
/* AVX-512 micro-kernels: 12 rows by 32 columns are 24 accumulators; 12 row pointers, the panel and
 * one index fill the general registers exactly, so nothing spills. See gemm_tile.inc for the
 * kernels themselves.
 */
#include "cpu/product/gemm.h"

#include "cpu/base/vector_x86_avx512.h"

enum { ROWS = 12 };
#define EACH_HEIGHT ORIBI_EACH_TO_12
#include "cpu/product/gemm_tile.inc"

const oribi_gemm_variant oribi_gemm_avx512 = {
    .name = "avx512", GEMM_TILES, .pairs_tile = oribi_gemm_pairs_avx512};
