/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM whose option asks for the basic kernel: one step of floats, one matrix of weights for all
 * gates over input and hidden state. Its first two results are the next hidden state and cell.
 */
#include "import/tflite/tflite.h"

enum { INPUT, HIDDEN, WEIGHTS, BIAS, CELL, N_INPUTS };
enum { NEXT_HIDDEN, NEXT_CELL, JOINED, SUMS, N_OUTPUTS };

/* A state where the file marks one, else an input like others. */
static oribi_value_id read_state(oribi_tflite_node *n, int32_t i)
{
    return n->inputs[i]->is_variable ? oribi_tflite_state(n, i) : oribi_tflite_input(n, i);
}

static bool write_state(oribi_tflite_node *n, int32_t i, oribi_value_id value)
{
    return !n->inputs[i]->is_variable || oribi_tflite_set_state(n, i, value);
}

/* Rows of input, cell, forget and output gate become those of input, forget, cell and output. */
static oribi_value_id order_gates(oribi_tflite_node *n, oribi_value_id rows)
{
    const int32_t order[4] = {0, 2, 1, 3};
    return oribi_tflite_emit(
        n, "GatherV2", INPUTS(rows, oribi_tflite_ints(n, order, 4), oribi_tflite_scalar(n, 0)),
        NO_ATTRS);
}

static oribi_value_id columns(oribi_tflite_node *n, oribi_value_id gates, int64_t first,
                              int64_t count)
{
    const int32_t begin[3] = {0, 0, (int32_t)first}, size[3] = {-1, -1, (int32_t)count};
    return oribi_tflite_emit(
        n, "Slice", INPUTS(gates, oribi_tflite_ints(n, begin, 3), oribi_tflite_ints(n, size, 3)),
        NO_ATTRS);
}

/* What this form has not. */
static oribi_value_id none(oribi_tflite_node *n, int rank)
{
    static const int64_t dims[2] = {0};
    const oribi_value_id empty =
        oribi_graph_add_constant_copy(n->graph, "none", TF_FLOAT, dims, rank, "", n->status);
    n->failed = n->failed || empty < 0;
    return empty;
}

static bool check_inputs(oribi_tflite_node *n)
{
    if (n->n_inputs != N_INPUTS || n->n_outputs != N_OUTPUTS) {
        return oribi_tflite_fail(
            n, TF_INVALID_ARGUMENT,
            "the basic kernel has %d inputs and %d outputs; 5 and 4 are wanted", (int)n->n_inputs,
            (int)n->n_outputs);
    }
    for (int32_t i = 0; i < N_INPUTS; i++) {
        if (oribi_tflite_dtype_in(n, i) != TF_FLOAT) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                     "the basic kernel is supported for floats alone");
        }
    }
    return true;
}

bool oribi_tflite_lstm_basic(oribi_tflite_node *n)
{
    oribi_dims x_dims, h_dims;
    ORIBI_TRY(check_inputs(n));
    const oribi_value_id x = oribi_tflite_input(n, INPUT), hidden = read_state(n, HIDDEN);
    const oribi_value_id cell = read_state(n, CELL), bias = oribi_tflite_input(n, BIAS);
    const oribi_value_id weights = oribi_tflite_input(n, WEIGHTS);
    ORIBI_TRY(oribi_tflite_dims(n, x, &x_dims) && oribi_tflite_dims(n, hidden, &h_dims));
    const int64_t batch = x_dims.at[0], in = x_dims.at[1], units = h_dims.at[1];
    if (x_dims.n != 2 || h_dims.n != 2 || batch < 1 || in < 1 || units < 1 ||
        in + units > INT32_MAX) {
        return oribi_tflite_want_shapes(n, "input and hidden state must have two known sizes");
    }
    const oribi_dims gates_dims = {3, {4, units, in + units}}, bias_dims = {2, {4, units}},
                     sequence = {3, {1, batch, in}};
    const oribi_value_id gates = order_gates(n, oribi_tflite_reshape(n, weights, &gates_dims));
    const oribi_node *node =
        oribi_tflite_emit_node(n, "Oribi>LstmFull",
                               INPUTS(oribi_tflite_reshape(n, x, &sequence),
                                      columns(n, gates, 0, in), columns(n, gates, in, units),
                                      order_gates(n, oribi_tflite_reshape(n, bias, &bias_dims)),
                                      hidden, cell, none(n, 2), none(n, 2), none(n, 2), none(n, 1)),
                               ATTRS(ATTR_BOOL("time_major", true)), 3);
    if (node == NULL) {
        return false;
    }
    const oribi_value_id next_hidden = node->outputs[1], next_cell = node->outputs[2];
    const oribi_value_id joined = oribi_tflite_emit(
        n, "ConcatV2", INPUTS(x, hidden, oribi_tflite_scalar(n, 1)), ATTRS(ATTR_INT("N", 2)));
    const oribi_value_id sums = oribi_tflite_emit(n, "MatMul", INPUTS(joined, weights),
                                                  ATTRS(ATTR_BOOL("transpose_b", true)));
    return oribi_tflite_bind(n, NEXT_HIDDEN, next_hidden) &&
           oribi_tflite_bind(n, NEXT_CELL, next_cell) && oribi_tflite_bind(n, JOINED, joined) &&
           oribi_tflite_bind(n, SUMS,
                             oribi_tflite_emit(n, "BiasAdd", INPUTS(sums, bias), NO_ATTRS)) &&
           write_state(n, HIDDEN, next_hidden) && write_state(n, CELL, next_cell);
}
