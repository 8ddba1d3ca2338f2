/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions, NCHW to NHWC. Weights are strided views of the file: nothing is copied here. */
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx_window.h"
#include "micro/geometry/geometry_transposed.h"

enum { MAX_SIZE = 1 << 24 }; /* of kernels, strides, dilations and pads: products stay small */

static const oribi_dims OIHW_TO_HWIO = {4, {2, 3, 1, 0}};

/* Depthwise weights [c * m, 1, kh, kw] as [kh, kw, c, m]. */
static oribi_value_id depthwise_filter(oribi_onnx_node *n, oribi_value_id w, int64_t channels)
{
    const oribi_value *value = n->graph->values[w];
    int64_t outputs = value->shape.dims[0];
    int64_t kh = value->shape.dims[2], kw = value->shape.dims[3];
    int64_t multiplier = outputs / channels;
    static const oribi_dims perm = {4, {2, 3, 0, 1}};
    oribi_value_id filter = oribi_emit_transpose(n, w, &perm); /* [kh, kw, c * m, 1] */
    if (n->failed || n->graph->values[filter]->constant == NULL) {
        int64_t dims[] = {kh, kw, channels, multiplier};
        return oribi_emit_reshape(n, filter, dims, 4);
    }
    const oribi_constant *constant = n->graph->values[filter]->constant;
    const int64_t *from = constant->view.strides;
    int64_t dims[] = {kh, kw, channels, multiplier};
    int64_t strides[] = {from[0], from[1], from[2] * multiplier, from[2]};
    oribi_constant_view view = constant->view;
    view.dims = dims;
    view.strides = strides;
    oribi_source_retain(constant->source);
    oribi_value_id id =
        oribi_graph_add_constant(n->graph, value->name, &view, constant->source, n->status);
    n->failed = id < 0;
    return id;
}

static oribi_value_id add_bias(oribi_onnx_node *n, oribi_value_id y, oribi_value_id bias)
{
    return bias < 0 ? y : oribi_emit2(n, "BiasAdd", y, bias);
}

static bool check_weights(oribi_onnx_node *n, int32_t rank, oribi_dims *out_kernel)
{
    out_kernel->n = 0;
    int32_t w_rank = oribi_emit_rank(n, n->inputs[1]);
    if (n->failed || w_rank != rank) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "the weights have %d dimensions, but the input has %d", (int)w_rank,
                               (int)rank);
    }
    for (int32_t i = 0; i < rank; i++) {
        int64_t dim = oribi_emit_dim(n, n->inputs[1], i);
        if (dim < 0) {
            return oribi_onnx_want_shapes(n, "dimension %d of the weights is not known", (int)i);
        }
        if (dim < 1) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "dimension %d of the weights is %" PRId64, (int)i, dim);
        }
        if (i >= 2 && !oribi_dims_add(out_kernel, dim)) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "weights with %d dimensions are not supported", (int)rank);
        }
    }
    return true;
}

/* Kernel given twice must agree: the weights decide. */
static bool check_kernel(oribi_onnx_node *n, const oribi_window *w, const oribi_dims *kernel)
{
    for (int32_t i = 0; i < w->axes; i++) {
        if (w->kernel.at[i] != kernel->at[i]) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "kernel_shape says %" PRId64
                                   " on axis %d, but the weights say %" PRId64,
                                   w->kernel.at[i], (int)i, kernel->at[i]);
        }
    }
    return true;
}

static bool check_groups(oribi_onnx_node *n, int64_t group, int64_t channels, int64_t outputs,
                         int64_t per_group)
{
    if (group < 1 || outputs % group != 0 ||
        (channels >= 0 && (channels % group != 0 || channels / group != per_group))) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "%" PRId64 " groups, %" PRId64
                               " input channels and weights for %" PRId64
                               " of them do not fit, with %" PRId64 " output channels",
                               group, channels, per_group, outputs);
    }
    return true;
}

oribi_value_id oribi_onnx_conv(oribi_onnx_node *n)
{
    oribi_dims kernel;
    oribi_value_id x = n->inputs[0], w = n->inputs[1];
    oribi_window window;
    oribi_window_attrs attrs;
    int32_t rank = oribi_emit_rank(n, x);
    if (n->failed || !check_weights(n, rank, &kernel)) {
        return -1;
    }
    int64_t group = oribi_onnx_int(n, "group", 1), channels = oribi_emit_dim(n, x, 1);
    int64_t outputs = oribi_emit_dim(n, w, 0), per_group = oribi_emit_dim(n, w, 1);
    if (!oribi_window_read(n, x, &kernel, false, &window) || !check_kernel(n, &window, &kernel) ||
        !check_groups(n, group, channels, outputs, per_group)) {
        return -1;
    }
    if (rank == 3) {
        x = oribi_window_widen(n, x, &window);
        int64_t dims[] = {outputs, per_group, 1, kernel.at[0]};
        w = oribi_emit_reshape(n, w, dims, 4);
    }
    oribi_window_describe(&window, false, true, &attrs);
    bool is_depthwise = group > 1 && per_group == 1;
    oribi_value_id filter = n->failed      ? -1
                            : is_depthwise ? depthwise_filter(n, w, group)
                                           : oribi_emit_transpose(n, w, &OIHW_TO_HWIO);
    oribi_value_id y = oribi_emit_to_nhwc(n, x);
    y = oribi_emit(n, is_depthwise ? "DepthwiseConv2dNative" : "Conv2D", INPUTS(y, filter),
                   attrs.list, attrs.count);
    y = oribi_emit_to_nchw(n, add_bias(n, y, oribi_emit_input(n, 2)));
    return rank == 3 ? oribi_window_narrow(n, y) : y;
}

/* An input whose rank is not known has that of the weights, or the model is wrong. */
static void take_rank(oribi_onnx_node *n)
{
    oribi_shape *shape = &n->graph->values[n->inputs[0]]->shape;
    oribi_dims unknown = {.n = 0};
    if (shape->rank < 0 && oribi_emit_dims(n, n->inputs[1], &unknown)) {
        (void)oribi_dims_fill(&unknown, unknown.n, -1);
        if (!oribi_shape_copy(&n->graph->arena, unknown.at, unknown.n, shape)) {
            (void)oribi_onnx_no_memory(n);
        }
    }
}

/* TensorFlow's ops for floats in one and two dims whose filter has known sizes, else ONNX's own. */
static bool conv(oribi_onnx_node *n)
{
    take_rank(n);
    bool fits = !n->failed && !oribi_window_lacks_sizes(n, n->inputs[0]) &&
                oribi_emit_dtype(n, n->inputs[0]) != TF_DOUBLE;
    const oribi_shape *w = n->failed ? NULL : &n->graph->values[n->inputs[1]]->shape;
    fits = fits && w != NULL && oribi_emit_rank(n, n->inputs[0]) < 5 && w->rank >= 0;
    for (int32_t i = 0; fits && i < w->rank; i++) {
        fits = w->dims[i] >= 0;
    }
    return fits ? oribi_emit_bind(n, 0, oribi_onnx_conv(n))
                : !n->failed && oribi_onnx_translate_custom(n);
}

/* --- ConvTranspose --------------------------------------------------------------------------- */

/* What a ConvTranspose says of itself, by axis of space. */
typedef struct transposed {
    int32_t axes;
    int64_t group;
    oribi_dims kernel, strides, dilations, pads, more, wanted; /* the last three may be empty */
    const char *auto_pad;
    oribi_geometry_padding padding;
} transposed;

/* A list of `count` elements, each at least `least`; empty where the attribute is absent. */
static bool read_list(oribi_onnx_node *n, const char *name, int32_t count, int64_t least,
                      oribi_dims *out)
{
    out->n = 0;
    if (!oribi_onnx_dims(n, name, out)) {
        return !n->failed;
    }
    if (out->n != count) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s has %d elements, expected %d", name,
                               (int)out->n, (int)count);
    }
    for (int32_t i = 0; i < count; i++) {
        if (out->at[i] < least || out->at[i] > MAX_SIZE) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%s of %" PRId64 " is not possible",
                                   name, out->at[i]);
        }
    }
    return true;
}

/* output_shape may have batch and channels in front. */
static bool read_wanted(oribi_onnx_node *n, transposed *t)
{
    oribi_dims all;
    t->wanted.n = 0;
    if (!oribi_onnx_dims(n, "output_shape", &all)) {
        return !n->failed;
    }
    const int32_t skipped = all.n - t->axes;
    if (skipped != 0 && skipped != 2) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "output_shape has %d elements, but there are %d axes", (int)all.n,
                               (int)t->axes);
    }
    for (int32_t i = 0; i < t->axes; i++) {
        const int64_t size = all.at[skipped + i];
        if (size < 1 || size > INT32_MAX || !oribi_dims_add(&t->wanted, size)) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "an output size of %" PRId64 " is not possible", size);
        }
    }
    return true;
}

static bool read_transposed(oribi_onnx_node *n, const oribi_dims *kernel, transposed *t)
{
    static const char *const words[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
    oribi_dims given;
    t->axes = kernel->n;
    t->kernel = *kernel;
    t->group = oribi_onnx_int(n, "group", 1);
    t->auto_pad = words[0];
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        t->auto_pad =
            oribi_onnx_string_is(n, "auto_pad", words[0], words[i]) ? words[i] : t->auto_pad;
    }
    (void)oribi_geometry_read_padding(t->auto_pad, &t->padding);
    if (!read_list(n, "kernel_shape", t->axes, 1, &given) ||
        !read_list(n, "strides", t->axes, 1, &t->strides) ||
        !read_list(n, "dilations", t->axes, 1, &t->dilations) ||
        !read_list(n, "pads", 2 * t->axes, -MAX_SIZE, &t->pads) ||
        !read_list(n, "output_padding", t->axes, 0, &t->more) || !read_wanted(n, t)) {
        return false;
    }
    for (int32_t i = 0; i < given.n; i++) {
        if (given.at[i] != kernel->at[i]) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "kernel_shape says %" PRId64
                                   " on axis %d, but the weights say %" PRId64,
                                   given.at[i], (int)i, kernel->at[i]);
        }
    }
    return check_groups(n, t->group, oribi_emit_dim(n, n->inputs[0], 1),
                        oribi_emit_dim(n, n->inputs[1], 0),
                        oribi_emit_dim(n, n->inputs[1], 0) / (t->group > 0 ? t->group : 1));
}

static int64_t element(const oribi_dims *list, int32_t i, int64_t absent)
{
    return list->n > 0 ? list->at[i] : absent;
}

/* The convolution whose gradient this is, along one axis: its input is our result. False: there is
 * none, as where the result ends behind the last window. */
static bool spread(const transposed *t, int32_t i, int64_t in, oribi_geometry_transposed *out)
{
    *out = (oribi_geometry_transposed){.in = in,
                                       .taps = t->kernel.at[i],
                                       .stride = element(&t->strides, i, 1),
                                       .dilation = element(&t->dilations, i, 1),
                                       .more = element(&t->more, i, 0),
                                       .wanted = element(&t->wanted, i, -1),
                                       .padding = t->padding,
                                       .before = element(&t->pads, i, 0),
                                       .after = element(&t->pads, i + t->axes, 0)};
    return oribi_geometry_spread(out) == ORIBI_GEOMETRY_FITS && out->out > 0 && out->before >= 0 &&
           out->after >= 0;
}

/* Two axes at most, without groups, of sizes that are known: what GPUs and the fast kernels have.
 * False: the op of ours has to do it. */
static bool find_window(oribi_onnx_node *n, const transposed *t, oribi_window *w, oribi_dims *sizes)
{
    *w = (oribi_window){.axes = t->axes};
    sizes->n = 0;
    for (int32_t i = 0; i < t->axes; i++) {
        oribi_geometry_transposed axis;
        const int64_t in = oribi_emit_dim(n, n->inputs[0], i + 2);
        if (t->group != 1 || t->axes > 2 || in < 0 || !spread(t, i, in, &axis) ||
            axis.full > INT32_MAX) {
            return false;
        }
        const bool fits = oribi_dims_add(&w->in, axis.out) &&
                          oribi_dims_add(&w->kernel, axis.taps) &&
                          oribi_dims_add(&w->strides, axis.stride) &&
                          oribi_dims_add(&w->dilations, axis.dilation) &&
                          oribi_dims_add(&w->before, axis.before) &&
                          oribi_dims_add(&w->after, axis.after) && oribi_dims_add(sizes, axis.out);
        if (!fits) {
            return false;
        }
    }
    return true;
}

static oribi_value_id backprop_sizes(oribi_onnx_node *n, oribi_value_id x, const oribi_dims *sizes,
                                     int64_t channels)
{
    int64_t batch = oribi_emit_dim(n, x, 0);
    if (batch >= 0) {
        int64_t all[] = {batch, sizes->at[0], sizes->at[1], channels};
        return oribi_emit_vector_as(n, TF_INT32, all, 4);
    }
    oribi_value_id first = oribi_emit_range_of(n, oribi_emit_shape_of(n, x, TF_INT32), 0, 1);
    int64_t rest[] = {sizes->at[0], sizes->at[1], channels};
    return oribi_emit3(n, "ConcatV2", first, oribi_emit_vector_as(n, TF_INT32, rest, 3),
                       oribi_emit_int(n, 0));
}

/* y, of [n, c, ...], with the bias on its channels. */
static oribi_value_id add_channel_bias(oribi_onnx_node *n, oribi_value_id y, int32_t rank)
{
    const oribi_value_id bias = oribi_emit_input(n, 2);
    return bias < 0 ? y : oribi_emit2(n, "AddV2", y, oribi_emit_along_axis(n, bias, 1, rank));
}

/* As the op of ours. */
static bool transpose_plainly(oribi_onnx_node *n, const transposed *t)
{
    const oribi_value_id y =
        oribi_emit(n, "ONNX>ConvTranspose", INPUTS(n->inputs[0], n->inputs[1]),
                   ATTRS(ATTR_TEXT("auto_pad", t->auto_pad), ATTR_INT("group", t->group),
                         ATTR_INTS("dilations", t->dilations.at, t->dilations.n),
                         ATTR_INTS("output_padding", t->more.at, t->more.n),
                         ATTR_INTS("output_shape", t->wanted.at, t->wanted.n),
                         ATTR_INTS("pads", t->pads.at, t->pads.n),
                         ATTR_INTS("strides", t->strides.at, t->strides.n)));
    return oribi_emit_bind(n, 0, add_channel_bias(n, y, t->axes + 2));
}

static bool conv_transpose(oribi_onnx_node *n)
{
    oribi_dims kernel, sizes;
    oribi_value_id x = n->inputs[0], w = n->inputs[1];
    oribi_window window;
    oribi_window_attrs attrs;
    transposed t;
    int32_t rank = oribi_emit_rank(n, x);
    if (n->failed || !check_weights(n, rank, &kernel) || !read_transposed(n, &kernel, &t)) {
        return false;
    }
    if (!find_window(n, &t, &window, &sizes)) {
        for (int32_t i = 0; t.group == 1 && t.axes < 3 && i < t.axes; i++) {
            if (oribi_emit_dim(n, x, i + 2) < 0 &&
                oribi_import_may_be_open(n->graph, n->onnx->options)) {
                return oribi_onnx_want_shapes(n, "spatial sizes must be known");
            }
        }
        return transpose_plainly(n, &t);
    }
    int64_t channels = oribi_emit_dim(n, w, 1);
    if (rank == 3) {
        x = oribi_window_widen(n, x, &window);
        int64_t dims[] = {oribi_emit_dim(n, w, 0), channels, 1, kernel.at[0]};
        w = oribi_emit_reshape(n, w, dims, 4);
        sizes = (oribi_dims){2, {1, sizes.at[0]}};
    }
    window.is_same = false;
    window.is_valid = window.before.at[0] == 0 && window.before.at[1] == 0 &&
                      window.after.at[0] == 0 && window.after.at[1] == 0;
    oribi_window_describe(&window, false, true, &attrs);
    oribi_value_id filter = oribi_emit_transpose(n, w, &OIHW_TO_HWIO);
    oribi_value_id y = oribi_emit_to_nhwc(n, x);
    y = oribi_emit(n, "Conv2DBackpropInput",
                   INPUTS(backprop_sizes(n, x, &sizes, channels), filter, y), attrs.list,
                   attrs.count);
    y = oribi_emit_to_nchw(n, add_bias(n, y, oribi_emit_input(n, 2)));
    return oribi_emit_bind(n, 0, rank == 3 ? oribi_window_narrow(n, y) : y);
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_conv_rows[] = {
    {"Conv", 1, 28, conv, 2, 3, "Conv2D, DepthwiseConv2dNative, BiasAdd, Transpose; ONNX>Conv"},
    {"ConvTranspose", 1, 28, conv_transpose, 2, 3, "Conv2DBackpropInput, BiasAdd, Transpose; ONNX>ConvTranspose"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
