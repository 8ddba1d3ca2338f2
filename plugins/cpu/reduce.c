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

/* Bit i of *out_reduced: the axes name dimension i. */
static bool read_axes(oribi_cpu_run *run, int rank, uint32_t *out_reduced)
{
    oribi_dims axes;
    *out_reduced = 0;
    if (!oribi_cpu_read_dims(run, 1, "reduction_indices", &axes)) {
        return false;
    }
    for (int i = 0; i < axes.n; i++) {
        int axis = 0;
        if (!oribi_cpu_axis(run, axes.at[i], rank, &axis)) {
            return false;
        }
        if ((*out_reduced >> axis & 1U) != 0) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                                  "Invalid reduction arguments: Axes contains duplicate dimension: "
                                  "%d",
                                  axis);
        }
        *out_reduced |= 1U << axis;
    }
    return true;
}

/* The dims in two walks; an innermost kept dim (with kept ones next to it) becomes the columns. */
static bool split_dims(oribi_cpu_run *run, const oribi_cpu_shape *in, uint32_t reduced,
                       oribi_cpu_reduce *reduce)
{
    oribi_dims strides;
    int columns_from = in->n;
    oribi_cpu_strides(in, &strides);
    oribi_cpu_walk_open(&reduce->kept);
    oribi_cpu_walk_open(&reduce->reduced);
    while (columns_from > 0 && (reduced >> (columns_from - 1) & 1U) == 0) {
        columns_from--;
    }
    reduce->columns =
        columns_from == in->n ? 0 : oribi_cpu_product(in->at + columns_from, in->n - columns_from);
    reduce->column_units =
        (reduce->columns + ORIBI_CPU_REDUCE_COLUMNS - 1) / ORIBI_CPU_REDUCE_COLUMNS;
    for (int i = 0; i < columns_from; i++) {
        oribi_cpu_walk *walk = (reduced >> i & 1U) != 0 ? &reduce->reduced : &reduce->kept;
        if (!oribi_cpu_walk_add(run, walk, in->at[i], strides.at[i])) {
            return false;
        }
    }
    oribi_cpu_walk_close(&reduce->kept);
    oribi_cpu_walk_close(&reduce->reduced);
    oribi_cpu_walk_collapse(&reduce->kept);
    oribi_cpu_walk_collapse(&reduce->reduced);
    return true;
}

static bool reduce_run(const reduce_state *state, oribi_cpu_run *run, const oribi_cpu_reduce_op *op)
{
    oribi_cpu_shape in, out = {.n = 0};
    uint32_t reduced = 0;
    oribi_cpu_reduce reduce;
    if (!oribi_cpu_input_shape(run, 0, &in) || !read_axes(run, in.n, &reduced)) {
        return false;
    }
    for (int i = 0; i < in.n; i++) {
        const bool is_reduced = (reduced >> i & 1U) != 0;
        if (!is_reduced || state->keep_dims) {
            out.at[out.n++] = is_reduced ? 1 : in.at[i];
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
    if (!split_dims(run, &in, reduced, &reduce)) {
        return false;
    }
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
