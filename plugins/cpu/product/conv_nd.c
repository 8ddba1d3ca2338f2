/* SPDX-License-Identifier: Apache-2.0 */
/* See conv_nd.h: attributes, shapes, plain loops with double sums in float and double. */
#include "cpu/product/conv_nd.h"

#include "cpu/base/families.h"

#include <string.h>

static void read_dims(oribi_kit_setup *setup, const char *name, int most, int64_t least,
                      oribi_dims *out)
{
    int count = 0;
    oribi_kit_attr_ints(setup, name, out->at, most, &count);
    out->n = count;
    for (int i = 0; i < count; i++) {
        if (out->at[i] < least || out->at[i] > INT32_MAX) {
            (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                       "%s[%d] is %lld, outside [%lld, 2^31)", name, i,
                                       (long long)out->at[i], (long long)least);
        }
    }
}

static void read_padding(oribi_kit_setup *setup, const char *name, oribi_conv_nd *state)
{
    char word[16] = "";
    oribi_kit_attr_string(setup, name, word, sizeof word);
    if (!oribi_geometry_read_padding(word, &state->padding)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "padding '%s' is unknown", word);
    }
}

void oribi_conv_nd_read_onnx(oribi_kit_setup *setup, oribi_conv_nd *out)
{
    out->is_onnx = true;
    read_padding(setup, "auto_pad", out);
    read_dims(setup, "strides", ORIBI_CONV_ND_SPACE, 1, &out->strides);
    read_dims(setup, "dilations", ORIBI_CONV_ND_SPACE, 1, &out->dilations);
    read_dims(setup, "pads", 2 * ORIBI_CONV_ND_SPACE, 0, &out->pads);
    oribi_kit_attr_int(setup, "group", &out->groups);
    if (out->groups < 1 || out->groups > INT32_MAX) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "%lld groups",
                                   (long long)out->groups);
    }
}

/* TensorFlow's lists name all five dims; those of batch and channels must be 1. */
static void keep_space(oribi_kit_setup *setup, const char *name, bool channels_last,
                       oribi_dims *list)
{
    const int channel = channels_last ? 4 : 1, first = channels_last ? 1 : 2;
    if (list->n != 5 || list->at[0] != 1 || list->at[channel] != 1) {
        (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED,
                                   "%s must name five dims, batch and channels with 1", name);
        return;
    }
    memmove(list->at, list->at + first, ORIBI_CONV_ND_SPACE * sizeof list->at[0]);
    list->n = ORIBI_CONV_ND_SPACE;
}

void oribi_conv_nd_read_3d(oribi_kit_setup *setup, oribi_conv_nd *out)
{
    char format[16] = "";
    oribi_kit_attr_string(setup, "data_format", format, sizeof format);
    out->channels_last = strcmp(format, "NDHWC") == 0;
    read_padding(setup, "padding", out);
    read_dims(setup, "strides", 5, 1, &out->strides);
    read_dims(setup, "dilations", 5, 1, &out->dilations);
    keep_space(setup, "strides", out->channels_last, &out->strides);
    keep_space(setup, "dilations", out->channels_last, &out->dilations);
}

static void onnx_read(oribi_kit_setup *setup, oribi_conv_nd *state)
{
    oribi_conv_nd_read_onnx(setup, state);
}
ORIBI_KIT_CREATE(onnx, oribi_conv_nd)

static void three_read(oribi_kit_setup *setup, oribi_conv_nd *state)
{
    oribi_conv_nd_read_3d(setup, state);
}
ORIBI_KIT_CREATE(three, oribi_conv_nd)

static bool check_shapes(oribi_kit_run *run, const oribi_conv_nd *conv, oribi_conv_nd_call *c,
                         const oribi_cpu_shape *x, const oribi_cpu_shape *w)
{
    const int space = x->n - 2, in = conv->is_onnx ? 1 : space, out = conv->is_onnx ? 0 : space + 1;
    if (space < 1 || space > ORIBI_CONV_ND_SPACE || w->n != x->n ||
        (!conv->is_onnx && space != 3) || (conv->strides.n != 0 && conv->strides.n != space) ||
        (conv->dilations.n != 0 && conv->dilations.n != space) ||
        (conv->pads.n != 0 && conv->pads.n != 2 * space)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "an input %s, a filter %s, strides, dilations and pads do not fit: "
                              "one to three spatial dims are possible",
                              oribi_cpu_shape_text(x).chars, oribi_cpu_shape_text(w).chars);
    }
    c->batches = x->at[0];
    c->channels = x->at[conv->channels_last ? x->n - 1 : 1];
    c->outputs = w->at[out];
    c->depth = w->at[in];
    c->groups = conv->groups > 0 ? conv->groups : c->depth > 0 ? c->channels / c->depth : 0;
    if (c->groups < 1 || c->depth < 1 || c->channels % c->depth != 0 ||
        c->channels / c->depth != c->groups || c->outputs % c->groups != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "an input %s with %lld channels does not fit a filter %s with %lld "
                              "groups",
                              oribi_cpu_shape_text(x).chars, (long long)c->channels,
                              oribi_cpu_shape_text(w).chars, (long long)c->groups);
    }
    return true;
}

static bool slide(oribi_kit_run *run, const oribi_conv_nd *conv, oribi_conv_nd_call *c,
                  const oribi_cpu_shape *x, const oribi_cpu_shape *w)
{
    static const char *const names[] = {"spatial dimension 0", "spatial dimension 1",
                                        "spatial dimension 2"};
    const int space = x->n - 2, lead = ORIBI_CONV_ND_SPACE - space;
    const int first = conv->channels_last ? 1 : 2, first_tap = conv->is_onnx ? 2 : 0;
    c->shape = *x;
    c->shape.at[conv->channels_last ? x->n - 1 : 1] = c->outputs;
    for (int k = 0; k < lead; k++) {
        c->axes[k] =
            (oribi_geometry_window){.in = 1, .taps = 1, .stride = 1, .dilation = 1, .out = 1};
    }
    for (int k = 0; k < space; k++) {
        oribi_geometry_window *axis = &c->axes[lead + k];
        const bool has_pads = conv->pads.n > 0 && conv->padding == ORIBI_GEOMETRY_EXPLICIT;
        *axis =
            (oribi_geometry_window){.in = x->at[first + k],
                                    .taps = w->at[first_tap + k],
                                    .stride = conv->strides.n > 0 ? conv->strides.at[k] : 1,
                                    .dilation = conv->dilations.n > 0 ? conv->dilations.at[k] : 1,
                                    .padding = conv->padding,
                                    .before = has_pads ? conv->pads.at[k] : 0,
                                    .after = has_pads ? conv->pads.at[space + k] : 0};
        if (!oribi_cpu_slide(run, names[k], axis)) {
            return false;
        }
        c->shape.at[first + k] = axis->out;
    }
    return true;
}

static oribi_conv_nd_layout layout(bool channels_last, int64_t channels, int64_t pixels)
{
    return (oribi_conv_nd_layout){.batch = channels * pixels,
                                  .channel = channels_last ? 1 : pixels,
                                  .pixel = channels_last ? channels : 1};
}

bool oribi_conv_nd_take(oribi_kit_run *run, const oribi_conv_nd *conv,
                        const oribi_cpu_shape *filter, oribi_conv_nd_call *out, bool *out_is_empty)
{
    oribi_cpu_shape x, w;
    oribi_conv_nd_call *c = out;
    const int bias = filter == NULL ? 2 : 1;
    int64_t count = 0;
    if (!oribi_cpu_input_shape(run, 0, &x) ||
        (filter == NULL && !oribi_cpu_input_shape(run, 1, &w))) {
        return false;
    }
    w = filter != NULL ? *filter : w;
    if (!check_shapes(run, conv, c, &x, &w) || !slide(run, conv, c, &x, &w) ||
        !oribi_cpu_count(run, c->shape.at, c->shape.n, &count)) {
        return false;
    }
    if (run->n_in > bias && TF_TensorElementCount(run->in[bias]) != c->outputs) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT, "a bias of %lld elements does not fit %lld output channels",
            (long long)TF_TensorElementCount(run->in[bias]), (long long)c->outputs);
    }
    c->in_pixels = c->axes[0].in * c->axes[1].in * c->axes[2].in;
    c->pixels = c->axes[0].out * c->axes[1].out * c->axes[2].out;
    c->taps = c->axes[0].taps * c->axes[1].taps * c->axes[2].taps;
    c->in = layout(conv->channels_last, c->channels, c->in_pixels);
    c->out = layout(conv->channels_last, c->outputs, c->pixels);
    c->w_tap = conv->is_onnx ? 1 : c->depth * c->outputs;
    c->w_in = conv->is_onnx ? c->taps : c->outputs;
    c->w_out = conv->is_onnx ? c->depth * c->taps : 1;
    c->x = TF_TensorData(run->in[0]);
    c->w = filter == NULL ? TF_TensorData(run->in[1]) : NULL;
    c->bias = run->n_in > bias ? TF_TensorData(run->in[bias]) : NULL;
    c->y = oribi_kit_output(run, 0, c->shape.at, c->shape.n);
    *out_is_empty = count == 0;
    return c->y != NULL;
}

/* Unit: an output element, numbered [batch, output channel, pixel]. */
#define LOOPS(T)                                                                                   \
    static double sum_##T(const oribi_conv_nd_call *c, const T *x, const T *w, int64_t pixel)      \
    {                                                                                              \
        const oribi_geometry_window *a = c->axes;                                                  \
        const int64_t at[] = {pixel / a[2].out / a[1].out, pixel / a[2].out % a[1].out,            \
                              pixel % a[2].out};                                                   \
        oribi_geometry_taps t[ORIBI_CONV_ND_SPACE];                                                \
        double sum = 0;                                                                            \
        for (int k = 0; k < ORIBI_CONV_ND_SPACE; k++) {                                            \
            t[k] = oribi_geometry_taps_of(&a[k], at[k], a[k].in);                                  \
        }                                                                                          \
        for (int64_t i = t[0].from; i < t[0].to; i++) {                                            \
            for (int64_t j = t[1].from; j < t[1].to; j++) {                                        \
                for (int64_t k = t[2].from; k < t[2].to; k++) {                                    \
                    const int64_t row = (t[0].first + i * a[0].dilation) * a[1].in + t[1].first +  \
                                        j * a[1].dilation;                                         \
                    const T *p =                                                                   \
                        x + (row * a[2].in + t[2].first + k * a[2].dilation) * c->in.pixel;        \
                    const T *q = w + ((i * a[1].taps + j) * a[2].taps + k) * c->w_tap;             \
                    for (int64_t in = 0; in < c->depth; in++) {                                    \
                        sum += (double)p[in * c->in.channel] * (double)q[in * c->w_in];            \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    static void conv_##T##_elements(void *object, int64_t begin, int64_t end)                      \
    {                                                                                              \
        const oribi_conv_nd_call *c = object;                                                      \
        for (int64_t i = begin; i < end; i++) {                                                    \
            const int64_t pixel = i % c->pixels, out = i / c->pixels % c->outputs;                 \
            const int64_t batch = i / c->pixels / c->outputs;                                      \
            const int64_t first = out / (c->outputs / c->groups) * c->depth;                       \
            const double sum =                                                                     \
                sum_##T(c, (const T *)c->x + batch * c->in.batch + first * c->in.channel,          \
                        (const T *)c->w + out * c->w_out, pixel);                                  \
            const double bias = c->bias == NULL ? 0 : (double)((const T *)c->bias)[out];           \
            ((T *)c->y)[batch * c->out.batch + out * c->out.channel + pixel * c->out.pixel] =      \
                (T)(sum + bias);                                                                   \
        }                                                                                          \
    }                                                                                              \
    static void conv_##T##_compute(void *state, TF_OpKernelContext *context)                       \
    {                                                                                              \
        oribi_kit_run run;                                                                         \
        oribi_conv_nd_call c = {.y = NULL};                                                        \
        bool is_empty = true;                                                                      \
        const int n = TF_NumInputs(context);                                                       \
        if (oribi_kit_begin(&run, context, n > 3 ? 3 : n) &&                                       \
            oribi_conv_nd_take(&run, state, NULL, &c, &is_empty) && !is_empty) {                   \
            oribi_kit_parallel(&run, c.batches *c.outputs *c.pixels, c.taps *c.depth * 2 + 40, &c, \
                               conv_##T##_elements);                                               \
        }                                                                                          \
        oribi_kit_end(&run);                                                                       \
    }
LOOPS(float)
LOOPS(double)

#define ROW(op, make, T, dtype)                                                                    \
    ORIBI_CPU_STATE_ROW(op, make, conv_##T, "plain loops, double sums", ORIBI_CPU_OF(dtype))
const oribi_cpu_kernel oribi_cpu_conv_nd_kernels[] = {
    ROW("ONNX>Conv", onnx, float, TF_FLOAT),
    ROW("ONNX>Conv", onnx, double, TF_DOUBLE),
    ROW("Conv3D", three, float, TF_FLOAT),
    ROW("Conv3D", three, double, TF_DOUBLE),
    {.op_name = NULL},
};
