/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions along axes: Sum, Mean, Prod, Max, Min, All, Any. The compute splits the input into
 * kept and reduced dims; loops (reduce_reference.c, reduce_loops.h) fold lines of elements.
 */
#ifndef ORIBI_PLUGINS_CPU_REDUCE_H_
#define ORIBI_PLUGINS_CPU_REDUCE_H_

#include "cpu/base/walk.h"

enum { ORIBI_CPU_REDUCE_COLUMNS = 256 };

/* One reduction. Where the innermost dim is reduced, a unit of work is one output element; where it
 * is kept, a unit is up to ORIBI_CPU_REDUCE_COLUMNS neighbouring ones. */
typedef struct oribi_cpu_reduce {
    const void *x;
    void *y;
    oribi_cpu_walk kept, reduced; /* over the input */
    int64_t columns;              /* innermost kept dim; 0: the innermost dim is reduced */
    int64_t column_units;         /* units in `columns` */
} oribi_cpu_reduce;

typedef void (*oribi_cpu_reduce_units)(void *object, int64_t begin, int64_t end);

typedef struct oribi_cpu_reduce_op {
    oribi_cpu_reduce_units units; /* object: oribi_cpu_reduce */
    uint8_t cost;                 /* cycles an element */
    uint8_t most_axes;            /* separate ones that `units` can reduce, of a tensor whose places
                                     are int32; 0: no bound */
} oribi_cpu_reduce_op;

void *oribi_cpu_reduce_create(TF_OpKernelConstruction *construction);
void oribi_cpu_reduce_compute(const void *state, TF_OpKernelContext *context,
                              const oribi_cpu_reduce_op *op);
/* Offset in x and number of columns of a unit; *out_at is its first output element. */
int64_t oribi_cpu_reduce_unit(const oribi_cpu_reduce *reduce, int64_t unit, int64_t *out_at,
                              int64_t *out_columns);

/* Everything of one op and type: two lines, the units, the compute. A is the accumulator; `step`
 * folds v into acc, `finish` makes the result from acc and n. FOLD(acc, x, stride, count) may be
 * any loop that folds a line into acc. */
#define ORIBI_CPU_REDUCE(id, T, A, init, step, finish, FOLD, costs)                                \
    typedef struct id##_work {                                                                     \
        const T *x;                                                                                \
        int64_t columns;                                                                           \
        A acc[ORIBI_CPU_REDUCE_COLUMNS];                                                           \
    } id##_work;                                                                                   \
    static void id##_row(void *object, const oribi_cpu_walk *walk, const int64_t *offsets,         \
                         int64_t at, int64_t count)                                                \
    {                                                                                              \
        id##_work *work = object;                                                                  \
        const T *x = work->x + offsets[0];                                                         \
        int64_t stride = walk->axes[walk->rank - 1].strides[0];                                    \
        (void)at;                                                                                  \
        FOLD(T, A, work->acc[0], init, step)                                                       \
    }                                                                                              \
    static void id##_column(void *object, const oribi_cpu_walk *walk, const int64_t *offsets,      \
                            int64_t at, int64_t count)                                             \
    {                                                                                              \
        id##_work *work = object;                                                                  \
        int64_t stride = walk->axes[walk->rank - 1].strides[0];                                    \
        (void)at;                                                                                  \
        for (int64_t j = 0; j < count; j++) {                                                      \
            const T *x = work->x + offsets[0] + j * stride;                                        \
            for (int64_t k = 0; k < work->columns; k++) {                                          \
                A acc = work->acc[k], v = (A)x[k];                                                 \
                work->acc[k] = (A)(step);                                                          \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void id##_units(void *object, int64_t begin, int64_t end)                               \
    {                                                                                              \
        const oribi_cpu_reduce *reduce = object;                                                   \
        int64_t n = reduce->reduced.count;                                                         \
        (void)n;                                                                                   \
        for (int64_t unit = begin; unit < end; unit++) {                                           \
            id##_work work;                                                                        \
            int64_t at, columns;                                                                   \
            int64_t from = oribi_cpu_reduce_unit(reduce, unit, &at, &columns);                     \
            work.x = (const T *)reduce->x + from;                                                  \
            work.columns = columns;                                                                \
            for (int64_t k = 0; k < columns; k++) {                                                \
                work.acc[k] = init;                                                                \
            }                                                                                      \
            oribi_cpu_walk_run(&reduce->reduced, 0, n, &work,                                      \
                               reduce->columns == 0 ? id##_row : id##_column);                     \
            for (int64_t k = 0; k < columns; k++) {                                                \
                A acc = work.acc[k];                                                               \
                ((T *)reduce->y)[at + k] = (T)(finish);                                            \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void id##_compute(void *state, TF_OpKernelContext *context)                             \
    {                                                                                              \
        static const oribi_cpu_reduce_op op = {.units = id##_units, .cost = costs};                \
        oribi_cpu_reduce_compute(state, context, &op);                                             \
    }

#endif
