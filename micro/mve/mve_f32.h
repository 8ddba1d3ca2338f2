/* SPDX-License-Identifier: Apache-2.0 */
/* What float kernels ask of a core with Helium (vector_f32.h includes this there, and has the
 * types).
 *
 * Helium makes nought of subnormal numbers, but says in the status of the floating-point unit that
 * it did: who computes in vectors asks oribi_micro_mve_lost before it keeps the results, and makes
 * those that lost something again one by one. So the bits are those of all other cores.
 */
#ifndef ORIBI_MICRO_MVE_F32_H_
#define ORIBI_MICRO_MVE_F32_H_

#ifdef ORIBI_MICRO_F32_HELIUM

#include <stddef.h>

enum { ORIBI_MICRO_MVE_FLUSHED = 0x88 /* FPSCR: underflow, subnormal input */ };

/* Has anything been flushed since this was asked before? */
static inline int32_t oribi_micro_mve_lost(void)
{
    uint32_t status;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(status) : : "memory");
    if ((status & ORIBI_MICRO_MVE_FLUSHED) == 0) {
        return 0;
    }
    status &= ~(uint32_t)ORIBI_MICRO_MVE_FLUSHED;
    __asm__ volatile("vmsr fpscr, %0" : : "r"(status) : "memory");
    return 1;
}

/* Adds x * weights to sums, rounded once, or each rounded; x is a vector or a register. */
#define ORIBI_MICRO_MVE_FUSED(sum, x, weights) "vfma.f32 " sum ", " weights ", " x "\n\t"
#define ORIBI_MICRO_MVE_ROUNDED(sum, x, weights)                                                   \
    "vmul.f32 q5, " weights ", " x "\n\t"                                                          \
    "vadd.f32 " sum ", " sum ", q5\n\t"

static inline oribi_micro_f32s oribi_micro_mve_fused_f32s(oribi_micro_f32s sum, oribi_micro_f32s x,
                                                          oribi_micro_f32s weight)
{
    __asm__(ORIBI_MICRO_MVE_FUSED("%q0", "%q1", "%q2") : "+w"(sum) : "w"(x), "w"(weight));
    return sum;
}

static inline oribi_micro_f32s
oribi_micro_mve_rounded_f32s(oribi_micro_f32s sum, oribi_micro_f32s x, oribi_micro_f32s weight)
{
    __asm__(ORIBI_MICRO_MVE_ROUNDED("%q0", "%q1", "%q2") : "+w"(sum) : "w"(x), "w"(weight) : "q5");
    return sum;
}

static inline oribi_micro_f32s oribi_micro_mve_all(float x)
{
    oribi_micro_f32s all;
    __asm__("vdup.32 %q0, %1" : "=w"(all) : "r"(x));
    return all;
}

/* Where value is larger: value. */
static inline oribi_micro_f32s oribi_micro_mve_larger(oribi_micro_f32s most, oribi_micro_f32s value)
{
    __asm__("vpt.f32 gt, %q1, %q0\n\t"
            "vorrt %q0, %q1, %q1"
            : "+w"(most)
            : "w"(value));
    return most;
}

/* The sums of eight channels of one pixel, and of another one, over so many taps, at least one,
 * that lie one behind the other. `add` is one of the texts above; f moves on, and the taps, too. */
#define ORIBI_MICRO_MVE_TAPS2(add, s00, s01, s10, s11, from0, from1, f, taps)                      \
    do {                                                                                           \
        float x;                                                                                   \
        __asm__ volatile("dls lr, %[n]\n"                                                          \
                         "1:\n\t"                                                                  \
                         "vldrw.u32 q6, [%[w]], #16\n\t"                                           \
                         "ldr %[x], [%[a]], #4\n\t"                                                \
                         "vldrw.u32 q7, [%[w]], #16\n\t" add("%q[sum0]", "%[x]", "q6")             \
                             add("%q[sum1]", "%[x]",                                               \
                                 "q7") "ldr %[x], [%[b]], #4\n\t" add("%q[sum2]", "%[x]", "q6")    \
                                 add("%q[sum3]", "%[x]", "q7") "le lr, 1b"                         \
                         : [sum0] "+w"(s00), [sum1] "+w"(s01), [sum2] "+w"(s10), [sum3] "+w"(s11), \
                           [a] "+r"(from0), [b] "+r"(from1), [w] "+r"(f), [x] "=&r"(x)             \
                         : [n] "r"(taps)                                                           \
                         : "lr", "q5", "q6", "q7", "memory");                                      \
    } while (0)
#define ORIBI_MICRO_MVE_TAPS1(add, s00, s01, from, f, taps)                                        \
    do {                                                                                           \
        float x;                                                                                   \
        __asm__ volatile(                                                                          \
            "dls lr, %[n]\n"                                                                       \
            "1:\n\t"                                                                               \
            "vldrw.u32 q6, [%[w]], #16\n\t"                                                        \
            "ldr %[x], [%[a]], #4\n\t"                                                             \
            "vldrw.u32 q7, [%[w]], #16\n\t" add("%q[sum0]", "%[x]", "q6")                          \
                add("%q[sum1]", "%[x]", "q7") "le lr, 1b"                                          \
            : [sum0] "+w"(s00), [sum1] "+w"(s01), [a] "+r"(from), [w] "+r"(f), [x] "=&r"(x)        \
            : [n] "r"(taps)                                                                        \
            : "lr", "q5", "q6", "q7", "memory");                                                   \
    } while (0)

/* Adds to eight sums the products of x with rows of so many columns, at least one: the weights of a
 * column are gathered. */
#define ORIBI_MICRO_MVE_ROWS(add, w, x, columns, s0, s1)                                           \
    do {                                                                                           \
        const float *row = (w), *values = (x);                                                     \
        float value;                                                                               \
        int32_t i;                                                                                 \
        __asm__ volatile("mov %[i], #0\n\t"                                                        \
                         "vidup.u32 q3, %[i], #1\n\t"                                              \
                         "vidup.u32 q4, %[i], #1\n\t"                                              \
                         "sub %[w], %[w], #4\n\t"                                                  \
                         "vmul.i32 q3, q3, %[step]\n\t"                                            \
                         "vmul.i32 q4, q4, %[step]\n\t"                                            \
                         "vadd.i32 q3, q3, %[w]\n\t"                                               \
                         "vadd.i32 q4, q4, %[w]\n\t"                                               \
                         "dls lr, %[n]\n"                                                          \
                         "1:\n\t"                                                                  \
                         "vldrw.u32 q6, [q3, #4]!\n\t"                                             \
                         "ldr %[value], [%[a]], #4\n\t"                                            \
                         "vldrw.u32 q7, [q4, #4]!\n\t" add("%q[sum0]", "%[value]", "q6")           \
                             add("%q[sum1]", "%[value]", "q7") "le lr, 1b"                         \
                         : [sum0] "+w"(s0), [sum1] "+w"(s1), [a] "+r"(values), [w] "+r"(row),      \
                           [value] "=&r"(value), [i] "=&Te"(i)                                     \
                         : [n] "r"(columns), [step] "r"(4 * (columns))                             \
                         : "lr", "q3", "q4", "q5", "q6", "q7", "memory");                          \
    } while (0)

/* Eight results from sums: bias and residual, which may be NULL, are added, and what is below 0
 * becomes 0 where has_relu is 1. */
static inline int32_t oribi_micro_mve_finish(const float *sums, const float *bias,
                                             const float *residual, int32_t has_relu, float *output)
{
    oribi_micro_f32s a = ORIBI_MICRO_F32S(sums), b = ORIBI_MICRO_F32S(sums + 4);
#define ORIBI_MICRO_MVE_PLUS(from)                                                                 \
    __asm__("vadd.f32 %q0, %q0, %q1" : "+w"(a) : "w"(ORIBI_MICRO_F32S(from)));                     \
    __asm__("vadd.f32 %q0, %q0, %q1" : "+w"(b) : "w"(ORIBI_MICRO_F32S((from) + 4)))
    if (bias != NULL) {
        ORIBI_MICRO_MVE_PLUS(bias);
    }
    if (residual != NULL) {
        ORIBI_MICRO_MVE_PLUS(residual);
    }
#undef ORIBI_MICRO_MVE_PLUS
    if (has_relu != 0) {
        __asm__("vpt.f32 lt, %q0, zr\n\t"
                "vmovt.i32 %q0, #0\n\t"
                "vpt.f32 lt, %q1, zr\n\t"
                "vmovt.i32 %q1, #0"
                : "+w"(a), "+w"(b));
    }
    __asm__ volatile("" : "+w"(a), "+w"(b) : : "memory"); /* before the question */
    if (oribi_micro_mve_lost() != 0) {
        return 0;
    }
    ORIBI_MICRO_F32S_SET(output, a);
    ORIBI_MICRO_F32S_SET(output + 4, b);
    return 1;
}

#endif
#endif
