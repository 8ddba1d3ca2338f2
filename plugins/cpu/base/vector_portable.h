/* SPDX-License-Identifier: Apache-2.0 */
/* One vector of floats, 4 lanes, of the vectors that GCC and Clang have for every processor. As the
 * template depthwise_tile.inc asks for it.
 */
#ifndef ORIBI_PLUGINS_CPU_VECTOR_PORTABLE_H_
#define ORIBI_PLUGINS_CPU_VECTOR_PORTABLE_H_

#include <stdint.h>
#include <string.h>

enum { LANES = 4 };
typedef float vector __attribute__((vector_size(16)));
typedef int32_t vector_mask; /* lanes that count */

static inline vector_mask vector_mask_of(int32_t n)
{
    return n < LANES ? n : LANES;
}

static inline vector vector_load(const float *from)
{
    vector out;
    memcpy(&out, from, sizeof out);
    return out;
}

static inline vector vector_load_part(vector_mask mask, const float *from)
{
    vector out = {0.0f};
    if (mask == LANES) {
        return vector_load(from);
    }
    for (int i = 0; i < mask; i++) {
        out[i] = from[i];
    }
    return out;
}

static inline void vector_store_part(float *to, vector_mask mask, vector value)
{
    for (int i = 0; i < mask; i++) {
        to[i] = value[i];
    }
}

/* At any address. */
static inline vector vector_load_loose(const float *from)
{
    return vector_load(from);
}

static inline void vector_store(float *to, vector value)
{
    memcpy(to, &value, sizeof value);
}

static inline vector vector_splat(float value)
{
    return (vector){value, value, value, value};
}

static inline vector vector_multiply_add(vector a, vector b, vector sum)
{
    return sum + a * b;
}

static inline vector vector_add(vector a, vector b)
{
    return a + b;
}

typedef int32_t vector_bits __attribute__((vector_size(16)));

/* a where the bits are set, b elsewhere. */
static inline vector vector_choose(vector_bits where, vector a, vector b)
{
    return (vector)(((vector_bits)a & where) | ((vector_bits)b & ~where));
}

/* A NaN comes through. */
static inline vector vector_bound(vector low, vector high, vector sum)
{
    sum = vector_choose(sum < low, low, sum);
    return vector_choose(sum > high, high, sum);
}

#endif
