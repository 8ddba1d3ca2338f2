/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's GRU of float: the body of onnx_gru_f32.c and of onnx_gru_fma_f32.c, which has its own
 * ORIBI_MICRO_ADD_F32. */
#ifndef ORIBI_MICRO_ONNX_GRU_F32_BODY_H_
#define ORIBI_MICRO_ONNX_GRU_F32_BODY_H_

#include "micro/recurrent/recurrent_walk_f32.h"

/* The hidden gate where the reset comes behind the product, of unit u. */
static float sum_behind(const struct oribi_micro_recurrent_step *s, int32_t u, float reset)
{
    const struct oribi_micro_recurrent_f32_args *a = s->args;
    const int32_t rows = 3 * a->units, row = 2 * a->units + u;
    TVMGEN_YIELD();
    const float own = oribi_micro_recurrent_dot(s->recurrent + row * a->units, s->hidden, a->units,
                                                oribi_micro_recurrent_bias(s, rows, 1, row)) *
                      reset;
    return oribi_micro_recurrent_dot(s->weights + row * a->in_c, s->input, a->in_c,
                                     oribi_micro_recurrent_bias(s, rows, 0, row)) +
           own;
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
    if (is_behind == 0) {
        oribi_micro_recurrent_sum(s, 3 * units, 2 * units, 3 * units, reset);
    }
    for (int32_t u = 0; u < units; u++) {
        const float sum = is_behind != 0 ? sum_behind(s, u, reset[u]) : next[u];
        next[u] = oribi_micro_recurrent_gate(s, 1, sum);
    }
    for (int32_t u = 0; u < units; u++) {
        const float kept = update[u] * s->hidden[u], added = (1.0F - update[u]) * next[u];
        s->hidden[u] = kept + added;
    }
}

static void run_all(const struct oribi_micro_recurrent_f32_args *args, const float *input,
                    const void *lengths, const float *hidden, float *output, float *last_hidden,
                    void *scratch)
{
    struct oribi_micro_recurrent_step s =
        oribi_micro_recurrent_walk(args, 3, input, lengths, hidden, output, last_hidden, scratch);
    while (oribi_micro_recurrent_next(&s) != 0) {
        step_gru(&s);
    }
}

#endif
