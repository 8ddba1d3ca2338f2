/* SPDX-License-Identifier: Apache-2.0 */
/* Attention in products and a softmax: Attention where it wants more than Oribi>Attention has, and
 * FlexAttention, whose scores pass through graphs of the model.
 * Source   ONNX's Attention (opset 23 to 25), ai.onnx.preview's FlexAttention (version 1).
 */
#include "import/onnx/spelled/onnx_spelled.h"

#include <math.h>
#include <string.h>

enum { MASK = 3, PAST_KEY = 4, LENGTHS = 6 };
enum { AFTER_PRODUCT, AFTER_SOFTCAP, AFTER_MASK, AFTER_SOFTMAX }; /* qk_matmul_output_mode */

/* Heads before the sequence. */
static oribi_value_id heads_first(oribi_onnx_node *n, oribi_value_id x, const char *layout)
{
    const oribi_dims perm = oribi_emit_exchange(4, 1, 2);
    return strcmp(layout, "BSHD") == 0 ? oribi_emit_transpose(n, x, &perm) : x;
}

/* Keys or values for each head of the queries. */
static oribi_value_id for_heads(oribi_onnx_node *n, oribi_value_id x, oribi_value_id query)
{
    const int64_t wanted = oribi_emit_dim(n, query, 1), has = oribi_emit_dim(n, x, 1);
    if (n->failed || wanted == has) {
        return n->failed ? -1 : x;
    }
    if (wanted < 0 || has < 0) {
        oribi_onnx_want_shapes(n, "the numbers of heads are not known");
        return -1;
    }
    if (has == 0 || wanted % has != 0) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%lld heads of queries share %lld of keys",
                        (long long)wanted, (long long)has);
        return -1;
    }
    return oribi_emit_repeated(n, x, 1, oribi_emit_scalar(n, TF_INT64, (double)wanted),
                               wanted / has);
}

static oribi_value_id scaled_product(oribi_onnx_node *n, oribi_value_id q, oribi_value_id k)
{
    const int64_t size = oribi_emit_dim(n, q, 3);
    double scale = (double)oribi_onnx_float(n, "scale", 0.0F);
    if (!n->failed && scale == 0 && size < 1) {
        oribi_onnx_want_shapes(n, "the size of a head is not known");
        return -1;
    }
    scale = scale == 0 ? 1 / sqrt((double)size) : scale;
    const oribi_value_id y =
        oribi_emit(n, "BatchMatMulV2", INPUTS(q, k), ATTRS(ATTR_BOOL("adj_y", true)));
    return oribi_emit2(n, "Mul", y, oribi_emit_scalar_like(n, y, scale));
}

static oribi_value_id where(oribi_onnx_node *n, oribi_value_id seen, oribi_value_id scores)
{
    return oribi_emit3(n, "SelectV2", seen, scores,
                       oribi_emit_scalar_like(n, scores, -(double)INFINITY));
}

/* One number for each batch or for all, as [., 1, 1, 1]. */
static oribi_value_id for_batches(oribi_onnx_node *n, oribi_value_id x)
{
    return oribi_emit_reshape(n, oribi_emit_cast(n, x, TF_INT64), (int64_t[]){-1, 1, 1, 1}, 4);
}

/* Where queries are among the keys: behind the cache, or the last ones of those that count. */
static oribi_value_id query_places(oribi_onnx_node *n, oribi_value_id q)
{
    const oribi_value_id own =
        oribi_emit_reshape(n, oribi_emit_places(n, q, 2), (int64_t[]){1, 1, -1, 1}, 4);
    oribi_value_id offset = -1;
    if (oribi_emit_input(n, LENGTHS) >= 0) {
        const oribi_value_id shape = oribi_emit_shape_of(n, q, TF_INT64);
        offset = oribi_emit2(n, "Sub", for_batches(n, n->inputs[LENGTHS]),
                             oribi_emit_element(n, shape, 2));
    } else if (oribi_emit_input(n, PAST_KEY) >= 0) {
        offset = oribi_emit_element(n, oribi_emit_shape_of(n, n->inputs[PAST_KEY], TF_INT64), 2);
    }
    return offset < 0 ? own : oribi_emit2(n, "AddV2", own, offset);
}

/* Scores of keys that no query may see become -infinity. */
static oribi_value_id limited(oribi_onnx_node *n, oribi_value_id scores, oribi_value_id q,
                              oribi_value_id k)
{
    const bool is_causal = oribi_onnx_flag(n, "is_causal", false);
    const int64_t left = oribi_onnx_int(n, "left_window_size", -1);
    const int64_t right = oribi_onnx_int(n, "right_window_size", -1);
    const oribi_value_id keys = oribi_emit_places(n, k, 2);
    const oribi_value_id queries = query_places(n, q);
    if (is_causal) {
        scores = where(n, oribi_emit2(n, "GreaterEqual", queries, keys), scores);
    }
    if (left >= 0) {
        const oribi_value_id first =
            oribi_emit2(n, "Sub", queries, oribi_emit_scalar(n, TF_INT64, (double)left));
        scores = where(n, oribi_emit2(n, "GreaterEqual", keys, first), scores);
    }
    if (right >= 0) {
        const oribi_value_id last =
            oribi_emit2(n, "AddV2", queries, oribi_emit_scalar(n, TF_INT64, (double)right));
        scores = where(n, oribi_emit2(n, "LessEqual", keys, last), scores);
    }
    if (oribi_emit_input(n, LENGTHS) >= 0) {
        const oribi_value_id lengths = for_batches(n, n->inputs[LENGTHS]);
        scores = where(n, oribi_emit2(n, "Less", keys, lengths), scores);
    }
    return scores;
}

/* The mask as numbers to add; keys behind its end are not seen. */
static oribi_value_id masked(oribi_onnx_node *n, oribi_value_id scores, oribi_value_id k)
{
    oribi_value_id mask = oribi_emit_input(n, MASK);
    if (mask < 0 || n->failed) {
        return n->failed ? -1 : scores;
    }
    const int32_t rank = oribi_emit_rank(n, mask);
    if (rank > 4) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "the mask has %d dimensions, the scores have 4",
                        (int)rank);
        return -1;
    }
    const oribi_value_id unseen = oribi_emit_scalar_like(n, scores, -(double)INFINITY);
    mask = oribi_emit_dtype(n, mask) == TF_BOOL
               ? oribi_emit3(n, "SelectV2", mask, oribi_emit_scalar_like(n, scores, 0), unseen)
               : oribi_emit_cast(n, mask, oribi_emit_dtype(n, scores));
    const int64_t has = rank < 1 ? -1 : oribi_emit_dim(n, mask, rank - 1);
    const int64_t keys = oribi_emit_dim(n, k, 2);
    if (has > 1 && keys > has) {
        int64_t pads[8] = {0};
        pads[2 * rank - 1] = keys - has;
        const oribi_value_id amounts = oribi_emit_reshape(
            n, oribi_emit_vector_as(n, TF_INT64, pads, 2 * rank), (int64_t[]){rank, 2}, 2);
        mask = oribi_emit3(n, "PadV2", mask, amounts, unseen);
    }
    return oribi_emit2(n, "AddV2", scores, mask);
}

/* Rows without a key that is seen give zeros. */
static oribi_value_id safe_softmax(oribi_onnx_node *n, oribi_value_id scores)
{
    const oribi_value_id axis = oribi_emit_vector(n, (int64_t[]){-1}, 1);
    const oribi_value_id most =
        oribi_emit(n, "Max", INPUTS(scores, axis), ATTRS(ATTR_BOOL("keep_dims", true)));
    const oribi_value_id sees_none =
        oribi_emit2(n, "Equal", most, oribi_emit_scalar_like(n, scores, -(double)INFINITY));
    return oribi_emit3(n, "SelectV2", sees_none, oribi_emit_scalar_like(n, scores, 0),
                       oribi_emit1(n, "Softmax", scores));
}

bool oribi_onnx_attention_spelled(oribi_onnx_node *n, const oribi_onnx_attention_parts *parts)
{
    const TF_DataType dtype = oribi_emit_dtype(n, parts->query);
    const TF_DataType wide = dtype == TF_DOUBLE ? TF_DOUBLE : TF_FLOAT;
    const oribi_value_id q =
        oribi_emit_cast(n, heads_first(n, parts->query, parts->query_layout), wide);
    oribi_value_id k = oribi_emit_cast(n, heads_first(n, parts->key, parts->key_layout), wide);
    oribi_value_id v = oribi_emit_cast(n, heads_first(n, parts->value, parts->value_layout), wide);
    k = for_heads(n, k, q);
    v = for_heads(n, v, q);
    oribi_value_id steps[4];
    const double softcap = (double)oribi_onnx_float(n, "softcap", 0.0F);
    steps[AFTER_PRODUCT] = steps[AFTER_SOFTCAP] = scaled_product(n, q, k);
    if (softcap != 0) {
        const oribi_value_id cap = oribi_emit_scalar(n, wide, softcap);
        const oribi_value_id part = oribi_emit2(n, "RealDiv", steps[AFTER_PRODUCT], cap);
        steps[AFTER_SOFTCAP] = oribi_emit2(n, "Mul", oribi_emit1(n, "Tanh", part), cap);
    }
    steps[AFTER_MASK] = limited(n, masked(n, steps[AFTER_SOFTCAP], k), q, k);
    steps[AFTER_SOFTMAX] = safe_softmax(n, steps[AFTER_MASK]);
    const int64_t mode = oribi_onnx_int(n, "qk_matmul_output_mode", 0);
    if (oribi_emit_wants(n, 3)) {
        if (mode < AFTER_PRODUCT || mode > AFTER_SOFTMAX) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "qk_matmul_output_mode is not 0 to 3");
        }
        ORIBI_TRY(oribi_emit_bind(n, 3, oribi_emit_cast(n, steps[mode], dtype)));
    }
    oribi_value_id y = oribi_emit2(n, "BatchMatMulV2", steps[AFTER_SOFTMAX], v);
    if (strcmp(parts->query_layout, "BSHD") == 0) {
        const oribi_dims perm = oribi_emit_exchange(4, 1, 2);
        y = oribi_onnx_side_by_side(n, oribi_emit_transpose(n, y, &perm));
    }
    return oribi_emit_bind(n, 0, oribi_emit_cast(n, y, dtype));
}

/* x through the graph of an attribute, where there is one. */
static oribi_value_id modified(oribi_onnx_node *n, const char *attr, oribi_value_id x,
                               bool *missing)
{
    oribi_wire graph;
    if (n->failed || *missing || !oribi_onnx_has_attr(n, attr)) {
        return n->failed || *missing ? -1 : x;
    }
    oribi_value_id y = -1;
    return oribi_onnx_read_graph(n, attr, &graph) &&
                   oribi_onnx_graph_apply(n, attr, &graph, &x, 1, &y, 1, missing)
               ? y
               : -1;
}

bool oribi_onnx_flex_attention(oribi_onnx_node *n)
{
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[0]);
    const TF_DataType wide = dtype == TF_DOUBLE ? TF_DOUBLE : TF_FLOAT;
    bool missing = false;
    for (int32_t i = 0; i < 3; i++) {
        if ((oribi_emit_rank(n, n->inputs[i]) != 4 || !oribi_emit_is_float(n, n->inputs[i])) &&
            !n->failed) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "input %d must have 4 dimensions and be of a float type",
                                   (int)i);
        }
    }
    const oribi_value_id q = oribi_emit_cast(n, n->inputs[0], wide);
    const oribi_value_id k = for_heads(n, oribi_emit_cast(n, n->inputs[1], wide), q);
    const oribi_value_id v = for_heads(n, oribi_emit_cast(n, n->inputs[2], wide), q);
    oribi_value_id x = modified(n, "score_mod", scaled_product(n, q, k), &missing);
    x = missing ? -1 : modified(n, "prob_mod", oribi_emit1(n, "Softmax", x), &missing);
    if (missing && !n->failed) {
        return oribi_onnx_mark_missing(n);
    }
    x = oribi_emit2(n, "BatchMatMulV2", oribi_emit_cast(n, x, wide), v);
    return oribi_emit_bind(n, 0, oribi_emit_cast(n, x, dtype));
}
