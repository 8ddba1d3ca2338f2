/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that share a segment meet: UnsortedSegmentSum, -Prod, -Max, -Min, and SegmentSum, whose
 * numbers of segments do not fall. Rows go one after the other, in their order.
 */
#include "cpu/base/families.h"
#include "cpu/base/numbers.h"
#include "cpu/move/indices.h"

#include <float.h>
#include <string.h>

#define FIRST(T, dtype, lowest, highest)                                                           \
    case dtype: {                                                                                  \
        const T first = meeting == ORIBI_CPU_MAXIMUM    ? lowest                                   \
                        : meeting == ORIBI_CPU_MINIMUM  ? highest                                  \
                        : meeting == ORIBI_CPU_MULTIPLY ? (T)1                                     \
                                                        : (T)0;                                    \
        memcpy(out, &first, sizeof first);                                                         \
        break;                                                                                     \
    }

/* The element with which a segment begins, in the first bytes of out. */
static void first_of(TF_DataType dtype, oribi_cpu_meeting meeting, void *out)
{
    switch (dtype) {
        FIRST(float, TF_FLOAT, -FLT_MAX, FLT_MAX)
        FIRST(double, TF_DOUBLE, -DBL_MAX, DBL_MAX)
        FIRST(int8_t, TF_INT8, INT8_MIN, INT8_MAX)
        FIRST(int16_t, TF_INT16, INT16_MIN, INT16_MAX)
        FIRST(int32_t, TF_INT32, INT32_MIN, INT32_MAX)
        FIRST(int64_t, TF_INT64, INT64_MIN, INT64_MAX)
        FIRST(uint8_t, TF_UINT8, 0, UINT8_MAX)
        FIRST(uint16_t, TF_UINT16, 0, UINT16_MAX)
        FIRST(uint32_t, TF_UINT32, 0, UINT32_MAX)
        FIRST(uint64_t, TF_UINT64, 0, UINT64_MAX)
    default:
        memset(out, 0, sizeof(double));
    }
}

typedef struct segment_work {
    oribi_cpu_indices ids;
    int64_t rows, row, segments; /* rows of so many elements */
    TF_DataType dtype;
    size_t width;
    oribi_cpu_meeting meeting;
} segment_work;

/* The dimensions of the ids are the first of the data's. */
static bool open(oribi_kit_run *run, oribi_cpu_shape *data, oribi_cpu_shape *ids,
                 segment_work *work)
{
    if (!oribi_cpu_input_shape(run, 0, data) || !oribi_cpu_input_shape(run, 1, ids) ||
        !oribi_cpu_indices_open(run, 1, false, &work->ids) ||
        !oribi_cpu_can_meet(run, work->meeting, work->dtype)) {
        return false;
    }
    bool fits = ids->n <= data->n;
    for (int i = 0; fits && i < ids->n; i++) {
        fits = ids->at[i] == data->at[i];
    }
    if (!fits) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "data %s does not begin with the dimensions of segment_ids %s",
                              oribi_cpu_shape_text(data).chars, oribi_cpu_shape_text(ids).chars);
    }
    work->rows = oribi_cpu_product(ids->at, ids->n);
    work->row = oribi_cpu_product(data->at + ids->n, data->n - ids->n);
    return true;
}

static bool fill(oribi_kit_run *run, const segment_work *work, int64_t count, char *target,
                 int64_t *patience)
{
    char first[sizeof(double)];
    first_of(work->dtype, work->meeting, first);
    for (int64_t i = 0; i < count; i++) {
        memcpy(target + (size_t)i * work->width, first, work->width);
        if (oribi_kit_stops(run, patience, 4)) {
            return false;
        }
    }
    return true;
}

/* Rows of a number below 0 are left out. */
static bool meet_rows(oribi_kit_run *run, const segment_work *work, char *target, int64_t *patience)
{
    const char *data = TF_TensorData(run->in[0]);
    const size_t bytes = (size_t)work->row * work->width;
    for (int64_t i = 0; i < work->rows; i++) {
        const int64_t id = oribi_kit_int_at(work->ids.data, work->ids.dtype, i);
        if (id >= work->segments) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "segment_ids[%lld] is %lld; there are %lld segments",
                                  (long long)i, (long long)id, (long long)work->segments);
        }
        if (id >= 0 && bytes > 0) {
            (void)oribi_cpu_meet(work->meeting, work->dtype, target + (size_t)id * bytes,
                                 data + (size_t)i * bytes, work->row);
        }
        if (oribi_kit_stops(run, patience, work->row + 5)) {
            return false;
        }
    }
    return true;
}

static bool compute(oribi_kit_run *run, const oribi_cpu_shape *data, const oribi_cpu_shape *ids,
                    const segment_work *work)
{
    oribi_cpu_shape out = {1, {work->segments}};
    int64_t count = 0, patience = 0;
    for (int i = ids->n; i < data->n; i++) {
        if (!oribi_dims_add(&out, data->at[i])) {
            return oribi_kit_fail(run, TF_UNIMPLEMENTED, "the rank of the result is above %d",
                                  ORIBI_MAX_RANK);
        }
    }
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    char *target = oribi_kit_output(run, 0, out.at, out.n);
    return target != NULL && fill(run, work, count, target, &patience) &&
           meet_rows(run, work, target, &patience);
}

static bool unsorted(oribi_kit_run *run, oribi_cpu_meeting meeting)
{
    oribi_cpu_shape data, ids;
    const TF_DataType dtype = TF_TensorType(run->in[0]);
    segment_work work = {.dtype = dtype, .width = TF_DataTypeSize(dtype), .meeting = meeting};
    if (!open(run, &data, &ids, &work) ||
        !oribi_cpu_read_int(run, 2, "num_segments", &work.segments)) {
        return false;
    }
    return work.segments < 0 ? oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                              "num_segments is %lld; at least 0 is wanted",
                                              (long long)work.segments)
                             : compute(run, &data, &ids, &work);
}

/* The last number says how many segments there are. */
static bool segment_sum_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape data, ids;
    const TF_DataType dtype = TF_TensorType(run->in[0]);
    segment_work work = {.dtype = dtype, .width = TF_DataTypeSize(dtype), .meeting = ORIBI_CPU_ADD};
    int64_t before = 0, patience = 0;
    (void)state;
    if (!open(run, &data, &ids, &work)) {
        return false;
    }
    if (ids.n != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "segment_ids %s must be a list",
                              oribi_cpu_shape_text(&ids).chars);
    }
    for (int64_t i = 0; i < work.rows; i++) {
        const int64_t id = oribi_kit_int_at(work.ids.data, work.ids.dtype, i);
        if (id < before || id == INT64_MAX) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "segment_ids[%lld] is %lld after %lld; they must not fall",
                                  (long long)i, (long long)id, (long long)before);
        }
        before = id;
        work.segments = id + 1;
        if (oribi_kit_stops(run, &patience, 5)) {
            return false;
        }
    }
    return compute(run, &data, &ids, &work);
}
ORIBI_KIT_COMPUTE(segment_sum, 2)

#define UNSORTED(name, meeting)                                                                    \
    static bool name##_run(const void *state, oribi_kit_run *run)                                  \
    {                                                                                              \
        (void)state;                                                                               \
        return unsorted(run, meeting);                                                             \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(name, 3)
UNSORTED(sum, ORIBI_CPU_ADD)
UNSORTED(prod, ORIBI_CPU_MULTIPLY)
UNSORTED(max, ORIBI_CPU_MAXIMUM)
UNSORTED(min, ORIBI_CPU_MINIMUM)

#define ROWS(T, dtype)                                                                             \
    ORIBI_CPU_ROW("UnsortedSegmentSum", sum, "row by row", ORIBI_CPU_OF(dtype)),                   \
        ORIBI_CPU_ROW("UnsortedSegmentProd", prod, "row by row", ORIBI_CPU_OF(dtype)),             \
        ORIBI_CPU_ROW("UnsortedSegmentMax", max, "row by row", ORIBI_CPU_OF(dtype)),               \
        ORIBI_CPU_ROW("UnsortedSegmentMin", min, "row by row", ORIBI_CPU_OF(dtype)),               \
        ORIBI_CPU_ROW("SegmentSum", segment_sum, "row by row", ORIBI_CPU_OF(dtype)),
/* clang-format off */
const oribi_cpu_kernel oribi_cpu_segment_kernels[] = {
    ORIBI_CPU_NUMBERS(ROWS)
    {.op_name = NULL},
};
/* clang-format on */
