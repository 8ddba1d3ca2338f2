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
    oribi_value *new_value = graph->values[to];
    while (old_value->first_output != 0) {
        const int32_t i = old_value->first_output - 1;
        old_value->first_output = graph->next_outputs[i];
        graph->next_outputs[i] = new_value->first_output;
        new_value->first_output = i + 1;
        graph->outputs[i] = to;
        old_value->n_uses--;
        new_value->n_uses++;
        new_value->is_output = true;
    }
    old_value->is_output = false;
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

/* Removes the node, and the producers that only it needed: they wait in a list through `waiting`,
 * so that a chain of any length and order takes one step for each of its nodes. */
static int32_t remove_from(oribi_graph *graph, oribi_node *node)
{
    int32_t removed = 0;
    node->waiting = NULL;
    while (node != NULL) {
        oribi_node *next = node->waiting;
        for (int32_t i = 0; i < node->n_inputs && !node->is_dead; i++) {
            oribi_node *producer = oribi_graph_producer(graph, node->inputs[i]);
            oribi_graph_unlink(graph, node, i);
            if (producer != NULL && producer != node && is_removable(graph, producer)) {
                producer->waiting = next;
                next = producer;
            }
        }
        removed += node->is_dead ? 0 : 1;
        node->is_dead = true;
        node = next;
    }
    return removed;
}

int32_t oribi_graph_remove_dead(oribi_graph *graph)
{
    int32_t removed = 0;
    for (int32_t i = graph->n_nodes - 1; i >= 0; i--) {
        if (is_removable(graph, graph->nodes[i])) {
            removed += remove_from(graph, graph->nodes[i]);
        }
    }
    return removed;
}
