/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>GridSample over one to three spatial dims, and ONNX>AffineGrid, which makes grids. A point
 * of the grid becomes a list of places and weights once for all channels. Coordinates are rounded
 * as the grid's type is, so that points halfway between two elements fall where ONNX has them.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include <math.h>
#include <string.h>

enum { SPACE = 3, MOST_TAPS = 4, BLOCK = 1024 };

typedef enum sample_mode { NEAREST, LINEAR, CUBIC } sample_mode;
typedef enum sample_padding { ZEROS, BORDER, REFLECTION } sample_padding;

typedef struct grid_state {
    sample_mode mode;
    sample_padding padding;
    bool align_corners;
} grid_state;

static void grid_read(oribi_kit_setup *setup, grid_state *state)
{
    char mode[16] = "", padding[16] = "";
    int64_t align = 0;
    oribi_kit_attr_string(setup, "mode", mode, sizeof mode);
    oribi_kit_attr_string(setup, "padding_mode", padding, sizeof padding);
    oribi_kit_attr_int(setup, "align_corners", &align);
    state->mode = strcmp(mode, "nearest") == 0    ? NEAREST
                  : strstr(mode, "cubic") != NULL ? CUBIC
                                                  : LINEAR;
    state->padding = strcmp(padding, "border") == 0       ? BORDER
                     : strcmp(padding, "reflection") == 0 ? REFLECTION
                                                          : ZEROS;
    state->align_corners = align != 0;
}
ORIBI_KIT_CREATE(grid, grid_state)

/* One call. Spatial dims line up at the end; those that the picture lacks are of one element. */
typedef struct grid_call {
    const grid_state *state;
    const void *x, *grid;
    void *y;
    int space;
    int64_t channels, size[SPACE], points; /* points: of one picture */
    int64_t taps;                          /* most of one point */
} grid_call;

/* Along one axis: where to look and how much it weighs. */
typedef struct axis_taps {
    int n;
    int64_t at[MOST_TAPS];
    double weight[MOST_TAPS];
} axis_taps;

static double reflect(double x, double low, double high)
{
    const double range = high - low;
    if (x >= low && x <= high) {
        return x;
    }
    if (!(range > 0)) {
        return low;
    }
    const double past = x < low ? low - x : x - high, turns = floor(past / range);
    const double rest = past - turns * range;
    const bool from_low = (x < low) == (fmod(turns, 2) < 1);
    return from_low ? low + rest : high - rest;
}

/* Element number, or -1: a zero. */
static int64_t place(const grid_state *state, double at, int64_t size)
{
    const double last = (double)(size - 1);
    if (at >= 0 && at <= last) {
        return (int64_t)at;
    }
    if (state->padding == REFLECTION) {
        const double low = state->align_corners ? 0 : -0.5;
        at = reflect(at, low, last - low);
    } else if (state->padding == ZEROS) {
        return -1;
    }
    return !(at > 0) ? 0 : at > last ? size - 1 : (int64_t)at;
}

static double cubic(double d)
{
    const double a = -0.75;
    d = fabs(d);
    return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

static void find_taps(const grid_state *state, double x, int64_t size, axis_taps *out)
{
    const double low = state->align_corners ? 0 : -0.5, high = (double)(size - 1) - low;
    if (state->mode == NEAREST) {
        x = rint(x);
    }
    if (x < low || x > high) {
        /* A cubic curve is fitted to the elements as they are repeated; a line ends at the border.
         */
        x = state->padding == REFLECTION                       ? reflect(x, low, high)
            : state->padding == BORDER && state->mode != CUBIC ? (x < 0 ? 0 : (double)(size - 1))
                                                               : x;
    }
    const double first = floor(x), part = x - first;
    out->n = state->mode == NEAREST ? 1 : state->mode == LINEAR ? 2 : 4;
    for (int k = 0; k < out->n; k++) {
        const double step = state->mode == CUBIC ? k - 1 : k;
        out->at[k] = place(state, state->mode == NEAREST ? x : first + step, size);
        out->weight[k] = state->mode == NEAREST  ? 1
                         : state->mode == LINEAR ? (k == 0 ? 1 - part : part)
                                                 : cubic(part - step);
    }
}

/* A place in a plane and its weight; those of weightless zeros are left out. */
typedef struct spot {
    int64_t at;
    double weight;
} spot;

static int find_spots(const grid_call *c, const double *where, spot *out)
{
    axis_taps taps[SPACE] = {{1, {0}, {1}}, {1, {0}, {1}}, {1, {0}, {1}}};
    int n = 0;
    for (int k = SPACE - c->space; k < SPACE; k++) {
        find_taps(c->state, where[SPACE - 1 - k], c->size[k], &taps[k]);
    }
    for (int i = 0; i < taps[0].n; i++) {
        for (int j = 0; j < taps[1].n; j++) {
            for (int k = 0; k < taps[2].n; k++) {
                if (taps[0].at[i] >= 0 && taps[1].at[j] >= 0 && taps[2].at[k] >= 0) {
                    out[n++] = (spot){(taps[0].at[i] * c->size[1] + taps[1].at[j]) * c->size[2] +
                                          taps[2].at[k],
                                      taps[0].weight[i] * taps[1].weight[j] * taps[2].weight[k]};
                }
            }
        }
    }
    return n;
}

/* From [-1, 1] to elements. */
#define WHERE(G)                                                                                   \
    static void where_##G(const grid_call *c, int64_t point, double *out)                          \
    {                                                                                              \
        const G *grid = (const G *)c->grid + point * c->space;                                     \
        for (int i = 0; i < c->space; i++) {                                                       \
            const G size = (G)c->size[SPACE - 1 - i];                                              \
            const G x = c->state->align_corners ? (grid[i] + 1) / 2 * (size - 1)                   \
                                                : ((grid[i] + 1) * size - 1) / 2;                  \
            out[i] = x >= 0 || x < 0 ? (double)x : -2; /* a NaN is outside */                      \
        }                                                                                          \
    }
WHERE(float)
WHERE(double)

/* The sum of a point's spots; four are the usual case. */
#define SUM(T)                                                                                     \
    static T sum_##T(const T *x, const spot *s, int n)                                             \
    {                                                                                              \
        double sum = 0;                                                                            \
        for (int k = 0; k < n; k++) {                                                              \
            sum += s[k].weight * (double)x[s[k].at];                                               \
        }                                                                                          \
        return (T)sum;                                                                             \
    }                                                                                              \
    static inline T four_##T(const T *x, const spot *s)                                            \
    {                                                                                              \
        const double a = s[0].weight * (double)x[s[0].at] + s[1].weight * (double)x[s[1].at];      \
        const double b = s[2].weight * (double)x[s[2].at] + s[3].weight * (double)x[s[3].at];      \
        return (T)(a + b);                                                                         \
    }
SUM(float)
SUM(double)

/* Points [begin, end) over all pictures: spots of a block, then channel by channel. */
#define SAMPLE(T, G)                                                                               \
    static void sample_##T##_##G(void *object, int64_t begin, int64_t end)                         \
    {                                                                                              \
        const grid_call *c = object;                                                               \
        const int64_t plane = c->size[0] * c->size[1] * c->size[2];                                \
        spot spots[BLOCK];                                                                         \
        int counts[BLOCK];                                                                         \
        while (begin < end) {                                                                      \
            const int64_t image = begin / c->points, first = begin % c->points;                    \
            int64_t n = BLOCK / c->taps, left = c->points - first;                                 \
            n = n < left ? n : left;                                                               \
            n = n < end - begin ? n : end - begin;                                                 \
            for (int64_t i = 0; i < n; i++) {                                                      \
                double where[SPACE];                                                               \
                where_##G(c, begin + i, where);                                                    \
                counts[i] = find_spots(c, where, spots + i * c->taps);                             \
            }                                                                                      \
            for (int64_t channel = 0; channel < c->channels; channel++) {                          \
                const int64_t line = image * c->channels + channel;                                \
                const T *x = (const T *)c->x + line * plane;                                       \
                T *y = (T *)c->y + line * c->points + first;                                       \
                for (int64_t i = 0; i < n; i++) {                                                  \
                    const spot *s = spots + i * c->taps;                                           \
                    y[i] = counts[i] == 4 ? four_##T(x, s) : sum_##T(x, s, counts[i]);             \
                }                                                                                  \
            }                                                                                      \
            begin += n;                                                                            \
        }                                                                                          \
    }                                                                                              \
    static bool sample_##T##_##G##_run(const void *state, oribi_kit_run *run)                      \
    {                                                                                              \
        return sample(state, run, sample_##T##_##G);                                               \
    }

static bool take_shapes(oribi_kit_run *run, grid_call *c, oribi_cpu_shape *out)
{
    oribi_cpu_shape x, grid;
    int64_t count = 0;
    if (!oribi_cpu_input_shape(run, 0, &x) || !oribi_cpu_input_shape(run, 1, &grid)) {
        return false;
    }
    c->space = x.n - 2;
    if (c->space < 1 || c->space > SPACE || grid.n != x.n || grid.at[grid.n - 1] != c->space ||
        grid.at[0] != x.at[0]) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "a grid %s does not fit pictures %s: it needs their number and rank, "
                              "and a coordinate for each of one to three spatial dims",
                              oribi_cpu_shape_text(&grid).chars, oribi_cpu_shape_text(&x).chars);
    }
    *out = x;
    c->channels = x.at[1];
    c->taps = 1;
    c->points = 1;
    for (int k = 0; k < SPACE; k++) {
        c->size[k] = 1;
    }
    for (int i = 0; i < c->space; i++) {
        c->size[SPACE - c->space + i] = x.at[2 + i];
        c->taps *= c->state->mode == NEAREST ? 1 : c->state->mode == LINEAR ? 2 : 4;
        out->at[2 + i] = grid.at[1 + i];
        if (x.at[2 + i] == 0 && TF_TensorElementCount(run->in[1]) > 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "pictures %s have no elements",
                                  oribi_cpu_shape_text(&x).chars);
        }
    }
    c->points = oribi_cpu_product(grid.at + 1, c->space);
    return oribi_cpu_count(run, out->at, out->n, &count);
}

static bool sample(const grid_state *state, oribi_kit_run *run, oribi_kit_range loop)
{
    grid_call c = {.state = state};
    oribi_cpu_shape out;
    if (!take_shapes(run, &c, &out)) {
        return false;
    }
    c.x = TF_TensorData(run->in[0]);
    c.grid = TF_TensorData(run->in[1]);
    c.y = oribi_kit_output(run, 0, out.at, out.n);
    if (c.y != NULL && oribi_cpu_product(out.at, out.n) > 0) {
        oribi_kit_parallel(run, out.at[0] * c.points, c.taps * (c.channels * 2 + 20), &c, loop);
    }
    return c.y != NULL;
}

SAMPLE(float, float)
SAMPLE(float, double)
SAMPLE(double, float)
SAMPLE(double, double)
ORIBI_KIT_COMPUTE(sample_float_float, 2)
ORIBI_KIT_COMPUTE(sample_float_double, 2)
ORIBI_KIT_COMPUTE(sample_double_float, 2)
ORIBI_KIT_COMPUTE(sample_double_double, 2)

/* --- AffineGrid ------------------------------------------------------------------------------ */

typedef struct affine_state {
    bool align_corners;
} affine_state;

static void affine_read(oribi_kit_setup *setup, affine_state *state)
{
    int64_t align = 0;
    oribi_kit_attr_int(setup, "align_corners", &align);
    state->align_corners = align != 0;
}
ORIBI_KIT_CREATE(affine, affine_state)

typedef struct affine_call {
    const void *theta;
    void *y;
    bool align_corners;
    int space;
    int64_t size[SPACE], points;
} affine_call;

static double centre(const affine_call *c, int axis, int64_t i)
{
    const double size = (double)c->size[axis];
    return !c->align_corners ? (2 * (double)i + 1) / size - 1
           : size > 1        ? 2 * (double)i / (size - 1) - 1
                             : -1;
}

/* Coordinates come in the order x, y, z, sizes as z, y, x. */
#define AFFINE(T)                                                                                  \
    static void affine_##T##_points(void *object, int64_t begin, int64_t end)                      \
    {                                                                                              \
        const affine_call *c = object;                                                             \
        for (int64_t point = begin; point < end; point++) {                                        \
            double at[SPACE + 1];                                                                  \
            int64_t rest = point % c->points;                                                      \
            for (int i = 0; i < c->space; i++) {                                                   \
                const int axis = c->space - 1 - i;                                                 \
                at[i] = centre(c, axis, rest % c->size[axis]);                                     \
                rest /= c->size[axis];                                                             \
            }                                                                                      \
            at[c->space] = 1;                                                                      \
            const T *theta = (const T *)c->theta + point / c->points * c->space * (c->space + 1);  \
            for (int i = 0; i < c->space; i++) {                                                   \
                double sum = 0;                                                                    \
                for (int k = 0; k <= c->space; k++) {                                              \
                    sum += (double)theta[i * (c->space + 1) + k] * at[k];                          \
                }                                                                                  \
                ((T *)c->y)[point * c->space + i] = (T)sum;                                        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static bool affine_##T##_run(const void *state, oribi_kit_run *run)                            \
    {                                                                                              \
        return affine(state, run, affine_##T##_points);                                            \
    }

static bool affine(const affine_state *state, oribi_kit_run *run, oribi_kit_range loop)
{
    affine_call c = {.theta = TF_TensorData(run->in[0]), .align_corners = state->align_corners};
    oribi_cpu_shape theta, size, out = {.n = 0};
    int64_t count = 0;
    if (!oribi_cpu_input_shape(run, 0, &theta) || !oribi_cpu_read_shape(run, 1, "size", &size)) {
        return false;
    }
    c.space = size.n - 2;
    if (c.space < 2 || c.space > SPACE || theta.n != 3 || theta.at[0] != size.at[0] ||
        theta.at[1] != c.space || theta.at[2] != c.space + 1) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "theta %s does not fit size %s: pictures [n, c, h, w] want [n, 2, 3], "
            "[n, c, d, h, w] want [n, 3, 4]",
            oribi_cpu_shape_text(&theta).chars, oribi_cpu_shape_text(&size).chars);
    }
    (void)oribi_dims_add(&out, size.at[0]);
    for (int i = 0; i < c.space; i++) {
        c.size[i] = size.at[2 + i];
        (void)oribi_dims_add(&out, c.size[i]);
    }
    (void)oribi_dims_add(&out, c.space);
    if (!oribi_cpu_count(run, out.at, out.n, &count)) {
        return false;
    }
    c.points = oribi_cpu_product(c.size, c.space);
    c.y = oribi_kit_output(run, 0, out.at, out.n);
    if (c.y != NULL && count > 0) {
        oribi_kit_parallel(run, size.at[0] * c.points, 40, &c, loop);
    }
    return c.y != NULL;
}
AFFINE(float)
AFFINE(double)
ORIBI_KIT_COMPUTE(affine_float, 2)
ORIBI_KIT_COMPUTE(affine_double, 2)

#define SAMPLE_ROW(T, dtype, G, grid_dtype)                                                        \
    ORIBI_CPU_STATE_ROW(                                                                           \
        "ONNX>GridSample", grid, sample_##T##_##G, "places once for all channels",                 \
        .types = {{"T", ORIBI_KIT_TYPE(dtype)}, {"Tgrid", ORIBI_KIT_TYPE(grid_dtype)}})
#define AFFINE_ROW(T, dtype)                                                                       \
    ORIBI_CPU_STATE_ROW("ONNX>AffineGrid", affine, affine_##T, "plain loops", ORIBI_CPU_OF(dtype))
const oribi_cpu_kernel oribi_cpu_grid_sample_kernels[] = {
    SAMPLE_ROW(float, TF_FLOAT, float, TF_FLOAT),
    SAMPLE_ROW(float, TF_FLOAT, double, TF_DOUBLE),
    SAMPLE_ROW(double, TF_DOUBLE, float, TF_FLOAT),
    SAMPLE_ROW(double, TF_DOUBLE, double, TF_DOUBLE),
    AFFINE_ROW(float, TF_FLOAT),
    AFFINE_ROW(double, TF_DOUBLE),
    {.op_name = NULL},
};
