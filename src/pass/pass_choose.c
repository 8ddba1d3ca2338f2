/* SPDX-License-Identifier: Apache-2.0 */
/* Places nodes on devices and chooses their kernels. The choice itself is the kernel room's; here
 * are the order of devices tried and the one report of everything that is missing.
 */
#include "pass/pass_internal.h"

#include <string.h>

enum { MISSING_LISTED = 40 };

const oribi_kernel_def *oribi_pass_select(oribi_graph *graph, const oribi_node *node,
                                          const oribi_pass_options *options, TF_Status *status)
{
    oribi_node_view view;
    if (node->n_bodies > 0) {
        return oribi_kernel_control();
    }
    if (node->op == NULL || !oribi_graph_node_view(graph, node, &view, status)) {
        return NULL;
    }
    char type[ORIBI_DEVICE_TYPE_BYTES];
    oribi_pass_device_type(node->device, type);
    const char *fallback = options != NULL && options->device != NULL ? options->device : "CPU";
    const char *wanted[3] = {type, fallback, "CPU"};
    const oribi_kernel_def *kernel = NULL;
    for (int i = 0; i < 3 && kernel == NULL; i++) {
        bool tried =
            i > 0 && (strcmp(wanted[i], wanted[i - 1]) == 0 || strcmp(wanted[i], wanted[0]) == 0);
        if (wanted[i][0] != '\0' && !tried) {
            TF_SetStatus(status, TF_OK, "");
            kernel = oribi_kernel_select(&view, wanted[i], NULL, status);
            if (kernel == NULL && TF_GetCode(status) != TF_NOT_FOUND) {
                return NULL; /* a tie must be told, not hidden by another device */
            }
        }
    }
    return kernel;
}

bool oribi_pass_choose_some(oribi_graph *graph, const oribi_pass_options *options,
                            TF_Status *status)
{
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        oribi_node *node = graph->nodes[i];
        if (node->is_dead || node->kernel != NULL) {
            continue;
        }
        ORIBI_TRY(oribi_patience_left(status));
        node->kernel = oribi_pass_select(graph, node, options, status);
        if (TF_GetCode(status) == TF_NOT_FOUND) {
            TF_SetStatus(status, TF_OK, "");
        }
        if (!oribi_ok(status)) {
            oribi_status_prefix(status, "node '%s': ", node->name);
            return false;
        }
    }
    return true;
}

/* One line for each op that is missing altogether, naming the nodes that need it; one for each node
 * whose op is there but has no kernel. */
static void report_unknown(const oribi_graph *graph, const oribi_node *node, int32_t place,
                           oribi_text *text, int32_t *n_ops)
{
    for (int32_t i = 0; i < place; i++) {
        const oribi_node *earlier = graph->nodes[graph->order[i]];
        if (earlier->op == NULL && strcmp(earlier->op_name, node->op_name) == 0) {
            return;
        }
    }
    ++*n_ops;
    oribi_text_printf(text, "\n  op '%s' is not defined; needed by", node->op_name);
    for (int32_t i = place; i < graph->n_order; i++) {
        const oribi_node *other = graph->nodes[graph->order[i]];
        if (other->op == NULL && strcmp(other->op_name, node->op_name) == 0) {
            oribi_text_printf(text, "%s '%s'", i == place ? "" : ",", other->name);
        }
    }
    oribi_text_append(text, "; a plugin that registers this op and a kernel for it can bring it");
}

static bool fail_with_missing(oribi_graph *graph, const oribi_pass_options *options,
                              TF_Status *status)
{
    oribi_text text = {0};
    int32_t n_missing = 0;
    for (int32_t i = 0; i < graph->n_order && n_missing < MISSING_LISTED; i++) {
        const oribi_node *node = graph->nodes[graph->order[i]];
        if (node->kernel != NULL) {
            continue;
        }
        if (node->op == NULL) {
            report_unknown(graph, node, i, &text, &n_missing);
            continue;
        }
        n_missing++;
        TF_SetStatus(status, TF_OK, "");
        if (oribi_pass_select(graph, node, options, status) == NULL) {
            oribi_text_printf(&text, "\n  node '%s': %s", node->name, TF_Message(status));
        }
    }
    bool has_name = graph->source_name != NULL && graph->source_name[0] != '\0';
    oribi_fail(status, TF_UNIMPLEMENTED, "%s needs what is missing here (%d in all):%s",
               has_name ? graph->source_name : "the model", (int)n_missing,
               oribi_text_string(&text));
    oribi_text_destroy(&text);
    return false;
}

bool oribi_pass_choose(oribi_graph *graph, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status)
{
    ORIBI_TRY(oribi_graph_sort(graph, status));
    ORIBI_TRY(oribi_pass_choose_some(graph, options, status));
    int32_t n_foreign = 0;
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        if (node->kernel == NULL) {
            return fail_with_missing(graph, options, status);
        }
        if (oribi_pass_is_foreign(node)) {
            n_foreign++;
            oribi_pass_note(graph, report, "choose", "%s '%s' runs on a kernel of %s (priority %d)",
                            node->op_name, node->name, node->kernel->provider,
                            (int)node->kernel->priority);
        }
    }
    oribi_pass_note(graph, report, "choose", "kernels for %d nodes, %d of them from plugins",
                    (int)graph->n_order, (int)n_foreign);
    return true;
}
