/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels ask of a core with Arm's vectors, MVE (Helium; Cortex-M55, M85): blocks of assembly,
 * each with its twin in plain C for every other machine, which computes the same bits. Those of
 * depthwise convolutions: mve_3x3.h. tests/micro runs the twins on the host and the assembly on an
 * emulated Cortex-M55. ORIBI_MICRO_PLAIN_C chooses the twins everywhere; unoptimised builds, which
 * leave assembly too few registers, have them too.
 *
 * Assembly and not intrinsics, as GCC makes neither loops with a predicated tail of those nor keeps
 * eight sums in registers.
 */
#ifndef ORIBI_MICRO_MVE_H_
#define ORIBI_MICRO_MVE_H_

#include "micro/fixed_point.h"

#if defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE && !defined(ORIBI_MICRO_PLAIN_C) &&            \
    (defined(__GNUC__) || defined(__clang__)) && defined(__OPTIMIZE__)
#define ORIBI_MICRO_MVE __asm__ volatile
#endif

/* Sums are taken of 16 taps at once: taps in scratch are padded to a multiple of so many. */
enum { ORIBI_MICRO_MVE_TAPS = 16 };

/* Four output channels are a group. Its words: four biases; for each 16 taps, those of the first
 * channel, four to a word and the first in the lowest byte, then those of the others, whatever the
 * last 16 lack as zeros; four multipliers; four shifts, to the right and therefore 0 or negative.
 */
enum { ORIBI_MICRO_MVE_GROUP = 4, ORIBI_MICRO_MVE_RECORD = 12 };

struct oribi_micro_mve_output {
    int8_t zero;
    int8_t low, high; /* bounds of the result, activation included */
};

/* The tap's weight of a channel of a group, of the words behind its biases. */
static inline int32_t oribi_micro_mve_weight(const int32_t *words, int32_t channel, int32_t tap)
{
    const int32_t word = words[tap / 16 * 16 + 4 * channel + tap % 16 / 4];
    return (int8_t)(uint8_t)((uint32_t)word >> 8 * (tap % 4) & 0xffU);
}

/* The twin's results of a group from taps of one pixel. Returns the words behind the group's. */
static inline const int32_t *oribi_micro_mve_group(const int8_t *x, int32_t taps, const int32_t *w,
                                                   const struct oribi_micro_mve_output *output,
                                                   int8_t *to)
{
    const int32_t *const record = w + 4 + (taps + 15) / 16 * 16;
    for (int32_t c = 0; c < ORIBI_MICRO_MVE_GROUP; c++) {
        uint32_t sum = (uint32_t)w[c];
        for (int32_t k = 0; k < taps; k++) {
            sum += (uint32_t)(x[k] * oribi_micro_mve_weight(w + 4, c, k));
        }
        const int32_t scaled = oribi_micro_scale((int32_t)sum, record[c], record[4 + c]);
        to[c] = (int8_t)oribi_micro_clamp(scaled + output->zero, output->low, output->high);
    }
    return record + 8;
}

/* Four sums of a vector to their results, before the zero point, by TensorFlow Lite Micro's double
 * rounding: ties go away from zero, so that one less is rounded where a number and its shift are
 * both negative. `more` is lost. */
#define ORIBI_MICRO_MVE_SCALE(sum, multiplier, shift, more)                                        \
    "vqrdmulh.s32 " sum ", " sum ", " multiplier "\n\t" ORIBI_MICRO_MVE_ROUND(sum, shift, more)
#define ORIBI_MICRO_MVE_ROUND(sum, shift, more)                                                    \
    "vand " more ", " sum ", " shift "\n\t"                                                        \
    "vshr.s32 " more ", " more ", #31\n\t"                                                         \
    "vadd.i32 " sum ", " sum ", " more "\n\t"                                                      \
    "vrshl.s32 " sum ", " sum ", " shift "\n\t"
/* Adds the zero point, q5, and bounds by q6 and q7. */
#define ORIBI_MICRO_MVE_BOUND(sum)                                                                 \
    "vadd.i32 " sum ", " sum ", q5\n\t"                                                            \
    "vmax.s32 " sum ", " sum ", q6\n\t"                                                            \
    "vmin.s32 " sum ", " sum ", q7\n\t"

/* Two pixels against groups of output channels. The assembly knows the places of members. */
struct oribi_micro_mve_pixels {
    const int8_t *window; /* the first pixel's taps, a multiple of 16 */
    const int8_t *middle; /* where they end and the second pixel's begin */
    int8_t *to;           /* the first pixel's results; moves on */
    const int8_t *last;   /* where those end: at least one group behind `to` */
    int32_t distance;     /* from the first pixel's results to the second's */
    int32_t zero, low, high;
};

/* Writes the results of the groups at w. Where the second pixel's lie upon the first's those
 * remain. Returns w moved on. */
static inline const int32_t *oribi_micro_mve_groups(struct oribi_micro_mve_pixels *pixels,
                                                    const int32_t *w)
{
#ifdef ORIBI_MICRO_MVE
    /* Sums take the even registers, as they must, and leave few others. */
    const int8_t *x, *y;
    ORIBI_MICRO_MVE("ldr r0, [%[k], #20]\n\t"
                    "ldr r2, [%[k], #24]\n\t"
                    "ldr r4, [%[k], #28]\n\t"
                    "vdup.32 q5, r0\n\t"
                    "vdup.32 q6, r2\n\t"
                    "vdup.32 q7, r4\n"
                    "1:\n\t"
                    "ldmia %[w], {r8, r10, r12, lr}\n\t"
                    "ldmia %[w]!, {r0, r2, r4, r6}\n\t"
                    "ldr %[x], [%[k]]\n\t"
                    "mov %[y], %[middle]\n"
                    "2:\n\t"
                    "vldrb.u8 q0, [%[x]], #16\n\t"
                    "vldrw.u32 q2, [%[w]], #64\n\t"
                    "vmladava.s8 r0, q0, q2\n\t"
                    "vldrb.u8 q1, [%[y]], #16\n\t"
                    "vmladava.s8 r8, q1, q2\n\t"
                    "vldrw.u32 q3, [%[w], #-48]\n\t"
                    "vmladava.s8 r2, q0, q3\n\t"
                    "vldrw.u32 q2, [%[w], #-32]\n\t"
                    "vmladava.s8 r10, q1, q3\n\t"
                    "vmladava.s8 r4, q0, q2\n\t"
                    "vldrw.u32 q3, [%[w], #-16]\n\t"
                    "vmladava.s8 r12, q1, q2\n\t"
                    "vmladava.s8 r6, q0, q3\n\t"
                    "cmp %[x], %[middle]\n\t"
                    "vmladava.s8 lr, q1, q3\n\t"
                    "bne 2b\n\t"
                    "vmov q0[2], q0[0], r0, r4\n\t"
                    "vldrw.u32 q2, [%[w]], #32\n\t"
                    "vmov q0[3], q0[1], r2, r6\n\t"
                    "vldrw.u32 q3, [%[w], #-16]\n\t"
                    "vmov q1[2], q1[0], r8, r12\n\t"
                    "vmov q1[3], q1[1], r10, lr\n\t"
                    "ldrd r0, r2, [%[k], #8]\n\t"
                    "ldr r4, [%[k], #16]\n\t"
                    "vqrdmulh.s32 q0, q0, q2\n\t"
                    "vqrdmulh.s32 q1, q1, q2\n\t"
                    "add r4, r4, r0\n\t" ORIBI_MICRO_MVE_ROUND("q0", "q3", "q2")
                        ORIBI_MICRO_MVE_ROUND("q1", "q3", "q2") ORIBI_MICRO_MVE_BOUND("q0")
                            ORIBI_MICRO_MVE_BOUND("q1") "vstrb.32 q1, [r4]\n\t"
                                                        "vstrb.32 q0, [r0], #4\n\t"
                                                        "str r0, [%[k], #8]\n\t"
                                                        "cmp r0, r2\n\t"
                                                        "bne 1b"
                    : [w] "+&r"(w), [x] "=&r"(x), [y] "=&r"(y)
                    : [middle] "r"(pixels->middle), [k] "r"(pixels)
                    : "r0", "r2", "r4", "r6", "r8", "r10", "r12", "lr", "q0", "q1", "q2", "q3",
                      "q5", "q6", "q7", "cc", "memory");
#else
    const struct oribi_micro_mve_output output = {(int8_t)pixels->zero, (int8_t)pixels->low,
                                                  (int8_t)pixels->high};
    const int32_t taps = (int32_t)(pixels->middle - pixels->window);
    for (; pixels->to != pixels->last; pixels->to += ORIBI_MICRO_MVE_GROUP) {
        (void)oribi_micro_mve_group(pixels->middle, taps, w, &output,
                                    pixels->to + pixels->distance);
        w = oribi_micro_mve_group(pixels->window, taps, w, &output, pixels->to);
    }
#endif
    return w;
}

/* Results of groups from `to` on, at least one, until `last`, of one pixel, whose taps are any
 * number, at least one, and need no padding. Returns w moved on. */
static inline const int32_t *oribi_micro_mve_groups1(const int8_t *from, int32_t taps,
                                                     const int32_t *w,
                                                     const struct oribi_micro_mve_output *output,
                                                     int8_t *to, const int8_t *last)
{
#ifdef ORIBI_MICRO_MVE
    const int32_t bounds[3] = {output->zero, output->low, output->high};
    const int8_t *x;
    ORIBI_MICRO_MVE("ldrd r0, r2, [%[bounds]]\n\t"
                    "ldr r4, [%[bounds], #8]\n\t"
                    "vdup.32 q5, r0\n\t"
                    "vdup.32 q6, r2\n\t"
                    "vdup.32 q7, r4\n"
                    "1:\n\t"
                    "ldmia %[w]!, {r0, r2, r4, r6}\n\t"
                    "mov %[x], %[from]\n\t"
                    "dlstp.8 lr, %[taps]\n"
                    "2:\n\t"
                    "vldrb.u8 q0, [%[x]], #16\n\t"
                    "vldrw.u32 q1, [%[w]], #64\n\t"
                    "vmladava.s8 r0, q0, q1\n\t"
                    "vldrw.u32 q2, [%[w], #-48]\n\t"
                    "vmladava.s8 r2, q0, q2\n\t"
                    "vldrw.u32 q1, [%[w], #-32]\n\t"
                    "vmladava.s8 r4, q0, q1\n\t"
                    "vldrw.u32 q2, [%[w], #-16]\n\t"
                    "vmladava.s8 r6, q0, q2\n\t"
                    "letp lr, 2b\n\t"
                    "vmov q0[2], q0[0], r0, r4\n\t"
                    "vldrw.u32 q2, [%[w]], #32\n\t"
                    "vmov q0[3], q0[1], r2, r6\n\t"
                    "vldrw.u32 q3, [%[w], #-16]\n\t" ORIBI_MICRO_MVE_SCALE("q0", "q2", "q3", "q1")
                        ORIBI_MICRO_MVE_BOUND("q0") "vstrb.32 q0, [%[to]], #4\n\t"
                                                    "cmp %[to], %[last]\n\t"
                                                    "bne 1b"
                    : [w] "+&r"(w), [to] "+&l"(to), [x] "=&r"(x)
                    : [from] "r"(from), [taps] "r"(taps), [last] "r"(last), [bounds] "r"(bounds)
                    : "r0", "r2", "r4", "r6", "lr", "q0", "q1", "q2", "q3", "q5", "q6", "q7", "cc",
                      "memory");
#else
    for (; to != last; to += ORIBI_MICRO_MVE_GROUP) {
        w = oribi_micro_mve_group(from, taps, w, output, to);
    }
#endif
    return w;
}

/* Copies `rows` runs of `bytes` each, at least one, `step` bytes apart, to where they follow each
 * other. Returns to moved on. */
static inline int8_t *oribi_micro_mve_gather(const int8_t *from, int32_t step, int32_t rows,
                                             int32_t bytes, int8_t *to)
{
#ifdef ORIBI_MICRO_MVE
    const int32_t passed = (bytes + 15) / 16 * 16;
    ORIBI_MICRO_MVE("1:\n\t"
                    "wlstp.8 lr, %[bytes], 3f\n"
                    "2:\n\t"
                    "vldrb.u8 q0, [%[from]], #16\n\t"
                    "vstrb.8 q0, [%[to]], #16\n\t"
                    "letp lr, 2b\n"
                    "3:\n\t"
                    "add %[from], %[from], %[skip]\n\t"
                    "subs %[rows], %[rows], #1\n\t"
                    "add %[to], %[to], %[back]\n\t"
                    "bne 1b"
                    : [from] "+&r"(from), [to] "+&r"(to), [rows] "+&r"(rows)
                    : [bytes] "r"(bytes), [skip] "r"(step - passed), [back] "r"(bytes - passed)
                    : "lr", "q0", "cc", "memory");
#else
    for (; rows > 0; rows--) {
        for (int32_t i = 0; i < bytes; i++) {
            to[i] = from[i];
        }
        from += step;
        to += bytes;
    }
#endif
    return to;
}

/* Writes so many bytes of a value. Returns to moved on. */
static inline int8_t *oribi_micro_mve_fill(int32_t value, int32_t bytes, int8_t *to)
{
#ifdef ORIBI_MICRO_MVE
    int8_t *at = to;
    ORIBI_MICRO_MVE("vdup.8 q0, %[value]\n\t"
                    "wlstp.8 lr, %[bytes], 2f\n"
                    "1:\n\t"
                    "vstrb.8 q0, [%[at]], #16\n\t"
                    "letp lr, 1b\n"
                    "2:"
                    : [at] "+&r"(at)
                    : [value] "r"(value), [bytes] "r"(bytes)
                    : "lr", "q0", "cc", "memory");
#else
    for (int32_t i = 0; i < bytes; i++) {
        to[i] = (int8_t)value;
    }
#endif
    return to + bytes;
}

#endif
