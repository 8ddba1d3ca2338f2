/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of 3x3 depthwise convolutions, in assembly and in plain C: see dsp.h. */
#ifndef ORIBI_MICRO_DSP_3X3_H_
#define ORIBI_MICRO_DSP_3X3_H_

#include "micro/dsp.h"

/* What a channel of a 3x3 depthwise convolution needs: weights doubled, as lanes. */
struct oribi_micro_3x3 {
    int32_t sides0, middle0, multiplier, rounding; /* of row 0: the outer weights; the middle one */
    int32_t bias, sides1, sides2, middles;         /* middles of rows 1, low, and 2, high */
    int32_t shift, step;
};

/* Twice the sum of one window, without the bias. */
static inline int32_t oribi_micro_sum_3x3(const int8_t *x, int32_t columns,
                                          const struct oribi_micro_3x3 *k)
{
    int32_t four = oribi_micro_load4(x);
    int32_t s = oribi_micro_dot2(oribi_micro_even_bytes(four), k->sides0, 0);
    s = oribi_micro_low_by_low(oribi_micro_odd_bytes(four), k->middle0, s);
    four = oribi_micro_load4(x + columns);
    s = oribi_micro_dot2(oribi_micro_even_bytes(four), k->sides1, s);
    s = oribi_micro_low_by_low(oribi_micro_odd_bytes(four), k->middles, s);
    four = oribi_micro_load4(x + 2 * columns);
    s = oribi_micro_dot2(oribi_micro_even_bytes(four), k->sides2, s);
    return oribi_micro_low_by_high(oribi_micro_odd_bytes(four), k->middles, s);
}

/* The result from twice the sum of a window with its bias. */
static inline int8_t oribi_micro_result_3x3(int32_t twice, const struct oribi_micro_3x3 *k)
{
    const int32_t product = oribi_micro_high_product(twice, k->multiplier);
    return (int8_t)oribi_micro_saturate_half_s8((product + (product >> 31) + k->rounding) >>
                                                k->shift);
}

#ifdef ORIBI_MICRO_ASM
/* Two neighbours, whose second and third row are at row1 and row2 of the first. The order of their
 * sums' rounding is that of ORIBI_MICRO_FINISH (dsp.h). */
#define ORIBI_MICRO_PAIR_3X3(row1, row2)                                                           \
    "ldr %[odd], [%[x], " row1 "]\n\t"                                                             \
    "ldmia %[k], {r4, r5, r6, r8}\n\t"                                                             \
    "sxtb16 %[even], %[odd]\n\t"                                                                   \
    "sxtb16 %[odd], %[odd], ror #8\n\t"                                                            \
    "smlad %[s], %[even], r5, r4\n\t"                                                              \
    "smlad %[t], %[odd], r5, r4\n\t"                                                               \
    "smlabb %[s], %[odd], r8, %[s]\n\t"                                                            \
    "smlatb %[t], %[even], r8, %[t]\n\t"                                                           \
    "ldr %[odd], [%[x], " row2 "]\n\t"                                                             \
    "sxtb16 %[even], %[odd]\n\t"                                                                   \
    "sxtb16 %[odd], %[odd], ror #8\n\t"                                                            \
    "smlad %[s], %[even], r6, %[s]\n\t"                                                            \
    "smlad %[t], %[odd], r6, %[t]\n\t"                                                             \
    "smlabt %[s], %[odd], r8, %[s]\n\t"                                                            \
    "smlatt %[t], %[even], r8, %[t]\n\t"                                                           \
    "ldr %[odd], [%[x]], #2\n\t"                                                                   \
    "ldmdb %[k], {r4, r5, r6, r8}\n\t"                                                             \
    "sxtb16 %[even], %[odd]\n\t"                                                                   \
    "sxtb16 %[odd], %[odd], ror #8\n\t"                                                            \
    "smlad %[s], %[even], r4, %[s]\n\t"                                                            \
    "smlad %[t], %[odd], r4, %[t]\n\t"                                                             \
    "smlabb %[s], %[odd], r5, %[s]\n\t"                                                            \
    "smlatb %[t], %[even], r5, %[t]\n\t"                                                           \
    "ldrd %[even], %[odd], [%[k], #16]\n\t"                                                        \
    "add r4, r8, %[s], asr #31\n\t"                                                                \
    "add r5, r8, %[t], asr #31\n\t"                                                                \
    "smmlar %[s], %[s], r6, r4\n\t"                                                                \
    "smmlar %[t], %[t], r6, r5\n\t"                                                                \
    "asr %[s], %[s], %[even]\n\t"                                                                  \
    "asr %[t], %[t], %[even]\n\t"                                                                  \
    "ssat %[s], #8, %[s], asr #1\n\t"                                                              \
    "ssat %[t], #8, %[t], asr #1\n\t"                                                              \
    "strb %[s], [%[output]]\n\t"                                                                   \
    "strb %[t], [%[output], %[odd]]\n\t"                                                           \
    "add %[output], %[output], %[odd], lsl #1\n\t"
#endif

/* Results of the windows from x to end, which are a whole number of neighbours, two at a time, at
 * output and steps behind it. Rows of windows lie at x and `columns` apart, each readable for a
 * byte behind the last window. bias is doubled; rounding and shift as in lanes_s8.h, the order of
 * sums as in oribi_micro_finish2x2. Returns output moved on. */
static inline int8_t *oribi_micro_pairs_3x3(const int8_t *x, const int8_t *end, int32_t columns,
                                            const struct oribi_micro_3x3 *k, int8_t *output)
{
#ifdef ORIBI_MICRO_ASM
    if (x != end) {
        int32_t s, t, even, odd;
        ORIBI_MICRO_ASM volatile(
            "1:\n\t" ORIBI_MICRO_PAIR_3X3("%[columns]", "%[columns], lsl #1") "ldr r4, %[end]\n\t"
                                                                              "cmp %[x], r4\n\t"
                                                                              "bne 1b"
            : [s] "=&r"(s), [t] "=&r"(t), [even] "=&r"(even), [odd] "=&r"(odd), [x] "+&r"(x),
              [output] "+&r"(output)
            : [columns] "r"(columns), [k] "r"(&k->bias), [end] "m"(end)
            : "r4", "r5", "r6", "r8", "cc", "memory");
    }
#else
    while (x != end) {
        const int32_t middles[3] = {k->middle0, k->middles, k->middles >> 16};
        const int32_t sides[3] = {k->sides0, k->sides1, k->sides2};
        int32_t sums[2] = {k->bias, k->bias};
        for (int32_t row = 0; row < 3; row++) {
            const int32_t four = oribi_micro_load4(x + row * columns);
            const int32_t even = oribi_micro_even_bytes(four), odd = oribi_micro_odd_bytes(four);
            sums[0] = oribi_micro_dot2(even, sides[row], sums[0]);
            sums[1] = oribi_micro_dot2(odd, sides[row], sums[1]);
            sums[0] = oribi_micro_low_by_low(odd, middles[row], sums[0]);
            sums[1] = oribi_micro_high_by_low(even, middles[row], sums[1]);
        }
        output[0] = oribi_micro_result_3x3(sums[0], k);
        output[k->step] = oribi_micro_result_3x3(sums[1], k);
        x += 2;
        output += 2 * k->step;
    }
#endif
    return output;
}

/* The same of windows that are `next` columns apart, each by itself. */
static inline int8_t *oribi_micro_singles_3x3(const int8_t *x, const int8_t *end, int32_t next,
                                              int32_t columns, const struct oribi_micro_3x3 *k,
                                              int8_t *output)
{
#ifdef ORIBI_MICRO_ASM
    if (x != end) {
        int32_t s, even, odd;
        ORIBI_MICRO_ASM volatile(
            "1:\n\t"
            "ldr %[odd], [%[x], %[columns]]\n\t"
            "ldmia %[k], {r4, r5, r6, r8}\n\t"
            "sxtb16 %[even], %[odd]\n\t"
            "sxtb16 %[odd], %[odd], ror #8\n\t"
            "smlad %[s], %[even], r5, r4\n\t"
            "smlabb %[s], %[odd], r8, %[s]\n\t"
            "ldr %[odd], [%[x], %[columns], lsl #1]\n\t"
            "sxtb16 %[even], %[odd]\n\t"
            "sxtb16 %[odd], %[odd], ror #8\n\t"
            "smlad %[s], %[even], r6, %[s]\n\t"
            "smlabt %[s], %[odd], r8, %[s]\n\t"
            "ldr %[odd], [%[x]]\n\t"
            "ldmdb %[k], {r4, r5, r6, r8}\n\t"
            "sxtb16 %[even], %[odd]\n\t"
            "sxtb16 %[odd], %[odd], ror #8\n\t"
            "smlad %[s], %[even], r4, %[s]\n\t"
            "smlabb %[s], %[odd], r5, %[s]\n\t"
            "ldrd %[even], %[odd], [%[k], #16]\n\t"
            "add r4, r8, %[s], asr #31\n\t"
            "smmlar %[s], %[s], r6, r4\n\t"
            "asr %[s], %[s], %[even]\n\t"
            "ssat %[s], #8, %[s], asr #1\n\t"
            "strb %[s], [%[output]]\n\t"
            "add %[output], %[output], %[odd]\n\t"
            "add %[x], %[x], %[next]\n\t"
            "ldr r4, %[end]\n\t"
            "cmp %[x], r4\n\t"
            "bne 1b"
            :
            [s] "=&r"(s), [even] "=&r"(even), [odd] "=&r"(odd), [x] "+&r"(x), [output] "+&r"(output)
            : [columns] "r"(columns), [next] "r"(next), [k] "r"(&k->bias), [end] "m"(end)
            : "r4", "r5", "r6", "r8", "cc", "memory");
    }
#else
    while (x != end) {
        *output = oribi_micro_result_3x3(
            oribi_micro_wrapping_add(oribi_micro_sum_3x3(x, columns, k), k->bias), k);
        x += next;
        output += k->step;
    }
#endif
    return output;
}

#ifdef ORIBI_MICRO_COLUMNS
#if ORIBI_MICRO_COLUMNS != 2 && ORIBI_MICRO_COLUMNS != 4 && ORIBI_MICRO_COLUMNS != 6 &&            \
    ORIBI_MICRO_COLUMNS != 8
#error "rows of 2, 4, 6 and 8 results are written out"
#endif
/* Rows of that many results, which follow each other in output as in a row, from a plane with two
 * columns more. */
static inline void oribi_micro_rows_3x3(const int8_t *x, int32_t rows,
                                        const struct oribi_micro_3x3 *k, int8_t *output)
{
    enum { COLUMNS = ORIBI_MICRO_COLUMNS + 2 };
#ifdef ORIBI_MICRO_ASM
#define ORIBI_MICRO_PAIR ORIBI_MICRO_PAIR_3X3("%[row1]", "%[row2]")
    int32_t s, t, even, odd;
    ORIBI_MICRO_ASM volatile("1:\n\t" ORIBI_MICRO_PAIR
#if ORIBI_MICRO_COLUMNS > 2
                                 ORIBI_MICRO_PAIR
#endif
#if ORIBI_MICRO_COLUMNS > 4
                                     ORIBI_MICRO_PAIR
#endif
#if ORIBI_MICRO_COLUMNS > 6
                                         ORIBI_MICRO_PAIR
#endif
                             "add %[x], %[x], #2\n\t"
                             "subs %[rows], %[rows], #1\n\t"
                             "bne 1b"
                             : [s] "=&r"(s), [t] "=&r"(t), [even] "=&r"(even), [odd] "=&r"(odd),
                               [x] "+&r"(x), [output] "+&r"(output), [rows] "+&r"(rows)
                             : [row1] "n"(COLUMNS), [row2] "n"(2 * COLUMNS), [k] "r"(&k->bias)
                             : "r4", "r5", "r6", "r8", "cc", "memory");
#undef ORIBI_MICRO_PAIR
#else
    for (; rows > 0; rows--) {
        output = oribi_micro_pairs_3x3(x, x + ORIBI_MICRO_COLUMNS, COLUMNS, k, output);
        x += COLUMNS;
    }
#endif
}
#endif

#endif
