/* SPDX-License-Identifier: Apache-2.0 */
/* What real numbers do the integers of a value stand for? ONNX says it beside the operators that
 * quantise and dequantise, not of the values: each value that such an operator reads or makes gets
 * it, operators that only move elements hand it on, and inputs and outputs keep it. Scales and
 * zero points that are computed say nothing.
 */
#include "import/onnx/onnx_emit.h"

#include <string.h>

#include "op/traits.h"

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

/* Number i of a constant, and how many there are; 0: it is computed, or of a type or rank that is
 * no scale's. An absent one, a zero point, is one 0. */
static int64_t number_at(const oribi_graph *graph, oribi_value_id id, int64_t i, double *out)
{
    *out = 0;
    const oribi_constant *constant = id < 0 ? NULL : graph->values[id]->constant;
    if (constant == NULL || constant->view.rank > 1) {
        return id < 0 ? 1 : 0;
    }
    const oribi_constant_view *view = &constant->view;
    const int64_t count = view->rank == 0 ? 1 : view->dims[0];
    const int64_t step = view->strides != NULL && view->rank == 1
                             ? view->strides[0]
                             : (int64_t)oribi_dtype_bytes(view->dtype);
    const char *at = (const char *)view->data + i * step;
    float real;
    int16_t narrow;
    uint8_t byte;
    switch (count > 0 ? (int)constant->view.dtype : 0) {
    case TF_FLOAT:
        memcpy(&real, at, sizeof real);
        *out = (double)real;
        return count;
    case TF_INT16:
    case TF_UINT16:
        memcpy(&narrow, at, sizeof narrow);
        *out = constant->view.dtype == TF_INT16 ? (double)narrow : (double)(uint16_t)narrow;
        return count;
    case TF_INT8:
    case TF_UINT8:
        memcpy(&byte, at, 1);
        *out = constant->view.dtype == TF_INT8 ? (double)(int8_t)byte : (double)byte;
        return count;
    case TF_INT32: /* of a bias: 0 is all that there is */
        return count;
    default:
        return 0;
    }
}

/* A zero point, the same way; a float is none, whatever a file says. */
static int64_t point_at(const oribi_graph *graph, oribi_value_id id, int64_t i, int64_t *out)
{
    double real;
    const int64_t count = number_at(graph, id, i, &real);
    const bool is_whole =
        id < 0 || count == 0 || graph->values[id]->constant->view.dtype != TF_FLOAT;
    *out = is_whole ? (int64_t)real : 0;
    return is_whole ? count : 0;
}

typedef struct units { /* constants */
    const oribi_graph *graph;
    oribi_value_id scale, zero;
} units;

static void read_units(const void *arg, int32_t i, double *scale, int64_t *zero)
{
    const units *of = arg;
    (void)number_at(of->graph, of->scale, i, scale);
    (void)point_at(of->graph, of->zero, i, zero);
}

static void note(oribi_onnx_node *n, oribi_value_id id, oribi_value_id scale, oribi_value_id zero)
{
    double real;
    int64_t point;
    const int64_t n_scales = number_at(n->graph, scale, 0, &real);
    const int64_t n_zeros = point_at(n->graph, zero, 0, &point);
    if (id < 0 || scale < 0 || n_scales == 0 || n_zeros == 0 ||
        (zero >= 0 && n_zeros != n_scales)) {
        return;
    }
    oribi_value *value = n->graph->values[id];
    const int64_t axis = n_scales > 1 ? oribi_onnx_int(n, "axis", 1) : 0;
    if (value->quantisation.n_scales == 0) {
        const units of = {n->graph, scale, zero};
        const oribi_quantisation said = oribi_graph_quantisation(
            value->dtype, n_scales, axis < 0 ? axis + value->shape.rank : axis, real, point);
        n->failed |= !oribi_graph_quantise(n->graph, value, &said, read_units, &of, n->status);
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

typedef struct mover { /* inputs [first, first + n) are moved to all outputs */
    int32_t first, n;
} mover;

/* Ops that pick elements by their value, which no trait says: all inputs from `first` on but the
 * last `after`. */
static const struct {
    const char *op;
    int8_t first, after;
} pickers[] = {{"MaxPool", 0, 0},
               {"Max", 0, 1},
               {"Min", 0, 1},
               {"Maximum", 0, 0},
               {"Minimum", 0, 0},
               {"SelectV2", 1, 0},
               {"ONNX>QLinearMaxPool", 0, 0}};

static mover find_mover(const oribi_node *node)
{
    oribi_traits traits;
    oribi_op_traits(node->op, &node->attrs, &node->signature, &traits);
    if ((traits.is & (ORIBI_TRAIT_MOVES | ORIBI_TRAIT_PADS)) != 0) {
        return (mover){traits.data, traits.n_data};
    }
    for (size_t i = 0; i < sizeof pickers / sizeof pickers[0]; i++) {
        if (strcmp(node->op_name, pickers[i].op) == 0) {
            return (mover){pickers[i].first, node->n_inputs - pickers[i].first - pickers[i].after};
        }
    }
    return (mover){0, 0};
}

/* Values of one type share units: those without get them from the first that has them. */
static void share(oribi_graph *graph, const oribi_node *node, const mover *m)
{
    const oribi_value *from = NULL;
    for (int32_t step = 0; step < 2; step++) { /* look for it, then hand it on */
        for (int32_t i = 0; i < m->n + node->n_outputs; i++) {
            const oribi_value_id id =
                i < m->n ? node->inputs[m->first + i] : node->outputs[i - m->n];
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
    const mover m = node->is_dead ? (mover){0, 0} : find_mover(node);
    if (m.n > 0) {
        share(graph, node, &m);
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
