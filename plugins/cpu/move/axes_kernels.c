/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>Slice, ONNX>Pad, ONNX>Squeeze and ONNX>Unsqueeze: axes that only a run knows. Those of
 * constant axes are TensorFlow's ops: slice.c, pad_kernels.c, cpu_view.c.
 */
#include "cpu/base/families.h"
#include "cpu/base/walk.h"

#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_slice.h"

#include <string.h>

/* Axes from input `index` among `rank`, in their order; each is named once. */
static bool read_axes(oribi_kit_run *run, int index, int rank, oribi_dims *out,
                      oribi_geometry_axes *marked)
{
    *marked = (oribi_geometry_axes){{0}};
    if (!oribi_cpu_read_dims(run, index, "axes", out)) {
        return false;
    }
    for (int i = 0; i < out->n; i++) {
        int axis = 0;
        if (!oribi_cpu_axis(run, out->at[i], rank, &axis)) {
            return false;
        }
        if (!oribi_geometry_add_axis(marked, axis)) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "axis %d specified more than once.",
                                  axis);
        }
        out->at[i] = axis;
    }
    return true;
}

/* --- Views ------------------------------------------------------------------------------------ */

static bool squeeze_axes_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape in, out = {0};
    oribi_dims axes;
    oribi_geometry_axes gone;
    (void)state;
    if (!oribi_cpu_input_shape(run, 0, &in) || !read_axes(run, 1, in.n, &axes, &gone)) {
        return false;
    }
    for (int i = 0; i < in.n; i++) {
        if (!oribi_geometry_has_axis(&gone, i)) {
            (void)oribi_dims_add(&out, in.at[i]); /* fewer than `in` has */
        } else if (in.at[i] != 1) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "Can not squeeze dim[%d], expected a dimension of 1, got %lld", i,
                                  (long long)in.at[i]);
        }
    }
    return oribi_kit_output_alias(run, 0, out.at, out.n);
}
ORIBI_KIT_COMPUTE(squeeze_axes, 2)

static bool unsqueeze_axes_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape in, out = {0};
    oribi_dims axes;
    oribi_geometry_axes new;
    (void)state;
    if (!oribi_cpu_input_shape(run, 0, &in)) {
        return false;
    }
    const int64_t count = TF_TensorElementCount(run->in[1]);
    const int rank = count <= ORIBI_MAX_RANK ? in.n + (int)count : ORIBI_MAX_RANK + 1;
    if (rank > ORIBI_MAX_RANK) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED,
                              "%lld axes more than %d; at most %d are "
                              "supported",
                              (long long)count, in.n, ORIBI_MAX_RANK);
    }
    if (!read_axes(run, 1, rank, &axes, &new)) {
        return false;
    }
    for (int i = 0, from = 0; i < in.n + axes.n; i++) {
        (void)oribi_dims_add(&out, oribi_geometry_has_axis(&new, i) ? 1 : in.at[from++]);
    }
    return oribi_kit_output_alias(run, 0, out.at, out.n);
}
ORIBI_KIT_COMPUTE(unsqueeze_axes, 2)

/* --- Slice ------------------------------------------------------------------------------------ */

static bool slice_axes_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape in, out;
    oribi_cpu_walk walk;
    oribi_dims starts, ends, axes, steps, strides, by;
    oribi_geometry_axes marked;
    int64_t start = 0;
    (void)state;
    if (!oribi_cpu_input_shape(run, 0, &in) || !oribi_cpu_read_dims(run, 1, "starts", &starts) ||
        !oribi_cpu_read_dims(run, 2, "ends", &ends) || !read_axes(run, 3, in.n, &axes, &marked) ||
        !oribi_cpu_read_dims(run, 4, "steps", &steps)) {
        return false;
    }
    if (ends.n != starts.n || axes.n != starts.n || steps.n != starts.n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "%d starts, %d ends, %d axes and %d steps: they must be as many",
                              starts.n, ends.n, axes.n, steps.n);
    }
    oribi_cpu_strides(&in, &strides);
    by = strides;
    out = in;
    for (int i = 0; i < axes.n; i++) {
        const int64_t axis = axes.at[i], step = steps.at[i];
        int64_t first = 0, count = 0;
        if (!oribi_geometry_slice_axis(in.at[axis], starts.at[i], ends.at[i], step, &first,
                                       &count)) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "steps[%d] must be non-zero", i);
        }
        start += first * strides.at[axis];
        out.at[axis] = count;
        by.at[axis] = count > 1 ? strides.at[axis] * step : 0; /* within the dimension then */
    }
    oribi_geometry_walk_open(&walk, 1);
    for (int i = 0; i < in.n; i++) {
        if (!oribi_cpu_walk_add(run, &walk, out.at[i], by.at[i])) {
            return false;
        }
    }
    const size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    void *target = width == 0 ? NULL : oribi_kit_output(run, 0, out.at, out.n);
    oribi_geometry_walk_close(&walk);
    if (target != NULL && walk.count > 0) {
        const char *source = TF_TensorData(run->in[0]);
        oribi_cpu_walk_copy(run, &walk, source + start * (int64_t)width, target, width);
    }
    return target != NULL;
}
ORIBI_KIT_COMPUTE(slice_axes, 5)

/* --- Pad -------------------------------------------------------------------------------------- */

typedef enum pad_mode { FILLED, REFLECTED, REPEATED, WRAPPED } pad_mode;

typedef struct pad_axes_state {
    pad_mode mode;
} pad_axes_state;

static void pad_axes_read(oribi_kit_setup *setup, pad_axes_state *state)
{
    static const char *const words[] = {"constant", "reflect", "edge", "wrap"};
    char mode[16] = "constant";
    oribi_kit_attr_string(setup, "mode", mode, sizeof mode);
    for (int i = 0; i < 4; i++) {
        state->mode = strcmp(mode, words[i]) == 0 ? (pad_mode)i : state->mode;
    }
}
ORIBI_KIT_CREATE(pad_axes, pad_axes_state)

typedef struct pad_axes_work {
    pad_mode mode;
    size_t width;
    const char *source;
    char *target;
    unsigned char value[16];
    oribi_cpu_shape in, out;
    oribi_dims strides;
    oribi_dims before;      /* what is added in front; below 0 cut off */
    oribi_dims first, kept; /* what the cuts leave of the input */
} pad_axes_work;

/* at, from -inf to inf, as one of [0, size): there and back again, or around. */
static int64_t folded(int64_t at, int64_t size, bool mirrors)
{
    const int64_t period = mirrors ? 2 * (size - 1) : size;
    int64_t place = period > 0 ? at % period : 0;
    place += place < 0 ? period : 0;
    return place < size ? place : period - place;
}

/* The input's coordinate for one of the output along axis d; -1: filling. */
static int64_t origin(const pad_axes_work *w, int d, int64_t at)
{
    const int64_t size = w->kept.at[d];
    const int64_t place = at - (w->before.at[d] > 0 ? w->before.at[d] : 0);
    if (place >= 0 && place < size) {
        return w->first.at[d] + place;
    }
    switch (w->mode) {
    case FILLED:
        return -1;
    case REPEATED:
        return w->first.at[d] + (place < 0 ? 0 : size - 1);
    default:
        return w->first.at[d] + folded(place, size, w->mode == REFLECTED);
    }
}

static void pad_axes_lines(void *object, int64_t begin, int64_t end)
{
    const pad_axes_work *w = object;
    const int last = w->out.n - 1;
    const int64_t columns = w->out.at[last];
    for (int64_t unit = begin; unit < end; unit++) {
        char *to = w->target + (size_t)(unit * columns) * w->width;
        int64_t rest = unit, offset = 0;
        for (int d = last - 1; d >= 0 && offset >= 0; d--) {
            const int64_t at = origin(w, d, rest % w->out.at[d]);
            rest /= w->out.at[d];
            offset = at < 0 ? -1 : offset + at * w->strides.at[d];
        }
        for (int64_t i = 0; i < columns; i++) {
            const int64_t at = offset < 0 ? -1 : origin(w, last, i);
            memcpy(to + (size_t)i * w->width,
                   at < 0 ? (const char *)w->value : w->source + (size_t)(offset + at) * w->width,
                   w->width);
        }
    }
}

/* Axis d gets `before` and `after`; those below 0 are cut off first. */
static bool measure_axis(oribi_kit_run *run, pad_axes_work *w, int d, int64_t before, int64_t after)
{
    const int64_t dim = w->in.at[d], most = INT64_MAX / 4;
    const bool fits = before > -most && before < most && after > -most && after < most;
    const int64_t first = fits && before < 0 ? -before : 0;
    const int64_t kept = dim - first + (fits && after < 0 ? after : 0);
    const int64_t size = fits ? dim + before + after : -1;
    const bool is_empty = kept <= 0 && w->mode != FILLED && size > 0;
    if (!fits || size < 0 || is_empty) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "pads of %lld and %lld leave nothing of a dimension of %lld",
                              (long long)before, (long long)after, (long long)dim);
    }
    w->before.at[d] = before;
    w->first.at[d] = first;
    w->kept.at[d] = kept > 0 ? kept : 0;
    w->out.at[d] = size;
    return true;
}

static bool measure(oribi_kit_run *run, pad_axes_work *w)
{
    oribi_dims axes;
    oribi_geometry_axes marked;
    const TF_Tensor *pads = run->in[1];
    if (!oribi_cpu_input_shape(run, 0, &w->in) || !read_axes(run, 3, w->in.n, &axes, &marked)) {
        return false;
    }
    if (TF_NumDims(pads) != 1 || TF_Dim(pads, 0) != 2 * (int64_t)axes.n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "there must be two pads for each of %d axes", axes.n);
    }
    w->out = w->kept = w->in;
    w->before = w->first = w->in;
    memset(w->before.at, 0, sizeof w->before.at);
    memset(w->first.at, 0, sizeof w->first.at);
    for (int i = 0; i < axes.n; i++) {
        const void *data = TF_TensorData(pads);
        const TF_DataType type = TF_TensorType(pads);
        if (!measure_axis(run, w, (int)axes.at[i], oribi_kit_int_at(data, type, i),
                          oribi_kit_int_at(data, type, i + axes.n))) {
            return false;
        }
    }
    return true;
}

static bool pad_axes_run(const pad_axes_state *state, oribi_kit_run *run)
{
    pad_axes_work w = {.mode = state->mode,
                       .width = oribi_cpu_width(run, TF_TensorType(run->in[0]))};
    int64_t count = 0;
    if (w.width == 0 || w.width > sizeof w.value || !measure(run, &w) ||
        !oribi_cpu_count(run, w.out.at, w.out.n, &count)) {
        return false;
    }
    if (TF_TensorElementCount(run->in[2]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "value must be a scalar");
    }
    memcpy(w.value, TF_TensorData(run->in[2]), w.width);
    if (w.out.n == 0) {
        return oribi_kit_output_alias(run, 0, NULL, 0);
    }
    w.source = TF_TensorData(run->in[0]);
    w.target = oribi_kit_output(run, 0, w.out.at, w.out.n);
    if (w.target != NULL && count > 0) {
        const int64_t columns = w.out.at[w.out.n - 1];
        oribi_cpu_strides(&w.in, &w.strides);
        oribi_kit_parallel(run, count / columns, columns * 8 + 20, &w, pad_axes_lines);
    }
    return w.target != NULL;
}
ORIBI_KIT_COMPUTE(pad_axes, 4)

const oribi_cpu_kernel oribi_cpu_axes_kernels[] = {
    ORIBI_CPU_ROW("ONNX>Squeeze", squeeze_axes, "aliases its input"),
    ORIBI_CPU_ROW("ONNX>Unsqueeze", unsqueeze_axes, "aliases its input"),
    ORIBI_CPU_ROW("ONNX>Slice", slice_axes, "strided copy by element width"),
    ORIBI_CPU_STATE_ROW("ONNX>Pad", pad_axes, pad_axes, "element by element"),
    {.op_name = NULL},
};
