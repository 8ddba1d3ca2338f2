/* SPDX-License-Identifier: Apache-2.0 */
/* Unary f32 loops for the compiler's base ISA (SSE2, NEON, ...). See unary_loops.h. */
#define UNARY_FAMILY   oribi_cpu_unary_portable_kernels
#define UNARY_PRIORITY ORIBI_CPU_PORTABLE
#define UNARY_ISA      ORIBI_CPU_ISA_ANY
#define UNARY_WHY      "branch-free loop that compilers vectorise"
#include "cpu/unary_loops.h"
