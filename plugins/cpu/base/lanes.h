/* SPDX-License-Identifier: Apache-2.0 */
/* A register of floats as compilers' vectors: the largest and the sum of its lanes. For files that
 * are compiled for one ISA and define WIDTH, the floats of its registers: gcc keeps wider vectors
 * in memory.
 */
#ifndef ORIBI_PLUGINS_CPU_LANES_H_
#define ORIBI_PLUGINS_CPU_LANES_H_

#include <stdint.h>

typedef float lanes __attribute__((vector_size(WIDTH * 4), aligned(4), may_alias));
typedef int32_t lane_bits __attribute__((vector_size(WIDTH * 4)));

/* NaN in b is passed over. */
static inline lanes larger_of(lanes a, lanes b)
{
    const lane_bits mask = b > a;
    return (lanes)(((lane_bits)b & mask) | ((lane_bits)a & ~mask));
}

static inline float largest_in(lanes a)
{
    float result = a[0];
    for (int k = 1; k < WIDTH; k++) {
        result = a[k] > result ? a[k] : result;
    }
    return result;
}

static inline float sum_in(lanes a)
{
    float sums[WIDTH];
    __builtin_memcpy(sums, &a, sizeof sums);
    for (int n = WIDTH / 2; n > 0; n /= 2) {
        for (int k = 0; k < n; k++) {
            sums[k] += sums[k + n];
        }
    }
    return sums[0];
}

/* Lane i: the sum of a[i], made as by sum_in. A step of s adds to each lane the one that is s away,
 * and keeps of two registers the lanes without s of one and those with s of the other: half as many
 * registers are left. */
#define KEPT(lane, s)  ((lane) & (s) ? WIDTH + (lane) : (lane))
#define OTHER(lane, s) ((lane) & (s) ? WIDTH + ((lane) ^ (s)) : (lane) ^ (s))
#define FOUR(f, i, s)  f(i, s), f((i) + 1, s), f((i) + 2, s), f((i) + 3, s)
#define EIGHT(f, i, s) FOUR(f, i, s), FOUR(f, (i) + 4, s)
#if WIDTH == 16
#define EACH(f, s) EIGHT(f, 0, s), EIGHT(f, 8, s)
#elif WIDTH == 8
#define EACH(f, s) EIGHT(f, 0, s)
#else
#define EACH(f, s) FOUR(f, 0, s)
#endif
#define HALVE(a, s)                                                                                \
    for (int i = 0; i < (s); i++) {                                                                \
        (a)[i] = __builtin_shufflevector((a)[i], (a)[i + (s)], EACH(KEPT, s)) +                    \
                 __builtin_shufflevector((a)[i], (a)[i + (s)], EACH(OTHER, s));                    \
    }
static inline __attribute__((always_inline)) lanes sums_in(lanes a[WIDTH])
{
#if WIDTH > 8
    HALVE(a, 8)
#endif
#if WIDTH > 4
    HALVE(a, 4)
#endif
    HALVE(a, 2)
    HALVE(a, 1)
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
