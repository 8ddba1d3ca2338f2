/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow in emitted C: no node of what is planned and emitted has graphs of its own. Read
 * next: lower_conditions.c, lower_loops.c. */
#include "compile/lower_control.h"

#include "tensor/status.h"

oribi_value_id oribi_inline_add(const oribi_inlining *l, const oribi_node *like, const char *op,
                                const oribi_value_id *inputs, int32_t n)
{
    oribi_node *node = oribi_graph_add_node(l->graph, op, like->name, inputs, n, 1, l->status);
    if (node == NULL || !oribi_graph_resolve(l->graph, node, l->status)) {
        return -1;
    }
    node->origin = like->origin;
    return node->outputs[0];
}

bool oribi_inline_prepare(const oribi_inlining *l, const oribi_node *node, oribi_body *body)
{
    oribi_pass_report report = {0};
    return oribi_graph_settle_body(l->graph, node, body, l->status) &&
           oribi_pass_run_all(body->graph, l->options, &report, l->status);
}

oribi_value_id *oribi_inline_values(const oribi_inlining *l, int32_t n)
{
    oribi_value_id *values = oribi_arena_array(l->arena, (size_t)n + 1, sizeof *values);
    if (values == NULL) {
        oribi_fail_memory(l->status);
    }
    return values;
}

bool oribi_compile_lower_control(oribi_graph *graph, const oribi_pass_options *options,
                                 oribi_arena *arena, TF_Status *status)
{
    const oribi_inlining l = {graph, options, arena, status};
    for (int32_t i = 0; i < graph->n_nodes; i++) { /* those that come are behind */
        oribi_node *node = graph->nodes[i];
        if (!node->is_dead && node->n_bodies > 0) {
            ORIBI_TRY(node->n_bodies == 1 ? oribi_compile_lower_loop(&l, node)
                                          : oribi_compile_lower_condition(&l, node));
            oribi_graph_remove_node(graph, node);
        }
    }
    return oribi_graph_sort(graph, status);
}
