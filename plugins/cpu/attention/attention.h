/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of Oribi>Attention share: attributes, shapes and strides of a call, and the
 * inner loop between its two products. What it means: attention_reference.c; blocks: attention.c.
 */
#ifndef ORIBI_PLUGINS_CPU_ATTENTION_H_
#define ORIBI_PLUGINS_CPU_ATTENTION_H_

#include "cpu/base/cpu_shape.h"

typedef struct oribi_attention_attrs {
    /* Places of batch, heads, sequence and head size in each tensor's dims. */
    int8_t query[4], key[4], value[4], output[4];
    float scale, softcap; /* 0: one over the root of the head size; none */
    bool is_causal, is_safe;
    int64_t n_masks, causal_offset;
} oribi_attention_attrs;

void oribi_attention_attrs_read(oribi_kit_setup *setup, oribi_attention_attrs *out);

/* A tensor's strides in elements, of batch, head, sequence and head size. 0: one stands for all. */
typedef struct oribi_attention_operand {
    const float *data;
    int64_t batch, head, row, column;
} oribi_attention_operand;

typedef struct oribi_attention_call {
    int64_t batches, heads, queries, keys, depth, width; /* width: head size of the values */
    int64_t heads_per_key;                               /* that share a head of keys */
    oribi_attention_operand query, key, value, output,
        mask;              /* of the mask: row, column = query, key */
    const bool *mask_bits; /* mask.data is NULL then */
    float *out;
    float scale, softcap;
    bool is_causal, is_safe;
    int64_t causal_offset; /* query i sees keys up to i + offset */
} oribi_attention_call;

/* Takes inputs and output; run->in holds inputs 0 to 2. */
bool oribi_attention_take(oribi_kit_run *run, const oribi_attention_attrs *attrs,
                          oribi_attention_call *out);

/* How many of the first keys may the query see? All where it is not causal. */
static inline int64_t oribi_attention_seen(const oribi_attention_call *call, int64_t query)
{
    const int64_t most = call->causal_offset < call->keys ? call->causal_offset : call->keys;
    const int64_t n = most < -query ? 0 : query + most + 1; /* no sum leaves int64 */
    return !call->is_causal || n > call->keys ? call->keys : n;
}

/* Scores of some queries with a block of keys, which become powers of e; what was found before is
 * told by `largest` and `totals`, both of which it brings up to date. */
typedef struct oribi_attention_block {
    float *scores;
    int64_t stride, n_rows, n;
    float scale, softcap;
    const float *mask; /* added: mask_row floats further for each row, or NULL */
    int64_t mask_row;
    const int64_t *seen; /* of each row, so many keys of the block; NULL: all */
    float *largest, *totals;
    float *out; /* of earlier blocks, which is brought to the new scale; NULL: this is the first */
    int64_t out_stride, width;
} oribi_attention_block;

typedef void (*oribi_attention_powers)(const oribi_attention_block *block);
#define ORIBI_ATTENTION_DECLARE(part, isa)                                                         \
    void oribi_attention_powers_##isa(const oribi_attention_block *block);
ORIBI_ISAS_OF_attention(ORIBI_ATTENTION_DECLARE)
#undef ORIBI_ATTENTION_DECLARE

#endif
