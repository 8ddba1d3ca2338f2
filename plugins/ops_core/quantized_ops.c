/* SPDX-License-Identifier: Apache-2.0 */
/* Ops Oribi>Q...: TFLite's quantised operators, NHWC, with TFLite's layouts of weights (filter
 * OHWI, depthwise 1HW(C*M), fully connected [O, I]). The quantisation of each input and of the
 * result are attributes, so that a node alone says what to compute. `rounding` tells whose:
 * TFLite Micro's or the TFLite interpreter's. Importers make these nodes; micro/ has their
 * arithmetic.
 */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/window_shapes.h"

enum { HEIGHT = 1, WIDTH = 2, CHANNELS = 3 };

/* Holds what the windows of convolutions and pools have in common; (height, width). */
typedef struct quantized_window {
    int64_t size[2], strides[2], dilations[2];
    oribi_ops_window padding;
} quantized_window;

static bool read_pair(oribi_ops_ctx *ctx, const char *name, int64_t out[2], TF_Status *status)
{
    int count;
    if (!oribi_ops_attr_ints(ctx, name, out, 2, &count, status)) {
        return false;
    }
    if (count != 2 || out[0] <= 0 || out[1] <= 0) {
        return oribi_ops_fail(status, "Attr '%s' must be two positive values (height, width)",
                              name);
    }
    return true;
}

static bool read_window(oribi_ops_ctx *ctx, quantized_window *out, TF_Status *status)
{
    *out = (quantized_window){
        .size = {-1, -1}, .strides = {1, 1}, .dilations = {1, 1}, .padding.n_space = 2};
    if (!oribi_ops_window_read_padding(ctx, &out->padding, status) ||
        !read_pair(ctx, "strides", out->strides, status)) {
        return false;
    }
    return (!TF_ShapeInferenceContext_HasAttr(ctx, "dilations") ||
            read_pair(ctx, "dilations", out->dilations, status)) &&
           (!TF_ShapeInferenceContext_HasAttr(ctx, "ksize") ||
            read_pair(ctx, "ksize", out->size, status));
}

static bool slide(const quantized_window *window, oribi_ops_shape *shape, TF_Status *status)
{
    bool fits = true;
    for (int k = 0; k < 2 && fits; k++) {
        const oribi_geometry_window one = {.in = shape->at[HEIGHT + k],
                                           .taps = window->size[k],
                                           .stride = window->strides[k],
                                           .dilation = window->dilations[k],
                                           .padding = window->padding.padding,
                                           .before = window->padding.before[HEIGHT + k],
                                           .after = window->padding.after[HEIGHT + k]};
        fits = oribi_ops_slide(&one, &shape->at[HEIGHT + k], status);
    }
    return fits;
}

/* The bias has one element for each output channel, the filter one scale or as many. */
static bool check_channels(oribi_ops_ctx *ctx, int64_t channels, TF_Status *status)
{
    oribi_ops_shape bias;
    int32_t count, total;
    if (!oribi_ops_input_rank(ctx, 2, 1, &bias, status) ||
        !oribi_ops_merge_dim(&bias.at[0], channels, status)) {
        return false;
    }
    TF_ShapeInferenceContext_GetAttrSize(ctx, "filter_scales", &count, &total, status);
    if (TF_GetCode(status) != TF_OK) {
        return false;
    }
    if (count != 1 && channels >= 0 && count != channels) {
        return oribi_ops_fail(status,
                              "Attr 'filter_scales' must have 1 or %" PRId64 " values, but has %d",
                              channels, (int)count);
    }
    return true;
}

static void conv_2d(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, filter;
    quantized_window window;
    if (!read_window(ctx, &window, status) || !oribi_ops_input_rank(ctx, 0, 4, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 4, &filter, status) ||
        !check_channels(ctx, filter.at[0], status)) {
        return;
    }
    int64_t depth = input.at[CHANNELS], taken = filter.at[CHANNELS];
    if (depth >= 0 && taken >= 0 && (taken == 0 || depth % taken != 0)) {
        oribi_ops_fail(status,
                       "The filter takes %" PRId64
                       " channels, which does not divide the input's %" PRId64,
                       taken, depth);
        return;
    }
    window.size[0] = filter.at[HEIGHT];
    window.size[1] = filter.at[WIDTH];
    input.at[CHANNELS] = filter.at[0];
    if (slide(&window, &input, status)) {
        oribi_ops_output(ctx, 0, &input, status);
    }
}

static void depthwise(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, filter;
    quantized_window window;
    int64_t multiplier, depth;
    if (!read_window(ctx, &window, status) || !oribi_ops_input_rank(ctx, 0, 4, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 4, &filter, status) ||
        !oribi_ops_attr_int(ctx, "depth_multiplier", &multiplier, status)) {
        return;
    }
    if (multiplier < 1) {
        oribi_ops_fail(status, "Attr 'depth_multiplier' must be positive, but is %" PRId64,
                       multiplier);
        return;
    }
    if (!oribi_ops_merge_dim(&filter.at[0], 1, status) ||
        !oribi_ops_multiply(input.at[CHANNELS], multiplier, &depth, status) ||
        !oribi_ops_merge_dim(&depth, filter.at[CHANNELS], status) ||
        !check_channels(ctx, depth, status)) {
        return;
    }
    window.size[0] = filter.at[HEIGHT];
    window.size[1] = filter.at[WIDTH];
    input.at[CHANNELS] = depth;
    if (slide(&window, &input, status)) {
        oribi_ops_output(ctx, 0, &input, status);
    }
}

/* The sizes are a constant; input and filter say the channels. */
static void transpose_conv(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, filter, output;
    if (!oribi_ops_input_rank(ctx, 1, 4, &filter, status) ||
        !oribi_ops_input_rank(ctx, 3, 4, &input, status) ||
        !check_channels(ctx, filter.at[0], status) ||
        !oribi_ops_merge_dim(&input.at[CHANNELS], filter.at[CHANNELS], status) ||
        !oribi_ops_input_as_shape(ctx, 0, &output, status) ||
        !oribi_ops_with_rank(&output, 4, status) ||
        !oribi_ops_merge_dim(&output.at[0], input.at[0], status) ||
        !oribi_ops_merge_dim(&output.at[CHANNELS], filter.at[0], status)) {
        return;
    }
    oribi_ops_output(ctx, 0, &output, status);
}

static void pool(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input;
    quantized_window window;
    if (read_window(ctx, &window, status) && oribi_ops_input_rank(ctx, 0, 4, &input, status) &&
        slide(&window, &input, status)) {
        oribi_ops_output(ctx, 0, &input, status);
    }
}

/* Rows of I elements, whatever the input's rank. */
static void fully_connected(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, filter, output = {.n = 2, .at = {1, -1}};
    bool keep;
    if (!oribi_ops_input(ctx, 0, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 2, &filter, status) ||
        !oribi_ops_attr_bool(ctx, "keep_num_dims", &keep, status) ||
        !check_channels(ctx, filter.at[0], status)) {
        return;
    }
    if (keep && input.n >= 1) {
        if (oribi_ops_merge_dim(&input.at[input.n - 1], filter.at[1], status)) {
            input.at[input.n - 1] = filter.at[0];
            oribi_ops_output(ctx, 0, &input, status);
        }
        return;
    }
    if (keep) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&input), status);
        return;
    }
    for (int64_t i = 0; i < input.n; i++) {
        if (!oribi_ops_multiply(output.at[0], input.at[i], &output.at[0], status)) {
            return;
        }
    }
    if (input.n < 0 || filter.at[1] < 0) {
        output.at[0] = -1;
    } else if (filter.at[1] == 0) {
        oribi_ops_fail(status, "The filter's rows have no elements");
        return;
    } else if (!oribi_ops_divide_evenly(output.at[0], filter.at[1], &output.at[0], status)) {
        return;
    }
    output.at[1] = filter.at[0];
    oribi_ops_output(ctx, 0, &output, status);
}

static void mean(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, result = {.n = 0};
    oribi_wide_dims axes;
    bool keep;
    if (!oribi_ops_input(ctx, 0, &shape, status) ||
        !oribi_ops_attr_bool(ctx, "keep_dims", &keep, status) ||
        !oribi_ops_input_list(ctx, 1, &axes, status)) {
        return;
    }
    if (axes.n < 0 || shape.n < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&shape), status);
        return;
    }
    if (oribi_ops_reduce_axes(&shape, &axes, keep, &result, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

static void concat(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape, other;
    int64_t axis, n = TF_ShapeInferenceContextNumInputs(ctx), sum = 0;
    if (!oribi_ops_attr_int(ctx, "axis", &axis, status)) {
        return;
    }
    oribi_ops_set_unknown(&shape);
    for (int i = 0; i < n; i++) {
        if (!oribi_ops_input(ctx, i, &other, status)) {
            return;
        }
        if (other.n < 0) {
            oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&shape), status);
            return;
        }
        if (!oribi_ops_axis(axis, other.n, &axis, status) ||
            !oribi_ops_add(sum, other.at[axis], &sum, status)) {
            return;
        }
        other.at[axis] = -1;
        if (!oribi_ops_merge(&shape, &other, status)) {
            return;
        }
    }
    if (shape.n > axis) {
        shape.at[axis] = sum;
    }
    oribi_ops_output(ctx, 0, &shape, status);
}

/* A scale and a zero point for each row: what lies behind the first `lead` dimensions. */
static void rows_to_bytes(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    int64_t lead, rows = 1;
    if (!oribi_ops_input(ctx, 0, &x, status) || !oribi_ops_attr_int(ctx, "lead", &lead, status)) {
        return;
    }
    lead = lead < 0 && x.n >= 0 ? lead + x.n : lead;
    if (x.n >= 0 && (lead < 0 || lead > x.n)) {
        oribi_ops_fail(status, "There are no %" PRId64 " dimensions of %d", lead, (int)x.n);
        return;
    }
    for (int64_t i = 0; x.n >= 0 && i < lead; i++) {
        if (!oribi_ops_multiply(rows, x.at[i], &rows, status)) {
            return;
        }
    }
    rows = x.n < 0 ? -1 : rows;
    if (oribi_ops_output(ctx, 0, &x, status) && oribi_ops_output_dims(ctx, 1, 1, &rows, status)) {
        oribi_ops_output_dims(ctx, 2, 1, &rows, status);
    }
}

/* clang-format off: one attribute a line */
#define T_ATTR          "T: {int8}"
#define ANY_T           "T: {int8, uint8, int16}"
#define WIDE_T_ATTRS    "T: {uint8, int16}; Tfilter: {int8, uint8}; Tbias: {int32, int64}"
#define ROUNDING        "rounding: {'tflm', 'tflite'} = 'tflm'"
#define ACTIVATION      "activation: {'NONE', 'RELU', 'RELU6', 'RELU_N1_TO_1'} = 'NONE'"
#define INPUT_QUANT     "input_scale: float; input_zero: int"
#define OUTPUT_QUANT    "output_scale: float; output_zero: int"
#define UNARY_ATTRS     T_ATTR "; " ROUNDING "; " INPUT_QUANT "; " OUTPUT_QUANT
#define ANY_UNARY_ATTRS ANY_T "; " ROUNDING "; " INPUT_QUANT "; " OUTPUT_QUANT
#define BINARY_ATTRS                                                                               \
    ANY_T "; " ROUNDING                                                                            \
          "; a_scale: float; a_zero: int; b_scale: float; b_zero: int; " OUTPUT_QUANT              \
          "; " ACTIVATION
#define EXPLICIT_PADDING ORIBI_OPS_PADDING_EXPLICIT "; explicit_paddings: list(int) = []"
#define CONV_ATTRS                                                                                 \
    UNARY_ATTRS "; " ACTIVATION "; filter_scales: list(float); strides: list(int); "               \
                "dilations: list(int); " EXPLICIT_PADDING
#define POOL_ATTRS                                                                                 \
    ANY_UNARY_ATTRS "; " ACTIVATION "; ksize: list(int); strides: list(int); " EXPLICIT_PADDING
/* clang-format on */

const oribi_ops_row oribi_ops_quantized[] = {
    {.name = "Oribi>QConv2D",
     .inputs = "input: T; filter: int8; bias: int32",
     .outputs = "output: T",
     .attrs = CONV_ATTRS,
     .traits = "batch(input); cost(conv, filter)",
     .shape = conv_2d},
    {.name = "Oribi>QWideConv2D",
     .inputs = "input: T; filter: Tfilter; bias: Tbias",
     .outputs = "output: T",
     .attrs = WIDE_T_ATTRS
     "; " INPUT_QUANT "; " OUTPUT_QUANT "; " ACTIVATION
     "; filter_scales: list(float); filter_zero: int; has_float_scales: bool = false; "
     "strides: list(int); dilations: list(int); " EXPLICIT_PADDING,
     .traits = "cost(conv, filter)",
     .shape = conv_2d},
    {.name = "Oribi>QDepthwiseConv2D",
     .inputs = "input: T; filter: int8; bias: int32",
     .outputs = "output: T",
     .attrs = CONV_ATTRS "; depth_multiplier: int",
     .traits = "batch(input); cost(conv, filter)",
     .shape = depthwise},
    {.name = "Oribi>QFullyConnected",
     .inputs = "input: T; filter: int8; bias: int32",
     .outputs = "output: T",
     .attrs =
         UNARY_ATTRS "; " ACTIVATION "; filter_scales: list(float); keep_num_dims: bool = false",
     .traits = "cost(conv, filter)",
     .shape = fully_connected},
    {.name = "Oribi>QRealFullyConnected", /* sums are scaled in double */
     .inputs = "input: T; filter: Tfilter; bias: Tbias",
     .outputs = "output: T",
     .attrs = "T: {int8, uint8, int16}; Tfilter: {int8, uint8}; Tbias: {int32, int64}; " INPUT_QUANT
              "; " OUTPUT_QUANT "; " ACTIVATION
              "; filter_scales: list(float); filter_zero: int = 0; keep_num_dims: bool = false",
     .traits = "cost(conv, filter)",
     .shape = fully_connected},
    {.name = " Oribi>QAdd Oribi>QSub",
     .inputs = "a: T; b: T",
     .outputs = "output: T",
     .attrs = BINARY_ATTRS "; pot_scale_int16: bool = false",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = " Oribi>QMul Oribi>QDiv Oribi>QSquaredDifference",
     .inputs = "a: T; b: T",
     .outputs = "output: T",
     .attrs = BINARY_ATTRS,
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = "Oribi>QCompare",
     .inputs = "a: T; b: T",
     .outputs = "output: bool",
     .attrs = "T: {int8, uint8}; " ROUNDING
              "; a_scale: float; a_zero: int; b_scale: float; b_zero: int; "
              "comparison: {'Less', 'LessEqual', 'Greater', 'GreaterEqual', 'Equal', 'NotEqual'}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = "Oribi>QL2Normalize",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {int8, uint8}; " ROUNDING "; input_zero: int",
     .traits = "along(input, -1)",
     .shape = oribi_ops_shape_unchanged},
    {.name = " Oribi>QAveragePool Oribi>QMaxPool",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = POOL_ATTRS,
     .traits = "batch(input)",
     .shape = pool},
    {.name = "Oribi>QSoftmax",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = ANY_UNARY_ATTRS "; beta: float",
     .traits = "along(input, -1)",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>QWideSoftmax", /* of bytes into int16 */
     .inputs = "input: T",
     .outputs = "output: int16",
     .attrs = "T: {int8, uint8}; " ROUNDING "; " INPUT_QUANT "; " OUTPUT_QUANT "; beta: float",
     .traits = "along(input, -1)",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>QLogSoftmax",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {int8, uint8}; " ROUNDING "; " INPUT_QUANT "; " OUTPUT_QUANT,
     .traits = "along(input, -1)",
     .shape = oribi_ops_shape_unchanged},
    {.name = " Oribi>QMean Oribi>QSum",
     .inputs = "input: T; axes: int32",
     .outputs = "output: T",
     .attrs = ANY_UNARY_ATTRS "; keep_dims: bool = false",
     .traits = "reduces(input, axes, keep_dims)",
     .shape = mean},
    {.name = "Oribi>QProd",
     .inputs = "input: T; axes: int32",
     .outputs = "output: T",
     .attrs = "T: {int8, int16}; " ROUNDING "; " INPUT_QUANT "; " OUTPUT_QUANT
              "; keep_dims: bool = false",
     .traits = "reduces(input, axes, keep_dims)",
     .shape = mean},
    {.name = "Oribi>QCumsum",
     .inputs = "x: T; axis: int32",
     .outputs = "output: T",
     .attrs = UNARY_ATTRS "; exclusive: bool = false; reverse: bool = false",
     .traits = "along(x, axis)",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>QTransposeConv",
     .inputs = "sizes: int32; filter: int8; bias: int32; input: T",
     .outputs = "output: T",
     .attrs = UNARY_ATTRS "; " ACTIVATION
                          "; filter_scales: list(float); strides: list(int); " ORIBI_OPS_PADDING,
     .traits = "cost(conv, filter); parameters(sizes)",
     .shape = transpose_conv},
    {.name = "Oribi>QWideTransposeConv",
     .inputs = "sizes: int32; filter: Tfilter; bias: Tbias; input: T",
     .outputs = "output: T",
     .attrs = WIDE_T_ATTRS
     "; " INPUT_QUANT "; " OUTPUT_QUANT "; " ACTIVATION
     "; filter_scales: list(float); filter_zero: int; strides: list(int); " ORIBI_OPS_PADDING,
     .traits = "cost(conv, filter); parameters(sizes)",
     .shape = transpose_conv},
    {.name = "Oribi>QBatchMatMul",
     .inputs = "x: T; y: T",
     .outputs = "output: T",
     .attrs = "T: {int8, int16}; " ROUNDING
              "; a_scale: float; a_zero: int; b_scale: float; b_zero: int; " OUTPUT_QUANT
              "; adj_x: bool = false; adj_y: bool = false",
     .traits = "cost(matmul, y)",
     .shape = oribi_ops_shape_batch_mat_mul},
    {.name = "Oribi>QPRelu",
     .inputs = "input: T; slopes: Tslopes",
     .outputs = "output: T",
     .attrs = ANY_T "; Tslopes: {int8, uint8}; " ROUNDING "; " INPUT_QUANT "; " OUTPUT_QUANT
                    "; slope_scale: float; slope_zero: int",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>QResizeBilinear",
     .inputs = "images: T; size: int32",
     .outputs = "output: T",
     .attrs = ANY_T "; " ROUNDING "; align_corners: bool = false; half_pixel_centers: bool = false",
     .traits = "parameters(size)",
     .shape = oribi_ops_shape_resize},
    {.name = "Oribi>QRequantize",
     .inputs = "input: T",
     .outputs = "output: Tout",
     .attrs = "T: {int8, uint8, int16, int32}; Tout: {int8, uint8, int16, int32}; " ROUNDING
              "; " INPUT_QUANT "; " OUTPUT_QUANT,
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>QUnary",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = ANY_UNARY_ATTRS
     "; function: {'RELU', 'RELU6', 'RELU_N1_TO_1', 'LOGISTIC', 'TANH', 'HARD_SWISH', "
     "'LEAKY_RELU', 'REQUANTIZE', 'RESCALE', 'RELU_0_TO_1', 'ABS', 'RSQRT', "
     "'SQRT', 'EXP', 'LOG', 'ELU', 'GELU', 'GELU_TANH'}; alpha: float = 0.0",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>QConcat",
     .inputs = "values: N * T",
     .outputs = "output: T",
     .attrs = "N: int >= 1; " T_ATTR "; " ROUNDING
              "; axis: int; input_scales: list(float); input_zeros: list(int); " OUTPUT_QUANT
              "; " ACTIVATION,
     .shape = concat},
    {.name = "Oribi>QQuantize",
     .inputs = "input: float",
     .outputs = "output: T",
     .attrs = "T: {int8, uint8, int16}; " ROUNDING "; " OUTPUT_QUANT,
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>QDequantize",
     .inputs = "input: T",
     .outputs = "output: float",
     .attrs = "T: {int8, uint8, int16}; " ROUNDING "; " INPUT_QUANT,
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>ThroughBytes",
     .inputs = "input: float",
     .outputs = "output: float",
     .attrs = "lead: int; asymmetric: bool = false",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>RowsToBytes",
     .inputs = "input: float",
     .outputs = "output: uint8; scales: float; zeros: int32",
     .attrs = "lead: int; asymmetric: bool = false",
     .shape = rows_to_bytes},
    {.name = NULL},
};
