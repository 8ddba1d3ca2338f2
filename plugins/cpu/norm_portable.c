/* SPDX-License-Identifier: Apache-2.0 */
/* F32 normalisation loops for the compiler's base ISA (SSE2, NEON, ...). See norm_loops.h. */
#define NORM_FAMILY   oribi_cpu_norm_portable_kernels
#define NORM_PRIORITY ORIBI_CPU_PORTABLE
#define NORM_ISA      ORIBI_CPU_ISA_ANY
#define NORM_WHY      "branch-free loops that compilers vectorise"
#include "cpu/norm_loops.h"
