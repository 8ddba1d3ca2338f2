/* SPDX-License-Identifier: Apache-2.0 */
/* ParseExampleV2, ParseExample, ParseSingleExample: features of examples become tensors. First each
 * example is read once, and where its features lie is written into a table; then feature by feature
 * values are counted and copied.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/text/example.h"

typedef enum example_form { ALL_KEYS_IN_VECTORS, EACH_KEY_ALONE, KEYS_IN_ATTRIBUTES } example_form;

typedef struct example_state {
    example_form form;
    TF_Buffer *node; /* its attributes: shapes, and perhaps keys, as many as there are */
    int32_t n_sparse, n_dense, n_ragged;
} example_state;

/* --- Creation --------------------------------------------------------------------------------- */

static int32_t length_of(oribi_kit_setup *setup, const char *attr)
{
    int32_t n = 0, total = 0;
    TF_OpKernelConstruction_GetAttrSize(setup->construction, attr, &n, &total, setup->status);
    return n;
}

/* Outputs are counted by one attribute and typed by another. */
static void expect_length(oribi_kit_setup *setup, const char *attr, int64_t wanted)
{
    if (oribi_kit_setup_is_ok(setup) && length_of(setup, attr) != wanted) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "%s: there are to be %lld of them",
                                   attr, (long long)wanted);
    }
}

static void check_lengths(oribi_kit_setup *setup, const example_state *state)
{
    int64_t n_sparse = 0, n_dense = state->n_dense;
    oribi_kit_attr_int(setup, state->form == EACH_KEY_ALONE ? "Nsparse" : "num_sparse", &n_sparse);
    expect_length(setup, "sparse_types", n_sparse);
    if (state->form == EACH_KEY_ALONE) {
        oribi_kit_attr_int(setup, "Ndense", &n_dense);
    } else if (state->form == KEYS_IN_ATTRIBUTES) {
        expect_length(setup, "sparse_keys", n_sparse);
        expect_length(setup, "dense_keys", n_dense);
    } else {
        expect_length(setup, "ragged_split_types", state->n_ragged);
    }
    expect_length(setup, "Tdense", n_dense);
    expect_length(setup, "dense_shapes", n_dense);
}

static void *create(TF_OpKernelConstruction *construction, example_form form)
{
    oribi_kit_setup setup;
    example_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        state->form = form;
        state->n_sparse = length_of(&setup, "sparse_types");
        state->n_dense = length_of(&setup, "Tdense");
        state->n_ragged = form == ALL_KEYS_IN_VECTORS ? length_of(&setup, "ragged_value_types") : 0;
        if (oribi_kit_setup_is_ok(&setup)) {
            check_lengths(&setup, state);
        }
        if (oribi_kit_setup_is_ok(&setup)) {
            state->node = TF_OpKernelConstruction_GetNodeDef(construction, setup.status);
        }
    }
    return oribi_kit_setup_end(&setup);
}

static void *vectors_create(TF_OpKernelConstruction *construction)
{
    return create(construction, ALL_KEYS_IN_VECTORS);
}

static void *alone_create(TF_OpKernelConstruction *construction)
{
    return create(construction, EACH_KEY_ALONE);
}

static void *single_create(TF_OpKernelConstruction *construction)
{
    return create(construction, KEYS_IN_ATTRIBUTES);
}

static void example_destroy(void *state)
{
    example_state *self = state;
    if (self != NULL) {
        TF_DeleteBuffer(self->node);
    }
    oribi_kit_free(self);
}

/* The list of an attribute, of whose fields those of one number are its elements. */
static oribi_cpu_span list_of(const example_state *state, const char *attr)
{
    oribi_cpu_span node = {state->node->data, state->node->length}, name, value, list = {"", 0};
    oribi_cpu_field field;
    bool bad = false;
    while (oribi_cpu_field_next(&node, &field, &bad)) {
        if (field.number == 5 && field.type == ORIBI_CPU_BYTES &&
            oribi_cpu_field_find(field.part, 1, &name) &&
            oribi_cpu_same_text(name, (oribi_cpu_span){attr, strlen(attr)}) &&
            oribi_cpu_field_find(field.part, 2, &value)) {
            (void)oribi_cpu_field_find(value, 1, &list);
        }
    }
    return list;
}

static oribi_cpu_span next_element(oribi_cpu_span *list, uint32_t number)
{
    oribi_cpu_field field;
    bool bad = false;
    while (oribi_cpu_field_next(list, &field, &bad)) {
        if (field.number == number && field.type == ORIBI_CPU_BYTES) {
            return field.part;
        }
    }
    return (oribi_cpu_span){"", 0};
}

/* --- The table -------------------------------------------------------------------------------- */

typedef struct example_work {
    oribi_kit_run *run;
    const example_state *state;
    bool is_one; /* no vector of examples, but one */
    int64_t n;   /* examples */
    int32_t n_keys;
    oribi_cpu_span *keys;  /* of sparse features, of dense ones, of ragged ones */
    oribi_cpu_span *table; /* of each example's each key: the feature, or nothing */
    oribi_cpu_span shapes; /* of dense features: those to come */
    int64_t patience;
} example_work;

/* What an input holds. The value outlives its handle, of which a run keeps few. */
typedef struct example_given {
    const void *data;
    TF_DataType dtype;
    int64_t count;
} example_given;

static bool given(oribi_kit_run *run, int index, example_given *out)
{
    TF_Tensor *tensor = oribi_kit_input(run, index);
    if (tensor == NULL) {
        return false;
    }
    *out = (example_given){TF_TensorData(tensor), TF_TensorType(tensor),
                           TF_TensorElementCount(tensor)};
    TF_DeleteTensor(tensor);
    run->in[--run->n_in] = NULL;
    return true;
}

/* Keys `first` to first + n - 1: from one vector, or from as many scalars. */
static bool read_keys(example_work *work, int32_t first, int32_t n, int input)
{
    const bool is_vector = work->state->form == ALL_KEYS_IN_VECTORS;
    example_given keys = {NULL, TF_STRING, 0};
    for (int32_t i = 0; i < n; i++) {
        if ((i == 0 || !is_vector) && !given(work->run, is_vector ? input : input + i, &keys)) {
            return false;
        }
        if (keys.count != (is_vector ? n : 1)) {
            return oribi_kit_fail(work->run, TF_INVALID_ARGUMENT,
                                  "there are %lld keys for %d features", (long long)keys.count,
                                  (int)(is_vector ? n : 1));
        }
        work->keys[first + i] = oribi_cpu_text_at(keys.data, is_vector ? i : 0);
    }
    return true;
}

static bool read_all_keys(example_work *work)
{
    const example_state *s = work->state;
    if (s->form == KEYS_IN_ATTRIBUTES) {
        oribi_cpu_span sparse = list_of(s, "sparse_keys"), dense = list_of(s, "dense_keys");
        for (int32_t i = 0; i < work->n_keys; i++) {
            work->keys[i] = next_element(i < s->n_sparse ? &sparse : &dense, 2);
        }
        return true;
    }
    const bool is_vector = s->form == ALL_KEYS_IN_VECTORS;
    return read_keys(work, 0, s->n_sparse, 2) &&
           read_keys(work, s->n_sparse, s->n_dense, is_vector ? 3 : 2 + s->n_sparse) &&
           read_keys(work, s->n_sparse + s->n_dense, s->n_ragged, 4);
}

/* A feature that comes twice is the last one. */
static bool read_examples(example_work *work)
{
    for (int64_t i = 0; i < work->n; i++) {
        const oribi_cpu_span example = oribi_cpu_text_at(TF_TensorData(work->run->in[0]), i);
        oribi_cpu_features features = {.rest = example, .map = {"", 0}};
        oribi_cpu_span *row = work->table + i * work->n_keys;
        while (oribi_cpu_features_next(&features)) {
            for (int32_t k = 0; k < work->n_keys; k++) {
                if (oribi_cpu_same_text(features.key, work->keys[k])) {
                    row[k] = features.list;
                }
            }
            if (oribi_kit_stops(work->run, &work->patience, 20 + 4 * (int64_t)work->n_keys)) {
                return false;
            }
        }
        if (features.bad) {
            return oribi_kit_fail(work->run, TF_INVALID_ARGUMENT,
                                  "Could not parse example input %lld, of %zu bytes: it is no "
                                  "tf.train.Example",
                                  (long long)i, example.n);
        }
    }
    return true;
}

/* --- Values ----------------------------------------------------------------------------------- */

static bool refuse(example_work *work, int32_t key, int64_t i, const char *what)
{
    const oribi_cpu_span name = work->keys[key];
    return oribi_kit_fail(work->run, TF_INVALID_ARGUMENT, "Key: %.*s, Index: %lld. %s",
                          (int)(name.n < 200 ? name.n : 200), name.at, (long long)i, what);
}

/* How many values example i has of the key; *out_is_there: it has the feature. */
static bool count_values(example_work *work, int32_t key, int64_t i, TF_DataType dtype,
                         int64_t *out, bool *out_is_there)
{
    const oribi_cpu_span feature = work->table[i * work->n_keys + key];
    oribi_cpu_values values = oribi_cpu_values_of(feature);
    *out = 0;
    *out_is_there = values.dtype != 0;
    if (*out_is_there && values.dtype != dtype) {
        return refuse(work, key, i, "its values are of another type than is expected");
    }
    while (oribi_cpu_values_next(&values)) {
        ++*out;
    }
    return values.bad ? refuse(work, key, i, "its values cannot be read")
                      : !oribi_kit_stops(work->run, &work->patience, 20 + 4 * *out);
}

static bool put(example_work *work, TF_DataType dtype, void *to, int64_t at, const void *from,
                int64_t i)
{
    if (dtype == TF_STRING) {
        return oribi_cpu_text_append(work->run, (TF_TString *)to + at, oribi_cpu_text_at(from, i));
    }
    const size_t width = dtype == TF_FLOAT ? 4 : 8;
    memcpy((char *)to + (size_t)at * width, (const char *)from + (size_t)i * width, width);
    return true;
}

/* At most so many values, as was counted, from *at on. */
static bool copy_values(example_work *work, int32_t key, int64_t i, TF_DataType dtype, void *to,
                        int64_t *at, int64_t most)
{
    oribi_cpu_values values = oribi_cpu_values_of(work->table[i * work->n_keys + key]);
    for (int64_t k = 0; k < most && oribi_cpu_values_next(&values); k++, ++*at) {
        const uint64_t bits = values.at.value;
        const uint32_t half = (uint32_t)bits;
        if (dtype == TF_STRING) {
            if (!oribi_cpu_text_append(work->run, (TF_TString *)to + *at, values.at.part)) {
                return false;
            }
        } else if (dtype == TF_FLOAT) {
            memcpy((float *)to + *at, &half, sizeof half);
        } else {
            memcpy((int64_t *)to + *at, &bits, sizeof bits);
        }
    }
    return !oribi_kit_stops(work->run, &work->patience, 20 + 10 * most);
}

/* Values of all examples, and the most that one has; `counts` of each. */
static bool count_all(example_work *work, int32_t key, TF_DataType dtype, int64_t *counts,
                      int64_t *out_all, int64_t *out_most)
{
    bool is_there;
    *out_all = *out_most = 0;
    for (int64_t i = 0; i < work->n; i++) {
        if (!count_values(work, key, i, dtype, &counts[i], &is_there)) {
            return false;
        }
        *out_all += counts[i];
        *out_most = counts[i] > *out_most ? counts[i] : *out_most;
    }
    return true;
}

static void *output(example_work *work, int index, const int64_t *dims, int rank, TF_DataType dtype)
{
    void *data = dtype == TF_STRING ? oribi_cpu_text_output(work->run, index, dims, rank)
                                    : oribi_kit_output(work->run, index, dims, rank);
    if (data != NULL) {
        oribi_kit_output_done(work->run);
    }
    return data;
}

/* --- Features --------------------------------------------------------------------------------- */

static bool sparse_feature(example_work *work, int32_t f, int64_t *counts)
{
    const int32_t n = work->state->n_sparse;
    const TF_DataType dtype = TF_ExpectedOutputDataType(work->run->context, n + f);
    const int64_t width = work->is_one ? 1 : 2;
    int64_t all, most, at = 0;
    if (!count_all(work, f, dtype, counts, &all, &most)) {
        return false;
    }
    int64_t *indices = output(work, f, (const int64_t[]){all, width}, 2, TF_INT64);
    void *values = indices == NULL ? NULL : output(work, n + f, &all, 1, dtype);
    int64_t *shape = values == NULL ? NULL : output(work, 2 * n + f, &width, 1, TF_INT64);
    if (shape == NULL) {
        return false;
    }
    shape[0] = work->n;
    shape[width - 1] = most;
    for (int64_t i = 0; i < work->n; i++) {
        for (int64_t k = 0; k < counts[i]; k++) {
            indices[(at + k) * width] = i;
            indices[(at + k) * width + width - 1] = k;
        }
        if (!copy_values(work, f, i, dtype, values, &at, counts[i])) {
            return false;
        }
    }
    return true;
}

static bool ragged_feature(example_work *work, int32_t f, int64_t *counts)
{
    const example_state *s = work->state;
    const int32_t key = s->n_sparse + s->n_dense + f, first = 3 * s->n_sparse + s->n_dense;
    const TF_DataType dtype = TF_ExpectedOutputDataType(work->run->context, first + f);
    const TF_DataType index =
        TF_ExpectedOutputDataType(work->run->context, first + s->n_ragged + f);
    const int64_t n_splits = work->is_one ? 0 : work->n + 1;
    int64_t all, most, at = 0;
    if (!count_all(work, key, dtype, counts, &all, &most)) {
        return false;
    }
    void *values = output(work, first + f, &all, 1, dtype);
    void *splits =
        values == NULL ? NULL : output(work, first + s->n_ragged + f, &n_splits, 1, index);
    if (splits == NULL || (index == TF_INT32 && all > INT32_MAX)) {
        return splits != NULL && refuse(work, key, 0, "there are too many values for its splits");
    }
    for (int64_t i = 0; i < work->n || i < n_splits; i++) {
        if (i < n_splits && index == TF_INT32) {
            ((int32_t *)splits)[i] = (int32_t)at;
        } else if (i < n_splits) {
            ((int64_t *)splits)[i] = at;
        }
        if (i < work->n && !copy_values(work, key, i, dtype, values, &at, counts[i])) {
            return false;
        }
    }
    return true;
}

/* The shape of the next dense feature of one example, how many values that is without a first
 * dimension that is not known, and whether there is one. */
static bool next_shape(example_work *work, oribi_cpu_shape *out, int64_t *out_each,
                       bool *out_varies)
{
    oribi_cpu_span shape = next_element(&work->shapes, 7);
    oribi_cpu_field field, size;
    bool bad = false;
    *out = (oribi_cpu_shape){.n = 0};
    while (oribi_cpu_field_next(&shape, &field, &bad)) {
        if (field.number != 2 || field.type != ORIBI_CPU_BYTES || out->n >= ORIBI_MAX_RANK - 1) {
            return oribi_kit_fail(work->run, TF_UNIMPLEMENTED,
                                  "a dense shape is not known, or has too many dimensions");
        }
        out->at[out->n] = 0;
        while (oribi_cpu_field_next(&field.part, &size, &bad)) {
            out->at[out->n] = size.number == 1 ? (int64_t)size.value : out->at[out->n];
        }
        out->n++;
    }
    *out_varies = out->n > 0 && out->at[0] < 0;
    return oribi_cpu_count(work->run, out->at + *out_varies, out->n - *out_varies, out_each);
}

/* Counts of a feature that fills, or does not fill, so many values: what is absent is `absent`. */
static bool check_dense(example_work *work, int32_t key, TF_DataType dtype, int64_t each,
                        bool varies, int64_t n_default, int64_t *counts, int64_t *out_most)
{
    *out_most = varies ? 0 : each;
    for (int64_t i = 0; i < work->n; i++) {
        bool is_there;
        if (!count_values(work, key, i, dtype, &counts[i], &is_there)) {
            return false;
        }
        if (!is_there && !varies && n_default == 0) {
            return refuse(work, key, i, "the feature is required but could not be found");
        }
        if (varies ? each == 0 || counts[i] % each != 0 : is_there && counts[i] != each) {
            return refuse(work, key, i, "it has another number of values than its shape says");
        }
        counts[i] = is_there ? counts[i] : varies ? 0 : -1;
        *out_most = counts[i] > *out_most ? counts[i] : *out_most;
    }
    return varies || n_default == 0 || n_default == each ||
           refuse(work, key, 0, "its default value does not have its shape");
}

static bool dense_feature(example_work *work, int32_t f, int first_default, int64_t *counts)
{
    const int32_t key = work->state->n_sparse + f;
    oribi_cpu_shape shape;
    example_given absent;
    int64_t each, most, at = 0;
    bool varies = false;
    if (!next_shape(work, &shape, &each, &varies) ||
        !given(work->run, first_default + f, &absent) ||
        !check_dense(work, key, absent.dtype, each, varies, absent.count, counts, &most)) {
        return false;
    }
    if (varies && absent.count != 1) {
        return refuse(work, key, 0, "what it is filled up with is not one element");
    }
    oribi_cpu_shape all = {.n = work->is_one ? 0 : 1, .at = {work->n}};
    for (int32_t i = 0; i < shape.n; i++) {
        all.at[all.n++] = i == 0 && varies ? most / each : shape.at[i];
    }
    void *to = output(work, 3 * work->state->n_sparse + f, all.at, all.n, absent.dtype);
    for (int64_t i = 0; to != NULL && i < work->n; i++) {
        const int64_t end = (i + 1) * most;
        if (!copy_values(work, key, i, absent.dtype, to, &at, counts[i] < 0 ? 0 : counts[i])) {
            return false;
        }
        for (; at < end; at++) {
            if (!put(work, absent.dtype, to, at, absent.data, varies ? 0 : at - (end - most)) ||
                oribi_kit_stops(work->run, &work->patience, 10)) {
                return false;
            }
        }
    }
    return to != NULL;
}

/* --- All of it -------------------------------------------------------------------------------- */

static bool parse(example_work *work, int64_t *counts)
{
    const example_state *s = work->state;
    const int first_default = s->form == ALL_KEYS_IN_VECTORS ? 5
                              : s->form == EACH_KEY_ALONE    ? 2 + work->n_keys
                                                             : 1;
    bool ok = read_all_keys(work) && read_examples(work);
    work->shapes = list_of(s, "dense_shapes");
    for (int32_t f = 0; ok && f < s->n_sparse; f++) {
        ok = sparse_feature(work, f, counts);
    }
    for (int32_t f = 0; ok && f < s->n_dense; f++) {
        ok = dense_feature(work, f, first_default, counts);
    }
    for (int32_t f = 0; ok && f < s->n_ragged; f++) {
        ok = ragged_feature(work, f, counts);
    }
    return ok;
}

static bool example_run(const void *state, oribi_kit_run *run)
{
    example_work work = {.run = run, .state = state};
    const example_state *s = state;
    const int rank = TF_NumDims(run->in[0]);
    int64_t n_cells = 0;
    TF_Tensor *scratch = NULL;
    const bool wants_vector = s->form == EACH_KEY_ALONE, wants_one = s->form == KEYS_IN_ATTRIBUTES;
    if (rank > 1 || (rank == 0 && wants_vector) || (rank == 1 && wants_one)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "serialized has rank %d", rank);
    }
    work.is_one = rank == 0;
    work.n = TF_TensorElementCount(run->in[0]);
    work.n_keys = s->n_sparse + s->n_dense + s->n_ragged;
    /* The keys, the table, the counts: one block. */
    if (__builtin_mul_overflow(work.n + 1, (int64_t)work.n_keys, &n_cells) ||
        n_cells > INT64_MAX / 64) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "there are too many examples");
    }
    const int64_t bytes = n_cells * (int64_t)sizeof(oribi_cpu_span);
    work.keys = oribi_kit_scratch(run, bytes + (work.n + 1) * (int64_t)sizeof(int64_t), &scratch);
    if (work.keys == NULL) {
        return false;
    }
    work.table = work.keys + work.n_keys;
    memset(work.keys, 0, (size_t)bytes);
    const bool ok = parse(&work, (int64_t *)(work.keys + n_cells));
    TF_DeleteTensor(scratch);
    return ok;
}
ORIBI_KIT_COMPUTE(example, 1)

#define ROW(op, make)                                                                              \
    {                                                                                              \
        .op_name = op, .priority = ORIBI_CPU_REFERENCE, .create = make,                            \
        .compute = example_compute, .destroy = example_destroy,                                    \
        .why = "reads each example once, then copies feature by feature"                           \
    }

const oribi_cpu_kernel oribi_cpu_example_kernels[] = {
    ROW("ParseExampleV2", vectors_create),
    ROW("ParseExample", alone_create),
    ROW("ParseSingleExample", single_create),
    {.op_name = NULL},
};
