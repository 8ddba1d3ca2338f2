/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of regions of pictures [n, c, h, w]: ONNX>RoiAlign, which samples each bin at a few points,
 * and ONNX>MaxRoiPool, which takes whole elements. Plain loops.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/base/optional.h"

#include <math.h>
#include <string.h>

/* MOST_SAMPLES: along an axis of a bin, since a unit of work must end. */
enum { MOST_SAMPLES = 1 << 10, BLOCK = 16 };

typedef struct region_state {
    int64_t height, width, sampling;
    float scale;
    bool takes_most, is_half_pixel;
} region_state;

static void check_size(oribi_kit_setup *setup, const region_state *state)
{
    if (state->height < 1 || state->width < 1 || state->height > INT32_MAX ||
        state->width > INT32_MAX || state->sampling < 0 || state->sampling > MOST_SAMPLES) {
        (void)oribi_kit_setup_fail(
            setup, TF_INVALID_ARGUMENT,
            "regions of %lld by %lld bins with %lld samples are not possible: bins are at least 1 "
            "and samples at most %d",
            (long long)state->height, (long long)state->width, (long long)state->sampling,
            MOST_SAMPLES);
    }
}

static void align_read(oribi_kit_setup *setup, region_state *state)
{
    char mode[8] = "", coordinates[24] = "";
    int64_t since = 0;
    oribi_kit_attr_string(setup, "mode", mode, sizeof mode);
    oribi_kit_attr_string(setup, "coordinate_transformation_mode", coordinates, sizeof coordinates);
    oribi_kit_attr_int(setup, "output_height", &state->height);
    oribi_kit_attr_int(setup, "output_width", &state->width);
    oribi_kit_attr_int(setup, "sampling_ratio", &state->sampling);
    oribi_kit_attr_int(setup, "since_version", &since);
    oribi_kit_attr_float(setup, "spatial_scale", &state->scale);
    state->takes_most = strcmp(mode, "max") == 0;
    /* Opset 10 has no such attribute and means output_half_pixel. */
    state->is_half_pixel = strcmp(coordinates, "half_pixel") == 0 && (since == 0 || since >= 16);
    check_size(setup, state);
}
ORIBI_KIT_CREATE(align, region_state)

static void pool_read(oribi_kit_setup *setup, region_state *state)
{
    int64_t shape[2] = {0, 0};
    oribi_kit_attr_ints(setup, "pooled_shape", shape, 2, NULL);
    oribi_kit_attr_float(setup, "spatial_scale", &state->scale);
    state->height = shape[0];
    state->width = shape[1];
    check_size(setup, state);
}
ORIBI_KIT_CREATE(pool, region_state)

typedef struct region_call {
    const region_state *state;
    const void *x, *regions;
    const int64_t *pictures; /* of RoiAlign: the picture of each region */
    void *y;
    int64_t batches, channels, h, w;
    int64_t bad; /* written by whoever sees a region of no picture: its number + 1 */
} region_call;

/* Where a sample lies along an axis: two elements and the weight of the second; false: outside. */
static bool find_sample(double at, int64_t size, int64_t *low, int64_t *high, double *weight)
{
    if (!(at >= -1) || at > (double)size) {
        return false;
    }
    at = at < 0 ? 0 : at;
    *low = (int64_t)at;
    *high = *low + 1;
    *weight = at - (double)*low;
    if (*low >= size - 1) {
        *low = *high = size - 1;
        *weight = 0;
    }
    return true;
}

typedef struct axis_bins {
    double start, step;
    int64_t samples; /* of one bin; 0: none */
} axis_bins;

static axis_bins make_bins(const region_state *state, double from, double to, int64_t bins)
{
    const double offset = state->is_half_pixel ? 0.5 : 0, scale = (double)state->scale;
    double size = to * scale - from * scale;
    size = !state->is_half_pixel && !(size > 1) ? 1 : size;
    axis_bins made = {from * scale - offset, size / (double)bins, state->sampling};
    if (made.samples == 0) {
        const double samples = ceil(made.step);
        made.samples = !(samples > 0)                   ? 0
                       : samples > (double)MOST_SAMPLES ? MOST_SAMPLES + 1
                                                        : (int64_t)samples;
    }
    return made;
}

/* A sample: four elements of a plane and their weights; none outside. */
typedef struct sample {
    int64_t at[4];
    double weight[4];
} sample;

/* Samples [first, first + n) of a bin. */
static void find_samples(const region_call *c, const axis_bins *v, const axis_bins *u, int64_t row,
                         int64_t column, int64_t first, int64_t n, sample *out)
{
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = (first + k) / u->samples, j = (first + k) % u->samples;
        const double y =
            v->start + (double)row * v->step + ((double)i + 0.5) * v->step / (double)v->samples;
        const double x =
            u->start + (double)column * u->step + ((double)j + 0.5) * u->step / (double)u->samples;
        int64_t y0 = 0, y1 = 0, x0 = 0, x1 = 0;
        double b = 0, a = 0;
        const bool inside =
            find_sample(y, c->h, &y0, &y1, &b) && find_sample(x, c->w, &x0, &x1, &a);
        out[k] = inside ? (sample){{y0 * c->w + x0, y0 * c->w + x1, y1 * c->w + x0, y1 * c->w + x1},
                                   {(1 - b) * (1 - a), (1 - b) * a, b * (1 - a), b * a}}
                        : (sample){{-1, 0, 0, 0}, {0, 0, 0, 0}};
    }
}

/* A bin of all channels: samples are found once, a block of them at a time. The part of a mean that
 * earlier blocks made is kept in the output. */
#define ALIGN(T)                                                                                   \
    static void align_bin_##T(const region_call *c, const T *x, T *y, axis_bins v, axis_bins u,    \
                              int64_t row, int64_t column)                                         \
    {                                                                                              \
        sample samples[BLOCK];                                                                     \
        const int64_t total = v.samples * u.samples, bins = c->state->height * c->state->width;    \
        for (int64_t channel = 0; channel < c->channels; channel++) {                              \
            y[channel * bins] = 0;                                                                 \
        }                                                                                          \
        for (int64_t first = 0; first < total; first += BLOCK) {                                   \
            const int64_t n = total - first < BLOCK ? total - first : BLOCK;                       \
            find_samples(c, &v, &u, row, column, first, n, samples);                               \
            for (int64_t channel = 0; channel < c->channels; channel++) {                          \
                const T *p = x + channel * c->h * c->w;                                            \
                double sum = 0, most = first == 0 ? -INFINITY : (double)y[channel * bins];         \
                for (int64_t k = 0; k < n; k++) {                                                  \
                    double part[4] = {0, 0, 0, 0};                                                 \
                    for (int i = 0; samples[k].at[0] >= 0 && i < 4; i++) {                         \
                        part[i] = samples[k].weight[i] * (double)p[samples[k].at[i]];              \
                    }                                                                              \
                    for (int i = 0; c->state->takes_most && i < 4; i++) {                          \
                        most = part[i] > most ? part[i] : most;                                    \
                    }                                                                              \
                    sum += part[0] + part[1] + part[2] + part[3];                                  \
                }                                                                                  \
                y[channel * bins] =                                                                \
                    (T)(c->state->takes_most ? most                                                \
                                             : (double)y[channel * bins] + sum / (double)total);   \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void align_##T##_bins(void *object, int64_t begin, int64_t end)                         \
    {                                                                                              \
        region_call *c = object;                                                                   \
        const int64_t bins = c->state->height * c->state->width;                                   \
        for (int64_t i = begin; i < end; i++) {                                                    \
            const int64_t region = i / bins, picture = c->pictures[region];                        \
            const T *r = (const T *)c->regions + region * 4;                                       \
            const axis_bins v = make_bins(c->state, (double)r[1], (double)r[3], c->state->height); \
            const axis_bins u = make_bins(c->state, (double)r[0], (double)r[2], c->state->width);  \
            if (picture < 0 || picture >= c->batches || v.samples > MOST_SAMPLES ||                \
                u.samples > MOST_SAMPLES) {                                                        \
                __atomic_store_n(&c->bad, region + 1, __ATOMIC_RELAXED);                           \
                continue;                                                                          \
            }                                                                                      \
            align_bin_##T(c, (const T *)c->x + picture * c->channels * c->h * c->w,                \
                          (T *)c->y + region * c->channels * bins + i % bins, v, u,                \
                          i % bins / c->state->width, i % c->state->width);                        \
        }                                                                                          \
    }                                                                                              \
    static bool align_##T##_run(const void *state, oribi_kit_run *run)                             \
    {                                                                                              \
        return regions_run(state, run, 4, align_##T##_bins);                                       \
    }

/* Elements from `from` to before `to` of bin `bin` along an axis of a region. */
static void whole_bin(double from, double to, double scale, int64_t bins, int64_t bin, int64_t size,
                      int64_t *out_from, int64_t *out_to)
{
    const double first = round(from * scale), last = round(to * scale);
    double length = last - first + 1;
    length = length > 1 ? length : 1;
    const double step = (double)(float)(length / (double)bins);
    double low = first + floor((double)((float)bin * (float)step));
    double high = first + ceil((double)((float)(bin + 1) * (float)step));
    low = !(low > 0) ? 0 : low < (double)size ? low : (double)size;
    high = !(high > 0) ? 0 : high < (double)size ? high : (double)size;
    *out_from = (int64_t)low;
    *out_to = (int64_t)high;
}

#define WHOLE(T)                                                                                   \
    static T most_##T(const region_call *c, const T *x, const T *region, int64_t row,              \
                      int64_t column)                                                              \
    {                                                                                              \
        int64_t y0 = 0, y1 = 0, x0 = 0, x1 = 0;                                                    \
        const double scale = (double)c->state->scale;                                              \
        whole_bin((double)region[2], (double)region[4], scale, c->state->height, row, c->h, &y0,   \
                  &y1);                                                                            \
        whole_bin((double)region[1], (double)region[3], scale, c->state->width, column, c->w, &x0, \
                  &x1);                                                                            \
        T most = y0 < y1 && x0 < x1 ? x[y0 * c->w + x0] : 0;                                       \
        for (int64_t i = y0; i < y1; i++) {                                                        \
            for (int64_t j = x0; j < x1; j++) {                                                    \
                most = x[i * c->w + j] > most ? x[i * c->w + j] : most;                            \
            }                                                                                      \
        }                                                                                          \
        return most;                                                                               \
    }                                                                                              \
    static void whole_##T##_bins(void *object, int64_t begin, int64_t end)                         \
    {                                                                                              \
        region_call *c = object;                                                                   \
        const int64_t bins = c->state->height * c->state->width;                                   \
        for (int64_t i = begin; i < end; i++) {                                                    \
            const int64_t region = i / bins / c->channels, channel = i / bins % c->channels;       \
            const T *r = (const T *)c->regions + region * 5;                                       \
            const double picture = (double)r[0];                                                   \
            if (!(picture >= 0) || picture >= (double)c->batches) {                                \
                __atomic_store_n(&c->bad, region + 1, __ATOMIC_RELAXED);                           \
                continue;                                                                          \
            }                                                                                      \
            const T *x =                                                                           \
                (const T *)c->x + ((int64_t)picture * c->channels + channel) * c->h * c->w;        \
            ((T *)c->y)[i] = most_##T(c, x, r, i % bins / c->state->width, i % c->state->width);   \
        }                                                                                          \
    }                                                                                              \
    static bool whole_##T##_run(const void *state, oribi_kit_run *run)                             \
    {                                                                                              \
        return regions_run(state, run, 5, whole_##T##_bins);                                       \
    }

/* Cycles of the average bin, about: samples or elements. */
static int64_t bin_cost(const region_call *c)
{
    const int64_t sampling = c->state->sampling > 0 ? c->state->sampling : 2;
    const int64_t down = c->h / c->state->height + 1, across = c->w / c->state->width + 1;
    const int64_t samples = sampling * sampling * 10;
    if (c->pictures != NULL) {
        return samples;
    }
    return 40 + down * (across < INT32_MAX ? across : INT32_MAX) * 2;
}

/* Regions of `width` numbers each; with 4, their pictures are input 2. */
static bool regions_run(const region_state *state, oribi_kit_run *run, int64_t width,
                        oribi_kit_range loop)
{
    oribi_cpu_shape x, regions, pictures;
    region_call c = {.state = state};
    int64_t count = 0;

    if (!oribi_cpu_input_shape(run, 0, &x) || !oribi_cpu_input_shape(run, 1, &regions)) {
        return false;
    }
    if (x.n != 4 || regions.n != 2 || regions.at[1] != width) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "pictures %s and regions %s must be [n, c, h, w] and [regions, %lld]",
                              oribi_cpu_shape_text(&x).chars, oribi_cpu_shape_text(&regions).chars,
                              (long long)width);
    }
    if (width == 4) {
        if (!oribi_cpu_input_shape(run, 2, &pictures)) {
            return false;
        }
        if (pictures.n != 1 || pictures.at[0] != regions.at[0]) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "batch_indices %s do not tell the pictures of %lld regions",
                                  oribi_cpu_shape_text(&pictures).chars, (long long)regions.at[0]);
        }
        c.pictures = TF_TensorData(run->in[2]);
    }
    c.batches = x.at[0];
    c.channels = x.at[1];
    c.h = x.at[2];
    c.w = x.at[3];
    c.x = TF_TensorData(run->in[0]);
    c.regions = TF_TensorData(run->in[1]);
    const int64_t dims[] = {regions.at[0], c.channels, state->height, state->width};
    if (!oribi_cpu_count(run, dims, 4, &count)) {
        return false;
    }
    if (count > 0 && (c.h == 0 || c.w == 0)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "pictures %s have no elements",
                              oribi_cpu_shape_text(&x).chars);
    }
    c.y = oribi_kit_output(run, 0, dims, 4);
    if (c.y != NULL && count > 0) {
        /* RoiAlign does a bin of all channels at once. */
        const int64_t together = c.pictures != NULL ? c.channels : 1;
        oribi_kit_parallel(run, count / together, bin_cost(&c) * together, &c, loop);
    }
    if (c.bad != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "region %lld is of a picture that is not among the %lld, or has bins "
                              "of more than %d elements a side",
                              (long long)c.bad - 1, (long long)c.batches, MOST_SAMPLES);
    }
    return c.y != NULL;
}
ALIGN(float)
ALIGN(double)
WHOLE(float)
WHOLE(double)
ORIBI_KIT_COMPUTE(align_float, 3)
ORIBI_KIT_COMPUTE(align_double, 3)
ORIBI_KIT_COMPUTE(whole_float, 2)
ORIBI_KIT_COMPUTE(whole_double, 2)

#define ROW(op, T, dtype, make, fn)                                                                \
    ORIBI_CPU_STATE_ROW(op, make, fn##_##T, "plain loops", ORIBI_CPU_OF(dtype))
const oribi_cpu_kernel oribi_cpu_region_pool_kernels[] = {
    ROW("ONNX>RoiAlign", float, TF_FLOAT, align, align),
    ROW("ONNX>RoiAlign", double, TF_DOUBLE, align, align),
    ROW("ONNX>MaxRoiPool", float, TF_FLOAT, pool, whole),
    ROW("ONNX>MaxRoiPool", double, TF_DOUBLE, pool, whole),
    {.op_name = NULL},
};
