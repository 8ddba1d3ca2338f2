/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise loops for AVX2; the loops themselves stand in depthwise_tile.inc. */
#include "cpu/depthwise.h"

#if defined(__x86_64__)
#include "cpu/vector_x86_avx2.h"

#define DEPTHWISE_ROWS 1
#include "cpu/depthwise_tile.inc"

const oribi_depthwise_variant oribi_depthwise_avx2 = {"avx2", loops, loop_any};
#else
typedef int oribi_depthwise_avx2_absent; /* a file needs a declaration */
#endif
