/* SPDX-License-Identifier: Apache-2.0 */
/* Pools over one to three spatial dims in either layout, reference: ONNX>MaxPool,
 * ONNX>AveragePool, MaxPool3D, AvgPool3D. Plain loops; the 2-D pools that models live on are in
 * pool.c.
 */
#include "cpu/families.h"
#include "cpu/shape.h"

#include <string.h>

enum { SPACE = 3 };

typedef struct nd_state {
    int n_space;
    int64_t kernel[SPACE], strides[SPACE], dilations[SPACE], before[SPACE], after[SPACE];
    bool is_valid, is_same_upper, is_same_lower, ceil_mode, channels_last, count_pads;
    bool column_major; /* of ONNX>MaxPool's indices */
} nd_state;

static void read_list(oribi_cpu_setup *setup, const char *name, int64_t absent, int n, int64_t *out)
{
    int count = 0;
    oribi_cpu_attr_ints(setup, name, out, n, &count);
    for (int i = 0; count == 0 && i < n; i++) {
        out[i] = absent;
    }
    if (count != 0 && count != n) {
        (void)oribi_cpu_setup_fail(setup, TF_INVALID_ARGUMENT, "%s has %d values, expected %d",
                                   name, count, n);
    }
}

/* All within [low, 2^31)? */
static void check_list(oribi_cpu_setup *setup, const char *name, const int64_t *values, int n,
                       int64_t low)
{
    for (int i = 0; i < n; i++) {
        if (values[i] < low || values[i] > INT32_MAX) {
            (void)oribi_cpu_setup_fail(setup, TF_INVALID_ARGUMENT,
                                       "%s[%d] is %lld, outside [%lld, 2^31)", name, i,
                                       (long long)values[i], (long long)low);
        }
    }
}

static void *onnx_create(TF_OpKernelConstruction *construction, bool is_average)
{
    oribi_cpu_setup setup;
    char auto_pad[16] = "NOTSET", format[16] = "NCHW";
    int64_t ceil_mode = 0, flag = 0, pads[2 * SPACE] = {0};
    nd_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state == NULL) {
        return oribi_cpu_setup_end(&setup);
    }
    oribi_cpu_attr_ints(&setup, "kernel_shape", state->kernel, SPACE, &state->n_space);
    read_list(&setup, "strides", 1, state->n_space, state->strides);
    read_list(&setup, "dilations", 1, state->n_space, state->dilations);
    read_list(&setup, "pads", 0, 2 * state->n_space, pads);
    oribi_cpu_attr_string(&setup, "auto_pad", auto_pad, sizeof auto_pad);
    oribi_cpu_attr_string(&setup, "data_format", format, sizeof format);
    oribi_cpu_attr_int(&setup, "ceil_mode", &ceil_mode);
    oribi_cpu_attr_int(&setup, is_average ? "count_include_pad" : "storage_order", &flag);
    check_list(&setup, "kernel_shape", state->kernel, state->n_space, 1);
    check_list(&setup, "strides", state->strides, state->n_space, 1);
    check_list(&setup, "dilations", state->dilations, state->n_space, 1);
    check_list(&setup, "pads", pads, 2 * state->n_space, 0);
    for (int i = 0; i < state->n_space; i++) {
        state->before[i] = pads[i];
        state->after[i] = pads[i + state->n_space];
    }
    state->is_valid = strcmp(auto_pad, "VALID") == 0;
    state->is_same_upper = strcmp(auto_pad, "SAME_UPPER") == 0;
    state->is_same_lower = strcmp(auto_pad, "SAME_LOWER") == 0;
    state->ceil_mode = ceil_mode != 0;
    state->channels_last = strcmp(format, "NHWC") == 0;
    state->count_pads = is_average && flag != 0;
    state->column_major = !is_average && flag != 0;
    return oribi_cpu_setup_end(&setup);
}

static void *onnx_average_create(TF_OpKernelConstruction *construction)
{
    return onnx_create(construction, true);
}

static void *onnx_max_create(TF_OpKernelConstruction *construction)
{
    return onnx_create(construction, false);
}

static void *pool_3d_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    char padding[16] = "VALID", format[16] = "NDHWC";
    int64_t kernel[5], strides[5];
    nd_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state == NULL) {
        return oribi_cpu_setup_end(&setup);
    }
    oribi_cpu_attr_ints(&setup, "ksize", kernel, 5, NULL);
    oribi_cpu_attr_ints(&setup, "strides", strides, 5, NULL);
    oribi_cpu_attr_string(&setup, "padding", padding, sizeof padding);
    oribi_cpu_attr_string(&setup, "data_format", format, sizeof format);
    state->n_space = SPACE;
    state->channels_last = format[1] != 'C';
    state->is_valid = strcmp(padding, "VALID") == 0;
    state->is_same_upper = strcmp(padding, "SAME") == 0;
    for (int i = 0; TF_GetCode(setup.status) == TF_OK && i < SPACE; i++) {
        state->kernel[i] = kernel[i + (state->channels_last ? 1 : 2)];
        state->strides[i] = strides[i + (state->channels_last ? 1 : 2)];
        state->dilations[i] = 1;
    }
    check_list(&setup, "ksize", state->kernel, SPACE, 1);
    check_list(&setup, "strides", state->strides, SPACE, 1);
    return oribi_cpu_setup_end(&setup);
}

/* One call. Dims beyond n_space are 1. */
typedef struct nd_pool {
    nd_state window; /* with the paddings of this shape */
    const void *x;
    void *y;
    int64_t *indices; /* or NULL */
    int64_t n, channels, in[SPACE], out[SPACE];
    int64_t x_stride[SPACE], x_channel, x_batch;
    int64_t y_stride[SPACE], y_channel, y_batch;
} nd_pool;

/* Output size and paddings of dim k. */
static bool fit(oribi_cpu_run *run, nd_pool *p, int k)
{
    nd_state *w = &p->window;
    int64_t in = p->in[k], stride = w->strides[k];
    int64_t reach = (w->kernel[k] - 1) * w->dilations[k] + 1; /* below 2^62 */
    if (in > INT32_MAX) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "spatial dimension %d is %lld, above 2^31",
                              k, (long long)in);
    }
    if (w->is_same_upper || w->is_same_lower) {
        p->out[k] = (in + stride - 1) / stride;
        int64_t total = (p->out[k] - 1) * stride + reach - in;
        total = total > 0 ? total : 0;
        w->before[k] = w->is_same_upper ? total / 2 : total - total / 2;
        w->after[k] = total - w->before[k];
        return true;
    }
    if (w->is_valid) {
        w->before[k] = w->after[k] = 0;
    }
    int64_t rest = in + w->before[k] + w->after[k] - reach;
    if (rest < 0) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "a window that reaches over %lld does not fit into spatial dimension "
                              "%d of %lld with padding",
                              (long long)reach, k, (long long)in);
    }
    p->out[k] = rest / stride + 1;
    if (w->ceil_mode && !w->is_valid && rest % stride != 0 &&
        p->out[k] * stride < in + w->before[k]) {
        p->out[k]++; /* a window that would start in the padding after the input is none */
    }
    return true;
}

static void place(const nd_state *w, int64_t channels, const int64_t *dims, int64_t *stride,
                  int64_t *channel, int64_t *batch)
{
    int64_t space = 1, unit = w->channels_last ? channels : 1;
    for (int k = SPACE - 1; k >= 0; k--) {
        stride[k] = unit * space;
        space *= dims[k];
    }
    *channel = w->channels_last ? 1 : space;
    *batch = space * channels;
}

static bool measure(oribi_cpu_run *run, const nd_state *state, nd_pool *p, oribi_cpu_shape *out)
{
    oribi_cpu_shape in;
    int n_space = state->n_space, lead = SPACE - n_space, first = state->channels_last ? 1 : 2;
    if (!oribi_cpu_input_shape(run, 0, &in)) {
        return false;
    }
    if (in.n != n_space + 2) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "input %s must have rank %d",
                              oribi_cpu_shape_text(&in).chars, n_space + 2);
    }
    p->window = *state;
    p->n = in.at[0];
    p->channels = in.at[state->channels_last ? in.n - 1 : 1];
    *out = in;
    for (int k = SPACE - 1; k >= 0; k--) {
        int from = k - lead; /* dims line up at the end */
        p->in[k] = from < 0 ? 1 : in.at[first + from];
        p->window.kernel[k] = from < 0 ? 1 : state->kernel[from];
        p->window.strides[k] = from < 0 ? 1 : state->strides[from];
        p->window.dilations[k] = from < 0 ? 1 : state->dilations[from];
        p->window.before[k] = from < 0 ? 0 : state->before[from];
        p->window.after[k] = from < 0 ? 0 : state->after[from];
        if (!fit(run, p, k)) {
            return false;
        }
        if (from >= 0) {
            out->at[first + from] = p->out[k];
        }
    }
    int64_t count = 0;
    place(state, p->channels, p->in, p->x_stride, &p->x_channel, &p->x_batch);
    if (!oribi_cpu_count(run, out->at, out->n, &count)) {
        return false;
    }
    place(state, p->channels, p->out, p->y_stride, &p->y_channel, &p->y_batch);
    return true;
}

/* Taps [from, to) of dim k that lie inside [0, size), window at output coordinate `at`. */
static void taps(const nd_pool *p, int k, int64_t at, int64_t size, int64_t *from, int64_t *to)
{
    const nd_state *w = &p->window;
    int64_t first = at * w->strides[k] - w->before[k], step = w->dilations[k];
    *from = first >= 0 ? 0 : (-first + step - 1) / step;
    int64_t inside = size <= first ? 0 : (size - first + step - 1) / step;
    *to = inside < w->kernel[k] ? inside : w->kernel[k];
}

/* Index in the input as [n, c, spatial...]; column_major turns the spatial order around. */
static int64_t index_of(const nd_pool *p, int64_t plane, const int64_t *at)
{
    int64_t index = 0;
    for (int i = 0; i < SPACE; i++) {
        int k = p->window.column_major ? SPACE - 1 - i : i;
        index = index * p->in[k] + at[k];
    }
    return plane * p->in[0] * p->in[1] * p->in[2] + index;
}

/* One output element: offsets of x and of y, the window, the fold. */
#define POOL(id, T, A, start, fold, finish)                                                        \
    static void id##_##T##_element(const nd_pool *p, int64_t plane, const int64_t *o)              \
    {                                                                                              \
        int64_t from[SPACE], to[SPACE], all = 1, at[SPACE], best = -1;                             \
        const T *x = (const T *)p->x + plane / p->channels * p->x_batch +                          \
                     plane % p->channels * p->x_channel;                                           \
        int64_t y = plane / p->channels * p->y_batch + plane % p->channels * p->y_channel;         \
        for (int k = 0; k < SPACE; k++) {                                                          \
            int64_t low, high;                                                                     \
            taps(p, k, o[k], p->in[k], &from[k], &to[k]);                                          \
            taps(p, k, o[k], p->in[k] + (p->window.count_pads ? p->window.after[k] : 0), &low,     \
                 &high);                                                                           \
            low = p->window.count_pads ? 0 : low;                                                  \
            all *= high > low ? high - low : 1;                                                    \
            y += o[k] * p->y_stride[k];                                                            \
        }                                                                                          \
        A acc = start;                                                                             \
        if (p->indices != NULL) {                                                                  \
            p->indices[y] = -1; /* of a window that has padding alone */                           \
        }                                                                                          \
        for (int64_t a = from[0]; a < to[0]; a++) {                                                \
            for (int64_t b = from[1]; b < to[1]; b++) {                                            \
                for (int64_t c = from[2]; c < to[2]; c++) {                                        \
                    const int64_t tap[SPACE] = {a, b, c};                                          \
                    int64_t offset = 0;                                                            \
                    for (int k = 0; k < SPACE; k++) {                                              \
                        at[k] = o[k] * p->window.strides[k] - p->window.before[k] +                \
                                tap[k] * p->window.dilations[k];                                   \
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
            for (o[0] = 0; o[0] < p->out[0]; o[0]++) {                                             \
                for (o[1] = 0; o[1] < p->out[1]; o[1]++) {                                         \
                    for (o[2] = 0; o[2] < p->out[2]; o[2]++) {                                     \
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
    oribi_cpu_run run;
    oribi_cpu_shape out;
    nd_pool p = {.indices = NULL};
    if (oribi_cpu_begin(&run, context, 1) && measure(&run, state, &p, &out)) {
        p.x = TF_TensorData(run.in[0]);
        p.y = oribi_cpu_output(&run, 0, out.at, out.n);
        if (p.y != NULL && TF_NumOutputs(context) > 1) {
            p.indices = oribi_cpu_output(&run, 1, out.at, out.n);
        }
        int64_t elements = oribi_cpu_product(out.at, out.n);
        if (TF_GetCode(run.status) == TF_OK && elements > 0) {
            int64_t planes_count = p.n * p.channels;
            oribi_cpu_parallel(&run, planes_count, elements / planes_count * 40, &p, planes);
        }
    }
    oribi_cpu_end(&run);
}

POOL(max, float, float, -__builtin_inff(), v > acc ? v : acc, acc)
POOL(max, double, double, -__builtin_inf(), v > acc ? v : acc, acc)
POOL(max, int8_t, int8_t, INT8_MIN, v > acc ? v : acc, acc)
POOL(max, uint8_t, uint8_t, 0, v > acc ? v : acc, acc)
POOL(average, float, double, 0, acc + (double)v, acc / (double)all)
POOL(average, double, double, 0, acc + v, acc / (double)all)

#define ROW(op, T, dtype, create_fn, fn)                                                           \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_TYPE(dtype)}}, .priority = ORIBI_CPU_REFERENCE,   \
        .create = create_fn, .compute = fn##_##T##_compute, .destroy = oribi_cpu_free,             \
        .why = "plain loops"                                                                       \
    }
const oribi_cpu_kernel oribi_cpu_pool_nd_kernels[] = {
    ROW("ONNX>MaxPool", float, TF_FLOAT, onnx_max_create, max),
    ROW("ONNX>MaxPool", double, TF_DOUBLE, onnx_max_create, max),
    ROW("ONNX>MaxPool", int8_t, TF_INT8, onnx_max_create, max),
    ROW("ONNX>MaxPool", uint8_t, TF_UINT8, onnx_max_create, max),
    ROW("ONNX>AveragePool", float, TF_FLOAT, onnx_average_create, average),
    ROW("ONNX>AveragePool", double, TF_DOUBLE, onnx_average_create, average),
    ROW("MaxPool3D", float, TF_FLOAT, pool_3d_create, max),
    ROW("AvgPool3D", float, TF_FLOAT, pool_3d_create, average),
    ROW("AvgPool3D", double, TF_DOUBLE, pool_3d_create, average),
    {.op_name = NULL},
};
