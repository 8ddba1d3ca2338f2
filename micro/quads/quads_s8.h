/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and int8 results for kernels of cores without lanes: the weights of four channels lie beside
 * each other, a byte each, in the order of the taps; behind them lies the quad's record of nine
 * words: four biases, four multipliers, a word of four shifts, which are as in lanes_s8.h. A word
 * has its bytes the lowest first. quads_prepare.h packs. Read next: v6m.h.
 *
 * Where ORIBI_MICRO_BIASED is 1 weights and inputs are 128 more than they are, unsigned bytes: so
 * ARMv6-M loads them in one instruction. What that adds to a sum is 128 times the sum of such
 * inputs, and a constant that is in the bias.
 */
#ifndef ORIBI_MICRO_QUADS_S8_H_
#define ORIBI_MICRO_QUADS_S8_H_

#include "micro/lanes_s8.h"
#include "micro/plain.h"
#include "micro/v6m.h"

#ifndef ORIBI_MICRO_BIASED
#define ORIBI_MICRO_BIASED 0
#endif

enum { ORIBI_MICRO_QUADS_RECORD = 9 };

/* --- Inputs ---------------------------------------------------------------------------------- */

static inline int32_t oribi_micro_quads_input(int32_t x)
{
    return ORIBI_MICRO_BIASED ? x + 128 : x;
}

/* Four inputs to four bytes. */
static inline void oribi_micro_quads_put4(const int8_t *from, int8_t *to)
{
#if !ORIBI_MICRO_BIASED
    oribi_micro_copy4(from, to);
#else
    for (int32_t i = 0; i < 4; i++) {
        to[i] = (int8_t)(uint8_t)oribi_micro_quads_input(from[i]);
    }
#endif
}

/* Count inputs, a multiple of four, to `to`; of each eight bytes there the last four are left out.
 */
static inline int32_t *oribi_micro_quads_put(const int8_t *from, int32_t count, int32_t *to)
{
    ORIBI_MICRO_SHORT
    for (; count > 0; count -= 4) {
        oribi_micro_quads_put4(from, (int8_t *)to);
        from += 4;
        to += 2;
    }
    return to;
}

/* The same of two pixels, the second's inputs `distance` behind the first's. */
static inline int32_t *oribi_micro_quads_put2(const int8_t *from, int32_t distance, int32_t count,
                                              int32_t *to)
{
    ORIBI_MICRO_SHORT
    for (; count > 0; count -= 4) {
        oribi_micro_quads_put4(from, (int8_t *)to);
        oribi_micro_quads_put4(from + distance, (int8_t *)(to + 1));
        from += 4;
        to += 2;
    }
    return to;
}

static inline int32_t *oribi_micro_quads_put_zeros(int32_t zero, int32_t count, int32_t *to)
{
    const uint32_t word = ((uint32_t)oribi_micro_quads_input(zero) & 0xffU) * 0x01010101U;
    ORIBI_MICRO_SHORT
    for (; count > 0; count -= 4) {
        *to = (int32_t)word;
        to += 2;
    }
    return to;
}

/* What the 128 of inputs and weights add to a sum beside what is in the bias. */
static inline int32_t oribi_micro_quads_excess(const int8_t *x, const int8_t *end, int32_t step)
{
    uint32_t sum = 0;
#if ORIBI_MICRO_BIASED
    for (; x != end; x += step) {
        sum += (uint32_t)(uint8_t)x[0] + (uint8_t)x[1] + (uint8_t)x[2] + (uint8_t)x[3];
    }
#else
    (void)x;
    (void)end;
    (void)step;
#endif
    return (int32_t)(sum << 7);
}

static inline void oribi_micro_quads_less(int32_t sums[4], int32_t excess)
{
    for (int32_t i = 0; ORIBI_MICRO_BIASED && i < 4; i++) {
        sums[i] = (int32_t)((uint32_t)sums[i] - (uint32_t)excess);
    }
}

/* --- Sums ------------------------------------------------------------------------------------ */

/* Of four channels of two pixels; they wrap. */
struct oribi_micro_quads_sums {
    int32_t a[4], b[4];
};

#define ORIBI_MICRO_QUADS_BOTH(i, channel)                                                         \
    do {                                                                                           \
        const int32_t weight = bytes[ORIBI_MICRO_BYTE(4 * (i) + (channel))];                       \
        a##channel += a * weight;                                                                  \
        b##channel += b * weight;                                                                  \
    } while (0)
#define ORIBI_MICRO_QUADS_TAP(i)                                                                   \
    do {                                                                                           \
        const int32_t a = x[i], b = x[4 + (i)];                                                    \
        ORIBI_MICRO_QUADS_BOTH(i, 0);                                                              \
        ORIBI_MICRO_QUADS_BOTH(i, 1);                                                              \
        ORIBI_MICRO_QUADS_BOTH(i, 2);                                                              \
        ORIBI_MICRO_QUADS_BOTH(i, 3);                                                              \
        ORIBI_MICRO_NEXT_TAP;                                                                      \
    } while (0)

/* Over the inputs of two pixels, four of the one beside four of the other, from x to end, at least
 * four. Returns w moved on. */
static inline const int32_t *oribi_micro_quads_sum2(const int8_t *x, const int8_t *end,
                                                    const int32_t *w,
                                                    struct oribi_micro_quads_sums *s)
{
#if ORIBI_MICRO_BIASED
    const uint8_t *const inputs = (const uint8_t *)x, *const last = (const uint8_t *)end;
    (void)oribi_micro_v6m_sum4(inputs, last, 8, w, s->a);
    return oribi_micro_v6m_sum4(inputs + 4, last + 4, 8, w, s->b);
#else
    int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;
    do {
        const int8_t *const bytes = (const int8_t *)w;
        ORIBI_MICRO_QUADS_TAP(0);
        ORIBI_MICRO_QUADS_TAP(1);
        ORIBI_MICRO_QUADS_TAP(2);
        ORIBI_MICRO_QUADS_TAP(3);
        x += 8;
        w += 4;
    } while (x != end);
    s->a[0] = a0;
    s->a[1] = a1;
    s->a[2] = a2;
    s->a[3] = a3;
    s->b[0] = b0;
    s->b[1] = b1;
    s->b[2] = b2;
    s->b[3] = b3;
    return w;
#endif
}

/* The same of one pixel, whose inputs lie one behind the other, at least eight of them. */
static inline const int32_t *oribi_micro_quads_sum1(const int8_t *x, const int8_t *end,
                                                    const int32_t *w, int32_t sums[4])
{
#if ORIBI_MICRO_BIASED
    return oribi_micro_v6m_sum4((const uint8_t *)x, (const uint8_t *)end, 4, w, sums);
#else
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    do {
        const int8_t *const bytes = (const int8_t *)w;
        for (int32_t i = 0; i < 8; i++) {
            const int32_t input = x[i];
            s0 += input * bytes[ORIBI_MICRO_BYTE(4 * i)];
            s1 += input * bytes[ORIBI_MICRO_BYTE(4 * i + 1)];
            s2 += input * bytes[ORIBI_MICRO_BYTE(4 * i + 2)];
            s3 += input * bytes[ORIBI_MICRO_BYTE(4 * i + 3)];
            ORIBI_MICRO_NEXT_TAP;
        }
        x += 8;
        w += 8;
    } while (x != end);
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
    return w;
#endif
}

/* --- Results --------------------------------------------------------------------------------- */

/* The results of a quad of which some channel has an unusual scale, a large bias, or bounds inside
 * int8. */
void oribi_micro_quads_general(const struct oribi_micro_lanes_output *output, const int32_t *record,
                               const int32_t *sums, int8_t *to, int32_t count);

static inline int8_t oribi_micro_quads_result(int32_t twice, int32_t multiplier, int32_t rounding,
                                              int32_t shift)
{
#if ORIBI_MICRO_BIASED
    const int32_t product = oribi_micro_v6m_high_product(twice, multiplier);
#else
    const int32_t product = oribi_micro_high_product(twice, multiplier);
#endif
    return (int8_t)oribi_micro_saturate_half_s8((product + (product >> 31) + rounding) >> shift);
}

/* Writes `count` results, four or what is left, of each pixel of two; the second's lie `distance`
 * behind. */
static inline void oribi_micro_quads_store2(const struct oribi_micro_lanes_output *output,
                                            const int32_t *record,
                                            const struct oribi_micro_quads_sums *s, int8_t *to,
                                            int32_t distance, int32_t count)
{
    const int32_t twice_zero = 2 * output->zero + 1;
    int32_t shifts = record[8];
    if (ORIBI_MICRO_HAS_GENERAL && shifts < 0) {
        oribi_micro_quads_general(output, record, s->a, to, count);
        oribi_micro_quads_general(output, record, s->b, to + distance, count);
        return;
    }
    ORIBI_MICRO_SHORT
    for (int32_t i = 0; i < count; i++) {
        const int32_t shift = shifts & 0xff, rounding = oribi_micro_shift_left(twice_zero, shift);
        const int32_t bias = record[i], multiplier = record[4 + i];
        const uint32_t a = (uint32_t)bias + 2U * (uint32_t)s->a[i];
        const uint32_t b = (uint32_t)bias + 2U * (uint32_t)s->b[i];
        to[i] = oribi_micro_quads_result((int32_t)a, multiplier, rounding, shift);
        to[i + distance] = oribi_micro_quads_result((int32_t)b, multiplier, rounding, shift);
        shifts >>= 8;
    }
}

/* The same of one pixel. */
static inline void oribi_micro_quads_store1(const struct oribi_micro_lanes_output *output,
                                            const int32_t *record, const int32_t sums[4],
                                            int8_t *to, int32_t count)
{
    const int32_t twice_zero = 2 * output->zero + 1;
    int32_t shifts = record[8];
    if (ORIBI_MICRO_HAS_GENERAL && shifts < 0) {
        oribi_micro_quads_general(output, record, sums, to, count);
        return;
    }
    ORIBI_MICRO_SHORT
    for (int32_t i = 0; i < count; i++) {
        const int32_t shift = shifts & 0xff;
        const uint32_t twice = (uint32_t)record[i] + 2U * (uint32_t)sums[i];
        to[i] = oribi_micro_quads_result((int32_t)twice, record[4 + i],
                                         oribi_micro_shift_left(twice_zero, shift), shift);
        shifts >>= 8;
    }
}

#endif
