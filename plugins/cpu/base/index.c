/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that rank or accumulate along one axis: ArgMax, ArgMin, TopKV2, Cumsum,
 * Cumprod. The input is seen as
 * [outer, n, inner]; a unit of work is one line of n elements.
 */
#include "cpu/base/families.h"
#include "cpu/base/cpu_shape.h"
#include "cpu/base/numbers.h"

#include <string.h>

/* [outer, n, inner] around an axis. */
typedef struct lines {
    const void *x;
    void *y;
    int64_t n, inner, count; /* count: lines */
    TF_DataType index_type;
    bool exclusive, reverse;
} lines;

static void around_axis(const oribi_cpu_shape *shape, int axis, lines *out)
{
    out->n = shape->at[axis];
    out->inner = oribi_cpu_product(shape->at + axis + 1, shape->n - axis - 1);
    out->count = out->inner * oribi_cpu_product(shape->at, axis);
}

static void put_index(void *data, TF_DataType dtype, int64_t at, int64_t value)
{
    switch (dtype) {
    case TF_INT64:
        ((int64_t *)data)[at] = value;
        break;
    case TF_INT32:
        ((int32_t *)data)[at] = (int32_t)value;
        break;
    default: /* int16 and uint16 */
        ((uint16_t *)data)[at] = (uint16_t)value;
    }
}

typedef void (*line_loop)(void *object, int64_t begin, int64_t end);

static bool arg_run(oribi_kit_run *run, line_loop loop)
{
    oribi_cpu_shape in, out = {.n = 0};
    lines work = {.x = TF_TensorData(run->in[0]),
                  .index_type = TF_ExpectedOutputDataType(run->context, 0)};
    int64_t axis_value = 0;
    int axis = 0;
    if (!oribi_cpu_input_shape(run, 0, &in) ||
        !oribi_cpu_read_int(run, 1, "dimension", &axis_value) ||
        !oribi_cpu_axis(run, axis_value, in.n, &axis)) {
        return false;
    }
    around_axis(&in, axis, &work);
    for (int i = 0; i < in.n; i++) {
        if (i != axis) {
            out.at[out.n++] = in.at[i];
        }
    }
    if (work.n == 0 && work.count > 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "Reduction axis %d is empty in shape %s",
                              axis, oribi_cpu_shape_text(&in).chars);
    }
    work.y = oribi_kit_output(run, 0, out.at, out.n);
    if (work.y != NULL && work.count > 0) { /* else n may be any size */
        oribi_kit_parallel(run, work.count, work.n + 5, &work, loop);
    }
    return work.y != NULL;
}

/* The first of equals wins; a NaN is never better than what was seen before it. */
#define ARG(id, T, better)                                                                         \
    static void id##_##T##_lines(void *object, int64_t begin, int64_t end)                         \
    {                                                                                              \
        const lines *work = object;                                                                \
        for (int64_t line = begin; line < end; line++) {                                           \
            const T *x = (const T *)work->x + line / work->inner * work->n * work->inner +         \
                         line % work->inner;                                                       \
            int64_t best = 0;                                                                      \
            for (int64_t i = 1; i < work->n; i++) {                                                \
                T v = x[i * work->inner], top = x[best * work->inner];                             \
                best = (better) ? i : best;                                                        \
            }                                                                                      \
            put_index(work->y, work->index_type, line, best);                                      \
        }                                                                                          \
    }                                                                                              \
    static bool id##_##T##_run(const void *state, oribi_kit_run *run)                              \
    {                                                                                              \
        (void)state;                                                                               \
        return arg_run(run, id##_##T##_lines);                                                     \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(id##_##T, 2)

typedef struct cumsum_state {
    bool exclusive, reverse;
} cumsum_state;

static void cumsum_read(oribi_kit_setup *setup, cumsum_state *state)
{
    oribi_kit_attr_bool(setup, "exclusive", &state->exclusive);
    oribi_kit_attr_bool(setup, "reverse", &state->reverse);
}
ORIBI_KIT_CREATE(cumsum, cumsum_state)

static bool cumsum_run(const cumsum_state *state, oribi_kit_run *run, line_loop loop)
{
    oribi_cpu_shape shape;
    lines work = {
        .x = TF_TensorData(run->in[0]), .exclusive = state->exclusive, .reverse = state->reverse};
    int64_t axis_value = 0;
    int axis = 0;
    if (!oribi_cpu_input_shape(run, 0, &shape) ||
        !oribi_cpu_read_int(run, 1, "axis", &axis_value)) {
        return false;
    }
    if (shape.n == 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "a scalar has no axis %lld",
                              (long long)axis_value);
    }
    if (!oribi_cpu_axis(run, axis_value, shape.n, &axis)) {
        return false;
    }
    around_axis(&shape, axis, &work);
    work.y = oribi_kit_output(run, 0, shape.at, shape.n);
    if (work.y != NULL && work.n > 0 && work.count > 0) {
        oribi_kit_parallel(run, work.count, work.n * 2 + 5, &work, loop);
    }
    return work.y != NULL;
}

#define CUMULATE(id, T, A, first, step_of)                                                         \
    static void id##_##T##_lines(void *object, int64_t begin, int64_t end)                         \
    {                                                                                              \
        const lines *work = object;                                                                \
        for (int64_t line = begin; line < end; line++) {                                           \
            int64_t at = line / work->inner * work->n * work->inner + line % work->inner;          \
            int64_t step = work->reverse ? -work->inner : work->inner;                             \
            const T *x = work->x;                                                                  \
            T *y = work->y;                                                                        \
            A sum = first;                                                                         \
            at += work->reverse ? (work->n - 1) * work->inner : 0;                                 \
            for (int64_t i = 0; i < work->n; i++, at += step) {                                    \
                A before = sum;                                                                    \
                sum = (A)(step_of);                                                                \
                y[at] = (T)(work->exclusive ? before : sum);                                       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void id##_##T##_compute(void *state, TF_OpKernelContext *context)                       \
    {                                                                                              \
        oribi_kit_run run;                                                                         \
        if (oribi_kit_begin(&run, context, 2)) {                                                   \
            (void)cumsum_run(state, &run, id##_##T##_lines);                                       \
        }                                                                                          \
        oribi_kit_end(&run);                                                                       \
    }

#define CUMSUM(T, A)                                                                               \
    CUMULATE(cumsum, T, A, 0, sum + (A)x[at]) CUMULATE(cumprod, T, A, 1, sum *(A)x[at])

/* TopKV2: a heap of k, its root the worst of the best, then taken apart from the worst on. */
typedef bool (*worse_than)(const void *line, int64_t a, int64_t b);

static void sift(int64_t *heap, int64_t size, const void *line, worse_than worse)
{
    for (int64_t at = 0;;) {
        int64_t child = 2 * at + 1;
        if (child >= size) {
            return;
        }
        child += child + 1 < size && worse(line, heap[child + 1], heap[child]) ? 1 : 0;
        if (!worse(line, heap[child], heap[at])) {
            return;
        }
        int64_t swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

/* Indices of the k best of n, best first; false when the run stops before. *patience counts over
 * lines: a sift takes about 60 cycles for each doubling of k. */
static bool best_of(oribi_kit_run *run, int64_t *patience, const void *line, int64_t n, int64_t k,
                    int64_t *heap, worse_than worse)
{
    const int64_t cost = 60 * (64 - __builtin_clzll((uint64_t)k | 1));
    for (int64_t i = 0; i < k; i++) { /* from worst to best is not known: let it rise */
        int64_t at = i;
        for (; at > 0 && worse(line, i, heap[(at - 1) / 2]); at = (at - 1) / 2) {
            heap[at] = heap[(at - 1) / 2];
        }
        heap[at] = i;
        if (oribi_kit_stops(run, patience, cost)) {
            return false;
        }
    }
    for (int64_t i = k; k > 0 && i < n; i++) {
        if (worse(line, heap[0], i)) {
            heap[0] = i;
            sift(heap, k, line, worse);
        }
        if (oribi_kit_stops(run, patience, cost)) {
            return false;
        }
    }
    for (int64_t size = k; size > 1; size--) {
        int64_t worst = heap[0];
        heap[0] = heap[size - 1];
        heap[size - 1] = worst;
        sift(heap, size - 1, line, worse);
        if (oribi_kit_stops(run, patience, cost)) {
            return false;
        }
    }
    return true;
}

static bool top_k_run(oribi_kit_run *run, size_t width, worse_than worse)
{
    oribi_cpu_shape shape;
    int64_t k = 0;
    TF_Tensor *scratch = NULL;
    if (!oribi_cpu_input_shape(run, 0, &shape) || !oribi_cpu_read_int(run, 1, "k", &k)) {
        return false;
    }
    if (shape.n == 0 || k < 0 || k > shape.at[shape.n - 1]) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "k = %lld must lie between 0 and the last dimension of %s",
                              (long long)k, oribi_cpu_shape_text(&shape).chars);
    }
    int64_t n = shape.at[shape.n - 1];
    shape.at[shape.n - 1] = k;
    int64_t total = oribi_cpu_product(shape.at, shape.n);
    TF_DataType index_type = TF_ExpectedOutputDataType(run->context, 1);
    char *values = oribi_kit_output(run, 0, shape.at, shape.n);
    char *indices = values == NULL ? NULL : oribi_kit_output(run, 1, shape.at, shape.n);
    int64_t *heap =
        indices == NULL ? NULL : oribi_kit_scratch(run, (k + 1) * (int64_t)sizeof *heap, &scratch);
    const char *line = TF_TensorData(run->in[0]);
    bool good = heap != NULL;
    for (int64_t done = 0, patience = 0; good && done < total;
         done += k, line += (size_t)n * width) {
        good = best_of(run, &patience, line, n, k, heap, worse);
        if (!good) {
            break;
        }
        for (int64_t i = 0; i < k; i++) {
            memcpy(values + (size_t)(done + i) * width, line + (size_t)heap[i] * width, width);
            put_index(indices, index_type, done + i, heap[i]);
        }
    }
    TF_DeleteTensor(scratch);
    return good;
}

/* Among equal elements the later one is worse. */
#define TOP_K(T)                                                                                   \
    static bool worse_##T(const void *line, int64_t a, int64_t b)                                  \
    {                                                                                              \
        const T *x = line;                                                                         \
        return x[a] < x[b] || (!(x[b] < x[a]) && a > b);                                           \
    }                                                                                              \
    static bool top_k_##T##_run(const void *state, oribi_kit_run *run)                             \
    {                                                                                              \
        (void)state;                                                                               \
        return top_k_run(run, sizeof(T), worse_##T);                                               \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(top_k_##T, 2)

#define ALL(T, A) ARG(arg_max, T, v > top) ARG(arg_min, T, v < top) CUMSUM(T, A) TOP_K(T)
ALL(float, float)
ALL(double, double)
ALL(int8_t, uint64_t)
ALL(int16_t, uint64_t)
ALL(int32_t, uint64_t)
ALL(int64_t, uint64_t)
ALL(uint8_t, uint64_t)
ALL(uint16_t, uint64_t)
ALL(uint32_t, uint64_t)
ALL(uint64_t, uint64_t)
ARG(arg_max, bool, v && !top)
ARG(arg_min, bool, !v && top)

#define WHY                   "plain loops along an axis"
#define ROW(op, T, dtype, fn) ORIBI_CPU_ROW(op, fn##_##T, WHY, ORIBI_CPU_OF(dtype)),
#define ROWS(T, dtype)                                                                             \
    ROW("ArgMax", T, dtype, arg_max)                                                               \
    ROW("ArgMin", T, dtype, arg_min)                                                               \
    ORIBI_CPU_STATE_ROW("Cumsum", cumsum, cumsum_##T, WHY, ORIBI_CPU_OF(dtype)),                   \
        ORIBI_CPU_STATE_ROW("Cumprod", cumsum, cumprod_##T, WHY, ORIBI_CPU_OF(dtype)),             \
        ROW("TopKV2", T, dtype, top_k)
/* clang-format off */
const oribi_cpu_kernel oribi_cpu_index_kernels[] = {
    ORIBI_CPU_NUMBERS(ROWS)
    ROW("ArgMax", bool, TF_BOOL, arg_max)
    ROW("ArgMin", bool, TF_BOOL, arg_min)
    {.op_name = NULL},
};
/* clang-format on */
