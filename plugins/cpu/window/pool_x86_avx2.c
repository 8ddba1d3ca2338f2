/* SPDX-License-Identifier: Apache-2.0 */
/* F32 pooling lines for AVX2 and FMA. See pool_loops.h. */
#define ORIBI_ISA avx2
#include "cpu/window/pool_loops.h"
