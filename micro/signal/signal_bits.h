/* SPDX-License-Identifier: Apache-2.0 */
/* Small functions of integers that the kernels of signals share. */
#ifndef ORIBI_MICRO_SIGNAL_BITS_H_
#define ORIBI_MICRO_SIGNAL_BITS_H_

#include <stdint.h>

/* How many bits a number has; 0 has none. */
static inline int32_t oribi_micro_signal_bits(uint32_t x)
{
    int32_t n = 0;
    for (uint32_t rest = x; rest != 0U; rest >>= 1) {
        n++;
    }
    return n;
}

static inline int16_t oribi_micro_signal_saturate(int32_t x)
{
    return (int16_t)(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
}

#endif
