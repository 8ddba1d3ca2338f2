/* SPDX-License-Identifier: Apache-2.0 */
/* Small edits of the graph that passes share. */
#include "pass/pass_internal.h"

#include <string.h>

oribi_node *oribi_pass_add_node(oribi_graph *graph, const char *op_name, const oribi_node *like,
                                const oribi_value_id *inputs, int32_t n_inputs,
                                const oribi_attr *attrs, int32_t n_attrs, TF_Status *status)
{
    const oribi_op_def *op = oribi_op_find(op_name);
    int32_t n_outputs = op != NULL && op->n_outputs > 1 ? op->n_outputs : 1;
    oribi_node *node =
        oribi_graph_add_node(graph, op_name, like->name, inputs, n_inputs, n_outputs, status);
    if (node == NULL) {
        return NULL;
    }
    node->device = like->device;
    node->origin = like->origin;
    for (int32_t i = 0; i < n_attrs; i++) {
        if (!oribi_attrs_set(&node->attrs, &graph->arena, &attrs[i])) {
            oribi_fail_memory(status);
            return NULL;
        }
    }
    return oribi_graph_resolve(graph, node, status) ? node : NULL;
}

/* A node of `op` with the data and a constant vector. */
static oribi_node *add_with_ints(oribi_graph *graph, const char *op, const char *name,
                                 const oribi_node *like, oribi_value_id value,
                                 const oribi_dims *ints, TF_Status *status)
{
    const oribi_value_id inputs[2] = {value,
                                      oribi_pass_add_ints(graph, name, ints->at, ints->n, status)};
    return inputs[1] < 0 ? NULL : oribi_pass_add_node(graph, op, like, inputs, 2, NULL, 0, status);
}

oribi_node *oribi_pass_add_reshape(oribi_graph *graph, const oribi_node *like, oribi_value_id value,
                                   const oribi_dims *dims, TF_Status *status)
{
    return add_with_ints(graph, "Reshape", "shape", like, value, dims, status);
}

oribi_node *oribi_pass_add_transpose(oribi_graph *graph, const oribi_node *like,
                                     oribi_value_id value, const oribi_dims *perm,
                                     TF_Status *status)
{
    return add_with_ints(graph, "Transpose", "perm", like, value, perm, status);
}

void oribi_pass_take_over(oribi_graph *graph, oribi_value_id from, oribi_value_id to)
{
    oribi_value *old = graph->values[from], *new = graph->values[to];
    if (new->producer >= 0 && !new->is_output && !new->is_input) {
        const char *name = new->name;
        new->name = old->name;
        old->name = name;
    }
    oribi_graph_replace_uses(graph, from, to);
}

const char *oribi_pass_join_origin(oribi_graph *graph, const char *first, const oribi_node *node)
{
    const char *second = node->origin != NULL ? node->origin : node->name;
    if (strstr(first, second) != NULL) {
        return first;
    }
    if (first[0] == '\0') {
        return second;
    }
    const char *joined = oribi_arena_printf(&graph->arena, "%s + %s", first, second);
    return joined != NULL ? joined : first;
}

void oribi_pass_drop(oribi_graph *graph, oribi_node *node)
{
    for (int32_t i = 0; i < node->n_outputs; i++) {
        if (graph->values[node->outputs[i]]->n_uses > 0) {
            return;
        }
    }
    oribi_graph_remove_node(graph, node);
}

oribi_value_id oribi_pass_viewed(const oribi_graph *graph, oribi_value_id value)
{
    const oribi_node *node = oribi_graph_producer(graph, value);
    while (node != NULL && node->op != NULL && oribi_pass_has(node, ORIBI_TRAIT_VIEW)) {
        oribi_traits traits;
        oribi_op_traits(node->op, &node->attrs, &node->signature, &traits);
        value = node->inputs[traits.data];
        node = oribi_graph_producer(graph, value);
    }
    return value;
}
