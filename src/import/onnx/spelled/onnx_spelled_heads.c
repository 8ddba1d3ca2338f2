/* SPDX-License-Identifier: Apache-2.0 */
/* com.microsoft's MultiHeadAttention, Attention and QAttention: products, biases, masks and caches
 * around Oribi>Attention. Their masks are numbers that are added, mask_filter_value where nothing
 * is to be seen.
 * Source   ONNX Runtime's ContribOperators.md.
 */
#include "import/onnx/spelled/onnx_spelled.h"

#include <string.h>

/* What the operators' inputs are; -1: absent. */
typedef struct heads_parts {
    oribi_value_id query, key, value; /* three dimensions, or four with the heads first */
    oribi_value_id padding, bias;     /* a mask of keys, what is added to scores */
    oribi_value_id past_key, past_value;
    oribi_value_id present_key, present_value; /* what they become */
    int64_t heads;
} heads_parts;

/* --- Masks
 * -----------------------------------------------------------------------------------------
 */

/* Keys before an end, and from a begin on: [batch, 1, 1, keys]. */
static oribi_value_id seen_by_lengths(oribi_onnx_node *n, oribi_value_id mask, int64_t batches,
                                      oribi_value_id places)
{
    const int64_t column[4] = {-1, 1, 1, 1};
    oribi_value_id ends[2] = {mask, -1};
    mask = oribi_emit_cast(n, mask, TF_INT64);
    if (batches > 0 && oribi_emit_dim(n, mask, 0) == 2 * batches) {
        if (!oribi_emit_split(n, mask, 0, (int64_t[]){batches, batches}, 2, ends)) {
            return -1;
        }
        mask = ends[0];
    }
    oribi_value_id seen = oribi_emit2(n, "Less", places, oribi_emit_reshape(n, mask, column, 4));
    if (ends[1] >= 0) {
        const oribi_value_id begin = oribi_emit_reshape(n, ends[1], column, 4);
        seen = oribi_emit2(n, "LogicalAnd", seen, oribi_emit2(n, "GreaterEqual", places, begin));
    }
    return seen;
}

/* Which keys are seen, ready to broadcast to [batch, heads, queries, keys]. */
static oribi_value_id seen_of(oribi_onnx_node *n, oribi_value_id mask, int64_t batches,
                              oribi_value_id places)
{
    const int32_t rank = oribi_emit_rank(n, mask);
    if (n->failed || rank < 1 || rank > 3) {
        (void)(n->failed ||
               oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "a mask of %d dimensions: [batch], [batch, keys] and [batch, "
                               "queries, keys] are supported",
                               (int)rank));
        return -1;
    }
    if (rank == 1) {
        return seen_by_lengths(n, mask, batches, places);
    }
    oribi_value_id seen = oribi_emit2(n, "Greater", mask, oribi_emit_scalar_like(n, mask, 0));
    for (int32_t i = rank; i < 4; i++) {
        seen = oribi_emit2(n, "ExpandDims", seen, oribi_emit_int(n, 1));
    }
    return seen;
}

/* Both masks as numbers to add; -1: none, or failed. */
static oribi_value_id mask_of(oribi_onnx_node *n, const heads_parts *p, oribi_value_id keys,
                              const char *layout)
{
    const int64_t batches = oribi_emit_dim(n, p->query, 0);
    const int32_t sequence = strcmp(layout, "BSHD") == 0 ? 1 : 2;
    const oribi_value_id bias = p->bias < 0 ? -1 : oribi_emit_cast(n, p->bias, TF_FLOAT);
    if (p->padding < 0 || n->failed) {
        return bias;
    }
    const double filter = (double)oribi_onnx_float(n, "mask_filter_value", -10000.0F);
    const oribi_value_id mask = oribi_emit3(
        n, "SelectV2", seen_of(n, p->padding, batches, oribi_emit_places(n, keys, sequence)),
        oribi_emit_scalar(n, TF_FLOAT, 0), oribi_emit_scalar(n, TF_FLOAT, filter));
    return bias < 0 ? mask : oribi_emit2(n, "AddV2", mask, bias);
}

/* --- Caches
 * ----------------------------------------------------------------------------------------
 */

/* Behind the cache, heads first; the layout becomes that. */
static oribi_value_id behind(oribi_onnx_node *n, oribi_value_id x, oribi_value_id past,
                             bool is_wanted, const char **layout)
{
    if (past < 0 && !is_wanted) {
        return x;
    }
    const oribi_dims perm = oribi_emit_exchange(4, 1, 2);
    x = strcmp(*layout, "BSHD") == 0 ? oribi_emit_transpose(n, x, &perm) : x;
    *layout = "BHSD";
    const oribi_value_id parts[3] = {past, x, oribi_emit_int(n, 2)};
    return past < 0 ? x : oribi_emit(n, "ConcatV2", parts, 3, NO_ATTRS);
}

static oribi_value_id apart(oribi_onnx_node *n, oribi_value_id x, int64_t heads,
                            const char **layout)
{
    const int32_t rank = oribi_emit_rank(n, x);
    *layout = rank == 4 ? "BHSD" : "BSHD";
    return n->failed || rank == 4 ? x : oribi_onnx_heads_apart(n, x, heads);
}

/* Binds output 0; wants_present: p's presents are asked for. */
static bool attend(oribi_onnx_node *n, heads_parts *p, bool wants_present)
{
    oribi_onnx_attention_call call = {.spans = -1,
                                      .sinks = -1,
                                      .scale = oribi_onnx_float(n, "scale", 0.0F),
                                      .is_causal = oribi_onnx_flag(n, "unidirectional", false),
                                      .left_window = -1};
    call.query = apart(n, p->query, p->heads, &call.query_layout);
    call.key = apart(n, p->key, p->heads, &call.key_layout);
    call.value = apart(n, p->value, p->heads, &call.value_layout);
    ORIBI_TRY(!n->failed);
    call.key = behind(n, call.key, p->past_key, wants_present, &call.key_layout);
    call.value = behind(n, call.value, p->past_value, wants_present, &call.value_layout);
    p->present_key = call.key;
    p->present_value = call.value;
    call.mask = mask_of(n, p, call.key, call.key_layout);
    if (call.is_causal && p->past_key >= 0) {
        call.spans = oribi_onnx_span_behind(n, call.key, p->past_key);
    }
    return oribi_emit_bind(n, 0, oribi_onnx_attention_op(n, &call));
}

/* Attributes and inputs that no form of these operators has here. */
static bool refuse(oribi_onnx_node *n, int32_t first, const char *const *inputs, int32_t count)
{
    static const char *const attrs[] = {"do_rotary", "past_present_share_buffer"};
    for (int32_t i = 0; i < count; i++) {
        if (oribi_emit_input(n, first + i) >= 0) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "the input %s", inputs[i]);
        }
    }
    for (size_t i = 0; i < sizeof attrs / sizeof attrs[0]; i++) {
        if (oribi_onnx_flag(n, attrs[i], false)) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "the attribute %s", attrs[i]);
        }
    }
    return !n->failed;
}

/* --- MultiHeadAttention
 * ----------------------------------------------------------------------------
 */

enum { QUERY, KEY, VALUE, BIAS, PADDING, SCORES_BIAS, PAST_KEY, PAST_VALUE, PAST_LENGTH };

/* One vector has the biases of all three; keys and values of another step have theirs already. */
static bool add_biases(oribi_onnx_node *n, heads_parts *p)
{
    oribi_value_id *const parts[3] = {&p->query, &p->key, &p->value};
    oribi_value_id biases[3];
    const int64_t own = oribi_emit_dim(n, p->query, 2);
    if (oribi_emit_input(n, BIAS) < 0) {
        return !n->failed;
    }
    if (own < 0) {
        return oribi_onnx_want_shapes(n, "the size of the query is not known");
    }
    ORIBI_TRY(oribi_emit_split(n, n->inputs[BIAS], 0, (int64_t[]){own, own, -1}, 3, biases));
    for (int32_t i = 0; i < 3; i++) {
        if (oribi_emit_rank(n, *parts[i]) == 3) {
            *parts[i] = oribi_emit2(n, "AddV2", *parts[i], biases[i]);
        }
    }
    return !n->failed;
}

bool oribi_onnx_multi_head_attention(oribi_onnx_node *n)
{
    static const char *const refused[] = {"past_sequence_length", "cache_indirection"};
    heads_parts p = {n->inputs[QUERY],
                     oribi_emit_input(n, KEY),
                     oribi_emit_input(n, VALUE),
                     oribi_emit_input(n, PADDING),
                     oribi_emit_input(n, SCORES_BIAS),
                     oribi_emit_input(n, PAST_KEY),
                     oribi_emit_input(n, PAST_VALUE),
                     -1,
                     -1,
                     oribi_onnx_int(n, "num_heads", 0)};
    ORIBI_TRY(refuse(n, PAST_LENGTH, refused, 2));
    if (p.key < 0 || p.value < 0 || oribi_emit_rank(n, p.query) != 3 ||
        oribi_emit_rank(n, p.key) > 4 || oribi_emit_wants(n, 3)) {
        return !n->failed &&
               oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "a query, key or value packed into one, or the output qk");
    }
    if ((p.past_key < 0) != (p.past_value < 0)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "past_key without past_value or so");
    }
    ORIBI_TRY(add_biases(n, &p));
    ORIBI_TRY(attend(n, &p, oribi_emit_wants(n, 1) || oribi_emit_wants(n, 2)));
    return (!oribi_emit_wants(n, 1) || oribi_emit_bind(n, 1, p.present_key)) &&
           (!oribi_emit_wants(n, 2) || oribi_emit_bind(n, 2, p.present_value));
}

/* --- Attention, QAttention
 * -------------------------------------------------------------------------
 */

/* Columns of one product are queries, keys and values; `past` and present have keys and values in
 * one. */
static bool from_product(oribi_onnx_node *n, oribi_value_id product, oribi_value_id weights,
                         oribi_value_id padding, oribi_value_id bias, oribi_value_id past)
{
    heads_parts p = {.padding = padding, .bias = bias, .past_key = -1, .past_value = -1};
    const int64_t columns = oribi_emit_dim(n, weights, 1);
    oribi_dims sizes = {0};
    oribi_value_id parts[3];
    const bool is_told = oribi_onnx_dims(n, "qkv_hidden_sizes", &sizes);
    p.heads = oribi_onnx_int(n, "num_heads", 0);
    ORIBI_TRY(!n->failed);
    if (columns < 0) {
        return oribi_onnx_want_shapes(n, "the shape of the weights is not known");
    }
    if (is_told ? sizes.n != 3 : columns % 3 != 0) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "%lld columns of weights are not queries, keys and values",
                               (long long)columns);
    }
    if (!is_told) {
        sizes = (oribi_dims){3, {columns / 3, columns / 3, columns / 3}};
    }
    ORIBI_TRY(oribi_emit_split(n, product, 2, sizes.at, 3, parts));
    if (past >= 0) {
        const oribi_node *both = oribi_emit_node(n, "Unpack", INPUTS(past),
                                                 ATTRS(ATTR_INT("num", 2), ATTR_INT("axis", 0)), 2);
        ORIBI_TRY(both != NULL);
        p.past_key = both->outputs[0];
        p.past_value = both->outputs[1];
    }
    p.query = parts[0];
    p.key = parts[1];
    p.value = parts[2];
    ORIBI_TRY(attend(n, &p, oribi_emit_wants(n, 1)));
    const oribi_value_id present[2] = {p.present_key, p.present_value};
    return !oribi_emit_wants(n, 1) ||
           oribi_emit_bind(n, 1, oribi_emit(n, "Pack", present, 2, ATTRS(ATTR_INT("axis", 0))));
}

bool oribi_onnx_attention_microsoft(oribi_onnx_node *n)
{
    enum { INPUT, WEIGHTS, PRODUCT_BIAS, MASK, PAST, ADDED, LENGTH };
    static const char *const refused[] = {"past_sequence_length"};
    ORIBI_TRY(refuse(n, LENGTH, refused, 1));
    oribi_value_id y = oribi_onnx_product(n, n->inputs[INPUT], n->inputs[WEIGHTS]);
    const oribi_value_id bias = oribi_emit_input(n, PRODUCT_BIAS);
    y = bias >= 0 ? oribi_emit2(n, "AddV2", y, bias) : y;
    return from_product(n, y, n->inputs[WEIGHTS], oribi_emit_input(n, MASK),
                        oribi_emit_input(n, ADDED), oribi_emit_input(n, PAST));
}

bool oribi_onnx_qattention(oribi_onnx_node *n)
{
    enum { INPUT, WEIGHTS, PRODUCT_BIAS, SCALE, WEIGHTS_SCALE, MASK, ZERO, WEIGHTS_ZERO, PAST };
    ORIBI_TRY(refuse(n, 0, NULL, 0));
    const oribi_value_id x =
        oribi_onnx_dequantized(n, n->inputs[INPUT], n->inputs[SCALE], oribi_emit_input(n, ZERO), 0);
    const oribi_value_id w = oribi_onnx_dequantized(n, n->inputs[WEIGHTS], n->inputs[WEIGHTS_SCALE],
                                                    oribi_emit_input(n, WEIGHTS_ZERO), 1);
    if (!n->failed && (x < 0 || w < 0)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "input and weights must be int8 or uint8, their scales float and "
                               "their zero points of the same type and rank");
    }
    const oribi_value_id y =
        oribi_emit2(n, "AddV2", oribi_onnx_product(n, x, w), n->inputs[PRODUCT_BIAS]);
    return from_product(n, y, n->inputs[WEIGHTS], oribi_emit_input(n, MASK), -1,
                        oribi_emit_input(n, PAST));
}
