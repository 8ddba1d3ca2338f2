/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of four bits, two a byte, by RISC-V's vectors (nibbles.h): ORIBI_MICRO_RVV_WIDEN says
 * that oribi_micro_widen is here. Its twin in plain C is in nibbles.c. Apart from rvv.h, since all
 * cores with such weights have this file. */
#ifndef ORIBI_MICRO_RVV_WIDEN_H_
#define ORIBI_MICRO_RVV_WIDEN_H_

#include "micro/nibbles/nibbles.h"

#if defined(__riscv_v) && defined(__GNUC__) && !defined(ORIBI_MICRO_PLAIN_C)
#define ORIBI_MICRO_RVV_WIDEN
/* Compilers that make vectors of their own know the registers. */
#if defined(__clang__) || __GNUC__ >= 13
#define ORIBI_MICRO_RVV_WIDEN_CLOBBERS                                                             \
    "v0", "v1", "v2", "v3", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "memory"
#else
#define ORIBI_MICRO_RVV_WIDEN_CLOBBERS "memory"
#endif

/* The weights of `words` words: two vectors of words side by side. */
static inline void oribi_micro_widen(const struct oribi_micro_nibbles_form *form,
                                     const int32_t *from, int32_t words, int32_t *to)
{
    intptr_t left = words / 2, count;
    while (left > 0) {
        __asm__ volatile("vsetvli %[n], %[left], e32, m4, ta, ma\n\t"
                         "vle32.v v0, (%[from])\n\t"
                         "vand.vx v8, v0, %[low]\n\t"
                         "vsrl.vi v0, v0, 4\n\t"
                         "vand.vx v12, v0, %[low]\n\t"
                         "vor.vx v8, v8, %[set]\n\t"
                         "vor.vx v12, v12, %[set]\n\t"
                         "vsub.vx v8, v8, %[more]\n\t"
                         "vsub.vx v12, v12, %[more]\n\t"
                         "vxor.vx v8, v8, %[flip]\n\t"
                         "vxor.vx v12, v12, %[flip]\n\t"
                         "vsseg2e32.v v8, (%[to])"
                         : [n] "=&r"(count)
                         : [left] "r"(left), [from] "r"(from), [to] "r"(to), [low] "r"(0x0f0f0f0fU),
                           [set] "r"(form->set), [more] "r"(0x08080808U), [flip] "r"(form->flip)
                         : ORIBI_MICRO_RVV_WIDEN_CLOBBERS);
        from += count;
        to += 2 * count;
        left -= count;
    }
}
#endif

#endif
