/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of cells.h; the including file is compiled for one ISA and defines ORIBI_ISA
 * (cpu/base/isa.h). Included once in each.
 */
#include "cpu/base/isa.h"
#include "cpu/base/vector_math.h"
#include "cpu/elementwise/elementwise.h"
#include "cpu/recurrent/cells.h"

#include "micro/recurrent/recurrent_f32.h"

static void clip(float limit, float *x, int64_t n)
{
    ORIBI_CPU_NO_ALIAS
    for (int64_t i = 0; i < n; i++) {
        const float v = x[i] < -limit ? -limit : x[i];
        x[i] = v > limit ? limit : v;
    }
}

#define CASE(code, expr)                                                                           \
    case ORIBI_MICRO_GATE_##code:                                                                  \
        ORIBI_CPU_NO_ALIAS                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const float v = x[i];                                                                  \
            x[i] = (expr);                                                                         \
        }                                                                                          \
        break;

static inline float bounded(float v)
{
    v = v < 0.0f ? 0.0f : v;
    return v > 1.0f ? 1.0f : v;
}

static void apply(const oribi_cells_function *function, float *x, int64_t n)
{
    const float alpha = function->alpha, beta = function->beta;
    switch (function->code) {
        CASE(SIGMOID, vector_sigmoid(v))
        CASE(TANH, vector_tanh(v))
        CASE(RELU, v < 0.0f ? 0.0f : v)
        CASE(AFFINE, alpha * v + beta)
        CASE(LEAKY_RELU, pick(v < 0.0f, alpha * v, v))
        CASE(THRESHOLDED_RELU, v <= alpha ? 0.0f : v)
        CASE(SCALED_TANH, alpha * vector_tanh(beta * v))
        CASE(HARD_SIGMOID, bounded(alpha * v + beta))
        CASE(ELU, alpha * vector_expm1_negative(pick(v > 0.0f, 0.0f, v)) + pick(v > 0.0f, v, 0.0f))
        CASE(SOFTSIGN, v / (1.0f + __builtin_fabsf(v)))
    default:
        CASE(SOFTPLUS, vector_softplus(v))
    }
}

static void add_product(const float *a, const float *b, float *y, int64_t n)
{
    ORIBI_CPU_NO_ALIAS
    for (int64_t i = 0; i < n; i++) {
        y[i] += a[i] * b[i];
    }
}

static void multiply(const float *a, float *y, int64_t n)
{
    ORIBI_CPU_NO_ALIAS
    for (int64_t i = 0; i < n; i++) {
        y[i] *= a[i];
    }
}

static void blend(const float *keep, const float *take, const float *x, float *y, int64_t n)
{
    if (keep == NULL) {
        ORIBI_CPU_NO_ALIAS
        for (int64_t i = 0; i < n; i++) {
            y[i] = (1.0f - take[i]) * y[i] + take[i] * x[i];
        }
        return;
    }
    ORIBI_CPU_NO_ALIAS
    for (int64_t i = 0; i < n; i++) {
        y[i] = keep[i] * y[i] + take[i] * x[i];
    }
}

static inline float nearest(float x)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    return x + magic - magic;
}

typedef struct places {
    float scale, zero;
} places;

static places places_of(const float *x, int64_t n)
{
    float low = 0.0f, high = 0.0f;
    for (int64_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    const float scale = low < high ? (high - low) / 255.0f : 1.0f;
    return (places){scale, nearest(-low / scale)};
}

static inline float place_of(const places *range, float x)
{
    float place = x / range->scale;
    place = place < -256.0f ? -256.0f : place;
    place = place > 256.0f ? 256.0f : place;
    place = nearest(place) + range->zero;
    place = place < 0.0f ? 0.0f : place;
    return place > 255.0f ? 255.0f : place;
}

static void round_values(const float *x, float *y, int64_t n)
{
    const places range = places_of(x, n);
    ORIBI_CPU_NO_ALIAS
    for (int64_t i = 0; i < n; i++) {
        y[i] = (place_of(&range, x[i]) - range.zero) * range.scale;
    }
}

static void place_values(const float *x, uint8_t *y, int64_t n, float *out_scale, int32_t *out_zero)
{
    const places range = places_of(x, n);
    ORIBI_CPU_NO_ALIAS
    for (int64_t i = 0; i < n; i++) {
        const float place = place_of(&range, x[i]);
        y[i] = (uint8_t)(int32_t)(place > 0.0f ? place : 0.0f); /* NaN has no place */
    }
    *out_scale = range.scale;
    *out_zero = (int32_t)(range.zero > 0.0f ? range.zero : 0.0f);
}

#define CELLS_OF_(set) oribi_cells_##set
#define CELLS_OF(set)  CELLS_OF_(set)
const oribi_cells CELLS_OF(ORIBI_ISA) = {clip,  apply,        add_product, multiply,
                                         blend, round_values, place_values};
