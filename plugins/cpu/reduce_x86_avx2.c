/* SPDX-License-Identifier: Apache-2.0 */
/* F32 reductions for AVX2 and FMA. See reduce_loops.h. */
#include "cpu/families.h"

#ifdef __AVX2__
#define REDUCE_FAMILY   oribi_cpu_reduce_x86_avx2_kernels
#define REDUCE_PRIORITY ORIBI_CPU_AVX2
#define REDUCE_ISA      ORIBI_CPU_ISA_AVX2
#define REDUCE_WHY      "the portable loop, 8 elements at a time"
#include "cpu/reduce_loops.h"
#else
const oribi_cpu_kernel oribi_cpu_reduce_x86_avx2_kernels[] = {{.op_name = NULL}};
#endif
