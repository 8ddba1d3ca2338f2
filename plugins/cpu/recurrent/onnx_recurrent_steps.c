/* SPDX-License-Identifier: Apache-2.0 */
/* See onnx_recurrent_fast.h: what a worker computes, the products and the steps of its rows. */
#include "cpu/recurrent/onnx_recurrent_fast.h"

#include <string.h>

oribi_recurrent_worker oribi_recurrent_worker_of(const oribi_recurrent_work *fast, int64_t index)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    const int64_t gates = fast->state->recurrent.gates, each = gates > 1 ? gates - 1 : 1;
    const int64_t d = index / fast->n_groups, b = index % fast->n_groups * fast->group;
    const int64_t states = oribi_recurrent_lines(fast->group * a->units);
    float *room = fast->rooms + index * fast->worker_floats;
    oribi_recurrent_worker w = {.fast = fast, .a = a, .d = d, .b = b};
    w.n = a->batch - b < fast->group ? a->batch - b : fast->group;
    w.panels = fast->packed + d * fast->counts.each;
    w.hidden = room;
    w.cell = room + states;
    w.reset = w.cell + states;
    w.sums = w.reset + states;
    w.places = (uint8_t *)(w.sums + oribi_recurrent_lines(fast->group * fast->rows));
    w.gates = (float *)(void *)w.places + oribi_recurrent_places_room(fast);
    for (int64_t i = 0; i < each; i++) {
        const int64_t k = d * each + i;
        w.functions[i] = (oribi_cells_function){a->function[k], a->alpha[k], a->beta[k]};
    }
    w.peephole = fast->call.in[ORIBI_RECURRENT_PEEPHOLE];
    w.peephole = w.peephole != NULL ? w.peephole + 3 * d * a->units : NULL;
    return w;
}

/* Which row of x the product's row `row` is: step after step, in each the group's rows. A row that
 * has ended shows its first step, and what comes of it is not used. */
static int64_t input_row(const oribi_recurrent_worker *w, int64_t row)
{
    const int64_t k = w->fast->first + row / w->n, i = row % w->n;
    const int64_t length = w->fast->call.lengths[w->b + i];
    const int64_t t = k < length ? oribi_recurrent_time(w->a, w->d, k, length) : 0;
    return oribi_recurrent_from(w->a, t, w->b + i);
}

static void input_rows(const void *arg, int64_t row, int32_t n_rows, int64_t tap, int64_t n_taps,
                       int64_t channel, const float **out)
{
    const oribi_recurrent_worker *w = arg;
    (void)tap; /* there is one */
    (void)n_taps;
    for (int32_t r = 0; r < n_rows; r++) {
        out[r] = w->fast->input + input_row(w, row + r) * w->a->in_c + channel;
    }
}

/* --- Products of bytes ----------------------------------------------------------------------- */

/* The input's of the whole block. */
static void sum_input_bytes(const oribi_recurrent_worker *w)
{
    enum { TOGETHER = 64 }; /* rows, whose addresses lie on the stack */
    const oribi_recurrent_work *fast = w->fast;
    const uint8_t *rows[TOGETHER];
    const oribi_byte_source source = {rows, fast->places_scale, fast->places_zero};
    const int64_t m = (fast->end - fast->first) * w->n;
    for (int64_t row = 0; row < m; row += TOGETHER) {
        const int64_t n = m - row < TOGETHER ? m - row : TOGETHER;
        for (int64_t i = 0; i < n; i++) {
            rows[i] = fast->places + input_row(w, row + i) * w->a->in_c;
        }
        oribi_byte_rows_run(fast->state->byte_rows, &fast->state->bytes[2 * w->d], &source, n,
                            fast->bias + w->d * fast->rows, 0, w->gates + row * fast->rows,
                            fast->rows);
    }
}

/* The hidden states', on the places of the range of all rows. */
static void sum_state_bytes(const oribi_recurrent_worker *w, const float *gates,
                            const float *hidden)
{
    const oribi_recurrent_fast *state = w->fast->state;
    const int64_t units = w->a->units, rows = w->fast->rows;
    oribi_byte_source source = {.rows = NULL};
    state->cells->place(hidden, w->places, w->n * units, &source.scale, &source.zero);
    for (int64_t i = 0; i < w->n; i += ORIBI_BYTE_ROWS) {
        const int64_t n = w->n - i < ORIBI_BYTE_ROWS ? w->n - i : ORIBI_BYTE_ROWS;
        const uint8_t *at[ORIBI_BYTE_ROWS];
        for (int64_t k = 0; k < n; k++) {
            at[k] = w->places + (i + k) * units;
        }
        source.rows = at;
        oribi_byte_rows_run(state->byte_rows, &state->bytes[2 * w->d + 1], &source, n,
                            gates + i * rows, 1, w->sums + i * rows, rows);
    }
}

/* --- Products of floats ---------------------------------------------------------------------- */

static oribi_gemm product_of(const oribi_recurrent_worker *w, const float *panels, int64_t m,
                             int64_t k, int64_t n, float *c)
{
    const oribi_gemm_variant *variant = w->fast->state->variant;
    return (oribi_gemm){.variant = variant,
                        .panels = panels,
                        .groups = 1,
                        .m = m,
                        .n = n,
                        .n_taps = 1,
                        .depth = k,
                        .pairs = oribi_gemm_pairs(variant, k, n),
                        .c = c,
                        .c_stride = w->fast->rows,
                        .residual_stride = w->fast->rows,
                        .low = -__builtin_inff(),
                        .high = __builtin_inff()};
}

static void run_product(const oribi_gemm *gemm)
{
    oribi_gemm_plan plan;
    oribi_gemm_plan_make(gemm, 1, &plan);
    oribi_gemm_run(gemm, &plan, 0, plan.units);
}

/* The sums of the input of the whole block. */
static void sum_input(const oribi_recurrent_worker *w)
{
    const oribi_recurrent_work *fast = w->fast;
    if (fast->state->bytes != NULL) {
        sum_input_bytes(w);
        return;
    }
    oribi_gemm gemm = product_of(w, w->panels, (fast->end - fast->first) * w->n, w->a->in_c,
                                 fast->rows, w->gates);
    gemm.rows = input_rows;
    gemm.rows_arg = w;
    gemm.bias = fast->bias + w->d * fast->rows;
    run_product(&gemm);
}

/* The sums of a step: columns [first, first + n) of the input's, and the product of `state`. */
static void sum_state(const oribi_recurrent_worker *w, const float *gates, const float *state,
                      int64_t first, int64_t n, int64_t panels_at, const float *bias)
{
    const oribi_gemm_lines rows = {state, w->a->units};
    oribi_gemm gemm = product_of(w, w->panels + panels_at, w->n, w->a->units, n, w->sums + first);
    gemm.rows = oribi_gemm_lines_fill;
    gemm.rows_arg = &rows;
    gemm.residual = gates != NULL ? gates + first : NULL;
    gemm.bias = bias;
    run_product(&gemm);
}

static void gate(const oribi_recurrent_worker *w, int function, float *x, int64_t n)
{
    if (w->a->clip > 0.0f) {
        w->fast->state->cells->clip(w->a->clip, x, n);
    }
    w->fast->state->cells->apply(&w->functions[function], x, n);
}

/* --- Steps: rows for which `runs` is false keep their state ----------------------------------- */

static bool runs(const oribi_recurrent_worker *w, int64_t k, int64_t i)
{
    return k < w->fast->call.lengths[w->b + i];
}

static void lstm_row(const oribi_recurrent_worker *w, float *sums, float *hidden, float *cell)
{
    const oribi_cells *cells = w->fast->state->cells;
    const int64_t units = w->a->units;
    const bool is_coupled = w->a->form != 0;
    float *in = sums, *out = in + units, *forget = out + units, *update = forget + units;
    if (w->peephole == NULL) {
        gate(w, 0, in, is_coupled ? 2 * units : 3 * units);
    } else {
        cells->add_product(w->peephole, cell, in, units);
        gate(w, 0, in, units);
        if (!is_coupled) {
            cells->add_product(w->peephole + 2 * units, cell, forget, units);
            gate(w, 0, forget, units);
        }
    }
    gate(w, 1, update, units);
    cells->blend(is_coupled ? NULL : forget, in, update, cell, units);
    if (w->peephole != NULL) {
        cells->add_product(w->peephole + units, cell, out, units);
        gate(w, 0, out, units);
    }
    memcpy(hidden, cell, (size_t)units * sizeof *hidden);
    cells->apply(&w->functions[2], hidden, units);
    cells->multiply(out, hidden, units);
}

/* The hidden states whose range counts: as in ONNX Runtime a row's last one is among them in the
 * step behind its end, and 0 from then on. */
static float *counted_state(const oribi_recurrent_worker *w, int64_t k)
{
    const int64_t units = w->a->units;
    memcpy(w->reset, w->hidden, (size_t)(w->n * units) * sizeof *w->reset);
    for (int64_t i = 0; i < w->n; i++) {
        if (k > w->fast->call.lengths[w->b + i]) {
            memset(w->reset + i * units, 0, (size_t)units * sizeof *w->reset);
        }
    }
    return w->reset;
}

/* The sums of a step of a layer that rounds its hidden states to the places of their range. */
static void sum_rounded(const oribi_recurrent_worker *w, int64_t k, const float *gates)
{
    float *hidden = counted_state(w, k);
    if (w->fast->state->bytes != NULL) {
        sum_state_bytes(w, gates, hidden);
    } else {
        w->fast->state->cells->round(hidden, hidden, w->n * w->a->units);
        sum_state(w, gates, hidden, 0, w->fast->rows, w->fast->counts.input, NULL);
    }
}

static void step_lstm(const oribi_recurrent_worker *w, int64_t k, const float *gates)
{
    if (w->fast->state->is_dynamic) {
        sum_rounded(w, k, gates);
    } else {
        sum_state(w, gates, w->hidden, 0, w->fast->rows, w->fast->counts.input, NULL);
    }
    for (int64_t i = 0; i < w->n; i++) {
        if (runs(w, k, i)) {
            lstm_row(w, w->sums + i * w->fast->rows, w->hidden + i * w->a->units,
                     w->cell + i * w->a->units);
        }
    }
}

static void step_gru(const oribi_recurrent_worker *w, int64_t k, const float *gates)
{
    const oribi_recurrent_work *fast = w->fast;
    const oribi_cells *cells = fast->state->cells;
    const int64_t units = w->a->units, rows = fast->rows,
                  last = fast->counts.input + fast->counts.hidden;
    const bool is_behind = w->a->form != 0;
    sum_state(w, gates, w->hidden, 0, 2 * units, fast->counts.input, NULL);
    for (int64_t i = 0; i < w->n; i++) {
        float *reset = w->reset + i * units;
        gate(w, 0, w->sums + i * rows, 2 * units);
        memcpy(reset, w->sums + i * rows + units, (size_t)units * sizeof *reset);
        if (!is_behind) {
            cells->multiply(w->hidden + i * units, reset, units);
        }
    }
    sum_state(w, is_behind ? NULL : gates, is_behind ? w->hidden : w->reset, 2 * units, units, last,
              is_behind ? fast->last_bias + w->d * units : NULL);
    for (int64_t i = 0; i < w->n; i++) {
        const float *update = w->sums + i * rows;
        float *next = w->sums + i * rows + 2 * units;
        if (!runs(w, k, i)) {
            continue;
        }
        if (is_behind) { /* the reset's product goes onto the input's sums */
            cells->multiply(w->reset + i * units, next, units);
            for (int64_t u = 0; u < units; u++) {
                next[u] += gates[i * rows + 2 * units + u];
            }
        }
        gate(w, 1, next, units);
        cells->blend(NULL, update, w->hidden + i * units, next, units);
        memcpy(w->hidden + i * units, next, (size_t)units * sizeof *next);
    }
}

static void step_rnn(const oribi_recurrent_worker *w, int64_t k, const float *gates)
{
    const int64_t units = w->a->units;
    sum_state(w, gates, w->hidden, 0, units, w->fast->counts.input, NULL);
    for (int64_t i = 0; i < w->n; i++) {
        if (runs(w, k, i)) {
            gate(w, 0, w->sums + i * units, units);
            memcpy(w->hidden + i * units, w->sums + i * units, (size_t)units * sizeof *w->sums);
        }
    }
}

/* The step's output; behind a row's end 0. */
static void show(const oribi_recurrent_worker *w, int64_t k)
{
    const size_t bytes = (size_t)w->a->units * sizeof(float);
    float *y = w->fast->call.out[0];
    for (int64_t i = 0; i < w->n; i++) {
        const int64_t length = w->fast->call.lengths[w->b + i];
        const int64_t t = k < length ? oribi_recurrent_time(w->a, w->d, k, length) : k;
        float *to = y + oribi_recurrent_to(w->a, t, w->b + i, w->d) * w->a->units;
        if (k < length) {
            memcpy(to, w->hidden + i * w->a->units, bytes);
        } else {
            memset(to, 0, bytes);
        }
    }
}

void oribi_recurrent_run_block(void *object, int64_t begin, int64_t end)
{
    const oribi_recurrent_work *fast = object;
    const int32_t gates = fast->state->recurrent.gates;
    for (int64_t index = begin; index < end; index++) {
        const oribi_recurrent_worker w = oribi_recurrent_worker_of(fast, index);
        sum_input(&w);
        for (int64_t k = fast->first; k < fast->end; k++) {
            const float *sums = w.gates + (k - fast->first) * w.n * fast->rows;
            (gates == ORIBI_RECURRENT_LSTM  ? step_lstm
             : gates == ORIBI_RECURRENT_GRU ? step_gru
                                            : step_rnn)(&w, k, sums);
            show(&w, k);
        }
    }
}
