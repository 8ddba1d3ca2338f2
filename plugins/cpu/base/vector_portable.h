/* SPDX-License-Identifier: Apache-2.0 */
/* One vector of floats, 4 lanes, in plain C: compilers turn these loops into what the processor
 * has. As the template depthwise_tile.inc asks for it.
 */
#ifndef ORIBI_PLUGINS_CPU_VECTOR_PORTABLE_H_
#define ORIBI_PLUGINS_CPU_VECTOR_PORTABLE_H_

#include <stdint.h>

enum { LANES = 4 };
typedef struct vector {
    float lanes[LANES];
} vector;
typedef int32_t vector_mask; /* lanes that count */

static inline vector_mask vector_mask_of(int32_t n)
{
    return n < LANES ? n : LANES;
}

static inline vector vector_load(const float *from)
{
    vector out;
    for (int i = 0; i < LANES; i++) {
        out.lanes[i] = from[i];
    }
    return out;
}

static inline vector vector_load_part(vector_mask mask, const float *from)
{
    vector out = {{0.0f}};
    if (mask == LANES) {
        return vector_load(from);
    }
    for (int i = 0; i < mask; i++) {
        out.lanes[i] = from[i];
    }
    return out;
}

static inline void vector_store_part(float *to, vector_mask mask, vector value)
{
    for (int i = 0; i < mask; i++) {
        to[i] = value.lanes[i];
    }
}

/* At any address. */
static inline vector vector_load_loose(const float *from)
{
    return vector_load(from);
}

static inline void vector_store(float *to, vector value)
{
    for (int i = 0; i < LANES; i++) {
        to[i] = value.lanes[i];
    }
}

static inline vector vector_splat(float value)
{
    vector out;
    for (int i = 0; i < LANES; i++) {
        out.lanes[i] = value;
    }
    return out;
}

static inline vector vector_multiply_add(vector a, vector b, vector sum)
{
    for (int i = 0; i < LANES; i++) {
        sum.lanes[i] += a.lanes[i] * b.lanes[i];
    }
    return sum;
}

static inline vector vector_add(vector a, vector b)
{
    for (int i = 0; i < LANES; i++) {
        a.lanes[i] += b.lanes[i];
    }
    return a;
}

/* A NaN comes through. */
static inline vector vector_bound(vector low, vector high, vector sum)
{
    for (int i = 0; i < LANES; i++) {
        sum.lanes[i] = sum.lanes[i] < low.lanes[i] ? low.lanes[i] : sum.lanes[i];
        sum.lanes[i] = sum.lanes[i] > high.lanes[i] ? high.lanes[i] : sum.lanes[i];
    }
    return sum;
}

#endif
