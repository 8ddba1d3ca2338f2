/* SPDX-License-Identifier: Apache-2.0 */
/* The block of sums for cores with RISC-V's vectors: see rvv.h. Its twin is add_row_s8.h. */
#ifndef ORIBI_MICRO_RVV_ADD_H_
#define ORIBI_MICRO_RVV_ADD_H_

#include "micro/elementwise/add_row_s8.h"
#include "micro/rvv/rvv.h"

#define ORIBI_MICRO_RVV_FINER(value, bytes, zero, multiplier, shift)                               \
    "vsext.vf4 " value ", " bytes "\n\t"                                                           \
    "vsub.vx " value ", " value ", " zero "\n\t"                                                   \
    "vsll.vi " value ", " value ", 20\n\t"                                                         \
    "vsmul.vx " value ", " value ", " multiplier                                                   \
    "\n\t" ORIBI_MICRO_RVV_ROUND(value, "v16", shift, "vx")

#ifdef ORIBI_MICRO_RVV
/* A shift, to the right and therefore 0 or negative, as the words of a layer have it. */
static inline intptr_t oribi_micro_rvv_shift(int32_t shift)
{
    return shift == 0 ? 0 : -shift - 32;
}
#endif

/* Adds count values, at least one, by scales that neither subtract nor shift to the left. */
static inline void oribi_micro_rvv_add(const struct oribi_micro_add_scales_s8 *s, const int8_t *a,
                                       const int8_t *b, int32_t count, int8_t *output)
{
#ifdef ORIBI_MICRO_RVV
    intptr_t left = count, now;
    ORIBI_MICRO_RVV(
        "csrwi vxrm, 0\n"
        "1:\n\t"
        "vsetvli %[now], %[left], e32, m8, ta, ma\n\t"
        "vle8.v v24, (%[a])\n\t"
        "add %[a], %[a], %[now]\n\t"
        "vle8.v v26, (%[b])\n\t"
        "add %[b], %[b], %[now]\n\t" ORIBI_MICRO_RVV_FINER("v0", "v24", "%[a_zero]",
                                                           "%[a_multiplier]", "%[a_shift]")
            ORIBI_MICRO_RVV_FINER(
                "v8", "v26", "%[b_zero]", "%[b_multiplier]",
                "%[b_shift]") "vadd.vv v0, v0, v8\n\t"
                              "vsmul.vx v0, v0, %[multiplier]\n\t" ORIBI_MICRO_RVV_ROUND(
                                  "v0", "v16", "%[shift]", "vx")
                                  ORIBI_MICRO_RVV_BOUND(
                                      "v0") "vsetvli zero, %[now], e16, m4, ta, ma\n\t"
                                            "vnsrl.wi v8, v0, 0\n\t"
                                            "vsetvli zero, %[now], e8, m2, ta, ma\n\t"
                                            "vnsrl.wi v24, v8, 0\n\t"
                                            "sub %[left], %[left], %[now]\n\t"
                                            "vse8.v v24, (%[output])\n\t"
                                            "add %[output], %[output], %[now]\n\t"
                                            "bnez %[left], 1b"
        : [a] "+&r"(a), [b] "+&r"(b), [output] "+&r"(output), [left] "+&r"(left), [now] "=&r"(now)
        : [a_zero] "r"((intptr_t)s->a_zero), [b_zero] "r"((intptr_t)s->b_zero),
          [a_multiplier] "r"((intptr_t)s->a_multiplier),
          [b_multiplier] "r"((intptr_t)s->b_multiplier),
          [multiplier] "r"((intptr_t)s->output_multiplier),
          [a_shift] "r"(oribi_micro_rvv_shift(s->a_shift)),
          [b_shift] "r"(oribi_micro_rvv_shift(s->b_shift)),
          [shift] "r"(oribi_micro_rvv_shift(s->output_shift)), [zero] "r"((intptr_t)s->output_zero),
          [low] "r"((intptr_t)s->low), [high] "r"((intptr_t)s->high)
        : ORIBI_MICRO_RVV_CLOBBERS);
#else
    oribi_micro_add_row_s8(s, a, 1, b, 1, count, output);
#endif
}

#endif
