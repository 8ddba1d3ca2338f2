/* SPDX-License-Identifier: Apache-2.0 */
/* Products for devices of many threads: a group of 256 threads makes a square of results, each
 * thread 4 x 4 of them. It brings 16 elements of the square's rows and columns at a time into
 * memory that its threads share, and what comes next into registers meanwhile. Two forms: of 64 x
 * 64 results; and of 32 x 32, where four slices of 64 threads take a quarter of the sum each, for
 * products of few results, which would leave most of a GPU without work.
 */
#include "code_tile.h"

#define EACH    4             /* results of a thread each way */
#define STEPS   16            /* elements at a time */
#define BROUGHT 8             /* elements of an operand that a thread brings, at most */
#define MARGIN  4             /* a line of four more: a thread reads four that are aligned */
#define OWN     (EACH * EACH) /* results of a thread */

/* What differs between the forms, constants where the functions below are called. */
typedef struct op_form {
    int side; /* threads of a slice each way */
    int slices;
} op_form;

typedef struct op_worker {
    int slice, lane;             /* lane: the thread's number in its slice */
    int first_row, first_column; /* of the group's square */
    int at[BROUGHT]; /* where each row that this thread brings lies at the tap; -1: nowhere */
    float a[BROUGHT], b[BROUGHT]; /* what it brings */
} op_worker;

/* Where the rows that this thread brings lie at a tap. */
DEVICE_FUNCTION void op_place_rows(op_tile t, op_form form, int tap, op_worker *p)
{
    const int i = tap / t.size[1], j = tap - i * t.size[1];
    const int apart = form.side * form.side / STEPS;
    for (int e = 0; e < EACH * STEPS / form.side; e++) {
        const int number = p->first_row + p->lane / STEPS + e * apart;
        p->at[e] = -1;
        if (number < t.rows) {
            const op_row row = op_find_row(t, number);
            const int y = row.top + i * t.dilation[0];
            const int c = row.left + j * t.dilation[1];
            if (y >= 0 && y < t.in[0] && c >= 0 && c < t.in[1]) {
                p->at[e] = row.x + y * t.x[1] + c * t.x[2];
            }
        }
    }
}

/* Elements from..from + STEPS of one tap, 0 outside of everything. */
DEVICE_FUNCTION void op_read(op_tile t, op_form form, GLOBAL const float *x, GLOBAL const float *w,
                             int tap, int from, op_worker *p)
{
    const int edge = form.side * EACH, threads = form.side * form.side;
    const int element = from + p->lane % STEPS;
    const int column = p->first_column + p->lane % edge;
    for (int e = 0; e < EACH * STEPS / form.side; e++) {
        const int is_inside = p->at[e] >= 0 && element < t.depth;
        p->a[e] = is_inside ? x[p->at[e] + element * t.x[3]] : 0.0f;
    }
    for (int e = 0; e < EACH * STEPS / form.side; e++) {
        const int row = from + p->lane / edge + e * (threads / edge);
        const int is_inside = column < t.columns && row < t.depth;
        p->b[e] = is_inside ? w[(tap * t.depth + row) * t.w[0] + column * t.w[1]] : 0.0f;
    }
}

DEVICE_FUNCTION void op_share(op_form form, const op_worker *p, SHARED float *a, SHARED float *b)
{
    const int edge = form.side * EACH, line = edge + MARGIN, threads = form.side * form.side;
    for (int e = 0; e < EACH * STEPS / form.side; e++) {
        a[p->lane % STEPS * line + p->lane / STEPS + e * (threads / STEPS)] = p->a[e];
        b[(p->lane / edge + e * (threads / edge)) * line + p->lane % edge] = p->b[e];
    }
}

DEVICE_FUNCTION void op_add_products(op_form form, int lane, const SHARED float *a,
                                     const SHARED float *b, float *sum)
{
    const int line = form.side * EACH + MARGIN;
    const int i = lane % form.side * EACH, j = lane / form.side * EACH;
    for (int l = 0; l < STEPS; l++) {
        float rows[EACH], columns[EACH];
        COPY_FOUR(rows, a + l * line + j);
        COPY_FOUR(columns, b + l * line + i);
        for (int r = 0; r < EACH; r++) {
            for (int c = 0; c < EACH; c++) {
                sum[r * EACH + c] += rows[r] * columns[c];
            }
        }
    }
}

/* A slice's share of the sum over taps and depth. All slices go equally often round, since their
 * threads wait for each other. */
DEVICE_FUNCTION void op_sum_slice(op_tile t, op_form form, GLOBAL const float *x,
                                  GLOBAL const float *w, op_worker *p, SHARED float *memory,
                                  float *sum)
{
    const int per_tap = (t.depth + STEPS - 1) / STEPS;
    const int n = t.size[0] * t.size[1] * per_tap;
    const int share = (n + form.slices - 1) / form.slices;
    const int area = STEPS * (form.side * EACH + MARGIN);
    SHARED float *a = memory + p->slice * 2 * area, *b = a + area;
    int tap = p->slice * share / per_tap;
    int from = (p->slice * share - tap * per_tap) * STEPS;
    op_place_rows(t, form, tap, p);
    for (int step = 0; step <= share; step++) {
        if (step > 0) {
            op_share(form, p, a, b);
            BARRIER();
        }
        if (step < share) {
            /* Past the last tap everything is outside: the depth says so. */
            op_read(t, form, x, w, tap, tap < t.size[0] * t.size[1] ? from : t.depth, p);
            from += STEPS;
            if (from >= t.depth) {
                from = 0;
                tap++;
                op_place_rows(t, form, tap, p);
            }
        }
        if (step > 0) {
            op_add_products(form, p->lane, a, b, sum);
            BARRIER();
        }
    }
}

/* The slices' sums become one, in the order of the slices: each thread then has a part of its
 * results, `n` from `first` on. */
DEVICE_FUNCTION void op_join_slices(op_form form, const op_worker *p, SHARED float *memory,
                                    float *sum)
{
    const int threads = form.side * form.side, share = OWN / form.slices;
    for (int e = 0; e < OWN; e++) {
        memory[(p->slice * OWN + e) * threads + p->lane] = sum[e];
    }
    BARRIER();
    for (int e = 0; e < share; e++) {
        float s = 0.0f;
        for (int slice = 0; slice < form.slices; slice++) {
            s += memory[(slice * OWN + p->slice * share + e) * threads + p->lane];
        }
        sum[e] = s;
    }
    BARRIER();
}

DEVICE_FUNCTION void op_end_tile(op_tile t, op_form form, GLOBAL float *z, GLOBAL const float *b,
                                 GLOBAL const float *q, const op_worker *p, const float *sum)
{
    const int rows = EACH / form.slices; /* of the thread's results, that it ends */
    for (int r = 0; r < rows; r++) {
        const int number =
            p->first_row + p->lane / form.side * EACH + (form.slices > 1 ? p->slice * rows : 0) + r;
        for (int c = 0; c < EACH && number < t.rows; c++) {
            const int column = p->first_column + p->lane % form.side * EACH + c;
            if (column < t.columns) {
                const int at = op_find_row(t, number).z + column * t.z[3];
                float s = t.alpha * sum[r * EACH + c];
                s = t.has_bias ? s + b[column] : s;
                s = t.has_residual ? s + t.beta * q[at] : s;
                z[at] = op_activate(s, t.activation, t.slope);
            }
        }
    }
}

/* Blocks of columns of all groups lie along y, where a grid is short: it goes round until all are
 * made. */
DEVICE_FUNCTION void op_make_tiles(op_tile t, op_form form, GLOBAL float *z, GLOBAL const float *x,
                                   GLOBAL const float *f, GLOBAL const float *b,
                                   GLOBAL const float *q, SHARED float *memory)
{
    const int edge = form.side * EACH, n_columns = (t.columns + edge - 1) / edge;
    const int thread = LOCAL_ID(y) * LOCAL_SIZE(x) + LOCAL_ID(x);
    op_worker p;
    p.slice = thread / (form.side * form.side);
    p.lane = thread % (form.side * form.side);
    p.first_row = GROUP_ID(x) * edge;
    for (int block = GROUP_ID(y); block < n_columns * t.groups;
         block += GLOBAL_SIZE(y) / LOCAL_SIZE(y)) {
        const int group = block / n_columns;
        float sum[OWN];
        p.first_column = (block - group * n_columns) * edge;
        for (int e = 0; e < OWN; e++) {
            sum[e] = 0.0f;
        }
        op_sum_slice(t, form, x + group * t.group[0], f + group * t.group[1], &p, memory, sum);
        if (form.slices > 1) {
            op_join_slices(form, &p, memory, sum);
        }
        op_end_tile(t, form, z + group * t.group[2], b + group * t.group[3], q + group * t.group[2],
                    &p, sum);
    }
}

KERNEL5_SHARED(op_tile_shared, float, z, const float, x, const float, f, const float, b,
               const float, q, op_tile, t, memory)
{
    const op_form form = {16, 1};
    op_make_tiles(t, form, z, x, f, b, q, memory);
}

KERNEL5_SHARED(op_tile_sliced, float, z, const float, x, const float, f, const float, b,
               const float, q, op_tile, t, memory)
{
    const op_form form = {8, 4};
    op_make_tiles(t, form, z, x, f, b, q, memory);
}
