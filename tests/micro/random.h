/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for tests, the same on every machine. */
#ifndef ORIBI_TESTS_MICRO_RANDOM_H_
#define ORIBI_TESTS_MICRO_RANDOM_H_

#include <stdint.h>

/* Of n random layers: in an emulator, where each takes a hundred times as long, a quarter; and how
 * many of those must be of a kind that at least n of all are. */
#if defined(__arm__) || defined(__riscv)
#define SHARE_OF(n) ((n) / 4)
#define LEAST_OF(n) ((n) / 5)
#else
#define SHARE_OF(n) (n)
#define LEAST_OF(n) (n)
#endif

/* In [low, high]. */
static inline int32_t random_in(uint64_t *state, int32_t low, int32_t high)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (int32_t)((*state >> 33) % (uint64_t)((int64_t)high - low + 1));
}

static inline int random_once_in(uint64_t *state, int32_t n)
{
    return random_in(state, 1, n) == 1;
}

static inline void random_bytes(uint64_t *state, int8_t *to, int32_t count, int32_t low,
                                int32_t high)
{
    for (int32_t i = 0; i < count; i++) {
        to[i] = (int8_t)random_in(state, low, high);
    }
}

#endif
