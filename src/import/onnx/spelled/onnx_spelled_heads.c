/* SPDX-License-Identifier: Apache-2.0 */
/* com.microsoft's MultiHeadAttention, without caches: biases, masks, then Oribi>Attention.
 * Source   ONNX Runtime's ContribOperators.md.
 */
#include "import/onnx/spelled/onnx_spelled.h"

#include <math.h>

enum { QUERY, KEY, VALUE, BIAS, PADDING, SCORES_BIAS, PAST_KEY };

/* One vector has the biases of all three. */
static bool add_biases(oribi_onnx_node *n)
{
    const int64_t keys = oribi_emit_dim(n, n->inputs[QUERY], 2);
    const int64_t values = oribi_emit_dim(n, n->inputs[VALUE], 2);
    oribi_value_id parts[3];
    if (oribi_emit_input(n, BIAS) < 0) {
        return !n->failed;
    }
    if (keys < 0 || values < 0) {
        return oribi_onnx_want_shapes(n, "the sizes of query and value are not known");
    }
    ORIBI_TRY(oribi_emit_split(n, n->inputs[BIAS], 0, (int64_t[]){keys, keys, values}, 3, parts));
    for (int32_t i = 0; i < 3; i++) {
        n->inputs[i] = oribi_emit2(n, "AddV2", n->inputs[i], parts[i]);
    }
    return !n->failed;
}

/* The mask of keys, [batch, keys], and what is added to scores, as one; -1: none, or failed. */
static oribi_value_id mask_of(oribi_onnx_node *n)
{
    const oribi_value_id padding = oribi_emit_input(n, PADDING);
    oribi_value_id bias = oribi_emit_input(n, SCORES_BIAS);
    bias = bias < 0 ? -1 : oribi_emit_cast(n, bias, TF_FLOAT);
    if (padding < 0 || n->failed) {
        return bias;
    }
    if (oribi_emit_rank(n, padding) != 2) {
        if (!n->failed) {
            oribi_onnx_fail(n, TF_UNIMPLEMENTED, "a key_padding_mask that is not [batch, keys]");
        }
        return -1;
    }
    oribi_value_id seen = oribi_emit2(n, "Greater", padding, oribi_emit_scalar_like(n, padding, 0));
    for (int32_t i = 0; i < 2; i++) {
        seen = oribi_emit2(n, "ExpandDims", seen, oribi_emit_int(n, 1));
    }
    return bias < 0 ? seen
                    : oribi_emit3(n, "SelectV2", seen, bias,
                                  oribi_emit_scalar(n, TF_FLOAT, -(double)INFINITY));
}

bool oribi_onnx_multi_head_attention(oribi_onnx_node *n)
{
    const char *layouts[3];
    oribi_value_id inputs[4];
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[QUERY]);
    for (int32_t i = PAST_KEY; i < n->n_inputs; i++) {
        if (n->inputs[i] >= 0) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "input %d, of a cache", (int)i);
        }
    }
    for (int32_t i = 0; i < 3; i++) {
        if (oribi_emit_rank(n, n->inputs[i]) != 3 || oribi_emit_wants(n, i + 1)) {
            return !n->failed && oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                                                 "a query, key or value that is not [batch, "
                                                 "sequence, size], or more than one output");
        }
    }
    ORIBI_TRY(add_biases(n));
    for (int32_t i = 0; i < 3; i++) {
        inputs[i] =
            oribi_emit_cast(n, oribi_onnx_with_heads(n, i, "num_heads", &layouts[i]), TF_FLOAT);
    }
    inputs[3] = mask_of(n);
    const int32_t n_masks = inputs[3] >= 0 ? 1 : 0;
    const oribi_value_id y = oribi_emit(
        n, "Oribi>Attention", inputs, 3 + n_masks,
        ATTRS(ATTR_TEXT("query_layout", layouts[0]), ATTR_TEXT("key_layout", layouts[1]),
              ATTR_TEXT("value_layout", layouts[2]), ATTR_TEXT("output_layout", layouts[0]),
              ATTR_FLOAT("scale", oribi_onnx_float(n, "scale", 0.0F)),
              ATTR_BOOL("is_causal", oribi_onnx_flag(n, "unidirectional", false)),
              ATTR_INT("N", n_masks)));
    return oribi_emit_bind(n, 0, oribi_emit_cast(n, oribi_onnx_side_by_side(n, y), dtype));
}
