/* SPDX-License-Identifier: Apache-2.0 */
/* See reduce.h. */
#include "cpu/reduce.h"

typedef struct reduce_state {
    bool keep_dims;
} reduce_state;

void *oribi_cpu_reduce_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    reduce_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_cpu_attr_bool(&setup, "keep_dims", &state->keep_dims);
    }
    return oribi_cpu_setup_end(&setup);
}

static void offset_of(void *object, const oribi_cpu_walk *walk, const int64_t *offsets, int64_t at,
                      int64_t count)
{
    (void)walk;
    (void)at;
    (void)count;
    *(int64_t *)object = offsets[0];
}

int64_t oribi_cpu_reduce_unit(const oribi_cpu_reduce *reduce, int64_t unit, int64_t *out_at,
                              int64_t *out_columns)
{
    int64_t offset = 0, first = 0;
    *out_columns = 1;
    *out_at = unit;
    if (reduce->columns > 0) {
        first = unit % reduce->column_units * ORIBI_CPU_REDUCE_COLUMNS;
        unit /= reduce->column_units;
        *out_columns = reduce->columns - first < ORIBI_CPU_REDUCE_COLUMNS
                           ? reduce->columns - first
                           : ORIBI_CPU_REDUCE_COLUMNS;
        *out_at = unit * reduce->columns + first;
    }
    oribi_cpu_walk_run(&reduce->kept, unit, unit + 1, &offset, offset_of);
    return offset + first;
}

static bool read_axes(oribi_cpu_run *run, int rank, bool *is_reduced)
{
    oribi_dims axes;
    if (!oribi_cpu_read_dims(run, 1, "reduction_indices", &axes)) {
        return false;
    }
    for (int i = 0; i < rank; i++) {
        is_reduced[i] = false;
    }
    for (int i = 0; i < axes.n; i++) {
        int axis = 0;
        if (!oribi_cpu_axis(run, axes.at[i], rank, &axis)) {
            return false;
        }
        if (is_reduced[axis]) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                                  "Invalid reduction arguments: Axes contains duplicate dimension: "
                                  "%d",
                                  axis);
        }
        is_reduced[axis] = true;
    }
    return true;
}

static void close_walk(oribi_cpu_walk *walk)
{
    if (walk->rank == 0) {
        walk->rank = 1;
        walk->dims[0] = 1;
        walk->strides[0][0] = 0;
    }
    walk->count = oribi_cpu_product(walk->dims, walk->rank);
    oribi_cpu_walk_collapse(walk);
}

/* The dims in two walks; an innermost kept dim (with kept ones next to it) becomes the columns. */
static void split_dims(const oribi_cpu_shape *in, const bool *is_reduced, oribi_cpu_reduce *reduce)
{
    int64_t strides[ORIBI_MAX_RANK];
    int columns_from = in->n;
    oribi_cpu_strides(in, strides);
    reduce->kept.rank = reduce->reduced.rank = 0;
    reduce->kept.n_operands = reduce->reduced.n_operands = 1;
    while (columns_from > 0 && !is_reduced[columns_from - 1]) {
        columns_from--;
    }
    reduce->columns =
        columns_from == in->n ? 0 : oribi_cpu_product(in->at + columns_from, in->n - columns_from);
    reduce->column_units =
        (reduce->columns + ORIBI_CPU_REDUCE_COLUMNS - 1) / ORIBI_CPU_REDUCE_COLUMNS;
    for (int i = 0; i < columns_from; i++) {
        oribi_cpu_walk *walk = is_reduced[i] ? &reduce->reduced : &reduce->kept;
        walk->dims[walk->rank] = in->at[i];
        walk->strides[0][walk->rank++] = strides[i];
    }
    close_walk(&reduce->kept);
    close_walk(&reduce->reduced);
}

static bool reduce_run(const reduce_state *state, oribi_cpu_run *run, const oribi_cpu_reduce_op *op)
{
    oribi_cpu_shape in, out = {.n = 0};
    bool is_reduced[ORIBI_MAX_RANK];
    oribi_cpu_reduce reduce;
    if (!oribi_cpu_input_shape(run, 0, &in) || !read_axes(run, in.n, is_reduced)) {
        return false;
    }
    for (int i = 0; i < in.n; i++) {
        if (!is_reduced[i] || state->keep_dims) {
            out.at[out.n++] = is_reduced[i] ? 1 : in.at[i];
        }
    }
    int64_t count = 0;
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    reduce.x = TF_TensorData(run->in[0]);
    reduce.y = oribi_cpu_output(run, 0, out.at, out.n);
    if (reduce.y == NULL || count == 0) {
        return reduce.y != NULL;
    }
    split_dims(&in, is_reduced, &reduce);
    int64_t units = reduce.columns == 0 ? count : reduce.kept.count * reduce.column_units;
    int64_t columns = reduce.columns == 0 ? 1
                      : reduce.columns < ORIBI_CPU_REDUCE_COLUMNS
                          ? reduce.columns
                          : (int64_t)ORIBI_CPU_REDUCE_COLUMNS;
    int64_t work = 0;
    if (__builtin_mul_overflow(reduce.reduced.count, columns * op->cost, &work)) {
        work = INT32_MAX;
    }
    oribi_cpu_parallel(run, units, work + 50, &reduce, op->units);
    return true;
}

void oribi_cpu_reduce_compute(const void *state, TF_OpKernelContext *context,
                              const oribi_cpu_reduce_op *op)
{
    oribi_cpu_run run;
    if (oribi_cpu_begin(&run, context, 2)) {
        (void)reduce_run(state, &run, op);
    }
    oribi_cpu_end(&run);
}
