/* SPDX-License-Identifier: Apache-2.0 */
/* What an ONNX operator that nothing provides is called in the report (missing.h), and what is
 * missing in graphs and functions of nodes that wait for another one. */
#include "import/onnx/onnx.h"

#include <inttypes.h>

bool oribi_onnx_missing_add(oribi_onnx *onnx, const oribi_onnx_node *n, const char *why,
                            TF_Status *status)
{
    const char *domain = oribi_import_text(&onnx->scratch, &n->domain);
    const char *op_type = oribi_import_text(&onnx->scratch, &n->op_type);
    if (domain == NULL || op_type == NULL) {
        return oribi_fail_memory(status);
    }
    const char *op = oribi_arena_printf(&onnx->scratch, "%s%s%s (opset %" PRId64 ")", domain,
                                        n->domain.length == 0 ? "" : ":", op_type, n->opset);
    const char *name = oribi_onnx_custom_name(onnx, &n->domain, &n->op_type);
    if (op == NULL || name == NULL) {
        return oribi_fail_memory(status);
    }
    return oribi_missing_add(&onnx->root->missing, op, n->wants_shapes ? NULL : name, why, n->label,
                             status);
}

/* Nodes of the scope are looked up, none is translated. */
static bool look_inside(oribi_onnx *scope, const oribi_wire *graph, uint32_t number, bool is_open,
                        TF_Status *status)
{
    scope->is_waiting = true;
    const bool ok = is_open && oribi_onnx_read_nodes(scope, *graph, number, status);
    oribi_onnx_scope_close(scope);
    return ok;
}

bool oribi_onnx_missing_inside(oribi_onnx_node *n, const oribi_wire *function)
{
    oribi_onnx scope;
    oribi_onnx_attr attr;
    oribi_wire position = n->body, graph;
    for (int32_t i = 0; i < n->n_inputs; i++) {
        n->inputs[i] = -1; /* a node in a graph that waits has none */
    }
    if (function != NULL) {
        const bool is_open = oribi_onnx_function_open(n, function, &scope);
        return look_inside(&scope, function, 7, is_open, n->status);
    }
    while (oribi_onnx_attr_next(n, &position, &attr)) {
        if (attr.type != ORIBI_ONNX_ATTR_GRAPH || attr.is_passed) {
            continue;
        }
        const char *step = oribi_import_text(&n->onnx->scratch, &attr.name);
        ORIBI_TRY(step != NULL || oribi_fail_memory(n->status));
        ORIBI_TRY(oribi_onnx_read_graph(n, step, &graph));
        const bool is_open = oribi_onnx_scope_open(n, step, &scope);
        ORIBI_TRY(look_inside(&scope, &graph, 1, is_open, n->status));
    }
    return !n->failed;
}
