/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of int16 and of uint8 for AVX-512 with VNNI. See quantized_wide_loops.h. */
#include "cpu/wide/quantized_wide.h"

#include <immintrin.h>

#define ORIBI_ISA vnni

/* In assembler, as dot_x86_vnni.h says. */
static inline __m512i dot(__m512i sum, __m512i a, __m512i b)
{
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
}

#include "cpu/wide/quantized_wide_x86_avx512.h"
