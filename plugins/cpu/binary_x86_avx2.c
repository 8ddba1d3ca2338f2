/* SPDX-License-Identifier: Apache-2.0 */
/* Binary f32 loops for AVX2 and FMA. See binary_loops.h. */
#include "cpu/families.h"

#ifdef __AVX2__
#define BINARY_FAMILY   oribi_cpu_binary_x86_avx2_kernels
#define BINARY_PRIORITY ORIBI_CPU_AVX2
#define BINARY_ISA      ORIBI_CPU_ISA_AVX2
#define BINARY_WHY      "the portable loop, 8 elements at a time"
#include "cpu/binary_loops.h"
#else
const oribi_cpu_kernel oribi_cpu_binary_x86_avx2_kernels[] = {{.op_name = NULL}};
#endif
