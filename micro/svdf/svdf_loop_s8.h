/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of svdf_s8.c and svdf_narrow_s8.c, which name KERNEL and CELL, the type of the state and
 * of the weights over time, and make a new CELL of a sum by newest().
 */
#ifndef ORIBI_MICRO_SVDF_LOOP_S8_H_
#define ORIBI_MICRO_SVDF_LOOP_S8_H_

#include "micro/memory.h"
#include "micro/port.h"

/* What filter f gives for the input, in steps of the state. */
static int32_t feature(const struct oribi_micro_svdf_s8_args *a, const int8_t *input, int32_t f)
{
    const int8_t *weights = a->feature + f * a->in_c;
    int32_t sum = 0;
    for (int32_t i = 0; i < a->in_c; i++) {
        sum += weights[i] * (input[i] - a->input_zero);
    }
    return oribi_micro_scale(sum, a->feature_multiplier, a->feature_shift);
}

static int32_t along_time(const struct oribi_micro_svdf_s8_args *a, const CELL *state, int32_t f)
{
    const CELL *weights = (const CELL *)a->time + f * a->memory;
    uint32_t sum = 0; /* modulo 2^32, as the reference */
    for (int32_t t = 0; t < a->memory; t++) {
        sum += (uint32_t)(weights[t] * (state[t] - a->state_zero));
    }
    return (int32_t)sum;
}

void KERNEL(const struct oribi_micro_svdf_s8_args *args, const int8_t *input, const CELL *state,
            int8_t *output, CELL *next)
{
    const struct oribi_micro_svdf_s8_args *a = args;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t u = 0; u < a->units; u++) {
            TVMGEN_YIELD();
            uint32_t sum = (uint32_t)a->bias[u];
            for (int32_t f = u * a->rank; f < (u + 1) * a->rank; f++) {
                (void)memcpy(next, state + 1, (size_t)(a->memory - 1) * sizeof *next);
                next[a->memory - 1] = newest(a, feature(a, input, f));
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

#endif
