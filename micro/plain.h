/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels ask of a core without lanes (Cortex-M3, RISC-V) and of its compiler: nothing that C
 * does not have.
 */
#ifndef ORIBI_MICRO_PLAIN_H_
#define ORIBI_MICRO_PLAIN_H_

#include "micro/dsp.h"

/* Between taps: compilers that load those of a whole round ahead need more registers than there
 * are. */
#if defined(__GNUC__) && !defined(ORIBI_MICRO_PLAIN_C)
#define ORIBI_MICRO_NEXT_TAP __asm__ volatile("" ::: "memory")
#else
#define ORIBI_MICRO_NEXT_TAP ((void)0)
#endif

/* Copies four bytes, as a word where a core reads words anywhere. */
static inline void oribi_micro_copy4(const int8_t *from, int8_t *to)
{
#ifdef __ARM_FEATURE_UNALIGNED
    oribi_micro_store4(to, oribi_micro_load4(from));
#else
    for (int32_t i = 0; i < 4; i++) {
        to[i] = from[i];
    }
#endif
}

#endif
