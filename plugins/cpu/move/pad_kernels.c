/* SPDX-License-Identifier: Apache-2.0 */
/* Pad, PadV2, MirrorPad: a larger box around the input, filled with a value or with reflections.
 * Works by output lines: a coordinate of the output maps to one of the input, or to the filling.
 */
#include "cpu/base/families.h"
#include "cpu/base/moved.h"

#include "micro/geometry/geometry_pad.h"

#include <string.h>

typedef struct pad_state {
    oribi_geometry_border border;
} pad_state;

static void mirror_read(oribi_kit_setup *setup, pad_state *state)
{
    char mode[16] = "";
    oribi_kit_attr_string(setup, "mode", mode, sizeof mode);
    state->border =
        strcmp(mode, "REFLECT") == 0 ? ORIBI_GEOMETRY_REFLECT : ORIBI_GEOMETRY_SYMMETRIC;
}
ORIBI_KIT_CREATE(mirror, pad_state)

typedef struct pad_work {
    oribi_geometry_border border;
    int64_t skip; /* of a mirror: 1 leaves the edge element out (REFLECT), 0 repeats it */
    size_t width;
    const char *source;
    char *target;
    unsigned char value[sizeof(TF_TString)]; /* the filling */
    oribi_cpu_shape in, out;
    oribi_dims before, strides;
} pad_work;

/* Coordinate of the input for one of the output along dim d; -1: filling. */
static int64_t map(const pad_work *work, int d, int64_t at)
{
    int64_t i = at - work->before.at[d], dim = work->in.at[d];
    if (i >= 0 && i < dim) {
        return i;
    }
    if (work->border == ORIBI_GEOMETRY_VALUE) {
        return -1;
    }
    return i < 0 ? -i - 1 + work->skip : 2 * dim - 1 - i - work->skip;
}

static void fill(const pad_work *work, char *target, int64_t count)
{
    size_t width = work->width;
    if (width == 4) {
        uint32_t value;
        memcpy(&value, work->value, sizeof value);
        for (int64_t i = 0; i < count; i++) {
            memcpy(target + 4 * i, &value, sizeof value);
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        memcpy(target + (size_t)i * width, work->value, width);
    }
}

static void line(const pad_work *work, const char *source, char *target)
{
    int last = work->out.n - 1;
    int64_t before = work->before.at[last], dim = work->in.at[last], total = work->out.at[last];
    size_t width = work->width;
    memcpy(target + (size_t)before * width, source, (size_t)dim * width);
    if (work->border == ORIBI_GEOMETRY_VALUE) {
        fill(work, target, before);
        fill(work, target + (size_t)(before + dim) * width, total - before - dim);
        return;
    }
    for (int64_t i = 0; i < total; i++) {
        i = i == before ? before + dim : i;
        if (i < total) {
            memcpy(target + (size_t)i * width, source + (size_t)map(work, last, i) * width, width);
        }
    }
}

/* Where the lines of plane `plane` of the result begin in the input; -1 where it is border. */
static int64_t plane_of(const pad_work *work, int64_t plane)
{
    int64_t offset = 0;
    for (int d = work->out.n - 3; d >= 0 && offset >= 0; d--) {
        const int64_t at = map(work, d, plane % work->out.at[d]);
        plane /= work->out.at[d];
        offset = at < 0 ? -1 : offset + at * work->strides.at[d];
    }
    return offset;
}

static void pad_lines(void *object, int64_t begin, int64_t end)
{
    const pad_work *work = object;
    const int last = work->out.n - 1;
    const int64_t rows = last > 0 ? work->out.at[last - 1] : 1; /* lines of a plane */
    const size_t bytes = (size_t)work->out.at[last] * work->width;
    for (int64_t unit = begin; unit < end;) {
        const int64_t plane = unit / rows, first = unit % rows;
        const int64_t n = end - unit < rows - first ? end - unit : rows - first;
        const int64_t start = plane_of(work, plane);
        for (int64_t i = 0; i < n; i++, unit++) {
            const int64_t row = last > 0 ? map(work, last - 1, first + i) : 0;
            char *target = work->target + (size_t)unit * bytes;
            if (start < 0 || row < 0) {
                fill(work, target, work->out.at[last]);
            } else {
                const int64_t offset = start + (last > 0 ? row * work->strides.at[last - 1] : 0);
                line(work, work->source + (size_t)offset * work->width, target);
            }
        }
    }
}

/* Element i of an integer tensor of any rank. */
static int64_t padding(const TF_Tensor *paddings, int64_t i)
{
    return oribi_kit_int_at(TF_TensorData(paddings), TF_TensorType(paddings), i);
}

static bool measure(oribi_kit_run *run, pad_work *work)
{
    const TF_Tensor *paddings = run->in[1];
    TF_DataType dtype = TF_TensorType(paddings);
    if (!oribi_cpu_input_shape(run, 0, &work->in)) {
        return false;
    }
    if (TF_NumDims(paddings) != 2 || TF_Dim(paddings, 0) != work->in.n ||
        TF_Dim(paddings, 1) != 2 || (dtype != TF_INT32 && dtype != TF_INT64)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "paddings must be an integer matrix with %d rows and 2 columns",
                              work->in.n);
    }
    work->out.n = work->before.n = work->in.n;
    for (int d = 0; d < work->in.n; d++) {
        int64_t before = padding(paddings, 2 * d), after = padding(paddings, 2 * d + 1);
        const int64_t dim = work->in.at[d];
        if (!oribi_geometry_pad(dim, before, after, work->border, &work->out.at[d])) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "paddings of dimension %d are %lld and %lld; a dimension of %lld "
                                  "takes 0 to %lld",
                                  d, (long long)before, (long long)after, (long long)dim,
                                  (long long)oribi_geometry_longest_border(dim, work->border));
        }
        work->before.at[d] = before;
    }
    return true;
}

static bool fill_value(oribi_kit_run *run, pad_work *work)
{
    if (run->n_in < 3) {
        return true;
    }
    if (TF_TensorElementCount(run->in[2]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "constant_values must be a scalar");
    }
    memcpy(work->value, TF_TensorData(run->in[2]), work->width);
    return true;
}

/* A last axis without a border becomes part of the one before: lines are longer. */
static void join_axes(pad_work *work)
{
    for (int last = work->in.n - 1; last > 0 && work->in.at[last] == work->out.at[last]; last--) {
        work->in.at[last - 1] *= work->in.at[last];
        work->out.at[last - 1] *= work->out.at[last];
        work->before.at[last - 1] *= work->out.at[last];
        work->in.n = work->out.n = work->before.n = last;
    }
}

static bool pad_run(const pad_state *state, oribi_kit_run *run)
{
    const oribi_geometry_border border = state == NULL ? ORIBI_GEOMETRY_VALUE : state->border;
    pad_work work = {.border = border,
                     .skip = border == ORIBI_GEOMETRY_REFLECT ? 1 : 0,
                     .width = oribi_cpu_moved_width(run, TF_TensorType(run->in[0]))};
    int64_t count = 0;
    if (work.width == 0 || work.width > sizeof work.value || !fill_value(run, &work) ||
        !measure(run, &work) || !oribi_cpu_count(run, work.out.at, work.out.n, &count)) {
        return false;
    }
    if (oribi_cpu_shape_equal(&work.in, &work.out)) {
        return oribi_kit_output_alias(run, 0, work.in.at, work.in.n);
    }
    work.source = TF_TensorData(run->in[0]);
    work.target = oribi_cpu_moved_output(run, 0, work.out.at, work.out.n);
    if (work.target != NULL && count > 0) {
        if (border == ORIBI_GEOMETRY_VALUE) {
            join_axes(&work);
        }
        oribi_cpu_strides(&work.in, &work.strides);
        int64_t columns = work.out.at[work.out.n - 1];
        oribi_kit_parallel(run, count / columns, columns + 20, &work, pad_lines);
    }
    return work.target != NULL;
}
ORIBI_CPU_MOVE_COMPUTE(pad, 2)

static bool pad_v2_run(const pad_state *state, oribi_kit_run *run)
{
    return pad_run(state, run);
}
ORIBI_CPU_MOVE_COMPUTE(pad_v2, 3)

const oribi_cpu_kernel oribi_cpu_pad_kernels[] = {
    ORIBI_CPU_ROW("Pad", pad, "line by line, by element width"),
    ORIBI_CPU_ROW("PadV2", pad_v2, "line by line, by element width"),
    ORIBI_CPU_STATE_ROW("MirrorPad", mirror, pad, "line by line, by element width"),
    {.op_name = NULL},
};
