/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that read a state and leave the next one as an output: SVDF and LSTM, in float and quantised.
 * Importers make them; the state itself is the graph's (src/graph/graph.h).
 */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* input [batch, in_c], feature [filters, in_c], time [filters, memory], bias [filters / rank],
 * state [batch, filters * memory]. */
static void svdf(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, feature, time, bias, state;
    int64_t rank, units;
    if (!oribi_ops_input_rank(ctx, 0, 2, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 2, &feature, status) ||
        !oribi_ops_input_rank(ctx, 2, 2, &time, status) ||
        !oribi_ops_input_rank(ctx, 3, 1, &bias, status) ||
        !oribi_ops_input_rank(ctx, 4, 2, &state, status) ||
        !oribi_ops_attr_int(ctx, "rank", &rank, status)) {
        return;
    }
    if (rank < 1) {
        oribi_ops_fail(status, "Attr 'rank' must be positive, but is %" PRId64, rank);
        return;
    }
    int64_t filters = feature.at[0], kept;
    if (!oribi_ops_merge_dim(&filters, time.at[0], status) ||
        !oribi_ops_merge_dim(&input.at[1], feature.at[1], status) ||
        !oribi_ops_merge_dim(&input.at[0], state.at[0], status) ||
        !oribi_ops_divide_evenly(filters, rank, &units, status) ||
        !oribi_ops_merge_dim(&units, bias.at[0], status) ||
        !oribi_ops_multiply(filters, time.at[1], &kept, status) ||
        !oribi_ops_merge_dim(&state.at[1], kept, status)) {
        return;
    }
    state.at[0] = input.at[0];
    input.at[1] = units;
    oribi_ops_output(ctx, 0, &input, status);
    oribi_ops_output(ctx, 1, &state, status);
}

/* input [batch, steps, in_c] or steps first, weights [4, units, in_c], recurrent [4, units, units],
 * bias [4, units], hidden and cell [batch, units]. */
static void lstm(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape input, weights, recurrent, bias, hidden, cell;
    bool is_time_major;
    if (!oribi_ops_input_rank(ctx, 0, 3, &input, status) ||
        !oribi_ops_input_rank(ctx, 1, 3, &weights, status) ||
        !oribi_ops_input_rank(ctx, 2, 3, &recurrent, status) ||
        !oribi_ops_input_rank(ctx, 3, 2, &bias, status) ||
        !oribi_ops_input_rank(ctx, 4, 2, &hidden, status) ||
        !oribi_ops_input_rank(ctx, 5, 2, &cell, status) ||
        !oribi_ops_attr_bool(ctx, "time_major", &is_time_major, status)) {
        return;
    }
    int64_t gates = 4, units = hidden.at[1];
    int64_t *const batch = &input.at[is_time_major ? 1 : 0];
    if (!oribi_ops_merge_dim(&gates, weights.at[0], status) ||
        !oribi_ops_merge_dim(&gates, recurrent.at[0], status) ||
        !oribi_ops_merge_dim(&gates, bias.at[0], status) ||
        !oribi_ops_merge_dim(&units, weights.at[1], status) ||
        !oribi_ops_merge_dim(&units, recurrent.at[1], status) ||
        !oribi_ops_merge_dim(&units, recurrent.at[2], status) ||
        !oribi_ops_merge_dim(&units, bias.at[1], status) ||
        !oribi_ops_merge_dim(&units, cell.at[1], status) ||
        !oribi_ops_merge_dim(&input.at[2], weights.at[2], status) ||
        !oribi_ops_merge_dim(batch, hidden.at[0], status) ||
        !oribi_ops_merge_dim(batch, cell.at[0], status)) {
        return;
    }
    input.at[2] = units;
    hidden.at[0] = *batch;
    hidden.at[1] = units;
    if (oribi_ops_output(ctx, 0, &input, status) && oribi_ops_output(ctx, 1, &hidden, status)) {
        oribi_ops_output(ctx, 2, &hidden, status);
    }
}

/* As above with 3 or 4 gates, recurrent [gates, units, outputs] and hidden [batch, outputs]; then
 * peephole [0 or gates - 1, units], norm [0 or gates, units], projection [0 or outputs, units] and
 * projection_bias [0 or outputs]. */
static void lstm_full(oribi_ops_ctx *ctx, TF_Status *status)
{
    static const int64_t ranks[10] = {3, 3, 3, 2, 2, 2, 2, 2, 2, 1};
    int64_t d[10][3];
    oribi_ops_shape shape;
    bool is_time_major;
    for (int i = 9; i >= 0; i--) { /* the input is the last one */
        if (!oribi_ops_input_rank(ctx, i, ranks[i], &shape, status)) {
            return;
        }
        for (int k = 0; k < ranks[i]; k++) {
            d[i][k] = shape.at[k];
        }
    }
    if (!oribi_ops_attr_bool(ctx, "time_major", &is_time_major, status)) {
        return;
    }
    int64_t *const batch = &shape.at[is_time_major ? 1 : 0];
    const bool fits = oribi_ops_merge_dim(&d[1][0], d[2][0], status) &&
                      oribi_ops_merge_dim(&d[1][0], d[3][0], status) &&
                      oribi_ops_merge_dim(&d[1][1], d[2][1], status) &&
                      oribi_ops_merge_dim(&d[1][1], d[3][1], status) &&
                      oribi_ops_merge_dim(&d[1][1], d[5][1], status) &&
                      oribi_ops_merge_dim(&d[2][2], d[4][1], status) &&
                      oribi_ops_merge_dim(&shape.at[2], d[1][2], status) &&
                      oribi_ops_merge_dim(batch, d[4][0], status) &&
                      oribi_ops_merge_dim(batch, d[5][0], status) &&
                      (d[8][0] != 0 || oribi_ops_merge_dim(&d[2][2], d[1][1], status));
    if (!fits) {
        return;
    }
    const int64_t outputs = d[2][2], units = d[1][1];
    shape.at[2] = outputs;
    const int64_t hidden[2] = {*batch, outputs}, cell[2] = {*batch, units};
    if (oribi_ops_output(ctx, 0, &shape, status) &&
        oribi_ops_output_dims(ctx, 1, 2, hidden, status)) {
        oribi_ops_output_dims(ctx, 2, 2, cell, status);
    }
}

const oribi_ops_row oribi_ops_recurrent[] = {
    {.name = "Oribi>Svdf",
     .inputs = {"input: float", "feature: float", "time: float", "bias: float", "state: float"},
     .outputs = {"output: float", "next: float"},
     .attrs = {"rank: int"},
     .shape = svdf},
    {.name = "Oribi>QSvdf",
     .inputs = {"input: int8", "feature: int8", "time: int16", "bias: int32", "state: int16"},
     .outputs = {"output: int8", "next: int16"},
     .attrs = {"rank: int", "input_scale: float", "input_zero: int", "output_scale: float",
               "output_zero: int", "feature_scale: float", "time_scale: float",
               "state_scale: float"},
     .shape = svdf},
    {.name = "Oribi>Lstm",
     .inputs = {"input: float", "weights: float", "recurrent: float", "bias: float",
                "hidden: float", "cell: float"},
     .outputs = {"output: float", "next_hidden: float", "next_cell: float"},
     .attrs = {"time_major: bool = false", "cell_clip: float = 0.0"},
     .shape = lstm},
    {.name = "Oribi>LstmFull",
     .inputs = {"input: float", "weights: float", "recurrent: float", "bias: float",
                "hidden: float", "cell: float", "peephole: float", "norm: float",
                "projection: float", "projection_bias: float"},
     .outputs = {"output: float", "next_hidden: float", "next_cell: float"},
     .attrs = {"time_major: bool = false", "cell_clip: float = 0.0",
               "projection_clip: float = 0.0"},
     .shape = lstm_full},
    {.name = "Oribi>QLstm",
     .inputs = {"input: T", "weights: int8", "recurrent: int8", "bias: Tbias", "hidden: T",
                "cell: int16"},
     .outputs = {"output: T", "next_hidden: T", "next_cell: int16"},
     .attrs = {"T: {int8, int16}", "Tbias: {int32, int64}", "rounding: {'tflm', 'tflite'} = 'tflm'",
               "time_major: bool = false", "cell_clip: float = 0.0", "input_scale: float",
               "input_zero: int", "hidden_scale: float", "hidden_zero: int", "cell_scale: float",
               "product_scale: float", "product_zero: int", "weight_scales: list(float) >= 8"},
     .shape = lstm},
    {.name = NULL},
};
