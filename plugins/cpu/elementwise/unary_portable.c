/* SPDX-License-Identifier: Apache-2.0 */
/* Unary f32 loops for the compiler's base ISA (SSE2, NEON, ...). See unary_loops.h. */
#define ORIBI_ISA portable
#include "cpu/elementwise/unary_loops.h"
