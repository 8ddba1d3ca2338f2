/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's LSTM, GRU and RNN, float32: constant weights are packed once, others by the call. The
 * input's products of many steps are one matrix product; then comes each step's product of the
 * hidden states and what the gates make of the sums (cells.h). Directions and groups of rows are
 * spread over the pool. The product is cpu/product/gemm.h.
 */
#include "cpu/base/families.h"
#include "cpu/product/packed_weights.h"
#include "cpu/recurrent/cells.h"
#include "cpu/recurrent/onnx_recurrent_call.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE = 16, /* floats of a cache line: what scratch is aligned to */
    BLOCK_FLOATS =
        64 * 1024, /* sums of the input that a block of steps keeps: second level cache */
    BLOCK_CYCLES = 1000 * 1000, /* between two looks whether the run was stopped */
    GROUP_ROWS = 48             /* of the batch, that a worker takes at once */
};

typedef struct fast_state {
    oribi_recurrent recurrent;
    bool is_dynamic; /* products round their left sides, each as a whole, to 256 places first */
    const oribi_gemm_variant *variant;
    const oribi_cells *cells;
    float *panels; /* NULL: packed by the call */
} fast_state;

/* --- Packing --------------------------------------------------------------------------------- */

/* Of one direction, in floats: the input's panels, the hidden state's, and of a GRU those of the
 * hidden gate, whose product comes after the others. */
typedef struct panel_counts {
    int64_t input, hidden, last, each; /* each: where the next direction begins */
} panel_counts;

static int64_t lines(int64_t floats)
{
    int64_t whole = 0;
    return oribi_count_round_up(floats, LINE, &whole) ? whole : INT64_MAX / 64;
}

/* False: more than int64 has. */
static bool count_panels(const oribi_gemm_variant *variant, int64_t gates, int64_t units,
                         int64_t in_c, panel_counts *out)
{
    const bool is_gru = gates == ORIBI_RECURRENT_GRU;
    out->input = oribi_weights_count(variant, 1, in_c, gates * units);
    out->hidden = oribi_weights_count(variant, 1, units, is_gru ? 2 * units : gates * units);
    out->last = is_gru ? oribi_weights_count(variant, 1, units, units) : 0;
    if (out->input < 0 || out->hidden < 0 || out->last < 0) {
        return false;
    }
    out->input = lines(out->input);
    out->hidden = lines(out->hidden);
    out->last = lines(out->last);
    out->each = out->input + out->hidden + out->last;
    return out->each < INT64_MAX / 64;
}

/* Rows [first, first + n) of direction d of w or r, [directions, rows, k]. */
static oribi_gemm_source source_of(const oribi_weights_view *view, int64_t d, int64_t first,
                                   int64_t n)
{
    return (oribi_gemm_source){.data = view->data + d * view->strides.at[0] +
                                       first * view->strides.at[1],
                               .outer = 1,
                               .middle = 1,
                               .inner = view->dims.at[2],
                               .n = n,
                               .inner_stride = view->strides.at[2],
                               .n_stride = view->strides.at[1]};
}

static void pack(const oribi_gemm_variant *variant, int64_t gates, const oribi_weights_view *w,
                 const oribi_weights_view *r, const panel_counts *counts, float *out)
{
    const int64_t units = r->dims.at[2], rows = gates * units;
    const int64_t behind = gates == ORIBI_RECURRENT_GRU ? units : 0;
    for (int64_t d = 0; d < w->dims.at[0]; d++, out += counts->each) {
        const oribi_gemm_source input = source_of(w, d, 0, rows);
        const oribi_gemm_source hidden = source_of(r, d, 0, rows - behind);
        const oribi_gemm_source last = source_of(r, d, rows - behind, behind);
        oribi_gemm_pack(variant, &input, out);
        oribi_gemm_pack(variant, &hidden, out + counts->input);
        if (behind > 0) {
            oribi_gemm_pack(variant, &last, out + counts->input + counts->hidden);
        }
    }
}

static bool keep_dims(const oribi_weights_view *view, int32_t out[3])
{
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        fits = fits && view->dims.at[i] <= INT32_MAX / 8;
        out[i] = fits ? (int32_t)view->dims.at[i] : 0;
    }
    return fits;
}

static void pack_constants(oribi_kit_setup *setup, fast_state *state)
{
    oribi_recurrent *recurrent = &state->recurrent;
    oribi_weights_view w, r;
    panel_counts counts;
    if (!oribi_weights_constant(setup, ORIBI_RECURRENT_W, 3, &w) ||
        !oribi_weights_constant(setup, ORIBI_RECURRENT_R, 3, &r) ||
        !keep_dims(&w, recurrent->packed_w) || !keep_dims(&r, recurrent->packed_r)) {
        return;
    }
    const int64_t gates = recurrent->gates, units = r.dims.at[2];
    const bool fits = w.dims.at[0] == r.dims.at[0] && w.dims.at[1] == gates * units &&
                      r.dims.at[1] == gates * units; /* else the call says what is wrong */
    if (!fits || !count_panels(state->variant, gates, units, w.dims.at[2], &counts)) {
        return;
    }
    state->panels = oribi_weights_allocate(setup, counts.each * w.dims.at[0]);
    if (state->panels != NULL) {
        pack(state->variant, gates, &w, &r, &counts, state->panels);
        recurrent->is_packed = true;
        TF_OpKernelConstruction_ReleaseConstant(setup->construction, ORIBI_RECURRENT_W);
        TF_OpKernelConstruction_ReleaseConstant(setup->construction, ORIBI_RECURRENT_R);
    }
}

static void *fast_create(TF_OpKernelConstruction *construction, int32_t gates, bool is_dynamic,
                         const oribi_gemm_variant *variant, const oribi_cells *cells)
{
    oribi_kit_setup setup;
    fast_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        state->variant = variant;
        state->cells = cells;
        state->is_dynamic = is_dynamic;
        oribi_recurrent_read(&setup, gates, &state->recurrent);
        pack_constants(&setup, state);
    }
    return oribi_kit_setup_end(&setup);
}

static void fast_destroy(void *arg)
{
    fast_state *state = arg;
    if (state != NULL) {
        free(state->panels);
        free(state);
    }
}

/* --- A call ---------------------------------------------------------------------------------- */

typedef struct fast_call {
    oribi_recurrent_call call;
    const fast_state *state;
    panel_counts counts;
    float *packed;
    const float *input;              /* x, perhaps rounded */
    int64_t rows;                    /* gates * units */
    int64_t group, n_groups;         /* rows of the batch that go together */
    int64_t steps;                   /* of a block */
    int64_t first, end;              /* of the block, counted as rows compute them */
    int64_t worker_floats;           /* of one group of one direction */
    float *bias, *last_bias, *rooms; /* of directions; of a GRU's hidden gate behind the reset */
} fast_call;

/* One group of one direction. */
typedef struct worker {
    const fast_call *fast;
    const struct oribi_micro_recurrent_f32_args *a;
    int64_t d, b, n; /* direction, first row, rows */
    const float *panels;
    float *gates;                 /* sums of the input: [steps, n, rows] */
    float *sums;                  /* of a step: [n, rows] */
    float *hidden, *cell, *reset; /* [n, units] */
    oribi_cells_function functions[3];
    const float *peephole;
} worker;

static worker worker_of(const fast_call *fast, int64_t index)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    const int64_t gates = fast->state->recurrent.gates, each = gates > 1 ? gates - 1 : 1;
    const int64_t d = index / fast->n_groups, b = index % fast->n_groups * fast->group;
    const int64_t states = lines(fast->group * a->units);
    float *room = fast->rooms + index * fast->worker_floats;
    worker w = {.fast = fast, .a = a, .d = d, .b = b};
    w.n = a->batch - b < fast->group ? a->batch - b : fast->group;
    w.panels = fast->packed + d * fast->counts.each;
    w.hidden = room;
    w.cell = room + states;
    w.reset = w.cell + states;
    w.sums = w.reset + states;
    w.gates = w.sums + lines(fast->group * fast->rows);
    for (int64_t i = 0; i < each; i++) {
        const int64_t k = d * each + i;
        w.functions[i] = (oribi_cells_function){a->function[k], a->alpha[k], a->beta[k]};
    }
    w.peephole = fast->call.in[ORIBI_RECURRENT_PEEPHOLE];
    w.peephole = w.peephole != NULL ? w.peephole + 3 * d * a->units : NULL;
    return w;
}

/* Rows of the input's product: step after step, in each the group's rows. A row that has ended
 * shows its first step, and what comes of it is not used. */
static void input_rows(const void *arg, int64_t row, int32_t n_rows, int64_t tap, int64_t n_taps,
                       int64_t channel, const float **out)
{
    const worker *w = arg;
    const float *x = w->fast->input;
    int64_t k = w->fast->first + row / w->n, i = row % w->n;
    (void)tap; /* there is one */
    (void)n_taps;
    for (int32_t r = 0; r < n_rows; r++) {
        const int64_t length = w->fast->call.lengths[w->b + i];
        const int64_t t = k < length ? oribi_recurrent_time(w->a, w->d, k, length) : 0;
        out[r] = x + oribi_recurrent_from(w->a, t, w->b + i) * w->a->in_c + channel;
        i++;
        k += i == w->n ? 1 : 0;
        i = i == w->n ? 0 : i;
    }
}

typedef struct state_rows {
    const float *at;
    int64_t stride;
} state_rows;

static void hidden_rows(const void *arg, int64_t row, int32_t n_rows, int64_t tap, int64_t n_taps,
                        int64_t channel, const float **out)
{
    const state_rows *rows = arg;
    (void)tap; /* there is one */
    (void)n_taps;
    for (int32_t i = 0; i < n_rows; i++) {
        out[i] = rows->at + (row + i) * rows->stride + channel;
    }
}

static oribi_gemm product_of(const worker *w, const float *panels, int64_t m, int64_t k, int64_t n,
                             float *c)
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
static void sum_input(const worker *w)
{
    const fast_call *fast = w->fast;
    oribi_gemm gemm = product_of(w, w->panels, (fast->end - fast->first) * w->n, w->a->in_c,
                                 fast->rows, w->gates);
    gemm.rows = input_rows;
    gemm.rows_arg = w;
    gemm.bias = fast->bias + w->d * fast->rows;
    run_product(&gemm);
}

/* The sums of a step: columns [first, first + n) of the input's, and the product of `state`. */
static void sum_state(const worker *w, const float *gates, const float *state, int64_t first,
                      int64_t n, int64_t panels_at, const float *bias)
{
    const state_rows rows = {state, w->a->units};
    oribi_gemm gemm = product_of(w, w->panels + panels_at, w->n, w->a->units, n, w->sums + first);
    gemm.rows = hidden_rows;
    gemm.rows_arg = &rows;
    gemm.residual = gates != NULL ? gates + first : NULL;
    gemm.bias = bias;
    run_product(&gemm);
}

static void gate(const worker *w, int function, float *x, int64_t n)
{
    if (w->a->clip > 0.0f) {
        w->fast->state->cells->clip(w->a->clip, x, n);
    }
    w->fast->state->cells->apply(&w->functions[function], x, n);
}

/* --- Steps: rows for which `runs` is false keep their state ----------------------------------- */

static bool runs(const worker *w, int64_t k, int64_t i)
{
    return k < w->fast->call.lengths[w->b + i];
}

static void lstm_row(const worker *w, float *sums, float *hidden, float *cell)
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

static void step_lstm(const worker *w, int64_t k, const float *gates)
{
    const float *hidden = w->hidden;
    if (w->fast->state->is_dynamic) {
        w->fast->state->cells->round(w->hidden, w->reset, w->n * w->a->units);
        hidden = w->reset;
    }
    sum_state(w, gates, hidden, 0, w->fast->rows, w->fast->counts.input, NULL);
    for (int64_t i = 0; i < w->n; i++) {
        if (runs(w, k, i)) {
            lstm_row(w, w->sums + i * w->fast->rows, w->hidden + i * w->a->units,
                     w->cell + i * w->a->units);
        }
    }
}

static void step_gru(const worker *w, int64_t k, const float *gates)
{
    const fast_call *fast = w->fast;
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

static void step_rnn(const worker *w, int64_t k, const float *gates)
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
static void show(const worker *w, int64_t k)
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

static void run_block(void *object, int64_t begin, int64_t end)
{
    const fast_call *fast = object;
    const int32_t gates = fast->state->recurrent.gates;
    for (int64_t index = begin; index < end; index++) {
        const worker w = worker_of(fast, index);
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

/* --- The whole ------------------------------------------------------------------------------- */

/* Copies the states of all rows from the input, or zeros, to the workers; or back to the output. */
static void move_state(const fast_call *fast, int input, bool is_there, int output)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    const size_t bytes = (size_t)a->units * sizeof(float);
    for (int64_t index = 0; index < a->directions * fast->n_groups; index++) {
        const worker w = worker_of(fast, index);
        for (int64_t i = 0; i < w.n; i++) {
            const int64_t at = oribi_recurrent_state(a, w.b + i, w.d) * a->units;
            float *state = (input == ORIBI_RECURRENT_HIDDEN ? w.hidden : w.cell) + i * a->units;
            if (output > 0) {
                memcpy((float *)fast->call.out[output] + at, state, bytes);
            } else if (is_there && fast->call.lengths[w.b + i] > 0) {
                memcpy(state, (const float *)fast->call.in[input] + at, bytes);
            } else {
                memset(state, 0, bytes);
            }
        }
    }
}

/* The two biases as one; that of a GRU's hidden gate stays apart where the reset comes behind. */
static void join_biases(fast_call *fast)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    const float *given = fast->call.in[ORIBI_RECURRENT_B];
    const int64_t apart =
        fast->state->recurrent.gates == ORIBI_RECURRENT_GRU && a->form != 0 ? a->units : 0;
    for (int64_t d = 0; d < a->directions; d++) {
        const float *own = given != NULL ? given + 2 * d * fast->rows : NULL;
        for (int64_t row = 0; row < fast->rows; row++) {
            const bool is_joint = row < fast->rows - apart;
            const float second = own != NULL ? own[fast->rows + row] : 0.0f;
            fast->bias[d * fast->rows + row] =
                (own != NULL ? own[row] : 0.0f) + (is_joint ? second : 0.0f);
            if (!is_joint) {
                fast->last_bias[d * a->units + row - (fast->rows - apart)] = second;
            }
        }
    }
}

static int64_t step_cycles(const fast_call *fast)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    const int64_t width = fast->state->variant->width;
    return fast->group * (fast->rows * ((int64_t)a->in_c + a->units) / width + fast->rows) + 1;
}

static void choose_sizes(oribi_kit_run *run, fast_call *fast)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    const int64_t threads = TF_ThreadPool_NumThreads(run->context);
    const int64_t wanted = ((int64_t)a->batch * a->directions + threads - 1) / threads;
    const int64_t least = fast->state->variant->rows;
    fast->rows = (int64_t)fast->state->recurrent.gates * a->units;
    fast->group = wanted < least ? least : wanted > GROUP_ROWS ? GROUP_ROWS : wanted;
    fast->group = fast->state->is_dynamic || fast->group > a->batch ? a->batch : fast->group;
    fast->n_groups = (a->batch + fast->group - 1) / fast->group;
    const int64_t by_room = BLOCK_FLOATS / (fast->group * fast->rows);
    const int64_t by_time = BLOCK_CYCLES / step_cycles(fast) + 1;
    fast->steps = by_room < by_time ? by_room : by_time;
    fast->steps = fast->steps < 1 ? 1 : fast->steps < a->steps ? fast->steps : a->steps;
}

/* Scratch for the workers, the biases and, where weights are computed, their panels. */
static bool make_room(oribi_kit_run *run, fast_call *fast, TF_Tensor **out_tensor)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    const fast_state *state = fast->state;
    int64_t floats = 0, bytes = 0;
    if (!count_panels(state->variant, state->recurrent.gates, a->units, a->in_c, &fast->counts)) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for packed weights");
    }
    fast->worker_floats = 3 * lines(fast->group * a->units) + lines(fast->group * fast->rows) +
                          lines(fast->steps * fast->group * fast->rows);
    const int64_t biases = lines(a->directions * fast->rows) + lines(a->directions * a->units);
    const int64_t packed = state->panels == NULL ? fast->counts.each * a->directions + LINE : 0;
    if (__builtin_mul_overflow(fast->worker_floats, a->directions * fast->n_groups, &floats) ||
        __builtin_add_overflow(floats, biases + packed, &floats) ||
        __builtin_mul_overflow(floats, (int64_t)sizeof(float), &bytes)) {
        bytes = INT64_MAX;
    }
    float *room = oribi_kit_scratch(run, bytes, out_tensor);
    if (room == NULL) {
        return false;
    }
    fast->bias = room + packed;
    fast->last_bias = fast->bias + lines(a->directions * fast->rows);
    fast->rooms = fast->bias + biases;
    fast->packed = state->panels != NULL ? state->panels : room;
    return true;
}

/* Inputs of the call, as the constants of a kernel are seen. */
static oribi_weights_view seen(const void *data, int64_t directions, int64_t rows, int64_t k)
{
    return (oribi_weights_view){data, {3, {directions, rows, k}}, {3, {rows * k * 4, k * 4, 4}}};
}

/* x as a dynamic product sees it; where steps go first those behind the longest row do not count.
 */
static bool round_input(oribi_kit_run *run, fast_call *fast, TF_Tensor **out_tensor)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    int64_t longest = a->is_batch_major != 0 ? a->steps : 0;
    for (int64_t b = 0; b < a->batch; b++) {
        longest = fast->call.lengths[b] > longest ? fast->call.lengths[b] : longest;
    }
    const int64_t count = longest * a->batch * a->in_c;
    float *rounded = oribi_kit_scratch(
        run, ((int64_t)a->steps * a->batch * a->in_c + 1) * (int64_t)sizeof(float), out_tensor);
    if (rounded != NULL) {
        fast->state->cells->round(fast->input, rounded, count);
        fast->input = rounded;
    }
    return rounded != NULL;
}

static bool run_blocks(oribi_kit_run *run, fast_call *fast)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    int64_t patience = 0;
    join_biases(fast);
    if (fast->state->panels == NULL) {
        const oribi_weights_view w =
            seen(fast->call.in[ORIBI_RECURRENT_W], a->directions, fast->rows, a->in_c);
        const oribi_weights_view r =
            seen(fast->call.in[ORIBI_RECURRENT_R], a->directions, fast->rows, a->units);
        pack(fast->state->variant, fast->state->recurrent.gates, &w, &r, &fast->counts,
             fast->packed);
    }
    move_state(fast, ORIBI_RECURRENT_HIDDEN, a->has_hidden != 0, 0);
    move_state(fast, ORIBI_RECURRENT_CELL, a->has_cell != 0, 0);
    for (; fast->first < a->steps; fast->first = fast->end) {
        const int64_t left = a->steps - fast->first;
        const int64_t n = left < fast->steps ? left : fast->steps;
        fast->end = fast->first + n;
        oribi_kit_parallel(run, a->directions * fast->n_groups, n * step_cycles(fast), fast,
                           run_block);
        if (oribi_kit_stops(run, &patience, n * step_cycles(fast))) {
            return false;
        }
    }
    move_state(fast, ORIBI_RECURRENT_HIDDEN, false, 1);
    if (fast->state->recurrent.gates == ORIBI_RECURRENT_LSTM) {
        move_state(fast, ORIBI_RECURRENT_CELL, false, 2);
    }
    return true;
}

static bool fast_run(const fast_state *state, oribi_kit_run *run)
{
    fast_call fast = {.state = state};
    TF_Tensor *tensor = NULL, *rounded = NULL;
    bool good = oribi_recurrent_take(run, &state->recurrent, &fast.call);
    const bool is_empty = fast.call.args.batch == 0 || fast.call.args.units == 0;
    if (good && !is_empty) {
        choose_sizes(run, &fast);
        fast.input = fast.call.in[ORIBI_RECURRENT_X];
        good = make_room(run, &fast, &tensor) &&
               (!state->is_dynamic || round_input(run, &fast, &rounded)) && run_blocks(run, &fast);
    }
    TF_DeleteTensor(rounded);
    TF_DeleteTensor(tensor);
    TF_DeleteTensor(fast.call.scratch);
    return good;
}
ORIBI_KIT_COMPUTE(fast, 1)

/* --- Rows ------------------------------------------------------------------------------------ */

/* The loops that go with each product. */
#define CELLS_portable oribi_cells_portable
#define CELLS_neon     oribi_cells_portable
#define CELLS_avx2     oribi_cells_avx2
#define CELLS_avx512   oribi_cells_avx2

#define CREATE_ONE(name, gates, is_dynamic, set)                                                   \
    static void *name##_create_##set(TF_OpKernelConstruction *construction)                        \
    {                                                                                              \
        return fast_create(construction, gates, is_dynamic, &oribi_gemm_##set, &CELLS_##set);      \
    }
#define CREATE(part, set)                                                                          \
    CREATE_ONE(lstm, ORIBI_RECURRENT_LSTM, false, set)                                             \
    CREATE_ONE(dynamic, ORIBI_RECURRENT_LSTM, true, set)                                           \
    CREATE_ONE(gru, ORIBI_RECURRENT_GRU, false, set)                                               \
    CREATE_ONE(rnn, ORIBI_RECURRENT_RNN, false, set)
#define FIELDS(op, name, set, near)                                                                \
    .op_name = op, .types = {{"T", ORIBI_CPU_F32}}, .create = name##_create_##set,                 \
    .compute = fast_compute, .destroy = fast_destroy, .tolerance = near,                           \
    .why = "packed product, " #set
#define ROW(op, name, set, near)                                                                   \
    {                                                                                              \
        FIELDS(op, name, set, near), ORIBI_ISA_FIELDS(set)                                         \
    }
/* What a hidden value near the middle of two places is rounded to may differ. */
#define ROWS(part, set)                                                                            \
    ROW("ONNX>LSTM", lstm, set, 1e-4), ROW("Oribi>DynamicLstm", dynamic, set, 5e-2),               \
        ROW("ONNX>GRU", gru, set, 1e-4), ROW("ONNX>RNN", rnn, set, 1e-4),

ORIBI_ISAS_OF_gemm(CREATE)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_onnx_recurrent_fast_kernels[] = {
    ORIBI_ISAS_OF_gemm(ROWS)
    /* rows of one scale go together, so the plain loops are these */
    {FIELDS("Oribi>DynamicLstm", dynamic, portable, 5e-2), .priority = ORIBI_CPU_REFERENCE},
    {.op_name = NULL},
};
/* clang-format on */
