/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants of a graph, for tests: what every pass must leave behind. */
#include "graph/graph_internal.h"

#include "base/alloc.h"

static bool is_value(const oribi_graph *graph, oribi_value_id value)
{
    return value >= 0 && value < graph->n_values;
}

static bool check_node(const oribi_graph *graph, const oribi_node *node, int32_t *uses,
                       TF_Status *status)
{
    for (int32_t i = 0; i < node->n_inputs; i++) {
        oribi_value_id id = node->inputs[i];
        if (!is_value(graph, id)) {
            return oribi_fail(status, TF_INTERNAL, "node '%s': input %d has no value", node->name,
                              (int)i);
        }
        const oribi_node *producer = oribi_graph_producer(graph, id);
        if (producer != NULL && producer->is_dead) {
            return oribi_fail(status, TF_INTERNAL, "node '%s' reads '%s' of the removed node '%s'",
                              node->name, graph->values[id]->name, producer->name);
        }
        if (node->op != NULL && node->signature.input_types != NULL &&
            node->signature.input_types[i] != graph->values[id]->dtype) {
            return oribi_fail(status, TF_INTERNAL,
                              "node '%s': input %d is %s, but its op expects %s", node->name,
                              (int)i, oribi_dtype_name(graph->values[id]->dtype),
                              oribi_dtype_name(node->signature.input_types[i]));
        }
        uses[id]++;
    }
    for (int32_t i = 0; i < node->n_outputs; i++) {
        oribi_value_id id = node->outputs[i];
        if (!is_value(graph, id) || graph->values[id]->producer != node->id ||
            graph->values[id]->producer_output != i || graph->values[id]->constant != NULL) {
            return oribi_fail(status, TF_INTERNAL, "node '%s': output %d is not its own",
                              node->name, (int)i);
        }
    }
    return true;
}

static bool check_value(const oribi_graph *graph, oribi_value_id id, int32_t expected_uses,
                        TF_Status *status)
{
    const oribi_value *value = graph->values[id];
    if (value->n_uses != expected_uses) {
        return oribi_fail(status, TF_INTERNAL, "value '%s' counts %d uses but has %d", value->name,
                          (int)value->n_uses, (int)expected_uses);
    }
    const oribi_use_link *link = value->uses;
    while (link != NULL) {
        if (link->use.node->is_dead || link->use.node->inputs[link->use.input] != id) {
            return oribi_fail(status, TF_INTERNAL, "value '%s' lists a use that node '%s' lacks",
                              value->name, link->use.node->name);
        }
        link = link->next == value->uses ? NULL : link->next;
    }
    const oribi_node *producer = oribi_graph_producer(graph, id);
    if (expected_uses > 0 && producer == NULL && value->constant == NULL && !value->is_input) {
        return oribi_fail(status, TF_INTERNAL, "value '%s' is used but nothing makes it",
                          value->name);
    }
    return true;
}

bool oribi_graph_check(const oribi_graph *graph, TF_Status *status)
{
    bool ok = true;
    int32_t *uses = oribi_claim_zero((size_t)graph->n_values + 1, sizeof(*uses), status);
    ORIBI_TRY(uses != NULL);
    for (int32_t i = 0; ok && i < graph->n_nodes; i++) {
        ok = graph->nodes[i]->is_dead || check_node(graph, graph->nodes[i], uses, status);
    }
    for (int32_t i = 0; ok && i < graph->n_outputs; i++) {
        oribi_value_id id = graph->outputs[i];
        if (!is_value(graph, id) || !graph->values[id]->is_output) {
            ok = oribi_fail(status, TF_INTERNAL, "output '%s' has no value marked as one",
                            graph->output_names[i]);
            break;
        }
        uses[id]++;
    }
    for (int32_t i = 0; ok && i < graph->n_values; i++) {
        ok = check_value(graph, i, uses[i], status);
    }
    oribi_free(uses);
    return ok;
}
