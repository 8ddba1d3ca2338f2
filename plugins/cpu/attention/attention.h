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
    int64_t n_masks, n_spans, n_sinks, causal_offset, left_window;
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
    int64_t causal_offset; /* query i is at i + offset: causal, it sees keys up to there */
    int64_t left_window;   /* and so many before it; -1: all */
    const int64_t *spans;  /* of each batch, keys that count and offset; NULL: all, causal_offset */
    int64_t spans_step;    /* from batch to batch, 0 or 2 */
    const float *sinks;    /* of each head, a score that takes a share and has no value; or NULL */
} oribi_attention_call;

/* Takes inputs and output; run->in holds inputs 0 to 2. */
bool oribi_attention_take(oribi_kit_run *run, const oribi_attention_attrs *attrs,
                          oribi_attention_call *out);

static inline int64_t oribi_attention_within(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* The keys that the query may see. */
typedef struct oribi_attention_range {
    int64_t begin, end;
} oribi_attention_range;
static inline oribi_attention_range oribi_attention_seen(const oribi_attention_call *call,
                                                         int64_t batch, int64_t query)
{
    const int64_t *span = call->spans != NULL ? call->spans + batch * call->spans_step : NULL;
    const int64_t n = span != NULL ? oribi_attention_within(span[0], 0, call->keys) : call->keys;
    const int64_t given = span != NULL ? span[1] : call->causal_offset;
    const int64_t place = query + oribi_attention_within(given, -call->queries, call->keys);
    const int64_t end = call->is_causal ? oribi_attention_within(place + 1, 0, n) : n;
    const int64_t first = call->left_window < 0 || place < call->left_window
                              ? 0
                              : place - call->left_window; /* no sum leaves int64 */
    return (oribi_attention_range){first < end ? first : end, end};
}

/* Scores of some queries with a block of keys, which become powers of e; what was found before is
 * told by `largest` and `totals`, both of which it brings up to date. */
typedef struct oribi_attention_block {
    float *scores;
    int64_t stride, n_rows, n;
    float scale, softcap;
    const float *mask; /* added: mask_row floats further for each row, or NULL */
    int64_t mask_row;
    const oribi_attention_range *seen; /* of each row, keys of the block; NULL: all */
    float *largest, *totals;
    float *out; /* of earlier blocks, which is brought to the new scale; NULL: this is the first */
    int64_t out_stride, width;
} oribi_attention_block;

/* Rows of numbers that lie side by side. */
typedef struct oribi_attention_matrix {
    const float *data;
    int64_t rows, columns, row; /* row: from one to the next, in floats */
    bool is_turned;             /* its columns meet x, not its rows */
} oribi_attention_matrix;

typedef void (*oribi_attention_powers)(const oribi_attention_block *block);
/* y = the matrix times x, plus what y holds where `adds`. */
typedef void (*oribi_attention_row)(const oribi_attention_matrix *a, const float *x, bool adds,
                                    float *y);
#define ORIBI_ATTENTION_DECLARE(part, isa)                                                         \
    void oribi_attention_powers_##isa(const oribi_attention_block *block);                         \
    void oribi_attention_row_##isa(const oribi_attention_matrix *a, const float *x, bool adds,     \
                                   float *y);
ORIBI_ISAS_OF_attention(ORIBI_ATTENTION_DECLARE)
#undef ORIBI_ATTENTION_DECLARE

#endif
