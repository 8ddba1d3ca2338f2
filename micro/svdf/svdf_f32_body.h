/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of float: the body of svdf_f32.c and of svdf_fma_f32.c, which say by which function of
 * dots_f32.h it sums (ORIBI_MICRO_DOTS_F32), and how one product joins a sum (ORIBI_MICRO_ADD_F32).
 */
#ifndef ORIBI_MICRO_SVDF_F32_BODY_H_
#define ORIBI_MICRO_SVDF_F32_BODY_H_

#include "micro/float_rules.h"

#include "micro/memory.h"
#include "micro/port.h"
#include "micro/svdf/svdf_f32.h"

enum { TOGETHER = 8 }; /* filters whose features are summed together */

/* What filter f saw moves on by one step, `seen` is its last value; returns the sum over time. */
static float move(const struct oribi_micro_svdf_f32_args *a, int32_t f, float seen,
                  const float *state, float *next)
{
    const int32_t last = a->memory - 1;
    const float *time = a->time + f * a->memory, *from = state + f * a->memory + 1;
    float *to = next + f * a->memory, sum = 0.0F;
    for (int32_t i = 0; i < last; i++) {
        const float value = from[i];
        to[i] = value;
        sum = ORIBI_MICRO_ADD_F32(sum, time[i], value);
    }
    to[last] = seen;
    return ORIBI_MICRO_ADD_F32(sum, time[last], seen);
}

void ORIBI_MICRO_SVDF_F32(const struct oribi_micro_svdf_f32_args *args, const float *input,
                          const float *state, float *output, float *next)
{
    const struct oribi_micro_svdf_f32_args *a = args;
    const int32_t filters = a->units * a->rank;
    for (int32_t b = 0; b < a->batch; b++) {
        (void)memcpy(output, a->bias, (size_t)a->units * sizeof *output);
        for (int32_t f = 0; f < filters; f += TOGETHER) {
            const int32_t count = filters - f < TOGETHER ? filters - f : TOGETHER;
            float seen[TOGETHER] = {0};
            ORIBI_MICRO_DOTS_F32(a->feature + f * a->in_c, input, count, a->in_c, seen);
            for (int32_t k = 0; k < count; k++) {
                output[(f + k) / a->rank] += move(a, f + k, seen[k], state, next);
            }
        }
        input += a->in_c;
        output += a->units;
        state += filters * a->memory;
        next += filters * a->memory;
    }
}

#endif
