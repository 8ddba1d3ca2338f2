/* SPDX-License-Identifier: Apache-2.0 */
/* Pools over 2 and 3 spatial dimensions. MaxPool may also pool over depth. */
#include "ops_core/ops_core.h"
#include "ops_core/window_shapes.h"

static void pool(oribi_ops_ctx *ctx, int n_space, bool slides_depth, int n_outputs,
                 TF_Status *status)
{
    oribi_ops_window window;
    oribi_ops_shape input, output;
    if (!oribi_ops_window_read(ctx, n_space, &window, status) || window.is_vectored ||
        !oribi_ops_input_rank(ctx, 0, n_space + 2, &input, status)) {
        return;
    }
    output = input;
    int channel = oribi_ops_window_channel(&window);
    for (int at = 1; at < n_space + 2; at++) {
        if (at == channel && !slides_depth) {
            continue;
        }
        if (!oribi_ops_window_slide(&window, at, input.at[at], window.ksize[at], &output.at[at],
                                    status)) {
            return;
        }
    }
    for (int i = 0; i < n_outputs && oribi_ops_output(ctx, i, &output, status); i++) {
    }
}

static void max_pool(oribi_ops_ctx *ctx, TF_Status *status)
{
    pool(ctx, 2, true, 1, status);
}

static void avg_pool(oribi_ops_ctx *ctx, TF_Status *status)
{
    pool(ctx, 2, false, 1, status);
}

static void pool_3d(oribi_ops_ctx *ctx, TF_Status *status)
{
    pool(ctx, 3, false, 1, status);
}

static void pool_places(oribi_ops_ctx *ctx, TF_Status *status)
{
    pool(ctx, 2, false, 2, status);
}

/* The picture is as many times larger as the window. */
static void unpool_places(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape values, places;
    int64_t ksize[4] = {1, 1, 1, 1};
    int count = 0;
    if (!oribi_ops_attr_ints(ctx, "ksize", ksize, 4, &count, status) ||
        !oribi_ops_input_rank(ctx, 0, 4, &values, status) ||
        !oribi_ops_input_rank(ctx, 1, 4, &places, status) ||
        !oribi_ops_merge(&values, &places, status)) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        if (!oribi_ops_multiply(values.at[i], ksize[i], &values.at[i], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &values, status);
}

const oribi_ops_row oribi_ops_pool[] = {
    {.name = "MaxPool",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, "
              "qint8} = DT_FLOAT; ksize: list(int) >= 4; strides: list(int) >= "
              "4; " ORIBI_OPS_PADDING_EXPLICIT "; explicit_paddings: list(int) = []; "
              "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
     .traits = "batch(input)",
     .shape = max_pool},
    {.name = "AvgPool",
     .inputs = "value: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 4; strides: list(int) >= 4; " ORIBI_OPS_PADDING
              "; " ORIBI_OPS_FORMAT "; T: " ORIBI_OPS_FLOATS,
     .traits = "batch(value)",
     .shape = avg_pool},
    /* Ours: explicit padding, which no average counts. TensorFlow's has SAME and VALID only. */
    {.name = "Oribi>AvgPool",
     .inputs = "value: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 4; strides: list(int) >= 4; " ORIBI_OPS_PADDING_EXPLICIT
              "; explicit_paddings: list(int) = []; " ORIBI_OPS_FORMAT "; T: " ORIBI_OPS_FLOATS,
     .traits = "batch(value)",
     .shape = avg_pool},
    {.name = "Oribi>MaxPoolPlaces", /* places in the window, row by row, and 0.1 */
     .inputs = "input: float",
     .outputs = "output: float; places: float",
     .attrs = "ksize: list(int) >= 4; strides: list(int) >= 4; " ORIBI_OPS_PADDING,
     .shape = pool_places},
    {.name = "Oribi>MaxUnpoolPlaces", /* the way back */
     .inputs = "values: float; places: float",
     .outputs = "output: float",
     .attrs = "ksize: list(int) >= 4; strides: list(int) >= 4",
     .shape = unpool_places},
    {.name = "MaxPool3D",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 5; strides: list(int) >= 5; " ORIBI_OPS_PADDING
              "; " ORIBI_OPS_FORMAT_3D "; T: {half, bfloat16, float}",
     .traits = "batch(input)",
     .shape = pool_3d},
    {.name = "AvgPool3D",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 5; strides: list(int) >= 5; " ORIBI_OPS_PADDING
              "; " ORIBI_OPS_FORMAT_3D "; T: " ORIBI_OPS_FLOATS,
     .traits = "batch(input)",
     .shape = pool_3d},
    {.name = NULL},
};
