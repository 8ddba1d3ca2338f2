/* SPDX-License-Identifier: Apache-2.0 */
/* The one place with inline assembly: what kernels ask of a core with Arm's DSP extension
 * (Cortex-M4, M7, M33, M55), each function with its twin in plain C for every other machine. The
 * twins compute the same bits; tests/micro runs kernels over them, and an emulated Cortex-M4 runs
 * the assembly. ORIBI_MICRO_PLAIN_C chooses the twins everywhere; unoptimised builds, which leave
 * assembly too few registers, have them too.
 *
 * A word of two lanes is an int32_t: two int16, the lower in its lower half. Sums wrap.
 */
#ifndef ORIBI_MICRO_DSP_H_
#define ORIBI_MICRO_DSP_H_

#include "micro/fixed_point.h"
#include "micro/memory.h"

#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP && defined(__ARM_FEATURE_UNALIGNED) &&         \
    !defined(ORIBI_MICRO_PLAIN_C) && (!defined(__GNUC__) || defined(__OPTIMIZE__))
#if defined(__GNUC__) || defined(__clang__) /* armclang is clang */
#define ORIBI_MICRO_ASM __asm__
#elif defined(__ICCARM__)
#define ORIBI_MICRO_ASM __asm
#endif
#endif

/* --- Bytes and lanes ------------------------------------------------------------------------- */

/* Four int8 as a word, the first in the lowest byte; from needs no alignment. */
static inline int32_t oribi_micro_load4(const int8_t *from)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    int32_t word;
#ifdef __GNUC__ /* a load, not a call, in freestanding code too */
    __builtin_memcpy(&word, from, sizeof word);
#else
    memcpy(&word, from, sizeof word);
#endif
    return word;
#else
    const uint32_t low = (uint32_t)(uint8_t)from[0] | (uint32_t)(uint8_t)from[1] << 8;
    const uint32_t high = (uint32_t)(uint8_t)from[2] | (uint32_t)(uint8_t)from[3] << 8;
    return (int32_t)(low | high << 16);
#endif
}

/* Four int8 that lie step bytes apart as a word, the first in the lowest byte. */
static inline int32_t oribi_micro_load4_apart(const int8_t *from, int32_t step)
{
#ifdef ORIBI_MICRO_ASM
    int32_t word, next;
    ORIBI_MICRO_ASM volatile("ldrb %[word], [%[from]]\n\t"
                             "ldrb %[next], [%[from], %[step]]\n\t"
                             "orr %[word], %[word], %[next], lsl #8\n\t"
                             "ldrb %[next], [%[from], %[step], lsl #1]\n\t"
                             "orr %[word], %[word], %[next], lsl #16\n\t"
                             "ldrb %[next], [%[from], %[thrice]]\n\t"
                             "orr %[word], %[word], %[next], lsl #24"
                             : [word] "=&r"(word), [next] "=&r"(next)
                             : [from] "r"(from), [step] "r"(step), [thrice] "r"(3 * step)
                             : "memory");
    return word;
#else
    return (int32_t)((uint32_t)(uint8_t)from[0] | (uint32_t)(uint8_t)from[step] << 8 |
                     (uint32_t)(uint8_t)from[2 * step] << 16 |
                     (uint32_t)(uint8_t)from[3 * step] << 24);
#endif
}

/* Writes the bytes of a word, the lowest first; to needs no alignment. */
static inline void oribi_micro_store4(int8_t *to, int32_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && defined(__GNUC__)
    __builtin_memcpy(to, &word, sizeof word);
#else
    for (int32_t i = 0; i < 4; i++) {
        to[i] = (int8_t)(uint8_t)((uint32_t)word >> 8 * i & 0xffU);
    }
#endif
}

static inline int32_t oribi_micro_low_lane(int32_t x)
{
    return (int16_t)(uint16_t)((uint32_t)x & 0xffffU);
}

static inline int32_t oribi_micro_high_lane(int32_t x)
{
    return x >> 16;
}

static inline int32_t oribi_micro_lanes(int32_t low, int32_t high)
{
    return (int32_t)(((uint32_t)low & 0xffffU) | (uint32_t)high << 16);
}

static inline int32_t oribi_micro_wrapping_add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

/* Bytes 0 and 2 of four int8 as lanes. */
static inline int32_t oribi_micro_even_bytes(int32_t x)
{
#ifdef ORIBI_MICRO_ASM
    int32_t out;
    ORIBI_MICRO_ASM("sxtb16 %0, %1" : "=r"(out) : "r"(x));
    return out;
#else
    return oribi_micro_lanes((int8_t)(uint8_t)((uint32_t)x & 0xffU),
                             (int8_t)(uint8_t)((uint32_t)x >> 16 & 0xffU));
#endif
}

/* Bytes 1 and 3 of four int8 as lanes. */
static inline int32_t oribi_micro_odd_bytes(int32_t x)
{
#ifdef ORIBI_MICRO_ASM
    int32_t out;
    ORIBI_MICRO_ASM("sxtb16 %0, %1, ror #8" : "=r"(out) : "r"(x));
    return out;
#else
    return oribi_micro_even_bytes((int32_t)((uint32_t)x >> 8));
#endif
}

/* Both lanes doubled; neither may overflow. */
static inline int32_t oribi_micro_double_lanes(int32_t x)
{
#ifdef ORIBI_MICRO_ASM
    int32_t out;
    ORIBI_MICRO_ASM("sadd16 %0, %1, %1" : "=r"(out) : "r"(x));
    return out;
#else
    return oribi_micro_lanes(2 * oribi_micro_low_lane(x), 2 * oribi_micro_high_lane(x));
#endif
}

/* --- Products -------------------------------------------------------------------------------- */

/* sum + both lanes' products. */
static inline int32_t oribi_micro_dot2(int32_t x, int32_t y, int32_t sum)
{
#ifdef ORIBI_MICRO_ASM
    int32_t out;
    ORIBI_MICRO_ASM("smlad %0, %1, %2, %3" : "=r"(out) : "r"(x), "r"(y), "r"(sum));
    return out;
#else
    const int32_t low = oribi_micro_low_lane(x) * oribi_micro_low_lane(y);
    const int32_t high = oribi_micro_high_lane(x) * oribi_micro_high_lane(y);
    return oribi_micro_wrapping_add(sum, oribi_micro_wrapping_add(low, high));
#endif
}

/* sum + low lane of x * low lane of y. */
static inline int32_t oribi_micro_low_by_low(int32_t x, int32_t y, int32_t sum)
{
#ifdef ORIBI_MICRO_ASM
    int32_t out;
    ORIBI_MICRO_ASM("smlabb %0, %1, %2, %3" : "=r"(out) : "r"(x), "r"(y), "r"(sum));
    return out;
#else
    return oribi_micro_wrapping_add(sum, oribi_micro_low_lane(x) * oribi_micro_low_lane(y));
#endif
}

/* sum + high lane of x * low lane of y. */
static inline int32_t oribi_micro_high_by_low(int32_t x, int32_t y, int32_t sum)
{
#ifdef ORIBI_MICRO_ASM
    int32_t out;
    ORIBI_MICRO_ASM("smlatb %0, %1, %2, %3" : "=r"(out) : "r"(x), "r"(y), "r"(sum));
    return out;
#else
    return oribi_micro_wrapping_add(sum, oribi_micro_high_lane(x) * oribi_micro_low_lane(y));
#endif
}

/* sum + low lane of x * high lane of y. */
static inline int32_t oribi_micro_low_by_high(int32_t x, int32_t y, int32_t sum)
{
#ifdef ORIBI_MICRO_ASM
    int32_t out;
    ORIBI_MICRO_ASM("smlabt %0, %1, %2, %3" : "=r"(out) : "r"(x), "r"(y), "r"(sum));
    return out;
#else
    return oribi_micro_wrapping_add(sum, oribi_micro_low_lane(x) * oribi_micro_high_lane(y));
#endif
}

/* round(x * y / 2^32), ties up. */
static inline int32_t oribi_micro_high_product(int32_t x, int32_t y)
{
#ifdef ORIBI_MICRO_ASM
    int32_t out;
    ORIBI_MICRO_ASM("smmulr %0, %1, %2" : "=r"(out) : "r"(x), "r"(y));
    return out;
#else
    return (int32_t)(((int64_t)x * y + (INT64_C(1) << 31)) >> 32);
#endif
}

/* floor(x / 2), saturated to int8. */
static inline int32_t oribi_micro_saturate_half_s8(int32_t x)
{
#ifdef ORIBI_MICRO_ASM
    int32_t out;
    ORIBI_MICRO_ASM("ssat %0, #8, %1, asr #1" : "=r"(out) : "r"(x));
    return out;
#else
    return oribi_micro_clamp(x >> 1, INT8_MIN, INT8_MAX);
#endif
}

/* --- Blocks ---------------------------------------------------------------------------------- */

/* The twin of the blocks: a word of weights, two lanes of 256 * w[1] + w[0], against two inputs.
 * sum[0] gains x * w[0] and sum[1] gains x * (256 * w[1] + w[0]). */
static inline void oribi_micro_lanes_by_input(int32_t weights, int32_t x, int32_t *sum0,
                                              int32_t *sum1)
{
    *sum1 = oribi_micro_dot2(weights, x, *sum1);
    *sum0 = oribi_micro_dot2(oribi_micro_even_bytes(weights), x, *sum0);
}

/* Two output channels of two pixels. */
struct oribi_micro_sums2x2 {
    int32_t a0, a1; /* first pixel: channel 0, and 256 * channel 1 + channel 0 */
    int32_t b0, b1; /* second pixel */
};

/* Widens count int8, a multiple of four, to lanes: of each four, 0 and 2, then 1 and 3. Two words
 * are left out behind each two: they belong to the other pixel. from needs no alignment. Returns to
 * moved on. */
static inline int32_t *oribi_micro_widen(const int8_t *from, int32_t count, int32_t *to)
{
    const int8_t *const end = from + count;
    while (from != end) {
#ifdef ORIBI_MICRO_ASM
        int32_t even, odd;
        ORIBI_MICRO_ASM volatile(
            "ldr %[odd], [%[from]], #4\n\t"
            "sxtb16 %[even], %[odd]\n\t"
            "sxtb16 %[odd], %[odd], ror #8\n\t"
            "strd %[even], %[odd], [%[to]], #16"
            : [from] "+r"(from), [to] "+r"(to), [even] "=&r"(even), [odd] "=&r"(odd)
            :
            : "memory");
#else
        const int32_t four = oribi_micro_load4(from);
        to[0] = oribi_micro_even_bytes(four);
        to[1] = oribi_micro_odd_bytes(four);
        from += 4;
        to += 4;
#endif
    }
    return to;
}

/* Inputs of two pixels from x to end, per four of each the lanes {a: 0 and 2, a: 1 and 3, b: 0 and
 * 2, b: 1 and 3}, a multiple of eight of each and at least eight, against their words of weights at
 * w. Returns w moved on. */
static inline const int32_t *oribi_micro_sum2x2(const int32_t *x, const int32_t *end,
                                                const int32_t *w, struct oribi_micro_sums2x2 *s)
{
#ifdef ORIBI_MICRO_ASM
    int32_t a0 = 0, a1 = 0, b0 = 0, b1 = 0, w0, w1;
#define ORIBI_MICRO_FOUR                                                                           \
    "ldmia %[x]!, {r4, r5, r6, r8}\n\t"                                                            \
    "ldrd %[w0], %[w1], [%[w]], #8\n\t"                                                            \
    "smlad %[a1], %[w0], r4, %[a1]\n\t"                                                            \
    "smlad %[b1], %[w0], r6, %[b1]\n\t"                                                            \
    "sxtb16 %[w0], %[w0]\n\t"                                                                      \
    "smlad %[a1], %[w1], r5, %[a1]\n\t"                                                            \
    "smlad %[b1], %[w1], r8, %[b1]\n\t"                                                            \
    "sxtb16 %[w1], %[w1]\n\t"                                                                      \
    "smlad %[a0], %[w0], r4, %[a0]\n\t"                                                            \
    "smlad %[b0], %[w0], r6, %[b0]\n\t"                                                            \
    "smlad %[a0], %[w1], r5, %[a0]\n\t"                                                            \
    "smlad %[b0], %[w1], r8, %[b0]\n\t"
    ORIBI_MICRO_ASM volatile(
        "sub %[w0], %[end], %[x]\n\t"
        "lsls %[w0], %[w0], #26\n\t" /* a multiple of 8, not of 16: half a round first */
        "bmi 2f\n"
        "1:\n\t" ORIBI_MICRO_FOUR ORIBI_MICRO_FOUR "2:\n\t" ORIBI_MICRO_FOUR ORIBI_MICRO_FOUR
        "cmp %[x], %[end]\n\t"
        "bne 1b"
        : [a0] "+r"(a0), [a1] "+r"(a1), [b0] "+r"(b0), [b1] "+r"(b1), [x] "+r"(x), [w] "+r"(w),
          [w0] "=&r"(w0), [w1] "=&r"(w1)
        : [end] "r"(end)
        : "r4", "r5", "r6", "r8", "cc", "memory");
#undef ORIBI_MICRO_FOUR
    s->a0 = a0;
    s->a1 = a1;
    s->b0 = b0;
    s->b1 = b1;
#else
    s->a0 = s->a1 = s->b0 = s->b1 = 0;
    for (; x != end; x += 4, w += 2) {
        for (int32_t i = 0; i < 2; i++) {
            oribi_micro_lanes_by_input(w[i], x[i], &s->a0, &s->a1);
            oribi_micro_lanes_by_input(w[i], x[2 + i], &s->b0, &s->b1);
        }
    }
#endif
    return w;
}

/* From sums of two pixels to results: the channels' biases doubled, multipliers and shifts are at
 * record (lanes_s8.h). twice_zero is 2 * zero point + 1 of the output; the second pixel's results
 * lie `distance` behind the first's. Returns output moved on. */
static inline int8_t *oribi_micro_finish2x2(const struct oribi_micro_sums2x2 *s,
                                            const int32_t *record, int32_t twice_zero,
                                            int8_t *output, int32_t distance)
{
#ifdef ORIBI_MICRO_ASM
    int32_t a0 = s->a0, a1 = s->a1, b0 = s->b0, b1 = s->b1, t0, t1, t2, t3;
    ORIBI_MICRO_ASM volatile(
        "ldrd %[t0], %[t1], [%[record]]\n\t"
        "ldrd %[t2], %[t3], [%[record], #8]\n\t"
        "sub %[a1], %[a1], %[a0]\n\t"
        "sub %[b1], %[b1], %[b0]\n\t"
        "add %[a0], %[t0], %[a0], lsl #1\n\t"
        "add %[b0], %[t0], %[b0], lsl #1\n\t"
        "add %[a1], %[t1], %[a1], asr #7\n\t"
        "add %[b1], %[t1], %[b1], asr #7\n\t"
        "smmulr %[a0], %[a0], %[t2]\n\t"
        "smmulr %[b0], %[b0], %[t2]\n\t"
        "smmulr %[a1], %[a1], %[t3]\n\t"
        "smmulr %[b1], %[b1], %[t3]\n\t"
        "ldr %[t1], [%[record], #16]\n\t"
        "uxtb %[t0], %[t1]\n\t"
        "asr %[t1], %[t1], #8\n\t"
        "lsl %[t2], %[zero], %[t0]\n\t"
        "lsl %[t3], %[zero], %[t1]\n\t"
        "add %[a0], %[a0], %[a0], asr #31\n\t"
        "add %[b0], %[b0], %[b0], asr #31\n\t"
        "add %[a1], %[a1], %[a1], asr #31\n\t"
        "add %[b1], %[b1], %[b1], asr #31\n\t"
        "add %[a0], %[a0], %[t2]\n\t"
        "add %[b0], %[b0], %[t2]\n\t"
        "add %[a1], %[a1], %[t3]\n\t"
        "add %[b1], %[b1], %[t3]\n\t"
        "asr %[a0], %[a0], %[t0]\n\t"
        "asr %[b0], %[b0], %[t0]\n\t"
        "asr %[a1], %[a1], %[t1]\n\t"
        "asr %[b1], %[b1], %[t1]\n\t"
        "ssat %[a0], #8, %[a0], asr #1\n\t"
        "ssat %[b0], #8, %[b0], asr #1\n\t"
        "ssat %[a1], #8, %[a1], asr #1\n\t"
        "ssat %[b1], #8, %[b1], asr #1\n\t"
        "strb %[b0], [%[output], %[distance]]\n\t"
        "strb %[a0], [%[output]], #1\n\t"
        "strb %[b1], [%[output], %[distance]]\n\t"
        "strb %[a1], [%[output]], #1"
        : [a0] "+r"(a0), [a1] "+r"(a1), [b0] "+r"(b0), [b1] "+r"(b1), [output] "+r"(output),
          [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3)
        : [record] "r"(record), [zero] "r"(twice_zero), [distance] "r"(distance)
        : "memory");
#else
    const int32_t sums[2][2] = {{s->b0, s->b1}, {s->a0, s->a1}};
    for (int32_t i = 0; i < 2; i++) {
        int8_t *to = i == 0 ? output + distance : output;
        for (int32_t c = 0; c < 2; c++) {
            const int32_t other =
                (int32_t)((uint32_t)sums[i][1] - (uint32_t)sums[i][0]) >> 7; /* no bit is lost */
            const int32_t shift = c == 0 ? record[4] & 0xff : record[4] >> 8;
            const int32_t product = oribi_micro_high_product(
                record[c] + (c == 0 ? 2 * sums[i][0] : other), record[2 + c]);
            to[c] = (int8_t)oribi_micro_saturate_half_s8(
                (product + (product >> 31) + oribi_micro_shift_left(twice_zero, shift)) >> shift);
        }
    }
    output += 2;
#endif
    return output;
}

/* Four output channels of one pixel. */
struct oribi_micro_sums1x4 {
    int32_t c0, c1; /* channel 0, and 256 * channel 1 + channel 0 */
    int32_t c2, c3; /* channel 2, and 256 * channel 3 + channel 2 */
};

/* Inputs from x to end, a multiple of eight and at least eight, against words of weights at w: for
 * each four inputs a word of channels 0 and 1 with inputs 0 and 2, one with inputs 1 and 3, and the
 * same of channels 2 and 3. x needs no alignment. Returns w moved on. */
static inline const int32_t *oribi_micro_sum1x4(const int8_t *x, const int8_t *end,
                                                const int32_t *w, struct oribi_micro_sums1x4 *s)
{
    int32_t c0 = 0, c1 = 0, c2 = 0, c3 = 0;
#ifdef ORIBI_MICRO_ASM
    int32_t even, odd;
#define ORIBI_MICRO_FOUR                                                                           \
    "ldr %[odd], [%[x]], #4\n\t"                                                                   \
    "ldmia %[w]!, {r4, r5, r6, r8}\n\t"                                                            \
    "sxtb16 %[even], %[odd]\n\t"                                                                   \
    "sxtb16 %[odd], %[odd], ror #8\n\t"                                                            \
    "smlad %[c1], r4, %[even], %[c1]\n\t"                                                          \
    "smlad %[c3], r6, %[even], %[c3]\n\t"                                                          \
    "sxtb16 r4, r4\n\t"                                                                            \
    "smlad %[c1], r5, %[odd], %[c1]\n\t"                                                           \
    "smlad %[c3], r8, %[odd], %[c3]\n\t"                                                           \
    "sxtb16 r6, r6\n\t"                                                                            \
    "smlad %[c0], r4, %[even], %[c0]\n\t"                                                          \
    "sxtb16 r5, r5\n\t"                                                                            \
    "smlad %[c2], r6, %[even], %[c2]\n\t"                                                          \
    "sxtb16 r8, r8\n\t"                                                                            \
    "smlad %[c0], r5, %[odd], %[c0]\n\t"                                                           \
    "smlad %[c2], r8, %[odd], %[c2]\n\t"
    ORIBI_MICRO_ASM volatile("sub %[even], %[end], %[x]\n\t"
                             "lsls %[even], %[even], #28\n\t" /* as above */
                             "bmi 2f\n"
                             "1:\n\t" ORIBI_MICRO_FOUR ORIBI_MICRO_FOUR
                             "2:\n\t" ORIBI_MICRO_FOUR ORIBI_MICRO_FOUR "cmp %[x], %[end]\n\t"
                             "bne 1b"
                             : [c0] "+r"(c0), [c1] "+r"(c1), [c2] "+r"(c2), [c3] "+r"(c3),
                               [x] "+r"(x), [w] "+r"(w), [even] "=&r"(even), [odd] "=&r"(odd)
                             : [end] "r"(end)
                             : "r4", "r5", "r6", "r8", "cc", "memory");
#undef ORIBI_MICRO_FOUR
#else
    for (; x != end; x += 4, w += 4) {
        const int32_t four = oribi_micro_load4(x);
        const int32_t even = oribi_micro_even_bytes(four), odd = oribi_micro_odd_bytes(four);
        oribi_micro_lanes_by_input(w[0], even, &c0, &c1);
        oribi_micro_lanes_by_input(w[1], odd, &c0, &c1);
        oribi_micro_lanes_by_input(w[2], even, &c2, &c3);
        oribi_micro_lanes_by_input(w[3], odd, &c2, &c3);
    }
#endif
    s->c0 = c0;
    s->c1 = c1;
    s->c2 = c2;
    s->c3 = c3;
    return w;
}

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

/* Results of two windows beside each other, at output and a step behind it. Rows of four bytes lie
 * at x and `columns` apart. bias is doubled; rounding and shift as in lanes_s8.h. */
static inline void oribi_micro_two_3x3(const int8_t *x, int32_t columns,
                                       const struct oribi_micro_3x3 *k, int8_t *output)
{
#ifdef ORIBI_MICRO_ASM
    int32_t s, t, even, odd;
    ORIBI_MICRO_ASM volatile(
        "ldr %[odd], [%[x], %[columns]]\n\t"
        "ldmia %[k], {r4, r5, r6, r8}\n\t"
        "sxtb16 %[even], %[odd]\n\t"
        "sxtb16 %[odd], %[odd], ror #8\n\t"
        "smlad %[s], %[even], r5, r4\n\t"
        "smlad %[t], %[odd], r5, r4\n\t"
        "smlabb %[s], %[odd], r8, %[s]\n\t"
        "smlatb %[t], %[even], r8, %[t]\n\t"
        "ldr %[odd], [%[x], %[columns], lsl #1]\n\t"
        "sxtb16 %[even], %[odd]\n\t"
        "sxtb16 %[odd], %[odd], ror #8\n\t"
        "smlad %[s], %[even], r6, %[s]\n\t"
        "smlad %[t], %[odd], r6, %[t]\n\t"
        "smlabt %[s], %[odd], r8, %[s]\n\t"
        "smlatt %[t], %[even], r8, %[t]\n\t"
        "ldr %[odd], [%[x]]\n\t"
        "ldmdb %[k], {r4, r5, r6, r8}\n\t"
        "sxtb16 %[even], %[odd]\n\t"
        "sxtb16 %[odd], %[odd], ror #8\n\t"
        "smlad %[s], %[even], r4, %[s]\n\t"
        "smlad %[t], %[odd], r4, %[t]\n\t"
        "smlabb %[s], %[odd], r5, %[s]\n\t"
        "smlatb %[t], %[even], r5, %[t]\n\t"
        "ldrd %[even], %[odd], [%[k], #16]\n\t"
        "smmulr %[s], %[s], r6\n\t"
        "smmulr %[t], %[t], r6\n\t"
        "add %[s], %[s], %[s], asr #31\n\t"
        "add %[t], %[t], %[t], asr #31\n\t"
        "add %[s], %[s], r8\n\t"
        "add %[t], %[t], r8\n\t"
        "asr %[s], %[s], %[even]\n\t"
        "asr %[t], %[t], %[even]\n\t"
        "ssat %[s], #8, %[s], asr #1\n\t"
        "ssat %[t], #8, %[t], asr #1\n\t"
        "strb %[s], [%[output]]\n\t"
        "strb %[t], [%[output], %[odd]]"
        : [s] "=&r"(s), [t] "=&r"(t), [even] "=&r"(even), [odd] "=&r"(odd)
        : [x] "r"(x), [columns] "r"(columns), [k] "r"(&k->bias), [output] "r"(output)
        : "r4", "r5", "r6", "r8", "memory");
#else
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
    for (int32_t i = 0; i < 2; i++) {
        const int32_t product = oribi_micro_high_product(sums[i], k->multiplier);
        output[i * k->step] = (int8_t)oribi_micro_saturate_half_s8(
            (product + (product >> 31) + k->rounding) >> k->shift);
    }
#endif
}

/* The result of one window. */
static inline void oribi_micro_one_3x3(const int8_t *x, int32_t columns,
                                       const struct oribi_micro_3x3 *k, int8_t *output)
{
#ifdef ORIBI_MICRO_ASM
    int32_t s, even, odd;
    ORIBI_MICRO_ASM volatile(
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
        "ldr %[even], [%[k], #16]\n\t"
        "smmulr %[s], %[s], r6\n\t"
        "add %[s], %[s], %[s], asr #31\n\t"
        "add %[s], %[s], r8\n\t"
        "asr %[s], %[s], %[even]\n\t"
        "ssat %[s], #8, %[s], asr #1\n\t"
        "strb %[s], [%[output]]"
        : [s] "=&r"(s), [even] "=&r"(even), [odd] "=&r"(odd)
        : [x] "r"(x), [columns] "r"(columns), [k] "r"(&k->bias), [output] "r"(output)
        : "r4", "r5", "r6", "r8", "memory");
#else
    const int32_t twice = oribi_micro_wrapping_add(oribi_micro_sum_3x3(x, columns, k), k->bias);
    const int32_t product = oribi_micro_high_product(twice, k->multiplier);
    *output =
        (int8_t)oribi_micro_saturate_half_s8((product + (product >> 31) + k->rounding) >> k->shift);
#endif
}

#endif
