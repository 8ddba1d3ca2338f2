/* SPDX-License-Identifier: Apache-2.0 */
/* Choices by a condition: SelectV2, Select, Where. */
#include "cpu/base/families.h"
#include "cpu/base/moved.h"

#include <string.h>

typedef struct select_work {
    const oribi_cpu_walk *walk;
    const bool *condition;
    const char *yes, *no;
    char *target;
    size_t width;
} select_work;

#define SELECT(T)                                                                                  \
    for (int64_t i = 0; i < count; i++) {                                                          \
        ((T *)target)[i] = c[i * sc] ? ((const T *)yes)[i * sy] : ((const T *)no)[i * sn];         \
    }                                                                                              \
    break

static void select_line(void *object, const oribi_cpu_walk *walk, const int64_t *offsets,
                        int64_t at, int64_t count)
{
    const select_work *work = object;
    int last = walk->rank - 1;
    int64_t width = (int64_t)work->width;
    int64_t sc = walk->axes[last].strides[0], sy = walk->axes[last].strides[1],
            sn = walk->axes[last].strides[2];
    const bool *c = work->condition + offsets[0];
    const char *yes = work->yes + offsets[1] * width, *no = work->no + offsets[2] * width;
    char *target = work->target + at * width;
    switch (width) {
    case 1:
        SELECT(uint8_t);
    case 2:
        SELECT(uint16_t);
    case 4:
        SELECT(uint32_t);
    case 8:
        SELECT(uint64_t);
    default:
        for (int64_t i = 0; i < count; i++) {
            memcpy(target + i * width, c[i * sc] ? yes + i * sy * width : no + i * sn * width,
                   work->width);
        }
    }
}

static void select_block(void *object, int64_t begin, int64_t end)
{
    const select_work *work = object;
    oribi_cpu_walk_run(work->walk, begin, end, object, select_line);
}

static bool choose(oribi_kit_run *run, const oribi_cpu_shape *const *operands,
                   const oribi_cpu_shape *out)
{
    oribi_cpu_walk walk;
    int64_t count = 0;
    select_work work = {.walk = &walk,
                        .condition = TF_TensorData(run->in[0]),
                        .yes = TF_TensorData(run->in[1]),
                        .no = TF_TensorData(run->in[2]),
                        .width = oribi_cpu_moved_width(run, TF_TensorType(run->in[1]))};
    if (work.width == 0 || !oribi_cpu_count(run, out->at, out->n, &count)) {
        return false;
    }
    work.target = oribi_cpu_moved_output(run, 0, out->at, out->n);
    if (work.target != NULL && count > 0) {
        oribi_geometry_walk_broadcast(&walk, out, operands, 3);
        oribi_geometry_walk_collapse(&walk);
        oribi_kit_parallel(run, count, 2, &work, select_block);
    }
    return work.target != NULL;
}

static bool select_v2_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape c, yes, no, both, out;
    const oribi_cpu_shape *operands[] = {&c, &yes, &no};
    (void)state;
    return oribi_cpu_input_shape(run, 0, &c) && oribi_cpu_input_shape(run, 1, &yes) &&
           oribi_cpu_input_shape(run, 2, &no) && oribi_cpu_broadcast(run, &yes, &no, &both) &&
           oribi_cpu_broadcast(run, &c, &both, &out) && choose(run, operands, &out);
}
ORIBI_CPU_MOVE_COMPUTE(select_v2, 3)

/* The old rule: a condition of the operands' shape, a scalar, or one value per row. */
static bool select_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape c, yes, no;
    const oribi_cpu_shape *operands[] = {&c, &yes, &no};
    (void)state;
    if (!oribi_cpu_input_shape(run, 0, &c) || !oribi_cpu_input_shape(run, 1, &yes) ||
        !oribi_cpu_input_shape(run, 2, &no)) {
        return false;
    }
    bool by_row = c.n == 1 && yes.n > 1 && c.at[0] == yes.at[0];
    if (!oribi_cpu_shape_equal(&yes, &no) ||
        !(by_row || c.n == 0 || oribi_cpu_shape_equal(&c, &yes))) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "a condition of %s cannot choose between %s and %s",
                              oribi_cpu_shape_text(&c).chars, oribi_cpu_shape_text(&yes).chars,
                              oribi_cpu_shape_text(&no).chars);
    }
    for (; by_row && c.n < yes.n; c.n++) {
        c.at[c.n] = 1;
    }
    return choose(run, operands, &yes);
}
ORIBI_CPU_MOVE_COMPUTE(select, 3)

/* Is element i anything but zero? -0.0 is zero, NaN is not. */
static bool is_set(TF_DataType dtype, const void *data, int64_t i, size_t width)
{
    static const char zero[16];
    if (dtype == TF_FLOAT) {
        return ((const float *)data)[i] != 0;
    }
    if (dtype == TF_DOUBLE) {
        return ((const double *)data)[i] != 0;
    }
    if (dtype == TF_HALF || dtype == TF_BFLOAT16) {
        return (((const uint16_t *)data)[i] & 0x7fff) != 0;
    }
    return memcmp((const char *)data + (size_t)i * width, zero, width) != 0;
}

enum { LOOK_AFTER = 65536 }; /* elements */

static bool where_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    TF_DataType dtype = TF_TensorType(run->in[0]);
    size_t width = oribi_cpu_width(run, dtype);
    const void *data = TF_TensorData(run->in[0]);
    (void)state;
    if (width == 0 || width > 16 || !oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    int64_t count = oribi_cpu_product(shape.at, shape.n), dims[2] = {0, shape.n}, patience = 0;
    for (int64_t i = 0; i < count; i++) {
        dims[0] += is_set(dtype, data, i, width) ? 1 : 0;
        if (i % LOOK_AFTER == 0 && oribi_kit_stops(run, &patience, 4 * LOOK_AFTER)) {
            return false;
        }
    }
    int64_t *target = oribi_kit_output(run, 0, dims, 2), left = dims[0];
    for (int64_t i = 0; target != NULL && i < count && left > 0; i++) {
        if (i % LOOK_AFTER == 0 && oribi_kit_stops(run, &patience, 4 * LOOK_AFTER)) {
            return false;
        }
        if (is_set(dtype, data, i, width)) {
            int64_t rest = i;
            for (int d = shape.n - 1; d >= 0; d--) {
                target[d] = rest % shape.at[d];
                rest /= shape.at[d];
            }
            target += shape.n;
            left--;
        }
    }
    if (left > 0 && target != NULL) {
        return oribi_cpu_index_changed(run); /* another writer took elements away meanwhile */
    }
    return target != NULL;
}
ORIBI_KIT_COMPUTE(where, 1)

const oribi_cpu_kernel oribi_cpu_select_kernels[] = {
    ORIBI_CPU_ROW("SelectV2", select_v2, "by element width"),
    ORIBI_CPU_ROW("Select", select, "by element width"),
    ORIBI_CPU_ROW("Where", where, "by element width"),
    {.op_name = NULL},
};
