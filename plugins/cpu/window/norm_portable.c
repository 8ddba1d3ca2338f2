/* SPDX-License-Identifier: Apache-2.0 */
/* F32 normalisation loops for the compiler's base ISA (SSE2, NEON, ...). See norm_loops.h. */
#define ORIBI_ISA portable
#define WIDTH     4
#include "cpu/window/norm_loops.h"
