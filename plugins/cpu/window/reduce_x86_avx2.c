/* SPDX-License-Identifier: Apache-2.0 */
/* F32 reductions for AVX2 and FMA. See reduce_loops.h. */
#define ORIBI_ISA avx2
#include "cpu/window/reduce_loops.h"
