/* SPDX-License-Identifier: Apache-2.0 */
/* Operators without an op of their own, written out in ops that there are: what the files of this
 * folder share with the rest.
 */
#ifndef ORIBI_IMPORT_ONNX_SPELLED_H_
#define ORIBI_IMPORT_ONNX_SPELLED_H_

#include "import/onnx/onnx_emit.h"

/* x [batch, sequence, heads * size] as [batch, sequence, heads, size]. */
oribi_value_id oribi_onnx_heads_apart(oribi_onnx_node *n, oribi_value_id x, int64_t heads);
/* Input `at` with four dimensions; *layout becomes where its heads are. */
oribi_value_id oribi_onnx_with_heads(oribi_onnx_node *n, int32_t at, const char *heads_attr,
                                     const char **layout);
/* y [batch, sequence, heads, size] as [batch, sequence, heads * size], the first two as input 0's.
 */
oribi_value_id oribi_onnx_side_by_side(oribi_onnx_node *n, oribi_value_id y);

/* What becomes Oribi>Attention; -1: none. */
typedef struct oribi_onnx_attention_call {
    oribi_value_id query, key, value, mask, spans, sinks; /* caches included */
    const char *query_layout, *key_layout, *value_layout;
    float scale, softcap;
    bool is_causal;
    int64_t causal_offset, left_window;
} oribi_onnx_attention_call;
/* The result in the type and layout of the query; heads side by side where that was BSHD. */
oribi_value_id oribi_onnx_attention_op(oribi_onnx_node *n, const oribi_onnx_attention_call *call);
/* The span of keys behind a cache, both with heads first: how many there are, how many it has. */
oribi_value_id oribi_onnx_span_behind(oribi_onnx_node *n, oribi_value_id keys, oribi_value_id past);

typedef struct oribi_onnx_rotary {
    oribi_value_id cosine, sine; /* of each position that there may be, or of those of x */
    oribi_value_id positions;    /* [batch, sequence]; -1: the latter */
    int64_t turned;              /* of the elements of a head; 0: all */
    bool is_interleaved;
} oribi_onnx_rotary;
/* x of four dimensions, turned. */
oribi_value_id oribi_onnx_rotate(oribi_onnx_node *n, const oribi_onnx_rotary *r, oribi_value_id x,
                                 const char *layout);

typedef struct oribi_onnx_attention_parts {
    oribi_value_id query, key, value; /* caches included */
    const char *query_layout, *key_layout, *value_layout;
} oribi_onnx_attention_parts;
/* ONNX's Attention in products and a softmax, for what Oribi>Attention has not: the scores as an
 * output, lengths of padded keys, windows, double. */
bool oribi_onnx_attention_spelled(oribi_onnx_node *n, const oribi_onnx_attention_parts *parts);
bool oribi_onnx_flex_attention(oribi_onnx_node *n);
bool oribi_onnx_rotary_embedding(oribi_onnx_node *n);
bool oribi_onnx_causal_conv(oribi_onnx_node *n);
bool oribi_onnx_rotary_embedding_microsoft(oribi_onnx_node *n);
bool oribi_onnx_matmul_bits(oribi_onnx_node *n);
bool oribi_onnx_matmul_bnb4(oribi_onnx_node *n);
bool oribi_onnx_qgemm(oribi_onnx_node *n);
bool oribi_onnx_dynamic_matmul(oribi_onnx_node *n);
bool oribi_onnx_fused_conv(oribi_onnx_node *n);
bool oribi_onnx_fused_gemm(oribi_onnx_node *n);
bool oribi_onnx_multi_head_attention(oribi_onnx_node *n);
bool oribi_onnx_attention_microsoft(oribi_onnx_node *n);
bool oribi_onnx_qattention(oribi_onnx_node *n);
bool oribi_onnx_grouped_attention(oribi_onnx_node *n);
bool oribi_onnx_matmul_to_float(oribi_onnx_node *n);
bool oribi_onnx_gather_blocks(oribi_onnx_node *n);

/* Attributes of theirs become constant inputs. */
bool oribi_onnx_string_normalizer(oribi_onnx_node *n);
bool oribi_onnx_label_encoder(oribi_onnx_node *n);
bool oribi_onnx_tf_idf(oribi_onnx_node *n);
bool oribi_onnx_tree_ensemble(oribi_onnx_node *n);

#endif
