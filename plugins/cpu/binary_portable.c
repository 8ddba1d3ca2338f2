/* SPDX-License-Identifier: Apache-2.0 */
/* Binary f32 loops for the compiler's base ISA (SSE2, NEON, ...). See binary_loops.h. */
#define BINARY_FAMILY   oribi_cpu_binary_portable_kernels
#define BINARY_PRIORITY ORIBI_CPU_PORTABLE
#define BINARY_ISA      ORIBI_CPU_ISA_ANY
#define BINARY_WHY      "loops by line shape that compilers vectorise"
#include "cpu/binary_loops.h"
