/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels ask of a core of ARMv6-M (Cortex-M0, M0+), whose eight registers compilers fill
 * badly, whose byte loads with an immediate offset are unsigned ones, and whose products have 32
 * bits; each function with its twin in plain C for every other machine, which computes the same
 * bits. ORIBI_MICRO_PLAIN_C chooses the twins everywhere; unoptimised builds have them, too.
 */
#ifndef ORIBI_MICRO_V6M_H_
#define ORIBI_MICRO_V6M_H_

#include <stdint.h>

#if defined(__ARM_ARCH_6M__) && defined(__thumb__) && !defined(ORIBI_MICRO_PLAIN_C) &&             \
    (defined(__GNUC__) || defined(__clang__)) && defined(__OPTIMIZE__)
#define ORIBI_MICRO_V6M_ASM
#endif

/* Where byte i of an array of words lies, the lowest of each first. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__) &&                                    \
    __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORIBI_MICRO_BYTE(i) ((i) ^ 3)
#else
#define ORIBI_MICRO_BYTE(i) (i)
#endif

#if defined(ORIBI_MICRO_V6M_ASM) && ORIBI_MICRO_BYTE(0) != 0
#undef ORIBI_MICRO_V6M_ASM
#endif
#ifdef ORIBI_MICRO_V6M_ASM
/* An input against four channels' weights of it. */
#define ORIBI_MICRO_V6M_PRODUCT(sum, at)                                                           \
    "ldrb %[t], [%[w], #" #at "]\n\t"                                                              \
    "muls %[t], %[p], %[t]\n\t"                                                                    \
    "adds %[" #sum "], %[" #sum "], %[t]\n\t"
#define ORIBI_MICRO_V6M_INPUT(at, w0, w1, w2, w3)                                                  \
    "ldrb %[p], [%[x], #" #at "]\n\t" ORIBI_MICRO_V6M_PRODUCT(s0, w0)                              \
        ORIBI_MICRO_V6M_PRODUCT(s1, w1) ORIBI_MICRO_V6M_PRODUCT(s2, w2)                            \
            ORIBI_MICRO_V6M_PRODUCT(s3, w3)
#define ORIBI_MICRO_V6M_INPUTS                                                                     \
    ORIBI_MICRO_V6M_INPUT(0, 0, 1, 2, 3)                                                           \
    ORIBI_MICRO_V6M_INPUT(1, 4, 5, 6, 7)                                                           \
    ORIBI_MICRO_V6M_INPUT(2, 8, 9, 10, 11)                                                         \
    ORIBI_MICRO_V6M_INPUT(3, 12, 13, 14, 15)
#endif

/* Sets the sums of four channels over the inputs from x to end, four of which lie one behind the
 * other every `step` bytes, a constant of 4 or 8; at least four of them, which are bytes. Weights
 * are those of words at w, [input][channel]. Returns w moved on. */
static inline const int32_t *oribi_micro_v6m_sum4(const uint8_t *x, const uint8_t *end,
                                                  int32_t step, const int32_t *words,
                                                  int32_t sums[4])
{
    const uint8_t *w = (const uint8_t *)words;
    uint32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#ifdef ORIBI_MICRO_V6M_ASM
    uint32_t p, t;
#define ORIBI_MICRO_V6M_LOOP(step)                                                                 \
    __asm__ volatile(".syntax unified\n"                                                           \
                     "1:\n\t" ORIBI_MICRO_V6M_INPUTS "adds %[x], #" #step "\n\t"                   \
                     "adds %[w], #16\n\t"                                                          \
                     "cmp %[x], %[end]\n\t"                                                        \
                     "bne 1b"                                                                      \
                     : [x] "+l"(x), [w] "+l"(w), [s0] "+l"(s0), [s1] "+l"(s1), [s2] "+l"(s2),      \
                       [s3] "+l"(s3), [p] "=&l"(p), [t] "=&l"(t)                                   \
                     : [end] "h"(end)                                                              \
                     : "cc", "memory")
    if (step == 4) {
        ORIBI_MICRO_V6M_LOOP(4);
    } else {
        ORIBI_MICRO_V6M_LOOP(8);
    }
#else
    for (; x != end; x += step) {
        for (int32_t i = 0; i < 4; i++) {
            const uint32_t input = x[i];
            s0 += input * w[ORIBI_MICRO_BYTE(0)];
            s1 += input * w[ORIBI_MICRO_BYTE(1)];
            s2 += input * w[ORIBI_MICRO_BYTE(2)];
            s3 += input * w[ORIBI_MICRO_BYTE(3)];
            w += 4;
        }
    }
#endif
    sums[0] = (int32_t)s0;
    sums[1] = (int32_t)s1;
    sums[2] = (int32_t)s2;
    sums[3] = (int32_t)s3;
    return (const int32_t *)(const void *)w;
}

/* round(x * y / 2^32), ties up, for y >= 0: from products of 16 bits. */
static inline int32_t oribi_micro_v6m_high_product(int32_t x, int32_t y)
{
    const uint32_t x_low = (uint32_t)x & 0xffffU, y_low = (uint32_t)y & 0xffffU;
    const int32_t x_high = x >> 16, y_high = y >> 16;
    const int32_t left = x_high * (int32_t)y_low;
    const uint32_t right = x_low * (uint32_t)y_high;
    const uint32_t low =
        ((uint32_t)left & 0xffffU) + (right & 0xffffU) + (x_low * y_low >> 16) + 0x8000U;
    return x_high * y_high + (left >> 16) + (int32_t)(right >> 16) + (int32_t)(low >> 16);
}

#endif
