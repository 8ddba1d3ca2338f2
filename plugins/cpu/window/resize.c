/* SPDX-License-Identifier: Apache-2.0 */
/* ResizeNearestNeighbor, ONNX>Resize. Every way of resizing here is separable:
 * along each axis an output coordinate is a weighted sum of a few input coordinates
 * (micro/resize_taps_prepare.h), and the axes are resized one after the other. Sums are rounded as
 * micro/resize_f32.c rounds them. ONNX's attributes: resize_onnx.c.
 */
#include "micro/float_rules.h"

#include "cpu/window/resize.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/base/families.h"
#include "cpu/base/numbers.h"

/* One axis of x [outer, n_in, inner] to y [outer, n_out, inner]. */
typedef struct axis_work {
    const int32_t *places; /* n_out times n_taps; the first is -1 where all lies outside */
    const float *weights;
    const void *x, *filler; /* filler: one element, for what lies outside */
    void *y;
    int64_t n_taps, n_in, n_out, inner;
    size_t width;
} axis_work;

static void nearest_lines(void *object, int64_t begin, int64_t end)
{
    const axis_work *work = object;
    const size_t bytes = (size_t)work->inner * work->width;
    int64_t outer = begin / work->n_out, i = begin % work->n_out;
    for (int64_t unit = begin; unit < end; unit++) {
        char *y = (char *)work->y + (size_t)unit * bytes;
        if (work->places[i] >= 0) {
            const int64_t from = outer * work->n_in + work->places[i];
            memcpy(y, (const char *)work->x + (size_t)from * bytes, bytes);
        }
        for (size_t k = 0; work->places[i] < 0 && k < bytes; k += work->width) {
            memcpy(y + k, work->filler, work->width);
        }
        outer += i + 1 == work->n_out ? 1 : 0;
        i = i + 1 == work->n_out ? 0 : i + 1;
    }
}

/* The sums begin with the first tap, each line with all elements: two taps are the usual case. */
#define WEIGHTED(T)                                                                                \
    static void line_##T(const axis_work *work, const T *x, int64_t i, T *y)                       \
    {                                                                                              \
        const int32_t *places = work->places + i * work->n_taps;                                   \
        const float *weights = work->weights + i * work->n_taps;                                   \
        const int64_t n = work->inner;                                                             \
        if (places[0] < 0) {                                                                       \
            for (int64_t k = 0; k < n; k++) {                                                      \
                y[k] = *(const T *)work->filler;                                                   \
            }                                                                                      \
        } else if (work->n_taps == 2) {                                                            \
            const T *a = x + places[0] * n, *b = x + places[1] * n;                                \
            const T u = (T)weights[0], v = (T)weights[1];                                          \
            for (int64_t k = 0; k < n; k++) {                                                      \
                const T sum = 0 + u * a[k];                                                        \
                y[k] = sum + v * b[k];                                                             \
            }                                                                                      \
        } else {                                                                                   \
            for (int64_t k = 0; k < n; k++) {                                                      \
                T sum = 0;                                                                         \
                for (int64_t tap = 0; tap < work->n_taps; tap++) {                                 \
                    sum += (T)weights[tap] * x[places[tap] * n + k];                               \
                }                                                                                  \
                y[k] = sum;                                                                        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void lines_##T(void *object, int64_t begin, int64_t end)                                \
    {                                                                                              \
        const axis_work *work = object;                                                            \
        int64_t outer = begin / work->n_out, i = begin % work->n_out;                              \
        for (int64_t unit = begin; unit < end; unit++) {                                           \
            line_##T(work, (const T *)work->x + outer * work->n_in * work->inner, i,               \
                     (T *)work->y + unit * work->inner);                                           \
            outer += i + 1 == work->n_out ? 1 : 0;                                                 \
            i = i + 1 == work->n_out ? 0 : i + 1;                                                  \
        }                                                                                          \
    }
WEIGHTED(float)
WEIGHTED(double)

/* Numbers of other types are weighed as floats: the way there, and back, where a value that the
 * type cannot hold becomes the nearest that it can. */
typedef struct cast_work {
    const void *x;
    void *y;
} cast_work;

static const float most_float = __builtin_inff(), least_float = -__builtin_inff();
static const double most_double = __builtin_inf(), least_double = -__builtin_inf();
static const int8_t most_int8_t = INT8_MAX, least_int8_t = INT8_MIN;
static const int16_t most_int16_t = INT16_MAX, least_int16_t = INT16_MIN;
static const int32_t most_int32_t = INT32_MAX, least_int32_t = INT32_MIN;
static const int64_t most_int64_t = INT64_MAX, least_int64_t = INT64_MIN;
static const uint8_t most_uint8_t = UINT8_MAX, least_uint8_t = 0;
static const uint16_t most_uint16_t = UINT16_MAX, least_uint16_t = 0;
static const uint32_t most_uint32_t = UINT32_MAX, least_uint32_t = 0;
static const uint64_t most_uint64_t = UINT64_MAX, least_uint64_t = 0;

#define CASTS(T, dtype)                                                                            \
    static void widen_##T(void *object, int64_t begin, int64_t end)                                \
    {                                                                                              \
        const cast_work *work = object;                                                            \
        for (int64_t i = begin; i < end; i++) {                                                    \
            ((float *)work->y)[i] = (float)((const T *)work->x)[i];                                \
        }                                                                                          \
    }                                                                                              \
    static void narrow_##T(void *object, int64_t begin, int64_t end)                               \
    {                                                                                              \
        const cast_work *work = object;                                                            \
        const T high = most_##T, low = least_##T;                                                  \
        for (int64_t i = begin; i < end; i++) {                                                    \
            const float v = ((const float *)work->x)[i];                                           \
            ((T *)work->y)[i] = v >= (float)high  ? high                                           \
                                : v <= (float)low ? low                                            \
                                : v == v          ? (T)v                                           \
                                                  : 0;                                                      \
        }                                                                                          \
    }
ORIBI_CPU_NUMBERS(CASTS)

static oribi_kit_range cast_of(TF_DataType dtype, bool narrows)
{
    switch (dtype) {
#define CASE(T, type)                                                                              \
    case type:                                                                                     \
        return narrows ? narrow_##T : widen_##T;
        ORIBI_CPU_NUMBERS(CASE)
#undef CASE
    default:
        return NULL;
    }
}

/* Memory of a call beside input and output. */
typedef struct resize_memory {
    TF_Tensor *turns[2], *taps; /* turns: results between two axes */
    int turn;
} resize_memory;

/* One axis from `from`; the result lies in `to` or, where that is NULL, in scratch. */
static void *resize_axis(oribi_kit_run *run, const oribi_cpu_resize_plan *plan, int axis,
                         oribi_cpu_shape *now, axis_work *work, void *to, oribi_kit_range lines,
                         resize_memory *memory)
{
    const struct oribi_micro_resize_axis *a = &plan->axes[axis];
    int64_t elements = 0, bytes = 0, tap_bytes = 0;
    work->n_taps = oribi_micro_resize_taps(&plan->rule, a);
    work->n_in = now->at[axis];
    now->at[axis] = work->n_out = plan->out.at[axis];
    work->inner = oribi_cpu_product(now->at + axis + 1, now->n - axis - 1);
    const int64_t room[] = {work->n_out, work->n_taps, (int64_t)(sizeof(int32_t) + sizeof(float))};
    if (!oribi_cpu_count(run, room, 3, &tap_bytes) ||
        !oribi_cpu_count(run, now->at, now->n, &elements) ||
        __builtin_mul_overflow(elements, (int64_t)work->width, &bytes)) {
        return NULL;
    }
    int32_t *places = oribi_kit_scratch(run, tap_bytes, &memory->taps);
    if (to == NULL && places != NULL) {
        TF_Tensor **turn = &memory->turns[memory->turn];
        TF_DeleteTensor(*turn);
        *turn = NULL;
        to = oribi_kit_scratch(run, bytes, turn);
        memory->turn = 1 - memory->turn;
    }
    if (places != NULL && to != NULL) {
        float *weights = (float *)(void *)(places + work->n_out * work->n_taps);
        int64_t patience = 0;
        for (int64_t i = 0; i < a->out && !oribi_kit_stops(run, &patience, 20 + work->n_taps);
             i++) {
            int32_t *place = places + i * work->n_taps;
            if (oribi_micro_resize_tap(&plan->rule, a, i, place, weights + i * work->n_taps) == 0) {
                place[0] = -1;
            }
        }
        work->places = places;
        work->weights = weights;
        work->y = to;
        oribi_kit_parallel(run, elements / work->inner, work->inner * work->n_taps + 10, work,
                           lines);
    }
    TF_DeleteTensor(memory->taps);
    memory->taps = NULL;
    return oribi_kit_is_ok(run) ? to : NULL;
}

/* Axis after axis, from the last to the first. */
static bool resize_axes(oribi_kit_run *run, const oribi_cpu_resize_plan *plan, const void *x,
                        void *y, const axis_work *kind, oribi_kit_range lines,
                        resize_memory *memory)
{
    oribi_cpu_shape now = plan->in;
    axis_work work = *kind;
    int left = __builtin_popcount(plan->resized);
    work.x = x;
    for (int axis = plan->in.n - 1; axis >= 0 && work.x != NULL; axis--) {
        if ((plan->resized >> axis & 1U) != 0) {
            left--;
            work.x = resize_axis(run, plan, axis, &now, &work, left == 0 ? y : NULL, lines, memory);
        }
    }
    return work.x != NULL;
}

/* Through floats, for numbers of another type. */
static bool resize_as_floats(oribi_kit_run *run, const oribi_cpu_resize_plan *plan, const void *x,
                             void *y, TF_DataType dtype, resize_memory *memory)
{
    const float outside = (float)plan->outside;
    const axis_work kind = {.filler = &outside, .width = sizeof(float)};
    const int64_t n_in = oribi_cpu_product(plan->in.at, plan->in.n);
    const int64_t n_out = oribi_cpu_product(plan->out.at, plan->out.n);
    TF_Tensor *wide = NULL, *result = NULL;
    float *in = oribi_kit_scratch(run, n_in * (int64_t)sizeof(float), &wide);
    float *out =
        in == NULL ? NULL : oribi_kit_scratch(run, n_out * (int64_t)sizeof(float), &result);
    bool good = out != NULL;
    if (good) {
        cast_work work = {x, in};
        oribi_kit_parallel(run, n_in, 2, &work, cast_of(dtype, false));
        good = resize_axes(run, plan, in, out, &kind, lines_float, memory);
    }
    if (good) {
        cast_work work = {out, y};
        oribi_kit_parallel(run, n_out, 4, &work, cast_of(dtype, true));
    }
    TF_DeleteTensor(wide);
    TF_DeleteTensor(result);
    return good;
}

bool oribi_cpu_resize(oribi_kit_run *run, const oribi_cpu_resize_plan *plan, const void *x,
                      TF_DataType dtype)
{
    const bool is_nearest = plan->rule.mode == ORIBI_MICRO_RESIZE_NEAREST;
    const size_t width = oribi_cpu_width(run, dtype);
    uint64_t filler = 0; /* an element of any width */
    resize_memory memory = {.turn = 0};
    bool good;
    if (width == 0 || (!is_nearest && cast_of(dtype, true) == NULL)) {
        return oribi_kit_is_ok(run)
                   ? oribi_kit_fail(run, TF_UNIMPLEMENTED,
                                    "elements of type %d have no weighted sums", (int)dtype)
                   : false;
    }
    if (plan->resized == 0) {
        return oribi_kit_output_alias(run, 0, plan->out.at, plan->out.n);
    }
    void *y = oribi_kit_output(run, 0, plan->out.at, plan->out.n);
    if (y == NULL || oribi_cpu_product(plan->out.at, plan->out.n) == 0) {
        return y != NULL;
    }
    if (dtype == TF_DOUBLE) {
        memcpy(&filler, &plan->outside, sizeof plan->outside);
    } else if (cast_of(dtype, true) != NULL && width <= sizeof filler) {
        const float outside = (float)plan->outside;
        cast_work work = {&outside, &filler};
        cast_of(dtype, true)(&work, 0, 1);
    }
    const axis_work kind = {.filler = &filler, .width = width};
    if (is_nearest) {
        good = resize_axes(run, plan, x, y, &kind, nearest_lines, &memory);
    } else if (dtype == TF_FLOAT || dtype == TF_DOUBLE) {
        good = resize_axes(run, plan, x, y, &kind, dtype == TF_FLOAT ? lines_float : lines_double,
                           &memory);
    } else {
        good = resize_as_floats(run, plan, x, y, dtype, &memory);
    }
    TF_DeleteTensor(memory.turns[0]);
    TF_DeleteTensor(memory.turns[1]);
    return good;
}

typedef struct image_state {
    bool align_corners, half_pixel_centers;
} image_state;

static void image_read(oribi_kit_setup *setup, image_state *state)
{
    oribi_kit_attr_bool(setup, "align_corners", &state->align_corners);
    oribi_kit_attr_bool(setup, "half_pixel_centers", &state->half_pixel_centers);
    if (state->align_corners && state->half_pixel_centers) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "If half_pixel_centers is True, align_corners must be "
                                   "False.");
    }
}
ORIBI_KIT_CREATE(image, image_state)

static bool image_plan(oribi_kit_run *run, const image_state *state, oribi_cpu_resize_plan *plan)
{
    int64_t size[2], count = 0;
    int n = 0;
    if (!oribi_cpu_input_shape(run, 0, &plan->in) ||
        !oribi_kit_read_ints(run, run->in[1], "size", size, 2, &n)) {
        return false;
    }
    if (plan->in.n != 4 || n != 2 || size[0] <= 0 || size[1] <= 0 || size[0] > INT32_MAX ||
        size[1] > INT32_MAX || plan->in.at[1] <= 0 || plan->in.at[2] <= 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "images %s must have rank 4 and a size; the new size needs two "
                              "positive integers",
                              oribi_cpu_shape_text(&plan->in).chars);
    }
    plan->out = plan->in;
    for (int k = 0; k < 2; k++) {
        plan->out.at[1 + k] = size[k];
        plan->axes[1 + k] =
            (struct oribi_micro_resize_axis){.in = plan->in.at[1 + k], .out = size[k]};
        plan->resized |= size[k] != plan->in.at[1 + k] ? 2U << k : 0;
    }
    plan->rule.coordinates = state->align_corners        ? ORIBI_MICRO_RESIZE_TF_CORNERS
                             : state->half_pixel_centers ? ORIBI_MICRO_RESIZE_TF_HALF
                                                         : ORIBI_MICRO_RESIZE_TF_PLAIN;
    return oribi_cpu_count(run, plan->out.at, 4, &count);
}

static bool nearest_run(const image_state *state, oribi_kit_run *run)
{
    oribi_cpu_resize_plan plan = {.rule.mode = ORIBI_MICRO_RESIZE_NEAREST};
    return image_plan(run, state, &plan) &&
           oribi_cpu_resize(run, &plan, TF_TensorData(run->in[0]), TF_TensorType(run->in[0]));
}
ORIBI_KIT_COMPUTE(nearest, 2)

const oribi_cpu_kernel oribi_cpu_resize_kernels[] = {
    ORIBI_CPU_STATE_ROW("ResizeNearestNeighbor", image, nearest, "axis by axis, by element width"),
    ORIBI_CPU_STATE_ROW("ONNX>Resize", oribi_cpu_resize_onnx, oribi_cpu_resize_onnx,
                        "axis by axis"),
    {.op_name = NULL},
};
