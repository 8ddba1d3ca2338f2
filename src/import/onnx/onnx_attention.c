/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's Attention: Oribi>Attention behind what the operator does besides. Heads of
 * three-dimensional inputs become an axis of their own, which the op reads where it lies; caches go
 * before the keys and values; what the op has not
 * is spelled out (spelled/).
 */
#include "import/onnx/spelled/onnx_spelled.h"
#include "tensor/status.h"

#include <string.h>

enum { QUERY, KEY, VALUE, MASK, PAST_KEY, PAST_VALUE, LENGTHS };

oribi_value_id oribi_onnx_heads_apart(oribi_onnx_node *n, oribi_value_id x, int64_t heads)
{
    oribi_dims dims = {0};
    if (!oribi_emit_dims(n, x, &dims)) {
        return -1;
    }
    if (dims.n != 3 || heads < 1 || (dims.at[2] >= 0 && dims.at[2] % heads != 0)) {
        (void)oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                              "a query, key or value has %d dimensions and %lld heads: 4 "
                              "dimensions are wanted, or 3, the last of which the heads divide",
                              (int)dims.n, (long long)heads);
        return -1;
    }
    const int64_t wanted[4] = {dims.at[0], dims.at[1], heads,
                               dims.at[2] >= 0 ? dims.at[2] / heads : -1};
    if (dims.at[0] < 0 || dims.at[1] < 0) { /* a constant shape leaves one dimension open at most */
        const oribi_value_id shape = oribi_emit_shape_of(n, x, TF_INT64);
        const oribi_value_id parts[3] = {oribi_emit_range_of(n, shape, 0, 2),
                                         oribi_emit_vector_as(n, TF_INT64, wanted + 2, 2),
                                         oribi_emit_int(n, 0)};
        return oribi_emit2(n, "Reshape", x, oribi_emit(n, "ConcatV2", parts, 3, NO_ATTRS));
    }
    return oribi_emit_reshape(n, x, wanted, 4);
}

oribi_value_id oribi_onnx_with_heads(oribi_onnx_node *n, int32_t at, const char *heads_attr,
                                     const char **layout)
{
    const int32_t rank = oribi_emit_rank(n, n->inputs[at]);
    const int64_t heads = oribi_onnx_int(n, heads_attr, 0);
    *layout = rank == 3 ? "BSHD" : "BHSD";
    return n->failed || rank == 4 ? n->inputs[at] : oribi_onnx_heads_apart(n, n->inputs[at], heads);
}

/* Behind the cache, if there is one; the result is what the operator calls present. */
static oribi_value_id with_past(oribi_onnx_node *n, oribi_value_id x, int32_t past, int32_t present,
                                const char **layout)
{
    const bool has_past = oribi_emit_input(n, past) >= 0;
    if (!has_past && !oribi_emit_wants(n, present)) {
        return x;
    }
    if (strcmp(*layout, "BSHD") == 0) {
        const oribi_dims perm = oribi_emit_exchange(4, 1, 2);
        x = oribi_emit_transpose(n, x, &perm);
        *layout = "BHSD";
    }
    if (has_past) {
        const oribi_value_id parts[3] = {n->inputs[past], x, oribi_emit_int(n, 2)};
        x = oribi_emit(n, "ConcatV2", parts, 3, NO_ATTRS);
    }
    return x;
}

oribi_value_id oribi_onnx_side_by_side(oribi_onnx_node *n, oribi_value_id y)
{
    const oribi_value_id shape = oribi_emit_shape_of(n, n->inputs[QUERY], TF_INT64);
    const int64_t heads = oribi_emit_dim(n, y, 2), size = oribi_emit_dim(n, y, 3);
    const int64_t rest = heads < 0 || size < 0 ? -1 : heads * size; /* -1 of no rows would be 0 */
    const oribi_value_id parts[3] = {oribi_emit_range_of(n, shape, 0, 2),
                                     oribi_emit_vector_as(n, TF_INT64, &rest, 1),
                                     oribi_emit_int(n, 0)};
    return oribi_emit2(n, "Reshape", y, oribi_emit(n, "ConcatV2", parts, 3, NO_ATTRS));
}

oribi_value_id oribi_onnx_span_behind(oribi_onnx_node *n, oribi_value_id keys, oribi_value_id past)
{
    const oribi_value_id lengths[2] = {
        oribi_emit_element(n, oribi_emit_shape_of(n, keys, TF_INT64), 2),
        oribi_emit_element(n, oribi_emit_shape_of(n, past, TF_INT64), 2)};
    return oribi_emit(n, "Pack", lengths, 2, ATTRS(ATTR_INT("axis", 0)));
}

/* A mask that is added is of the type of the rest. */
static oribi_value_id as_mask(oribi_onnx_node *n, oribi_value_id mask)
{
    return mask < 0 || oribi_emit_dtype(n, mask) == TF_BOOL ? mask
                                                            : oribi_emit_cast(n, mask, TF_FLOAT);
}

oribi_value_id oribi_onnx_attention_op(oribi_onnx_node *n, const oribi_onnx_attention_call *call)
{
    const TF_DataType dtype = oribi_emit_dtype(n, call->query);
    const oribi_value_id extras[3] = {as_mask(n, call->mask), call->spans,
                                      call->sinks < 0 ? -1
                                                      : oribi_emit_cast(n, call->sinks, TF_FLOAT)};
    oribi_value_id inputs[6] = {oribi_emit_cast(n, call->query, TF_FLOAT),
                                oribi_emit_cast(n, call->key, TF_FLOAT),
                                oribi_emit_cast(n, call->value, TF_FLOAT)};
    int32_t count = 3;
    for (int32_t i = 0; i < 3; i++) {
        if (extras[i] >= 0) {
            inputs[count++] = extras[i];
        }
    }
    oribi_value_id y = oribi_emit(
        n, "Oribi>Attention", inputs, count,
        ATTRS(ATTR_TEXT("query_layout", call->query_layout),
              ATTR_TEXT("key_layout", call->key_layout),
              ATTR_TEXT("value_layout", call->value_layout),
              ATTR_TEXT("output_layout", call->query_layout), ATTR_FLOAT("scale", call->scale),
              ATTR_FLOAT("softcap", call->softcap), ATTR_BOOL("is_causal", call->is_causal),
              ATTR_INT("causal_offset", call->causal_offset),
              ATTR_INT("left_window", call->left_window), ATTR_INT("N", extras[0] >= 0 ? 1 : 0),
              ATTR_INT("n_spans", extras[1] >= 0 ? 1 : 0),
              ATTR_INT("n_sinks", extras[2] >= 0 ? 1 : 0)));
    y = strcmp(call->query_layout, "BSHD") == 0 ? oribi_onnx_side_by_side(n, y) : y;
    return oribi_emit_cast(n, y, dtype);
}

/* Does the node want what Oribi>Attention has not? */
static bool needs_spelling(oribi_onnx_node *n, TF_DataType dtype)
{
    return (dtype != TF_FLOAT && dtype != TF_HALF && dtype != TF_BFLOAT16) ||
           oribi_emit_wants(n, 3) || oribi_emit_input(n, LENGTHS) >= 0 ||
           oribi_onnx_int(n, "left_window_size", -1) != -1 ||
           oribi_onnx_int(n, "right_window_size", -1) != -1;
}

static bool attention(oribi_onnx_node *n)
{
    const char *query_layout, *key_layout, *value_layout;
    const bool is_causal = oribi_onnx_flag(n, "is_causal", false);
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[QUERY]);
    if (!oribi_emit_is_float(n, n->inputs[QUERY])) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "queries of %s", oribi_dtype_name(dtype));
    }
    oribi_value_id q = oribi_onnx_with_heads(n, QUERY, "q_num_heads", &query_layout);
    oribi_value_id k = oribi_onnx_with_heads(n, KEY, "kv_num_heads", &key_layout);
    oribi_value_id v = oribi_onnx_with_heads(n, VALUE, "kv_num_heads", &value_layout);
    k = with_past(n, k, PAST_KEY, 1, &key_layout);
    v = with_past(n, v, PAST_VALUE, 2, &value_layout);
    ORIBI_TRY(!n->failed);
    ORIBI_TRY(!oribi_emit_wants(n, 1) || oribi_emit_bind(n, 1, k));
    ORIBI_TRY(!oribi_emit_wants(n, 2) || oribi_emit_bind(n, 2, v));
    if (needs_spelling(n, dtype)) {
        const oribi_onnx_attention_parts parts = {q, k, v, query_layout, key_layout, value_layout};
        return oribi_onnx_attention_spelled(n, &parts);
    }
    oribi_onnx_attention_call call = {.query = q,
                                      .key = k,
                                      .value = v,
                                      .mask = oribi_emit_input(n, MASK),
                                      .spans = -1,
                                      .sinks = -1,
                                      .query_layout = query_layout,
                                      .key_layout = key_layout,
                                      .value_layout = value_layout,
                                      .scale = oribi_onnx_float(n, "scale", 0.0F),
                                      .softcap = oribi_onnx_float(n, "softcap", 0.0F),
                                      .is_causal = is_causal,
                                      .left_window = -1};
    const oribi_value_id past = oribi_emit_input(n, PAST_KEY);
    call.causal_offset = past < 0 ? 0 : oribi_emit_dim(n, past, 2);
    if (is_causal && call.causal_offset < 0) {
        call.spans = oribi_onnx_span_behind(n, k, past);
    }
    return oribi_emit_bind(n, 0, oribi_onnx_attention_op(n, &call));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_attention_rows[] = {
    {"Attention", 23, 28, attention, 3, 7, "Oribi>Attention, Reshape, Transpose, ConcatV2, or BatchMatMulV2, Mul, SelectV2, Softmax"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
