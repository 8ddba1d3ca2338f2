/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that read a state and leave the next one as an output: SVDF and LSTM, in float and quantised,
 * and ONNX's LSTM, GRU and RNN. Importers make them; where a state outlives a run it is the graph's
 * (src/graph/graph.h).
 */
#include <inttypes.h>
#include <string.h>

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

/* --- ONNX's ---------------------------------------------------------------------------------- */

enum { X, W, R, B, LENGTHS, HIDDEN, CELL, PEEPHOLE };

/* An input that may be absent, which is a vector without elements: its dims merge with these
 * `rank`. */
static bool merge_optional(oribi_ops_ctx *ctx, int input, int64_t rank, int64_t *const dims[3],
                           TF_Status *status)
{
    oribi_ops_shape shape;
    if (!oribi_ops_input(ctx, input, &shape, status)) {
        return false;
    }
    if (shape.n < 0 || (shape.n == 1 && shape.at[0] <= 0)) { /* -1: perhaps absent */
        return true;
    }
    bool fits = oribi_ops_with_rank(&shape, rank, status);
    for (int i = 0; fits && i < rank; i++) {
        fits = oribi_ops_merge_dim(dims[i], shape.at[i], status);
    }
    return fits;
}

typedef struct onnx_sizes {
    int64_t steps, batch, in_c, units, directions, rows; /* rows: gates * units */
    bool is_batch_major;
} onnx_sizes;

static bool onnx_attrs(oribi_ops_ctx *ctx, onnx_sizes *s, TF_Status *status)
{
    char direction[ORIBI_OPS_STRING];
    int64_t layout;
    if (!oribi_ops_attr_string(ctx, "direction", direction, status) ||
        !oribi_ops_attr_int(ctx, "layout", &layout, status)) {
        return false;
    }
    s->directions = strcmp(direction, "bidirectional") == 0 ? 2 : 1;
    s->is_batch_major = layout != 0;
    return layout == 0 || layout == 1 ||
           oribi_ops_fail(status, "Attr 'layout' is %" PRId64 ", but must be 0 or 1", layout);
}

static bool onnx_matrices(oribi_ops_ctx *ctx, int64_t gates, onnx_sizes *s, TF_Status *status)
{
    oribi_ops_shape x, w, r;
    if (!oribi_ops_input_rank(ctx, X, 3, &x, status) ||
        !oribi_ops_input_rank(ctx, W, 3, &w, status) ||
        !oribi_ops_input_rank(ctx, R, 3, &r, status)) {
        return false;
    }
    s->steps = x.at[s->is_batch_major ? 1 : 0];
    s->batch = x.at[s->is_batch_major ? 0 : 1];
    s->in_c = x.at[2];
    s->units = r.at[2];
    return oribi_ops_merge_dim(&s->in_c, w.at[2], status) &&
           oribi_ops_merge_dim(&s->directions, w.at[0], status) &&
           oribi_ops_merge_dim(&s->directions, r.at[0], status) &&
           oribi_ops_multiply(gates, s->units, &s->rows, status) &&
           oribi_ops_merge_dim(&s->rows, w.at[1], status) &&
           oribi_ops_merge_dim(&s->rows, r.at[1], status) &&
           (s->units >= 0 || oribi_ops_divide_evenly(s->rows, gates, &s->units, status));
}

/* x [steps, batch, in_c], w [directions, gates * units, in_c], r [directions, gates * units,
 * units], b [directions, 2 * gates * units], sequence_lens [batch], states [directions, batch,
 * units]; of an LSTM p [directions, 3 * units], too. layout 1: x and states begin with the batch.
 */
static void onnx_recurrent(oribi_ops_ctx *ctx, int64_t gates, TF_Status *status)
{
    onnx_sizes s;
    int64_t biases, peepholes;
    if (!onnx_attrs(ctx, &s, status) || !onnx_matrices(ctx, gates, &s, status) ||
        !oribi_ops_multiply(2, s.rows, &biases, status) ||
        !oribi_ops_multiply(3, s.units, &peepholes, status)) {
        return;
    }
    int64_t *const first = s.is_batch_major ? &s.batch : &s.directions;
    int64_t *const second = s.is_batch_major ? &s.directions : &s.batch;
    int64_t *const state[3] = {first, second, &s.units};
    if (!merge_optional(ctx, B, 2, (int64_t *const[3]){&s.directions, &biases}, status) ||
        !merge_optional(ctx, LENGTHS, 1, (int64_t *const[3]){&s.batch}, status) ||
        !merge_optional(ctx, HIDDEN, 3, state, status) ||
        (gates == 4 && !merge_optional(ctx, CELL, 3, state, status)) ||
        (gates == 4 && !merge_optional(ctx, PEEPHOLE, 2,
                                       (int64_t *const[3]){&s.directions, &peepholes}, status))) {
        return;
    }
    const int64_t steps_first[4] = {s.steps, s.directions, s.batch, s.units};
    const int64_t batch_first[4] = {s.batch, s.steps, s.directions, s.units};
    const int64_t last[3] = {*first, *second, s.units};
    if (oribi_ops_output_dims(ctx, 0, 4, s.is_batch_major ? batch_first : steps_first, status) &&
        oribi_ops_output_dims(ctx, 1, 3, last, status) && gates == 4) {
        oribi_ops_output_dims(ctx, 2, 3, last, status);
    }
}

static void onnx_lstm(oribi_ops_ctx *ctx, TF_Status *status)
{
    onnx_recurrent(ctx, 4, status);
}

static void onnx_gru(oribi_ops_ctx *ctx, TF_Status *status)
{
    onnx_recurrent(ctx, 3, status);
}

static void onnx_rnn(oribi_ops_ctx *ctx, TF_Status *status)
{
    onnx_recurrent(ctx, 1, status);
}

/* Absent inputs are vectors without elements. The lists have an entry for each function of each
 * direction: codes and meaning in micro/recurrent/recurrent_f32.h. */
#define ONNX_INPUTS "x: T; w: T; r: T; b: T; sequence_lens: int32; initial_h: T"
#define ONNX_ATTRS                                                                                 \
    "T: {float, double}; "                                                                         \
    "direction: {'forward', 'reverse', 'bidirectional'} = 'forward'; "                             \
    "layout: int = 0; activations: list(int); activation_alpha: list(float); "                     \
    "activation_beta: list(float); clip: float = 0.0"

/* Heads side by side: query [b, t, q * k], value [b, t, kv * v] make [b, t, q * v], [b, kv, k, v].
 */
static void linear_attention(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape q, v;
    int64_t q_heads, kv_heads;
    if (!oribi_ops_input_rank(ctx, 0, 3, &q, status) ||
        !oribi_ops_input_rank(ctx, 2, 3, &v, status) ||
        !oribi_ops_attr_int(ctx, "q_num_heads", &q_heads, status) ||
        !oribi_ops_attr_int(ctx, "kv_num_heads", &kv_heads, status)) {
        return;
    }
    if (q_heads < 1 || kv_heads < 1) {
        oribi_ops_fail(status, "There must be heads");
        return;
    }
    const int64_t keys = q.at[2] < 0 ? -1 : q.at[2] / q_heads;
    const int64_t values = v.at[2] < 0 ? -1 : v.at[2] / kv_heads;
    int64_t wide = -1;
    if (values < 0 || oribi_ops_multiply(values, q_heads, &wide, status)) {
        oribi_ops_output_dims(ctx, 0, 3, (const int64_t[]){q.at[0], q.at[1], wide}, status);
        oribi_ops_output_dims(ctx, 1, 4, (const int64_t[]){q.at[0], kv_heads, keys, values},
                              status);
    }
}

const oribi_ops_row oribi_ops_recurrent[] = {
    {.name = "ONNX>LSTM",
     .inputs = ONNX_INPUTS "; initial_c: T; p: T",
     .outputs = "y: T; y_h: T; y_c: T",
     .attrs = ONNX_ATTRS "; input_forget: bool = false",
     .shape = onnx_lstm},
    {.name = "Oribi>DynamicLstm", /* products round their left sides to 256 places first */
     .inputs = ONNX_INPUTS "; initial_c: T; p: T",
     .outputs = "y: T; y_h: T; y_c: T",
     .attrs = ONNX_ATTRS "; input_forget: bool = false",
     .shape = onnx_lstm},
    {.name = "ONNX>GRU",
     .inputs = ONNX_INPUTS,
     .outputs = "y: T; y_h: T",
     .attrs = ONNX_ATTRS "; linear_before_reset: bool = false",
     .shape = onnx_gru},
    {.name = "ONNX>RNN",
     .inputs = ONNX_INPUTS,
     .outputs = "y: T; y_h: T",
     .attrs = ONNX_ATTRS,
     .shape = onnx_rnn},
    {.name = "Oribi>HybridRnn", /* products take the hidden state through bytes */
     .inputs = ONNX_INPUTS,
     .outputs = "y: T; y_h: T",
     .attrs = ONNX_ATTRS "; asymmetric: bool = false",
     .shape = onnx_rnn},
    {.name = "ONNX>LinearAttention",
     .inputs = "inputs: N * T",
     .outputs = "output: T; present_state: T",
     .attrs =
         "T: " ORIBI_OPS_FLOATS "; N: int >= 3; present: list(bool) = []; chunk_size: int = 64; "
         "kv_num_heads: int; q_num_heads: int; scale: float = 0.0; "
         "update_rule: {'linear', 'gated', 'delta', 'gated_delta'} = 'gated_delta'; "
         "since_version: int = 0",
     .shape = linear_attention},
    {.name = "Oribi>Svdf",
     .inputs = "input: float; feature: float; time: float; bias: float; state: float",
     .outputs = "output: float; next: float",
     .attrs = "rank: int",
     .shape = svdf},
    {.name = "Oribi>QSvdf",
     .inputs = "input: int8; feature: int8; time: int16; bias: int32; state: int16",
     .outputs = "output: int8; next: int16",
     .attrs = "rank: int; input_scale: float; input_zero: int; output_scale: float; "
              "output_zero: int; feature_scale: float; time_scale: float; state_scale: float",
     .shape = svdf},
    {.name = "Oribi>QNarrowSvdf", /* with a state of int8 */
     .inputs = "input: int8; feature: int8; time: int8; bias: int32; state: int8",
     .outputs = "output: int8; next: int8",
     .attrs = "rank: int; input_scale: float; input_zero: int; output_scale: float; "
              "output_zero: int; feature_scale: float; time_scale: float; state_scale: float; "
              "state_zero: int",
     .shape = svdf},
    {.name = "Oribi>LstmFull",
     .inputs = "input: float; weights: float; recurrent: float; bias: float; hidden: float; "
               "cell: float; peephole: float; norm: float; projection: float; "
               "projection_bias: float",
     .outputs = "output: float; next_hidden: float; next_cell: float",
     .attrs = "time_major: bool = false; cell_clip: float = 0.0; projection_clip: float = 0.0; "
              "hybrid: bool = false; asymmetric: bool = false",
     .shape = lstm_full},
    {.name = "Oribi>QLstm",
     .inputs = "input: T; weights: int8; recurrent: int8; bias: Tbias; hidden: T; cell: int16",
     .outputs = "output: T; next_hidden: T; next_cell: int16",
     .attrs = "T: {int8, int16}; Tbias: {int32, int64}; rounding: {'tflm', 'tflite'} = 'tflm'; "
              "time_major: bool = false; cell_clip: float = 0.0; input_scale: float; "
              "input_zero: int; hidden_scale: float; hidden_zero: int; cell_scale: float; "
              "product_scale: float; product_zero: int; weight_scales: list(float) >= 8",
     .shape = lstm},
    {.name = NULL},
};
