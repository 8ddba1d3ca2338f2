/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's quantised layers and pools, NHWC, and TensorFlow Lite's convolution of floats by weights
 * of int8 (Oribi>RowsToBytes before it: quantized_ops.c). ONNX's convolution, filter HWIO, takes
 * zero points of the filter and multipliers per result channel, as inputs, so that importers and
 * kernels share one form for QLinearConv, ConvInteger and QLinearMatMul; micro/qlinear_*.h have the
 * arithmetic. Read next: qlinear_elements_ops.c.
 */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/window_shapes.h"

static bool read_pair(oribi_ops_ctx *ctx, const char *name, int64_t out[2], TF_Status *status)
{
    int count = 0;
    return oribi_ops_attr_ints(ctx, name, out, 2, &count, status) &&
           ((count == 2 && out[0] > 0 && out[1] > 0) ||
            oribi_ops_fail(status, "Attr '%s' must be two positive values (height, width)", name));
}

static bool slide(int64_t *dim, int64_t taps, int64_t stride, int64_t dilation, const int64_t *pads,
                  TF_Status *status)
{
    if (*dim == 0 && taps == 1 && pads[0] == 0 && pads[2] == 0) {
        return true; /* no rows of a product are no pixels */
    }
    const oribi_geometry_window window = {.in = *dim,
                                          .taps = taps,
                                          .stride = stride,
                                          .dilation = dilation,
                                          .padding = ORIBI_GEOMETRY_EXPLICIT,
                                          .before = pads[0],
                                          .after = pads[2]};
    return oribi_ops_slide(&window, dim, status);
}

/* Groups of `taken` of the input's `depth` channels make as many of the result's; -1: unknown. */
static bool check_groups(int64_t depth, int64_t taken, int64_t channels, TF_Status *status)
{
    if (depth == 0 || taken == 0 || (depth > 0 && taken > 0 && depth % taken != 0)) {
        return oribi_ops_fail(status,
                              "The filter takes %" PRId64
                              " channels, which must divide the input's %" PRId64
                              ", and neither may be 0",
                              taken, depth);
    }
    if (depth > 0 && taken > 0 && channels >= 0 && channels % (depth / taken) != 0) {
        return oribi_ops_fail(status,
                              "The filter's %" PRId64
                              " result channels must be a multiple of %" PRId64 " groups",
                              channels, depth / taken);
    }
    return true;
}

/* Inputs [2, channels_end) have an element for each channel; those behind, if any, for each image.
 */
static void conv_of(oribi_ops_ctx *ctx, int channels_end, int end, TF_Status *status)
{
    oribi_ops_shape input, filter, each;
    int64_t strides[2], dilations[2], pads[4];
    int count = 0;
    if (!read_pair(ctx, "strides", strides, status) ||
        !read_pair(ctx, "dilations", dilations, status) ||
        !oribi_ops_attr_ints(ctx, "pads", pads, 4, &count, status) ||
        !oribi_ops_input_rank(ctx, 0, 4, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 4, &filter, status)) {
        return;
    }
    for (int i = 2; i < end; i++) {
        const int64_t whole = i < channels_end ? filter.at[3] : input.at[0];
        if (!oribi_ops_input_rank(ctx, i, 1, &each, status) ||
            !oribi_ops_merge_dim(&each.at[0], whole, status)) {
            return;
        }
    }
    if (count != 4) {
        oribi_ops_fail(status, "Attr 'pads' must have four values, but has %d", count);
        return;
    }
    if (!check_groups(input.at[3], filter.at[2], filter.at[3], status)) {
        return;
    }
    input.at[3] = filter.at[3];
    if (slide(&input.at[1], filter.at[0], strides[0], dilations[0], pads, status) &&
        slide(&input.at[2], filter.at[1], strides[1], dilations[1], pads + 1, status)) {
        oribi_ops_output(ctx, 0, &input, status);
    }
}

static void conv(oribi_ops_ctx *ctx, TF_Status *status)
{
    conv_of(ctx, 5, 5, status); /* bias, filter_zeros, multipliers */
}

static void hybrid_conv(oribi_ops_ctx *ctx, TF_Status *status)
{
    conv_of(ctx, 4, 6, status); /* bias, multipliers; scales, zeros */
}

static void pool(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input;
    int64_t size[2], strides[2], pads[4];
    int count = 0;
    if (!read_pair(ctx, "ksize", size, status) || !read_pair(ctx, "strides", strides, status) ||
        !oribi_ops_attr_ints(ctx, "pads", pads, 4, &count, status) ||
        !oribi_ops_input_rank(ctx, 0, 4, &input, status)) {
        return;
    }
    if (count != 4) {
        oribi_ops_fail(status, "Attr 'pads' must have four values, but has %d", count);
        return;
    }
    if (slide(&input.at[1], size[0], strides[0], 1, pads, status) &&
        slide(&input.at[2], size[1], strides[1], 1, pads + 1, status)) {
        oribi_ops_output(ctx, 0, &input, status);
    }
}

/* Zero points and multipliers: one, or one for each row of a or column of b. */
static void mat_mul(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape a, b, result, each[3];
    if (!oribi_ops_input(ctx, 0, &a, status) || !oribi_ops_input(ctx, 1, &b, status) ||
        !oribi_ops_at_least(&a, 2, status) || !oribi_ops_at_least(&b, 2, status)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (!oribi_ops_input_rank(ctx, 2 + i, 1, &each[i], status)) {
            return;
        }
    }
    if (a.n < 0 || b.n < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&result), status);
        return;
    }
    const int64_t outer[] = {a.at[a.n - 2], b.at[b.n - 1]};
    for (int i = 0; i < 3; i++) {
        const int64_t count = each[i].at[0], whole = outer[i > 0 ? 1 : 0];
        if (count >= 0 && count != 1 && whole >= 0 && count != whole) {
            oribi_ops_fail(status,
                           "There are %" PRId64 " parameters for %" PRId64 " rows or columns",
                           count, whole);
            return;
        }
    }
    int64_t inner = a.at[a.n - 1];
    if (!oribi_ops_merge_dim(&inner, b.at[b.n - 2], status)) {
        return;
    }
    a.n -= 2; /* what is left are the batches */
    b.n -= 2;
    if (oribi_ops_broadcast(&a, &b, true, &result, status) &&
        oribi_ops_append(&result, outer, 2, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

/* clang-format off: one attribute a line */
#define BYTES  "{int8, uint8}"
#define BOUNDS "low: int = -128; high: int = 255"
#define WINDOW "ksize: list(int); strides: list(int); pads: list(int)"
/* clang-format on */

const oribi_ops_row oribi_ops_qlinear[] = {
    {.name = "ONNX>QLinearConv2D",
     .inputs = "input: Tx; filter: Tw; bias: int32; filter_zeros: int32; multipliers: float",
     .outputs = "output: Ty",
     .attrs = "Tx: " BYTES "; Tw: " BYTES
              "; Ty: {int8, uint8, int32, float}; input_zero: int; output_zero: int; "
              "strides: list(int); dilations: list(int); pads: list(int); " BOUNDS,
     .traits = "batch(input); cost(conv, filter)",
     .shape = conv},
    {.name = "Oribi>HybridConv2D",
     .inputs =
         "input: uint8; filter: int8; bias: float; multipliers: float; scales: float; zeros: int32",
     .outputs = "output: float",
     .attrs = "strides: list(int); dilations: list(int); pads: list(int); low: float; high: float",
     .traits = "cost(conv, filter)",
     .shape = hybrid_conv},
    {.name = "ONNX>QLinearMatMul",
     .inputs = "a: Ta; b: Tb; a_zeros: int32; b_zeros: int32; multipliers: float",
     .outputs = "y: Ty",
     .attrs =
         "Ta: " BYTES "; Tb: " BYTES "; Ty: {int8, uint8, int32, float}; output_zero: int; " BOUNDS,
     .traits = "cost(matmul, b)",
     .shape = mat_mul},
    {.name = "ONNX>QLinearAveragePool",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs =
         "T: " BYTES "; " WINDOW
         "; input_scale: float; input_zero: int; output_scale: float; output_zero: int; " BOUNDS,
     .traits = "batch(x)",
     .shape = pool},
    {.name = "ONNX>QLinearMaxPool",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " BYTES "; " WINDOW,
     .traits = "batch(x)",
     .shape = pool},
    {.name = NULL},
};
