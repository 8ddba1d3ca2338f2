/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>Attention in blocks of keys, with the softmax that is brought up to date from block to
 * block (online softmax): the scores of a few queries with one block are all that is ever kept of
 * them. Both products are gemm.h's; between them stands attention_loops.h. Which keys make a block
 * follows from the shape alone, so that no result depends on the number of threads. Few queries, as
 * a decoder has them, read keys and values where they lie: packing those costs as much.
 * Source   M. Milakov, N. Gimelshein: Online normalizer calculation for softmax (2018); T. Dao et
 *          al.: FlashAttention (2022).
 */
#include "cpu/attention/attention.h"
#include "cpu/base/families.h"
#include "cpu/product/gemm.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = 48,                /* queries at once, whole tiles of every variant */
    MOST_KEYS = 512,          /* of a block */
    LEAST_KEYS = 64,          /* the same, however long a head is */
    PANEL_BYTES = 256 * 1024, /* of packed keys and values: within common second level caches */
    UNITS_PER_THREAD = 4,     /* so that threads end together */
    FEW = 4                   /* queries that share keys, for which nothing is packed */
};

typedef struct attention_state {
    oribi_attention_attrs attrs;
    oribi_gemm_variant gemm; /* whose pairs of k are left out: sums would depend on how many keys
                                a unit sees, and so on the number of threads */
    oribi_attention_powers powers;
    oribi_attention_row row;
} attention_state;

/* Floats in a worker's part of the scratch, whole cache lines each. */
typedef struct parts {
    int64_t keys, values, scores, mask, rows; /* rows: the largest and the totals */
    int64_t all;
} parts;

typedef struct work {
    oribi_attention_call call;
    const attention_state *state;
    int64_t block_keys;        /* of a block, the last one apart */
    int64_t chunks, per_chunk; /* of the queries of a head: a unit each */
    int64_t unit_heads;        /* that share keys */
    bool is_in_place;          /* nothing is packed */
    parts sizes;
    float *memory;
} work;

/* One unit on its way: queries [first, first + n) of some heads, of which `head` is at work, and a
 * block of the keys that these share. */
typedef struct unit {
    const work *work;
    int64_t batch, head, first, n;
    int64_t key, n_keys;
    bool is_later; /* than the first block of keys */
    float *keys, *values, *scores, *mask, *largest, *totals;
    int64_t first_head;
    float *rows; /* the largest of each query, then the totals, head by head */
} unit;

static void take_head(unit *u, int64_t i)
{
    u->head = u->first_head + i;
    u->largest = u->rows + 2 * i * u->n;
    u->totals = u->largest + u->n;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Packs `rows` x `columns` at `data`, strides in floats. */
static void pack(const oribi_gemm_variant *variant, const float *data, int64_t rows,
                 int64_t row_stride, int64_t columns, int64_t column_stride, float *out)
{
    const oribi_gemm_source source = {.data = (const char *)data,
                                      .outer = 1,
                                      .middle = 1,
                                      .inner = rows,
                                      .n = columns,
                                      .inner_stride = row_stride * (int64_t)sizeof(float),
                                      .n_stride = column_stride * (int64_t)sizeof(float)};
    oribi_gemm_pack(variant, &source, out);
}

/* c[m, n] = a[m, depth] * panels, plus what c holds where `adds`. */
static void multiply(const oribi_gemm_variant *variant, oribi_gemm_lines a, int64_t m,
                     int64_t depth, const float *panels, int64_t n, float *c, int64_t c_stride,
                     bool adds)
{
    const oribi_gemm gemm = {.variant = variant,
                             .panels = panels,
                             .groups = 1,
                             .m = m,
                             .n = n,
                             .n_taps = 1,
                             .depth = depth,
                             .rows = oribi_gemm_lines_fill,
                             .rows_arg = &a,
                             .c = c,
                             .c_stride = c_stride,
                             .residual = adds ? c : NULL,
                             .residual_stride = c_stride,
                             .low = -INFINITY,
                             .high = INFINITY};
    oribi_gemm_plan plan;
    oribi_gemm_plan_make(&gemm, 1, &plan);
    oribi_gemm_run(&gemm, &plan, 0, plan.units);
}

/* Keys [from, to) of the unit's block, or their values, as a matrix; x: one or the other. Where
 * `sums_keys` what comes out has an element for each of the head's, else one for each key. */
static oribi_attention_matrix keys_of(const unit *u, const oribi_attention_operand *x, int64_t size,
                                      oribi_attention_range keys, bool sums_keys)
{
    const int64_t shared = u->head / u->work->call.heads_per_key, n = keys.end - keys.begin;
    const bool are_rows = x->column == 1;
    return (oribi_attention_matrix){.data = x->data + u->batch * x->batch + shared * x->head +
                                            (u->key + keys.begin) * x->row,
                                    .rows = are_rows ? n : size,
                                    .columns = are_rows ? size : n,
                                    .row = are_rows ? x->row : x->column,
                                    .is_turned = are_rows == sums_keys};
}

/* The mask of `n` queries from `row` on as floats to add: where it lies, or written down. */
static const float *mask_of(const unit *u, int64_t row, int64_t n, int64_t *out_row)
{
    const oribi_attention_call *call = &u->work->call;
    const oribi_attention_operand *mask = &call->mask;
    const int64_t at =
        u->batch * mask->batch + u->head * mask->head + row * mask->row + u->key * mask->column;
    if (call->mask_bits == NULL && mask->data == NULL) {
        return NULL;
    }
    if (mask->data != NULL && mask->column == 1) {
        *out_row = mask->row;
        return mask->data + at;
    }
    *out_row = mask->row == 0 ? 0 : u->n_keys;
    for (int64_t i = 0; i < (mask->row == 0 ? 1 : n); i++) {
        float *to = u->mask + i * u->n_keys;
        for (int64_t k = 0; k < u->n_keys; k++) {
            const int64_t from = at + i * mask->row + k * mask->column;
            to[k] = mask->data != NULL      ? mask->data[from]
                    : call->mask_bits[from] ? 0.0f
                                            : -INFINITY;
        }
    }
    return u->mask;
}

/* Scores of `n` queries from `row` on with the block of keys. seen NULL: with all of them. */
static void score(const unit *u, int64_t row, int64_t n, const oribi_attention_range *seen)
{
    const oribi_attention_call *call = &u->work->call;
    const attention_state *state = u->work->state;
    const oribi_attention_operand *q = &call->query;
    const oribi_attention_range all = {0, u->n_keys};
    const float *x = q->data + u->batch * q->batch + u->head * q->head + row * q->row;
    if (!u->work->is_in_place) {
        const oribi_gemm_lines queries = {x, q->row};
        multiply(&state->gemm, queries, n, call->depth, u->keys, u->n_keys, u->scores, u->n_keys,
                 false);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const oribi_attention_range keys = seen != NULL ? seen[i] : all;
        const oribi_attention_matrix a = keys_of(u, &call->key, call->depth, keys, false);
        state->row(&a, x + i * q->row, false, u->scores + i * u->n_keys + keys.begin);
    }
}

/* The block's values, each as often as its power says, go to out. */
static void mix(const unit *u, int64_t n, const oribi_attention_range *seen, float *out)
{
    const oribi_attention_call *call = &u->work->call;
    const attention_state *state = u->work->state;
    const oribi_attention_range all = {0, u->n_keys};
    if (!u->work->is_in_place) {
        const oribi_gemm_lines powers = {u->scores, u->n_keys};
        multiply(&state->gemm, powers, n, u->n_keys, u->values, call->width, out, call->output.row,
                 u->is_later);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const oribi_attention_range keys = seen != NULL ? seen[i] : all;
        const oribi_attention_matrix a = keys_of(u, &call->value, call->width, keys, true);
        state->row(&a, u->scores + i * u->n_keys + keys.begin, u->is_later,
                   out + i * call->output.row);
    }
}

/* A block of keys for `n` queries, the first of which is query `at` of the unit. */
static void attend_rows(const unit *u, int64_t at, int64_t n)
{
    const oribi_attention_call *call = &u->work->call;
    const attention_state *state = u->work->state;
    const oribi_attention_operand *y = &call->output;
    const int64_t row = u->first + at;
    float *out = call->out + u->batch * y->batch + u->head * y->head + row * y->row;
    oribi_attention_range seen[ROWS];
    int64_t mask_row = 0;
    const bool is_limited = call->is_causal || call->left_window >= 0 || call->spans != NULL;
    for (int64_t i = 0; is_limited && i < n; i++) {
        const oribi_attention_range sees = oribi_attention_seen(call, u->batch, row + i);
        seen[i].begin = oribi_attention_within(sees.begin - u->key, 0, u->n_keys);
        seen[i].end = oribi_attention_within(sees.end - u->key, seen[i].begin, u->n_keys);
    }
    score(u, row, n, is_limited ? seen : NULL);
    const float *mask = mask_of(u, row, n, &mask_row);
    const oribi_attention_block block = {.scores = u->scores,
                                         .stride = u->n_keys,
                                         .n_rows = n,
                                         .n = u->n_keys,
                                         .scale = call->scale,
                                         .softcap = call->softcap,
                                         .mask = mask,
                                         .mask_row = mask_row,
                                         .seen = is_limited ? seen : NULL,
                                         .largest = u->largest + at,
                                         .totals = u->totals + at,
                                         .out = u->is_later ? out : NULL,
                                         .out_stride = y->row,
                                         .width = call->width};
    state->powers(&block);
    mix(u, n, is_limited ? seen : NULL, out);
}

static void sees_nothing(const unit *u)
{
    const oribi_attention_call *call = &u->work->call;
    float *out = call->out + u->batch * call->output.batch + u->head * call->output.head +
                 u->first * call->output.row;
    for (int64_t r = 0; r < u->n; r++, out += call->output.row) {
        for (int64_t i = 0; i < call->width; i++) {
            out[i] = call->is_safe ? 0.0f : NAN;
        }
    }
}

/* Over the sums, at last. */
static void divide_rows(const unit *u)
{
    const oribi_attention_call *call = &u->work->call;
    float *out = call->out + u->batch * call->output.batch + u->head * call->output.head +
                 u->first * call->output.row;
    for (int64_t r = 0; r < u->n; r++, out += call->output.row) {
        const float sink = call->sinks == NULL ? 0.0f : expf(call->sinks[u->head] - u->largest[r]);
        const float total = u->totals[r] == 0.0f ? 0.0f : u->totals[r] + sink;
        const float factor = total == 0.0f && call->is_safe ? 0.0f : 1.0f / total;
        for (int64_t i = 0; i < call->width; i++) {
            out[i] *= factor;
        }
    }
}

/* A block of keys and values: packed, or where they lie. Every head of the unit meets it. */
static void attend_block(unit *u)
{
    const work *w = u->work;
    const oribi_attention_call *call = &w->call;
    const oribi_attention_operand *k = &call->key, *v = &call->value;
    const int64_t shared = u->first_head / call->heads_per_key;
    if (!w->is_in_place) {
        pack(&w->state->gemm, k->data + u->batch * k->batch + shared * k->head + u->key * k->row,
             call->depth, k->column, u->n_keys, k->row, u->keys);
        pack(&w->state->gemm, v->data + u->batch * v->batch + shared * v->head + u->key * v->row,
             u->n_keys, v->row, call->width, v->column, u->values);
    }
    for (int64_t i = 0; i < w->unit_heads; i++) {
        take_head(u, i);
        for (int64_t at = 0; at < u->n; at += ROWS) {
            attend_rows(u, at, smaller(ROWS, u->n - at));
        }
    }
}

static void run_unit(unit *u)
{
    const work *w = u->work;
    /* The first query begins first, the last one sees most. */
    const int64_t begin = oribi_attention_seen(&w->call, u->batch, u->first).begin;
    const int64_t end = oribi_attention_seen(&w->call, u->batch, u->first + u->n - 1).end;
    u->is_later = false;
    for (u->key = begin / w->block_keys * w->block_keys; end > 0 && (!u->is_later || u->key < end);
         u->key += w->block_keys) {
        u->n_keys = oribi_attention_within(end - u->key, 0, w->block_keys);
        attend_block(u);
        u->is_later = true;
    }
    for (int64_t i = 0; i < w->unit_heads; i++) {
        take_head(u, i);
        (end > 0 ? divide_rows : sees_nothing)(u);
    }
}

static void run_units(void *object, int64_t begin, int64_t end, int worker)
{
    const work *w = object;
    unit u = {.work = w, .keys = w->memory + worker * w->sizes.all};
    u.values = u.keys + w->sizes.keys;
    u.scores = u.values + w->sizes.values;
    u.mask = u.scores + w->sizes.scores;
    u.rows = u.mask + w->sizes.mask;
    for (int64_t i = begin; i < end; i++) {
        const int64_t matrix = i / w->chunks * w->unit_heads;
        u.batch = matrix / w->call.heads;
        u.first_head = matrix % w->call.heads;
        u.first = i % w->chunks * w->per_chunk;
        u.n = smaller(w->per_chunk, w->call.queries - u.first);
        run_unit(&u);
    }
}

/* The queries of all heads that share keys are one unit, unless threads would have nothing to do:
 * keys and values come from memory, and are packed, once for each. */
static void cut(work *w, int n_threads)
{
    const oribi_attention_call *call = &w->call;
    const int64_t row_bytes = (call->depth + call->width) * (int64_t)sizeof(float);
    const int64_t fit = PANEL_BYTES / (row_bytes > 0 ? row_bytes : 1) / LEAST_KEYS * LEAST_KEYS;
    const int64_t wanted = n_threads > 1 ? n_threads * UNITS_PER_THREAD : 1;
    const int64_t tiles = (call->queries + ROWS - 1) / ROWS;
    int64_t together = call->heads_per_key;
    while (together > 1 && (call->heads_per_key % together != 0 ||
                            call->batches * call->heads / together * tiles < n_threads)) {
        together--;
    }
    const int64_t matrices = call->batches * call->heads / together;
    w->unit_heads = together;
    w->is_in_place = call->queries == 1 || call->queries * call->heads_per_key <= FEW;
    w->block_keys = smaller(fit < LEAST_KEYS  ? LEAST_KEYS
                            : fit > MOST_KEYS ? MOST_KEYS
                                              : fit,
                            call->keys);
    const int64_t chunks = smaller((wanted + matrices - 1) / matrices, tiles);
    w->per_chunk = (tiles + chunks - 1) / chunks * ROWS;
    w->chunks = (call->queries + w->per_chunk - 1) / w->per_chunk;
}

/* Sizes of the scratch in floats; false: more than an int64_t holds. */
static bool measure(work *w, int n_threads, int64_t *out_bytes)
{
    const oribi_attention_call *call = &w->call;
    const bool writes_mask =
        call->mask_bits != NULL || (call->mask.data != NULL && call->mask.column != 1);
    const int64_t width = w->state->gemm.width, n = w->block_keys;
    const int64_t rows = smaller(ROWS, call->queries);
    parts *s = &w->sizes;
    int64_t floats = 0;
    if (__builtin_mul_overflow(call->depth, n + width, &s->keys) ||
        __builtin_mul_overflow(n, call->width + width, &s->values) ||
        !oribi_count_round_up(s->keys, ORIBI_GEMM_LINE, &s->keys) ||
        !oribi_count_round_up(s->values, ORIBI_GEMM_LINE, &s->values) ||
        !oribi_count_round_up(rows * n, ORIBI_GEMM_LINE, &s->scores) ||
        __builtin_mul_overflow(smaller(w->per_chunk, call->queries), 2 * w->unit_heads, &s->rows) ||
        !oribi_count_round_up(s->rows, ORIBI_GEMM_LINE, &s->rows) ||
        __builtin_add_overflow(s->keys, s->values, &floats)) {
        return false;
    }
    if (w->is_in_place) {
        floats = s->keys = s->values = 0;
    }
    s->mask = writes_mask ? s->scores : 0;
    s->all = s->scores + s->mask;
    return !__builtin_add_overflow(s->all, s->rows, &s->all) &&
           !__builtin_add_overflow(s->all, floats, &s->all) &&
           !__builtin_mul_overflow(s->all, (int64_t)sizeof(float) * n_threads, out_bytes);
}

static bool attention_run(const attention_state *state, oribi_kit_run *run, TF_Tensor **scratch)
{
    work w = {.state = state};
    oribi_attention_call *call = &w.call;
    if (!oribi_attention_take(run, &state->attrs, call)) {
        return false;
    }
    const int64_t matrices = call->batches * call->heads;
    if (matrices * call->queries * call->width == 0) {
        return true;
    }
    if (call->keys == 0) { /* nothing is seen */
        memset(call->out, 0, (size_t)(matrices * call->queries * call->width) * sizeof *call->out);
        return true;
    }
    const int n_threads = TF_ThreadPool_NumThreads(run->context);
    int64_t bytes = 0;
    cut(&w, n_threads);
    w.memory = oribi_kit_scratch(run, measure(&w, n_threads, &bytes) ? bytes : INT64_MAX, scratch);
    if (w.memory == NULL) {
        return false;
    }
    const int64_t work_per_score = (call->depth + call->width) / 8 + 4; /* cycles, about */
    const int64_t scores = smaller(w.per_chunk, call->queries) * w.unit_heads * call->keys;
    const TF_WorkerRangeCallable callable = {&w, run_units, NULL};
    TF_ThreadPool_ParallelForWithWorkerId(run->context, matrices / w.unit_heads * w.chunks,
                                          scores * work_per_score, callable);
    return true;
}

static void attention_compute(void *state, TF_OpKernelContext *context)
{
    TF_Tensor *scratch = NULL;
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 3)) {
        (void)attention_run(state, &run, &scratch);
    }
    TF_DeleteTensor(scratch);
    oribi_kit_end(&run);
}

static void *attention_create(TF_OpKernelConstruction *construction, const oribi_gemm_variant *gemm,
                              oribi_attention_powers powers, oribi_attention_row row)
{
    oribi_kit_setup setup;
    attention_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        state->gemm = *gemm;
        state->gemm.pairs_tile = NULL;
        state->powers = powers;
        state->row = row;
        oribi_attention_attrs_read(&setup, &state->attrs);
    }
    return oribi_kit_setup_end(&setup);
}

#define CREATE(part, set)                                                                          \
    static void *create_##set(TF_OpKernelConstruction *construction)                               \
    {                                                                                              \
        return attention_create(construction, &oribi_gemm_##set, oribi_attention_powers_##set,     \
                                oribi_attention_row_##set);                                        \
    }
#define ROW(part, set)                                                                             \
    {.op_name = "Oribi>Attention",                                                                 \
     .types = {{"T", ORIBI_CPU_F32}, {"Tmask", ORIBI_CPU_F32 | ORIBI_KIT_TYPE(TF_BOOL)}},          \
     ORIBI_ISA_FIELDS(set),                                                                        \
     .create = create_##set,                                                                       \
     .compute = attention_compute,                                                                 \
     .destroy = oribi_kit_free,                                                                    \
     .tolerance = 1e-4f,                                                                           \
     .why = "online softmax in blocks, " #set},

ORIBI_ISAS_OF_attention(CREATE)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_attention_kernels[] = {
    ORIBI_ISAS_OF_attention(ROW)
    {.op_name = NULL},
};
/* clang-format on */
