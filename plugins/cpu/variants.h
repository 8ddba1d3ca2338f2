/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that several tables of kernels go through: the instruction sets, the types of numbers. */
#ifndef ORIBI_PLUGINS_CPU_VARIANTS_H_
#define ORIBI_PLUGINS_CPU_VARIANTS_H_

#include "cpu/cpu.h"

/* ROW(name, isa, priority) for each variant that a processor of this architecture may run. */
/* clang-format off */
#if defined(__x86_64__)
#define ORIBI_CPU_VARIANTS(ROW)                                                                    \
    ROW(portable, ORIBI_CPU_ISA_ANY, ORIBI_CPU_PORTABLE)                                           \
    ROW(avx2, ORIBI_CPU_ISA_AVX2, ORIBI_CPU_AVX2)                                                  \
    ROW(avx512, ORIBI_CPU_ISA_AVX512, ORIBI_CPU_AVX512)
#elif defined(__aarch64__)
#define ORIBI_CPU_VARIANTS(ROW)                                                                    \
    ROW(portable, ORIBI_CPU_ISA_ANY, ORIBI_CPU_PORTABLE)                                           \
    ROW(neon, ORIBI_CPU_ISA_NEON, ORIBI_CPU_NEON)
#else
#define ORIBI_CPU_VARIANTS(ROW) ROW(portable, ORIBI_CPU_ISA_ANY, ORIBI_CPU_PORTABLE)
#endif

/* ROW(T, dtype) for each type of numbers. */
#define ORIBI_CPU_NUMBERS(ROW)                                                                     \
    ROW(float, TF_FLOAT)                                                                           \
    ROW(double, TF_DOUBLE)                                                                         \
    ROW(int8_t, TF_INT8)                                                                           \
    ROW(int16_t, TF_INT16)                                                                         \
    ROW(int32_t, TF_INT32)                                                                         \
    ROW(int64_t, TF_INT64)                                                                         \
    ROW(uint8_t, TF_UINT8)                                                                         \
    ROW(uint16_t, TF_UINT16)                                                                       \
    ROW(uint32_t, TF_UINT32)                                                                       \
    ROW(uint64_t, TF_UINT64)
/* clang-format on */

#endif
