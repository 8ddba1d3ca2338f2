/* SPDX-License-Identifier: Apache-2.0 */
/* F32 pooling lines for the compiler's base ISA (SSE2, NEON, ...). See pool_loops.h. */
#define ORIBI_ISA portable
#include "cpu/window/pool_loops.h"
