/* SPDX-License-Identifier: Apache-2.0 */
/* Shape inference over the whole graph, through the ops' own shape functions. What is known already
 * (from the model's file) is kept where an op knows less. Read next: src/graph/partial.c.
 */
#include "pass/pass_internal.h"

#include <string.h>

bool oribi_pass_infer_node(oribi_graph *graph, oribi_node *node, TF_Status *status)
{
    size_t count = (size_t)node->n_outputs;
    oribi_shape *known = oribi_alloc_array(count + 1, sizeof *known);
    if (known == NULL) {
        return oribi_fail_memory(status);
    }
    for (size_t i = 0; i < count; i++) {
        known[i] = graph->values[node->outputs[i]]->shape;
    }
    bool ok = oribi_graph_infer(graph, node, status);
    for (size_t i = 0; ok && i < count; i++) {
        if (!oribi_graph_merge_shape(graph, &known[i], &graph->values[node->outputs[i]]->shape)) {
            ok = oribi_fail_memory(status);
        }
    }
    oribi_free(known);
    return ok;
}

bool oribi_pass_infer(oribi_graph *graph, TF_Status *status)
{
    ORIBI_TRY(oribi_graph_sort(graph, status));
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        if (node->op != NULL) {
            ORIBI_TRY(oribi_patience_left(status));
            ORIBI_TRY(oribi_pass_infer_node(graph, node, status));
        }
    }
    return true;
}
