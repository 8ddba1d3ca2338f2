/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of int8 with a state of int8. */
#include "micro/svdf/svdf_narrow_s8.h"

#include "micro/memory.h"
#include "micro/svdf/svdf_feature_s8.h"

/* The newest column of filter f; beyond int8 it wraps round, as the reference's does. */
static int8_t feature(const struct oribi_micro_svdf_narrow_s8_args *a, const int8_t *input,
                      int32_t f)
{
    const int32_t sum =
        oribi_micro_svdf_feature_s8(a->feature + f * a->in_c, input, a->in_c, a->input_zero,
                                    a->feature_multiplier, a->feature_shift);
    const int32_t value = oribi_micro_clamp(sum, -128, 127) + a->state_zero;
    return (int8_t)(value > 127 ? value - 256 : value < -128 ? value + 256 : value);
}

static int32_t along_time(const struct oribi_micro_svdf_narrow_s8_args *a, const int8_t *state,
                          int32_t f)
{
    const int8_t *weights = a->time + f * a->memory;
    uint32_t sum = 0; /* modulo 2^32, as the reference */
    for (int32_t t = 0; t < a->memory; t++) {
        sum += (uint32_t)(weights[t] * (state[t] - a->state_zero));
    }
    return (int32_t)sum;
}

void oribi_micro_svdf_narrow_s8(const struct oribi_micro_svdf_narrow_s8_args *args,
                                const int8_t *input, const int8_t *state, int8_t *output,
                                int8_t *next)
{
    const struct oribi_micro_svdf_narrow_s8_args *a = args;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t u = 0; u < a->units; u++) {
            TVMGEN_YIELD();
            uint32_t sum = (uint32_t)a->bias[u];
            for (int32_t f = u * a->rank; f < (u + 1) * a->rank; f++) {
                memcpy(next, state + 1, (size_t)(a->memory - 1));
                next[a->memory - 1] = feature(a, input, f);
                sum += (uint32_t)along_time(a, next, f);
                state += a->memory;
                next += a->memory;
            }
            const int32_t value =
                oribi_micro_scale((int32_t)sum, a->output_multiplier, a->output_shift);
            *output++ = (int8_t)oribi_micro_clamp(value + a->output_zero, -128, 127);
        }
        input += a->in_c;
    }
}
