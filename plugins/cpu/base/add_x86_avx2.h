/* SPDX-License-Identifier: Apache-2.0 */
/* The addition of sums of an unrolled loop. */
#ifndef ORIBI_PLUGINS_CPU_ADD_X86_AVX2_H_
#define ORIBI_PLUGINS_CPU_ADD_X86_AVX2_H_

#include <immintrin.h>

/* a + b, by int32. In assembler, because gcc 12 writes the sums of an unrolled loop elsewhere and
 * moves them back, one move for each. */
static inline __m256i oribi_add_in_place(__m256i a, __m256i b)
{
    __asm__("vpaddd %1, %0, %0" : "+x"(a) : "x"(b));
    return a;
}

#endif
