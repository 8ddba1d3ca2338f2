/* SPDX-License-Identifier: Apache-2.0 */
/* See reduce.h. */
#include "cpu/window/reduce.h"

typedef struct reduce_state {
    bool keep_dims;
} reduce_state;

void *oribi_cpu_reduce_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    reduce_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_kit_attr_bool(&setup, "keep_dims", &state->keep_dims);
    }
    return oribi_kit_setup_end(&setup);
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

static bool read_axes(oribi_kit_run *run, int rank, oribi_geometry_axes *out_reduced)
{
    oribi_dims axes;
    int32_t at = 0, axis = 0;
    if (!oribi_cpu_read_dims(run, 1, "reduction_indices", &axes)) {
        return false;
    }
    switch (oribi_geometry_name_axes(axes.at, axes.n, rank, out_reduced, &at)) {
    case ORIBI_GEOMETRY_NAMED:
        return true;
    case ORIBI_GEOMETRY_NO_AXIS:
        return oribi_cpu_axis(run, axes.at[at], rank, &axis); /* which fails */
    default:
        (void)oribi_geometry_axis(axes.at[at], rank, &axis);
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Invalid reduction arguments: Axes contains duplicate dimension: %d",
                              axis);
    }
}

/* The dims in two walks; an innermost kept dim (with kept ones next to it) becomes the columns. */
static void split_dims(const oribi_cpu_shape *in, const oribi_geometry_axes *reduced,
                       oribi_cpu_reduce *reduce)
{
    oribi_dims strides;
    int columns_from = in->n;
    oribi_cpu_strides(in, &strides);
    while (columns_from > 0 && !oribi_geometry_has_axis(reduced, columns_from - 1)) {
        columns_from--;
    }
    reduce->columns =
        columns_from == in->n ? 0 : oribi_cpu_product(in->at + columns_from, in->n - columns_from);
    reduce->column_units =
        (reduce->columns + ORIBI_CPU_REDUCE_COLUMNS - 1) / ORIBI_CPU_REDUCE_COLUMNS;
    oribi_geometry_walk_reduce(in->at, strides.at, columns_from, reduced, &reduce->kept,
                               &reduce->reduced);
}

static bool reduce_run(const reduce_state *state, oribi_kit_run *run, const oribi_cpu_reduce_op *op)
{
    oribi_cpu_shape in, out = {.n = 0};
    oribi_geometry_axes reduced;
    oribi_cpu_reduce reduce;
    if (!oribi_cpu_input_shape(run, 0, &in) || !read_axes(run, in.n, &reduced)) {
        return false;
    }
    out.n = oribi_geometry_reduce(in.at, in.n, &reduced, state->keep_dims, out.at);
    int64_t count = 0;
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    split_dims(&in, &reduced, &reduce);
    if (op->most_axes > 0 &&
        (reduce.reduced.rank > op->most_axes || TF_TensorElementCount(run->in[0]) > INT32_MAX)) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED,
                              "Emitted C reduces at most %d separate axes of at most 2^31 - 1 "
                              "elements; run without the kernels of emitted C",
                              (int)op->most_axes);
    }
    reduce.x = TF_TensorData(run->in[0]);
    reduce.y = oribi_kit_output(run, 0, out.at, out.n);
    if (reduce.y == NULL || count == 0) {
        return reduce.y != NULL;
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
    oribi_kit_parallel(run, units, work + 50, &reduce, op->units);
    return true;
}

void oribi_cpu_reduce_compute(const void *state, TF_OpKernelContext *context,
                              const oribi_cpu_reduce_op *op)
{
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 2)) {
        (void)reduce_run(state, &run, op);
    }
    oribi_kit_end(&run);
}
