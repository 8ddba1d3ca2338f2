/* SPDX-License-Identifier: Apache-2.0 */
/* Ops ONNX>Name: ONNX operators whose meaning no TensorFlow op has exactly. Attributes bear ONNX's
 * names and defaults. `since_version` is the opset of the node, `present` tells which optional
 * inputs are among `inputs`; `data_format` (NCHW, as ONNX has it, by default) is ours.
 */
#include <inttypes.h>
#include <string.h>

#include "ops_core/ops_core.h"
#include "micro/geometry/geometry_transposed.h"
#include "ops_core/window_shapes.h"

enum { MAX_SPACE = 8, N_RESIZE_INPUTS = 4 };

/* The attributes of a pool, one entry per spatial dimension. */
typedef struct onnx_pool {
    int64_t kernel[MAX_SPACE], strides[MAX_SPACE], dilations[MAX_SPACE], pads[2 * MAX_SPACE];
    oribi_geometry_padding padding;
    bool ceil_mode, channels_last;
    int n_space;
} onnx_pool;

/* An absent list stands for one value everywhere. */
static bool read_list(oribi_ops_ctx *ctx, const char *name, int64_t absent, int64_t least,
                      int n_wanted, int64_t *out, TF_Status *status)
{
    int count;
    if (!oribi_ops_attr_ints(ctx, name, out, n_wanted, &count, status)) {
        return false;
    }
    for (int i = 0; count == 0 && i < n_wanted; i++) {
        out[i] = absent;
    }
    if (count != 0 && count != n_wanted) {
        return oribi_ops_fail(status, "Attr '%s' has %d values, expected %d", name, count,
                              n_wanted);
    }
    for (int i = 0; i < n_wanted; i++) {
        if (out[i] < least) {
            return oribi_ops_fail(status,
                                  "Attr '%s' holds %" PRId64 ", at least %" PRId64 " is possible",
                                  name, out[i], least);
        }
    }
    return true;
}

static bool read_pool(oribi_ops_ctx *ctx, onnx_pool *pool, TF_Status *status)
{
    char format[ORIBI_OPS_STRING];
    int64_t ceil_mode;
    if (!oribi_ops_attr_ints(ctx, "kernel_shape", pool->kernel, MAX_SPACE, &pool->n_space,
                             status) ||
        !read_list(ctx, "kernel_shape", 1, 1, pool->n_space, pool->kernel, status) ||
        !read_list(ctx, "strides", 1, 1, pool->n_space, pool->strides, status) ||
        !read_list(ctx, "dilations", 1, 1, pool->n_space, pool->dilations, status) ||
        !read_list(ctx, "pads", 0, 0, 2 * pool->n_space, pool->pads, status) ||
        !oribi_ops_attr_padding(ctx, "auto_pad", &pool->padding, status) ||
        !oribi_ops_attr_string(ctx, "data_format", format, status) ||
        !oribi_ops_attr_int(ctx, "ceil_mode", &ceil_mode, status)) {
        return false;
    }
    pool->ceil_mode = ceil_mode != 0;
    pool->channels_last = strcmp(format, "NHWC") == 0;
    return true;
}

static bool slide(const onnx_pool *pool, int k, int64_t in, int64_t *out, TF_Status *status)
{
    const oribi_geometry_window window = {.in = in,
                                          .taps = pool->kernel[k],
                                          .stride = pool->strides[k],
                                          .dilation = pool->dilations[k],
                                          .padding = pool->padding,
                                          .ceil = pool->ceil_mode,
                                          .before = pool->pads[k],
                                          .after = pool->pads[k + pool->n_space]};
    return oribi_ops_slide(&window, out, status);
}

static bool pool_shape(oribi_ops_ctx *ctx, oribi_ops_shape *shape, TF_Status *status)
{
    onnx_pool pool;
    if (!read_pool(ctx, &pool, status) ||
        !oribi_ops_input_rank(ctx, 0, pool.n_space + 2, shape, status)) {
        return false;
    }
    for (int k = 0; k < pool.n_space; k++) {
        int64_t *dim = &shape->at[pool.channels_last ? k + 1 : k + 2];
        if (!slide(&pool, k, *dim, dim, status)) {
            return false;
        }
    }
    return true;
}

static void average_pool(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (pool_shape(ctx, &shape, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static void max_pool(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (pool_shape(ctx, &shape, status) && oribi_ops_output(ctx, 0, &shape, status)) {
        oribi_ops_output(ctx, 1, &shape, status);
    }
}

/* --- Transposed convolutions ------------------------------------------------------------------ */

typedef struct onnx_transpose {
    int64_t strides[MAX_SPACE], dilations[MAX_SPACE], pads[2 * MAX_SPACE], more[MAX_SPACE],
        wanted[MAX_SPACE], group;
    oribi_geometry_padding padding;
} onnx_transpose;

static bool read_transpose(oribi_ops_ctx *ctx, int n_space, onnx_transpose *out, TF_Status *status)
{
    return read_list(ctx, "strides", 1, 1, n_space, out->strides, status) &&
           read_list(ctx, "dilations", 1, 1, n_space, out->dilations, status) &&
           read_list(ctx, "pads", 0, INT32_MIN, 2 * n_space, out->pads, status) &&
           read_list(ctx, "output_padding", 0, 0, n_space, out->more, status) &&
           read_list(ctx, "output_shape", -1, -1, n_space, out->wanted, status) &&
           oribi_ops_attr_int(ctx, "group", &out->group, status) &&
           oribi_ops_attr_padding(ctx, "auto_pad", &out->padding, status) &&
           (out->group > 0 ||
            oribi_ops_fail(status, "Attr 'group' is %" PRId64 ", at least 1 is possible",
                           out->group));
}

static bool spread(const onnx_transpose *t, int n_space, int k, int64_t in, int64_t taps,
                   int64_t *out, TF_Status *status)
{
    oribi_geometry_transposed axis = {.in = in,
                                      .taps = taps,
                                      .stride = t->strides[k],
                                      .dilation = t->dilations[k],
                                      .more = t->more[k],
                                      .wanted = t->wanted[k],
                                      .padding = t->padding,
                                      .before = t->pads[k],
                                      .after = t->pads[k + n_space]};
    if (oribi_geometry_spread(&axis) != ORIBI_GEOMETRY_FITS) {
        return oribi_ops_fail(status,
                              "A filter of %" PRId64 " over %" PRId64 ", padding of %" PRId64
                              " and %" PRId64 " leave no size for dimension %d",
                              taps, in, axis.before, axis.after, k + 2);
    }
    *out = axis.out;
    return true;
}

/* Channels of x are those of the filter, and a multiple of the groups. */
static bool channels_fit(const oribi_ops_shape *x, const oribi_ops_shape *w, int64_t group,
                         int64_t *out, TF_Status *status)
{
    int64_t channels = x->at[1];
    if (!oribi_ops_merge_dim(&channels, w->at[0], status) ||
        !oribi_ops_multiply(w->at[1], group, out, status)) {
        return false;
    }
    return channels < 0 || channels % group == 0 ||
           oribi_ops_fail(status, "%" PRId64 " channels are not a multiple of %" PRId64 " groups",
                          channels, group);
}

static void conv_transpose(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, w, out;
    onnx_transpose attrs;
    if (!oribi_ops_input(ctx, 0, &x, status) || !oribi_ops_input(ctx, 1, &w, status)) {
        return;
    }
    const int32_t rank = x.n >= 0 ? x.n : w.n;
    if (rank < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&out), status);
        return;
    }
    if (rank < 3 || rank > MAX_SPACE + 2) {
        oribi_ops_fail(status, "Shape must be of rank 3 to %d but is rank %d", MAX_SPACE + 2,
                       (int)rank);
        return;
    }
    if (!oribi_ops_with_rank(&x, rank, status) || !oribi_ops_with_rank(&w, rank, status) ||
        !read_transpose(ctx, rank - 2, &attrs, status)) {
        return;
    }
    out = x;
    if (!channels_fit(&x, &w, attrs.group, &out.at[1], status)) {
        return;
    }
    for (int k = 0; k < rank - 2; k++) {
        if (!spread(&attrs, rank - 2, k, x.at[k + 2], w.at[k + 2], &out.at[k + 2], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &out, status);
}

/* x [n, channels, space...], w [out, channels of a group, taps...]. */
static void conv(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, w;
    onnx_pool window = {.ceil_mode = false};
    if (!oribi_ops_input(ctx, 0, &x, status) || !oribi_ops_input(ctx, 1, &w, status) ||
        (x.n < 0 && w.n < 0)) {
        return;
    }
    if (!oribi_ops_with_rank(&x, w.n < 0 ? x.n : w.n, status) ||
        !oribi_ops_with_rank(&w, x.n, status) || !oribi_ops_at_least(&x, 3, status) ||
        !oribi_ops_at_most(&x, MAX_SPACE + 2, status)) {
        return;
    }
    window.n_space = x.n - 2;
    if (!read_list(ctx, "strides", 1, 1, window.n_space, window.strides, status) ||
        !read_list(ctx, "dilations", 1, 1, window.n_space, window.dilations, status) ||
        !read_list(ctx, "pads", 0, 0, 2 * window.n_space, window.pads, status) ||
        !oribi_ops_attr_padding(ctx, "auto_pad", &window.padding, status)) {
        return;
    }
    x.at[1] = w.at[0];
    for (int k = 0; k < window.n_space; k++) {
        window.kernel[k] = w.at[k + 2];
        if (!slide(&window, k, x.at[k + 2], &x.at[k + 2], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &x, status);
}

/* --- Resize ----------------------------------------------------------------------------------- */

/* Axes that scales and sizes speak of: the attribute, or all. */
static bool resize_axes(oribi_ops_ctx *ctx, int32_t rank, oribi_wide_dims *axes, TF_Status *status)
{
    if (!oribi_ops_attr_list(ctx, "axes", axes, status)) {
        return false;
    }
    for (int i = 0; i < axes->n; i++) {
        if (!oribi_ops_axis(axes->at[i], rank, &axes->at[i], status)) {
            return false;
        }
    }
    for (int i = 0, are_all = axes->n == 0; are_all && i < rank; i++) {
        (void)oribi_wide_dims_add(axes, i);
    }
    return true;
}

/* floor(in * scale) in float32, as ONNX's own inference has it; -1 when it can not be told. */
static bool scale_dims(const TF_Tensor *scales, const oribi_wide_dims *axes, oribi_ops_shape *shape,
                       TF_Status *status)
{
    const float *values = TF_TensorData(scales);
    if (TF_TensorType(scales) != TF_FLOAT || TF_TensorElementCount(scales) != axes->n) {
        return oribi_ops_fail(status, "scales must be %d floats", axes->n);
    }
    for (int i = 0; i < axes->n; i++) {
        int64_t *dim = &shape->at[axes->at[i]];
        int64_t size = -1;
        if (!(values[i] > 0) ||
            (*dim >= 0 && !oribi_real_to_size((double)((float)*dim * values[i]), &size))) {
            return oribi_ops_fail(status, "scale %g of dimension %d is not possible",
                                  (double)values[i], (int)axes->at[i]);
        }
        *dim = size;
    }
    return true;
}

/* With a policy that keeps the aspect ratio, one scale goes for all axes. */
static bool keep_ratio(const char *policy, const oribi_wide_dims *sizes,
                       const oribi_wide_dims *axes, oribi_ops_shape *shape)
{
    bool smaller = strcmp(policy, "not_larger") == 0;
    float scale = 0;
    for (int i = 0; i < axes->n; i++) {
        if (shape->at[axes->at[i]] <= 0) {
            return false;
        }
        float one = (float)sizes->at[i] / (float)shape->at[axes->at[i]];
        scale = i == 0 || (smaller ? one < scale : one > scale) ? one : scale;
    }
    for (int i = 0; i < axes->n; i++) {
        int64_t *dim = &shape->at[axes->at[i]];
        if (!oribi_real_to_size((double)scale * (double)*dim + 0.5, dim)) {
            return false;
        }
    }
    return true;
}

static bool size_dims(oribi_ops_ctx *ctx, int input, const oribi_wide_dims *axes,
                      oribi_ops_shape *shape, TF_Status *status)
{
    oribi_wide_dims sizes;
    char policy[ORIBI_OPS_STRING];
    if (!oribi_ops_attr_string(ctx, "keep_aspect_ratio_policy", policy, status) ||
        !oribi_ops_input_list(ctx, input, &sizes, status)) {
        return false;
    }
    if (sizes.n >= 0 && sizes.n != axes->n) {
        return oribi_ops_fail(status, "sizes must be %d integers", axes->n);
    }
    bool stretches = strcmp(policy, "stretch") == 0;
    for (int i = 0; i < axes->n; i++) {
        if (sizes.n >= 0 && sizes.at[i] < 0) {
            return oribi_ops_fail(status, "sizes[%d] is %" PRId64, i, sizes.at[i]);
        }
        if (sizes.n < 0 || stretches) {
            shape->at[axes->at[i]] = sizes.n < 0 ? -1 : sizes.at[i];
        }
    }
    if (sizes.n >= 0 && !stretches && !keep_ratio(policy, &sizes, axes, shape)) {
        for (int i = 0; i < axes->n; i++) {
            shape->at[axes->at[i]] = -1;
        }
    }
    return true;
}

static bool resize_shape(oribi_ops_ctx *ctx, const int inputs[N_RESIZE_INPUTS],
                         oribi_ops_shape *shape, TF_Status *status)
{
    oribi_wide_dims axes;
    if (shape->n < 0) {
        return true;
    }
    if (!resize_axes(ctx, shape->n, &axes, status)) {
        return false;
    }
    if (inputs[3] >= 0) {
        return size_dims(ctx, inputs[3], &axes, shape, status);
    }
    TF_Tensor *scales = inputs[2] >= 0 ? TF_ShapeInferenceContextInputTensor(ctx, inputs[2]) : NULL;
    if (scales == NULL) {
        for (int i = 0; i < axes.n; i++) {
            shape->at[axes.at[i]] = -1;
        }
        return true;
    }
    bool done = scale_dims(scales, &axes, shape, status);
    TF_DeleteTensor(scales);
    return done;
}

static void resize(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    int inputs[N_RESIZE_INPUTS];
    if (oribi_ops_present(ctx, N_RESIZE_INPUTS, 1, inputs, status) &&
        oribi_ops_input(ctx, 0, &shape, status) && resize_shape(ctx, inputs, &shape, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

/* clang-format off: one attribute a line */
#define POOL_ATTRS                                                                                 \
    "auto_pad: {'NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID'} = 'NOTSET'; "                       \
    "ceil_mode: int = 0; dilations: list(int) = []; kernel_shape: list(int) >= 1; "                \
    "pads: list(int) = []; strides: list(int) = []; "                                              \
    "data_format: {'NHWC', 'NCHW'} = 'NCHW'; since_version: int = 0"
/* clang-format on */

const oribi_ops_row oribi_ops_onnx[] = {
    {.name = "ONNX>AveragePool",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; count_include_pad: int = 0; " POOL_ATTRS,
     .traits = "batch(x)",
     .shape = average_pool},
    {.name = "ONNX>LpPool",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; p: int = 2; " POOL_ATTRS,
     .shape = average_pool},
    {.name = "ONNX>MaxPool",
     .inputs = "x: T",
     .outputs = "y: T; indices: int64",
     .attrs =
         "T: {half, bfloat16, float, double, int8, uint8}; storage_order: int = 0; " POOL_ATTRS,
     .shape = max_pool},
    {.name = "ONNX>ConvTranspose", /* a bias is an op of its own */
     .inputs = "x: T; w: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS
              "; auto_pad: {'NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID'} = 'NOTSET'; "
              "dilations: list(int) = []; group: int = 1; output_padding: list(int) = []; "
              "output_shape: list(int) = []; pads: list(int) = []; strides: list(int) = []; "
              "since_version: int = 0",
     .shape = conv_transpose},
    {.name = "ONNX>LRN",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS
              "; size: int >= 1; alpha: float = 0.0001; beta: float = 0.75; bias: float = 1.0; "
              "since_version: int = 0",
     .traits = "along(x, 1)",
     .shape = oribi_ops_shape_unchanged},
    {.name = "ONNX>Conv",
     .inputs = "x: T; w: T; bias: N * T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; N: int >= 0; "
              "auto_pad: {'NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID'} = 'NOTSET'; "
              "dilations: list(int) = []; group: int = 1; kernel_shape: list(int) = []; "
              "pads: list(int) = []; strides: list(int) = []; since_version: int = 0",
     .traits = "packs(w)",
     .shape = conv},
    {.name = "ONNX>Resize",
     .inputs = "inputs: Tinputs",
     .outputs = "y: T",
     .attrs = "T: type; Tinputs: list(type) >= 1; present: list(bool) = []; "
              "antialias: int = 0; axes: list(int) = []; "
              "coordinate_transformation_mode: {'half_pixel', 'half_pixel_symmetric', "
              "'pytorch_half_pixel', 'align_corners', 'asymmetric', 'tf_half_pixel_for_nn', "
              "'tf_crop_and_resize'} = 'half_pixel'; cubic_coeff_a: float = -0.75; "
              "exclude_outside: int = 0; extrapolation_value: float = 0.0; "
              "keep_aspect_ratio_policy: {'stretch', 'not_larger', 'not_smaller'} = 'stretch'; "
              "mode: {'nearest', 'linear', 'cubic'} = 'nearest'; "
              "nearest_mode: {'round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil'} = "
              "'round_prefer_floor'; since_version: int = 0",
     .shape = resize},
    {.name = "ONNX>PRelu",
     .inputs = "x: T; slope: T",
     .outputs = "y: T",
     .attrs = "T: {half, bfloat16, float, double, int32, int64, uint32, uint64}; "
              "since_version: int = 0",
     .traits = "elementwise",
     .fuses = "(x, slope) = Add(Maximum(x, 0), Mul(slope, Minimum(x, 0)))",
     .shape = oribi_ops_shape_broadcast},
    {.name = "ONNX>HardSigmoid",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs =
         "T: " ORIBI_OPS_FLOATS "; alpha: float = 0.2; beta: float = 0.5; since_version: int = 0",
     .traits = "elementwise",
     .fuses = "(x) = ClipByValue(Add(Mul(x, @alpha), @beta), 0, 1)",
     .shape = oribi_ops_shape_unchanged},
    {.name = "ONNX>HardSwish",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; since_version: int = 0",
     .traits = "elementwise",
     .fuses = "(x) = Mul(x, ClipByValue(Add(Mul(x, 0.16666667), 0.5), 0, 1))\n"
              "(x) = Mul(x, Relu6(Add(x, 3)), 0.16666667)",
     .shape = oribi_ops_shape_unchanged},
    {.name = "ONNX>Mish",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; since_version: int = 0",
     .traits = "elementwise",
     .fuses = "(x) = Mul(x, Tanh(Softplus(x)))",
     .shape = oribi_ops_shape_unchanged},
    {.name = "ONNX>Swish",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; alpha: float = 1.0; since_version: int = 0",
     .traits = "elementwise",
     .fuses = "(x) = Mul(x, Sigmoid(Mul(x, @alpha)))",
     .shape = oribi_ops_shape_unchanged},
    {.name = "ONNX>Gelu",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs =
         "T: " ORIBI_OPS_FLOATS "; approximate: {'none', 'tanh'} = 'none'; since_version: int = 0",
     .traits = "elementwise",
     .fuses = "(x) = Mul(0.5, x, Add(1, Erf(Mul(0.70710678, x)))); approximate = none\n"
              "(x) = Mul(0.5, x, Add(1, Tanh(Mul(0.79788456, Add(x, Mul(0.044715, x, x, x))))));"
              " approximate = tanh\n"
              "(x) = Mul(0.5, x, Add(1, Tanh(Mul(0.79788456, x, Add(1, Mul(0.044715, x, x))))));"
              " approximate = tanh",
     .shape = oribi_ops_shape_unchanged},
    {.name = " ONNX>Celu ONNX>ThresholdedRelu",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; alpha: float = 1.0; since_version: int = 0",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "ONNX>Shrink",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: realnumbertype; bias: float = 0.0; lambd: float = 0.5; since_version: int = 0",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = NULL},
};
