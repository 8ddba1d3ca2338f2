/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>Unique: the numbers of slices (of elements, when the tensor is taken as flat) are sorted by
 * what the slices hold, equal ones by their number; runs of equal ones are the groups.
 */
#include "cpu/base/families.h"
#include "cpu/base/numbers.h"
#include "cpu/base/walk.h"

#include <string.h>

typedef struct unique_state {
    bool sorted, flat;
    int64_t axis;
} unique_state;

typedef struct unique_work {
    const void *x;
    int64_t n, outer, inner; /* slices; a slice is [outer][inner] of x [outer][n][inner] */
    int64_t *order, *other;  /* n each: sorted numbers, room for a merge */
    int64_t *group;          /* n: of each slice */
    int64_t *firsts;         /* order or other, once the groups are known */
    int64_t n_groups;
} unique_work;

typedef int (*compare)(const unique_work *work, int64_t a, int64_t b);

/* NaNs are equal, and greater than numbers. */
#define COMPARE(T, dtype)                                                                          \
    static int compare_##T(const unique_work *work, int64_t a, int64_t b)                          \
    {                                                                                              \
        const T *x = work->x;                                                                      \
        for (int64_t o = 0; o < work->outer; o++, x += work->n * work->inner) {                    \
            for (int64_t i = 0; i < work->inner; i++) {                                            \
                const T p = x[a * work->inner + i], q = x[b * work->inner + i];                    \
                if (p < q || (q != q && p == p)) {                                                 \
                    return -1;                                                                     \
                }                                                                                  \
                if (p > q || (p != p && q == q)) {                                                 \
                    return 1;                                                                      \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return 0;                                                                                  \
    }
ORIBI_CPU_NUMBERS(COMPARE)
COMPARE(bool, TF_BOOL)

/* A stable merge sort; false: the run stops. */
static bool sort(oribi_kit_run *run, unique_work *work, compare before, int64_t *patience)
{
    const int64_t cost = work->outer * work->inner + 10;
    for (int64_t i = 0; i < work->n; i++) {
        work->order[i] = i;
    }
    for (int64_t half = 1; half < work->n; half *= 2) {
        for (int64_t start = 0; start < work->n; start += 2 * half) {
            int64_t a = start, middle = start + half < work->n ? start + half : work->n;
            int64_t b = middle, end = middle + half < work->n ? middle + half : work->n;
            for (int64_t to = start; to < end; to++) {
                const bool takes_a =
                    a < middle && (b == end || before(work, work->order[a], work->order[b]) <= 0);
                work->other[to] = takes_a ? work->order[a++] : work->order[b++];
                if (oribi_kit_stops(run, patience, cost)) {
                    return false;
                }
            }
        }
        int64_t *swap = work->order;
        work->order = work->other;
        work->other = swap;
    }
    return true;
}

/* Runs of equal slices become groups: firsts[g] is the first slice of group g. */
static bool find_groups(oribi_kit_run *run, unique_work *work, compare before, int64_t *patience)
{
    work->n_groups = 0;
    work->firsts = work->other;
    for (int64_t i = 0; i < work->n; i++) {
        const int64_t slice = work->order[i];
        if (i == 0 || before(work, work->order[i - 1], slice) != 0) {
            work->firsts[work->n_groups++] = slice;
        }
        work->group[slice] = work->n_groups - 1;
        if (oribi_kit_stops(run, patience, work->outer * work->inner + 10)) {
            return false;
        }
    }
    return true;
}

/* Groups in the order of their first slices. Whatever the slices hold by now, each number stays
 * within its array. */
static void by_first(unique_work *work)
{
    int64_t *at = work->order, *renumbered = work->other, n_seen = 0;
    for (int64_t i = 0; i < work->n; i++) {
        at[i] = -1;
    }
    for (int64_t g = 0; g < work->n_groups; g++) {
        at[work->firsts[g]] = g;
    }
    for (int64_t i = 0; i < work->n; i++) {
        if (at[i] >= 0) {
            renumbered[at[i]] = n_seen;
            at[n_seen++] = i; /* a place that was looked at before, or this one */
        }
    }
    for (int64_t i = 0; i < work->n; i++) {
        work->group[i] = renumbered[work->group[i]];
    }
    work->firsts = work->order;
}

static bool give_slices(oribi_kit_run *run, const unique_work *work, const oribi_cpu_shape *shape,
                        size_t width, int64_t *patience)
{
    char *y = oribi_kit_output(run, 0, shape->at, shape->n);
    const size_t bytes = (size_t)work->inner * width;
    const bool is_empty = y == NULL || bytes == 0 || work->n_groups == 0;
    for (int64_t o = 0; !is_empty && o < work->outer; o++) {
        for (int64_t g = 0; g < work->n_groups; g++, y += bytes) {
            memcpy(y, (const char *)work->x + (size_t)(o * work->n + work->firsts[g]) * bytes,
                   bytes);
            if (oribi_kit_stops(run, patience, (int64_t)bytes / 8 + 10)) {
                return false;
            }
        }
    }
    if (y != NULL) {
        oribi_kit_output_done(run);
    }
    return y != NULL;
}

/* The other three outputs. */
static bool give_numbers(oribi_kit_run *run, const unique_work *work)
{
    int64_t *first = oribi_kit_output(run, 1, &work->n_groups, 1);
    int64_t *inverse = first == NULL ? NULL : oribi_kit_output(run, 2, &work->n, 1);
    int64_t *counts = inverse == NULL ? NULL : oribi_kit_output(run, 3, &work->n_groups, 1);
    if (counts == NULL) {
        return false;
    }
    for (int64_t g = 0; g < work->n_groups; g++) {
        first[g] = work->firsts[g];
        counts[g] = 0;
    }
    for (int64_t i = 0; i < work->n; i++) {
        inverse[i] = work->group[i];
        counts[work->group[i]]++;
    }
    return true;
}

static bool unique_open(oribi_kit_run *run, const unique_state *state, oribi_cpu_shape *shape,
                        int *axis, unique_work *work)
{
    if (!oribi_cpu_input_shape(run, 0, shape)) {
        return false;
    }
    if (state->flat) {
        *shape = (oribi_cpu_shape){1, {oribi_cpu_product(shape->at, shape->n)}};
    }
    if (!oribi_cpu_axis(run, state->flat ? 0 : state->axis, shape->n, axis)) {
        return false;
    }
    *work = (unique_work){.x = TF_TensorData(run->in[0]),
                          .n = shape->at[*axis],
                          .outer = oribi_cpu_product(shape->at, *axis),
                          .inner = oribi_cpu_product(shape->at + *axis + 1, shape->n - *axis - 1)};
    if (work->inner == 0) { /* then there may be 2^62 times nothing to compare */
        work->outer = 0;
    }
    return true;
}

static bool unique_run(const unique_state *state, oribi_kit_run *run, compare before)
{
    oribi_cpu_shape shape;
    unique_work work;
    TF_Tensor *scratch = NULL;
    int axis = 0;
    int64_t patience = 0, bytes = 0;
    const size_t width = TF_DataTypeSize(TF_TensorType(run->in[0]));
    if (!unique_open(run, state, &shape, &axis, &work) ||
        !oribi_cpu_count(run, (const int64_t[]){work.n, 3, sizeof(int64_t)}, 3, &bytes)) {
        return false;
    }
    work.order = oribi_kit_scratch(run, bytes + 1, &scratch);
    if (work.order == NULL) {
        return false;
    }
    work.other = work.order + work.n;
    work.group = work.other + work.n;
    bool good = sort(run, &work, before, &patience) && find_groups(run, &work, before, &patience);
    if (good && !state->sorted) {
        by_first(&work);
    }
    shape.at[axis] = work.n_groups;
    good = good && give_slices(run, &work, &shape, width, &patience) && give_numbers(run, &work);
    TF_DeleteTensor(scratch);
    return good;
}

static void unique_read(oribi_kit_setup *setup, unique_state *state)
{
    oribi_kit_attr_bool(setup, "sorted", &state->sorted);
    oribi_kit_attr_bool(setup, "flat", &state->flat);
    oribi_kit_attr_int(setup, "axis", &state->axis);
}
ORIBI_KIT_CREATE(unique, unique_state)

#define COMPUTE(T, dtype)                                                                          \
    static bool unique_##T##_run(const void *state, oribi_kit_run *run)                            \
    {                                                                                              \
        return unique_run(state, run, compare_##T);                                                \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(unique_##T, 1)
ORIBI_CPU_NUMBERS(COMPUTE)
COMPUTE(bool, TF_BOOL)

#define ROW(T, dtype)                                                                              \
    ORIBI_CPU_STATE_ROW("ONNX>Unique", unique, unique_##T, "a merge sort of numbers of slices",    \
                        ORIBI_CPU_OF(dtype)),
/* clang-format off */
const oribi_cpu_kernel oribi_cpu_unique_kernels[] = {
    ORIBI_CPU_NUMBERS(ROW)
    ROW(bool, TF_BOOL)
    {.op_name = NULL},
};
/* clang-format on */
