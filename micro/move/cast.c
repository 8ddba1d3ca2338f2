/* SPDX-License-Identifier: Apache-2.0 */
/* Integers go through int32, which holds them all. */
#include "micro/move/cast.h"

#include "micro/element.h"

/* The limits of the kinds, exact as floats but the upper one of int32. */
static int32_t cut(float x, int32_t kind)
{
    static const float lows[4] = {-128.0F, 0.0F, -32768.0F, -2147483648.0F};
    static const float highs[4] = {127.0F, 255.0F, 32767.0F, 2147483648.0F};
    if (!(x > lows[kind])) {
        return x <= lows[kind] ? (kind == ORIBI_MICRO_S32 ? INT32_MIN : (int32_t)lows[kind]) : 0;
    }
    if (x >= highs[kind]) {
        return kind == ORIBI_MICRO_S32 ? INT32_MAX : (int32_t)highs[kind];
    }
    return (int32_t)x;
}

void oribi_micro_cast(const struct oribi_micro_cast_args *args, const void *input, void *output)
{
    const struct oribi_micro_cast_args *p = args;
    const float *reals = input;
    float *to_reals = output;
    for (int32_t i = 0; i < p->count; i++) {
        if (p->in_kind == ORIBI_MICRO_F32) {
            oribi_micro_element_set(output, p->out_kind, i, cut(reals[i], p->out_kind));
        } else if (p->out_kind == ORIBI_MICRO_F32) {
            to_reals[i] = (float)oribi_micro_element_get(input, p->in_kind, i);
        } else {
            oribi_micro_element_set(output, p->out_kind, i,
                                    oribi_micro_element_get(input, p->in_kind, i));
        }
    }
}
