/* SPDX-License-Identifier: Apache-2.0 */
/* F32 normalisation loops for AVX2 and FMA. See norm_loops.h. */
#define ORIBI_ISA avx2
#define WIDTH     8
#include "cpu/window/norm_loops.h"
