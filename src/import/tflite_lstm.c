/* SPDX-License-Identifier: Apache-2.0 */
/* UNIDIRECTIONAL_SEQUENCE_LSTM becomes Oribi>Lstm or Oribi>QLstm: the four gates' weights lie
 * behind each other, hidden state and cell are variable tensors (tflite_variable.c). The plain form
 * alone: the interpreters do not agree on which others there are, and TensorFlow Lite Micro has
 * none.
 */
#include <string.h>

#include "import/tflite.h"

enum {
    INPUT = 0,
    WEIGHTS = 1,   /* of input, forget, cell and output gate */
    RECURRENT = 5, /* of the same */
    PEEPHOLE = 9,  /* three */
    BIAS = 12,     /* four */
    PROJECTION = 16 /* and its bias */,
    HIDDEN = 18,
    CELL = 19,
    NORM = 20, /* four */
    ALL = 24,
    GATES = 4,
    INTERMEDIATES = 8, /* field of the operator's table */
};

typedef struct lstm {
    int64_t batch, units, in_c;
    bool is_time_major;
    float cell_clip;
    oribi_value_id inputs[6]; /* of the op */
} lstm;

/* --- What is there, and what may not be ------------------------------------------------------- */

static bool is_there(const oribi_tflite_node *n, int32_t first, int32_t count)
{
    bool is = false;
    for (int32_t i = first; i < first + count && i < n->n_inputs; i++) {
        is = is || n->inputs[i] != NULL;
    }
    return is;
}

static bool check_form(oribi_tflite_node *n)
{
    if (n->n_inputs != NORM && n->n_inputs != ALL) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "%d inputs; there are 20 or 24 of them",
                                 (int)n->n_inputs);
    }
    const char *form = is_there(n, PEEPHOLE, 3)     ? "peepholes from the cell to the gates"
                       : is_there(n, PROJECTION, 2) ? "a projection of the output"
                       : is_there(n, NORM, GATES)   ? "layer normalisation"
                       : !is_there(n, WEIGHTS, 1) || !is_there(n, RECURRENT, 1)
                           ? "an input gate coupled to the forget gate"
                           : NULL;
    if (form != NULL) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "%s, which TensorFlow Lite Micro does not have either", form);
    }
    for (int32_t i = 0; i <= CELL; i++) {
        const bool is_optional = (i >= PEEPHOLE && i < BIAS) || (i >= PROJECTION && i < HIDDEN);
        if (!is_optional && n->inputs[i] == NULL) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "input %d is required and absent",
                                     (int)i);
        }
    }
    return oribi_tflite_byte(n, 0, 0) == ORIBI_TFLITE_ACT_TANH ||
           oribi_tflite_fail(n, TF_UNIMPLEMENTED, "an activation other than TANH");
}

static bool check_type(oribi_tflite_node *n, int32_t i, TF_DataType wanted)
{
    const TF_DataType type = n->inputs[i]->dtype;
    return type == wanted ||
           oribi_tflite_fail(n, TF_UNIMPLEMENTED, "input %d of type %s under an input of %s",
                             (int)i, type == 0 ? "?" : oribi_dtype_name(type),
                             oribi_dtype_name(n->inputs[INPUT]->dtype));
}

static bool check_types(oribi_tflite_node *n)
{
    const TF_DataType in = n->inputs[INPUT]->dtype;
    const bool is_float = in == TF_FLOAT;
    if (!is_float && in != TF_INT8 && in != TF_INT16) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "LSTM with input 0 of type %s",
                                 in == 0 ? "?" : oribi_dtype_name(in));
    }
    for (int32_t g = 0; g < GATES; g++) {
        const TF_DataType bias = is_float ? TF_FLOAT : in == TF_INT8 ? TF_INT32 : TF_INT64;
        ORIBI_TRY(check_type(n, WEIGHTS + g, is_float ? TF_FLOAT : TF_INT8) &&
                  check_type(n, RECURRENT + g, is_float ? TF_FLOAT : TF_INT8) &&
                  check_type(n, BIAS + g, bias));
    }
    return check_type(n, HIDDEN, in) && check_type(n, CELL, is_float ? TF_FLOAT : TF_INT16);
}

/* --- Weights ---------------------------------------------------------------------------------- */

/* The four constants of dims [rows, columns] (columns 0: [rows]) as one with the gates in front. */
static oribi_value_id pack(oribi_tflite_node *n, int32_t first, int64_t rows, int64_t columns)
{
    const int32_t rank = columns > 0 ? 2 : 1;
    const int64_t dims[3] = {GATES, rows, columns};
    TF_Tensor *parts[GATES];
    for (int32_t g = 0; g < GATES; g++) {
        const oribi_value_id value = oribi_tflite_input(n, first + g);
        if (n->failed || n->graph->values[value]->constant == NULL ||
            oribi_tflite_rank(n, value) != rank || oribi_tflite_dim(n, value, 0) != rows ||
            (rank == 2 && oribi_tflite_dim(n, value, 1) != columns)) {
            oribi_tflite_fail(
                n, TF_INVALID_ARGUMENT, "input %d must be a constant of %lld rows and %lld columns",
                (int)(first + g), (long long)rows, (long long)(rank == 2 ? columns : 1));
            return -1;
        }
        parts[g] = NULL;
    }
    oribi_value_id packed = -1;
    size_t bytes = 0;
    for (int32_t g = 0; g < GATES && !n->failed; g++) {
        parts[g] =
            oribi_graph_constant_tensor(n->graph, oribi_tflite_input(n, first + g), n->status);
        n->failed = parts[g] == NULL;
        bytes = parts[g] == NULL ? 0 : TF_TensorByteSize(parts[g]);
    }
    if (!n->failed && oribi_graph_charge(n->graph, GATES * (uint64_t)bytes, n->status)) {
        uint8_t *data = oribi_arena_array(&n->tflite->scratch, GATES * bytes + 1, 1);
        for (int32_t g = 0; g < GATES && data != NULL; g++) {
            memcpy(data + (size_t)g * bytes, TF_TensorData(parts[g]), bytes);
        }
        packed = data == NULL
                     ? -1
                     : oribi_graph_add_constant_copy(n->graph, first == BIAS ? "bias" : "weights",
                                                     n->inputs[first]->dtype, dims, rank + 1, data,
                                                     n->status);
        if (data == NULL) {
            oribi_fail_memory(n->status);
        }
    }
    for (int32_t g = 0; g < GATES; g++) {
        if (parts[g] != NULL) {
            TF_DeleteTensor(parts[g]);
        }
    }
    n->failed = packed < 0;
    return packed;
}

static bool read_inputs(oribi_tflite_node *n, lstm *out)
{
    const oribi_value_id x = oribi_tflite_input(n, INPUT);
    out->cell_clip = oribi_tflite_float(n, 1, 0.0f);
    out->is_time_major = oribi_tflite_byte(n, 3, 0) != 0;
    if (!n->failed && (oribi_tflite_rank(n, x) != 3 || !(out->cell_clip >= 0.0f))) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "an input of %d dimensions, a clip of %g; 3 dimensions and a "
                                 "clip of at least 0 are possible",
                                 (int)oribi_tflite_rank(n, x), (double)out->cell_clip);
    }
    const oribi_value_id hidden = oribi_tflite_state(n, HIDDEN);
    const oribi_value_id cell = oribi_tflite_state(n, CELL);
    if (n->failed) {
        return false;
    }
    out->units = oribi_tflite_dim(n, hidden, 1);
    out->in_c = oribi_tflite_dim(n, x, 2);
    if (oribi_tflite_rank(n, hidden) != 2 || oribi_tflite_rank(n, cell) != 2 || out->units < 1 ||
        out->in_c < 1) {
        return oribi_tflite_fail(
            n, TF_UNIMPLEMENTED,
            "states of other than [batch, units], or sizes that are not known");
    }
    out->inputs[0] = x;
    out->inputs[1] = pack(n, WEIGHTS, out->units, out->in_c);
    out->inputs[2] = n->failed ? -1 : pack(n, RECURRENT, out->units, out->units);
    out->inputs[3] = n->failed ? -1 : pack(n, BIAS, out->units, 0);
    out->inputs[4] = hidden;
    out->inputs[5] = cell;
    return !n->failed;
}

/* --- Quantisation ----------------------------------------------------------------------------- */

/* Scale and zero point of the product of output gate and cell: TensorFlow Lite reads them from the
 * last of five intermediate tensors; TensorFlow Lite Micro takes the hidden state's. */
static bool read_product(oribi_tflite_node *n, bool is_tflite, const oribi_tflite_quant *hidden,
                         oribi_tflite_quant *out)
{
    oribi_flat_vector list = {0};
    *out = *hidden;
    if (!is_tflite) {
        return true;
    }
    if (!oribi_flat_read_vector(&n->table, INTERMEDIATES, 4, "the intermediate tensors", &list,
                                n->status)) {
        n->failed = true;
        return false;
    }
    const int32_t last = list.count == 5 ? oribi_flat_int32_at(&list, 4) : -1;
    if (last < 0 || (uint32_t)last >= n->tflite->n_tensors) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "the variant tflite reads five intermediate tensors; there are %u",
                                 (unsigned)list.count);
    }
    return oribi_tflite_quant_of(n, &n->tflite->tensors[last], "the last intermediate tensor", out);
}

static bool read_scales(oribi_tflite_node *n, float out[2 * GATES])
{
    for (int32_t i = 0; i < 2 * GATES; i++) {
        oribi_tflite_quant weights = {0};
        ORIBI_TRY(oribi_tflite_quant_of(n, n->inputs[WEIGHTS + i], "a gate's weights", &weights));
        if (weights.zero != 0) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "weights with a zero point");
        }
        out[i] = weights.scale;
    }
    return true;
}

static const oribi_node *emit_quantised(oribi_tflite_node *n, const lstm *l)
{
    const oribi_import_options *options = n->tflite->options;
    const bool is_tflite = options != NULL && options->rounds_as_tflite;
    oribi_tflite_quant in = {0}, hidden = {0}, cell = {0}, product = {0};
    float scales[2 * GATES];
    if (is_tflite && n->inputs[INPUT]->dtype == TF_INT16) {
        oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                          "LSTM of int16 in the variant tflite, whose interpreter has none");
        return NULL;
    }
    const bool is_read = oribi_tflite_quant_of(n, n->inputs[INPUT], "the input", &in) &&
                         oribi_tflite_quant_of(n, n->inputs[HIDDEN], "the hidden state", &hidden) &&
                         oribi_tflite_quant_of(n, n->inputs[CELL], "the cell state", &cell) &&
                         read_product(n, is_tflite, &hidden, &product) && read_scales(n, scales);
    if (is_read && cell.zero != 0) {
        oribi_tflite_fail(n, TF_UNIMPLEMENTED, "a cell state with a zero point");
    }
    if (n->failed) {
        return NULL;
    }
    return oribi_tflite_emit_node(
        n, "Oribi>QLstm", l->inputs, 6,
        ATTRS(ATTR_BOOL("time_major", l->is_time_major), ATTR_FLOAT("cell_clip", l->cell_clip),
              ATTR_FLOAT("input_scale", in.scale), ATTR_INT("input_zero", in.zero),
              ATTR_FLOAT("hidden_scale", hidden.scale), ATTR_INT("hidden_zero", hidden.zero),
              ATTR_FLOAT("cell_scale", cell.scale), ATTR_FLOAT("product_scale", product.scale),
              ATTR_INT("product_zero", product.zero),
              ATTR_FLOATS("weight_scales", scales, 2 * GATES)),
        3);
}

static bool lstm_node(oribi_tflite_node *n)
{
    lstm l = {0};
    ORIBI_TRY(check_form(n) && check_types(n) && read_inputs(n, &l));
    const oribi_node *node =
        n->inputs[INPUT]->dtype == TF_FLOAT
            ? oribi_tflite_emit_node(n, "Oribi>Lstm", l.inputs, 6,
                                     ATTRS(ATTR_BOOL("time_major", l.is_time_major),
                                           ATTR_FLOAT("cell_clip", l.cell_clip)),
                                     3)
            : emit_quantised(n, &l);
    return node != NULL && oribi_tflite_bind(n, 0, node->outputs[0]) &&
           oribi_tflite_set_state(n, HIDDEN, node->outputs[1]) &&
           oribi_tflite_set_state(n, CELL, node->outputs[2]);
}

/* clang-format off */
const oribi_tflite_row oribi_tflite_lstm_rows[] = {
    {44, 71, 1, ALL, 1, lstm_node, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
/* clang-format on */
