/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>LabelEncoder and ONNX>TfIdfVectorizer: keys that were learned are looked up in a hash table,
 * which is made anew in each run.
 * Source   ai.onnx.ml's LabelEncoder (version 4), ONNX's TfIdfVectorizer (opset 9).
 */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

#include <math.h>

/* --- Keys ------------------------------------------------------------------------------------- */

typedef struct keys {
    const void *data;
    TF_DataType dtype;
    size_t width;
} keys;

static keys keys_of(const TF_Tensor *tensor)
{
    return (keys){TF_TensorData(tensor), TF_TensorType(tensor),
                  TF_DataTypeSize(TF_TensorType(tensor))};
}

/* The bytes of key i; of floats, equal ones have equal bytes, as have all that are no numbers. */
static oribi_cpu_span key_at(const keys *k, int64_t i, double *room)
{
    if (k->dtype == TF_STRING) {
        return oribi_cpu_text_at(k->data, i);
    }
    if (k->dtype == TF_FLOAT || k->dtype == TF_DOUBLE) {
        const double value = k->dtype == TF_FLOAT ? (double)((const float *)k->data)[i]
                                                  : ((const double *)k->data)[i];
        *room = isnan(value) ? (double)NAN : value + 0.0; /* -0 becomes 0 */
        return (oribi_cpu_span){(const char *)room, sizeof *room};
    }
    return (oribi_cpu_span){(const char *)k->data + (size_t)i * k->width, k->width};
}

/* FNV-1a, over `n` keys one behind the other. */
static uint64_t hash_of(const keys *k, int64_t first, int64_t step, int64_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    double room = 0;
    for (int64_t i = 0; i < n; i++) {
        const oribi_cpu_span key = key_at(k, first + i * step, &room);
        for (size_t b = 0; b < key.n; b++) {
            hash = (hash ^ (uint8_t)key.at[b]) * UINT64_C(0x100000001b3);
        }
        hash = (hash ^ key.n) * UINT64_C(0x100000001b3);
    }
    return hash ^ hash >> 29;
}

static bool same_keys(const keys *a, int64_t a_first, int64_t a_step, const keys *b,
                      int64_t b_first, int64_t n)
{
    double a_room = 0, b_room = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!oribi_cpu_same_text(key_at(a, a_first + i * a_step, &a_room),
                                 key_at(b, b_first + i, &b_room))) {
            return false;
        }
    }
    return true;
}

typedef struct table { /* of groups of `n` keys: a power of two of numbers, one more than a group's
                        */
    oribi_kit_run *run;
    const keys *keys;
    int64_t *slots, mask, first, n, patience;
} table;

/* Room for `count` groups; the caller deletes *memory. */
static bool table_open(table *t, int64_t count, TF_Tensor **memory)
{
    int64_t size = 4;
    while (size / 2 < count && size < INT64_MAX / 32) {
        size *= 2;
    }
    int64_t *slots = oribi_kit_scratch(t->run, size * (int64_t)sizeof *slots, memory);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, (size_t)size * sizeof *slots);
    t->slots = slots;
    t->mask = size - 1;
    return true;
}

/* The slot of the group that equals this one, or the free one where it would be; any, when the run
 * stops. */
static int64_t *slot_of(table *t, const keys *k, int64_t first, int64_t step)
{
    uint64_t at = hash_of(k, first, step, t->n);
    for (;; at++) {
        int64_t *slot = &t->slots[at & (uint64_t)t->mask];
        if (*slot == 0 || oribi_kit_stops(t->run, &t->patience, 60 + 20 * t->n) ||
            same_keys(k, first, step, t->keys, t->first + (*slot - 1) * t->n, t->n)) {
            return slot;
        }
    }
}

/* The first of equal groups counts. */
static bool table_fill(table *t, int64_t count)
{
    for (int64_t i = 0; i < count && !oribi_kit_stops(t->run, &t->patience, 60); i++) {
        int64_t *slot = slot_of(t, t->keys, t->first + i * t->n, 1);
        *slot = *slot == 0 ? i + 1 : *slot;
    }
    return oribi_kit_is_ok(t->run);
}

/* --- LabelEncoder ----------------------------------------------------------------------------- */

static bool give_label(oribi_kit_run *run, const TF_Tensor *from, int64_t i, void *out, int64_t at,
                       size_t width)
{
    if (width == 0) {
        return oribi_cpu_text_append(run, (TF_TString *)out + at,
                                     oribi_cpu_text_at(TF_TensorData(from), i));
    }
    memcpy((char *)out + (size_t)at * width, (const char *)TF_TensorData(from) + (size_t)i * width,
           width);
    return true;
}

static bool label_run(const void *state, oribi_kit_run *run)
{
    enum { X, KEYS, VALUES, OTHERWISE };
    oribi_wide_dims dims;
    TF_Tensor *memory = NULL;
    const keys x = keys_of(run->in[X]), known = keys_of(run->in[KEYS]);
    const int64_t n_keys = TF_TensorElementCount(run->in[KEYS]);
    const int64_t count = TF_TensorElementCount(run->in[X]);
    const size_t width = TF_DataTypeSize(TF_TensorType(run->in[VALUES]));
    table t = {.run = run, .keys = &known, .n = 1};
    (void)state;
    if (TF_TensorElementCount(run->in[VALUES]) != n_keys ||
        TF_TensorElementCount(run->in[OTHERWISE]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "there must be a value for each of %lld keys and one besides",
                              (long long)n_keys);
    }
    if (!oribi_cpu_wide_dims(run, run->in[X], &dims) || !table_open(&t, n_keys, &memory)) {
        return false;
    }
    void *y = width == 0 ? oribi_cpu_text_output(run, 0, dims.at, dims.n)
                         : oribi_kit_output(run, 0, dims.at, dims.n);
    bool good = y != NULL && table_fill(&t, n_keys);
    for (int64_t i = 0; good && i < count && !oribi_kit_stops(run, &t.patience, 60); i++) {
        const int64_t found = *slot_of(&t, &x, i, 1);
        good = give_label(run, run->in[found > 0 ? VALUES : OTHERWISE], found > 0 ? found - 1 : 0,
                          y, i, width);
    }
    TF_DeleteTensor(memory);
    return good;
}
ORIBI_KIT_COMPUTE(label, 4)

/* --- TfIdfVectorizer -------------------------------------------------------------------------- */

typedef struct idf_state {
    int64_t length, least, most, skips;
    bool counts, weighs;
} idf_state;

static void idf_read(oribi_kit_setup *setup, idf_state *state)
{
    char mode[16] = "";
    oribi_kit_attr_int(setup, "length", &state->length);
    oribi_kit_attr_int(setup, "min_gram_length", &state->least);
    oribi_kit_attr_int(setup, "max_gram_length", &state->most);
    oribi_kit_attr_int(setup, "max_skip_count", &state->skips);
    oribi_kit_attr_string(setup, "mode", mode, sizeof mode);
    state->counts = mode[0] == 'T';
    state->weighs = strstr(mode, "IDF") != NULL;
    if (oribi_kit_setup_is_ok(setup) &&
        (state->least < 1 || state->most < state->least || state->skips < 0)) {
        (void)oribi_kit_setup_fail(
            setup, TF_INVALID_ARGUMENT, "n-grams of %lld to %lld, with %lld skipped, are none",
            (long long)state->least, (long long)state->most, (long long)state->skips);
    }
}
ORIBI_KIT_CREATE(idf, idf_state)

typedef struct idf_call {
    const idf_state *s;
    keys x, pool;
    const int64_t *counts, *indexes;
    const float *weights; /* NULL: 1 each */
    float *y;
    int64_t rows, columns, n_pool, n_counts, n_indexes;
} idf_call;

/* What the n-gram at `first` of row adds. */
static bool idf_add(oribi_kit_run *run, const idf_call *c, int64_t row, int64_t gram)
{
    const int64_t at = oribi_kit_int_at(c->indexes, TF_INT64, gram);
    if (at < 0 || at >= c->s->length) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "ngram_indexes has %lld, outside 0 to %lld",
                              (long long)at, (long long)c->s->length);
    }
    const float weight = c->weights != NULL && c->s->weighs ? c->weights[gram] : 1;
    float *y = &c->y[row * c->s->length + at];
    *y = c->s->counts ? *y + weight : weight;
    return true;
}

/* All n-grams of one length, the first of which is number `before`. */
static bool idf_length(oribi_kit_run *run, const idf_call *c, table *t, int64_t before)
{
    for (int64_t skip = 0; skip <= (t->n > 1 ? c->s->skips : 0); skip++) {
        int64_t span = 0; /* from the first word to the last */
        if (__builtin_mul_overflow(t->n - 1, skip + 1, &span) || span >= c->columns) {
            return true;
        }
        for (int64_t row = 0; row < c->rows; row++) {
            for (int64_t i = 0; i + span < c->columns; i++) {
                const int64_t first = row * c->columns + i;
                if (oribi_kit_stops(run, &t->patience, 40 * t->n)) {
                    return false;
                }
                const int64_t found = *slot_of(t, &c->x, first, skip + 1);
                if (found > 0 && !idf_add(run, c, row, before + found - 1)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool idf_lengths(oribi_kit_run *run, const idf_call *c)
{
    int64_t before = 0;
    bool good = true;
    for (int64_t n = 1; good && n <= c->s->most && n <= c->n_counts; n++) {
        const int64_t first = oribi_kit_int_at(c->counts, TF_INT64, n - 1);
        const int64_t end = n < c->n_counts ? oribi_kit_int_at(c->counts, TF_INT64, n) : c->n_pool;
        const int64_t grams = first < 0 || end < first || end > c->n_pool ? -1 : (end - first) / n;
        table t = {.run = run, .keys = &c->pool, .first = first, .n = n};
        TF_Tensor *memory = NULL;
        if (grams < 0 || grams * n != end - first || before + grams > c->n_indexes) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "ngram_counts does not divide a pool of %lld words",
                                  (long long)c->n_pool);
        }
        if (n >= c->s->least) {
            good = table_open(&t, grams, &memory) && table_fill(&t, grams) &&
                   idf_length(run, c, &t, before);
            TF_DeleteTensor(memory);
        }
        before += grams;
    }
    return good;
}

static bool idf_run(const void *state, oribi_kit_run *run)
{
    enum { X, POOL, COUNTS, INDEXES, WEIGHTS };
    idf_call c = {.s = state,
                  .x = keys_of(run->in[X]),
                  .pool = keys_of(run->in[POOL]),
                  .counts = TF_TensorData(run->in[COUNTS]),
                  .indexes = TF_TensorData(run->in[INDEXES]),
                  .n_pool = TF_TensorElementCount(run->in[POOL]),
                  .n_counts = TF_TensorElementCount(run->in[COUNTS]),
                  .n_indexes = TF_TensorElementCount(run->in[INDEXES])};
    oribi_cpu_shape shape;
    int64_t total = 0, patience = 0;
    const int64_t n_weights = TF_TensorElementCount(run->in[WEIGHTS]);
    if (!oribi_cpu_input_shape(run, X, &shape)) {
        return false;
    }
    if (shape.n < 1 || shape.n > 2 || (n_weights != 0 && n_weights != c.n_indexes)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the input must be [c] or [n, c], and each n-gram have a weight");
    }
    c.weights = n_weights == 0 ? NULL : TF_TensorData(run->in[WEIGHTS]);
    c.rows = shape.n == 2 ? shape.at[0] : 1;
    c.columns = shape.at[shape.n - 1];
    const int64_t out[2] = {c.rows, c.s->length};
    if (!oribi_cpu_count(run, out, 2, &total)) {
        return false;
    }
    c.y = oribi_kit_output(run, 0, shape.n == 2 ? out : out + 1, shape.n);
    if (c.y == NULL || oribi_kit_stops(run, &patience, total)) {
        return false;
    }
    memset(c.y, 0, (size_t)total * sizeof *c.y);
    return idf_lengths(run, &c);
}
ORIBI_KIT_COMPUTE(idf, 5)

const oribi_cpu_kernel oribi_cpu_learned_kernels[] = {
    ORIBI_CPU_ROW("ONNX>LabelEncoder", label, "a hash table of the keys"),
    ORIBI_CPU_STATE_ROW("ONNX>TfIdfVectorizer", idf, idf,
                        "a hash table for each length of n-grams"),
    {.op_name = NULL},
};
