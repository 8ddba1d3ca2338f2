/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: plain, depthwise, transposed, 3-D, and the fused ones. */
#include <inttypes.h>
#include <string.h>

#include "micro/geometry/geometry_axes.h"
#include "ops_core/ops_core.h"
#include "ops_core/window_shapes.h"

/* The filter's depth divides the input's; the number of groups divides the output's. */
static bool check_groups(int64_t input_depth, int64_t filter_depth, int64_t output_depth,
                         TF_Status *status)
{
    if (input_depth < 0 || filter_depth < 0) {
        return true;
    }
    if (filter_depth == 0 || input_depth % filter_depth != 0) {
        return oribi_ops_fail(status,
                              "Depth of input (%" PRId64
                              ") is not a multiple of input depth of filter (%" PRId64 ")",
                              input_depth, filter_depth);
    }
    int64_t groups = input_depth / filter_depth;
    if (output_depth >= 0 && (groups == 0 || output_depth % groups != 0)) {
        return oribi_ops_fail(status,
                              "Depth of output (%" PRId64
                              ") is not a multiple of the number of groups (%" PRId64 ")",
                              output_depth, groups);
    }
    return true;
}

/* Spatial sizes and channels into output, whose batch is the input's. */
static bool slide_all(const oribi_ops_window *window, const oribi_ops_shape *input,
                      const oribi_ops_shape *filter, int64_t depth, oribi_ops_shape *out,
                      TF_Status *status)
{
    *out = *input;
    out->at[oribi_ops_window_channel(window)] = depth;
    for (int k = 0; k < window->n_space; k++) {
        int at = oribi_ops_window_space(window, k);
        if (!oribi_ops_window_slide(window, at, input->at[at], filter->at[k], &out->at[at],
                                    status)) {
            return false;
        }
    }
    return true;
}

/* Planes: the input is NCHW, and all else as the attributes have it, NHWC. */
static void convolve(oribi_ops_ctx *ctx, int n_space, bool of_planes, TF_Status *status)
{
    static const int64_t to_pixels[4] = {0, 2, 3, 1};
    oribi_ops_window window;
    oribi_ops_shape input, filter, output;
    if (!oribi_ops_window_read(ctx, n_space, &window, status) || window.is_vectored) {
        return;
    }
    if (!oribi_ops_input_rank(ctx, 0, n_space + 2, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, n_space + 2, &filter, status)) {
        return;
    }
    if (of_planes) {
        const oribi_ops_shape planes = input;
        oribi_geometry_permute(planes.at, to_pixels, 4, input.at);
    }
    int64_t depth = filter.at[n_space + 1];
    if (check_groups(input.at[oribi_ops_window_channel(&window)], filter.at[n_space], depth,
                     status) &&
        slide_all(&window, &input, &filter, depth, &output, status)) {
        oribi_ops_output(ctx, 0, &output, status);
    }
}

static void conv_2d(oribi_ops_ctx *ctx, TF_Status *status)
{
    convolve(ctx, 2, false, status);
}

static void conv_3d(oribi_ops_ctx *ctx, TF_Status *status)
{
    convolve(ctx, 3, false, status);
}

static void fused_conv_2d(oribi_ops_ctx *ctx, TF_Status *status)
{
    char format[ORIBI_OPS_STRING];
    if (!oribi_ops_attr_string(ctx, "filter_format", format, status)) {
        return;
    }
    if (strcmp(format, "HWIO") == 0) { /* other layouts belong to other devices: unknown */
        convolve(ctx, 2, false, status);
    }
}

static void conv_2d_of(oribi_ops_ctx *ctx, TF_Status *status)
{
    char format[ORIBI_OPS_STRING];
    if (oribi_ops_attr_string(ctx, "input_format", format, status)) {
        convolve(ctx, 2, strcmp(format, "NCHW") == 0, status);
    }
}

static void depthwise(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_window window;
    oribi_ops_shape input, filter, output;
    int64_t depth;
    if (!oribi_ops_window_read(ctx, 2, &window, status) ||
        !oribi_ops_input_rank(ctx, 0, 4, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 4, &filter, status)) {
        return;
    }
    if (oribi_ops_merge_dim(&filter.at[2], input.at[oribi_ops_window_channel(&window)], status) &&
        oribi_ops_multiply(filter.at[2], filter.at[3], &depth, status) &&
        slide_all(&window, &input, &filter, depth, &output, status)) {
        oribi_ops_output(ctx, 0, &output, status);
    }
}

/* input_sizes holds the whole result, or its spatial sizes alone. */
static void backprop_input(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_window window;
    oribi_ops_shape sizes, filter, gradient, output;
    if (!oribi_ops_window_read(ctx, 2, &window, status) ||
        !oribi_ops_input_as_shape(ctx, 0, &sizes, status) ||
        !oribi_ops_input_rank(ctx, 1, 4, &filter, status) ||
        !oribi_ops_input_rank(ctx, 2, 4, &gradient, status) ||
        !oribi_ops_merge_dim(&gradient.at[oribi_ops_window_channel(&window)], filter.at[3],
                             status)) {
        return;
    }
    if (sizes.n == 2) {
        oribi_ops_set_unknown_dims(&output, 4);
        output.at[0] = gradient.at[0];
        output.at[oribi_ops_window_channel(&window)] = filter.at[2];
        output.at[oribi_ops_window_space(&window, 0)] = sizes.at[0];
        output.at[oribi_ops_window_space(&window, 1)] = sizes.at[1];
        oribi_ops_output(ctx, 0, &output, status);
    } else if (sizes.n < 0 || sizes.n == 4) {
        if (oribi_ops_with_rank(&sizes, 4, status) &&
            oribi_ops_merge_dim(&sizes.at[0], gradient.at[0], status)) {
            oribi_ops_output(ctx, 0, &sizes, status);
        }
    } else {
        oribi_ops_fail(status,
                       "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, "
                       "but got: %d",
                       (int)sizes.n);
    }
}

const oribi_ops_row oribi_ops_conv[] = {
    {.name = "Conv2D",
     .inputs = "input: T; filter: T",
     .outputs = "output: T",
     .attrs = "T: {half, bfloat16, float, double, int32}; strides: list(int); "
              "use_cudnn_on_gpu: bool = true; " ORIBI_OPS_PADDING_EXPLICIT
              "; explicit_paddings: list(int) = []; " ORIBI_OPS_FORMAT
              "; dilations: list(int) = [1, 1, 1, 1]",
     .traits = "batch(input); packs(filter); cost(conv, filter)",
     .shape = conv_2d},
    {.name = "_FusedConv2D",
     .inputs = "input: T; filter: T; args: TArgs; host_args: num_host_args * float",
     .outputs = "output: T",
     .attrs =
         "T: {half, float, double, int8, qint8}; TArgs: list(type) >= 1; "
         "num_args: int >= 0; num_host_args: int >= 0 = 0; "
         "strides: list(int); " ORIBI_OPS_PADDING_EXPLICIT "; explicit_paddings: list(int) = []; "
         "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'; "
         "filter_format: {'HWIO', 'OIHW', 'OIHW_VECT_I'} = 'HWIO'; "
         "dilations: list(int) = [1, 1, 1, 1]; use_cudnn_on_gpu: bool = true; "
         "fused_ops: list(string) = []; epsilon: float = 0.0001; "
         "leakyrelu_alpha: float = 0.2",
     .traits = "batch(input, args); packs(filter); cost(conv, filter)",
     .fuses = "Conv2D " ORIBI_OPS_EPILOGUE,
     .shape = fused_conv_2d},
    /* Ours: a picture of planes becomes pixels on the way, and the result is NHWC. */
    {.name = "Oribi>FusedConv2d",
     .inputs = "input: T; filter: T; args: num_args * T",
     .outputs = "output: T",
     .attrs = "T: " ORIBI_OPS_FLOATS
              "; num_args: int >= 0; strides: list(int); " ORIBI_OPS_PADDING_EXPLICIT
              "; explicit_paddings: list(int) = []; data_format: {'NHWC'} = 'NHWC'; "
              "input_format: {'NHWC', 'NCHW'} = 'NCHW'; "
              "dilations: list(int) = [1, 1, 1, 1]; fused_ops: list(string) = []; "
              "epsilon: float = 0.0001; leakyrelu_alpha: float = 0.2",
     .traits = "batch(input, args); packs(filter); cost(conv, filter)",
     .fuses = "planes:Conv2D " ORIBI_OPS_EPILOGUE,
     .shape = conv_2d_of},
    {.name = "DepthwiseConv2dNative",
     .inputs = "input: T; filter: T",
     .outputs = "output: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; strides: list(int); " ORIBI_OPS_PADDING_EXPLICIT
              "; explicit_paddings: list(int) = []; " ORIBI_OPS_FORMAT
              "; dilations: list(int) = [1, 1, 1, 1]",
     .traits = "batch(input); packs(filter); cost(conv, filter)",
     .shape = depthwise},
    {.name = "_FusedDepthwiseConv2dNative",
     .inputs = "input: T; filter: T; args: num_args * T",
     .outputs = "output: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; num_args: int >= 0; strides: list(int); " ORIBI_OPS_PADDING
              "; " ORIBI_OPS_FORMAT
              "; dilations: list(int) = [1, 1, 1, 1]; fused_ops: list(string) = []; "
              "epsilon: float = 0.0001; leakyrelu_alpha: float = 0.2",
     .traits = "batch(input, args); packs(filter); cost(conv, filter)",
     .fuses = "DepthwiseConv2dNative " ORIBI_OPS_EPILOGUE,
     .shape = depthwise},
    /* Ours: TensorFlow's fused depthwise convolution has no explicit padding. */
    {.name = "Oribi>FusedDepthwiseConv2d",
     .inputs = "input: T; filter: T; args: num_args * T",
     .outputs = "output: T",
     .attrs = "T: " ORIBI_OPS_FLOATS
              "; num_args: int >= 0; strides: list(int); " ORIBI_OPS_PADDING_EXPLICIT
              "; explicit_paddings: list(int) = []; " ORIBI_OPS_FORMAT
              "; dilations: list(int) = [1, 1, 1, 1]; fused_ops: list(string) = []; "
              "epsilon: float = 0.0001; leakyrelu_alpha: float = 0.2",
     .traits = "batch(input, args); packs(filter); cost(conv, filter)",
     .fuses = "DepthwiseConv2dNative " ORIBI_OPS_EPILOGUE,
     .shape = depthwise},
    {.name = "Conv2DBackpropInput",
     .inputs = "input_sizes: int32; filter: T; out_backprop: T",
     .outputs = "output: T",
     .attrs = "T: {half, bfloat16, float, double, int32}; strides: list(int); "
              "use_cudnn_on_gpu: bool = true; " ORIBI_OPS_PADDING_EXPLICIT
              "; explicit_paddings: list(int) = []; " ORIBI_OPS_FORMAT
              "; dilations: list(int) = [1, 1, 1, 1]",
     .traits = "packs(filter); cost(conv, filter); parameters(input_sizes)",
     .shape = backprop_input},
    {.name = "Conv3D",
     .inputs = "input: T; filter: T",
     .outputs = "output: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; strides: list(int) >= 5; " ORIBI_OPS_PADDING
              "; " ORIBI_OPS_FORMAT_3D "; dilations: list(int) = [1, 1, 1, 1, 1]",
     .traits = "batch(input); packs(filter); cost(conv, filter)",
     .shape = conv_3d},
    {.name = NULL},
};
