/* SPDX-License-Identifier: Apache-2.0 */
/* The one place with inline assembly, together with dsp_3x3.h: what kernels ask of a core with
 * Arm's DSP extension (Cortex-M4, M7, M33, M55), each function with its twin in plain C for every
 * other machine. The twins compute the same bits; tests/micro runs kernels over them, and an
 * emulated Cortex-M4 runs the assembly. ORIBI_MICRO_PLAIN_C chooses the twins everywhere;
 * unoptimised builds, which leave assembly too few registers, have them too.
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

/* Before loops of a few turns: wider ones only need stack. */
#ifdef __clang__
#define ORIBI_MICRO_SHORT _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define ORIBI_MICRO_SHORT
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

/* floor(x / 2), saturated to int8; a Cortex-M3 has this instruction, too. */
static inline int32_t oribi_micro_saturate_half_s8(int32_t x)
{
#if defined(ORIBI_MICRO_ASM)
    int32_t out;
    ORIBI_MICRO_ASM("ssat %0, #8, %1, asr #1" : "=r"(out) : "r"(x));
    return out;
#elif defined(__ARM_FEATURE_SAT) && defined(__GNUC__) && !defined(ORIBI_MICRO_PLAIN_C)
    int32_t out;
    __asm__("ssat %0, #8, %1, asr #1" : "=r"(out) : "r"(x));
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
    ORIBI_MICRO_SHORT
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

/* The same of two pixels at once, the second's bytes `distance` behind the first's; nothing is left
 * out between their words. */
static inline int32_t *oribi_micro_widen2(const int8_t *from, int32_t distance, int32_t count,
                                          int32_t *to)
{
    const int8_t *const end = from + count;
    ORIBI_MICRO_SHORT
    while (from != end) {
#ifdef ORIBI_MICRO_ASM
        ORIBI_MICRO_ASM volatile("ldr r8, [%[from], %[distance]]\n\t"
                                 "ldr r5, [%[from]], #4\n\t"
                                 "sxtb16 r6, r8\n\t"
                                 "sxtb16 r4, r5\n\t"
                                 "sxtb16 r8, r8, ror #8\n\t"
                                 "sxtb16 r5, r5, ror #8\n\t"
                                 "stmia %[to]!, {r4, r5, r6, r8}"
                                 : [from] "+r"(from), [to] "+r"(to)
                                 : [distance] "r"(distance)
                                 : "r4", "r5", "r6", "r8", "memory");
#else
        const int32_t four = oribi_micro_load4(from), other = oribi_micro_load4(from + distance);
        to[0] = oribi_micro_even_bytes(four);
        to[1] = oribi_micro_odd_bytes(four);
        to[2] = oribi_micro_even_bytes(other);
        to[3] = oribi_micro_odd_bytes(other);
        from += 4;
        to += 4;
#endif
    }
    return to;
}

/* Inputs of two pixels from x to end, per four of each the lanes {a: 0 and 2, a: 1 and 3, b: 0 and
 * 2, b: 1 and 3}, against their words of weights at w. Returns w moved on. */
static inline const int32_t *oribi_micro_sum2x2(const int32_t *x, const int32_t *end,
                                                const int32_t *w, struct oribi_micro_sums2x2 *s)
{
    s->a0 = 0;
    s->a1 = 0;
    s->b0 = 0;
    s->b1 = 0;
    for (; x != end; x += 4, w += 2) {
        for (int32_t i = 0; i < 2; i++) {
            oribi_micro_lanes_by_input(w[i], x[i], &s->a0, &s->a1);
            oribi_micro_lanes_by_input(w[i], x[2 + i], &s->b0, &s->b1);
        }
    }
    return w;
}

/* A layer's way from two widened pixels to results. */
struct oribi_micro_pairs2x2 {
    const int32_t *window,
        *end;           /* as x and end above; a multiple of eight of each, at least eight */
    int32_t twice_zero; /* 2 * zero point + 1 of the output */
    int32_t distance;   /* from the first pixel's results to the second's */
};

#ifdef ORIBI_MICRO_ASM
#define ORIBI_MICRO_ROUND(product, sum)                                                            \
    "ldmia %[x]!, {r4, r5, r6, r8}\n\t"                                                            \
    "ldrd %[w0], %[w1], [%[w]], #8\n\t" product(a1, w0, r4)                                        \
        product(b1, w0, r6) "sxtb16 %[w0], %[w0]\n\t" sum(a1, w1, r5)                              \
            sum(b1, w1, r8) "sxtb16 %[w1], %[w1]\n\t" product(a0, w0, r4) product(b0, w0, r6)      \
                sum(a0, w1, r5) sum(b0, w1, r8)
#define ORIBI_MICRO_PRODUCT(to, w, x) "smuad %[" #to "], %[" #w "], " #x "\n\t"
#define ORIBI_MICRO_SUM(to, w, x)     "smlad %[" #to "], %[" #w "], " #x ", %[" #to "]\n\t"
#define ORIBI_MICRO_FIRST             ORIBI_MICRO_ROUND(ORIBI_MICRO_PRODUCT, ORIBI_MICRO_SUM)
#define ORIBI_MICRO_FOUR              ORIBI_MICRO_ROUND(ORIBI_MICRO_SUM, ORIBI_MICRO_SUM)
/* From sums to results by the record at w. A high product has the sign of its sum or is 0, so what
 * rounds negative numbers away from zero asks the sum, and is there before the product. */
#define ORIBI_MICRO_FINISH                                                                         \
    "ldmia %[w]!, {r4, r5, r6, r8}\n\t"                                                            \
    "sub %[a1], %[a1], %[a0]\n\t"                                                                  \
    "sub %[b1], %[b1], %[b0]\n\t"                                                                  \
    "add %[a0], r4, %[a0], lsl #1\n\t"                                                             \
    "add %[b0], r4, %[b0], lsl #1\n\t"                                                             \
    "add %[a1], r5, %[a1], asr #7\n\t"                                                             \
    "add %[b1], r5, %[b1], asr #7\n\t"                                                             \
    "ldr %[w1], [%[w]], #4\n\t" /* shifts take the lowest byte */                                  \
    "ldr %[w0], %[zero]\n\t"                                                                       \
    "lsl r4, %[w0], %[w1]\n\t"                                                                     \
    "add r5, r4, %[a0], asr #31\n\t"                                                               \
    "add r4, r4, %[b0], asr #31\n\t"                                                               \
    "smmlar %[a0], %[a0], r6, r5\n\t"                                                              \
    "smmlar %[b0], %[b0], r6, r4\n\t"                                                              \
    "asr %[a0], %[a0], %[w1]\n\t"                                                                  \
    "asr %[b0], %[b0], %[w1]\n\t"                                                                  \
    "lsr %[w1], %[w1], #8\n\t"                                                                     \
    "lsl r4, %[w0], %[w1]\n\t"                                                                     \
    "add r5, r4, %[a1], asr #31\n\t"                                                               \
    "add r4, r4, %[b1], asr #31\n\t"                                                               \
    "smmlar %[a1], %[a1], r8, r5\n\t"                                                              \
    "smmlar %[b1], %[b1], r8, r4\n\t"                                                              \
    "asr %[a1], %[a1], %[w1]\n\t"                                                                  \
    "asr %[b1], %[b1], %[w1]\n\t"                                                                  \
    "ssat %[a0], #8, %[a0], asr #1\n\t"                                                            \
    "ssat %[b0], #8, %[b0], asr #1\n\t"                                                            \
    "ssat %[a1], #8, %[a1], asr #1\n\t"                                                            \
    "ssat %[b1], #8, %[b1], asr #1\n\t"
#define ORIBI_MICRO_WRITE(to, distance)                                                            \
    "strb %[b0], [" to ", " distance "]\n\t"                                                       \
    "strb %[a0], [" to "], #1\n\t"                                                                 \
    "strb %[b1], [" to ", " distance "]\n\t"                                                       \
    "strb %[a1], [" to "], #1\n\t"

/* A window of known size: what follows its first four taps, written out. */
#define ORIBI_MICRO_EIGHT ORIBI_MICRO_FOUR ORIBI_MICRO_FOUR
#if !defined(ORIBI_MICRO_UNROLL)
#elif ORIBI_MICRO_UNROLL == 8
#define ORIBI_MICRO_MORE ORIBI_MICRO_FOUR
#elif ORIBI_MICRO_UNROLL == 16
#define ORIBI_MICRO_MORE ORIBI_MICRO_FOUR ORIBI_MICRO_EIGHT
#elif ORIBI_MICRO_UNROLL == 24
#define ORIBI_MICRO_MORE ORIBI_MICRO_FOUR ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT
#elif ORIBI_MICRO_UNROLL == 32
#define ORIBI_MICRO_MORE ORIBI_MICRO_FOUR ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT
#elif ORIBI_MICRO_UNROLL == 40
#define ORIBI_MICRO_MORE                                                                           \
    ORIBI_MICRO_FOUR ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT
#elif ORIBI_MICRO_UNROLL == 64
#define ORIBI_MICRO_MORE                                                                           \
    ORIBI_MICRO_FOUR ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT       \
        ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT ORIBI_MICRO_EIGHT
#else
#error "windows of 8, 16, 24, 32, 40 and 64 taps can be written out"
#endif
#endif

/* Results of pairs of channels from `to` on, at least one pair, until `last`; the second pixel's
 * lie apart. Each pair has its words of weights at w and behind them its record (lanes_s8.h), which
 * is not general. Returns w moved on. */
static inline const int32_t *oribi_micro_pairs2x2(const struct oribi_micro_pairs2x2 *layer,
                                                  const int32_t *w, int8_t *to, const int8_t *last)
{
#ifdef ORIBI_MICRO_ASM
    /* In memory, as an operand without a register: there are too few. */
    const int32_t *const window = layer->window;
    const int32_t zero = layer->twice_zero, distance = layer->distance;
    const int32_t *x = window;
    int32_t a0, a1, b0, b1, w0, w1;
#ifdef ORIBI_MICRO_UNROLL
    ORIBI_MICRO_ASM volatile(
        "1:\n\t" ORIBI_MICRO_FIRST ORIBI_MICRO_MORE ORIBI_MICRO_FINISH
        "ldr r4, %[distance]\n\t" ORIBI_MICRO_WRITE("%[to]", "r4") "ldr r4, %[last]\n\t"
                                                                   "ldr %[x], %[window]\n\t"
                                                                   "cmp %[to], r4\n\t"
                                                                   "bne 1b"
        : [a0] "=&r"(a0), [a1] "=&r"(a1), [b0] "=&r"(b0), [b1] "=&r"(b1), [w0] "=&r"(w0),
          [w1] "=&r"(w1), [x] "+&r"(x), [w] "+&r"(w), [to] "+&r"(to)
        : [window] "m"(window), [zero] "m"(zero), [distance] "m"(distance), [last] "m"(last)
        : "r4", "r5", "r6", "r8", "cc", "memory");
#else
    ORIBI_MICRO_ASM volatile(
        "1:\n\t"
        "sub %[w0], %[end], %[x]\n\t"
        "mov %[a0], #0\n\t"
        "mov %[a1], #0\n\t"
        "mov %[b0], #0\n\t"
        "mov %[b1], #0\n\t"
        "lsls %[w0], %[w0], #26\n\t" /* a multiple of 8, not of 16: half a round first */
        "bmi 3f\n"
        "2:\n\t" ORIBI_MICRO_FOUR ORIBI_MICRO_FOUR "3:\n\t" ORIBI_MICRO_FOUR ORIBI_MICRO_FOUR
        "cmp %[x], %[end]\n\t"
        "bne 2b\n\t" ORIBI_MICRO_FINISH "ldr r4, %[to]\n\t"
        "ldr r5, %[distance]\n\t" ORIBI_MICRO_WRITE("r4", "r5") "ldr r5, %[last]\n\t"
                                                                "str r4, %[to]\n\t"
                                                                "ldr %[x], %[window]\n\t"
                                                                "cmp r4, r5\n\t"
                                                                "bne 1b"
        : [a0] "=&r"(a0), [a1] "=&r"(a1), [b0] "=&r"(b0), [b1] "=&r"(b1), [w0] "=&r"(w0),
          [w1] "=&r"(w1), [x] "+&r"(x), [w] "+&r"(w), [to] "+m"(to)
        : [end] "r"(layer->end), [window] "m"(window), [zero] "m"(zero), [distance] "m"(distance),
          [last] "m"(last)
        : "r4", "r5", "r6", "r8", "cc", "memory");
#endif
#else
    for (; to != last; to += 2) {
        struct oribi_micro_sums2x2 s;
        w = oribi_micro_sum2x2(layer->window, layer->end, w, &s);
        const int32_t sums[2][2] = {{s.b0, s.b1}, {s.a0, s.a1}};
        for (int32_t i = 0; i < 4; i++) {
            const int32_t c = i & 1, *sum = sums[i >> 1];
            const int32_t other = (int32_t)((uint32_t)sum[1] - (uint32_t)sum[0]) >> 7; /* exact */
            const int32_t shift = c == 0 ? w[4] & 0xff : w[4] >> 8;
            const int32_t product =
                oribi_micro_high_product(w[c] + (c == 0 ? 2 * sum[0] : other), w[2 + c]);
            const int32_t rounding = oribi_micro_shift_left(layer->twice_zero, shift);
            to[(i < 2 ? layer->distance : 0) + c] = (int8_t)oribi_micro_saturate_half_s8(
                (product + (product >> 31) + rounding) >> shift);
        }
        w += 5;
    }
#endif
    return w;
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
#define ORIBI_MICRO_FOUR_BY_FOUR                                                                   \
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
                             "1:\n\t" ORIBI_MICRO_FOUR_BY_FOUR ORIBI_MICRO_FOUR_BY_FOUR
                             "2:\n\t" ORIBI_MICRO_FOUR_BY_FOUR ORIBI_MICRO_FOUR_BY_FOUR
                             "cmp %[x], %[end]\n\t"
                             "bne 1b"
                             : [c0] "+r"(c0), [c1] "+r"(c1), [c2] "+r"(c2), [c3] "+r"(c3),
                               [x] "+r"(x), [w] "+r"(w), [even] "=&r"(even), [odd] "=&r"(odd)
                             : [end] "r"(end)
                             : "r4", "r5", "r6", "r8", "cc", "memory");
#undef ORIBI_MICRO_FOUR_BY_FOUR
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

#endif
