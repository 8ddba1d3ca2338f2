/* SPDX-License-Identifier: Apache-2.0 */
/* See dynamic_lstm_f32.h. */
#include "micro/recurrent/dynamic_lstm_f32.h"

#include "micro/float_rules.h"
#include "micro/recurrent/dots_f32.h"

#define ORIBI_MICRO_DOTS_F32 oribi_micro_dots_f32
#include "micro/recurrent/recurrent_lstm_f32.h"

static float nearest(float x)
{
    const float moved = x + 12582912.0F; /* 1.5 * 2^23: no place is left for a fraction */
    return moved - 12582912.0F;
}

static void widen(const float *x, int32_t n, float *low, float *high)
{
    for (int32_t i = 0; i < n; i++) {
        *low = x[i] < *low ? x[i] : *low;
        *high = x[i] > *high ? x[i] : *high;
    }
}

static struct oribi_micro_byte_places divide(float low, float high)
{
    struct oribi_micro_byte_places places;
    places.scale = low < high ? (high - low) / 255.0F : 1.0F;
    places.zero = nearest(-low / places.scale);
    return places;
}

static void bring(const struct oribi_micro_byte_places *places, const float *x, int32_t n, float *y)
{
    for (int32_t i = 0; i < n; i++) {
        float place = x[i] / places->scale;
        place = place < -256.0F ? -256.0F : place > 256.0F ? 256.0F : place;
        place = nearest(place) + places->zero;
        place = place < 0.0F ? 0.0F : place > 255.0F ? 255.0F : place;
        y[i] = (place - places->zero) * places->scale;
    }
}

/* Where steps go first, those behind the longest row do not count. */
struct oribi_micro_byte_places
oribi_micro_dynamic_places(const struct oribi_micro_recurrent_f32_args *args, const float *input,
                           const void *lengths)
{
    int32_t steps = args->steps;
    float low = 0.0F, high = 0.0F;
    if (args->is_batch_major == 0 && args->has_lengths != 0) {
        const int32_t *length = lengths;
        int32_t longest = 0;
        for (int32_t b = 0; b < args->batch; b++) {
            longest = length[b] > longest ? length[b] : longest;
        }
        steps = longest < steps ? longest : steps;
    }
    widen(input, steps * args->batch * args->in_c, &low, &high);
    return divide(low, high);
}

/* The hidden values of all rows of the direction into the scratch. A row's last one is among them
 * in the step behind its end, and 0 from then on, as in ONNX Runtime. */
static void bring_hidden(struct oribi_micro_recurrent_step *s, int32_t direction, float *rounded)
{
    const int32_t units = s->args->units, batch = s->args->batch;
    float low = 0.0F, high = 0.0F;
    for (int32_t b = 0; b < batch; b++) {
        s->row = direction * batch + b;
        oribi_micro_recurrent_enter(s);
        if (s->step <= s->length) {
            widen(s->hidden, units, &low, &high);
        }
    }
    const struct oribi_micro_byte_places places = divide(low, high);
    for (int32_t b = 0; b < batch; b++) {
        s->row = direction * batch + b;
        oribi_micro_recurrent_enter(s);
        bring(&places, s->hidden, units, rounded + b * units);
    }
}

static void run_row(struct oribi_micro_recurrent_step *s,
                    const struct oribi_micro_byte_places *places, const float *hidden, float *input)
{
    const int32_t units = s->args->units;
    oribi_micro_recurrent_enter(s);
    oribi_micro_recurrent_place(s);
    if (s->step >= s->length) {
        (void)memset(s->output, 0, (size_t)units * sizeof *s->output);
        return;
    }
    bring(places, s->input, s->args->in_c, input);
    s->input = input;
    oribi_micro_recurrent_sum(s, 4 * units, 0, 4 * units, hidden);
    oribi_micro_recurrent_lstm(s);
    (void)memcpy(s->output, s->hidden, (size_t)units * sizeof *s->output);
}

void oribi_micro_dynamic_lstm_steps(const struct oribi_micro_recurrent_f32_args *args,
                                    const struct oribi_micro_byte_places *places, int32_t direction,
                                    int32_t from, int32_t to, const float *input,
                                    const void *lengths, const float *hidden, const float *cell,
                                    float *output, float *last_hidden, float *last_cell,
                                    void *scratch)
{
    struct oribi_micro_recurrent_step s =
        oribi_micro_recurrent_walk(args, 4, input, lengths, hidden, output, last_hidden, scratch);
    float *rounded = s.gates + 4 * args->units;
    s.first_cell = cell;
    s.last_cell = last_cell;
    for (int32_t b = 0; b < args->batch && from == 0; b++) {
        s.row = direction * args->batch + b;
        oribi_micro_recurrent_enter(&s);
        oribi_micro_recurrent_reset(&s);
    }
    for (s.step = from; s.step < to; s.step++) {
        bring_hidden(&s, direction, rounded);
        for (int32_t b = 0; b < args->batch; b++) {
            s.row = direction * args->batch + b;
            run_row(&s, places, rounded + b * args->units, rounded + args->batch * args->units);
        }
    }
}

void oribi_micro_dynamic_lstm_f32(const struct oribi_micro_recurrent_f32_args *args,
                                  const float *input, const void *lengths, const float *hidden,
                                  const float *cell, float *output, float *last_hidden,
                                  float *last_cell, void *scratch)
{
    const struct oribi_micro_byte_places places = oribi_micro_dynamic_places(args, input, lengths);
    for (int32_t d = 0; d < args->directions; d++) {
        oribi_micro_dynamic_lstm_steps(args, &places, d, 0, args->steps, input, lengths, hidden,
                                       cell, output, last_hidden, last_cell, scratch);
    }
}
