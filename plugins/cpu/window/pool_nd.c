/* SPDX-License-Identifier: Apache-2.0 */
/* Pools over one to three spatial dims in either layout, reference: ONNX>MaxPool,
 * ONNX>AveragePool, ONNX>LpPool, MaxPool3D, AvgPool3D. Plain loops; the 2-D pools that models live
 * on are in pool_kernels.c.
 */
#include "cpu/base/families.h"
#include "cpu/base/cpu_shape.h"

#include <math.h>
#include <string.h>

enum { SPACE = 3 };

typedef struct nd_state {
    int n_space;
    int64_t kernel[SPACE], strides[SPACE], dilations[SPACE], before[SPACE], after[SPACE];
    oribi_geometry_padding padding;
    bool ceil_mode, channels_last, count_pads;
    bool column_major; /* of ONNX>MaxPool's indices */
    double norm;       /* p of ONNX>LpPool */
} nd_state;

static void read_list(oribi_kit_setup *setup, const char *name, int64_t absent, int n, int64_t *out)
{
    int count = 0;
    oribi_kit_attr_ints(setup, name, out, n, &count);
    for (int i = 0; count == 0 && i < n; i++) {
        out[i] = absent;
    }
    if (count != 0 && count != n) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "%s has %d values, expected %d",
                                   name, count, n);
    }
}

/* All within [low, 2^31)? */
static void check_list(oribi_kit_setup *setup, const char *name, const int64_t *values, int n,
                       int64_t low)
{
    for (int i = 0; i < n; i++) {
        if (values[i] < low || values[i] > INT32_MAX) {
            (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                       "%s[%d] is %lld, outside [%lld, 2^31)", name, i,
                                       (long long)values[i], (long long)low);
        }
    }
}

static void read_padding(oribi_kit_setup *setup, const char *word, oribi_geometry_padding *out)
{
    if (!oribi_geometry_read_padding(word, out)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "padding '%s' is unknown", word);
    }
}

/* own: the integer that this pool has and the others have not. */
static void *onnx_create(TF_OpKernelConstruction *construction, const char *own)
{
    oribi_kit_setup setup;
    char auto_pad[16] = "NOTSET", format[16] = "NCHW";
    int64_t ceil_mode = 0, flag = 0, pads[2 * SPACE] = {0};
    nd_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state == NULL) {
        return oribi_kit_setup_end(&setup);
    }
    oribi_kit_attr_ints(&setup, "kernel_shape", state->kernel, SPACE, &state->n_space);
    read_list(&setup, "strides", 1, state->n_space, state->strides);
    read_list(&setup, "dilations", 1, state->n_space, state->dilations);
    read_list(&setup, "pads", 0, 2 * state->n_space, pads);
    oribi_kit_attr_string(&setup, "auto_pad", auto_pad, sizeof auto_pad);
    oribi_kit_attr_string(&setup, "data_format", format, sizeof format);
    oribi_kit_attr_int(&setup, "ceil_mode", &ceil_mode);
    oribi_kit_attr_int(&setup, own, &flag);
    check_list(&setup, "kernel_shape", state->kernel, state->n_space, 1);
    check_list(&setup, "strides", state->strides, state->n_space, 1);
    check_list(&setup, "dilations", state->dilations, state->n_space, 1);
    check_list(&setup, "pads", pads, 2 * state->n_space, 0);
    for (int i = 0; i < state->n_space; i++) {
        state->before[i] = pads[i];
        state->after[i] = pads[i + state->n_space];
    }
    read_padding(&setup, auto_pad, &state->padding);
    state->ceil_mode = ceil_mode != 0;
    state->channels_last = strcmp(format, "NHWC") == 0;
    state->count_pads = strcmp(own, "count_include_pad") == 0 && flag != 0;
    state->column_major = strcmp(own, "storage_order") == 0 && flag != 0;
    state->norm = (double)flag;
    if (strcmp(own, "p") == 0 && flag < 1) {
        (void)oribi_kit_setup_fail(&setup, TF_INVALID_ARGUMENT, "p is %lld, at least 1 is possible",
                                   (long long)flag);
    }
    return oribi_kit_setup_end(&setup);
}

static void *onnx_average_create(TF_OpKernelConstruction *construction)
{
    return onnx_create(construction, "count_include_pad");
}

static void *onnx_max_create(TF_OpKernelConstruction *construction)
{
    return onnx_create(construction, "storage_order");
}

static void *onnx_lp_create(TF_OpKernelConstruction *construction)
{
    return onnx_create(construction, "p");
}

static void *pool_3d_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    char padding[16] = "VALID", format[16] = "NDHWC";
    int64_t kernel[5], strides[5];
    nd_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state == NULL) {
        return oribi_kit_setup_end(&setup);
    }
    oribi_kit_attr_ints(&setup, "ksize", kernel, 5, NULL);
    oribi_kit_attr_ints(&setup, "strides", strides, 5, NULL);
    oribi_kit_attr_string(&setup, "padding", padding, sizeof padding);
    oribi_kit_attr_string(&setup, "data_format", format, sizeof format);
    state->n_space = SPACE;
    state->channels_last = format[1] != 'C';
    read_padding(&setup, padding, &state->padding);
    for (int i = 0; TF_GetCode(setup.status) == TF_OK && i < SPACE; i++) {
        state->kernel[i] = kernel[i + (state->channels_last ? 1 : 2)];
        state->strides[i] = strides[i + (state->channels_last ? 1 : 2)];
        state->dilations[i] = 1;
    }
    check_list(&setup, "ksize", state->kernel, SPACE, 1);
    check_list(&setup, "strides", state->strides, SPACE, 1);
    return oribi_kit_setup_end(&setup);
}

/* One call. Dims beyond n_space are 1. */
typedef struct nd_pool {
    oribi_geometry_window axes[SPACE];
    bool count_pads, column_major;
    double norm;
    const void *x;
    void *y;
    int64_t *indices; /* or NULL */
    int64_t n, channels;
    int64_t x_stride[SPACE], x_channel, x_batch;
    int64_t y_stride[SPACE], y_channel, y_batch;
} nd_pool;

static void place(const nd_pool *p, bool channels_last, bool is_out, int64_t *stride,
                  int64_t *channel, int64_t *batch)
{
    int64_t space = 1, unit = channels_last ? p->channels : 1;
    for (int k = SPACE - 1; k >= 0; k--) {
        stride[k] = unit * space;
        space *= is_out ? p->axes[k].out : p->axes[k].in;
    }
    *channel = channels_last ? 1 : space;
    *batch = space * p->channels;
}

static bool measure(oribi_kit_run *run, const nd_state *state, nd_pool *p, oribi_cpu_shape *out)
{
    oribi_cpu_shape in;
    int n_space = state->n_space, lead = SPACE - n_space, first = state->channels_last ? 1 : 2;
    if (!oribi_cpu_input_shape(run, 0, &in)) {
        return false;
    }
    if (in.n != n_space + 2) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %s must have rank %d",
                              oribi_cpu_shape_text(&in).chars, n_space + 2);
    }
    p->count_pads = state->count_pads;
    p->column_major = state->column_major;
    p->norm = state->norm;
    p->n = in.at[0];
    p->channels = in.at[state->channels_last ? in.n - 1 : 1];
    *out = in;
    for (int k = 0; k < lead; k++) { /* dims line up at the end */
        p->axes[k] =
            (oribi_geometry_window){.in = 1, .taps = 1, .stride = 1, .dilation = 1, .out = 1};
    }
    for (int i = 0; i < n_space; i++) {
        static const char *const names[] = {"spatial dimension 0", "spatial dimension 1",
                                            "spatial dimension 2"};
        p->axes[lead + i] = (oribi_geometry_window){.in = in.at[first + i],
                                                    .taps = state->kernel[i],
                                                    .stride = state->strides[i],
                                                    .dilation = state->dilations[i],
                                                    .padding = state->padding,
                                                    .ceil = state->ceil_mode,
                                                    .before = state->before[i],
                                                    .after = state->after[i]};
        if (!oribi_cpu_slide(run, names[i], &p->axes[lead + i])) {
            return false;
        }
        out->at[first + i] = p->axes[lead + i].out;
    }
    int64_t count = 0;
    place(p, state->channels_last, false, p->x_stride, &p->x_channel, &p->x_batch);
    if (!oribi_cpu_count(run, out->at, out->n, &count)) {
        return false;
    }
    place(p, state->channels_last, true, p->y_stride, &p->y_channel, &p->y_batch);
    return true;
}

/* Taps along an axis by which an average divides; at least 1. With count_pads the window reaches
 * into the padding that was asked for, but not beyond it. */
static int64_t divisor(const nd_pool *p, const oribi_geometry_window *w, int64_t at,
                       const oribi_geometry_taps *inside)
{
    const int64_t taps = p->count_pads ? oribi_geometry_taps_of(w, at, w->in + w->after).to
                                       : inside->to - inside->from;
    return taps > 0 ? taps : 1;
}

/* Index in the input as [n, c, spatial...]; column_major turns the spatial order around. */
static int64_t index_of(const nd_pool *p, int64_t plane, const int64_t *at)
{
    int64_t index = 0;
    for (int i = 0; i < SPACE; i++) {
        int k = p->column_major ? SPACE - 1 - i : i;
        index = index * p->axes[k].in + at[k];
    }
    return plane * p->axes[0].in * p->axes[1].in * p->axes[2].in + index;
}

static double power(double value, double norm)
{
    const double magnitude = fabs(value);
    return norm == 2 ? value * value : norm == 1 ? magnitude : pow(magnitude, norm);
}

static double root(double sum, double norm)
{
    return norm == 2 ? sqrt(sum) : norm == 1 ? sum : pow(sum, 1 / norm);
}

/* One output element: offsets of x and of y, the window, the fold. */
#define POOL(id, T, A, start, fold, finish)                                                        \
    static void id##_##T##_element(const nd_pool *p, int64_t plane, const int64_t *o)              \
    {                                                                                              \
        oribi_geometry_taps t[SPACE];                                                              \
        int64_t all = 1, at[SPACE], best = -1;                                                     \
        const T *x = (const T *)p->x + plane / p->channels * p->x_batch +                          \
                     plane % p->channels * p->x_channel;                                           \
        int64_t y = plane / p->channels * p->y_batch + plane % p->channels * p->y_channel;         \
        for (int k = 0; k < SPACE; k++) {                                                          \
            const oribi_geometry_window *w = &p->axes[k];                                          \
            t[k] = oribi_geometry_taps_of(w, o[k], w->in);                                         \
            all *= divisor(p, w, o[k], &t[k]);                                                     \
            y += o[k] * p->y_stride[k];                                                            \
        }                                                                                          \
        A acc = start;                                                                             \
        if (p->indices != NULL) {                                                                  \
            p->indices[y] = -1; /* of a window that has padding alone */                           \
        }                                                                                          \
        for (int64_t a = t[0].from; a < t[0].to; a++) {                                            \
            for (int64_t b = t[1].from; b < t[1].to; b++) {                                        \
                for (int64_t c = t[2].from; c < t[2].to; c++) {                                    \
                    const int64_t tap[SPACE] = {a, b, c};                                          \
                    int64_t offset = 0;                                                            \
                    for (int k = 0; k < SPACE; k++) {                                              \
                        at[k] = t[k].first + tap[k] * p->axes[k].dilation;                         \
                        offset += at[k] * p->x_stride[k];                                          \
                    }                                                                              \
                    T v = x[offset];                                                               \
                    if (best < 0 || v > x[best]) {                                                 \
                        best = offset;                                                             \
                        if (p->indices != NULL) {                                                  \
                            p->indices[y] = index_of(p, plane, at);                                \
                        }                                                                          \
                    }                                                                              \
                    acc = fold;                                                                    \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        (void)all;                                                                                 \
        ((T *)p->y)[y] = (T)(finish);                                                              \
    }                                                                                              \
    static void id##_##T##_planes(void *object, int64_t begin, int64_t end)                        \
    {                                                                                              \
        const nd_pool *p = object;                                                                 \
        for (int64_t plane = begin; plane < end; plane++) {                                        \
            int64_t o[SPACE];                                                                      \
            for (o[0] = 0; o[0] < p->axes[0].out; o[0]++) {                                        \
                for (o[1] = 0; o[1] < p->axes[1].out; o[1]++) {                                    \
                    for (o[2] = 0; o[2] < p->axes[2].out; o[2]++) {                                \
                        id##_##T##_element(p, plane, o);                                           \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void id##_##T##_compute(void *state, TF_OpKernelContext *context)                       \
    {                                                                                              \
        compute(state, context, id##_##T##_planes);                                                \
    }

static void compute(const nd_state *state, TF_OpKernelContext *context,
                    void (*planes)(void *object, int64_t begin, int64_t end))
{
    oribi_kit_run run;
    oribi_cpu_shape out;
    nd_pool p = {.indices = NULL};
    if (oribi_kit_begin(&run, context, 1) && measure(&run, state, &p, &out)) {
        p.x = TF_TensorData(run.in[0]);
        p.y = oribi_kit_output(&run, 0, out.at, out.n);
        if (p.y != NULL && TF_NumOutputs(context) > 1) {
            p.indices = oribi_kit_output(&run, 1, out.at, out.n);
        }
        int64_t elements = oribi_cpu_product(out.at, out.n);
        if (TF_GetCode(run.status) == TF_OK && elements > 0) {
            int64_t planes_count = p.n * p.channels;
            oribi_kit_parallel(&run, planes_count, elements / planes_count * 40, &p, planes);
        }
    }
    oribi_kit_end(&run);
}

POOL(max, float, float, -__builtin_inff(), v > acc ? v : acc, acc)
POOL(max, double, double, -__builtin_inf(), v > acc ? v : acc, acc)
POOL(max, int8_t, int8_t, INT8_MIN, v > acc ? v : acc, acc)
POOL(max, uint8_t, uint8_t, 0, v > acc ? v : acc, acc)
POOL(average, float, double, 0, acc + (double)v, acc / (double)all)
POOL(average, double, double, 0, acc + v, acc / (double)all)
POOL(lp, float, double, 0, acc + power((double)v, p->norm), root(acc, p->norm))
POOL(lp, double, double, 0, acc + power(v, p->norm), root(acc, p->norm))

#define ROW(op, T, dtype, make, fn)                                                                \
    ORIBI_CPU_STATE_ROW(op, make, fn##_##T, "plain loops", ORIBI_CPU_OF(dtype))
const oribi_cpu_kernel oribi_cpu_pool_nd_kernels[] = {
    ROW("ONNX>MaxPool", float, TF_FLOAT, onnx_max, max),
    ROW("ONNX>MaxPool", double, TF_DOUBLE, onnx_max, max),
    ROW("ONNX>MaxPool", int8_t, TF_INT8, onnx_max, max),
    ROW("ONNX>MaxPool", uint8_t, TF_UINT8, onnx_max, max),
    ROW("ONNX>AveragePool", float, TF_FLOAT, onnx_average, average),
    ROW("ONNX>AveragePool", double, TF_DOUBLE, onnx_average, average),
    ROW("ONNX>LpPool", float, TF_FLOAT, onnx_lp, lp),
    ROW("ONNX>LpPool", double, TF_DOUBLE, onnx_lp, lp),
    ROW("MaxPool3D", float, TF_FLOAT, pool_3d, max),
    ROW("AvgPool3D", float, TF_FLOAT, pool_3d, average),
    ROW("AvgPool3D", double, TF_DOUBLE, pool_3d, average),
    {.op_name = NULL},
};
