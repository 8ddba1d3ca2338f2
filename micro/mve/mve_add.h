/* SPDX-License-Identifier: Apache-2.0 */
/* The block of sums for cores with MVE: see mve.h. Its twin is add_row_s8.h. */
#ifndef ORIBI_MICRO_MVE_ADD_H_
#define ORIBI_MICRO_MVE_ADD_H_

#include "micro/elementwise/add_row_s8.h"
#include "micro/mve/mve.h"

/* Adds count values, four at a time, by scales that subtract nothing and allow all of int8. */
static inline void oribi_micro_mve_add(const struct oribi_micro_add_scales_s8 *s, const int8_t *a,
                                       const int8_t *b, int32_t count, int8_t *output)
{
#ifdef ORIBI_MICRO_MVE
    const int32_t shifts[3] = {s->a_shift, s->b_shift, s->output_shift};
    /* q3: a value less its zero point becomes 2^20 as fine in one instruction. */
    ORIBI_MICRO_MVE(
        "mov lr, #1048576\n\t"
        "vdup.32 q3, lr\n\t"
        "ldr lr, [%[shifts]]\n\t"
        "vdup.32 q4, lr\n\t"
        "ldr lr, [%[shifts], #4]\n\t"
        "vdup.32 q5, lr\n\t"
        "ldr lr, [%[shifts], #8]\n\t"
        "vdup.32 q6, lr\n\t"
        "wlstp.32 lr, %[count], 2f\n"
        "1:\n\t"
        "vldrb.s32 q0, [%[a]], #4\n\t"
        "vldrb.s32 q1, [%[b]], #4\n\t"
        "vmlas.s32 q0, q3, %[a_zero]\n\t"
        "vmlas.s32 q1, q3, %[b_zero]\n\t" ORIBI_MICRO_MVE_SCALE("q0", "%[a_multiplier]", "q4", "q2")
            ORIBI_MICRO_MVE_SCALE(
                "q1", "%[b_multiplier]", "q5",
                "q2") "vadd.i32 q0, q0, q1\n\t" ORIBI_MICRO_MVE_SCALE("q0", "%[multiplier]", "q6",
                                                                      "q2") "vadd.i32 q0, q0, "
                                                                            "%[zero]\n\t"
                                                                            "vqmovnb.s32 q0, q0\n\t"
                                                                            "vqmovnb.s16 q0, q0\n\t"
                                                                            "vstrb.32 q0, "
                                                                            "[%[output]], #4\n\t"
                                                                            "letp lr, 1b\n"
                                                                            "2:"
        : [a] "+&l"(a), [b] "+&l"(b), [output] "+&l"(output)
        : [count] "r"(count), [shifts] "r"(shifts), [a_zero] "r"(-s->a_zero * 1048576),
          [b_zero] "r"(-s->b_zero * 1048576), [a_multiplier] "r"(s->a_multiplier),
          [b_multiplier] "r"(s->b_multiplier), [multiplier] "r"(s->output_multiplier),
          [zero] "r"((int32_t)s->output_zero)
        : "lr", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "cc", "memory");
#else
    oribi_micro_add_row_s8(s, a, 1, b, 1, count, output);
#endif
}

#endif
