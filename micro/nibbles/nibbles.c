/* SPDX-License-Identifier: Apache-2.0 */
/* Two weights a byte become what kernels of int8 read; on cores with RISC-V's vectors by assembly,
 * as in rvv/rvv.h, which no other core's C need have. */
#include "micro/nibbles/nibbles.h"

#include "micro/v6m.h"

#if defined(__riscv_v) && defined(__GNUC__) && !defined(ORIBI_MICRO_PLAIN_C)
#define VECTORS
#if defined(__clang__) || __GNUC__ >= 13
#define CLOBBERS                                                                                   \
    "v0", "v1", "v2", "v3", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "memory"
#else
#define CLOBBERS "memory"
#endif
#endif

#ifdef VECTORS
/* The weights of `words` words: two vectors of words side by side. */
static void widen(const struct oribi_micro_nibbles_form *form, const int32_t *from, int32_t words,
                  int32_t *to)
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
                         : CLOBBERS);
        from += count;
        to += 2 * count;
        left -= count;
    }
}
#else
/* Four weights that are 8 more, from which no bit is carried into the next one. */
static int32_t four(const struct oribi_micro_nibbles_form *form, uint32_t weights)
{
    const uint32_t wide = ((weights | form->set) - 0x08080808U) ^ form->flip;
#if ORIBI_MICRO_BYTE(0) != 0
    if (form->is_bytes != 0) {
        return (int32_t)(wide << 24 | (wide & 0xff00U) << 8 | (wide >> 8 & 0xff00U) | wide >> 24);
    }
#endif
    return (int32_t)wide;
}

/* The weights of `words` words. */
static void widen(const struct oribi_micro_nibbles_form *form, const int32_t *from, int32_t words,
                  int32_t *to)
{
    for (int32_t i = words; i > 0; i -= 2) {
        const uint32_t eight = (uint32_t)*from++;
        to[0] = four(form, eight & 0x0f0f0f0fU);
        to[1] = four(form, eight >> 4 & 0x0f0f0f0fU);
        to += 2;
    }
}
#endif

const int32_t *oribi_micro_nibbles_widen(const struct oribi_micro_nibbles_form *form,
                                         const int32_t *from, int32_t *to)
{
    const struct oribi_micro_nibbles_form f = *form;
    for (int32_t group = 0; group < f.groups; group++) {
        for (int32_t i = f.head; i > 0; i--) {
            *to++ = *from++;
        }
        widen(&f, from, f.words, to);
        from += f.words / 2;
        to += f.words;
        for (int32_t i = f.tail; i > 0; i--) {
            *to++ = *from++;
        }
    }
    return from;
}
