/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of 3x3 depthwise convolutions for cores with MVE, in assembly and in plain C: see mve.h.
 *
 * Eight channels are a block: products of int8 are int16, two of them still are as no weight is
 * -128, and these sums of two are widened to 32 bits, channels 0, 2, 4 and 6 apart from the others.
 * The words of a block: biases of channels 0, 2, 4, 6, 1, 3, 5 and 7; the nine weights of each
 * channel, as bytes, channel behind channel and tap behind tap, row by row; multipliers in the
 * order of biases; shifts likewise, to the right and therefore 0 or negative.
 */
#ifndef ORIBI_MICRO_MVE_3X3_H_
#define ORIBI_MICRO_MVE_3X3_H_

#include "micro/mve/mve.h"

enum {
    ORIBI_MICRO_MVE_BLOCK = 8,  /* channels */
    ORIBI_MICRO_MVE_BIASES = 8, /* words before the weights */
    ORIBI_MICRO_MVE_WEIGHTS = 18,
    ORIBI_MICRO_MVE_BLOCK_WORDS = 42
};

/* A row of windows: eight bytes of each column of three rows, one behind the other. */
struct oribi_micro_mve_3x3 {
    const int8_t *rows[3];
    int32_t to_step;       /* from a result to the next */
    const int32_t *bounds; /* oribi_micro_mve_bounds */
};

/* The zero point, the lower bound and the upper bound, eight times each, as int16. */
enum { ORIBI_MICRO_MVE_BOUNDS = 12 };
static inline void oribi_micro_mve_bounds(const struct oribi_micro_mve_output *output,
                                          int32_t bounds[ORIBI_MICRO_MVE_BOUNDS])
{
    for (int32_t i = 0; i < ORIBI_MICRO_MVE_BOUNDS; i++) {
        const int32_t value = i < 4 ? output->zero : i < 8 ? output->low : output->high;
        bounds[i] = (int32_t)(((uint32_t)value & 0xffffU) | (uint32_t)value << 16);
    }
}

/* The twin's eight results of the window at columns x of its rows. */
static inline void oribi_micro_mve_window(const struct oribi_micro_mve_3x3 *k, int32_t column,
                                          const int32_t *w, int8_t *to)
{
    const int32_t *const record = w + ORIBI_MICRO_MVE_BIASES + ORIBI_MICRO_MVE_WEIGHTS;
    for (int32_t c = 0; c < ORIBI_MICRO_MVE_BLOCK; c++) {
        const int32_t at = c % 2 * 4 + c / 2;
        uint32_t sum = (uint32_t)w[at];
        for (int32_t tap = 0; tap < 9; tap++) {
            const int32_t byte = ORIBI_MICRO_MVE_BLOCK * tap + c;
            const uint32_t word = (uint32_t)w[ORIBI_MICRO_MVE_BIASES + byte / 4];
            const int32_t weight = (int8_t)(uint8_t)(word >> 8 * (byte % 4) & 0xffU);
            sum += (uint32_t)(k->rows[tap / 3][ORIBI_MICRO_MVE_BLOCK * (column + tap % 3) + c] *
                              weight);
        }
        const int32_t scaled = oribi_micro_scale((int32_t)sum, record[at], record[8 + at]);
        to[c] = (int8_t)oribi_micro_clamp(scaled + (k->bounds[0] >> 16), k->bounds[4] >> 16,
                                          k->bounds[8] >> 16);
    }
}

#ifdef ORIBI_MICRO_MVE
/* Two taps, whose weights are in q2 and q3, of one window: a of row x, b of row y. */
#define ORIBI_MICRO_MVE_TWO(x, a, y, b, even, odd)                                                 \
    "vldrb.s16 q0, [%[" x "], #" a "]\n\t"                                                         \
    "vldrb.s16 q1, [%[" y "], #" b "]\n\t"                                                         \
    "vmul.i16 q0, q0, q2\n\t"                                                                      \
    "vmul.i16 q1, q1, q3\n\t"                                                                      \
    "vadd.i16 q0, q0, q1\n\t"                                                                      \
    "vmovlb.s16 q1, q0\n\t"                                                                        \
    "vmovlt.s16 q0, q0\n\t"                                                                        \
    "vadd.i32 " even ", " even ", q1\n\t"                                                          \
    "vadd.i32 " odd ", " odd ", q0\n\t"
/* The last tap. */
#define ORIBI_MICRO_MVE_ONE(x, a, even, odd)                                                       \
    "vldrb.s16 q0, [%[" x "], #" a "]\n\t"                                                         \
    "vmullb.s16 q1, q0, q2\n\t"                                                                    \
    "vmullt.s16 q0, q0, q2\n\t"                                                                    \
    "vadd.i32 " even ", " even ", q1\n\t"                                                          \
    "vadd.i32 " odd ", " odd ", q0\n\t"
#define ORIBI_MICRO_MVE_TAPS2(v, w)                                                                \
    "vldrb.s16 q2, [%[w], #" v "]\n\t"                                                             \
    "vldrb.s16 q3, [%[w], #" w "]\n\t"
/* Two windows, the second's columns at d, e, f and the first's at 0, 8, 16. */
#define ORIBI_MICRO_MVE_WINDOWS(d, e, f)                                                           \
    ORIBI_MICRO_MVE_TAPS2("0", "8")                                                                \
    ORIBI_MICRO_MVE_TWO("x0", "0", "x0", "8", "q4", "q5")                                          \
    ORIBI_MICRO_MVE_TWO("x0", d, "x0", e, "q6", "q7")                                              \
    ORIBI_MICRO_MVE_TAPS2("16", "24")                                                              \
    ORIBI_MICRO_MVE_TWO("x0", "16", "x1", "0", "q4", "q5")                                         \
    ORIBI_MICRO_MVE_TWO("x0", f, "x1", d, "q6", "q7")                                              \
    ORIBI_MICRO_MVE_TAPS2("32", "40")                                                              \
    ORIBI_MICRO_MVE_TWO("x1", "8", "x1", "16", "q4", "q5")                                         \
    ORIBI_MICRO_MVE_TWO("x1", e, "x1", f, "q6", "q7")                                              \
    ORIBI_MICRO_MVE_TAPS2("48", "56")                                                              \
    ORIBI_MICRO_MVE_TWO("x2", "0", "x2", "8", "q4", "q5")                                          \
    ORIBI_MICRO_MVE_TWO("x2", d, "x2", e, "q6", "q7")                                              \
    "vldrb.s16 q2, [%[w], #64]\n\t" ORIBI_MICRO_MVE_ONE("x2", "16", "q4", "q5")                    \
        ORIBI_MICRO_MVE_ONE("x2", f, "q6", "q7")
/* From the sums of both to their results, by the words behind the weights. */
#define ORIBI_MICRO_MVE_RESULTS                                                                    \
    "vldrw.u32 q0, [%[w], #72]\n\t"                                                                \
    "vldrw.u32 q1, [%[w], #104]\n\t" ORIBI_MICRO_MVE_SCALE("q4", "q0", "q1", "q2")                 \
        ORIBI_MICRO_MVE_SCALE(                                                                     \
            "q6", "q0", "q1",                                                                      \
            "q3") "vldrw.u32 q0, [%[w], #88]\n\t"                                                  \
                  "vldrw.u32 q1, [%[w], #120]\n\t" ORIBI_MICRO_MVE_SCALE("q5", "q0", "q1", "q2")   \
                      ORIBI_MICRO_MVE_SCALE("q7", "q0", "q1",                                      \
                                            "q3") "vldrw.u32 q0, [%[bounds]]\n\t"                  \
                                                  "vqmovnb.s32 q4, q4\n\t"                         \
                                                  "vqmovnb.s32 q6, q6\n\t"                         \
                                                  "vqmovnt.s32 q4, q5\n\t"                         \
                                                  "vqmovnt.s32 q6, q7\n\t"                         \
                                                  "vldrw.u32 q1, [%[bounds], #16]\n\t"             \
                                                  "vqadd.s16 q4, q4, q0\n\t"                       \
                                                  "vqadd.s16 q6, q6, q0\n\t"                       \
                                                  "vldrw.u32 q2, [%[bounds], #32]\n\t"             \
                                                  "vmax.s16 q4, q4, q1\n\t"                        \
                                                  "vmax.s16 q6, q6, q1\n\t"                        \
                                                  "vmin.s16 q4, q4, q2\n\t"                        \
                                                  "vmin.s16 q6, q6, q2\n\t"
/* `pairs` times two windows, of columns a, b, c and d, e, f, from which the next ones are `next`
 * bytes on. */
#define ORIBI_MICRO_MVE_PAIRS(d, e, f, next)                                                       \
    ORIBI_MICRO_MVE(                                                                               \
        "dls lr, %[pairs]\n"                                                                       \
        "1:\n\t"                                                                                   \
        "vldrw.u32 q4, [%[w], #-32]\n\t"                                                           \
        "vldrw.u32 q5, [%[w], #-16]\n\t"                                                           \
        "vldrw.u32 q6, [%[w], #-32]\n\t"                                                           \
        "vldrw.u32 q7, [%[w], #-16]\n\t" ORIBI_MICRO_MVE_WINDOWS(d, e, f) ORIBI_MICRO_MVE_RESULTS  \
        "adds %[x0], #" next "\n\t"                                                                \
        "adds %[x1], #" next "\n\t"                                                                \
        "adds %[x2], #" next "\n\t"                                                                \
        "add %[other], %[to], %[step]\n\t"                                                         \
        "vstrb.16 q6, [%[other]]\n\t"                                                              \
        "vstrb.16 q4, [%[to]]\n\t"                                                                 \
        "add %[to], %[other], %[step]\n\t"                                                         \
        "le lr, 1b"                                                                                \
        : [x0] "+&l"(x0), [x1] "+&l"(x1), [x2] "+&l"(x2), [to] "+&l"(at), [other] "=&l"(other)     \
        : [w] "l"(weights), [pairs] "r"(pairs), [step] "r"(k->to_step), [bounds] "r"(k->bounds)    \
        : "lr", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "cc", "memory")
#endif

/* Twice `pairs` windows, at least one pair, `stride` columns apart, 1 or 2. With a to_step of 0 a
 * pair's second result does not remain. */
static inline void oribi_micro_mve_windows(const struct oribi_micro_mve_3x3 *k, int32_t pairs,
                                           int32_t stride, const int32_t *w, int8_t *to)
{
#ifdef ORIBI_MICRO_MVE
    /* Such loads and stores take low registers, which compilers give to others first. */
    register const int8_t *x0 __asm__("r0") = k->rows[0];
    register const int8_t *x1 __asm__("r1") = k->rows[1];
    register const int8_t *x2 __asm__("r2") = k->rows[2];
    register const int32_t *weights __asm__("r3") = w + ORIBI_MICRO_MVE_BIASES;
    register int8_t *at __asm__("r4") = to;
    register int8_t *other __asm__("r5");
    if (stride == 1) {
        ORIBI_MICRO_MVE_PAIRS("8", "16", "24", "16");
    } else {
        ORIBI_MICRO_MVE_PAIRS("16", "24", "32", "32");
    }
#else
    for (int32_t i = 0; i < pairs; i++) {
        oribi_micro_mve_window(k, (2 * i + 1) * stride, w, to + k->to_step);
        oribi_micro_mve_window(k, 2 * i * stride, w, to);
        to += 2 * k->to_step;
    }
#endif
}

/* Copies eight bytes of each of `count` columns, at least one, `step` bytes apart, to where they
 * follow each other. */
static inline void oribi_micro_mve_columns(const int8_t *from, int32_t step, int32_t count,
                                           int8_t *to)
{
#ifdef ORIBI_MICRO_MVE
    ORIBI_MICRO_MVE("dls lr, %[count]\n"
                    "1:\n\t"
                    "vldrb.u16 q0, [%[from]]\n\t"
                    "add %[from], %[from], %[step]\n\t"
                    "vstrb.16 q0, [%[to]], #8\n\t"
                    "le lr, 1b"
                    : [from] "+&l"(from), [to] "+&l"(to)
                    : [step] "r"(step), [count] "r"(count)
                    : "lr", "q0", "memory");
#else
    for (; count > 0; count--) {
        for (int32_t c = 0; c < ORIBI_MICRO_MVE_BLOCK; c++) {
            to[c] = from[c];
        }
        from += step;
        to += ORIBI_MICRO_MVE_BLOCK;
    }
#endif
}

#endif
