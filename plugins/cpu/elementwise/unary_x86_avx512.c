/* SPDX-License-Identifier: Apache-2.0 */
/* Unary f32 loops for AVX-512. See unary_loops.h. */
#define ORIBI_ISA avx512
#include "cpu/elementwise/unary_loops.h"
