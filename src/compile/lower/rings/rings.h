/* SPDX-License-Identifier: Apache-2.0 */
/* Memory below the layer: several calls become one that computes them by turns, some rows at a
 * time. Of a value between them only the rows are kept that are still read; these lie in a ring, a
 * part of the call's scratch. Every row is computed once, by the kernel that the layer has anyway.
 * The planner sees one call. rows.c: what a kernel can do with some rows; turns.c: who computes how
 * many when, and what room that takes. Which calls: ../../schedule/choose_rings.c.
 */
#ifndef ORIBI_COMPILE_LOWER_RINGS_RINGS_H_
#define ORIBI_COMPILE_LOWER_RINGS_RINGS_H_

#include "compile/lower/lower.h"

enum {
    ORIBI_RINGS_MOST = 16,   /* calls of one */
    ORIBI_ROWS_OPERANDS = 8, /* of a kernel in one */
    ORIBI_TURN_BYTES = 3     /* call, rows that it computes, rows that leave its ring before */
};

/* What of an input a kernel reads for some rows of its result. */
enum oribi_rows_role {
    ORIBI_ROWS_WINDOW, /* rows under windows */
    ORIBI_ROWS_SAME,   /* the same rows */
    ORIBI_ROWS_ALL,    /* all of it */
    ORIBI_ROWS_NONE    /* nothing */
};

/* How a kernel computes rows of its result: these members of its arguments change. */
typedef struct oribi_rows {
    int32_t out, in,
        before;   /* rows of the result, of what is there of the input, and of the padding
                   * before it; in -1: there are no windows, and `out` is a count */
    int64_t each; /* what a row of the result adds to that count */
    int32_t height, in_height;
    int32_t stride, padding, reach; /* of windows, in rows */
    int32_t roles[ORIBI_ROWS_OPERANDS];
} oribi_rows;

typedef struct oribi_ring_part {
    oribi_call call;
    oribi_rows rows;
    int32_t from[ORIBI_ROWS_OPERANDS]; /* the part that computes this input; -1: none does */
    int64_t row_bytes;                 /* of its result */
    int64_t offset;                    /* of its ring in the scratch; the last one has none */
    int32_t held;                      /* rows of the ring */
} oribi_ring_part;

typedef struct oribi_rings {
    oribi_ring_part *parts; /* in the order of the calls; the last one's result leaves */
    int32_t n_parts;
    uint8_t *turns; /* n_turns times ORIBI_TURN_BYTES */
    int32_t n_turns;
    int32_t begin, end, times; /* the turns [begin, end) are done so often */
    int64_t kernel_scratch;    /* where in the scratch that of kernels begins */
    int64_t extra; /* instructions that it takes more than its calls one by one, about */
} oribi_rings;

/* The calls of kernels that a call is: itself or, with rings, several. */
static inline int32_t oribi_call_n_parts(const oribi_call *call)
{
    return call->rings != NULL ? call->rings->n_parts : 1;
}
static inline const oribi_call *oribi_call_part(const oribi_call *call, int32_t index)
{
    return call->rings != NULL ? &call->rings->parts[index].call : call;
}

/* rows.c: false: the kernel cannot, or not these sizes. */
bool oribi_rows_find(const oribi_graph *graph, const oribi_call *call, oribi_rows *out);
/* Scratch of a call that computes n rows; and its instructions, about, with so many rows of the
 * input and of padding before them. */
int64_t oribi_rows_scratch(const oribi_call *call, const oribi_rows *rows, int32_t n);
int64_t oribi_rows_cost(const oribi_call *call, const oribi_rows *rows, int32_t n, int32_t in,
                        int32_t before);

/* turns.c: makes one call of these, each with its rows, which follow each other; the last one
 * computes `rows` at a time, and those before it as many or, with `follows`, as many as a turn of
 * those behind them takes. out->rings is NULL where that cannot be. False: no memory. The arena
 * holds what is made, and work besides. */
typedef struct oribi_ring_plan {
    const oribi_call *const *calls;
    const oribi_rows *rows;
    int32_t n, chunk;
    bool follows;
} oribi_ring_plan;
bool oribi_rings_make(const oribi_graph *graph, const oribi_ring_plan *plan, oribi_arena *arena,
                      oribi_call *out);

#endif
