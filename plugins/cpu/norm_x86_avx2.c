/* SPDX-License-Identifier: Apache-2.0 */
/* F32 normalisation loops for AVX2 and FMA. See norm_loops.h. */
#include "cpu/families.h"

#ifdef __AVX2__
#define NORM_FAMILY   oribi_cpu_norm_x86_avx2_kernels
#define NORM_PRIORITY ORIBI_CPU_AVX2
#define NORM_ISA      ORIBI_CPU_ISA_AVX2
#define NORM_WHY      "the portable loop, 8 elements at a time"
#include "cpu/norm_loops.h"
#else
const oribi_cpu_kernel oribi_cpu_norm_x86_avx2_kernels[] = {{.op_name = NULL}};
#endif
