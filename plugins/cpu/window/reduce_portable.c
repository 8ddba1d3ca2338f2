/* SPDX-License-Identifier: Apache-2.0 */
/* F32 reductions for the compiler's base ISA (SSE2, NEON, ...). See reduce_loops.h. */
#define ORIBI_ISA portable
#include "cpu/window/reduce_loops.h"
