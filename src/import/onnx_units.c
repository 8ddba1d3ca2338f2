/* SPDX-License-Identifier: Apache-2.0 */
/* What real numbers do the integers of a value stand for? ONNX says it beside the operators that
 * quantise and dequantise, not of the values: each value that such an operator reads or makes gets
 * it, operators that only move elements hand it on, and inputs and outputs keep it. Scales and
 * zero points that are computed say nothing.
 */
#include "import/onnx_emit.h"

#include <string.h>

/* --- Operators that say it ------------------------------------------------------------------- */

typedef struct units_row { /* positions of inputs; the value -1 is output 0 */
    const char *op_type;
    struct {
        int8_t value, scale, zero;
    } of[3];
    int8_t n;
} units_row;

#define ONE_TO_ONE(op)                                                                             \
    {                                                                                              \
        op, {{0, 1, 2}, {-1, 3, 4}}, 2                                                             \
    }
#define TWO_TO_ONE(op)                                                                             \
    {                                                                                              \
        op, {{0, 1, 2}, {3, 4, 5}, {-1, 6, 7}}, 3                                                  \
    }
static const units_row rows[] = {
    {"DequantizeLinear", {{0, 1, 2}}, 1},
    {"QuantizeLinear", {{-1, 1, 2}}, 1},
    TWO_TO_ONE("QLinearConv"),
    TWO_TO_ONE("QLinearMatMul"),
    TWO_TO_ONE("QLinearAdd"),
    TWO_TO_ONE("QLinearMul"),
    ONE_TO_ONE("QLinearAveragePool"),
    ONE_TO_ONE("QLinearGlobalAveragePool"),
    ONE_TO_ONE("QLinearLeakyRelu"),
    ONE_TO_ONE("QLinearSigmoid"),
    ONE_TO_ONE("QLinearSoftmax"),
};

/* The first of a constant's numbers, and how many there are; 0: it is computed, or of a type or
 * rank that is no scale's. An absent one, a zero point, is one 0. */
static int64_t first_number(const oribi_onnx_node *n, oribi_value_id id, double *out)
{
    *out = 0;
    const oribi_constant *constant = id < 0 ? NULL : n->graph->values[id]->constant;
    if (constant == NULL || constant->view.rank > 1) {
        return id < 0 ? 1 : 0;
    }
    const int64_t count = constant->view.rank == 0 ? 1 : constant->view.dims[0];
    float real;
    int16_t narrow;
    uint8_t byte;
    switch (count > 0 ? (int)constant->view.dtype : 0) {
    case TF_FLOAT:
        memcpy(&real, constant->view.data, sizeof real);
        *out = (double)real;
        return count;
    case TF_INT16:
    case TF_UINT16:
        memcpy(&narrow, constant->view.data, sizeof narrow);
        *out = constant->view.dtype == TF_INT16 ? (double)narrow : (double)(uint16_t)narrow;
        return count;
    case TF_INT8:
    case TF_UINT8:
        memcpy(&byte, constant->view.data, 1);
        *out = constant->view.dtype == TF_INT8 ? (double)(int8_t)byte : (double)byte;
        return count;
    case TF_INT32: /* of a bias: 0 is all that there is */
        return count;
    default:
        return 0;
    }
}

static void note(oribi_onnx_node *n, oribi_value_id id, oribi_value_id scale, oribi_value_id zero)
{
    double real, point;
    const int64_t n_scales = first_number(n, scale, &real);
    const int64_t n_zeros = first_number(n, zero, &point);
    if (id < 0 || scale < 0 || n_scales == 0 || n_zeros == 0 ||
        (zero >= 0 && n_zeros != n_scales)) {
        return;
    }
    oribi_value *value = n->graph->values[id];
    const int64_t axis = n_scales > 1 ? oribi_onnx_int(n, "axis", 1) : 0;
    if (value->quantisation.n_scales == 0) {
        value->quantisation = oribi_graph_quantisation(value->dtype, n_scales,
                                                       axis < 0 ? axis + value->shape.rank : axis,
                                                       real, (int64_t)point);
    }
}

/* QLinearConcat: scale and zero point of the result, then each part with its own. */
static void note_concat(oribi_onnx_node *n, const oribi_value_id *inputs, int32_t n_inputs,
                        oribi_value_id result)
{
    note(n, result, inputs[0], inputs[1]);
    for (int32_t i = 2; i + 2 < n_inputs; i += 3) {
        note(n, inputs[i], inputs[i + 1], inputs[i + 2]);
    }
}

void oribi_onnx_note_units(oribi_onnx_node *n, const oribi_value_id *inputs, int32_t n_inputs,
                           oribi_value_id result)
{
    static const char concat[] = "QLinearConcat";
    const char *op = n->op_type.data;
    const size_t length = n->op_type.length;
    if (length == sizeof concat - 1 && memcmp(op, concat, length) == 0) {
        note_concat(n, inputs, n_inputs, result);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strlen(rows[i].op_type) != length || memcmp(op, rows[i].op_type, length) != 0) {
            continue;
        }
        for (int32_t k = 0; k < rows[i].n; k++) {
            const int32_t at = rows[i].of[k].value, s = rows[i].of[k].scale, z = rows[i].of[k].zero;
            note(n, at < 0 ? result : inputs[at], s < n_inputs ? inputs[s] : -1,
                 z < n_inputs ? inputs[z] : -1);
        }
    }
}

/* --- Operators that hand it on --------------------------------------------------------------- */

typedef struct mover { /* inputs [first, n - after) are moved to all outputs */
    const char *op;
    int8_t first, after;
} mover;
static const mover movers[] = {{"Identity", 0, 0},
                               {"Reshape", 0, 1},
                               {"Squeeze", 0, 0},
                               {"ExpandDims", 0, 1},
                               {"Transpose", 0, 1},
                               {"Slice", 0, 2},
                               {"StridedSlice", 0, 3},
                               {"Split", 1, 0},
                               {"SplitV", 0, 2},
                               {"Unpack", 0, 0},
                               {"Pack", 0, 0},
                               {"ConcatV2", 0, 1},
                               {"GatherV2", 0, 2},
                               {"GatherNd", 0, 1},
                               {"Tile", 0, 1},
                               {"ReverseV2", 0, 1},
                               {"BroadcastTo", 0, 1},
                               {"Pad", 0, 1},
                               {"PadV2", 0, 2},
                               {"MirrorPad", 0, 1},
                               {"MaxPool", 0, 0},
                               {"Max", 0, 1},
                               {"Min", 0, 1},
                               {"Maximum", 0, 0},
                               {"Minimum", 0, 0},
                               {"DepthToSpace", 0, 0},
                               {"SpaceToDepth", 0, 0},
                               {"SelectV2", 1, 0},
                               {"ONNX>QLinearMaxPool", 0, 0}};

/* Of values of one type, those without it get it from the first that has it. */
static void share(oribi_graph *graph, const oribi_node *node, const mover *m)
{
    const oribi_value *from = NULL;
    const int32_t n_moved = node->n_inputs - m->first - m->after;
    for (int32_t step = 0; step < 2; step++) { /* look for it, then hand it on */
        for (int32_t i = 0; i < n_moved + node->n_outputs; i++) {
            const oribi_value_id id =
                i < n_moved ? node->inputs[m->first + i] : node->outputs[i - n_moved];
            oribi_value *value = id < 0 ? NULL : graph->values[id];
            if (value == NULL || (step == 1 && (from == NULL || value->dtype != from->dtype))) {
                continue;
            }
            if (step == 0) {
                from = from == NULL && value->quantisation.n_scales == 1 ? value : from;
            } else if (value->quantisation.n_scales == 0) {
                value->quantisation = from->quantisation;
            }
        }
    }
}

static void hand_on(oribi_graph *graph, const oribi_node *node)
{
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++) {
        if (!node->is_dead && strcmp(node->op_name, movers[i].op) == 0 &&
            node->n_inputs > movers[i].first + movers[i].after) {
            share(graph, node, &movers[i]);
        }
    }
}

void oribi_onnx_finish_units(oribi_graph *graph)
{
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        hand_on(graph, graph->nodes[i]);
    }
    for (int32_t i = graph->n_nodes - 1; i >= 0; i--) {
        hand_on(graph, graph->nodes[i]);
    }
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        graph->input_quantisation[i] = graph->values[graph->inputs[i]]->quantisation;
    }
    for (int32_t i = 0; i < graph->n_outputs; i++) {
        graph->output_quantisation[i] = graph->values[graph->outputs[i]]->quantisation;
    }
}
