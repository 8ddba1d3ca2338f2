/* SPDX-License-Identifier: Apache-2.0 */
/* Bias, normalisation, softmax, L2Loss. */
#include <string.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static bool is_channels_first(oribi_ops_ctx *ctx, bool *out, TF_Status *status)
{
    char format[ORIBI_OPS_STRING];
    if (!oribi_ops_attr_string(ctx, "data_format", format, status)) {
        return false;
    }
    *out = format[1] == 'C';
    return true;
}

static void bias_add(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape value, bias;
    bool channels_first;
    if (!is_channels_first(ctx, &channels_first, status) ||
        !oribi_ops_input(ctx, 0, &value, status) ||
        !oribi_ops_at_least(&value, channels_first ? 3 : 2, status) ||
        !oribi_ops_input_rank(ctx, 1, 1, &bias, status)) {
        return;
    }
    if (value.n >= 0) {
        int64_t channel = channels_first ? 1 : value.n - 1;
        if (!oribi_ops_merge_dim(&value.at[channel], bias.at[0], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &value, status);
}

/* y is of x's shape, the others are vectors over the channels. */
static void batch_norm(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, vector;
    char format[ORIBI_OPS_STRING];
    bool is_training;
    if (!oribi_ops_attr_string(ctx, "data_format", format, status) ||
        !oribi_ops_input_rank(ctx, 0, (int64_t)strlen(format), &x, status) ||
        !oribi_ops_attr_bool(ctx, "is_training", &is_training, status)) {
        return;
    }
    int64_t *channels = &x.at[format[1] == 'C' ? 1 : x.n - 1];
    int n_vectors = is_training ? 3 : 5; /* mean and variance are not read in training */
    for (int i = 1; i < n_vectors; i++) {
        if (!oribi_ops_input_rank(ctx, i, 1, &vector, status) ||
            !oribi_ops_merge_dim(channels, vector.at[0], status)) {
            return;
        }
    }
    bool done = oribi_ops_output(ctx, 0, &x, status); /* V3's sixth output stays unknown */
    for (int i = 1; done && i < 5; i++) {
        done = oribi_ops_output_dims(ctx, i, 1, channels, status);
    }
}

static void softmax(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (oribi_ops_input(ctx, 0, &shape, status) && oribi_ops_at_least(&shape, 1, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static void lrn(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (oribi_ops_input_rank(ctx, 0, 4, &shape, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

/* Vectors go along the last axis. */
static void row_norm(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, vector;
    if (!oribi_ops_input(ctx, 0, &x, status) || !oribi_ops_at_least(&x, 1, status)) {
        return;
    }
    for (int i = 1; i < (int)TF_ShapeInferenceContextNumInputs(ctx); i++) {
        if (!oribi_ops_input_rank(ctx, i, 1, &vector, status) ||
            (x.n > 0 && !oribi_ops_merge_dim(&x.at[x.n - 1], vector.at[0], status))) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &x, status);
}

/* A row less its mean, over its deviation. */
#define NORMAL "Mul(Sub(x, Mean(x)), Rsqrt(Add(Mean(Square(Sub(x, Mean(x)))), @epsilon))"

const oribi_ops_row oribi_ops_normalize[] = {
    {.name = "BiasAdd",
     .inputs = "value: T; bias: T",
     .outputs = "output: T",
     .attrs = "T: numbertype; " ORIBI_OPS_FORMAT,
     .traits = "elementwise(value); vectors(data_format, bias); computes(sum)",
     .shape = bias_add},
    {.name = "FusedBatchNorm",
     .inputs = "x: T; scale: T; offset: T; mean: T; variance: T",
     .outputs = "y: T; batch_mean: T; batch_variance: T; reserve_space_1: T; reserve_space_2: T",
     .attrs = "T: {float}; epsilon: float = 0.0001; exponential_avg_factor: float = "
              "1.0; " ORIBI_OPS_FORMAT "; is_training: bool = true",
     .traits = "elementwise(x) if is_training = false; "
               "vectors(data_format, scale, offset, mean, variance) if is_training = false",
     .shape = batch_norm},
    {.name = "FusedBatchNormV3",
     .inputs = "x: T; scale: U; offset: U; mean: U; variance: U",
     .outputs = "y: T; batch_mean: U; batch_variance: U; reserve_space_1: U; reserve_space_2: U; "
                "reserve_space_3: U",
     .attrs = "T: {half, bfloat16, float}; U: {bfloat16, float}; epsilon: float = 0.0001; "
              "exponential_avg_factor: float = 1.0; "
              "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'; "
              "is_training: bool = true",
     .traits = "elementwise(x) if is_training = false; "
               "vectors(data_format, scale, offset, mean, variance) if is_training = false",
     .shape = batch_norm},
    {.name = "_FusedBatchNormEx",
     .inputs = "x: T; scale: U; offset: U; mean: U; variance: U; side_input: num_side_inputs * T",
     .outputs = "y: T; batch_mean: U; batch_variance: U; reserve_space_1: U; reserve_space_2: U; "
                "reserve_space_3: U",
     .attrs =
         "T: {half, float, bfloat16}; U: {float}; epsilon: float = 0.0001; "
         "exponential_avg_factor: float = 1.0; num_side_inputs: int >= 0 = 0; "
         "activation_mode: string = 'Identity'; " ORIBI_OPS_FORMAT "; is_training: bool = true",
     .fuses = "FusedBatchNormV3 Relu",
     .shape = batch_norm},
    {.name = "Softmax",
     .inputs = "logits: T",
     .outputs = "softmax: T",
     .attrs = "T: " ORIBI_OPS_FLOATS,
     .traits = "along(logits, -1)",
     .shape = softmax},
    {.name = "LogSoftmax",
     .inputs = "logits: T",
     .outputs = "logsoftmax: T",
     .attrs = "T: " ORIBI_OPS_FLOATS,
     .traits = "along(logits, -1)",
     .shape = softmax},
    {.name = "Oribi>LayerNorm",
     .inputs = "x: T; vectors: N * T",
     .outputs = "y: T",
     .attrs = "N: int >= 0 = 0; T: {float, double}; epsilon: float = 0.00001",
     .fuses = "(x, scale, bias) = Add(" NORMAL ", scale), bias)\n"
              "(x, scale) = " NORMAL ", scale)\n"
              "(x) = " NORMAL ")",
     .shape = row_norm},
    {.name = "Oribi>RmsNorm",
     .inputs = "x: T; vectors: N * T",
     .outputs = "y: T",
     .attrs = "N: int >= 0 = 0; T: {float, double}; epsilon: float = 0.00001",
     .fuses = "(x, scale) = Mul(x, Rsqrt(Add(Mean(Square(x)), @epsilon)), scale)\n"
              "(x) = Mul(x, Rsqrt(Add(Mean(Square(x)), @epsilon)))",
     .shape = row_norm},
    {.name = "LRN",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; "
              "beta: float = 0.5; T: {half, bfloat16, float} = DT_FLOAT",
     .traits = "along(input, -1)",
     .shape = lrn},
    {.name = "L2Loss",
     .inputs = "t: T",
     .outputs = "output: T",
     .attrs = "T: " ORIBI_OPS_FLOATS,
     .shape = oribi_ops_shape_scalar},
    {.name = NULL},
};
