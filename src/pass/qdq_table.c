/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one quantised tensor: whatever is computed element by element between it and a
 * quantised result is a table of 256 bytes, made here by the very kernels of those ops, the ones
 * with the label "micro" so that every host makes the same. Ends are QuantizeLinear, behind floats,
 * and ops of bytes, as TFLite writes x * sigmoid(x).
 */
#include "pass/qdq_internal.h"

#include <string.h>

enum { MAX_NODES = 16, MAX_SEEN = 4 * MAX_NODES + 1, VALUES = 256 };

typedef struct table {
    TF_DataType type;    /* of the result */
    bool of_bytes;       /* it begins with bytes, not with what they stand for */
    oribi_qdq_side from; /* value -1: none was met yet; of bytes that alone */
    const oribi_node *nodes[MAX_NODES];
    oribi_value_id results[MAX_NODES]; /* constants of VALUES numbers, outputs of nodes */
    int32_t n, n_seen;     /* values that were looked at: a bound of time and of depth */
    oribi_value_id source; /* every byte dequantised; -1: not made yet */
} table;

/* --- What is computed ------------------------------------------------------------------------ */

static bool same(const oribi_qdq_side *a, const oribi_qdq_side *b)
{
    return a->value == b->value && a->scale == b->scale && a->zero == b->zero;
}

/* Computed element by element of all its inputs, by a kernel that can be asked here. */
static bool is_function(const oribi_node *node)
{
    const oribi_traits t = oribi_pass_traits(node);
    return (t.is & ORIBI_TRAIT_ELEMENTWISE) != 0 && t.n_data == node->n_inputs &&
           !node->op->is_stateful && !oribi_pass_is_preferred(node) &&
           (!oribi_pass_is_foreign(node) || strcmp(node->kernel->device_type, "CPU") == 0);
}

static bool is_byte(TF_DataType dtype)
{
    return dtype == TF_INT8 || dtype == TF_UINT8;
}

/* Does the function begin with this value? */
static bool begins(const oribi_qdq_side *side, table *t)
{
    if (t->from.value >= 0 && !same(side, &t->from)) {
        return false;
    }
    t->from = *side;
    return true;
}

static bool collect_node(const oribi_qdq *q, oribi_value_id value, table *t);

/* Adds the nodes between the quantised tensor and the value, inputs first. */
static bool collect(const oribi_qdq *q, oribi_value_id value, table *t)
{
    oribi_qdq_side side = {.value = value};
    const oribi_value *v = q->graph->values[value];
    if (++t->n_seen > MAX_SEEN) {
        return false;
    }
    if (!t->of_bytes && oribi_qdq_side_of(q, value, &side)) {
        return begins(&side, t);
    }
    if (v->constant != NULL) {
        return (t->of_bytes || v->dtype == TF_FLOAT) &&
               oribi_pass_view_count(&v->constant->view) == 1;
    }
    const table before = *t;
    if ((!t->of_bytes || value != t->from.value) && collect_node(q, value, t)) {
        return true;
    }
    const int32_t n_seen = t->n_seen;
    *t = before;
    t->n_seen = n_seen;
    side.dtype = v->dtype;
    return t->of_bytes && is_byte(v->dtype) && begins(&side, t);
}

static bool collect_node(const oribi_qdq *q, oribi_value_id value, table *t)
{
    const oribi_node *node = oribi_graph_producer(q->graph, value);
    if (node == NULL || (!t->of_bytes && q->graph->values[value]->dtype != TF_FLOAT) ||
        node->n_outputs != 1 || !is_function(node)) {
        return false;
    }
    for (int32_t i = 0; i < t->n; i++) {
        if (t->nodes[i] == node) {
            return true;
        }
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        if (t->n >= MAX_NODES || node->inputs[i] < 0 || !collect(q, node->inputs[i], t)) {
            return false;
        }
    }
    if (t->n >= MAX_NODES) {
        return false;
    }
    t->nodes[t->n++] = node;
    return true;
}

/* --- Its value for every byte ---------------------------------------------------------------- */

static int32_t byte_at(TF_DataType dtype, int32_t bits)
{
    return dtype == TF_INT8 && bits > INT8_MAX ? bits - 256 : bits;
}

static bool make_source(oribi_qdq *q, table *t)
{
    double values[VALUES];
    uint8_t bytes[VALUES];
    const int64_t dims[] = {VALUES};
    for (int32_t i = 0; i < VALUES; i++) {
        const int32_t x = byte_at(t->from.dtype, i) - t->from.zero;
        values[i] = (double)((float)x * t->from.scale);
        bytes[i] = (uint8_t)i;
    }
    t->source = t->of_bytes ? oribi_graph_add_constant_copy(q->graph, "bytes", t->from.dtype, dims,
                                                            1, bytes, q->status)
                            : oribi_pass_add_floats(q->graph, "bytes", values, VALUES, q->status);
    return t->source >= 0;
}

static oribi_value_id known(const oribi_qdq *q, const table *t, oribi_value_id value)
{
    for (int32_t i = 0; i < t->n; i++) {
        if (t->nodes[i]->outputs[0] == value) {
            return t->results[i];
        }
    }
    return q->graph->values[value]->constant != NULL ? value : t->source;
}

/* A constant in a broadcast of one element becomes a scalar, so that all results are vectors. */
static oribi_value_id operand(oribi_qdq *q, const table *t, oribi_value_id value)
{
    const oribi_value_id id = known(q, t, value);
    const oribi_shape *shape = &q->graph->values[id]->shape;
    const int64_t none[1] = {0};
    return id == value && shape->rank > 1
               ? oribi_pass_add_reshaped(q->graph, id, none, 0, q->status)
               : id;
}

static bool run(oribi_qdq *q, oribi_node *node, oribi_value_id *out)
{
    enum { MAX_INPUTS = 4 };
    TF_Tensor *inputs[MAX_INPUTS] = {NULL}, *output = NULL;
    bool ok = node->n_inputs <= MAX_INPUTS;
    for (int32_t i = 0; ok && i < node->n_inputs; i++) {
        inputs[i] = oribi_graph_constant_tensor(q->graph, node->inputs[i], q->status);
        ok = inputs[i] != NULL;
    }
    ok = ok && oribi_pass_fold_run(q->graph, node, inputs, &output, q->options, q->status);
    if (ok && TF_TensorElementCount(output) == VALUES) {
        *out = oribi_graph_add_constant_tensor(q->graph, "table", output, q->status);
    }
    for (int32_t i = 0; i < MAX_INPUTS; i++) {
        TF_DeleteTensor(inputs[i]);
    }
    TF_DeleteTensor(output);
    return ok && *out >= 0;
}

static bool evaluate(oribi_qdq *q, table *t, int32_t index)
{
    enum { MAX_INPUTS = 4 };
    const oribi_node *node = t->nodes[index];
    oribi_value_id inputs[MAX_INPUTS];
    if (node->n_inputs > MAX_INPUTS) {
        return false;
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        inputs[i] = operand(q, t, node->inputs[i]);
        if (inputs[i] < 0) {
            return false;
        }
    }
    oribi_node *copy = oribi_qdq_add(q, node->op_name, node, inputs, node->n_inputs,
                                     node->attrs.items, node->attrs.count);
    if (copy == NULL) {
        return false;
    }
    const oribi_kernel_def *micro = oribi_pass_select_labelled(q->graph, copy, "micro", q->status);
    if (micro != NULL) {
        copy->kernel = micro;
    }
    TF_SetStatus(q->status, TF_OK, "");
    t->results[index] = -1;
    const bool ok = run(q, copy, &t->results[index]);
    oribi_graph_remove_node(q->graph, copy);
    if (!ok && TF_GetCode(q->status) != TF_RESOURCE_EXHAUSTED) {
        TF_SetStatus(q->status, TF_OK, ""); /* it stays as it is */
    }
    return ok;
}

static bool quantise(oribi_qdq *q, const oribi_qdq_end *end, oribi_value_id real,
                     int64_t out[VALUES])
{
    double values[VALUES];
    if (!oribi_qdq_numbers(q->graph, real, VALUES, values)) {
        return false;
    }
    for (int32_t i = 0; i < VALUES; i++) {
        out[i] = oribi_qdq_round((float)values[i], &end->to, end->low, end->high);
    }
    return true;
}

static oribi_value_id add_table(oribi_qdq *q, const table *t, const int64_t values[VALUES],
                                const oribi_node *like)
{
    const oribi_attr attrs[] = {QDQ_TYPE("T", t->type), QDQ_INTS("table", values, VALUES)};
    const oribi_node *node =
        oribi_qdq_add(q, "ONNX>QLinearTable", like, &t->from.value, 1, attrs, 2);
    return node != NULL ? node->outputs[0] : -1;
}

static bool is_identity(const table *t, const int64_t values[VALUES])
{
    for (int32_t i = 0; i < VALUES; i++) {
        if (values[i] != byte_at(t->from.dtype, i)) {
            return false;
        }
    }
    return t->from.dtype == t->type;
}

/* Is it a function of one tensor, and what are its results? */
static bool evaluate_all(oribi_qdq *q, oribi_value_id value, table *t)
{
    oribi_value *const *values = q->graph->values;
    if (t->from.value < 0 || values[t->from.value]->constant != NULL ||
        values[t->from.value]->shape.rank != values[value]->shape.rank || !make_source(q, t)) {
        return false;
    }
    for (int32_t i = 0; i < t->n; i++) {
        if (!evaluate(q, t, i)) {
            return false;
        }
    }
    return true;
}

/* Do only nodes of the function read the result of one of them that is not the last? */
static bool frees_one(const oribi_graph *graph, const table *t)
{
    for (int32_t i = 0; i + 1 < t->n; i++) {
        const oribi_value *value = graph->values[t->nodes[i]->outputs[0]];
        int32_t n = 0;
        for (int32_t k = i + 1; k < t->n; k++) {
            for (int32_t j = 0; j < t->nodes[k]->n_inputs; j++) {
                n += t->nodes[k]->inputs[j] == t->nodes[i]->outputs[0] ? 1 : 0;
            }
        }
        if (n == value->n_uses && !value->is_output) {
            return true;
        }
    }
    return false;
}

/* --- Rules ----------------------------------------------------------------------------------- */

bool oribi_qdq_table(oribi_qdq *q, const oribi_qdq_end *end)
{
    table t = {.type = end->to.dtype, .from = {.value = -1}, .source = -1};
    int64_t values[VALUES];
    if (!collect(q, end->real, &t) || !evaluate_all(q, end->real, &t) ||
        !quantise(q, end, known(q, &t, end->real), values)) {
        return false;
    }
    const oribi_node *last = t.n > 0 ? t.nodes[t.n - 1] : end->quantize;
    const oribi_value_id result =
        is_identity(&t, values) ? t.from.value : add_table(q, &t, values, end->quantize);
    return result >= 0 && oribi_qdq_finish(q, end, last, result);
}

bool oribi_qdq_bytes(oribi_qdq *q, oribi_node *node)
{
    table t = {.of_bytes = true, .from = {.value = -1}, .source = -1};
    oribi_graph *graph = q->graph;
    if (node->n_outputs != 1 || !is_byte(graph->values[node->outputs[0]]->dtype) ||
        !collect_node(q, node->outputs[0], &t) || !frees_one(graph, &t) ||
        !evaluate_all(q, node->outputs[0], &t)) {
        return false;
    }
    const oribi_value *last = graph->values[t.results[t.n - 1]];
    int64_t values[VALUES];
    t.type = last->dtype;
    for (int32_t i = 0; i < VALUES; i++) {
        values[i] = byte_at(t.type, ((const uint8_t *)last->constant->view.data)[i]);
    }
    const oribi_value_id result = add_table(q, &t, values, node);
    if (result < 0) {
        return false;
    }
    graph->values[result]->quantisation = graph->values[node->outputs[0]]->quantisation;
    oribi_pass_note(graph, q->report, "qdq", "'%s' to '%s' are a table of bytes", t.nodes[0]->name,
                    node->name);
    oribi_pass_take_over(graph, node->outputs[0], result);
    oribi_pass_drop(graph, node);
    return true;
}

oribi_value_id oribi_qdq_requantised(oribi_qdq *q, const oribi_qdq_side *from,
                                     const oribi_qdq_end *end, const oribi_node *like)
{
    table t = {.type = end->to.dtype, .from = *from, .source = -1};
    int64_t values[VALUES];
    if (!make_source(q, &t) || !quantise(q, end, t.source, values)) {
        return -1;
    }
    return is_identity(&t, values) ? from->value : add_table(q, &t, values, like);
}
