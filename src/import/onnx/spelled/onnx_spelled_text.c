/* SPDX-License-Identifier: Apache-2.0 */
/* Operators whose attributes hold what was learned: lists of texts and numbers, trees. The ops take
 * these as constant inputs, so that kernels keep no copy of them.
 */
#include "import/onnx/spelled/onnx_spelled.h"
#include "base/alloc.h"
#include "tensor/status.h"

#include <math.h>
#include <string.h>

/* --- Attributes as constants ------------------------------------------------------------------ */

static oribi_value_id failed_memory(oribi_onnx_node *n)
{
    (void)oribi_onnx_no_memory(n);
    return -1;
}

static oribi_value_id constant(oribi_onnx_node *n, TF_DataType dtype, const void *data,
                               int64_t count)
{
    const oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, "const", dtype, &count, 1, data, n->status);
    n->failed = n->failed || id < 0;
    return id;
}

static oribi_value_id texts(oribi_onnx_node *n, const oribi_string *strings, int32_t count)
{
    const int64_t dim = count;
    size_t bytes = 0;
    if (n->failed || !oribi_size_of_dims(&dim, 1, sizeof(TF_TString), &bytes) ||
        !oribi_graph_charge(n->graph, bytes, n->status)) {
        n->failed = true;
        return -1;
    }
    TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, &dim, 1, bytes);
    if (tensor == NULL) {
        return failed_memory(n);
    }
    TF_TString *elements = TF_TensorData(tensor);
    for (int32_t i = 0; i < count; i++) {
        TF_StringInit(&elements[i]);
        TF_StringCopy(&elements[i], strings[i].data, strings[i].length);
    }
    const oribi_value_id id = oribi_graph_add_constant_tensor(n->graph, "const", tensor, n->status);
    TF_DeleteTensor(tensor);
    n->failed = n->failed || id < 0;
    return id;
}

/* Integers of an attribute, in the scratch arena; none where it is absent. */
static bool ints_of(oribi_onnx_node *n, const char *name, int64_t **out, int32_t *out_count)
{
    oribi_onnx_attr attr;
    *out = NULL;
    *out_count = 0;
    return !oribi_onnx_find_attr(n, name, &attr) ? !n->failed
                                                 : oribi_onnx_read_ints(n, &attr, out, out_count);
}

/* The list under whatever name it has, as a vector; -1: none, or failed. */
static oribi_value_id list_of(oribi_onnx_node *n, const char *strings_name, const char *ints_name,
                              const char *floats_name, const char *tensor_name)
{
    oribi_onnx_attr attr;
    int32_t count = 0;
    if (strings_name != NULL && oribi_onnx_find_attr(n, strings_name, &attr)) {
        oribi_string *strings = NULL;
        return oribi_onnx_read_strings(n, &attr, &strings, &count) ? texts(n, strings, count) : -1;
    }
    if (ints_name != NULL && oribi_onnx_find_attr(n, ints_name, &attr)) {
        int64_t *ints = NULL;
        return oribi_onnx_read_ints(n, &attr, &ints, &count) ? constant(n, TF_INT64, ints, count)
                                                             : -1;
    }
    if (floats_name != NULL && oribi_onnx_find_attr(n, floats_name, &attr)) {
        float *floats = NULL;
        return oribi_onnx_read_floats(n, &attr, &floats, &count)
                   ? constant(n, TF_FLOAT, floats, count)
                   : -1;
    }
    return tensor_name != NULL && oribi_onnx_find_attr(n, tensor_name, &attr)
               ? oribi_onnx_read_tensor(n, &attr)
               : -1;
}

/* --- Texts ------------------------------------------------------------------------------------ */

bool oribi_onnx_string_normalizer(oribi_onnx_node *n)
{
    oribi_value_id stops = list_of(n, "stopwords", NULL, NULL, NULL);
    stops = stops < 0 && !n->failed ? texts(n, NULL, 0) : stops;
    const char *action = oribi_onnx_string_is(n, "case_change_action", "NONE", "LOWER")   ? "LOWER"
                         : oribi_onnx_string_is(n, "case_change_action", "NONE", "UPPER") ? "UPPER"
                                                                                          : "NONE";
    if (action[0] == 'N' && !oribi_onnx_string_is(n, "case_change_action", "NONE", "NONE")) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "case_change_action is not NONE, LOWER or UPPER");
    }
    const bool is_sensitive = oribi_onnx_flag(n, "is_case_sensitive", false);
    return oribi_emit_bind(n, 0,
                           oribi_emit(n, "ONNX>StringNormalizer", INPUTS(n->inputs[0], stops),
                                      ATTRS(ATTR_TEXT("case_change_action", action),
                                            ATTR_BOOL("is_case_sensitive", is_sensitive))));
}

/* What becomes of what no key equals. */
static oribi_value_id label_default(oribi_onnx_node *n, TF_DataType dtype)
{
    oribi_onnx_attr attr;
    oribi_string text = {"_Unused", 7};
    if (oribi_onnx_find_attr(n, "default_tensor", &attr)) {
        return oribi_onnx_read_tensor(n, &attr);
    }
    if (dtype == TF_STRING) {
        const bool is_given = oribi_onnx_find_attr(n, "default_string", &attr);
        return !is_given || oribi_onnx_read_string(n, &attr, &text) ? texts(n, &text, 1) : -1;
    }
    if (dtype == TF_INT64) {
        const int64_t number = oribi_onnx_int(n, "default_int64", -1);
        return constant(n, TF_INT64, &number, 1);
    }
    return oribi_emit_cast(
        n, oribi_emit_scalar(n, TF_FLOAT, (double)oribi_onnx_float(n, "default_float", -0.0F)),
        dtype);
}

bool oribi_onnx_label_encoder(oribi_onnx_node *n)
{
    const oribi_value_id keys =
        list_of(n, "keys_strings", "keys_int64s", "keys_floats", "keys_tensor");
    const oribi_value_id values =
        list_of(n, "values_strings", "values_int64s", "values_floats", "values_tensor");
    ORIBI_TRY(!n->failed);
    if (keys < 0 || values < 0) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "a list of keys and one of values are wanted");
    }
    const oribi_value_id otherwise = label_default(n, oribi_emit_dtype(n, values));
    return oribi_emit_bind(n, 0,
                           oribi_emit(n, "ONNX>LabelEncoder",
                                      INPUTS(n->inputs[0], keys, values, otherwise), NO_ATTRS));
}

static const char *mode_of(oribi_onnx_node *n)
{
    static const char *const modes[] = {"TF", "IDF", "TFIDF"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (oribi_onnx_string_is(n, "mode", "", modes[i])) {
            return modes[i];
        }
    }
    oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "mode is not TF, IDF or TFIDF");
    return "TF";
}

bool oribi_onnx_tf_idf(oribi_onnx_node *n)
{
    int64_t *counts, *indexes, length = 0;
    int32_t n_counts, n_indexes;
    ORIBI_TRY(ints_of(n, "ngram_counts", &counts, &n_counts) &&
              ints_of(n, "ngram_indexes", &indexes, &n_indexes));
    const oribi_value_id pool = list_of(n, "pool_strings", "pool_int64s", NULL, NULL);
    oribi_value_id weights = list_of(n, NULL, NULL, "weights", NULL);
    ORIBI_TRY(!n->failed);
    if (pool < 0 || n_counts == 0 || n_indexes == 0) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "a pool, ngram_counts and ngram_indexes are wanted");
    }
    for (int32_t i = 0; i < n_indexes; i++) {
        if (indexes[i] < 0 || indexes[i] >= INT32_MAX) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "ngram_indexes has %lld",
                                   (long long)indexes[i]);
        }
        length = indexes[i] >= length ? indexes[i] + 1 : length;
    }
    weights = weights < 0 ? oribi_emit_empty(n, TF_FLOAT) : weights;
    const bool is_text = oribi_emit_dtype(n, pool) == TF_STRING;
    const oribi_value_id x = is_text ? n->inputs[0] : oribi_emit_cast(n, n->inputs[0], TF_INT64);
    const oribi_value_id y =
        oribi_emit(n, "ONNX>TfIdfVectorizer",
                   INPUTS(x, pool, constant(n, TF_INT64, counts, n_counts),
                          constant(n, TF_INT64, indexes, n_indexes), weights),
                   ATTRS(ATTR_INT("length", length),
                         ATTR_INT("min_gram_length", oribi_onnx_int(n, "min_gram_length", 1)),
                         ATTR_INT("max_gram_length", oribi_onnx_int(n, "max_gram_length", 1)),
                         ATTR_INT("max_skip_count", oribi_onnx_int(n, "max_skip_count", 0)),
                         ATTR_TEXT("mode", mode_of(n))));
    return oribi_emit_bind(n, 0, y);
}

/* --- Trees ------------------------------------------------------------------------------------ */

enum { MODE_MEMBER = 6, MISSING_IS_TRUE = 128, N_LISTS = 5 };
enum { FEATURE, TRUE_ID, FALSE_ID, TRUE_LEAF, FALSE_LEAF };

typedef struct trees {
    int64_t *lists[N_LISTS], *missing;
    int32_t n, n_missing;
} trees;

static bool read_lists(oribi_onnx_node *n, trees *t)
{
    static const char *const names[N_LISTS] = {"nodes_featureids", "nodes_truenodeids",
                                               "nodes_falsenodeids", "nodes_trueleafs",
                                               "nodes_falseleafs"};
    int32_t count = 0;
    for (int i = 0; i < N_LISTS; i++) {
        ORIBI_TRY(ints_of(n, names[i], &t->lists[i], &count));
        if (count == 0 || (i > 0 && count != t->n)) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s has %d elements; there are %d nodes",
                                   names[i], (int)count, (int)t->n);
        }
        t->n = count;
    }
    ORIBI_TRY(ints_of(n, "nodes_missing_value_tracks_true", &t->missing, &t->n_missing));
    return t->n_missing == 0 || t->n_missing == t->n ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                           "nodes_missing_value_tracks_true has %d elements; there are %d nodes",
                           (int)t->n_missing, (int)t->n);
}

static bool is_nan_at(const TF_Tensor *members, int64_t i)
{
    return TF_TensorType(members) == TF_DOUBLE ? isnan(((const double *)TF_TensorData(members))[i])
                                               : isnan(((const float *)TF_TensorData(members))[i]);
}

/* Nodes of four numbers each, and modes with a bit for what is missing. Sets of members lie one
 * behind the other, in the order of the nodes that ask for them. */
static bool lay_out(oribi_onnx_node *n, const trees *t, const TF_Tensor *modes,
                    const TF_Tensor *members, oribi_value_id *out_nodes, oribi_value_id *out_modes)
{
    int64_t *nodes = oribi_arena_array(&n->onnx->scratch, (size_t)t->n, 4 * sizeof *nodes);
    uint8_t *bits = oribi_arena_array(&n->onnx->scratch, (size_t)t->n, sizeof *bits);
    const int64_t n_members = members != NULL ? TF_TensorElementCount(members) : 0;
    int64_t at = 0;
    if (nodes == NULL || bits == NULL) {
        return failed_memory(n) >= 0;
    }
    for (int32_t i = 0; i < t->n; i++) {
        const int64_t yes = t->lists[TRUE_ID][i], no = t->lists[FALSE_ID][i];
        const int64_t node[4] = {t->lists[FEATURE][i], t->lists[TRUE_LEAF][i] != 0 ? ~yes : yes,
                                 t->lists[FALSE_LEAF][i] != 0 ? ~no : no, at};
        if (yes < 0 || no < 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "node %d of a tree has a negative child",
                                   (int)i);
        }
        memcpy(&nodes[4 * i], node, sizeof node);
        bits[i] = ((const uint8_t *)TF_TensorData(modes))[i] & 127U;
        while (bits[i] == MODE_MEMBER && at < n_members && !is_nan_at(members, at)) {
            at++;
        }
        at += bits[i] == MODE_MEMBER ? 1 : 0;
        bits[i] |= t->n_missing > 0 && t->missing[i] != 0 ? MISSING_IS_TRUE : 0;
    }
    *out_nodes = constant(n, TF_INT64, nodes, 4 * (int64_t)t->n);
    *out_modes = constant(n, TF_UINT8, bits, t->n);
    return !n->failed;
}

/* The tensor of an attribute as a value, and the tensor, which the caller deletes; -1: absent. */
static oribi_value_id tensor_of(oribi_onnx_node *n, const char *name, TF_Tensor **out)
{
    const oribi_value_id value = list_of(n, NULL, NULL, NULL, name);
    *out = value < 0 ? NULL : oribi_graph_constant_tensor(n->graph, value, n->status);
    n->failed = n->failed || (value >= 0 && *out == NULL);
    return value;
}

static oribi_value_id transformed(oribi_onnx_node *n, oribi_value_id y)
{
    const int64_t transform = oribi_onnx_int(n, "post_transform", 0);
    if (transform != 0 && transform != 1 && transform != 2) {
        oribi_onnx_fail(n, TF_UNIMPLEMENTED, "post_transform %lld", (long long)transform);
        return -1;
    }
    return transform == 0 ? y : oribi_emit1(n, transform == 1 ? "Softmax" : "Sigmoid", y);
}

static bool check_trees(oribi_onnx_node *n, const trees *t, const TF_Tensor *modes,
                        oribi_value_id splits, oribi_value_id weights)
{
    return (modes != NULL && TF_TensorType(modes) == TF_UINT8 &&
            TF_TensorElementCount(modes) == t->n && splits >= 0 && weights >= 0) ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                           "nodes_modes, one byte for each of %d nodes, nodes_splits and "
                           "leaf_weights are wanted",
                           (int)t->n);
}

bool oribi_onnx_tree_ensemble(oribi_onnx_node *n)
{
    trees t = {.n = 0};
    int64_t *roots, *targets;
    int32_t n_roots, n_targets;
    oribi_value_id nodes = -1, bits = -1;
    TF_Tensor *modes = NULL, *members = NULL;
    ORIBI_TRY(read_lists(n, &t) && ints_of(n, "tree_roots", &roots, &n_roots) &&
              ints_of(n, "leaf_targetids", &targets, &n_targets));
    const oribi_value_id splits = list_of(n, NULL, NULL, NULL, "nodes_splits");
    const oribi_value_id weights = list_of(n, NULL, NULL, NULL, "leaf_weights");
    (void)tensor_of(n, "nodes_modes", &modes);
    oribi_value_id sets = tensor_of(n, "membership_values", &members);
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[0]);
    const bool is_laid_out =
        !n->failed && check_trees(n, &t, modes, splits, weights) &&
        (members == NULL || TF_TensorType(members) == dtype ||
         oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "membership_values are of another type")) &&
        lay_out(n, &t, modes, members, &nodes, &bits);
    TF_DeleteTensor(modes);
    TF_DeleteTensor(members);
    ORIBI_TRY(is_laid_out);
    sets = sets < 0 ? constant(n, dtype, "", 0) : sets;
    oribi_value_id y = oribi_emit(
        n, "ONNX>TreeEnsemble",
        INPUTS(n->inputs[0], constant(n, TF_INT64, roots, n_roots), nodes, bits, splits,
               constant(n, TF_INT64, targets, n_targets), weights, sets),
        ATTRS(ATTR_INT("n_targets", oribi_onnx_int(n, "n_targets", 1)),
              ATTR_INT("aggregate_function", oribi_onnx_int(n, "aggregate_function", 1))));
    return oribi_emit_bind(n, 0, transformed(n, y));
}
