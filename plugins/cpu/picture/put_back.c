/* SPDX-License-Identifier: Apache-2.0 */
/* What puts elements back into a larger picture: ONNX>Col2Im adds up columns, ONNX>MaxUnpool
 * scatters what a pool took, ONNX>CenterCropPad cuts or surrounds with zeros. Plain loops.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/base/optional.h"
#include "cpu/base/numbers.h"
#include "cpu/base/walk.h"

#include <string.h>

/* --- Col2Im ---------------------------------------------------------------------------------- */

typedef struct col_state {
    oribi_dims strides, dilations, pads;
} col_state;

static void read_dims(oribi_kit_setup *setup, const char *name, int most, oribi_dims *out)
{
    int count = 0;
    oribi_kit_attr_ints(setup, name, out->at, most, &count);
    out->n = count;
}

static void col_read(oribi_kit_setup *setup, col_state *state)
{
    read_dims(setup, "strides", ORIBI_MAX_RANK, &state->strides);
    read_dims(setup, "dilations", ORIBI_MAX_RANK, &state->dilations);
    read_dims(setup, "pads", ORIBI_MAX_RANK, &state->pads);
}
ORIBI_KIT_CREATE(col, col_state)

typedef struct axis_list {
    oribi_geometry_window axes[ORIBI_MAX_RANK / 2];
    int n;
} axis_list;

typedef struct col_call {
    const void *x;
    void *y;
    axis_list space;
    int64_t image, taps, columns; /* elements of an image, of a block, places of the block */
} col_call;

/* The column that puts tap `tap` on element `at`, and -1 where none does. */
static int64_t column_of(const axis_list *space, int64_t at, int64_t tap)
{
    int64_t column = 0, unit = 1;
    for (int k = space->n - 1; k >= 0; k--) {
        const oribi_geometry_window *w = &space->axes[k];
        const int64_t from = at % w->in + w->before - tap % w->taps * w->dilation;
        if (from < 0 || from % w->stride != 0 || from / w->stride >= w->out) {
            return -1;
        }
        column += from / w->stride * unit;
        unit *= w->out;
        at /= w->in;
        tap /= w->taps;
    }
    return column;
}

#define COL(T, A)                                                                                  \
    static void col_##T##_elements(void *object, int64_t begin, int64_t end)                       \
    {                                                                                              \
        const col_call *c = object;                                                                \
        for (int64_t at = begin; at < end; at++) {                                                 \
            const T *x = (const T *)c->x + at / c->image * c->taps * c->columns;                   \
            A sum = 0;                                                                             \
            for (int64_t tap = 0; tap < c->taps; tap++) {                                          \
                const int64_t column = column_of(&c->space, at % c->image, tap);                   \
                sum = (A)(sum + (column < 0 ? 0 : (A)x[tap * c->columns + column]));               \
            }                                                                                      \
            ((T *)c->y)[at] = (T)sum;                                                              \
        }                                                                                          \
    }                                                                                              \
    static bool col_##T##_run(const void *state, oribi_kit_run *run)                               \
    {                                                                                              \
        return put_columns(state, run, col_##T##_elements);                                        \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(col_##T, 3)

static bool check_list(oribi_kit_run *run, const char *name, const oribi_dims *list, int n)
{
    return list->n == 0 || list->n == n ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s has %d values, expected %d", name,
                          (int)list->n, n);
}

static bool take_space(oribi_kit_run *run, const col_state *state, col_call *c,
                       oribi_cpu_shape *image)
{
    oribi_cpu_shape block;
    if (!oribi_cpu_read_shape(run, 1, "image_shape", image) ||
        !oribi_cpu_read_shape(run, 2, "block_shape", &block)) {
        return false;
    }
    c->space.n = image->n;
    if (image->n < 1 || image->n > ORIBI_MAX_RANK / 2 || block.n != image->n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "image_shape %s and block_shape %s must have equally many dims, 1 to "
                              "%d",
                              oribi_cpu_shape_text(image).chars, oribi_cpu_shape_text(&block).chars,
                              ORIBI_MAX_RANK / 2);
    }
    if (!check_list(run, "strides", &state->strides, image->n) ||
        !check_list(run, "dilations", &state->dilations, image->n) ||
        !check_list(run, "pads", &state->pads, 2 * image->n)) {
        return false;
    }
    oribi_dims columns = {.n = 0};
    for (int k = 0; k < image->n; k++) {
        const bool has_pads = state->pads.n > 0;
        c->space.axes[k] =
            (oribi_geometry_window){.in = image->at[k],
                                    .taps = block.at[k],
                                    .stride = state->strides.n > 0 ? state->strides.at[k] : 1,
                                    .dilation = state->dilations.n > 0 ? state->dilations.at[k] : 1,
                                    .padding = ORIBI_GEOMETRY_EXPLICIT,
                                    .before = has_pads ? state->pads.at[k] : 0,
                                    .after = has_pads ? state->pads.at[k + image->n] : 0};
        if (!oribi_cpu_slide(run, "a dimension of the image", &c->space.axes[k])) {
            return false;
        }
        (void)oribi_dims_add(&columns, c->space.axes[k].out);
    }
    return oribi_cpu_count(run, image->at, image->n, &c->image) &&
           oribi_cpu_count(run, block.at, block.n, &c->taps) &&
           oribi_cpu_count(run, columns.at, columns.n, &c->columns);
}

static bool put_columns(const col_state *state, oribi_kit_run *run, oribi_kit_range loop)
{
    oribi_cpu_shape x, image, out = {.n = 0};
    col_call c = {.x = TF_TensorData(run->in[0])};
    int64_t count = 0;
    if (!oribi_cpu_input_shape(run, 0, &x) || !take_space(run, state, &c, &image)) {
        return false;
    }
    if (x.n != 3 || c.taps == 0 || x.at[1] % c.taps != 0 || x.at[2] != c.columns) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "input %s must be [n, channels * %lld, %lld]: a block has so many "
                              "elements and an image so many places for it",
                              oribi_cpu_shape_text(&x).chars, (long long)c.taps,
                              (long long)c.columns);
    }
    (void)oribi_dims_add(&out, x.at[0]);
    (void)oribi_dims_add(&out, x.at[1] / c.taps);
    for (int k = 0; k < image.n; k++) {
        (void)oribi_dims_add(&out, image.at[k]);
    }
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    c.y = oribi_kit_output(run, 0, out.at, out.n);
    if (c.y != NULL && count > 0) {
        oribi_kit_parallel(run, count, c.taps * 10 * image.n, &c, loop);
    }
    return c.y != NULL;
}
COL(float, double)
COL(double, double)
COL(int8_t, uint64_t)
COL(int16_t, uint64_t)
COL(int32_t, uint64_t)
COL(int64_t, uint64_t)
COL(uint8_t, uint64_t)
COL(uint16_t, uint64_t)
COL(uint32_t, uint64_t)
COL(uint64_t, uint64_t)

/* --- MaxUnpool ------------------------------------------------------------------------------- */

typedef struct unpool_state {
    int input[3]; /* X, I, output_shape */
    oribi_dims kernel, strides, pads;
} unpool_state;

static void unpool_read(oribi_kit_setup *setup, unpool_state *state)
{
    read_dims(setup, "kernel_shape", ORIBI_MAX_RANK, &state->kernel);
    read_dims(setup, "strides", ORIBI_MAX_RANK, &state->strides);
    read_dims(setup, "pads", ORIBI_MAX_RANK, &state->pads);
    oribi_cpu_read_present(setup, 3, 2, state->input);
}
ORIBI_KIT_CREATE(unpool, unpool_state)

/* The shape that the pool had as its input, as far as its attributes tell. */
static bool pooled_shape(oribi_kit_run *run, const unpool_state *state, oribi_cpu_shape *out)
{
    const int n = state->kernel.n;
    if (out->n != n + 2 || !check_list(run, "strides", &state->strides, n) ||
        !check_list(run, "pads", &state->pads, 2 * n)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "input %s does not fit a kernel of %d dims, its strides and pads",
                              oribi_cpu_shape_text(out).chars, n);
    }
    for (int k = 0; k < n; k++) {
        int64_t stride = state->strides.n > 0 ? state->strides.at[k] : 1, size = 0;
        int64_t pads = state->pads.n > 0 ? state->pads.at[k] : 0;
        bool bad = state->pads.n > 0 && __builtin_add_overflow(pads, state->pads.at[k + n], &pads);
        bad = bad || __builtin_mul_overflow(out->at[2 + k] - 1, stride, &size) ||
              __builtin_sub_overflow(size, pads, &size) ||
              __builtin_add_overflow(size, state->kernel.at[k], &size);
        if (bad || size < 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "kernel, stride and pads leave no size for dimension %d of %s",
                                  k + 2, oribi_cpu_shape_text(out).chars);
        }
        out->at[2 + k] = size;
    }
    return true;
}

/* The place in `out` of element `index` of a tensor of shape `in`; -1: outside. */
static int64_t moved(const oribi_cpu_shape *in, const oribi_cpu_shape *out, int64_t index)
{
    int64_t place = 0, unit = 1;
    for (int k = in->n - 1; k >= 0; k--) {
        const int64_t at = index % in->at[k];
        if (at >= out->at[k]) {
            return -1;
        }
        place += at * unit;
        unit *= out->at[k];
        index /= in->at[k];
    }
    return place;
}

static bool unpool(oribi_kit_run *run, const unpool_state *state)
{
    oribi_cpu_shape x, pooled, out;
    int64_t total = 0, count = 0, patience = 0;
    const size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_check_type(run, 1, "indices", TF_INT64) ||
        !oribi_cpu_input_shape(run, 0, &x)) {
        return false;
    }
    pooled = x;
    if (!pooled_shape(run, state, &pooled)) {
        return false;
    }
    out = pooled;
    if (state->input[2] >= 0 && !oribi_cpu_read_shape(run, state->input[2], "output_shape", &out)) {
        return false;
    }
    const int64_t n = TF_TensorElementCount(run->in[0]);
    if (out.n != pooled.n || TF_TensorElementCount(run->in[1]) != n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "%lld indices and an output %s do not fit an input %s",
                              (long long)TF_TensorElementCount(run->in[1]),
                              oribi_cpu_shape_text(&out).chars, oribi_cpu_shape_text(&x).chars);
    }
    if (!oribi_cpu_count(run, pooled.at, pooled.n, &total) ||
        !oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    const int64_t *indices = TF_TensorData(run->in[1]);
    const char *from = TF_TensorData(run->in[0]);
    char *to = oribi_kit_output(run, 0, out.at, out.n);
    if (to == NULL || count == 0 || oribi_kit_stops(run, &patience, count)) {
        return to != NULL && count == 0;
    }
    memset(to, 0, (size_t)count * width);
    for (int64_t i = 0; i < n; i++) {
        const int64_t index = indices[i];
        if (index < 0 || index >= total) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "index %lld is outside the %lld elements that the pool had",
                                  (long long)index, (long long)total);
        }
        const int64_t place = moved(&pooled, &out, index);
        if (place >= 0) {
            memcpy(to + (size_t)place * width, from + (size_t)i * width, width);
        }
        if (oribi_kit_stops(run, &patience, 40)) {
            return false;
        }
    }
    return true;
}

static void unpool_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    const int n = TF_NumInputs(context);
    if (oribi_kit_begin(&run, context, n > 3 ? 3 : n)) {
        (void)unpool(&run, state);
    }
    oribi_kit_end(&run);
}

/* --- CenterCropPad --------------------------------------------------------------------------- */

typedef struct crop_state {
    oribi_dims axes;
} crop_state;

static void crop_read(oribi_kit_setup *setup, crop_state *state)
{
    read_dims(setup, "axes", ORIBI_MAX_RANK, &state->axes);
}
ORIBI_KIT_CREATE(crop, crop_state)

typedef struct crop_call {
    const char *x;
    char *y;
    oribi_cpu_shape in, out;
    oribi_dims first; /* where element 0 of the output lies in the input, perhaps before it */
    size_t width;
} crop_call;

/* Lines of the output along its last dim. */
static void crop_lines(void *object, int64_t begin, int64_t end)
{
    const crop_call *c = object;
    const int last = c->out.n - 1;
    const int64_t length = c->out.at[last], first = c->first.at[last], have = c->in.at[last];
    const int64_t from = first < 0 ? -first : 0;
    const int64_t to = have - first < length ? have - first : length;
    for (int64_t line = begin; line < end; line++) {
        int64_t rest = line, place = 0, unit = 1;
        bool inside = to > from;
        for (int k = last - 1; k >= 0; k--) {
            const int64_t at = rest % c->out.at[k] + c->first.at[k];
            inside = inside && at >= 0 && at < c->in.at[k];
            place += at * unit;
            unit *= c->in.at[k];
            rest /= c->out.at[k];
        }
        char *y = c->y + (size_t)(line * length) * c->width;
        memset(y, 0, (size_t)length * c->width);
        if (inside) {
            memcpy(y + (size_t)from * c->width,
                   c->x + (size_t)(place * have + first + from) * c->width,
                   (size_t)(to - from) * c->width);
        }
    }
}

static bool crop_run(const crop_state *state, oribi_kit_run *run)
{
    crop_call c = {.x = TF_TensorData(run->in[0]),
                   .width = oribi_cpu_width(run, TF_TensorType(run->in[0]))};
    oribi_cpu_shape shape;
    int64_t count = 0;
    if (c.width == 0 || !oribi_cpu_input_shape(run, 0, &c.in) ||
        !oribi_cpu_read_shape(run, 1, "shape", &shape)) {
        return false;
    }
    c.out = c.in;
    (void)oribi_dims_fill(&c.first, c.in.n, 0);
    if (shape.n != (state->axes.n > 0 ? state->axes.n : c.in.n)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "shape %s does not fit the axes of %s",
                              oribi_cpu_shape_text(&shape).chars,
                              oribi_cpu_shape_text(&c.in).chars);
    }
    for (int i = 0; i < shape.n; i++) {
        int axis = 0;
        if (!oribi_cpu_axis(run, state->axes.n > 0 ? state->axes.at[i] : i, c.in.n, &axis)) {
            return false;
        }
        const int64_t have = c.in.at[axis], want = shape.at[i];
        c.out.at[axis] = want;
        c.first.at[axis] = want < have ? (have - want) / 2 : -((want - have) / 2);
    }
    if (!oribi_cpu_count(run, c.out.at, c.out.n, &count)) {
        return false;
    }
    if (c.out.n == 0) {
        return oribi_kit_output_alias(run, 0, c.out.at, 0);
    }
    c.y = oribi_kit_output(run, 0, c.out.at, c.out.n);
    if (c.y != NULL && count > 0) {
        const int64_t length = c.out.at[c.out.n - 1];
        oribi_kit_parallel(run, count / length, length + 20, &c, crop_lines);
    }
    return c.y != NULL;
}
ORIBI_KIT_COMPUTE(crop, 2)

#define COL_ROW(T, dtype)                                                                          \
    ORIBI_CPU_STATE_ROW("ONNX>Col2Im", col, col_##T, "plain loops", ORIBI_CPU_OF(dtype)),
const oribi_cpu_kernel oribi_cpu_put_back_kernels[] = {
    ORIBI_CPU_NUMBERS(COL_ROW){.op_name = "ONNX>MaxUnpool",
                               .priority = ORIBI_CPU_REFERENCE,
                               .create = unpool_create,
                               .compute = unpool_compute,
                               .destroy = oribi_kit_free,
                               .why = "plain loops, by element width"},
    ORIBI_CPU_STATE_ROW("ONNX>CenterCropPad", crop, crop, "line by line, by element width"),
    {.op_name = NULL},
};
