/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearMatMul by panels (qlinear_panels.h). */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_MATMUL_LOOPS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_MATMUL_LOOPS_H_

#include "cpu/qlinear/qlinear_panels.h"
#include "cpu/qlinear/qlinear_product.h"

typedef struct matmul_state {
    oribi_qlinear_matmul_state product;
    weight *packed; /* constant matrices, else NULL */
} matmul_state;

typedef struct matmul_call {
    oribi_qlinear_matmul_call of;
    scaling floats; /* of a hybrid layer */
    const weight *packed;
    weight *to;          /* what is being packed */
    int64_t n_panels;    /* of all that is */
    bool has_row_part;   /* qlinear_quads.h */
    int32_t lots, parts; /* of a product: LINES rows, PANEL columns */
} matmul_call;

/* Panels [begin, end) of all matrices b. */
static void matmul_pack(void *object, int64_t begin, int64_t end)
{
    const matmul_call *call = object;
    const struct oribi_micro_qlinear_matmul_args *a = &call->of.args;
    const int32_t panels = panels_of(a->columns);
    for (int64_t at = begin; at < end; at++) {
        const weights matrix = {.from = call->of.b + at / panels * a->inner * a->columns,
                                .zeros = call->of.b_zeros,
                                .zero_step = a->b_zero_step,
                                .is_signed = a->b_signed,
                                .inner = a->inner,
                                .columns = a->columns,
                                .stride = a->columns};
        pack_panel(&matrix, (int32_t)(at % panels) * COLUMNS,
                   panel_place(call->to, at, call->n_panels, a->inner));
    }
}

/* A block of a product: what its rows and columns have. */
typedef struct matmul_part {
    packed_panels panels;  /* from column `first` on */
    const int32_t *zeros;  /* of the first row */
    int64_t row;           /* of all products */
    int32_t first, count;  /* columns */
    int32_t begins[PANEL]; /* what their sums begin with */
} matmul_part;

/* Columns of the panel that begins at column c. */
static int32_t columns_left(const matmul_part *part, int32_t c)
{
    return part->count - c < COLUMNS ? part->count - c : COLUMNS;
}

/* What the zero points of lines take off, where each has one of its own. */
static void take_off_zeros(const matmul_call *call, const block *b, const weight *panel,
                           const int32_t *zeros, int32_t *sums)
{
    for (int32_t r = 0; r < b->lines; r++) {
        int32_t more[COLUMNS];
        begin_sums(panel, zero_number(call->of.args.a_signed != 0 ? 128U : 0U, zeros[r]), more);
        for (int32_t c = 0; c < COLUMNS; c++) {
            int32_t *sum = sums + r * COLUMNS + c;
            *sum = (int32_t)((uint32_t)*sum + (uint32_t)more[c]);
        }
    }
}

/* Results of the block's columns from `c` of the part on, whose sums are there. */
static void matmul_store(const matmul_call *call, const block *b, const matmul_part *part,
                         int32_t c, const int32_t *sums)
{
    const struct oribi_micro_qlinear_matmul_args *a = &call->of.args;
    const float *multipliers = call->of.multipliers;
    float same[COLUMNS];
    ending e = {.kind = a->output,
                .zero = a->output_zero,
                .low = a->low,
                .high = a->high,
                .multipliers = multipliers + part->first + c,
                .floats = call->floats};
    if (e.floats.scales != NULL) {
        e.floats.scales += part->row * e.floats.step;
        e.floats.bias += part->first + c;
    }
    if (a->multiplier_step == 0) {
        for (int32_t i = 0; i < COLUMNS; i++) {
            same[i] = multipliers[0];
        }
        e.multipliers = same;
    }
    const int64_t width = width_of(a->output), step = a->columns * width;
    store_results(&e, sums, b->lines, b->count,
                  call->of.output + part->row * step + (part->first + c) * width, step);
}

/* Products of a chunk with all panels of the part, and behind the last chunk results. */
static void matmul_chunk(const matmul_call *call, block *b, const matmul_part *part, bool is_last)
{
    const struct oribi_micro_qlinear_matmul_args *a = &call->of.args;
    for (int32_t c = 0; c < part->count; c += COLUMNS) {
        int32_t *sums = sums_of(b, c);
        const weight *panel = panel_of(&part->panels, c);
        b->count = columns_left(part, c);
        b->ahead = next_part(&part->panels, c, part->count, b->at);
        add_panel(b, panel, a->inner, part->begins + c, sums, NULL);
        if (is_last && a->a_zero_step != 0) {
            take_off_zeros(call, b, panel, part->zeros, sums);
        }
        if (is_last) {
            end_panel(b, panel, sums);
            matmul_store(call, b, part, c, sums);
        }
    }
}

/* The results of a part without products. */
static void matmul_empty(const matmul_call *call, block *b, const matmul_part *part)
{
    memset(b->sums, 0, sizeof b->sums);
    for (int32_t c = 0; c < part->count; c += COLUMNS) {
        b->count = columns_left(part, c);
        matmul_store(call, b, part, c, sums_of(b, c));
    }
}

/* `lines` rows from `row` on of one product, PANEL columns or fewer from `first` on. */
static void matmul_block(const matmul_call *call, int64_t product, int32_t row, int32_t lines,
                         int32_t first)
{
    const struct oribi_micro_qlinear_matmul_args *a = &call->of.args;
    const int32_t n_panels = panels_of(a->columns), left = a->columns - first;
    const uint32_t flip = a->a_signed != 0 ? 128U : 0U;
    int64_t matrix = 0, other = 0;
    oribi_quantized_matrices(&a->batch, product, &matrix, &other);
    const uint8_t *from = call->of.a + (matrix * a->rows + row) * a->inner;
    matmul_part part = {
        {call->packed, other * n_panels + first / COLUMNS, a->inner, n_panels - first / COLUMNS},
        call->of.a_zeros + (int64_t)row * a->a_zero_step,
        product * a->rows + row,
        first,
        left < PANEL ? left : PANEL,
        {0}};
    block b;
    begin_block(&b, lines, call->has_row_part);
    if (a->inner == 0) {
        matmul_empty(call, &b, &part);
        return;
    }
    const int32_t rows = rows_of(lines);
    b.ready = are_numbers(flip) && a->inner % GROUP == 0 ? lines / rows * rows : 0;
    b.step = a->inner;
    b.base = base_of(zero_number(flip, part.zeros[0]));
    for (int32_t c = 0; a->a_zero_step == 0 && c < part.count; c += COLUMNS) {
        begin_sums(panel_of(&part.panels, c), zero_number(flip, part.zeros[0]), part.begins + c);
    }
    for (int32_t k = 0; k < a->inner; k += CHUNK) {
        const int32_t n = a->inner - k < CHUNK ? a->inner - k : CHUNK;
        b.from = (const number *)(const void *)(from + k);
        for (int32_t r = b.ready; r < lines; r++) {
            take_bytes(from + (int64_t)r * a->inner + k, n, flip, part.zeros[r * a->a_zero_step],
                       b.numbers + r * CHUNK);
        }
        begin_chunk(&b, k, n);
        matmul_chunk(call, &b, &part, k + n == a->inner);
    }
}

/* A unit is a block: some rows and some columns of a product. */
static void matmul_blocks(void *object, int64_t begin, int64_t end)
{
    const matmul_call *call = object;
    for (int64_t unit = begin; unit < end; unit++) {
        const int32_t first = (int32_t)(unit % call->parts) * PANEL;
        const int32_t row = (int32_t)(unit / call->parts % call->lots) * LINES;
        const int32_t left = call->of.args.rows - row;
        matmul_block(call, unit / call->parts / call->lots, row, left < LINES ? left : LINES,
                     first);
    }
}

/* Packs all matrices b of a run; NULL: failed. */
static const weight *matmul_pack_run(oribi_kit_run *run, matmul_call *call, TF_Tensor **out_tensor)
{
    const struct oribi_micro_qlinear_matmul_args *a = &call->of.args;
    const int64_t matrices = TF_TensorElementCount(run->in[1]) / a->inner / a->columns;
    call->n_panels = matrices * panels_of(a->columns);
    call->to = packed_scratch(run, call->n_panels, a->inner, out_tensor);
    if (call->to != NULL) {
        oribi_kit_parallel(run, call->n_panels, (int64_t)a->inner * COLUMNS, call, matmul_pack);
    }
    return call->to;
}

/* A call whose inputs fit. */
static bool matmul_product(oribi_kit_run *run, matmul_call *call)
{
    enum { PER_CYCLE = 8 * GROUP };
    const struct oribi_micro_qlinear_matmul_args *a = &call->of.args;
    TF_Tensor *tensor = NULL;
    if (call->packed == NULL && a->inner > 0 &&
        (call->packed = matmul_pack_run(run, call, &tensor)) == NULL) {
        return false;
    }
    call->has_row_part =
        has_row_part(call->of.b_zeros, a->b_zero_step == 0 ? 1 : a->columns, a->b_signed);
    call->lots = (a->rows + LINES - 1) / LINES;
    call->parts = (a->columns + PANEL - 1) / PANEL;
    oribi_kit_parallel(run, call->of.matrices * call->lots * call->parts,
                       (int64_t)LINES * PANEL * a->inner / PER_CYCLE, call, matmul_blocks);
    if (tensor != NULL) {
        TF_DeleteTensor(tensor);
    }
    return true;
}

static bool matmul_run(const matmul_state *state, oribi_kit_run *run)
{
    matmul_call call = {.packed = state->packed};
    return oribi_qlinear_matmul_begin(&state->product, run, &call.of) &&
           (call.of.matrices == 0 || matmul_product(run, &call));
}
ORIBI_KIT_COMPUTE(matmul, 5)

/* Matrices of the model, packed once. */
static void matmul_pack_constants(oribi_kit_setup *setup, matmul_state *state,
                                  const oribi_qlinear_constants *constants)
{
    const TF_ConstantView *view = &constants->view;
    const int64_t inner = view->dims[view->rank - 2], columns = view->dims[view->rank - 1];
    int64_t matrices = 1;
    for (int32_t i = 0; i < view->rank - 2; i++) {
        matrices *= view->dims[i];
    }
    if (inner > INT32_MAX / columns || (constants->n_zeros != 1 && constants->n_zeros != columns)) {
        return;
    }
    matmul_call call = {.of = {.args = {.inner = (int32_t)inner,
                                        .columns = (int32_t)columns,
                                        .b_signed = state->product.args.b_signed,
                                        .b_zero_step = constants->n_zeros == 1 ? 0 : 1},
                               .b = constants->bytes,
                               .b_zeros = constants->zeros}};
    call.n_panels = matrices * panels_of((int32_t)columns);
    call.to = packed_allocate(setup, call.n_panels, (int32_t)inner);
    if (call.to != NULL) {
        matmul_pack(&call, 0, call.n_panels);
        call.to = packed_done(setup, view, call.to, call.n_panels, (int32_t)inner);
    }
    state->packed = call.to;
}

static void matmul_read(oribi_kit_setup *setup, matmul_state *state)
{
    oribi_qlinear_constants constants;
    oribi_qlinear_matmul_read(setup, &state->product);
    if (oribi_qlinear_constants_take(setup, state->product.args.b_signed != 0 ? TF_INT8 : TF_UINT8,
                                     2, 3, &constants)) {
        matmul_pack_constants(setup, state, &constants);
        oribi_qlinear_constants_free(&constants);
    }
}
ORIBI_KIT_CREATE(matmul, matmul_state)

static void matmul_destroy(void *object)
{
    matmul_state *state = object;
    if (state != NULL) {
        free(state->packed);
    }
    oribi_kit_free(state);
}

#endif
