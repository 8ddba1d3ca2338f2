/* SPDX-License-Identifier: Apache-2.0 */
/* Shape inference over the whole graph, through the ops' own shape functions. What is known already
 * (from the model's file) is kept where an op knows less. Read next: src/graph/partial.c.
 */
#include "pass/pass_internal.h"

#include <string.h>

bool oribi_pass_merge_shape(oribi_graph *graph, const oribi_shape *known, oribi_shape *shape)
{
    if (shape->rank < 0) {
        return oribi_shape_copy(&graph->arena, known->dims, known->rank, shape);
    }
    if (known->rank != shape->rank || oribi_shape_is_full(shape)) {
        return true;
    }
    oribi_shape merged;
    if (!oribi_shape_copy(&graph->arena, shape->dims, shape->rank, &merged)) {
        return false;
    }
    for (int32_t i = 0; i < merged.rank; i++) {
        merged.dims[i] = merged.dims[i] < 0 ? known->dims[i] : merged.dims[i];
    }
    *shape = merged;
    return true;
}

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
        if (!oribi_pass_merge_shape(graph, &known[i], &graph->values[node->outputs[i]]->shape)) {
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
