/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of int16 and of uint8 for AVX-512. See quantized_wide_loops.h. */
#include "cpu/wide/quantized_wide.h"

#include <immintrin.h>

#define ORIBI_ISA avx512

/* In assembler, as dot_x86_vnni.h says. */
static inline __m512i dot(__m512i sum, __m512i a, __m512i b)
{
    __asm__("vpaddd %1, %0, %0" : "+v"(sum) : "v"(_mm512_madd_epi16(a, b)));
    return sum;
}

#include "cpu/wide/quantized_wide_x86_avx512.h"
