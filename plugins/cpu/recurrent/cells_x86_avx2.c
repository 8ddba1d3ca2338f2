/* SPDX-License-Identifier: Apache-2.0 */
/* Gates of recurrent layers for AVX2 and FMA. See cells_loops.h. */
#define ORIBI_ISA avx2
#include "cpu/recurrent/cells_loops.h"
