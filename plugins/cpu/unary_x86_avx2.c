/* SPDX-License-Identifier: Apache-2.0 */
/* Unary f32 loops for AVX2 and FMA. See unary_loops.h. */
#include "cpu/families.h"

#ifdef __AVX2__
#define UNARY_FAMILY   oribi_cpu_unary_x86_avx2_kernels
#define UNARY_PRIORITY ORIBI_CPU_AVX2
#define UNARY_ISA      ORIBI_CPU_ISA_AVX2
#define UNARY_WHY      "the portable loop, 8 elements at a time"
#include "cpu/unary_loops.h"
#else
const oribi_cpu_kernel oribi_cpu_unary_x86_avx2_kernels[] = {{.op_name = NULL}};
#endif
