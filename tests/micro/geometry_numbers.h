/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for the tests of geometry: small ones, and such as hardly any model has. */
#ifndef ORIBI_TESTS_MICRO_GEOMETRY_NUMBERS_H_
#define ORIBI_TESTS_MICRO_GEOMETRY_NUMBERS_H_

#include <stdint.h>

enum { TIMES = 200000 };
static uint64_t seed = UINT64_C(88172645463325252);

static inline int64_t pick(int64_t low, int64_t high)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (int64_t)(seed % ((uint64_t)high - (uint64_t)low + 1));
}

/* A number that hardly any model has, more often than not. */
static inline int64_t extreme(void)
{
    static const int64_t some[] = {
        INT64_MIN, INT64_MIN + 1, INT32_MIN, -1, 0, 1, INT32_MAX, (int64_t)INT32_MAX + 1,
        INT64_MAX, INT64_MAX - 1, 7,         -3};
    const int64_t which = pick(0, 15);
    return which < 12 ? some[which] : which < 14 ? INT64_C(1) << pick(0, 62) : pick(-20, 20);
}

#endif
