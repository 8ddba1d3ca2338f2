/* SPDX-License-Identifier: Apache-2.0 */
/* Activations of rows for the compiler's base ISA (SSE2, NEON, ...). See activate_loops.h. */
#define ORIBI_ISA portable
#include "cpu/elementwise/activate_loops.h"
