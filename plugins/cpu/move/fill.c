/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that make a tensor out of next to nothing: Fill, ZerosLike, OnesLike, Range, OneHot.
 * Elements are made once and repeated by width.
 */
#include "cpu/base/families.h"
#include "cpu/base/moved.h"

#include <math.h>
#include <string.h>

/* count copies of one element; false when the run stops before. */
static bool repeat(oribi_kit_run *run, char *target, const void *element, size_t width,
                   int64_t count)
{
    if (count <= 0) {
        return true;
    }
    size_t total = (size_t)count * width, done = width;
    int64_t patience = 0;
    memcpy(target, element, width);
    while (done < total) { /* doubling: each copy is as long as all before it, up to a page */
        size_t part = done < 4096 ? done : 4096 / width * width;
        part = part < total - done ? part : total - done;
        if (oribi_kit_stops(run, &patience, (int64_t)part)) {
            return false;
        }
        memcpy(target + done, target, part);
        done += part;
    }
    return true;
}

static bool fill_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    int64_t count = 0;
    size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[1]));
    (void)state;
    if (width == 0 || !oribi_cpu_read_shape(run, 0, "dims", &shape) ||
        !oribi_cpu_count(run, shape.at, shape.n, &count)) {
        return false;
    }
    if (TF_TensorElementCount(run->in[1]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "value must be a scalar");
    }
    void *target = oribi_cpu_moved_output(run, 0, shape.at, shape.n);
    return target != NULL && repeat(run, target, TF_TensorData(run->in[1]), width, count);
}
ORIBI_CPU_MOVE_COMPUTE(fill, 2)

static bool like(oribi_kit_run *run, const void *element)
{
    oribi_cpu_shape shape;
    size_t width = oribi_cpu_moved_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    void *target = oribi_cpu_moved_output(run, 0, shape.at, shape.n);
    return target != NULL &&
           repeat(run, target, element, width, oribi_cpu_product(shape.at, shape.n));
}

static bool zeros_like_run(const void *state, oribi_kit_run *run)
{
    static const char zero[sizeof(TF_TString)];
    (void)state;
    return like(run, zero);
}
ORIBI_CPU_MOVE_COMPUTE(zeros_like, 1)

static bool ones_like_run(const void *state, oribi_kit_run *run)
{
    const float f = 1;
    const double d = 1;
    const float complex64[2] = {1, 0};
    const double complex128[2] = {1, 0};
    const uint16_t half = 0x3c00, bfloat16 = 0x3f80;
    const uint64_t integer = 1; /* little endian: its first bytes are 1 in every width */
    (void)state;
    if (oribi_cpu_width(run, TF_TensorType(run->in[0])) == 0) {
        return false; /* texts have no one */
    }
    switch (TF_TensorType(run->in[0])) {
    case TF_FLOAT:
        return like(run, &f);
    case TF_DOUBLE:
        return like(run, &d);
    case TF_HALF:
        return like(run, &half);
    case TF_BFLOAT16:
        return like(run, &bfloat16);
    case TF_COMPLEX64:
        return like(run, complex64);
    case TF_COMPLEX128:
        return like(run, complex128);
    default:
        return like(run, &integer);
    }
}
ORIBI_KIT_COMPUTE(ones_like, 1)

/* Range: the count is found in double for floats, in 128 bits for integers. */
static bool range_dims(oribi_kit_run *run, bool is_zero, bool is_backwards, double count)
{
    for (int i = 0; i < 3; i++) {
        if (TF_TensorElementCount(run->in[i]) != 1) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "start, limit and delta must be scalars, not %lld elements",
                                  (long long)TF_TensorElementCount(run->in[i]));
        }
    }
    if (is_zero) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "Requires delta != 0");
    }
    if (is_backwards) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Requires start <= limit when delta > 0, start >= limit when delta < "
                              "0");
    }
    if (!(count < 9e18)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Requires ((limit - start) / delta) <= "
                              "2^63");
    }
    return true;
}

/* distance / step, rounded up; the sum of both may not fit. */
static uint64_t steps(uint64_t distance, uint64_t step)
{
    return distance / step + (distance % step != 0);
}

#define RANGE(T, wide)                                                                             \
    static bool range_##T##_run(const void *state, oribi_kit_run *run)                             \
    {                                                                                              \
        (void)state;                                                                               \
        for (int i = 0; i < 3; i++) {                                                              \
            if (TF_TensorElementCount(run->in[i]) != 1) {                                          \
                return range_dims(run, false, false, 0);                                           \
            }                                                                                      \
        }                                                                                          \
        wide start = *(const T *)TF_TensorData(run->in[0]);                                        \
        wide limit = *(const T *)TF_TensorData(run->in[1]);                                        \
        wide delta = *(const T *)TF_TensorData(run->in[2]);                                        \
        double span = ((double)limit - (double)start) / (double)(delta == 0 ? 1 : delta);          \
        if (!range_dims(run, delta == 0, delta > 0 ? start > limit : start < limit, span)) {       \
            return false;                                                                          \
        }                                                                                          \
        int64_t count = (int64_t)COUNT_##wide(start, limit, delta);                                \
        T *target = oribi_kit_output(run, 0, &count, 1);                                           \
        for (int64_t i = 0, patience = 0; target != NULL && i < count;) {                          \
            int64_t end = count - i < 65536 ? count : i + 65536;                                   \
            if (oribi_kit_stops(run, &patience, 4 * 65536)) {                                      \
                return false;                                                                      \
            }                                                                                      \
            for (; i < end; i++) {                                                                 \
                target[i] = (T)start;                                                              \
                start = ADD_##wide(start, delta);                                                  \
            }                                                                                      \
        }                                                                                          \
        return target != NULL;                                                                     \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(range_##T, 3)
#define COUNT_int64_t(a, b, d)                                                                     \
    ((d) > 0 ? steps((uint64_t)(b) - (uint64_t)(a), (uint64_t)(d))                                 \
             : steps((uint64_t)(a) - (uint64_t)(b), 0 - (uint64_t)(d)))
#define COUNT_uint64_t(a, b, d) steps((b) - (a), d)
#define COUNT_double(a, b, d)   ceil(fabs(((b) - (a)) / (d)))
#define COUNT_float(a, b, d)    COUNT_double((double)(a), (double)(b), (double)(d))
#define ADD_int64_t(a, d)       (int64_t)((uint64_t)(a) + (uint64_t)(d))
#define ADD_uint64_t(a, d)      ((a) + (d))
#define ADD_double(a, d)        ((a) + (d))
#define ADD_float(a, d)         ((a) + (d))
RANGE(int8_t, int64_t)
RANGE(int16_t, int64_t)
RANGE(int32_t, int64_t)
RANGE(int64_t, int64_t)
RANGE(uint16_t, uint64_t)
RANGE(uint32_t, uint64_t)
RANGE(float, float)
RANGE(double, double)

typedef struct one_hot_state {
    int64_t axis;
} one_hot_state;

static void one_hot_read(oribi_kit_setup *setup, one_hot_state *state)
{
    oribi_kit_attr_int(setup, "axis", &state->axis);
}
ORIBI_KIT_CREATE(one_hot, one_hot_state)

/* Negative indices count from the end where they wrap; what is outside leaves its line off. */
static bool one_hot(oribi_kit_run *run, int64_t axis_attr, const void *on, const void *off,
                    TF_DataType dtype, bool wraps)
{
    oribi_cpu_shape in, out;
    int64_t depth = 0, count = 0, patience = 0;
    int axis = 0;
    size_t width = oribi_cpu_width(run, dtype);
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &in) ||
        !oribi_cpu_read_int(run, 1, "depth", &depth)) {
        return false;
    }
    if (in.n >= ORIBI_MAX_RANK || depth < 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "depth %lld must be at least 0",
                              (long long)depth);
    }
    if (!oribi_cpu_axis(run, axis_attr, in.n + 1, &axis)) {
        return false;
    }
    out.n = in.n + 1;
    for (int i = 0; i < out.n; i++) {
        out.at[i] = i == axis ? depth : in.at[i < axis ? i : i - 1];
    }
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    char *target = oribi_kit_output(run, 0, out.at, out.n);
    if (target == NULL || count == 0) {
        return target != NULL;
    }
    if (!repeat(run, target, off, width, count)) {
        return false;
    }
    const void *indices = TF_TensorData(run->in[0]);
    const TF_DataType index_type = TF_TensorType(run->in[0]);
    int64_t inner = oribi_cpu_product(out.at + axis + 1, out.n - axis - 1);
    int64_t n = oribi_cpu_product(in.at, in.n);
    for (int64_t i = 0; i < n; i++) {
        int64_t hot = oribi_kit_int_at(indices, index_type, i);
        hot += hot < 0 && wraps ? depth : 0;
        if (hot >= 0 && hot < depth) {
            int64_t at = (i / inner * depth + hot) * inner + i % inner;
            memcpy(target + (size_t)at * width, on, width);
        }
        if (oribi_kit_stops(run, &patience, 0)) {
            return false;
        }
    }
    return true;
}

static bool one_hot_run(const one_hot_state *state, oribi_kit_run *run)
{
    if (TF_TensorElementCount(run->in[2]) != 1 || TF_TensorElementCount(run->in[3]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "on_value and off_value must be scalars");
    }
    return one_hot(run, state->axis, TF_TensorData(run->in[2]), TF_TensorData(run->in[3]),
                   TF_TensorType(run->in[2]), false);
}
ORIBI_KIT_COMPUTE(one_hot, 4)

/* The values are [off, on]. */
static bool onnx_one_hot_run(const one_hot_state *state, oribi_kit_run *run)
{
    const TF_DataType dtype = TF_TensorType(run->in[2]);
    const char *values = TF_TensorData(run->in[2]);
    if (TF_TensorElementCount(run->in[2]) != 2) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "values must be two: off and on");
    }
    return one_hot(run, state->axis, values + TF_DataTypeSize(dtype), values, dtype, true);
}
ORIBI_KIT_COMPUTE(onnx_one_hot, 3)

#define RANGE_ROW(T, dtype)                                                                        \
    ORIBI_CPU_ROW("Range", range_##T, "plain loop", .types = {{"Tidx", ORIBI_KIT_TYPE(dtype)}})
const oribi_cpu_kernel oribi_cpu_fill_kernels[] = {
    ORIBI_CPU_ROW("Fill", fill, "by element width"),
    ORIBI_CPU_ROW("ZerosLike", zeros_like, "by element width"),
    ORIBI_CPU_ROW("OnesLike", ones_like, "by element width"),
    ORIBI_CPU_STATE_ROW("OneHot", one_hot, one_hot, "by element width"),
    ORIBI_CPU_STATE_ROW("ONNX>OneHot", one_hot, onnx_one_hot, "by element width"),
    RANGE_ROW(int8_t, TF_INT8),
    RANGE_ROW(int16_t, TF_INT16),
    RANGE_ROW(int32_t, TF_INT32),
    RANGE_ROW(int64_t, TF_INT64),
    RANGE_ROW(uint16_t, TF_UINT16),
    RANGE_ROW(uint32_t, TF_UINT32),
    RANGE_ROW(float, TF_FLOAT),
    RANGE_ROW(double, TF_DOUBLE),
    {.op_name = NULL},
};
