/* SPDX-License-Identifier: Apache-2.0 */
/* Elements and moves for devices whose threads are a processor's: one thread makes OP_STRIP
 * elements of the output, side by side, stretch by stretch along the last dimension. It divides
 * once a stretch, and the loop along it is one that compilers turn into vectors. The same kernels,
 * an element a thread: elementwise_code.c, move_code.c, normalize_code.c.
 */
#include "binaries.h"
#include "dialect.h"
#include "parameters.h"

#ifdef DEVICE_IS_OPENCL

/* Past the last element of this thread's strip, whose first is `first`. */
DEVICE_FUNCTION int op_strip_end(int first, int n)
{
    return n - first < OP_STRIP ? n : first + OP_STRIP;
}

typedef struct op_stretch { /* n elements; where the operands' first ones lie */
    int n, x, y;
} op_stretch;

/* From element i of the output on, up to `end`. */
DEVICE_FUNCTION op_stretch op_find_stretch(op_walk w, int i, int end)
{
    const int last = w.rank - 1, size = last > 0 ? w.dims[last] : w.n;
    int rest = i / size;
    const int column = i - rest * size;
    op_stretch s;
    s.n = min(end - i, size - column);
    s.x = w.x_first + column * w.x[last];
    s.y = column * w.y[last];
    for (int k = last - 1; k >= 0; k--) {
        const int index = k > 0 ? rest % w.dims[k] : rest;
        rest = k > 0 ? rest / w.dims[k] : 0;
        s.x += index * w.x[k];
        s.y += index * w.y[k];
    }
    return s;
}

#define BINARY_STRIPS(name, value)                                                                 \
    KERNEL3(name##_strips, float, z, const float, x, const float, y, op_walk, w)                   \
    {                                                                                              \
        const int step_x = w.x[w.rank - 1], step_y = w.y[w.rank - 1];                              \
        const int first = GLOBAL_ID(x) * OP_STRIP, end = op_strip_end(first, w.n);                 \
        for (int i = first; i < end;) {                                                            \
            const op_stretch s = op_find_stretch(w, i, end);                                       \
            GLOBAL const float *p = x + s.x;                                                       \
            GLOBAL const float *q = y + s.y;                                                       \
            GLOBAL float *to = z + i;                                                              \
            if (step_x == 1 && step_y == 1) {                                                      \
                for (int j = 0; j < s.n; j++) {                                                    \
                    const float a = p[j], b = q[j];                                                \
                    to[j] = (value);                                                               \
                }                                                                                  \
            } else if (step_x == 1 && step_y == 0) {                                               \
                const float b = q[0];                                                              \
                for (int j = 0; j < s.n; j++) {                                                    \
                    const float a = p[j];                                                          \
                    to[j] = (value);                                                               \
                }                                                                                  \
            } else {                                                                               \
                for (int j = 0; j < s.n; j++) {                                                    \
                    const float a = p[j * step_x], b = q[j * step_y];                              \
                    to[j] = (value);                                                               \
                }                                                                                  \
            }                                                                                      \
            i += s.n;                                                                              \
        }                                                                                          \
    }

OP_BINARIES(BINARY_STRIPS)

DEVICE_FUNCTION void op_copy_stretch(GLOBAL float *to, GLOBAL const float *from, int n)
{
    for (int j = 0; j < n; j++) {
        to[j] = from[j];
    }
}

DEVICE_FUNCTION void op_fill_stretch(GLOBAL float *to, float value, int n)
{
    for (int j = 0; j < n; j++) {
        to[j] = value;
    }
}

/* Whole rows from element i on, up to `end`, which are short and whose elements lie apart in x (the
 * channels of a picture that becomes NHWC): the number of elements moved. */
DEVICE_FUNCTION int op_move_rows(op_walk w, GLOBAL float *z, GLOBAL const float *x, int i, int end,
                                 op_stretch s)
{
    const int last = w.rank - 1, size = w.dims[last], step = w.x[last], row_step = w.x[last - 1];
    const int row = i / size, in_last = last > 1 ? w.dims[last - 1] : w.n / size;
    const int rows = min((end - i) / size, in_last - row % in_last);
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < size; j++) {
            z[i + r * size + j] = x[s.x + r * row_step + j * step];
        }
    }
    return rows * size;
}

KERNEL2(op_move_strips, float, z, const float, x, op_walk, w)
{
    const int last = w.rank - 1, step = w.x[last], is_short = last > 0 && w.dims[last] <= 16;
    const int first = GLOBAL_ID(x) * OP_STRIP, end = op_strip_end(first, w.n);
    for (int i = first; i < end;) {
        const op_stretch s = op_find_stretch(w, i, end);
        if (is_short && i % w.dims[last] == 0 && end - i >= w.dims[last]) {
            i += op_move_rows(w, z, x, i, end, s);
            continue;
        }
        if (step == 1) {
            op_copy_stretch(z + i, x + s.x, s.n);
        } else {
            for (int j = 0; j < s.n; j++) {
                z[i + j] = x[s.x + j * step];
            }
        }
        i += s.n;
    }
}

KERNEL2(op_copy_runs_strips, float, z, const float, x, op_runs, p)
{
    const int first = GLOBAL_ID(x) * OP_STRIP, end = op_strip_end(first, p.n);
    for (int i = first; i < end;) {
        const int row = i / p.columns, column = i - row * p.columns;
        const int n = min(end - i, p.columns - column);
        op_copy_stretch(z + p.z_first + row * p.z_stride + column,
                        x + p.x_first + row * p.x_stride + column, n);
        i += n;
    }
}

/* Where p.is_mirror is not set. */
KERNEL2(op_pad_box_strips, float, z, const float, x, op_pad, p)
{
    const int last = p.rank - 1, size = p.dims[last];
    const int first = GLOBAL_ID(x) * OP_STRIP, end = op_strip_end(first, p.n);
    for (int i = first; i < end;) {
        int rest = i / size, at = 0, is_inside = 1;
        const int column = i - rest * size, n = min(end - i, size - column);
        for (int k = last - 1; k >= 0; k--) {
            const int index = rest % p.dims[k] - p.before[k];
            rest /= p.dims[k];
            is_inside = is_inside && index >= 0 && index < p.in[k];
            at += index * p.x[k];
        }
        /* Of these n, [from, to) lie in x. */
        const int from = is_inside ? clamp(p.before[last] - column, 0, n) : n;
        const int to = is_inside ? clamp(p.before[last] + p.in[last] - column, from, n) : n;
        op_fill_stretch(z + i, p.value, from);
        op_copy_stretch(z + i + from, x + at + column + from - p.before[last], to - from);
        op_fill_stretch(z + i + to, p.value, n - to);
        i += n;
    }
}

/* Elements of one stretch, `channel` the channel of element j. */
#define NORMALISE(channel)                                                                         \
    for (int j = 0; j < n; j++) {                                                                  \
        const int k = channel;                                                                     \
        z[i + j] = (x[i + j] - mean[k]) * (scale[k] / sqrtf(variance[k] + p.epsilon)) + offset[k]; \
    }

KERNEL7(op_batch_norm_strips, float, z, const float, x, const float, scale, const float, offset,
        const float, mean, const float, variance, const float, s, op_norm, p)
{
    const int first = GLOBAL_ID(x) * OP_STRIP, end = op_strip_end(first, p.n);
    for (int i = first; i < end;) {
        const int outer = i / p.inner, c = outer % p.channels;
        const int n = min(end - i, p.inner == 1 ? p.channels - c : p.inner - (i - outer * p.inner));
        if (p.inner == 1) { /* channels lie side by side */
            NORMALISE(c + j)
        } else {
            NORMALISE(c)
        }
        for (int j = 0; p.has_side && j < n; j++) {
            z[i + j] += s[i + j];
        }
        for (int j = 0; p.has_relu && j < n; j++) {
            z[i + j] = z[i + j] < 0.0f ? 0.0f : z[i + j];
        }
        i += n;
    }
}
#endif
