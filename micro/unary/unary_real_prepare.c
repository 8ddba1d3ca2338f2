/* SPDX-License-Identifier: Apache-2.0 */
/* The functions, and what stands at 513 places of them. */
#include "micro/unary/unary_real_prepare.h"

#include "micro/element.h"

#include <math.h>

float oribi_micro_unary_real(int32_t function, float x, float outside)
{
    const double root_half = 0.70710678118654752440, two_root = 0.79788456080286535588;
    switch (function) {
    case ORIBI_MICRO_UNARY_SQRT:
        return x < 0.0F ? outside : sqrtf(x);
    case ORIBI_MICRO_UNARY_RSQRT:
        return x <= 0.0F ? outside : 1.0F / sqrtf(x);
    case ORIBI_MICRO_UNARY_EXP:
        return (float)exp((double)x);
    case ORIBI_MICRO_UNARY_LOG:
        return x <= 0.0F ? outside : (float)log((double)x);
    case ORIBI_MICRO_UNARY_ELU:
        return x < 0.0F ? (float)expm1((double)x) : x;
    case ORIBI_MICRO_UNARY_GELU:
        return (float)(0.5 * (double)x * erfc(-(double)x * root_half));
    default: /* its approximation by tanh */
        return (float)(0.5 * (double)x *
                       (1.0 + tanh(two_root *
                                   ((double)x + 0.044715 * (double)x * (double)x * (double)x))));
    }
}

static float bounded(float x)
{
    return x > (float)INT16_MAX ? (float)INT16_MAX : x < (float)INT16_MIN ? (float)INT16_MIN : x;
}

/* Every place is moved by half of what the middle to the next one would be off. */
int32_t oribi_micro_lookup_s16_table(const struct oribi_micro_unary_16_spec *spec,
                                     int16_t table[ORIBI_MICRO_LOOKUP_S16])
{
    const struct oribi_micro_unary_16_spec *s = spec;
    const int32_t last = ORIBI_MICRO_LOOKUP_S16 - 1;
    if (oribi_micro_check(ORIBI_MICRO_S16, s->input) != ORIBI_MICRO_OK ||
        oribi_micro_check(ORIBI_MICRO_S16, s->output) != ORIBI_MICRO_OK) {
        return ORIBI_MICRO_INVALID;
    }
    const float low = s->input.scale * (float)INT16_MIN, high = s->input.scale * (float)INT16_MAX;
    const float least = s->output.scale * (float)INT16_MIN;
    const float most = s->output.scale * (float)INT16_MAX;
    const float outside = s->function == ORIBI_MICRO_UNARY_LOG ? least : most;
    const float step = (high - low) / (float)last, half = step / 2.0F;
    const float inverse = 65536.0F / (most - least);
    if (!isfinite(low) || !isfinite(high) || !isfinite(step) || !isfinite(inverse) ||
        !(inverse > 0.0F)) {
        return ORIBI_MICRO_INVALID;
    }
    for (int32_t i = 0; i < last; i++) {
        const float x = low + (float)i * step, next_x = low + (float)(i + 1) * step;
        const float here = oribi_micro_unary_real(s->function, x, outside) * inverse;
        const float middle = oribi_micro_unary_real(s->function, x + half, outside) * inverse;
        const float next = oribi_micro_unary_real(s->function, next_x, outside) * inverse;
        const float between = roundf((next + roundf(here)) / 2.0F);
        const float moved = roundf((between - roundf(middle)) / 2.0F);
        table[i] = (int16_t)bounded(roundf(here) - (isfinite(moved) ? moved : 0.0F)); /* exp: inf */
    }
    table[last] =
        (int16_t)bounded(roundf(oribi_micro_unary_real(s->function, high, outside) * inverse));
    return ORIBI_MICRO_OK;
}
