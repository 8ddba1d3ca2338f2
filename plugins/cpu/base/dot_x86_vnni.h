/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction of VNNI that int8 layers live on. */
#ifndef ORIBI_PLUGINS_CPU_DOT_X86_VNNI_H_
#define ORIBI_PLUGINS_CPU_DOT_X86_VNNI_H_

#include <immintrin.h>

/* sum + the four products, in each lane, of bytes without a sign and bytes with one. In assembler,
 * because gcc 12 copies each sum of an unrolled loop twice a step where the intrinsic overwrites
 * one: 16 products then come with 34 moves. */
static inline __m512i oribi_dot_of_bytes(__m512i sum, __m512i unsigned_bytes, __m512i signed_bytes)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(unsigned_bytes), "v"(signed_bytes));
    return sum;
}

#endif
