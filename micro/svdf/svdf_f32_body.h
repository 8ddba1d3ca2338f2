/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of float: the body of svdf_f32.c and of svdf_fma_f32.c, which say by which function of
 * dots_f32.h it sums (ORIBI_MICRO_DOTS_F32), and how one product joins a sum (ORIBI_MICRO_ADD_F32,
 * ORIBI_MICRO_ADD_VFP).
 */
#ifndef ORIBI_MICRO_SVDF_F32_BODY_H_
#define ORIBI_MICRO_SVDF_F32_BODY_H_

#include "micro/float_rules.h"

#include "micro/fma/fma_vfp.h"
#include "micro/memory.h"
#include "micro/port.h"
#include "micro/svdf/svdf_f32.h"

/* What each filter saw moves on by one step, `seen` are the last values; the sums over time join
 * the outputs. */
static void move(const struct oribi_micro_svdf_f32_args *a, const float *seen, const float *state,
                 float *output, float *next)
{
    const float *time = a->time;
    const int32_t rank = a->rank, memory = a->memory, filters = a->units * rank;
#ifdef ORIBI_MICRO_VFP
    for (int32_t f = 0; memory >= 4 && f < filters; f++) {
        float sum = 0.0F;
        state++;
        ORIBI_MICRO_VFP_MOVE(ORIBI_MICRO_ADD_VFP, state, next, time, memory % 4, memory / 4 - 1,
                             seen[f], sum);
        output[f / rank] += sum;
    }
    if (memory >= 4) {
        return;
    }
#endif
    for (int32_t f = 0; f < filters; f++) {
        const float last = seen[f];
        float sum = 0.0F;
        state++;
        for (int32_t i = 1; i < memory; i++) {
            const float value = *state++;
            *next++ = value;
            sum = ORIBI_MICRO_ADD_F32(sum, *time++, value);
        }
        *next++ = last;
        output[f / rank] += ORIBI_MICRO_ADD_F32(sum, *time++, last);
    }
}

/* The sums over features of this step lie at the end of `next` until their filter moves on: no
 * filter's values reach that of one behind it. */
void ORIBI_MICRO_SVDF_F32(const struct oribi_micro_svdf_f32_args *args, const float *input,
                          const float *state, float *output, float *next)
{
    const struct oribi_micro_svdf_f32_args *a = args;
    const int32_t filters = a->units * a->rank;
    for (int32_t b = 0; b < a->batch; b++) {
        float *seen = next + filters * (a->memory - 1);
        (void)memcpy(output, a->bias, (size_t)a->units * sizeof *output);
        (void)memset(seen, 0, (size_t)filters * sizeof *seen);
        ORIBI_MICRO_DOTS_F32(a->feature, input, filters, a->in_c, seen);
        move(a, seen, state, output, next);
        input += a->in_c;
        output += a->units;
        state += filters * a->memory;
        next += filters * a->memory;
    }
}

#endif
