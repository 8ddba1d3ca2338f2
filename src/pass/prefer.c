/* SPDX-License-Identifier: Apache-2.0 */
/* Gives each node a kernel of the label that was asked for, where one is registered, of the label
 * "a-b" one of "a" else; the rest keep theirs. Runs after the passes that fuse, because those look
 * at the usual kernels.
 */
#include "pass/pass_internal.h"

#include <string.h>

static const oribi_kernel_def *select_labelled(oribi_graph *graph, const oribi_node *node,
                                               const char *label, TF_Status *status)
{
    oribi_node_view view;
    oribi_attrs attrs = {0};
    if (!oribi_graph_node_view(graph, node, &view, status)) {
        return NULL;
    }
    for (int32_t i = 0; i < node->attrs.count; i++) {
        if (!oribi_attrs_set(&attrs, &graph->arena, &node->attrs.items[i])) {
            oribi_fail_memory(status);
            return NULL;
        }
    }
    if (!oribi_attrs_set_string(&attrs, &graph->arena, "_kernel", label)) {
        oribi_fail_memory(status);
        return NULL;
    }
    view.attrs = &attrs;
    return oribi_kernel_select(&view, "CPU", NULL, status);
}

const oribi_kernel_def *oribi_pass_select_labelled(oribi_graph *graph, const oribi_node *node,
                                                   const char *label, TF_Status *status)
{
    const oribi_kernel_def *kernel = select_labelled(graph, node, label, status);
    const char *dash = strchr(label, '-');
    if (kernel != NULL || TF_GetCode(status) != TF_NOT_FOUND || dash == NULL) {
        return kernel;
    }
    const char *first = oribi_arena_strndup(&graph->arena, label, (size_t)(dash - label));
    TF_SetStatus(status, TF_OK, "");
    if (first == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    return select_labelled(graph, node, first, status);
}

bool oribi_pass_prefer(oribi_graph *graph, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status)
{
    int32_t n_changed = 0;
    if (options->label == NULL) {
        return true;
    }
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        oribi_node *node = graph->nodes[i];
        if (node->is_dead || node->op == NULL || oribi_pass_is_foreign(node)) {
            continue;
        }
        const oribi_kernel_def *kernel =
            oribi_pass_select_labelled(graph, node, options->label, status);
        if (kernel != NULL) {
            node->kernel = kernel;
            n_changed++;
        } else if (TF_GetCode(status) != TF_NOT_FOUND) {
            return false;
        }
        TF_SetStatus(status, TF_OK, "");
    }
    oribi_pass_note(graph, report, "choose", "kernels with the label '%s' for %d nodes",
                    options->label, (int)n_changed);
    return true;
}
