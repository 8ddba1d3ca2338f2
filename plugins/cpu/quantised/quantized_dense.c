/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QFullyConnected by micro/'s kernel, or by vectors with the same results: rows of inputs,
 * whatever the input's rank. Read next: quantized_panels.h. */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"
#include "cpu/quantised/quantized_panels.h"

#include "micro/dense/fully_connected_s8_prepare.h"

#include <stdlib.h>

typedef struct dense_state {
    const oribi_quantized_simd *simd; /* NULL: micro/'s kernel */
    oribi_quantized_panels panels;
    oribi_quantized_weights weights;
    struct oribi_micro_fully_connected_s8_spec spec;
    struct oribi_micro_fully_connected_s8_args args;
    bool keeps_rank;
    int64_t row_bytes; /* of a row of whole groups */
    int64_t more;      /* values that it has more than the input's */
} dense_state;

/* Is it known that the input has fewer rows than a tile? */
static bool has_few_rows(oribi_kit_setup *setup, const dense_state *state)
{
    int64_t dims[4] = {0}, values = 1;
    const int rank = TF_OpKernelConstruction_InputShape(setup->construction, 0, dims, 4);
    if (rank < 1 || rank > 4) {
        return false;
    }
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 1 || dims[i] > INT32_MAX / values) {
            return false;
        }
        values *= dims[i];
    }
    return values / state->spec.in_c < state->simd->format.least;
}

static void dense_pack(oribi_kit_setup *setup, dense_state *state)
{
    const struct oribi_micro_fully_connected_s8_args *a = &state->args;
    const oribi_quantized_layer layer = {a->filter,
                                         a->bias,
                                         a->multiplier,
                                         a->shift,
                                         state->spec.in_c,
                                         0,
                                         1,
                                         state->spec.out_c,
                                         state->spec.in_c,
                                         state->spec.in_c,
                                         a->per_channel != 0 ? 1 : 0,
                                         a->output_zero,
                                         a->low,
                                         a->high,
                                         has_few_rows(setup, state)};
    if (!oribi_quantized_panels_make(&layer, &state->simd->format, &state->panels)) {
        (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for %d channels",
                                   (int)layer.n_channels);
    }
    const int64_t taps = (int64_t)state->panels.groups * state->simd->format.group;
    state->row_bytes = taps * state->simd->format.bytes;
    state->more = taps - state->spec.in_c;
}

static void *dense_create_for(TF_OpKernelConstruction *construction,
                              const oribi_quantized_simd *simd)
{
    oribi_kit_setup setup;
    dense_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_quantized_attr(&setup, "input", &state->spec.input);
        oribi_quantized_attr(&setup, "output", &state->spec.output);
        oribi_quantized_activation(&setup, &state->spec.activation);
        oribi_kit_attr_bool(&setup, "keep_num_dims", &state->keeps_rank);
        oribi_quantized_weights_take(&setup, 2, 0, &state->weights);
    }
    if (state != NULL && TF_GetCode(setup.status) == TF_OK) {
        const oribi_quantized_weights *w = &state->weights;
        state->spec.in_c = w->filter_dims[1];
        state->spec.out_c = w->filter_dims[0];
        state->spec.filter = w->filter;
        state->spec.bias = w->bias;
        state->spec.filter_scales = w->scales;
        state->spec.n_filter_scales = w->n_scales;
        (void)oribi_quantized_setup_check(
            &setup, oribi_micro_fully_connected_s8_prepare(&state->spec, &state->args, w->folded,
                                                           w->multiplier, w->shift));
    }
    if (state != NULL && TF_GetCode(setup.status) == TF_OK && simd != NULL) {
        state->simd = simd;
        dense_pack(&setup, state);
    }
    return oribi_kit_setup_end(&setup);
}

static void dense_destroy(void *state)
{
    if (state != NULL) {
        oribi_quantized_panels_free(&((dense_state *)state)->panels);
        oribi_quantized_weights_free(&((dense_state *)state)->weights);
        free(state);
    }
}

/* Some rows, not more than a tile has pixels, in the format. */
typedef struct simd_work {
    const dense_state *state;
    const void *x;
    int8_t *output;
    int32_t rows;
} simd_work;

/* A unit is the panels that a processor reads side by side. */
static void simd_panels(void *object, int64_t begin, int64_t end)
{
    const simd_work *work = object;
    const dense_state *state = work->state;
    const oribi_quantized_window window = {state->row_bytes, 0, 1, state->panels.groups};
    const int32_t first = (int32_t)begin * ORIBI_SIDE_BY_SIDE;
    const oribi_quantized_panels panels = oribi_quantized_panels_part(
        &state->panels, &state->simd->format, first, (int32_t)(end - begin) * ORIBI_SIDE_BY_SIDE);
    state->simd->tile(&panels, work->x, &window, work->rows,
                      work->output + (int64_t)first * ORIBI_PANEL, state->args.out_c);
}

/* By way of x; `cost` cycles, about. A layer that threads would not share makes no loop. */
static inline void simd_tile(const dense_state *state, oribi_kit_run *run, const int8_t *input,
                             int32_t rows, int64_t cost, void *x, int8_t *output)
{
    enum { SHARED_CYCLES = 10000 };
    const oribi_quantized_window window = {state->row_bytes, 0, 1, state->panels.groups};
    const int64_t units = (state->panels.n_panels + ORIBI_SIDE_BY_SIDE - 1) / ORIBI_SIDE_BY_SIDE;
    void *to = x;
    for (int32_t i = 0; i < rows; i++) {
        to = state->simd->take(input + i * (int64_t)state->args.in_c, state->args.in_c, to);
        to = state->more > 0 ? state->simd->fill(0, state->more, to) : to;
    }
    if (cost >= SHARED_CYCLES && units > 1) {
        simd_work work = {state, x, output, rows};
        oribi_kit_parallel(run, units, cost / units, &work, simd_panels);
    } else {
        state->simd->tile(&state->panels, x, &window, rows, output, state->args.out_c);
    }
}

/* Rows by vectors, a few at a time. Few short ones wait on the stack, as asking for memory takes as
 * long as a small layer. */
static bool simd_rows(const dense_state *state, oribi_kit_run *run, int32_t rows, int8_t *output)
{
    enum { ROOM = 1024 };
    const int64_t in_c = state->args.in_c, out_c = state->args.out_c;
    const int8_t *input = TF_TensorData(run->in[0]);
    const int32_t pixels = state->simd->format.pixels;
    int64_t patience = 0;
    if (rows <= pixels && rows * state->row_bytes <= ROOM) {
        _Alignas(64) char room[ROOM];
        const int64_t cost = rows * in_c * out_c / 32;
        const bool goes_on = !oribi_kit_stops(run, &patience, cost);
        if (goes_on) {
            simd_tile(state, run, input, rows, cost, room, output);
        }
        return goes_on;
    }
    TF_Tensor *scratch = NULL;
    bool goes_on = true;
    void *x = oribi_kit_scratch(run, (rows < pixels ? rows : pixels) * state->row_bytes, &scratch);
    for (int32_t row = 0; x != NULL && goes_on && row < rows; row += pixels) {
        const int32_t n = rows - row < pixels ? rows - row : pixels;
        const int64_t cost = n * in_c * out_c / 32;
        goes_on = !oribi_kit_stops(run, &patience, cost);
        if (goes_on) {
            simd_tile(state, run, input + row * in_c, n, cost, x, output + row * out_c);
        }
    }
    if (scratch != NULL) {
        TF_DeleteTensor(scratch);
    }
    return x != NULL && goes_on;
}

typedef struct dense_call {
    struct oribi_micro_fully_connected_s8_args args;
    const int8_t *input;
    int8_t *output;
} dense_call;

/* A unit is one value of the result; a call of micro/ takes those of one row. */
static void dense_units(void *object, int64_t begin, int64_t end)
{
    const dense_call *call = object;
    const int64_t out_c = call->args.out_c;
    for (int64_t unit = begin; unit < end;) {
        struct oribi_micro_fully_connected_s8_args args = call->args;
        const int64_t row = unit / out_c, first = unit % out_c, left = out_c - first;
        const int64_t n = left < end - unit ? left : end - unit;
        args.rows = 1;
        args.out_c = (int32_t)n;
        args.filter += first * args.in_c;
        args.bias += first;
        args.multiplier += args.per_channel != 0 ? first : 0;
        args.shift += args.per_channel != 0 ? first : 0;
        oribi_micro_fully_connected_s8(&args, call->input + row * args.in_c, call->output + unit,
                                       NULL);
        unit += n;
    }
}

/* How many rows the input consists of; false: of no whole number. */
static bool count_rows(const dense_state *state, const TF_Tensor *input, int32_t *out_rows)
{
    const int64_t in_c = state->args.in_c, values = TF_TensorElementCount(input);
    const int rank = TF_NumDims(input);
    if (values < 1 || values > INT32_MAX ||
        (state->keeps_rank && (rank < 1 || TF_Dim(input, rank - 1) != in_c))) {
        return false;
    }
    if (values == in_c) { /* most often, and a division takes as long as a small layer's row */
        *out_rows = 1;
        return true;
    }
    *out_rows = (int32_t)(values / in_c);
    return values % in_c == 0;
}

/* Are so many rows few enough? One is: its sizes were looked at when the kernel was made. */
static bool rows_fit(const dense_state *state, oribi_kit_run *run, int32_t rows)
{
    struct oribi_micro_fully_connected_s8_args args;
    return rows == 1 || oribi_quantized_check(
                            run, oribi_micro_fully_connected_s8_resize(&state->spec, rows, &args));
}

static bool dense_run(const dense_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    int32_t rows = 0;
    if (!count_rows(state, run->in[0], &rows)) {
        return oribi_cpu_input_shape(run, 0, &shape) &&
               oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "an input of shape %s does not consist of rows of %d values",
                              oribi_cpu_shape_text(&shape).chars, (int)state->args.in_c);
    }
    if (!rows_fit(state, run, rows)) {
        return false;
    }
    if (!state->keeps_rank) {
        shape.n = 2;
        shape.at[0] = rows;
    } else if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    shape.at[shape.n - 1] = state->args.out_c;
    int8_t *output = oribi_kit_output(run, 0, shape.at, shape.n);
    if (output != NULL && state->simd != NULL) {
        return simd_rows(state, run, rows, output);
    }
    if (output != NULL) {
        dense_call call = {state->args, TF_TensorData(run->in[0]), output};
        oribi_kit_parallel(run, (int64_t)rows * call.args.out_c, call.args.in_c, &call,
                           dense_units);
    }
    return output != NULL;
}
ORIBI_KIT_COMPUTE(dense, 1)

#define CREATE(set, simd)                                                                          \
    static void *dense_create_##set(TF_OpKernelConstruction *construction)                         \
    {                                                                                              \
        return dense_create_for(construction, simd);                                               \
    }
#define CREATE_SET(part, set) CREATE(set, &oribi_quantized_##set)
#define ROW(set, text)                                                                             \
    {.op_name = "Oribi>QFullyConnected",                                                           \
     .types = {{"T", ORIBI_KIT_TYPE(TF_INT8)}},                                                    \
     ORIBI_ISA_FIELDS(set),                                                                        \
     .create = dense_create_##set,                                                                 \
     .compute = dense_compute,                                                                     \
     .destroy = dense_destroy,                                                                     \
     .why = text},
#define ROW_SET(part, set) ROW(set, "panels of 16 channels, the same bits, " #set)

CREATE(any, NULL)
ORIBI_ISAS_OF_quantized_panels(CREATE_SET)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_quantized_dense_kernels[] = {
    ROW(any, ORIBI_QUANTIZED_WHY)
    ORIBI_ISAS_OF_quantized_panels(ROW_SET)
    {.op_name = NULL},
};
/* clang-format on */
