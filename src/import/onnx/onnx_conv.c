/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions, NCHW to NHWC. Weights are strided views of the file: nothing is copied here. */
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx_window.h"

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
            n->failed = true;
            oribi_fail_memory(n->status);
        }
    }
}

static bool conv(oribi_onnx_node *n)
{
    take_rank(n);
    if (!n->failed && oribi_emit_rank(n, n->inputs[0]) == 5) {
        return oribi_onnx_translate_custom(n);
    }
    return oribi_emit_bind(n, 0, oribi_onnx_conv(n));
}

/* --- ConvTranspose --------------------------------------------------------------------------- */

/* Output sizes and the padding that gives them: output_shape, or pads and output_padding. */
static bool transpose_sizes(oribi_onnx_node *n, oribi_window *w, oribi_dims *out_sizes)
{
    oribi_dims extra = {0}, wanted = {0};
    const bool has_extra = oribi_onnx_dims(n, "output_padding", &extra);
    const bool has_wanted = oribi_onnx_dims(n, "output_shape", &wanted);
    const int32_t skipped = wanted.n - w->axes; /* batch and channels */
    bool is_upper = oribi_onnx_string_is(n, "auto_pad", "NOTSET", "SAME_UPPER");
    bool is_lower = oribi_onnx_string_is(n, "auto_pad", "NOTSET", "SAME_LOWER");
    if (n->failed || (has_extra && extra.n != w->axes) ||
        (has_wanted && skipped != 0 && skipped != 2)) {
        return oribi_onnx_fail(
            n, TF_INVALID_ARGUMENT,
            "output_padding has %d elements and output_shape %d, but there are %d axes",
            (int)extra.n, (int)wanted.n, (int)w->axes);
    }
    out_sizes->n = 0;
    for (int32_t i = 0; i < w->axes; i++) {
        const int64_t more = has_extra ? extra.at[i] : 0;
        if (w->in.at[i] < 0) {
            return oribi_onnx_want_shapes(n, "spatial sizes must be known");
        }
        if (more < 0 || more > INT32_MAX) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "output_padding of %" PRId64, more);
        }
        /* Strides, kernels and dilations are below 2^25 (onnx_window.c), sizes below 2^31. */
        int64_t full = w->strides.at[i] * (w->in.at[i] - 1) + more +
                       (w->kernel.at[i] - 1) * w->dilations.at[i] + 1;
        const bool has_size = has_wanted || is_upper || is_lower;
        const int64_t size = has_wanted ? wanted.at[skipped + i]
                             : has_size ? w->in.at[i] * w->strides.at[i]
                                        : full - w->before.at[i] - w->after.at[i];
        if (size < 1 || size > INT32_MAX || !oribi_dims_add(out_sizes, size)) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "an output size of %" PRId64 " is not possible", size);
        }
        if (has_size) {
            const int64_t total = full > size ? full - size : 0;
            oribi_geometry_part(total, !is_upper, &w->before.at[i], &w->after.at[i]);
        } else {
            w->after.at[i] -= more;
        }
        w->in.at[i] = size; /* the forward convolution's input */
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

static bool conv_transpose(oribi_onnx_node *n)
{
    oribi_dims kernel, sizes;
    oribi_value_id x = n->inputs[0], w = n->inputs[1];
    oribi_window window;
    oribi_window_attrs attrs;
    int32_t rank = oribi_emit_rank(n, x);
    if (n->failed || !check_weights(n, rank, &kernel)) {
        return false;
    }
    if (rank == 5 || oribi_onnx_int(n, "group", 1) != 1) {
        return oribi_onnx_translate_custom(n);
    }
    if (!oribi_window_read(n, x, &kernel, false, &window) || !check_kernel(n, &window, &kernel) ||
        !transpose_sizes(n, &window, &sizes)) {
        return false;
    }
    int64_t channels = oribi_emit_dim(n, w, 1);
    if (rank == 3) {
        x = oribi_window_widen(n, x, &window);
        int64_t dims[] = {oribi_emit_dim(n, w, 0), channels, 1, kernel.at[0]};
        w = oribi_emit_reshape(n, w, dims, 4);
        sizes = (oribi_dims){2, {1, sizes.at[0]}};
    }
    for (int32_t i = 0; i < 2; i++) {
        if (window.after.at[i] < 0) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "output_padding exceeds the padding");
        }
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
    {"Conv", 1, 28, conv, 2, 3, "Conv2D, DepthwiseConv2dNative, BiasAdd, Transpose"},
    {"ConvTranspose", 1, 28, conv_transpose, 2, 3, "Conv2DBackpropInput, BiasAdd, Transpose"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
