/* SPDX-License-Identifier: Apache-2.0 */
/* F32 reductions for the compiler's base ISA (SSE2, NEON, ...). See reduce_loops.h. */
#define REDUCE_FAMILY   oribi_cpu_reduce_portable_kernels
#define REDUCE_PRIORITY ORIBI_CPU_PORTABLE
#define REDUCE_ISA      ORIBI_CPU_ISA_ANY
#define REDUCE_WHY      "lanes that compilers turn into vectors"
#include "cpu/reduce_loops.h"
