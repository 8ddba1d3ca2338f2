/* SPDX-License-Identifier: Apache-2.0 */
/* F32 pooling lines for AVX2 and FMA. See pool_loops.h. */
#include "cpu/families.h"

#ifdef __AVX2__
#define POOL_FAMILY   oribi_cpu_pool_x86_avx2_kernels
#define POOL_PRIORITY ORIBI_CPU_AVX2
#define POOL_ISA      ORIBI_CPU_ISA_AVX2
#define POOL_WHY      "the portable loop, 8 elements at a time"
#include "cpu/pool_loops.h"
#else
const oribi_cpu_kernel oribi_cpu_pool_x86_avx2_kernels[] = {{.op_name = NULL}};
#endif
