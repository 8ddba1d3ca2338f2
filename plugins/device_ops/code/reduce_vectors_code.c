/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions for devices whose threads are a processor's: of stretches of neighbours (rows), one
 * thread makes g.outputs outputs, each in four vectors at once; of elements that lie apart while
 * outputs' own are neighbours (columns), one thread makes g.outputs neighbours of the output, up to
 * four vectors of them at once. Both read x in its order. The same for all devices: reduce_code.c.
 */
#include "reduction.h"

#ifdef DEVICE_IS_OPENCL
#include "vectors.h"

#define VECTORS 4

/* Elements of column c on, V vectors of them, into r. */
#define REDUCE_COLUMNS(name, first, V)                                                             \
    op_vector r[V];                                                                                \
    UNROLLED(k, V)                                                                                 \
    {                                                                                              \
        r[k] = (op_vector)(first);                                                                 \
    }                                                                                              \
    for (int j = 0; j < g.count; j += size) {                                                      \
        GLOBAL const float *p = from + op_reduction_at(g, j);                                      \
        for (int l = 0; l < size; l++) {                                                           \
            UNROLLED(k, V)                                                                         \
            {                                                                                      \
                r[k] = name##_join(r[k], LOAD(p + k * WIDTH));                                     \
            }                                                                                      \
            p += step_of_x;                                                                        \
        }                                                                                          \
    }

#define REDUCE_VECTORS(name, group_name, first, step, last)                                        \
    DEVICE_FUNCTION op_vector name##_join(op_vector r, op_vector v)                                \
    {                                                                                              \
        return (step);                                                                             \
    }                                                                                              \
    DEVICE_FUNCTION float name##_join_one(float r, float v)                                        \
    {                                                                                              \
        return (step);                                                                             \
    }                                                                                              \
    DEVICE_FUNCTION op_vector name##_end(op_reduction g, op_vector r)                              \
    {                                                                                              \
        return (last);                                                                             \
    }                                                                                              \
    KERNEL2(name##_rows, float, z, const float, x, op_reduction, g)                                \
    {                                                                                              \
        const int size = g.reduced_dims[g.reduced_rank - 1];                                       \
        const int from_output = GLOBAL_ID(x) * g.outputs;                                          \
        const int to_output = min(from_output + g.outputs, g.n);                                   \
        for (int i = from_output; i < to_output; i++) {                                            \
            GLOBAL const float *from = x + op_reduction_start(g, i);                               \
            op_vector sum[VECTORS];                                                                \
            UNROLLED(k, VECTORS)                                                                   \
            {                                                                                      \
                sum[k] = (op_vector)(first);                                                       \
            }                                                                                      \
            float r = (first);                                                                     \
            for (int j = 0; j < g.count; j += size) {                                              \
                GLOBAL const float *p = from + op_reduction_at(g, j);                              \
                int l = 0;                                                                         \
                for (; l + VECTORS * WIDTH <= size; l += VECTORS * WIDTH) {                        \
                    UNROLLED(k, VECTORS)                                                           \
                    {                                                                              \
                        sum[k] = name##_join(sum[k], LOAD(p + l + k * WIDTH));                     \
                    }                                                                              \
                }                                                                                  \
                for (; l + WIDTH <= size; l += WIDTH) {                                            \
                    sum[0] = name##_join(sum[0], LOAD(p + l));                                     \
                }                                                                                  \
                for (; l < size; l++) {                                                            \
                    r = name##_join_one(r, p[l]);                                                  \
                }                                                                                  \
            }                                                                                      \
            float lanes[WIDTH];                                                                    \
            STORE(name##_join(name##_join(sum[0], sum[1]), name##_join(sum[2], sum[3])), lanes);   \
            UNROLLED(k, WIDTH)                                                                     \
            {                                                                                      \
                r = name##_join_one(r, lanes[k]);                                                  \
            }                                                                                      \
            z[i] = (last);                                                                         \
        }                                                                                          \
    }                                                                                              \
    KERNEL2(name##_columns, float, z, const float, x, op_reduction, g)                             \
    {                                                                                              \
        const int columns = g.dims[g.rank - 1], strips = (columns + g.outputs - 1) / g.outputs;    \
        const int row = GLOBAL_ID(x) / strips, left = (GLOBAL_ID(x) - row * strips) * g.outputs;   \
        const int right = min(left + g.outputs, columns);                                          \
        const int size = g.reduced_dims[g.reduced_rank - 1];                                       \
        const int step_of_x = g.reduced_x[g.reduced_rank - 1];                                     \
        x += op_reduction_start(g, row * columns);                                                 \
        z += row * columns;                                                                        \
        int c = left;                                                                              \
        for (; c + VECTORS * WIDTH <= right; c += VECTORS * WIDTH) {                               \
            GLOBAL const float *from = x + c;                                                      \
            REDUCE_COLUMNS(name, first, VECTORS)                                                   \
            UNROLLED(k, VECTORS)                                                                   \
            {                                                                                      \
                STORE(name##_end(g, r[k]), z + c + k * WIDTH);                                     \
            }                                                                                      \
        }                                                                                          \
        for (; c < right; c += WIDTH) { /* the last vector starts where others have been */        \
            const int start = min(c, columns - WIDTH);                                             \
            GLOBAL const float *from = x + start;                                                  \
            REDUCE_COLUMNS(name, first, 1)                                                         \
            float lanes[WIDTH];                                                                    \
            STORE(name##_end(g, r[0]), lanes);                                                     \
            for (int k = c - start; k < WIDTH; k++) {                                              \
                z[start + k] = lanes[k];                                                           \
            }                                                                                      \
        }                                                                                          \
    }

OP_REDUCTIONS(REDUCE_VECTORS)
#endif
