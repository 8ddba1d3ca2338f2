/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's GRU of float: the body of onnx_gru_f32.c and of onnx_gru_fma_f32.c, which say by which
 * function of dots_f32.h it sums (ORIBI_MICRO_DOTS_F32). */
#ifndef ORIBI_MICRO_ONNX_GRU_F32_BODY_H_
#define ORIBI_MICRO_ONNX_GRU_F32_BODY_H_

#include "micro/recurrent/recurrent_walk_f32.h"

/* The hidden gate's sums where the reset comes behind the product; the resets are lost. */
static void sum_behind(const struct oribi_micro_recurrent_step *s, float *reset, float *next)
{
    const struct oribi_micro_recurrent_f32_args *a = s->args;
    const int32_t units = a->units, row = 2 * units;
    for (int32_t u = 0; u < units; u++) {
        next[u] = oribi_micro_recurrent_bias(s, 3 * units, 1, row + u);
    }
    ORIBI_MICRO_DOTS_F32(s->recurrent + row * units, s->hidden, units, units, next);
    for (int32_t u = 0; u < units; u++) {
        next[u] *= reset[u];
        reset[u] = oribi_micro_recurrent_bias(s, 3 * units, 0, row + u);
    }
    ORIBI_MICRO_DOTS_F32(s->weights + row * a->in_c, s->input, units, a->in_c, reset);
    for (int32_t u = 0; u < units; u++) {
        next[u] += reset[u];
    }
}

static void step_gru(struct oribi_micro_recurrent_step *s)
{
    const int32_t units = s->args->units, is_behind = s->args->form;
    float *update = s->gates, *reset = update + units, *next = reset + units;
    oribi_micro_recurrent_sum(s, 3 * units, 0, 2 * units, s->hidden);
    for (int32_t u = 0; u < units; u++) {
        update[u] = oribi_micro_recurrent_gate(s, 0, update[u]);
        reset[u] = oribi_micro_recurrent_gate(s, 0, reset[u]);
        reset[u] = is_behind != 0 ? reset[u] : reset[u] * s->hidden[u];
    }
    if (is_behind != 0) {
        sum_behind(s, reset, next);
    } else {
        oribi_micro_recurrent_sum(s, 3 * units, 2 * units, 3 * units, reset);
    }
    for (int32_t u = 0; u < units; u++) {
        const float kept = update[u] * s->hidden[u];
        const float added = (1.0F - update[u]) * oribi_micro_recurrent_gate(s, 1, next[u]);
        s->hidden[u] = kept + added;
    }
}

void ORIBI_MICRO_ONNX_GRU_F32(const struct oribi_micro_recurrent_f32_args *args, const float *input,
                              const void *lengths, const float *hidden, float *output,
                              float *last_hidden, void *scratch)
{
    struct oribi_micro_recurrent_step s =
        oribi_micro_recurrent_walk(args, 3, input, lengths, hidden, output, last_hidden, scratch);
    while (oribi_micro_recurrent_next(&s) != 0) {
        step_gru(&s);
    }
}

#endif
