/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of float. */
#include "micro/float_rules.h"

#include "micro/memory.h"
#include "micro/svdf/svdf_f32.h"

static float dot(const float *a, const float *b, int32_t n)
{
    float sum = 0.0F;
    for (int32_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

void oribi_micro_svdf_f32(const struct oribi_micro_svdf_f32_args *args, const float *input,
                          const float *state, float *output, float *next)
{
    const struct oribi_micro_svdf_f32_args *a = args;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t u = 0; u < a->units; u++) {
            TVMGEN_YIELD();
            float sum = a->bias[u];
            for (int32_t f = u * a->rank; f < (u + 1) * a->rank; f++) {
                (void)memcpy(next, state + 1, (size_t)(a->memory - 1) * sizeof *next);
                next[a->memory - 1] = dot(a->feature + f * a->in_c, input, a->in_c);
                sum += dot(a->time + f * a->memory, next, a->memory);
                state += a->memory;
                next += a->memory;
            }
            *output++ = sum;
        }
        input += a->in_c;
    }
}
