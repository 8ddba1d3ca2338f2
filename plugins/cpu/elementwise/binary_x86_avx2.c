/* SPDX-License-Identifier: Apache-2.0 */
/* Binary f32 loops for AVX2 and FMA. See binary_loops.h. */
#define ORIBI_ISA avx2
#include "cpu/elementwise/binary_loops.h"
