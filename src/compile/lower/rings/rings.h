/* SPDX-License-Identifier: Apache-2.0 */
/* Memory below the layer: several calls become one that computes them by turns, some rows at a
 * time. Of a value between them only the rows are kept that are still read; these lie in a ring, a
 * part of the call's scratch. Every row is computed once, by the kernel that the layer has anyway.
 * Where rows are too wide, the turns are done for stripes of the image, one after the other: a row
 * in a ring is then as long as a stripe is wide, and at the edges of stripes columns that windows
 * reach are computed twice. The planner sees one call. rows.c: what a kernel can do with some rows;
 * turns.c: who computes how many when, and what room that takes; stripes.c: which columns. Which
 * calls: ../../schedule/choose_rings.c.
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

/* Rows or columns of a kernel's result. */
typedef struct oribi_axis {
    int32_t out, in, before; /* members of the arguments: how many of the result, of what is there
                              * of the input, and of the padding before it; in -1: there are no
                              * windows, and `out` is a count */
    int32_t size, in_size;   /* of all of it */
    int32_t stride, padding, reach; /* of windows */
} oribi_axis;

/* How a kernel computes some rows of its result, and of these some columns. */
typedef struct oribi_rows {
    oribi_axis y, x; /* x.size 0: all columns or none */
    int64_t each;    /* what a row, and with x.size a pixel, of the result adds to the count */
    int32_t in_step, out_step; /* members that are bytes of a row; -1: there are none */
    int32_t roles[ORIBI_ROWS_OPERANDS];
} oribi_rows;

/* Columns of a result in one stripe. */
typedef struct oribi_stripe {
    int32_t first, n;
} oribi_stripe;

typedef struct oribi_ring_part {
    oribi_call call;
    oribi_rows rows;
    int32_t from[ORIBI_ROWS_OPERANDS]; /* the part that computes this input; -1: none does */
    int64_t row_bytes;                 /* of its result, of the widest stripe of it */
    int64_t offset;                    /* of its ring in the scratch; the last one has none */
    int32_t held;                      /* rows of the ring */
    /* With stripes: */
    int64_t crops[ORIBI_ROWS_OPERANDS]; /* where columns of this input are copied before they are
                                         * read, in the kernels' scratch; -1: they are not */
    int64_t scratch;                    /* where in it that of its own kernel begins */
} oribi_ring_part;

typedef struct oribi_rings {
    oribi_ring_part *parts; /* in the order of the calls; the last one's result leaves */
    int32_t n_parts;
    uint8_t *turns; /* n_turns times ORIBI_TURN_BYTES */
    int32_t n_turns;
    int32_t begin, end, times; /* the turns [begin, end) are done so often */
    int64_t kernel_scratch;    /* where in the scratch that of kernels begins */
    int64_t extra;         /* instructions that it takes more than its calls one by one, about */
    int32_t n_stripes;     /* 1: rows are whole */
    oribi_stripe *stripes; /* of each its parts' */
    int64_t extra_macs;    /* of columns that are computed twice */
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

/* Bytes of its tables. */
static inline int64_t oribi_rings_flash(const oribi_rings *rings)
{
    const int64_t stripes = rings->stripes != NULL ? rings->n_stripes : 0;
    return (int64_t)rings->n_turns * ORIBI_TURN_BYTES +
           stripes * rings->n_parts * (int64_t)sizeof(oribi_stripe);
}

/* rows.c: false: the kernel cannot, or not these sizes. */
bool oribi_rows_find(const oribi_graph *graph, const oribi_call *call, oribi_rows *out);
/* Scratch of a call that computes n rows. */
int64_t oribi_rows_scratch(const oribi_call *call, const oribi_rows *rows, int32_t n);
/* The first row (or column) of operand k that is read for this one of the result, and the one
 * behind the last. */
int32_t oribi_axis_first(const oribi_axis *axis, int32_t role, int32_t at);
int32_t oribi_axis_end(const oribi_axis *axis, int32_t role, int32_t at);
static inline bool oribi_rows_are_read(const oribi_rows *rows, int32_t k)
{
    return rows->roles[k] == ORIBI_ROWS_WINDOW || rows->roles[k] == ORIBI_ROWS_SAME;
}
/* Instructions of a call, about, that computes n rows from `row` on, of these columns. */
int64_t oribi_rows_cost(const oribi_call *call, const oribi_rows *rows, int32_t row, int32_t n,
                        oribi_stripe columns);

/* stripes.c: the columns of each part in each stripe, as wide as each other but for the last; what
 * is copied for kernels to read. *out_fits: can these parts have so many? False: no memory. */
bool oribi_stripes_make(const oribi_graph *graph, oribi_rings *rings, int32_t n_stripes,
                        oribi_arena *arena, bool *out_fits);
/* Bytes of a part's kernel scratch when it computes n rows: with its copies. */
int64_t oribi_stripes_scratch(const oribi_graph *graph, const oribi_rings *rings, int32_t part,
                              int32_t n);
int64_t oribi_pixel_bytes(const oribi_graph *graph, const oribi_ring_part *part, int32_t operand);

/* turns.c: makes one call of these, each with its rows, which follow each other; the last one
 * computes `rows` at a time, and those before it as many or, with `follows`, as many as a turn of
 * those behind them takes. out->rings is NULL where that cannot be. False: no memory. The arena
 * holds what is made, and work besides. */
typedef struct oribi_ring_plan {
    const oribi_call *const *calls;
    const oribi_rows *rows;
    int32_t n, chunk;
    bool follows;
    int32_t n_stripes;
    int32_t turn; /* instructions of a turn beside its kernel's */
} oribi_ring_plan;
bool oribi_rings_make(const oribi_graph *graph, const oribi_ring_plan *plan, oribi_arena *arena,
                      oribi_call *out);

#endif
