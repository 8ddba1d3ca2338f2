/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of int8. */
#include "micro/svdf/svdf_s8.h"

#include "micro/memory.h"
#include "micro/svdf/svdf_feature_s8.h"

/* The newest column of filter f. */
static int16_t feature(const struct oribi_micro_svdf_s8_args *a, const int8_t *input, int32_t f)
{
    const int32_t sum =
        oribi_micro_svdf_feature_s8(a->feature + f * a->in_c, input, a->in_c, a->input_zero,
                                    a->feature_multiplier, a->feature_shift);
    return (int16_t)oribi_micro_clamp(sum, -32768, 32767);
}

static int32_t along_time(const struct oribi_micro_svdf_s8_args *a, const int16_t *state, int32_t f)
{
    const int16_t *weights = a->time + f * a->memory;
    uint32_t sum = 0; /* modulo 2^32, as the reference */
    for (int32_t t = 0; t < a->memory; t++) {
        sum += (uint32_t)(weights[t] * state[t]);
    }
    return (int32_t)sum;
}

void oribi_micro_svdf_s8(const struct oribi_micro_svdf_s8_args *args, const int8_t *input,
                         const int16_t *state, int8_t *output, int16_t *next)
{
    const struct oribi_micro_svdf_s8_args *a = args;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t u = 0; u < a->units; u++) {
            TVMGEN_YIELD();
            uint32_t sum = (uint32_t)a->bias[u];
            for (int32_t f = u * a->rank; f < (u + 1) * a->rank; f++) {
                memcpy(next, state + 1, (size_t)(a->memory - 1) * sizeof *next);
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
