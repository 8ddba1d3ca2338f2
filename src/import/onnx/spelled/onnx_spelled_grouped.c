/* SPDX-License-Identifier: Apache-2.0 */
/* com.microsoft's GroupQueryAttention: turns queries and keys, appends to caches that grow or that
 * have room, each batch at its own length, and attends to what counts.
 * Source   ONNX Runtime's ContribOperators.md.
 */
#include "import/onnx/spelled/onnx_spelled.h"

enum {
    QUERY,
    KEY,
    VALUE,
    PAST_KEY,
    PAST_VALUE,
    LAST,   /* of each batch: keys that count, less one */
    LENGTH, /* of the cache then, at least */
    COSINE,
    SINE,
    POSITIONS,
    BIAS,
    SINKS,
    FIRST_REFUSED
};

/* What the operator has on other devices, or was given for them. */
static bool refuse(oribi_onnx_node *n)
{
    static const char *const inputs[] = {"k_scale", "v_scale", "q_norm_weight", "k_norm_weight",
                                         "query_seqlens"};
    for (int32_t i = 0; i < (int32_t)(sizeof inputs / sizeof inputs[0]); i++) {
        if (oribi_emit_input(n, FIRST_REFUSED + i) >= 0) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "the input %s", inputs[i]);
        }
    }
    if (oribi_onnx_flag(n, "sliding_window_cache", false) || oribi_emit_wants(n, 3)) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "sliding_window_cache, or the output qk");
    }
    if (!oribi_onnx_string_is(n, "k_quant_type", "NONE", "NONE") ||
        !oribi_onnx_string_is(n, "v_quant_type", "NONE", "NONE")) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "a cache of quantised numbers");
    }
    if (oribi_emit_input(n, LAST) < 0 || oribi_emit_input(n, LENGTH) < 0) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "seqlens_k and total_sequence_length are required");
    }
    return !n->failed;
}

/* Queries, keys and values of three dimensions, out of one where they are packed. */
static bool unpack(oribi_onnx_node *n, int64_t heads, int64_t key_heads, oribi_value_id out[3])
{
    for (int32_t i = 0; i < 3; i++) {
        out[i] = oribi_emit_input(n, QUERY + i);
    }
    if (out[1] >= 0 && out[2] >= 0) {
        return !n->failed;
    }
    const int64_t columns = oribi_emit_rank(n, out[0]) == 3 ? oribi_emit_dim(n, out[0], 2) : 0;
    ORIBI_TRY(!n->failed);
    if (columns < 0) {
        return oribi_onnx_want_shapes(n, "the size of the packed query is not known");
    }
    if (out[1] >= 0 || out[2] >= 0 || columns == 0 || columns % (heads + 2 * key_heads) != 0) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "a query of %lld columns, without key or value, does not hold %lld "
                               "heads and twice %lld",
                               (long long)columns, (long long)heads, (long long)key_heads);
    }
    const int64_t size = columns / (heads + 2 * key_heads);
    return oribi_emit_split(n, out[0], 2,
                            (int64_t[]){heads * size, key_heads * size, key_heads * size}, 3, out);
}

typedef struct grouped {
    oribi_value_id length;  /* int64, a scalar: rows of the caches then */
    oribi_value_id offsets; /* int64, [batch]: where the new rows go */
    oribi_value_id spans;   /* [batch, 2] */
} grouped;

/* A first prompt goes to the beginning, however short the real part of it; what comes later goes
 * behind the keys that count. */
static grouped lengths_of(oribi_onnx_node *n)
{
    grouped g = {
        .length = oribi_emit_reshape(n, oribi_emit_cast(n, n->inputs[LENGTH], TF_INT64), NULL, 0)};
    const oribi_value_id own =
        oribi_emit_element(n, oribi_emit_shape_of(n, n->inputs[QUERY], TF_INT64), 1);
    const oribi_value_id last =
        oribi_emit_reshape(n, oribi_emit_cast(n, n->inputs[LAST], TF_INT64), (int64_t[]){-1}, 1);
    const oribi_value_id counts = oribi_emit2(n, "AddV2", last, oribi_emit_scalar(n, TF_INT64, 1));
    const oribi_value_id is_first = oribi_emit2(n, "Equal", own, g.length);
    g.offsets = oribi_emit3(n, "SelectV2", is_first, oribi_emit_scalar(n, TF_INT64, 0),
                            oribi_emit2(n, "Sub", counts, own));
    const oribi_value_id both[2] = {counts, g.offsets};
    g.spans = oribi_emit(n, "Pack", both, 2, ATTRS(ATTR_INT("axis", 1)));
    return g;
}

/* [batch, sequence]: those that are given, or the places in the cache. */
static oribi_value_id positions_of(oribi_onnx_node *n, const grouped *g, oribi_value_id cosine)
{
    const oribi_value_id given = oribi_emit_input(n, POSITIONS);
    if (given >= 0) {
        return given;
    }
    const oribi_value_id first = oribi_emit2(n, "ExpandDims", g->offsets, oribi_emit_int(n, 1));
    const oribi_value_id places =
        oribi_emit2(n, "AddV2", first, oribi_emit_places(n, n->inputs[QUERY], 1));
    /* Rows behind a short prompt's end may lie behind the last angle: any will do. */
    const oribi_value_id count = oribi_emit_element(n, oribi_emit_shape_of(n, cosine, TF_INT64), 0);
    const oribi_value_id most = oribi_emit2(n, "Sub", count, oribi_emit_scalar(n, TF_INT64, 1));
    return oribi_emit2(n, "Minimum", places, most);
}

static bool rotate(oribi_onnx_node *n, const grouped *g, oribi_value_id parts[3])
{
    if (!oribi_onnx_flag(n, "do_rotary", false)) {
        return !n->failed;
    }
    if (oribi_emit_input(n, COSINE) < 0 || oribi_emit_input(n, SINE) < 0) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "do_rotary needs cos_cache and sin_cache");
    }
    const TF_DataType dtype = oribi_emit_dtype(n, parts[0]);
    oribi_onnx_rotary r = {.cosine = oribi_emit_cast(n, n->inputs[COSINE], TF_FLOAT),
                           .sine = oribi_emit_cast(n, n->inputs[SINE], TF_FLOAT),
                           .is_interleaved = oribi_onnx_flag(n, "rotary_interleaved", false)};
    const int64_t half = oribi_emit_rank(n, r.cosine) == 2 ? oribi_emit_dim(n, r.cosine, 1) : -1;
    ORIBI_TRY(!n->failed);
    if (half < 0) {
        return oribi_onnx_want_shapes(n, "the shape of cos_cache is not known");
    }
    r.turned = half <= INT32_MAX ? 2 * half : half;
    r.positions = positions_of(n, g, r.cosine);
    for (int32_t i = 0; i < 2; i++) {
        const oribi_value_id wide = oribi_emit_cast(n, parts[i], TF_FLOAT);
        parts[i] = oribi_emit_cast(n, oribi_onnx_rotate(n, &r, wide, "BSHD"), dtype);
    }
    return !n->failed;
}

static oribi_value_id appended(oribi_onnx_node *n, const grouped *g, int32_t past,
                               oribi_value_id rows)
{
    if (oribi_emit_input(n, past) < 0) {
        const oribi_dims perm = oribi_emit_exchange(4, 1, 2);
        return oribi_emit_transpose(n, rows, &perm);
    }
    return oribi_emit(n, "Oribi>AppendCache", INPUTS(n->inputs[past], rows, g->spans, g->length),
                      ATTRS(ATTR_TEXT("rows_layout", "BSHD")));
}

/* Scores that take a share without a value: given, or zeros. */
static oribi_value_id sinks_of(oribi_onnx_node *n, int64_t heads)
{
    const oribi_value_id given = oribi_emit_input(n, SINKS);
    if (given >= 0 || oribi_onnx_int(n, "smooth_softmax", 0) != 1) {
        return given;
    }
    return oribi_emit2(n, "Fill", oribi_emit_vector(n, &heads, 1),
                       oribi_emit_scalar(n, TF_FLOAT, 0));
}

bool oribi_onnx_grouped_attention(oribi_onnx_node *n)
{
    const int64_t heads = oribi_onnx_int(n, "num_heads", 0);
    const int64_t key_heads = oribi_onnx_int(n, "kv_num_heads", 0);
    const int64_t window = oribi_onnx_int(n, "local_window_size", -1);
    oribi_value_id parts[3];
    ORIBI_TRY(refuse(n));
    if (heads < 1 || key_heads < 1 || heads > INT32_MAX || heads % key_heads != 0) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%lld heads of queries share %lld of keys",
                               (long long)heads, (long long)key_heads);
    }
    ORIBI_TRY(unpack(n, heads, key_heads, parts));
    const grouped g = lengths_of(n);
    for (int32_t i = 0; i < 3; i++) {
        parts[i] = oribi_onnx_heads_apart(n, parts[i], i == 0 ? heads : key_heads);
    }
    ORIBI_TRY(rotate(n, &g, parts));
    const oribi_onnx_attention_call call = {.query = parts[0],
                                            .key = appended(n, &g, PAST_KEY, parts[1]),
                                            .value = appended(n, &g, PAST_VALUE, parts[2]),
                                            .mask = oribi_emit_input(n, BIAS),
                                            .spans = g.spans,
                                            .sinks = sinks_of(n, heads),
                                            .query_layout = "BSHD",
                                            .key_layout = "BHSD",
                                            .value_layout = "BHSD",
                                            .scale = oribi_onnx_float(n, "scale", 0.0F),
                                            .softcap = oribi_onnx_float(n, "softcap", 0.0F),
                                            .is_causal = oribi_onnx_flag(n, "causal", true),
                                            .left_window = window > 0 ? window - 1 : -1};
    return (!oribi_emit_wants(n, 1) || oribi_emit_bind(n, 1, call.key)) &&
           (!oribi_emit_wants(n, 2) || oribi_emit_bind(n, 2, call.value)) &&
           oribi_emit_bind(n, 0, oribi_onnx_attention_op(n, &call));
}
