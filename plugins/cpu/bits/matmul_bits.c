/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>MatMul4Bits: weights lie in panels of a few columns, as they are in the model but for their
 * order, and are read once for some rows. A row is made ready once (bits_loops.h), and meets all
 * panels. What it means: matmul_bits_reference.c.
 */
#include "cpu/bits/bits.h"
#include "cpu/base/families.h"
#include "cpu/product/packed_weights.h"

#include <string.h>

enum {
    COLUMNS = ORIBI_BITS_COLUMNS,
    WORD_BYTES = ORIBI_BITS_WORD / 2,
    CHUNK_BYTES = 512 * 1024 /* of rows that one panel after another meets */
};

typedef struct matmul_bits_state {
    const oribi_bits_variant *variant;
    oribi_bits_attrs attrs;
    const float *panels; /* the host's, or NULL: packed by each call */
    int64_t weights[3];  /* of packed ones: dims of input 1 */
} matmul_bits_state;

/* --- Packing --------------------------------------------------------------------------------- */

/* Bytes, scales and zero points, each [n, blocks, ...], steps in bytes; of zero points of 4 bits
 * two blocks share a byte. */
typedef struct bits_source {
    const char *data[3];
    int64_t strides[3][3];
    int64_t n, blocks, words;
    int n_inputs; /* 3: with zero points */
    bool has_zero_bits;
} bits_source;

static int64_t panel_floats(const bits_source *s)
{
    return s->blocks * (s->words + s->n_inputs - 1) * COLUMNS;
}

/* Floats of all panels; -1: more than an int64_t holds. */
static int64_t packed_floats(const bits_source *s)
{
    int64_t all = 0;
    const int64_t panels = s->n / COLUMNS + (s->n % COLUMNS != 0 ? 1 : 0);
    return __builtin_mul_overflow(s->blocks, (s->words + 2) * COLUMNS, &all) ||
                   __builtin_mul_overflow(all, panels, &all) || all > INT64_MAX / 16
               ? -1
               : panels * panel_floats(s);
}

static const char *source_at(const bits_source *s, int input, int64_t column, int64_t block)
{
    return s->data[input] + column * s->strides[input][0] + block * s->strides[input][1];
}

/* The lowest bits first, whatever the processor's order of bytes. */
static uint32_t word_at(const char *from, int64_t step)
{
    uint32_t word = 0;
    for (int i = 0; i < WORD_BYTES; i++) {
        word |= (uint32_t)(unsigned char)from[i * step] << (8 * i);
    }
    return word;
}

/* One column of a panel's block; those behind the last column are zeros. */
static void pack_column(const bits_source *s, int64_t column, int64_t block, uint32_t *to)
{
    for (int64_t w = 0; w < s->words; w++) {
        const int64_t step = s->strides[0][2];
        to[w * COLUMNS] =
            column < s->n ? word_at(source_at(s, 0, column, block) + w * WORD_BYTES * step, step)
                          : 0;
    }
    for (int i = 1; i < s->n_inputs; i++) {
        float value = 0.0f;
        if (column < s->n && i == 2 && s->has_zero_bits) {
            value = oribi_bits_zero(source_at(s, 2, column, block / 2), block % 2);
        } else if (column < s->n) {
            memcpy(&value, source_at(s, i, column, block), sizeof value);
        }
        memcpy(to + (s->words + i - 1) * COLUMNS, &value, sizeof value);
    }
}

static void pack(void *arg, float *out)
{
    const bits_source *s = arg;
    uint32_t *to = (uint32_t *)(void *)out;
    for (int64_t first = 0; first < s->n; first += COLUMNS) {
        for (int64_t block = 0; block < s->blocks; block++) {
            for (int64_t c = 0; c < COLUMNS; c++) {
                pack_column(s, first + c, block, to + c);
            }
            to += (s->words + s->n_inputs - 1) * COLUMNS;
        }
    }
}

/* False: they are computed, or do not fit together, which the call says. */
static bool constant_source(oribi_kit_setup *setup, matmul_bits_state *state, bits_source *s)
{
    *s = (bits_source){.words = state->attrs.block / ORIBI_BITS_WORD,
                       .n_inputs = 2 + (int)state->attrs.n_zeros};
    for (int i = 0; i < s->n_inputs; i++) {
        TF_ConstantView view = {.struct_size = TF_CONSTANT_VIEW_STRUCT_SIZE};
        const int rank = i == 0 ? 3 : 2;
        if (!TF_OpKernelConstruction_ConstantView(setup->construction, i + 1, &view) ||
            view.rank != rank || (i < 2 && view.dtype != (int32_t)(i == 0 ? TF_UINT8 : TF_FLOAT))) {
            return false;
        }
        s->data[i] = view.data;
        s->has_zero_bits = i == 2 && view.dtype == (int32_t)TF_UINT8;
        for (int axis = 0; axis < rank; axis++) {
            s->strides[i][axis] = view.strides[axis];
            if (i == 0) {
                state->weights[axis] = view.dims[axis];
            } else if (view.dims[axis] != (axis == 1 && s->has_zero_bits
                                               ? (state->weights[1] + 1) / 2
                                               : state->weights[axis])) {
                return false;
            }
        }
    }
    s->n = state->weights[0];
    s->blocks = state->weights[1];
    return state->weights[2] == state->attrs.block / 2;
}

static void pack_constants(oribi_kit_setup *setup, matmul_bits_state *state)
{
    bits_source source;
    if (!oribi_kit_setup_is_ok(setup) || !constant_source(setup, state, &source)) {
        return;
    }
    const oribi_weights_packing packing = {.inputs = (UINT64_C(1) << (source.n_inputs + 1)) - 2,
                                           .count = packed_floats(&source),
                                           .fill = pack,
                                           .arg = &source};
    state->panels =
        oribi_weights_pack(setup, &packing, "bits.1 block %d zeros %d", (int)state->attrs.block,
                           source.n_inputs - 2 + (source.has_zero_bits ? 1 : 0));
    for (int i = 1; state->panels != NULL && i <= source.n_inputs; i++) {
        TF_OpKernelConstruction_ReleaseConstant(setup->construction, i);
    }
}

static void *matmul_bits_create(TF_OpKernelConstruction *construction,
                                const oribi_bits_variant *variant)
{
    oribi_kit_setup setup;
    matmul_bits_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        state->variant = variant;
        oribi_bits_attrs_read(&setup, &state->attrs);
        pack_constants(&setup, state);
    }
    return oribi_kit_setup_end(&setup);
}

/* --- Computing ------------------------------------------------------------------------------- */

typedef struct matmul_bits_call {
    const matmul_bits_state *state;
    oribi_bits_shapes shapes;
    bool has_bytes; /* rows of int8 */
    const float *a, *panels, *bias;
    float *out;
    int64_t panel_floats, n_panels, chunk_rows;
    int64_t row_bytes; /* of values, whole lines */
    char *values;
    float *factors; /* of a row: factors, then sums, of each block */
} matmul_bits_call;

static oribi_bits_row row_at(const matmul_bits_call *call, int64_t row)
{
    float *factors = call->factors + 2 * row * call->shapes.blocks;
    return (oribi_bits_row){call->values + row * call->row_bytes, factors,
                            factors + call->shapes.blocks};
}

static void prepare_rows(void *object, int64_t begin, int64_t end)
{
    const matmul_bits_call *call = object;
    const oribi_bits_attrs *attrs = &call->state->attrs;
    for (int64_t i = begin; i < end; i++) {
        const oribi_bits_row row = row_at(call, i);
        call->state->variant->prepare(call->a + i * call->shapes.k, call->shapes.k,
                                      (int32_t)attrs->block, oribi_bits_rounds(attrs), &row);
    }
}

/* What a tile found goes to its place, with the bias. */
static void write_out(const matmul_bits_call *call, int64_t row, int64_t n_rows, int64_t column,
                      const float *sums)
{
    const int64_t left = call->shapes.n - column, n = left < COLUMNS ? left : COLUMNS;
    for (int64_t r = 0; r < n_rows; r++, sums += COLUMNS) {
        float *to = call->out + (row + r) * call->shapes.n + column;
        memcpy(to, sums, (size_t)n * sizeof *to);
        for (int64_t c = 0; call->bias != NULL && c < n; c++) {
            to[c] += call->bias[column + c];
        }
    }
}

/* A unit is a panel and a chunk of rows; panels are innermost. */
static void run_units(void *object, int64_t begin, int64_t end)
{
    const matmul_bits_call *call = object;
    const oribi_bits_variant *variant = call->state->variant;
    float sums[ORIBI_BITS_ROWS * COLUMNS];
    oribi_bits_row rows[ORIBI_BITS_ROWS];
    oribi_bits_tile tile = {.blocks = call->shapes.blocks,
                            .words = (int32_t)(call->state->attrs.block / ORIBI_BITS_WORD),
                            .has_zeros = call->state->attrs.n_zeros > 0,
                            .rows = rows,
                            .panel_step = call->panel_floats,
                            .out = sums};
    const bool is_usual =
        call->has_bytes && call->shapes.m == 1 && call->state->attrs.block == ORIBI_BITS_USUAL;
    for (int64_t unit = begin; unit < end; unit += tile.n_panels) {
        const int64_t panel = unit % call->n_panels;
        const int64_t first = unit / call->n_panels * call->chunk_rows;
        const int64_t left = call->shapes.m - first;
        const int64_t last = first + (left < call->chunk_rows ? left : call->chunk_rows);
        tile.panel = call->panels + panel * call->panel_floats;
        tile.n_panels = is_usual && unit + ORIBI_BITS_PANELS <= end ? ORIBI_BITS_PANELS : 1;
        for (int64_t row = first; row < last; row += tile.n_rows) {
            tile.n_rows = (int32_t)(last - row < ORIBI_BITS_ROWS ? last - row : ORIBI_BITS_ROWS);
            for (int32_t r = 0; r < tile.n_rows; r++) {
                rows[r] = row_at(call, row + r);
            }
            (call->has_bytes ? variant->byte_tile : variant->tile)(&tile);
            for (int32_t p = 0; p < tile.n_panels; p++) {
                write_out(call, row, tile.n_rows, (panel + p) * COLUMNS, sums + p * COLUMNS);
            }
        }
    }
}

/* Computed weights, packed into scratch. */
static bool pack_computed(oribi_kit_run *run, matmul_bits_call *call, TF_Tensor **scratch)
{
    const oribi_bits_attrs *attrs = &call->state->attrs;
    bits_source s = {.n = call->shapes.n,
                     .blocks = call->shapes.blocks,
                     .words = attrs->block / ORIBI_BITS_WORD,
                     .n_inputs = 2 + (int)attrs->n_zeros};
    for (int i = 0; i < s.n_inputs; i++) {
        const int64_t width =
            i == 0 ? attrs->block / 2 : (int64_t)TF_DataTypeSize(TF_TensorType(run->in[i + 1]));
        s.data[i] = TF_TensorData(run->in[i + 1]);
        s.has_zero_bits = i == 2 && width == 1;
        s.strides[i][0] = (s.has_zero_bits ? (s.blocks + 1) / 2 : s.blocks) * width;
        s.strides[i][1] = width;
        s.strides[i][2] = 1;
    }
    const int64_t floats = packed_floats(&s);
    float *panels =
        oribi_kit_scratch(run, floats < 0 ? INT64_MAX : floats * (int64_t)sizeof(float), scratch);
    if (panels != NULL) {
        pack(&s, panels);
    }
    call->panels = panels;
    return panels != NULL;
}

/* Room for the rows as tiles take them. */
static bool take_rows(oribi_kit_run *run, matmul_bits_call *call, TF_Tensor **scratch)
{
    enum { LINE = 64 };
    const oribi_bits_shapes *s = &call->shapes;
    const int64_t wide = s->blocks * call->state->attrs.block;
    const int64_t factors = 2 * s->blocks * (int64_t)sizeof(float);
    int64_t bytes = 0, all = 0;
    if (!oribi_count_round_up(wide * (call->has_bytes ? 1 : (int64_t)sizeof(float)), LINE,
                              &bytes) ||
        __builtin_mul_overflow(bytes + factors, s->m, &all)) {
        all = INT64_MAX;
    }
    call->row_bytes = bytes;
    call->values = oribi_kit_scratch(run, all, scratch);
    if (call->values == NULL) {
        return false;
    }
    const int64_t tiles = CHUNK_BYTES / (bytes * ORIBI_BITS_ROWS);
    call->factors = (float *)(void *)(call->values + bytes * s->m);
    call->chunk_rows = (tiles > 1 ? tiles : 1) * ORIBI_BITS_ROWS;
    return true;
}

static bool matmul_bits_run(const matmul_bits_state *state, oribi_kit_run *run,
                            TF_Tensor *scratch[2])
{
    const oribi_bits_attrs *attrs = &state->attrs;
    matmul_bits_call call = {
        .state = state, .has_bytes = oribi_bits_rounds(attrs) && state->variant->byte_tile != NULL};
    int64_t weights[3] = {state->weights[0], state->weights[1], state->weights[2]};
    oribi_bits_shapes *s = &call.shapes;
    if ((state->panels == NULL && !oribi_bits_weights_take(run, attrs, weights)) ||
        !oribi_bits_shapes_take(run, attrs, weights, s)) {
        return false;
    }
    call.a = TF_TensorData(run->in[0]);
    call.panels = state->panels;
    if ((state->panels == NULL && !pack_computed(run, &call, &scratch[0])) ||
        (attrs->n_biases > 0 && (call.bias = oribi_bits_bias_take(run, attrs, s->n)) == NULL)) {
        return false;
    }
    call.out = oribi_kit_output(run, 0, s->out.at, s->out.n);
    if (call.out == NULL || s->m * s->n == 0) {
        return call.out != NULL;
    }
    if (!take_rows(run, &call, &scratch[1])) {
        return false;
    }
    call.n_panels = (s->n - 1) / COLUMNS + 1;
    call.panel_floats = s->blocks * (attrs->block / ORIBI_BITS_WORD + 1 + attrs->n_zeros) * COLUMNS;
    const int64_t chunks = (s->m - 1) / call.chunk_rows + 1;
    const int64_t rows = s->m < call.chunk_rows ? s->m : call.chunk_rows;
    oribi_kit_parallel(run, s->m, s->k, &call, prepare_rows);
    oribi_kit_parallel(run, chunks * call.n_panels, rows * s->k * COLUMNS / 8, &call, run_units);
    return true;
}

static void matmul_bits_compute(void *arg, TF_OpKernelContext *context)
{
    const matmul_bits_state *state = arg;
    const int n_inputs = state->panels != NULL ? 1 : 3 + (int)state->attrs.n_zeros;
    TF_Tensor *scratch[2] = {NULL, NULL};
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, n_inputs)) {
        (void)matmul_bits_run(state, &run, scratch);
    }
    TF_DeleteTensor(scratch[0]);
    TF_DeleteTensor(scratch[1]);
    oribi_kit_end(&run);
}

#define CREATE(part, set)                                                                          \
    static void *create_##set(TF_OpKernelConstruction *construction)                               \
    {                                                                                              \
        return matmul_bits_create(construction, &oribi_bits_##set);                                \
    }
#define ROW(part, set)                                                                             \
    ORIBI_CPU_ISA_ROW("Oribi>MatMul4Bits", set, matmul_bits, "weights packed in 4 bits, " #set,    \
                      .create = create_##set, .destroy = oribi_kit_free, .tolerance = 1e-4f),

ORIBI_ISAS_OF_bits(CREATE)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_matmul_bits_kernels[] = {
    ORIBI_ISAS_OF_bits(ROW)
    {.op_name = NULL},
};
/* clang-format on */
