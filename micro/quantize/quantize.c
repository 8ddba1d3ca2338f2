/* SPDX-License-Identifier: Apache-2.0 */
/* A division in float32, then a rounding that needs no C library. */
#include "micro/quantize/quantize.h"

#include "micro/element.h"

#ifdef __FAST_MATH__
#error "fast-math changes results: build kernels without it"
#endif

static int32_t round_away(float steps)
{
    const int32_t whole = (int32_t)steps;
    const float rest = steps - (float)whole; /* exact: both are below 2^18 */
    return whole + (rest >= 0.5F ? 1 : 0) - (rest <= -0.5F ? 1 : 0);
}

void oribi_micro_quantize(const struct oribi_micro_quantize_args *args, const float *input,
                          void *output)
{
    const float most = 262144.0F;
    for (int32_t i = 0; i < args->count; i++) {
        const float steps = input[i] / args->scale;
        int32_t y = args->zero;
        if (steps >= most) {
            y = args->high;
        } else if (steps <= -most) {
            y = args->low;
        } else if (steps > -most) {
            y += round_away(steps);
        } else {
            /* NaN gives the zero point */
        }
        y = y < args->low ? args->low : y > args->high ? args->high : y;
        oribi_micro_element_set(output, args->kind, i, y);
    }
}
