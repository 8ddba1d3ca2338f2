/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's LSTM, GRU and RNN, float32: constant weights are packed once, others by the call. The
 * input's products of many steps are one matrix product; then comes each step's product of the
 * hidden states and what the gates make of the sums (cells.h). Directions and groups of rows are
 * spread over the pool. The product is cpu/product/gemm.h. Read next: onnx_recurrent_fast.h.
 */
#include "cpu/base/families.h"
#include "cpu/recurrent/onnx_recurrent_fast.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_FLOATS =
        64 * 1024, /* sums of the input that a block of steps keeps: second level cache */
    BLOCK_CYCLES = 1000 * 1000, /* between two looks whether the run was stopped */
    GROUP_ROWS = 48             /* of the batch, that a worker takes at once */
};

static bool keep_dims(const oribi_weights_view *view, int32_t out[3])
{
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        fits = fits && view->dims.at[i] <= INT32_MAX / 8;
        out[i] = fits ? (int32_t)view->dims.at[i] : 0;
    }
    return fits;
}

static void free_bytes(oribi_recurrent_fast *state)
{
    const int64_t directions = state->recurrent.packed_w[0];
    for (int64_t i = 0; state->bytes != NULL && i < 2 * directions; i++) {
        oribi_byte_panels_free(&state->bytes[i]);
    }
    free(state->bytes);
    state->bytes = NULL;
}

/* Panels of bytes, if the weights of all directions are such. */
static bool pack_bytes(oribi_recurrent_fast *state, const oribi_weights_view *w,
                       const oribi_weights_view *r)
{
    const int64_t directions = w->dims.at[0];
    bool good = state->byte_rows != NULL && directions > 0;
    state->bytes = good ? calloc((size_t)directions, 2 * sizeof *state->bytes) : NULL;
    good = state->bytes != NULL;
    for (int64_t d = 0; good && d < directions; d++) {
        good = oribi_byte_panels_make(w, d, &state->bytes[2 * d]) &&
               oribi_byte_panels_make(r, d, &state->bytes[2 * d + 1]);
    }
    if (!good) {
        free_bytes(state);
    }
    return good;
}

static void pack_constants(oribi_kit_setup *setup, oribi_recurrent_fast *state)
{
    oribi_recurrent *recurrent = &state->recurrent;
    oribi_weights_view w, r;
    oribi_recurrent_counts counts;
    if (!oribi_weights_constant(setup, ORIBI_RECURRENT_W, 3, &w) ||
        !oribi_weights_constant(setup, ORIBI_RECURRENT_R, 3, &r) ||
        !keep_dims(&w, recurrent->packed_w) || !keep_dims(&r, recurrent->packed_r)) {
        return;
    }
    const int64_t gates = recurrent->gates, units = r.dims.at[2];
    const bool fits = w.dims.at[0] == r.dims.at[0] && w.dims.at[1] == gates * units &&
                      r.dims.at[1] == gates * units; /* else the call says what is wrong */
    if (!fits || !oribi_recurrent_count(state->variant, gates, units, w.dims.at[2], &counts)) {
        return;
    }
    if (!pack_bytes(state, &w, &r)) {
        state->panels = oribi_weights_allocate(setup, counts.each * w.dims.at[0]);
        if (state->panels != NULL) {
            oribi_recurrent_pack(state->variant, gates, &w, &r, &counts, state->panels);
        }
    }
    if (state->panels != NULL || state->bytes != NULL) {
        recurrent->is_packed = true;
        TF_OpKernelConstruction_ReleaseConstant(setup->construction, ORIBI_RECURRENT_W);
        TF_OpKernelConstruction_ReleaseConstant(setup->construction, ORIBI_RECURRENT_R);
    }
}

static void *fast_create(TF_OpKernelConstruction *construction, int32_t gates,
                         const oribi_gemm_variant *variant, const oribi_cells *cells,
                         bool is_dynamic, const oribi_byte_rows *byte_rows)
{
    oribi_kit_setup setup;
    oribi_recurrent_fast *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        state->variant = variant;
        state->cells = cells;
        state->is_dynamic = is_dynamic;
        state->byte_rows = byte_rows;
        oribi_recurrent_read(&setup, gates, &state->recurrent);
        pack_constants(&setup, state);
    }
    return oribi_kit_setup_end(&setup);
}

static void fast_destroy(void *arg)
{
    oribi_recurrent_fast *state = arg;
    if (state != NULL) {
        free_bytes(state);
        free(state->panels);
        free(state);
    }
}

/* --- The whole ------------------------------------------------------------------------------- */

/* Copies the states of all rows from the input, or zeros, to the workers; or back to the output. */
static void move_state(const oribi_recurrent_work *fast, int input, bool is_there, int output)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    const size_t bytes = (size_t)a->units * sizeof(float);
    for (int64_t index = 0; index < a->directions * fast->n_groups; index++) {
        const oribi_recurrent_worker w = oribi_recurrent_worker_of(fast, index);
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
static void join_biases(oribi_recurrent_work *fast)
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

static int64_t step_cycles(const oribi_recurrent_work *fast)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    const int64_t width = fast->state->variant->width;
    return fast->group * (fast->rows * ((int64_t)a->in_c + a->units) / width + fast->rows) + 1;
}

static void choose_sizes(oribi_kit_run *run, oribi_recurrent_work *fast)
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

static bool is_packed(const oribi_recurrent_fast *state)
{
    return state->panels != NULL || state->bytes != NULL;
}

/* Scratch for the workers, the biases and, where weights are computed, their panels. */
static bool make_room(oribi_kit_run *run, oribi_recurrent_work *fast, TF_Tensor **out_tensor)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    const oribi_recurrent_fast *state = fast->state;
    int64_t floats = 0, bytes = 0;
    if (!oribi_recurrent_count(state->variant, state->recurrent.gates, a->units, a->in_c,
                               &fast->counts)) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for packed weights");
    }
    fast->worker_floats = 3 * oribi_recurrent_lines(fast->group * a->units) +
                          oribi_recurrent_lines(fast->group * fast->rows) +
                          oribi_recurrent_places_room(fast) +
                          oribi_recurrent_lines(fast->steps * fast->group * fast->rows);
    const int64_t biases = oribi_recurrent_lines(a->directions * fast->rows) +
                           oribi_recurrent_lines(a->directions * a->units);
    const int64_t packed =
        is_packed(state) ? 0 : fast->counts.each * a->directions + ORIBI_RECURRENT_LINE;
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
    fast->last_bias = fast->bias + oribi_recurrent_lines(a->directions * fast->rows);
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
static bool round_input(oribi_kit_run *run, oribi_recurrent_work *fast, TF_Tensor **out_tensor)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    int64_t longest = a->is_batch_major != 0 ? a->steps : 0;
    for (int64_t b = 0; b < a->batch; b++) {
        longest = fast->call.lengths[b] > longest ? fast->call.lengths[b] : longest;
    }
    const int64_t count = longest * a->batch * a->in_c;
    const int64_t whole = (int64_t)a->steps * a->batch * a->in_c;
    const bool is_bytes = fast->state->bytes != NULL; /* of which the last group may lack some */
    const int64_t bytes =
        is_bytes ? whole + ORIBI_BYTE_GROUP : (whole + 1) * (int64_t)sizeof(float);
    void *rounded = oribi_kit_scratch(run, bytes, out_tensor);
    if (rounded != NULL && is_bytes) {
        fast->state->cells->place(fast->input, rounded, count, &fast->places_scale,
                                  &fast->places_zero);
        fast->places = rounded;
    } else if (rounded != NULL) {
        fast->state->cells->round(fast->input, rounded, count);
        fast->input = rounded;
    }
    return rounded != NULL;
}

static bool run_blocks(oribi_kit_run *run, oribi_recurrent_work *fast)
{
    const struct oribi_micro_recurrent_f32_args *a = &fast->call.args;
    int64_t patience = 0;
    join_biases(fast);
    if (!is_packed(fast->state)) {
        const oribi_weights_view w =
            seen(fast->call.in[ORIBI_RECURRENT_W], a->directions, fast->rows, a->in_c);
        const oribi_weights_view r =
            seen(fast->call.in[ORIBI_RECURRENT_R], a->directions, fast->rows, a->units);
        oribi_recurrent_pack(fast->state->variant, fast->state->recurrent.gates, &w, &r,
                             &fast->counts, fast->packed);
    }
    move_state(fast, ORIBI_RECURRENT_HIDDEN, a->has_hidden != 0, 0);
    move_state(fast, ORIBI_RECURRENT_CELL, a->has_cell != 0, 0);
    for (; fast->first < a->steps; fast->first = fast->end) {
        const int64_t left = a->steps - fast->first;
        const int64_t n = left < fast->steps ? left : fast->steps;
        fast->end = fast->first + n;
        oribi_kit_parallel(run, a->directions * fast->n_groups, n * step_cycles(fast), fast,
                           oribi_recurrent_run_block);
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

static bool fast_run(const oribi_recurrent_fast *state, oribi_kit_run *run)
{
    oribi_recurrent_work fast = {.state = state};
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
#define CELLS_vnni     oribi_cells_avx2
#define GEMM_portable  oribi_gemm_portable
#define GEMM_neon      oribi_gemm_neon
#define GEMM_avx2      oribi_gemm_avx2
#define GEMM_vnni      oribi_gemm_avx512

#define CREATE_ONE(name, gates, set, ...)                                                          \
    static void *name##_create_##set(TF_OpKernelConstruction *construction)                        \
    {                                                                                              \
        return fast_create(construction, gates, __VA_ARGS__);                                      \
    }
#define CREATE(part, set)                                                                          \
    CREATE_ONE(lstm, ORIBI_RECURRENT_LSTM, set, &oribi_gemm_##set, &CELLS_##set, false, NULL)      \
    CREATE_ONE(gru, ORIBI_RECURRENT_GRU, set, &oribi_gemm_##set, &CELLS_##set, false, NULL)        \
    CREATE_ONE(rnn, ORIBI_RECURRENT_RNN, set, &oribi_gemm_##set, &CELLS_##set, false, NULL)
/* Of weights that are no bytes the product is one of floats. */
#define CREATE_DYNAMIC(part, set)                                                                  \
    CREATE_ONE(dynamic, ORIBI_RECURRENT_LSTM, set, &GEMM_##set, &CELLS_##set, true,                \
               &oribi_byte_rows_##set)
#define FIELDS(op, name, set, near)                                                                \
    .op_name = op, .types = {{"T", ORIBI_CPU_F32}}, .create = name##_create_##set,                 \
    .compute = fast_compute, .destroy = fast_destroy, .tolerance = (float)(near),                  \
    .why = "packed product, " #set
#define ROW(op, name, set, near)                                                                   \
    {                                                                                              \
        FIELDS(op, name, set, near), ORIBI_ISA_FIELDS(set)                                         \
    }
/* What a hidden value near the middle of two places is rounded to may differ. */
#define ROWS(part, set)                                                                            \
    ROW("ONNX>LSTM", lstm, set, 1e-4), ROW("ONNX>GRU", gru, set, 1e-4),                            \
        ROW("ONNX>RNN", rnn, set, 1e-4),
#define DYNAMIC_ROW(part, set) ROW("Oribi>DynamicLstm", dynamic, set, 5e-2),

ORIBI_ISAS_OF_gemm(CREATE) ORIBI_ISAS_OF_byte_rows(CREATE_DYNAMIC)
    CREATE_ONE(dynamic, ORIBI_RECURRENT_LSTM, floats, &oribi_gemm_portable, &CELLS_portable, true,
               NULL)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_onnx_recurrent_fast_kernels[] = {
    ORIBI_ISAS_OF_gemm(ROWS)
    ORIBI_ISAS_OF_byte_rows(DYNAMIC_ROW)
    /* rows of one scale go together, so the plain loops are these, of floats */
    {FIELDS("Oribi>DynamicLstm", dynamic, floats, 5e-2), .priority = ORIBI_CPU_REFERENCE},
    {.op_name = NULL},
};
/* clang-format on */
