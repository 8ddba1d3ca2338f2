/* SPDX-License-Identifier: Apache-2.0 */
/* UNIDIRECTIONAL_SEQUENCE_LSTM becomes Oribi>LstmFull or Oribi>QLstm, LSTM one of one step, and
 * BIDIRECTIONAL_SEQUENCE_LSTM two, of which one goes backwards: the four gates' weights lie
 * behind each other, hidden state and cell are variable tensors (tflite_variable.c). The plain form
 * alone: the interpreters do not agree on which others there are, and TensorFlow Lite Micro has
 * none.
 */
#include <string.h>

#include "import/tflite/tflite.h"

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
    BOTH_WAYS = 48,
    BOTH_STATES = 35, /* inputs of BIDIRECTIONAL_SEQUENCE_LSTM: hidden and cell, twice */
    BOTH_MORE = 39,   /* a second input and its weights */
    ONE_STEP = 16,    /* LSTM, and the others */
    TWO_WAYS = 52,
};

typedef struct lstm {
    bool is_coupled, has_peephole, has_norm, has_projection;
    bool is_hybrid, is_asymmetric; /* weights of int8 under floats */
    int64_t units, outputs, in_c;
    bool is_time_major;
    float cell_clip, projection_clip;
    oribi_value_id inputs[10]; /* of the op; a quantised one has 6 */
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

static bool is_plain(const lstm *l)
{
    return !l->is_coupled && !l->has_peephole && !l->has_norm && !l->has_projection;
}

static bool refuse_form(oribi_tflite_node *n, const lstm *l)
{
    const char *form = l->has_peephole ? "peepholes from the cell to the gates are not supported"
                       : l->has_projection ? "a projection of the output"
                       : l->has_norm       ? "layer normalisation"
                                           : "an input gate coupled to the forget gate";
    return oribi_tflite_fail(
        n, TF_UNIMPLEMENTED,
        "%s is not supported with an input of %s; TensorFlow Lite Micro does not support it either",
        form, oribi_dtype_name(n->inputs[INPUT]->dtype));
}

/* Is input i one that this form has? */
static bool is_wanted(const lstm *l, int32_t i)
{
    const bool is_of_input_gate =
        i == WEIGHTS || i == RECURRENT || i == PEEPHOLE || i == BIAS || i == NORM;
    const bool is_of_form = i >= NORM                           ? l->has_norm
                            : i >= PROJECTION && i < HIDDEN     ? l->has_projection
                            : i >= PEEPHOLE && i < PEEPHOLE + 3 ? l->has_peephole
                                                                : true;
    return is_of_form && !(is_of_input_gate && l->is_coupled);
}

/* Of the operator's options. */
static int asymmetric_field(const oribi_tflite_node *n)
{
    return n->code->builtin == TWO_WAYS ? 5 : 4;
}

static bool check_form(oribi_tflite_node *n, lstm *out)
{
    if (n->n_inputs != NORM && n->n_inputs != ALL) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "the operator has %d inputs; it must have 20 or 24",
                                 (int)n->n_inputs);
    }
    out->is_coupled = !is_there(n, WEIGHTS, 1);
    out->is_hybrid = oribi_tflite_is_hybrid(n, INPUT, WEIGHTS + 1);
    out->is_asymmetric = oribi_tflite_byte(n, asymmetric_field(n), 0) != 0;
    out->has_peephole = is_there(n, PEEPHOLE, 3);
    out->has_projection = is_there(n, PROJECTION, 2);
    out->has_norm = is_there(n, NORM, GATES);
    if (!is_plain(out) && n->inputs[INPUT]->dtype != TF_FLOAT) {
        return refuse_form(n, out);
    }
    for (int32_t i = 0; i < n->n_inputs; i++) {
        const bool is_wanted_here = is_wanted(out, i), is_given = n->inputs[i] != NULL;
        if (is_wanted_here != is_given && i != PROJECTION + 1) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                     "input %d is %s, which does not go with the others", (int)i,
                                     is_given ? "there" : "required and absent");
        }
    }
    return oribi_tflite_byte(n, 0, 0) == ORIBI_TFLITE_ACT_TANH ||
           oribi_tflite_fail(n, TF_UNIMPLEMENTED, "an activation other than TANH is not supported");
}

static bool check_type(oribi_tflite_node *n, int32_t i, TF_DataType wanted)
{
    const TF_DataType type = n->inputs[i]->dtype;
    return type == wanted ||
           oribi_tflite_fail(
               n, TF_UNIMPLEMENTED, "input %d of type %s does not go with an input of %s", (int)i,
               type == 0 ? "?" : oribi_dtype_name(type), oribi_dtype_name(n->inputs[INPUT]->dtype));
}

static bool is_matrix(int32_t i) /* or a peephole, which is of int8, too, in a hybrid */
{
    return i < BIAS || i == PROJECTION;
}

static bool check_types(oribi_tflite_node *n, const lstm *l)
{
    const TF_DataType in = n->inputs[INPUT]->dtype;
    const bool is_float = in == TF_FLOAT;
    if (!is_float && in != TF_INT8 && in != TF_INT16) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "LSTM does not support input 0 of type %s",
                                 in == 0 ? "?" : oribi_dtype_name(in));
    }
    for (int32_t i = WEIGHTS; i < n->n_inputs; i++) {
        const bool is_bias = i >= BIAS && i < BIAS + GATES;
        const TF_DataType wanted = is_float      ? l->is_hybrid && is_matrix(i) ? TF_INT8 : TF_FLOAT
                                   : is_bias     ? (in == TF_INT8 ? TF_INT32 : TF_INT64)
                                   : i == HIDDEN ? in
                                   : i == CELL   ? TF_INT16
                                                 : TF_INT8;
        ORIBI_TRY(n->inputs[i] == NULL || check_type(n, i, wanted));
    }
    return true;
}

/* --- Weights ---------------------------------------------------------------------------------- */

/* Takes what `count` constants hold, the first of which is input `first`, each of dims [rows,
 * columns] (columns 0: [rows]); their element type is float, or a plain number. */
static bool take_parts(oribi_tflite_node *n, int32_t first, int32_t count, int64_t rows,
                       int64_t columns, TF_Tensor *out[GATES])
{
    const int32_t rank = columns > 0 ? 2 : 1;
    for (int32_t g = 0; g < count; g++) {
        const oribi_value_id value = oribi_tflite_input(n, first + g);
        if (n->failed || n->graph->values[value]->constant == NULL ||
            oribi_tflite_rank(n, value) != rank || oribi_tflite_dim(n, value, 0) != rows ||
            (rank == 2 && oribi_tflite_dim(n, value, 1) != columns)) {
            return oribi_tflite_fail(
                n, TF_INVALID_ARGUMENT, "input %d must be a constant of %lld rows and %lld columns",
                (int)(first + g), (long long)rows, (long long)(rank == 2 ? columns : 1));
        }
        out[g] = oribi_graph_constant_tensor(n->graph, value, n->status);
        n->failed = out[g] == NULL;
        ORIBI_TRY(!n->failed);
    }
    return true;
}

static bool read_scales(oribi_tflite_node *n, int32_t first, int32_t count, float *out)
{
    for (int32_t i = 0; i < count; i++) {
        oribi_tflite_quant weights = {0};
        ORIBI_TRY(oribi_tflite_quant_of(n, n->inputs[first + i], "a gate's weights", &weights));
        if (weights.zero != 0) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                     "weights with a zero point are not supported");
        }
        out[i] = weights.scale;
    }
    return true;
}

/* A constant of the parts one behind the other; -1 and a failure. */
static oribi_value_id join(oribi_tflite_node *n, const char *name, const int64_t *dims,
                           int32_t rank, TF_Tensor *const *parts, int32_t count, TF_DataType type)
{
    const size_t bytes = count > 0 ? TF_TensorByteSize(parts[0]) : 0;
    oribi_value_id joined = -1;
    if (oribi_graph_charge(n->graph, (uint64_t)count * bytes, n->status)) {
        uint8_t *data = oribi_arena_array(&n->tflite->scratch, (size_t)count * bytes + 1, 1);
        for (int32_t g = 0; g < count && data != NULL; g++) {
            memcpy(data + (size_t)g * bytes, TF_TensorData(parts[g]), bytes);
        }
        joined = data == NULL ? -1
                              : oribi_graph_add_constant_copy(n->graph, name, type, dims, rank,
                                                              data, n->status);
        if (data == NULL) {
            oribi_fail_memory(n->status);
        }
    }
    n->failed = joined < 0;
    return joined;
}

/* Parts of int8 from input `first` on, joined, times the scale of each. */
static oribi_value_id in_floats(oribi_tflite_node *n, oribi_value_id joined, int32_t first,
                                int32_t count, int32_t rank)
{
    const int64_t dims[3] = {count, 1, 1};
    float scales[GATES] = {0};
    if (!read_scales(n, first, count, scales)) {
        return -1;
    }
    const oribi_value_id by =
        oribi_graph_add_constant_copy(n->graph, "scales", TF_FLOAT, dims, rank, scales, n->status);
    n->failed = n->failed || by < 0;
    return oribi_tflite_scaled(n, joined, by);
}

/* `count` constants from input `first` on as one, with their number in front. */
static oribi_value_id pack(oribi_tflite_node *n, int32_t first, int32_t count, int64_t rows,
                           int64_t columns)
{
    const int64_t dims[3] = {count, rows, columns};
    TF_Tensor *parts[GATES] = {NULL};
    oribi_value_id packed = -1;
    if (!n->failed && take_parts(n, first, count, rows, columns, parts)) {
        const TF_DataType type = count > 0 ? n->inputs[first]->dtype : TF_FLOAT;
        const int32_t rank = columns > 0 ? 3 : 2;
        packed = join(n, first == BIAS ? "bias" : "weights", dims, rank, parts, count, type);
        if (oribi_tflite_is_hybrid(n, INPUT, first)) {
            packed = in_floats(n, packed, first, count, rank);
        }
    }
    for (int32_t g = 0; g < GATES; g++) {
        if (parts[g] != NULL) {
            TF_DeleteTensor(parts[g]);
        }
    }
    return packed;
}

/* Input i as it is, or a constant without elements. */
static oribi_value_id optional(oribi_tflite_node *n, int32_t i, int64_t rows, int64_t columns)
{
    const int64_t none[2] = {0, columns};
    const int32_t rank = columns > 0 ? 2 : 1;
    TF_Tensor *part[GATES] = {NULL};
    if (n->failed) {
        return -1;
    }
    if (n->inputs[i] == NULL) {
        return join(n, "none", none, rank, NULL, 0, TF_FLOAT);
    }
    const bool is_fit = take_parts(n, i, 1, rows, columns, part);
    TF_DeleteTensor(part[0]);
    return is_fit ? oribi_tflite_weights_in(n, i) : -1;
}

/* One step of a batch; what has no two dimensions stays as it is. */
static oribi_value_id as_sequence(oribi_tflite_node *n, oribi_value_id x)
{
    oribi_dims dims;
    if (!oribi_tflite_dims(n, x, &dims) || dims.n != 2) {
        return x;
    }
    return oribi_tflite_reshape(n, x, &(oribi_dims){.n = 3, .at = {1, dims.at[0], dims.at[1]}});
}

static bool read_inputs(oribi_tflite_node *n, lstm *out)
{
    oribi_value_id x = oribi_tflite_input(n, INPUT);
    out->cell_clip = oribi_tflite_float(n, 1, 0.0f);
    if (n->code->builtin == ONE_STEP) {
        x = as_sequence(n, x);
        out->is_time_major = true;
    } else {
        out->is_time_major = oribi_tflite_byte(n, n->code->builtin == TWO_WAYS ? 4 : 3, 0) != 0;
    }
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
    out->outputs = oribi_tflite_dim(n, hidden, 1);
    out->units = oribi_tflite_dim(n, cell, 1);
    out->in_c = oribi_tflite_dim(n, x, 2);
    if (oribi_tflite_rank(n, hidden) != 2 || oribi_tflite_rank(n, cell) != 2 || out->units < 1 ||
        out->outputs < 1 || out->in_c < 1) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "the states must have the shape [batch, units], with known sizes");
    }
    const int32_t skip = out->is_coupled ? 1 : 0, gates = GATES - skip;
    out->inputs[0] = out->is_hybrid ? oribi_tflite_through_bytes(n, x, 2, out->is_asymmetric) : x;
    out->inputs[1] = pack(n, WEIGHTS + skip, gates, out->units, out->in_c);
    out->inputs[2] = pack(n, RECURRENT + skip, gates, out->units, out->outputs);
    out->inputs[3] = pack(n, BIAS + skip, gates, out->units, 0);
    out->inputs[4] = hidden;
    out->inputs[5] = cell;
    return !n->failed;
}

/* Reads what the plain form does not have. */
static bool read_more(oribi_tflite_node *n, lstm *out)
{
    const int32_t skip = out->is_coupled ? 1 : 0, gates = GATES - skip;
    out->projection_clip = oribi_tflite_float(n, 2, 0.0f);
    if (!n->failed && !(out->projection_clip >= 0.0f)) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "a clip of the projection of %g is not supported",
                                 (double)out->projection_clip);
    }
    out->inputs[6] = pack(n, PEEPHOLE + skip, out->has_peephole ? gates - 1 : 0, out->units, 0);
    out->inputs[7] = pack(n, NORM + skip, out->has_norm ? gates : 0, out->units, 0);
    out->inputs[8] = optional(n, PROJECTION, out->outputs, out->units);
    out->inputs[9] = optional(n, PROJECTION + 1, out->outputs, 0);
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

static const oribi_node *emit_quantised(oribi_tflite_node *n, const lstm *l)
{
    const bool is_tflite = oribi_tflite_rounds_as_tflite(n);
    oribi_tflite_quant in = {0}, hidden = {0}, cell = {0}, product = {0};
    float scales[2 * GATES];
    if (is_tflite && n->inputs[INPUT]->dtype == TF_INT16) {
        oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                          "LSTM of int16 is not supported in the variant tflite, whose interpreter "
                          "does not have it");
        return NULL;
    }
    const bool is_read = oribi_tflite_quant_of(n, n->inputs[INPUT], "the input", &in) &&
                         oribi_tflite_quant_of(n, n->inputs[HIDDEN], "the hidden state", &hidden) &&
                         oribi_tflite_quant_of(n, n->inputs[CELL], "the cell state", &cell) &&
                         read_product(n, is_tflite, &hidden, &product) &&
                         read_scales(n, WEIGHTS, 2 * GATES, scales);
    if (is_read && cell.zero != 0) {
        oribi_tflite_fail(n, TF_UNIMPLEMENTED, "a cell state with a zero point is not supported");
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

static const oribi_node *emit_float(oribi_tflite_node *n, lstm *l)
{
    if (!read_more(n, l)) {
        return NULL;
    }
    return oribi_tflite_emit_node(
        n, "Oribi>LstmFull", l->inputs, 10,
        ATTRS(ATTR_BOOL("time_major", l->is_time_major), ATTR_FLOAT("cell_clip", l->cell_clip),
              ATTR_FLOAT("projection_clip", l->projection_clip), ATTR_BOOL("hybrid", l->is_hybrid),
              ATTR_BOOL("asymmetric", l->is_asymmetric)),
        3);
}

static bool lstm_node(oribi_tflite_node *n)
{
    lstm l = {0};
    ORIBI_TRY(check_form(n, &l) && check_types(n, &l) && read_inputs(n, &l));
    const oribi_node *node =
        n->inputs[INPUT]->dtype == TF_FLOAT ? emit_float(n, &l) : emit_quantised(n, &l);
    return node != NULL && oribi_tflite_bind(n, 0, node->outputs[0]) &&
           oribi_tflite_set_state(n, HIDDEN, node->outputs[1]) &&
           oribi_tflite_set_state(n, CELL, node->outputs[2]);
}

/* --- Forms of other operators ----------------------------------------------------------------- */

/* The form with all gates, in floats. */
static bool one_step(oribi_tflite_node *n)
{
    lstm l = {0};
    if (oribi_tflite_byte(n, 3, 0) != 0) {
        return oribi_tflite_lstm_basic(n);
    }
    if (n->n_outputs != 1) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "it has %d outputs", (int)n->n_outputs);
    }
    ORIBI_TRY(check_form(n, &l) && check_types(n, &l) && read_inputs(n, &l));
    if (n->inputs[INPUT]->dtype != TF_FLOAT) {
        return refuse_form(n, &l);
    }
    const oribi_node *node = emit_float(n, &l);
    if (node == NULL) {
        return false;
    }
    const oribi_value_id y = node->outputs[0], hidden = node->outputs[1], cell = node->outputs[2];
    const oribi_dims flat = {.n = 2, .at = {oribi_tflite_dim(n, y, 1), l.outputs}};
    return oribi_tflite_bind(n, 0, oribi_tflite_reshape(n, y, &flat)) &&
           oribi_tflite_set_state(n, HIDDEN, hidden) && oribi_tflite_set_state(n, CELL, cell);
}

static oribi_value_id turn_round(oribi_tflite_node *n, oribi_value_id x, bool is_time_major)
{
    const oribi_value_id axis = oribi_tflite_reshape(
        n, oribi_tflite_scalar(n, is_time_major ? 0 : 1), &(oribi_dims){.n = 1, .at = {1}});
    return oribi_tflite_emit(n, "ReverseV2", INPUTS(x, axis), NO_ATTRS);
}

/* One direction, as if it stood alone; -1 on failure. */
static oribi_value_id one_way(oribi_tflite_node *n, bool is_back)
{
    oribi_tflite_tensor *inputs[NORM];
    oribi_tflite_node alone = *n;
    lstm l = {0};
    const int32_t shift = is_back ? HIDDEN - WEIGHTS : 0, state = is_back ? 2 : 0;
    inputs[INPUT] = n->inputs[INPUT];
    for (int32_t i = WEIGHTS; i < HIDDEN; i++) {
        inputs[i] = n->inputs[i + shift];
    }
    inputs[HIDDEN] = n->inputs[BOTH_STATES + state];
    inputs[CELL] = n->inputs[BOTH_STATES + state + 1];
    alone.inputs = inputs;
    alone.n_inputs = NORM;
    oribi_value_id y = -1;
    if (check_form(&alone, &l) && check_types(&alone, &l) && read_inputs(&alone, &l)) {
        l.inputs[0] = is_back ? turn_round(&alone, l.inputs[0], l.is_time_major) : l.inputs[0];
        const oribi_node *node = emit_float(&alone, &l);
        y = node == NULL ? -1 : node->outputs[0];
        if (node != NULL && (!oribi_tflite_set_state(&alone, HIDDEN, node->outputs[1]) ||
                             !oribi_tflite_set_state(&alone, CELL, node->outputs[2]))) {
            y = -1;
        }
        y = y >= 0 && is_back ? turn_round(&alone, y, l.is_time_major) : y;
    }
    n->failed = alone.failed;
    n->wants_shapes = alone.wants_shapes;
    return y;
}

static bool both_ways(oribi_tflite_node *n)
{
    const bool is_one = oribi_tflite_byte(n, 3, 0) != 0;
    if (n->n_inputs != BOTH_WAYS || is_there(n, BOTH_MORE, BOTH_WAYS - BOTH_MORE) ||
        n->inputs[INPUT]->dtype != TF_FLOAT || n->n_outputs != (is_one ? 1 : 2)) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "%d inputs and %d outputs: this form is not supported; one input "
                                 "of floats is",
                                 (int)n->n_inputs, (int)n->n_outputs);
    }
    const oribi_value_id forward = one_way(n, false);
    const oribi_value_id back = forward < 0 ? -1 : one_way(n, true);
    return forward >= 0 && back >= 0 && oribi_tflite_bind_ways(n, forward, back, is_one);
}

/* clang-format off */
const oribi_tflite_row oribi_tflite_lstm_rows[] = {
    {44, 71, 1, ALL, 1, lstm_node, NULL},
    {ONE_STEP, 14, 1, ALL, -1, one_step, NULL},
    {TWO_WAYS, 69, 1, BOTH_WAYS, -1, both_ways, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
/* clang-format on */
