/* SPDX-License-Identifier: Apache-2.0 */
/* F32 pooling lines for the compiler's base ISA (SSE2, NEON, ...). See pool_loops.h. */
#define POOL_FAMILY   oribi_cpu_pool_portable_kernels
#define POOL_PRIORITY ORIBI_CPU_PORTABLE
#define POOL_ISA      ORIBI_CPU_ISA_ANY
#define POOL_WHY      "vectors along channels, four taps a pass"
#include "cpu/pool_loops.h"
