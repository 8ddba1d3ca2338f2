/* SPDX-License-Identifier: Apache-2.0 */
/* What ONNX's LSTM, GRU and RNN share: the walk over directions, rows and steps, the functions of
 * gates. A kernel says what one step of one row does, and first by which function of dots_f32.h:
 * ORIBI_MICRO_DOTS_F32.
 */
#ifndef ORIBI_MICRO_RECURRENT_WALK_F32_H_
#define ORIBI_MICRO_RECURRENT_WALK_F32_H_

#include "micro/float_rules.h"

#include <stddef.h>

#include "micro/math_f32.h"
#include "micro/memory.h"
#include "micro/recurrent/recurrent_f32.h"

/* The walk: what it walks over, one direction's weights and functions, and where it is. A kernel
 * begins with oribi_micro_recurrent_walk and computes a step while oribi_micro_recurrent_next says
 * so. */
struct oribi_micro_recurrent_step {
    const struct oribi_micro_recurrent_f32_args *args;
    const float *weights, *recurrent, *bias, *peephole; /* of the direction */
    const float *input;                                 /* of this row and step */
    float *hidden, *cell;                               /* of this row: read, then written */
    float *gates;                                       /* the scratch */
    int32_t first;                                      /* of the direction's functions */
    int32_t sums;                                       /* a unit has so many gates */
    int32_t row, step, length;                          /* of directions and rows; of the row */
    const float *inputs, *first_hidden, *first_cell;
    const void *lengths;
    float *output, *outputs, *last_hidden, *last_cell; /* the last is NULL where there is none */
};

/* A walk before its first row, without cells. */
static inline struct oribi_micro_recurrent_step
oribi_micro_recurrent_walk(const struct oribi_micro_recurrent_f32_args *args, int32_t sums,
                           const float *input, const void *lengths, const float *hidden,
                           float *output, float *last_hidden, void *scratch)
{
    struct oribi_micro_recurrent_step s = {.args = args, .sums = sums, .row = -1, .gates = scratch};
    s.inputs = input;
    s.lengths = lengths;
    s.first_hidden = hidden;
    s.outputs = output;
    s.last_hidden = last_hidden;
    return s;
}

/* Function `index` of the direction. */
static inline float oribi_micro_recurrent_apply(const struct oribi_micro_recurrent_step *s,
                                                int32_t index, float x)
{
    const struct oribi_micro_recurrent_f32_args *a = s->args;
    const float alpha = a->alpha[s->first + index], beta = a->beta[s->first + index];
    switch (a->function[s->first + index]) {
    case ORIBI_MICRO_GATE_SIGMOID:
        return oribi_micro_sigmoid(x);
    case ORIBI_MICRO_GATE_TANH:
        return oribi_micro_tanh(x);
    case ORIBI_MICRO_GATE_RELU:
        return x < 0.0F ? 0.0F : x;
    case ORIBI_MICRO_GATE_AFFINE:
        x = alpha * x;
        return x + beta;
    case ORIBI_MICRO_GATE_LEAKY_RELU:
        return x < 0.0F ? alpha * x : x;
    case ORIBI_MICRO_GATE_THRESHOLDED_RELU:
        return x <= alpha ? 0.0F : x;
    case ORIBI_MICRO_GATE_SCALED_TANH:
        return alpha * oribi_micro_tanh(beta * x);
    case ORIBI_MICRO_GATE_HARD_SIGMOID:
        x = alpha * x;
        x = x + beta;
        return x < 0.0F ? 0.0F : x > 1.0F ? 1.0F : x;
    case ORIBI_MICRO_GATE_ELU:
        return x < 0.0F ? alpha * oribi_micro_expm1(x) : x;
    case ORIBI_MICRO_GATE_SOFTSIGN:
        return x / (1.0F + oribi_micro_magnitude(x));
    default: /* softplus */
        return (x > 0.0F ? x : 0.0F) +
               oribi_micro_log1p(oribi_micro_exp(-oribi_micro_magnitude(x)));
    }
}

/* The same of a sum, clipped. */
static inline float oribi_micro_recurrent_gate(const struct oribi_micro_recurrent_step *s,
                                               int32_t index, float x)
{
    const float limit = s->args->clip;
    if (limit > 0.0F) {
        x = x > limit ? limit : x < -limit ? -limit : x;
    }
    return oribi_micro_recurrent_apply(s, index, x);
}

/* Value `row` of the biases of `rows` sums, that of the weights (0) or of the recurrence (1). */
static inline float oribi_micro_recurrent_bias(const struct oribi_micro_recurrent_step *s,
                                               int32_t rows, int32_t which, int32_t row)
{
    return s->bias != NULL ? s->bias[which * rows + row] : 0.0F;
}

/* Sums [from, to) of `rows` into the scratch, of the input and of these hidden values. */
static inline void oribi_micro_recurrent_sum(const struct oribi_micro_recurrent_step *s,
                                             int32_t rows, int32_t from, int32_t to,
                                             const float *hidden)
{
    const struct oribi_micro_recurrent_f32_args *a = s->args;
    for (int32_t row = from; row < to; row++) {
        s->gates[row] = oribi_micro_recurrent_bias(s, rows, 0, row) +
                        oribi_micro_recurrent_bias(s, rows, 1, row);
    }
    float *sums = s->gates + from;
    ORIBI_MICRO_DOTS_F32(s->weights + from * a->in_c, s->input, to - from, a->in_c, sums);
    ORIBI_MICRO_DOTS_F32(s->recurrent + from * a->units, hidden, to - from, a->units, sums);
}

/* A state before the first step. */
static inline void oribi_micro_recurrent_begin(const struct oribi_micro_recurrent_f32_args *a,
                                               int32_t is_there, int32_t length, const float *first,
                                               float *state)
{
    const size_t bytes = (size_t)a->units * sizeof *state;
    if (is_there != 0 && length > 0) {
        (void)memcpy(state, first, bytes);
    } else {
        (void)memset(state, 0, bytes);
    }
}

/* What the row's direction computes with, its length and where its states are. */
static inline void oribi_micro_recurrent_enter(struct oribi_micro_recurrent_step *s)
{
    const struct oribi_micro_recurrent_f32_args *a = s->args;
    const int32_t rows = s->sums * a->units;
    const int32_t d = s->row / a->batch, b = s->row - d * a->batch;
    s->weights = a->weights + d * rows * a->in_c;
    s->recurrent = a->recurrent + d * rows * a->units;
    s->bias = a->bias != NULL ? a->bias + 2 * d * rows : NULL;
    s->peephole = a->peephole != NULL ? a->peephole + 3 * d * a->units : NULL;
    s->first = d * (s->sums > 1 ? s->sums - 1 : 1);
    const int32_t wanted = a->has_lengths != 0 ? ((const int32_t *)s->lengths)[b] : a->steps;
    s->length = wanted < a->steps ? wanted : a->steps;
    const int32_t at =
        (a->is_batch_major != 0 ? b * a->directions + d : d * a->batch + b) * a->units;
    s->hidden = s->last_hidden + at;
    s->cell = s->last_cell != NULL ? s->last_cell + at : NULL;
}

/* The states of the row before its first step. */
static inline void oribi_micro_recurrent_reset(const struct oribi_micro_recurrent_step *s)
{
    const struct oribi_micro_recurrent_f32_args *a = s->args;
    const ptrdiff_t at = s->hidden - s->last_hidden;
    const float *hidden = a->has_hidden != 0 ? s->first_hidden + at : NULL;
    oribi_micro_recurrent_begin(a, a->has_hidden, s->length, hidden, s->hidden);
    if (s->last_cell != NULL) {
        const float *cell = a->has_cell != 0 ? s->first_cell + at : NULL;
        oribi_micro_recurrent_begin(a, a->has_cell, s->length, cell, s->cell);
    }
}

/* The next sequence: a row of a direction. 0: all are done. */
static inline int32_t oribi_micro_recurrent_next_row(struct oribi_micro_recurrent_step *s)
{
    s->row++;
    if (s->row >= s->args->directions * s->args->batch) {
        return 0;
    }
    oribi_micro_recurrent_enter(s);
    oribi_micro_recurrent_reset(s);
    s->step = 0;
    return 1;
}

/* Where the step's input is and where its result belongs. */
static inline void oribi_micro_recurrent_place(struct oribi_micro_recurrent_step *s)
{
    const struct oribi_micro_recurrent_f32_args *a = s->args;
    const int32_t d = s->row / a->batch, b = s->row - d * a->batch, k = s->step;
    const int32_t is_backward = d > 0 || a->is_reverse != 0;
    const int32_t t = is_backward != 0 && k < s->length ? s->length - 1 - k : k;
    const int32_t from = a->is_batch_major != 0 ? b * a->steps + t : t * a->batch + b;
    const int32_t to =
        a->is_batch_major != 0 ? from * a->directions + d : (t * a->directions + d) * a->batch + b;
    s->input = s->inputs + from * a->in_c;
    s->output = s->outputs + to * a->units;
}

/* Begins the next step that there is to compute, and stores what the one before it gave. 0: all are
 * done. */
static inline int32_t oribi_micro_recurrent_next(struct oribi_micro_recurrent_step *s)
{
    const struct oribi_micro_recurrent_f32_args *a = s->args;
    const size_t bytes = (size_t)a->units * sizeof *s->output;
    if (s->row >= 0) {
        (void)memcpy(s->output, s->hidden, bytes);
        s->step++;
    }
    for (;;) {
        while (s->row < 0 || s->step >= a->steps) {
            if (oribi_micro_recurrent_next_row(s) == 0) {
                return 0;
            }
        }
        oribi_micro_recurrent_place(s);
        if (s->step < s->length) {
            return 1;
        }
        (void)memset(s->output, 0, bytes);
        s->step++;
    }
}

#endif
