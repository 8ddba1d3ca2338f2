/* SPDX-License-Identifier: Apache-2.0 */
/* Eight rows of float by one vector, and one row by values that move on, on Arm cores with a
 * floating-point unit (Cortex-M4, M7, M33): a load of four neighbours is one instruction there,
 * which no compiler forms. Unoptimised builds, which leave assembly too few registers, and
 * ORIBI_MICRO_PLAIN_C have the loops in C instead (dots_f32_body.h, svdf_f32_body.h), whose bits
 * are the same.
 */
#ifndef ORIBI_MICRO_FMA_VFP_H_
#define ORIBI_MICRO_FMA_VFP_H_

#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(ORIBI_MICRO_PLAIN_C) &&                 \
    defined(__thumb2__) && defined(__ARM_FEATURE_FMA) && defined(__ARM_FP) && __ARM_FP >= 4
#define ORIBI_MICRO_VFP

/* Adds x * weight to a sum, rounded once, or each rounded; the weight is lost. */
#define ORIBI_MICRO_VFP_FUSED(sum, x, weight) "vfma.f32 " sum ", " weight ", " x "\n\t"
#define ORIBI_MICRO_VFP_ROUNDED(sum, x, weight)                                                    \
    "vmul.f32 " weight ", " weight ", " x "\n\t"                                                   \
    "vadd.f32 " sum ", " sum ", " weight "\n\t"

/* One column of four rows, whose weights lie four registers apart. */
#define ORIBI_MICRO_VFP_COLUMN(add, a, b, c, d, x, w0, w1, w2, w3)                                 \
    add(a, x, w0) add(b, x, w1) add(c, x, w2) add(d, x, w3)
/* Four columns of four rows; the values of x are in s8 to s11. */
#define ORIBI_MICRO_VFP_ROWS(add, a, b, c, d, row0, row1, row2, row3)                              \
    "vldmia %[" row0 "]!, {s12-s15}\n\t"                                                           \
    "vldmia %[" row1 "]!, {s16-s19}\n\t"                                                           \
    "vldmia %[" row2 "]!, {s20-s23}\n\t"                                                           \
    "vldmia %[" row3                                                                               \
    "]!, {s24-s27}\n\t" ORIBI_MICRO_VFP_COLUMN(add, a, b, c, d, "s8", "s12", "s16", "s20", "s24")  \
        ORIBI_MICRO_VFP_COLUMN(add, a, b, c, d, "s9", "s13", "s17", "s21", "s25")                  \
            ORIBI_MICRO_VFP_COLUMN(add, a, b, c, d, "s10", "s14", "s18", "s22", "s26")             \
                ORIBI_MICRO_VFP_COLUMN(add, a, b, c, d, "s11", "s15", "s19", "s23", "s27")

/* Adds to the eight sums the products of x with rows of n floats, over `quads` times four columns,
 * at least once. `add` is one of the texts above. */
#define ORIBI_MICRO_VFP_DOTS(add, w, x, n, quads, sums)                                            \
    do {                                                                                           \
        const float *r0 = (w), *r1 = r0 + (n), *r2 = r1 + (n), *r3 = r2 + (n), *r4 = r3 + (n);     \
        const float *r5 = r4 + (n), *r6 = r5 + (n), *r7 = r6 + (n), *values = (x);                 \
        int32_t left = (quads);                                                                    \
        __asm__ volatile(                                                                          \
            "vldmia %[to], {s0-s7}\n"                                                              \
            "1:\n\t"                                                                               \
            "vldmia %[x]!, {s8-s11}\n\t" ORIBI_MICRO_VFP_ROWS(add, "s0", "s1", "s2", "s3", "r0",   \
                                                              "r1", "r2", "r3")                    \
                ORIBI_MICRO_VFP_ROWS(add, "s4", "s5", "s6", "s7", "r4", "r5", "r6",                \
                                     "r7") "subs %[n], %[n], #1\n\t"                               \
                                           "bne 1b\n\t"                                            \
                                           "vstmia %[to], {s0-s7}"                                 \
            : [r0] "+r"(r0), [r1] "+r"(r1), [r2] "+r"(r2), [r3] "+r"(r3), [r4] "+r"(r4),           \
              [r5] "+r"(r5), [r6] "+r"(r6), [r7] "+r"(r7), [x] "+r"(values), [n] "+r"(left)        \
            : [to] "r"(sums)                                                                       \
            : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12",     \
              "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24",  \
              "s25", "s26", "s27", "cc", "memory");                                                \
    } while (0)

/* A sum takes four products; its values and weights are in s8 to s15. */
#define ORIBI_MICRO_VFP_QUAD(add, sum)                                                             \
    add(sum, "s8", "s12") add(sum, "s9", "s13") add(sum, "s10", "s14") add(sum, "s11", "s15")

/* Copies `single` floats, `quads` times four, three more and `value`, and adds to `sum` their
 * products with those of `w`, one after the other. The pointers go on. */
#define ORIBI_MICRO_VFP_MOVE(add, from, to, w, single, quads, value, sum)                          \
    do {                                                                                           \
        int32_t ones = (single), fours = (quads);                                                  \
        __asm__ volatile(                                                                          \
            "b 2f\n"                                                                               \
            "1:\n\t"                                                                               \
            "vldmia %[src]!, {s8}\n\t"                                                             \
            "vldmia %[taps]!, {s12}\n\t"                                                           \
            "vstmia %[dst]!, {s8}\n\t" add(                                                        \
                "%[acc]", "s8",                                                                    \
                "s12") "2:\n\t"                                                                    \
                       "subs %[n], %[n], #1\n\t"                                                   \
                       "bpl 1b\n\t"                                                                \
                       "b 4f\n"                                                                    \
                       "3:\n\t"                                                                    \
                       "vldmia %[src]!, {s8-s11}\n\t"                                              \
                       "vldmia %[taps]!, {s12-s15}\n\t"                                            \
                       "vstmia %[dst]!, {s8-s11}\n\t" ORIBI_MICRO_VFP_QUAD(                        \
                           add, "%[acc]") "4:\n\t"                                                 \
                                          "subs %[m], %[m], #1\n\t"                                \
                                          "bpl 3b\n\t"                                             \
                                          "vldmia %[src]!, {s8-s10}\n\t"                           \
                                          "vmov.f32 s11, %[last]\n\t"                              \
                                          "vldmia %[taps]!, {s12-s15}\n\t"                         \
                                          "vstmia %[dst]!, {s8-s11}\n\t" ORIBI_MICRO_VFP_QUAD(     \
                                              add, "%[acc]")                                       \
            : [src] "+r"(from), [dst] "+r"(to), [taps] "+r"(w), [n] "+r"(ones), [m] "+r"(fours),   \
              [acc] "+t"(sum)                                                                      \
            : [last] "t"(value)                                                                    \
            : "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "cc", "memory");               \
    } while (0)
#endif

#endif
