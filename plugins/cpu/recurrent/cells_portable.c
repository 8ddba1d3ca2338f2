/* SPDX-License-Identifier: Apache-2.0 */
/* Gates of recurrent layers for the compiler's base ISA (SSE2, NEON, ...). See cells_loops.h. */
#define ORIBI_ISA portable
#include "cpu/recurrent/cells_loops.h"
