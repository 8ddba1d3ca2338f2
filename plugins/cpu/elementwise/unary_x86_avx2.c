/* SPDX-License-Identifier: Apache-2.0 */
/* Unary f32 loops for AVX2 and FMA. See unary_loops.h. */
#define ORIBI_ISA avx2
#include "cpu/elementwise/unary_loops.h"
