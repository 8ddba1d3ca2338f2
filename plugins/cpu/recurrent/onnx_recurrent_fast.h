/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of ONNX's recurrent operators in float32: packed weights
 * (onnx_recurrent_panels.c), a call and the steps of a worker (onnx_recurrent_steps.c). Begin with
 * onnx_recurrent_fast.c.
 */
#ifndef ORIBI_PLUGINS_CPU_ONNX_RECURRENT_FAST_H_
#define ORIBI_PLUGINS_CPU_ONNX_RECURRENT_FAST_H_

#include "cpu/product/packed_weights.h"
#include "cpu/recurrent/byte_rows.h"
#include "cpu/recurrent/cells.h"
#include "cpu/recurrent/onnx_recurrent_call.h"

enum { ORIBI_RECURRENT_LINE = 16 /* floats of a cache line: what scratch is aligned to */ };

/* --- Panels ------------------------------------------------------------------------------------
 */

/* Of one direction, in floats: the input's panels, the hidden state's, and of a GRU those of the
 * hidden gate, whose product comes after the others. */
typedef struct oribi_recurrent_counts {
    int64_t input, hidden, last, each; /* each: where the next direction begins */
} oribi_recurrent_counts;

/* Whole cache lines; more than can be allocated where there are too many. */
int64_t oribi_recurrent_lines(int64_t floats);
/* False: more than int64 has. */
bool oribi_recurrent_count(const oribi_gemm_variant *variant, int64_t gates, int64_t units,
                           int64_t in_c, oribi_recurrent_counts *out);
void oribi_recurrent_pack(const oribi_gemm_variant *variant, int64_t gates,
                          const oribi_weights_view *w, const oribi_weights_view *r,
                          const oribi_recurrent_counts *counts, float *out);

/* --- A call ------------------------------------------------------------------------------------
 */

typedef struct oribi_recurrent_fast {
    oribi_recurrent recurrent;
    bool is_dynamic; /* products round their left sides, each as a whole, to 256 places first */
    const oribi_gemm_variant *variant;
    const oribi_cells *cells;
    const oribi_byte_rows
        *byte_rows; /* of a dynamic layer; NULL: floats whatever the weights are */
    float *panels;  /* NULL: packed by the call, or bytes */
    /* Of a dynamic layer whose weights are bytes: the input's and the hidden state's of each
     * direction; else NULL. */
    oribi_byte_panels *bytes;
} oribi_recurrent_fast;

typedef struct oribi_recurrent_work {
    oribi_recurrent_call call;
    const oribi_recurrent_fast *state;
    oribi_recurrent_counts counts;
    float *packed;
    const float *input;    /* x, perhaps rounded */
    const uint8_t *places; /* x as bytes, or NULL */
    float places_scale;
    int32_t places_zero;
    int64_t rows;                    /* gates * units */
    int64_t group, n_groups;         /* rows of the batch that go together */
    int64_t steps;                   /* of a block */
    int64_t first, end;              /* of the block, counted as rows compute them */
    int64_t worker_floats;           /* of one group of one direction */
    float *bias, *last_bias, *rooms; /* of directions; of a GRU's hidden gate behind the reset */
} oribi_recurrent_work;

/* One group of one direction. */
typedef struct oribi_recurrent_worker {
    const oribi_recurrent_work *fast;
    const struct oribi_micro_recurrent_f32_args *a;
    int64_t d, b, n; /* direction, first row, rows */
    const float *panels;
    float *gates;                 /* sums of the input: [steps, n, rows] */
    float *sums;                  /* of a step: [n, rows] */
    float *hidden, *cell, *reset; /* [n, units] */
    uint8_t *places;              /* of a step's hidden states; has room for a group more */
    oribi_cells_function functions[3];
    const float *peephole;
} oribi_recurrent_worker;

/* Floats of a worker's room that its bytes take. */
static inline int64_t oribi_recurrent_places_room(const oribi_recurrent_work *fast)
{
    return fast->state->bytes == NULL
               ? 0
               : oribi_recurrent_lines(fast->group * fast->call.args.units / 4 + 2);
}

oribi_recurrent_worker oribi_recurrent_worker_of(const oribi_recurrent_work *fast, int64_t index);
/* Computes the block's steps of workers [begin, end) of an oribi_recurrent_work. */
void oribi_recurrent_run_block(void *object, int64_t begin, int64_t end);

#endif
