/* SPDX-License-Identifier: Apache-2.0 */
/* The report of ops that nothing provides: all of them at once, with their nodes. */
#include "import/onnx.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_NODES_NAMED = 16 };

bool oribi_onnx_missing_add(oribi_onnx *onnx, const oribi_onnx_node *n, const char *why,
                            TF_Status *status)
{
    const char *domain = oribi_onnx_text(&onnx->scratch, &n->domain);
    const char *op_type = oribi_onnx_text(&onnx->scratch, &n->op_type);
    if (domain == NULL || op_type == NULL) {
        return oribi_fail_memory(status);
    }
    const char *op =
        n->domain.length == 0
            ? oribi_arena_printf(&onnx->kept, "%s (opset %" PRId64 ")", op_type, n->opset)
            : oribi_arena_printf(&onnx->kept, "%s:%s", domain, op_type);
    if (op == NULL) {
        return oribi_fail_memory(status);
    }
    oribi_onnx_missing *entry = onnx->missing;
    while (entry != NULL && strcmp(entry->op, op) != 0) {
        entry = entry->next;
    }
    if (entry == NULL) {
        const char *name = oribi_onnx_custom_name(onnx, &n->domain, &n->op_type);
        name = name == NULL ? NULL : oribi_arena_strdup(&onnx->kept, name);
        entry = oribi_arena_array(&onnx->kept, 1, sizeof(*entry));
        if (entry == NULL || name == NULL) {
            return oribi_fail_memory(status);
        }
        entry->op = op;
        entry->name = name;
        *onnx->missing_tail = entry;
        onnx->missing_tail = &entry->next;
    }
    entry->why = entry->why == NULL ? why : entry->why; /* the first says enough */
    if (entry->n_nodes++ < MAX_NODES_NAMED) {
        oribi_text_printf(&entry->nodes, "%s'%s'", entry->n_nodes > 1 ? ", " : "", n->label);
    }
    return !entry->nodes.failed || oribi_fail_memory(status);
}

bool oribi_onnx_missing_report(const oribi_onnx *onnx, TF_Status *status)
{
    oribi_text text = {0};
    int32_t count = 0;
    for (const oribi_onnx_missing *m = onnx->missing; m != NULL; m = m->next) {
        count++;
        oribi_text_printf(&text, "\n  %s: node%s %s", m->op, m->n_nodes > 1 ? "s" : "",
                          oribi_text_string(&m->nodes));
        if (m->n_nodes > MAX_NODES_NAMED) {
            oribi_text_printf(&text, " and %d more", (int)(m->n_nodes - MAX_NODES_NAMED));
        }
        if (m->why != NULL) {
            oribi_text_printf(&text, "\n    %s", m->why);
        }
        oribi_text_printf(&text, "\n    a plugin that registers the op '%s' would provide it",
                          m->name);
    }
    if (text.failed) {
        oribi_text_destroy(&text);
        return oribi_fail_memory(status);
    }
    oribi_fail(status, TF_UNIMPLEMENTED,
               "%d op%s of the model %s provided by no plugin that is loaded (load one with "
               "--plugin FILE or ORIBI_PLUGIN_PATH):%s",
               (int)count, count == 1 ? "" : "s", count == 1 ? "is" : "are",
               oribi_text_string(&text));
    oribi_text_destroy(&text);
    return false;
}
