/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to a graph that keep the use counts right. */
#include "graph/graph_internal.h"

void oribi_graph_set_node_input(oribi_graph *graph, oribi_node *node, int32_t index,
                                oribi_value_id value)
{
    oribi_graph_unlink(graph, node, index);
    oribi_graph_link(graph, node, index, value);
}

void oribi_graph_replace_uses(oribi_graph *graph, oribi_value_id from, oribi_value_id to)
{
    if (from == to) {
        return;
    }
    oribi_value *old_value = graph->values[from];
    if (graph->values[to]->quantisation.n_scales == 0) {
        graph->values[to]->quantisation = old_value->quantisation;
    }
    while (old_value->uses != NULL) {
        oribi_use use = old_value->uses->use;
        oribi_graph_set_node_input(graph, use.node, use.input, to);
    }
    if (!old_value->is_output) {
        return;
    }
    for (int32_t i = 0; i < graph->n_outputs; i++) {
        if (graph->outputs[i] == from) {
            graph->outputs[i] = to;
            old_value->n_uses--;
            graph->values[to]->n_uses++;
        }
    }
    old_value->is_output = false;
    graph->values[to]->is_output = true;
}

void oribi_graph_remove_node(oribi_graph *graph, oribi_node *node)
{
    if (node->is_dead) {
        return;
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        oribi_graph_unlink(graph, node, i);
    }
    node->is_dead = true;
}

/* A node whose op is unknown may have effects: it stays. */
static bool is_removable(const oribi_graph *graph, const oribi_node *node)
{
    if (node->is_dead || node->op == NULL || node->op->is_stateful) {
        return false;
    }
    for (int32_t i = 0; i < node->n_outputs; i++) {
        if (graph->values[node->outputs[i]]->n_uses > 0) {
            return false;
        }
    }
    return true;
}

int32_t oribi_graph_remove_dead(oribi_graph *graph)
{
    int32_t removed = 0;
    int32_t before = -1;
    while (removed != before) { /* one sweep is enough unless a pass put producers behind */
        before = removed;
        for (int32_t i = graph->n_nodes - 1; i >= 0; i--) {
            if (is_removable(graph, graph->nodes[i])) {
                oribi_graph_remove_node(graph, graph->nodes[i]);
                removed++;
            }
        }
    }
    return removed;
}
