/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise loops for AVX-512; the loops themselves stand in depthwise_tile.inc. */
#include "cpu/product/depthwise.h"

#include "cpu/base/vector_x86_avx512.h"

#define DEPTHWISE_ROWS 2
#include "cpu/product/depthwise_tile.inc"

const oribi_depthwise_variant oribi_depthwise_avx512 = {"avx512", loops, loop_any, loop_some};
