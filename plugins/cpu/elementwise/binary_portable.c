/* SPDX-License-Identifier: Apache-2.0 */
/* Binary f32 loops for the compiler's base ISA (SSE2, NEON, ...). See binary_loops.h. */
#define ORIBI_ISA portable
#include "cpu/elementwise/binary_loops.h"
