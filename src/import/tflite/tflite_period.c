/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that end a run of TensorFlow Lite Micro early, so that those behind them in the file
 * run only now and then: these become a graph of a condition, within which the next such operator
 * has one of its own. In the other runs states behind the operator stay, and outputs are those of
 * the last run that went so far; before the first, zeros.
 */
#include "base/alloc.h"
#include "import/import_body.h"
#include "import/tflite/tflite.h"

enum { MOST_GATES = 32 }; /* their graphs lie in each other */

typedef struct oribi_tflite_gate {
    oribi_node_id first; /* nodes from here on wait */
    int32_t number;      /* from 1 on */
    oribi_value_id is_open;
    const char *label, *origin;
    struct oribi_tflite_gate *before;
} oribi_tflite_gate;

bool oribi_tflite_add_gate(oribi_tflite_node *n, oribi_value_id is_open)
{
    oribi_tflite *t = n->tflite;
    oribi_tflite_gate *gate = oribi_arena_array(&t->kept, 1, sizeof *gate);
    const char *label = oribi_arena_printf(&t->kept, "%s/behind", n->label);
    ORIBI_TRY((gate != NULL && label != NULL) || oribi_tflite_no_memory(n));
    *gate = (oribi_tflite_gate){.first = n->graph->n_nodes,
                                .number = t->gates != NULL ? t->gates->number + 1 : 1,
                                .is_open = is_open,
                                .label = label,
                                .origin = n->origin,
                                .before = t->gates};
    if (gate->number > MOST_GATES) {
        return oribi_tflite_fail(n, TF_RESOURCE_EXHAUSTED,
                                 "more than %d operators let some of the runs pass", MOST_GATES);
    }
    t->gates = gate;
    return true;
}

oribi_value_id oribi_tflite_behind_gate(oribi_tflite_node *n, oribi_value_id value)
{
    const oribi_tflite *t = n->tflite;
    const bool is_inside = t->outermost != NULL && n->graph != t->outermost; /* of IF, WHILE */
    const bool is_early = !is_inside && t->gates != NULL && value >= 0 &&
                          n->graph->values[value]->producer < t->gates->first;
    return is_early ? oribi_tflite_emit(n, "Identity", INPUTS(value), NO_ATTRS) : value;
}

/* --- Results ---------------------------------------------------------------------------------- */

static bool waits(const oribi_graph *graph, const oribi_tflite_gate *gate, oribi_value_id value)
{
    return graph->values[value]->producer >= gate->first;
}

/* What a result is in a run that does not make it: that of the last run, a state; -1: it is none
 * yet. */
static oribi_value_id kept_result(const oribi_graph *graph, oribi_value_id value)
{
    for (int32_t i = 0; i < graph->n_states; i++) {
        if (graph->outputs[graph->n_outputs - graph->n_states + i] == value) {
            return graph->inputs[graph->n_inputs - graph->n_states + i];
        }
    }
    return -1;
}

/* Outputs of the model that wait become states as well. */
static bool keep_outputs(oribi_tflite *t, const oribi_tflite_gate *gate,
                         const oribi_flat_table *subgraph, TF_Status *status)
{
    oribi_graph *graph = t->graph;
    oribi_flat_vector list = {0};
    ORIBI_TRY(oribi_flat_read_vector(subgraph, 2, 4, "the outputs", &list, status));
    for (uint32_t i = 0; i < list.count; i++) {
        const oribi_value_id id = graph->outputs[i];
        const oribi_value *value = graph->values[id];
        oribi_tflite_tensor *tensor = NULL;
        ORIBI_TRY(oribi_tflite_tensor_at(t, &list, i, &tensor, status));
        if (!waits(graph, gate, id) || kept_result(graph, id) >= 0) {
            continue;
        }
        oribi_tflite_variable last = {
            .tensor = tensor, .label = value->name, .origin = gate->origin, .current = id};
        last.initial = -1;
        last.read = oribi_graph_add_value(graph, value->name, value->dtype, &value->shape, status);
        ORIBI_TRY(last.read >= 0 && oribi_tflite_finish_variable(t, &last, status));
    }
    return true;
}

/* --- The condition ---------------------------------------------------------------------------- */

typedef struct closing { /* of a gate */
    oribi_graph *graph;
    const oribi_tflite_gate *gate;
    oribi_value_id *map;              /* what stands for a value where the gate is open */
    oribi_value_id *inputs, *results; /* of the condition: inputs[0] is asked */
    int32_t *captured;
    int32_t n_captured, n_results;
    oribi_body bodies[2];
    TF_Status *status;
} closing;

/* Where the gate is open, a captured value is an input in the order of the body's. */
static bool open_way(closing *c)
{
    const oribi_graph *graph = c->graph;
    oribi_graph *body = c->bodies[0].graph;
    for (int32_t i = 0; i < graph->n_outputs; i++) {
        const oribi_value_id value = graph->outputs[i];
        bool is_new = waits(graph, c->gate, value);
        for (int32_t k = 0; k < c->n_results; k++) {
            is_new = is_new && c->results[k] != value;
        }
        if (is_new) {
            ORIBI_TRY(oribi_graph_add_output(body, c->map[value], "result", c->status));
            c->results[c->n_results++] = value;
        }
    }
    for (int32_t v = 0; v < graph->n_values; v++) {
        for (int32_t k = 0; c->map[v] >= 0 && k < body->n_inputs; k++) {
            if (body->inputs[k] == c->map[v]) {
                c->inputs[1 + k] = v;
            }
        }
    }
    c->bodies[0].n_captured = body->n_inputs;
    c->n_captured = body->n_inputs;
    return true;
}

/* Where it is closed, each result is the last one. */
static bool closed_way(closing *c)
{
    oribi_graph *body = c->bodies[1].graph;
    for (int32_t i = 0; i < c->n_results; i++) {
        const oribi_value_id last = kept_result(c->graph, c->results[i]);
        const oribi_value *value = c->graph->values[last];
        const oribi_value_id formal =
            oribi_import_body_formal(body, value->name, value->dtype, &value->shape, c->status);
        ORIBI_TRY(formal >= 0 && oribi_graph_add_output(body, formal, "result", c->status));
        c->inputs[1 + c->n_captured++] = last;
    }
    c->bodies[1].n_captured = c->n_results;
    for (int32_t i = 0; i < c->n_captured; i++) {
        c->captured[i] = 1 + i;
    }
    c->bodies[0].captured = c->captured;
    c->bodies[1].captured = c->captured + c->bodies[0].n_captured;
    return true;
}

/* The condition in the place of the nodes that it has now. */
static bool join_ways(closing *c, const oribi_attrs *attrs)
{
    oribi_graph *graph = c->graph;
    const int32_t n_nodes = graph->n_nodes;
    oribi_node *node =
        oribi_import_body_node(graph, "Oribi>If", c->gate->label, c->inputs, 1 + c->n_captured,
                               c->n_results, attrs, c->bodies, 2, c->status);
    c->bodies[0].graph = c->bodies[1].graph = NULL;
    ORIBI_TRY(node != NULL && oribi_graph_resolve(graph, node, c->status));
    node->origin = c->gate->origin;
    for (int32_t i = 0; i < c->n_results; i++) {
        oribi_value *made = graph->values[node->outputs[i]];
        made->shape = graph->values[c->results[i]]->shape;
        made->quantisation = graph->values[c->results[i]]->quantisation;
        oribi_graph_replace_uses(graph, c->results[i], node->outputs[i]);
    }
    for (int32_t i = graph->n_order - 1; i >= 0; i--) {
        oribi_node *old = graph->nodes[graph->order[i]];
        if (old->id >= c->gate->first && old->id < n_nodes) {
            oribi_graph_remove_node(graph, old);
        }
    }
    return true;
}

static bool close_ways(closing *c, const oribi_import_options *options, oribi_arena *scratch)
{
    const size_t most = (size_t)c->graph->n_values + (size_t)c->graph->n_outputs + 1;
    oribi_attrs attrs = {0};
    for (int k = 0; k < 2; k++) {
        c->bodies[k].graph = oribi_import_body_begin(c->graph, options, c->status);
        ORIBI_TRY(c->bodies[k].graph != NULL);
    }
    c->map = oribi_graph_enclose(c->graph, c->gate->first, c->bodies[0].graph, c->status);
    c->inputs = oribi_arena_array(scratch, most, sizeof *c->inputs);
    c->results = oribi_arena_array(scratch, most, sizeof *c->results);
    c->captured = oribi_arena_array(scratch, most, sizeof *c->captured);
    ORIBI_TRY(c->map != NULL);
    ORIBI_TRY((c->inputs != NULL && c->results != NULL && c->captured != NULL) ||
              oribi_fail_memory(c->status));
    c->inputs[0] = c->gate->is_open;
    ORIBI_TRY(open_way(c) && closed_way(c));
    if (c->n_results == 0) { /* nothing lies behind it */
        return true;
    }
    for (int k = 0; k < 2; k++) {
        c->bodies[k].graph = oribi_import_body_end(c->bodies[k].graph, c->graph, true, c->status);
        ORIBI_TRY(c->bodies[k].graph != NULL);
    }
    return oribi_import_set_types(c->graph, &attrs, "Tcaptured", c->graph, c->inputs + 1,
                                  c->n_captured, c->status) &&
           oribi_import_set_types(c->graph, &attrs, "Tresults", c->graph, c->results, c->n_results,
                                  c->status) &&
           join_ways(c, &attrs);
}

static bool close_gate(oribi_tflite *t, const oribi_tflite_gate *gate, TF_Status *status)
{
    closing c = {.graph = t->graph,
                 .gate = gate,
                 .bodies = {{.name = "then"}, {.name = "else"}},
                 .status = status};
    const bool ok = close_ways(&c, t->options, &t->scratch);
    for (int k = 0; k < 2; k++) {
        oribi_graph_destroy(c.bodies[k].graph);
    }
    oribi_free(c.map);
    oribi_arena_destroy(&t->scratch);
    return ok;
}

bool oribi_tflite_finish_gates(oribi_tflite *t, const oribi_flat_table *subgraph, TF_Status *status)
{
    const oribi_tflite_gate *outermost = t->gates;
    while (outermost != NULL && outermost->before != NULL) {
        outermost = outermost->before;
    }
    if (outermost == NULL) {
        return true;
    }
    ORIBI_TRY(keep_outputs(t, outermost, subgraph, status));
    for (const oribi_tflite_gate *gate = t->gates; gate != NULL; gate = gate->before) {
        ORIBI_TRY(close_gate(t, gate, status)); /* the innermost first */
    }
    return true;
}
