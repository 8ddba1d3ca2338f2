/* SPDX-License-Identifier: Apache-2.0 */
/* A register of floats as compilers' vectors: the largest and the sum of its lanes. For files that
 * are compiled for one ISA and define WIDTH, the floats of its registers: gcc keeps wider vectors
 * in memory.
 */
#ifndef ORIBI_PLUGINS_CPU_LANES_H_
#define ORIBI_PLUGINS_CPU_LANES_H_

#include "cpu/base/unrolled.h"

#include <stdint.h>

typedef float lanes __attribute__((vector_size(WIDTH * 4), aligned(4), may_alias));
typedef int32_t lane_bits __attribute__((vector_size(WIDTH * 4)));

/* NaN in b is passed over. */
static inline lanes larger_of(lanes a, lanes b)
{
    const lane_bits mask = b > a;
    return (lanes)(((lane_bits)b & mask) | ((lane_bits)a & ~mask));
}

/* What a lane is of two registers: the lanes without s of one and those with s of the other; or
 * those that are s away from them. */
#define KEPT(lane, s)  ((lane) & (s) ? WIDTH + (lane) : (lane))
#define OTHER(lane, s) ((lane) & (s) ? WIDTH + ((lane) ^ (s)) : (lane) ^ (s))
#define AWAY(lane, s)  ((lane) ^ (s))
#define FOUR(f, i, s)  f(i, s), f((i) + 1, s), f((i) + 2, s), f((i) + 3, s)
#define EIGHT(f, i, s) FOUR(f, i, s), FOUR(f, (i) + 4, s)
#if WIDTH == 16
#define EACH(f, s)      EIGHT(f, 0, s), EIGHT(f, 8, s)
#define EACH_HALF(step) step(8) step(4) step(2) step(1)
#elif WIDTH == 8
#define EACH(f, s)      EIGHT(f, 0, s)
#define EACH_HALF(step) step(4) step(2) step(1)
#else
#define EACH(f, s)      FOUR(f, 0, s)
#define EACH_HALF(step) step(2) step(1)
#endif

/* Of numbers that are not NaN. */
static inline float largest_in(lanes a)
{
#define LARGER(s) a = larger_of(a, SHUFFLED(lane_bits, a, a, EACH(AWAY, s)));
    EACH_HALF(LARGER)
#undef LARGER
    return a[0];
}

static inline float sum_in(lanes a)
{
#define ADD(s) a += SHUFFLED(lane_bits, a, a, EACH(AWAY, s));
    EACH_HALF(ADD)
#undef ADD
    return a[0];
}

/* Lane i: the sum of a[i], made as by sum_in. Each step leaves half as many registers. */
static inline __attribute__((always_inline)) lanes sums_in(lanes a[WIDTH])
{
#define HALVE(s)                                                                                   \
    for (int i = 0; i < (s); i++) {                                                                \
        a[i] = SHUFFLED(lane_bits, a[i], a[i + (s)], EACH(KEPT, s)) +                              \
               SHUFFLED(lane_bits, a[i], a[i + (s)], EACH(OTHER, s));                              \
    }
    EACH_HALF(HALVE)
#undef HALVE
    return a[0];
}

/* Of n floats. Four chains, so that a step need not wait for the one before. */
static inline float sum_of(const float *x, int64_t n)
{
    lanes a = {0.0f}, b = a, c = a, d = a;
    int64_t i = 0;
    for (; i + 4 * WIDTH <= n; i += 4 * WIDTH) {
        a += *(const lanes *)(x + i);
        b += *(const lanes *)(x + i + WIDTH);
        c += *(const lanes *)(x + i + 2 * WIDTH);
        d += *(const lanes *)(x + i + 3 * WIDTH);
    }
    for (; i + WIDTH <= n; i += WIDTH) {
        a += *(const lanes *)(x + i);
    }
    float result = sum_in((a + b) + (c + d));
    for (; i < n; i++) {
        result += x[i];
    }
    return result;
}

#endif
