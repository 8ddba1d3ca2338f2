/* SPDX-License-Identifier: Apache-2.0 */
/* See missing.h. */
#include "import/missing.h"

#include <string.h>

enum { MAX_NODES_NAMED = 16 };

static oribi_missing_op *add_op(oribi_missing *missing, oribi_missing_op **end, const char *op,
                                const char *name)
{
    oribi_missing_op *entry = oribi_arena_array(&missing->arena, 1, sizeof(*entry));
    const char *op_copy = oribi_arena_strdup(&missing->arena, op);
    const char *name_copy = name == NULL ? NULL : oribi_arena_strdup(&missing->arena, name);
    if (entry == NULL || op_copy == NULL || (name != NULL && name_copy == NULL)) {
        return NULL;
    }
    entry->op = op_copy;
    entry->name = name_copy;
    *end = entry;
    return entry;
}

bool oribi_missing_add(oribi_missing *missing, const char *op, const char *name, const char *why,
                       const char *node, TF_Status *status)
{
    oribi_missing_op **end = &missing->first;
    while (*end != NULL && strcmp((*end)->op, op) != 0) {
        end = &(*end)->next;
    }
    oribi_missing_op *entry = *end != NULL ? *end : add_op(missing, end, op, name);
    if (entry == NULL) {
        return oribi_fail_memory(status);
    }
    if (entry->why == NULL && why != NULL) {
        entry->why = oribi_arena_strdup(&missing->arena, why);
        ORIBI_TRY(entry->why != NULL || oribi_fail_memory(status));
    }
    if (entry->n_nodes++ < MAX_NODES_NAMED) {
        oribi_text_printf(&entry->nodes, "%s'%s'", entry->n_nodes > 1 ? ", " : "", node);
    }
    return !entry->nodes.failed || oribi_fail_memory(status);
}

bool oribi_missing_report(const oribi_missing *missing, TF_Status *status)
{
    oribi_text text = {0};
    int32_t count = 0;
    for (const oribi_missing_op *m = missing->first; m != NULL; m = m->next) {
        count++;
        oribi_text_printf(&text, "\n  %s: node%s %s", m->op, m->n_nodes > 1 ? "s" : "",
                          oribi_text_string(&m->nodes));
        if (m->n_nodes > MAX_NODES_NAMED) {
            oribi_text_printf(&text, " and %d more", (int)(m->n_nodes - MAX_NODES_NAMED));
        }
        if (m->why != NULL) {
            oribi_text_printf(&text, "\n    %s", m->why);
        }
        if (m->name != NULL) {
            oribi_text_printf(&text, "\n    a plugin that registers the op '%s' would provide it",
                              m->name);
        }
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

void oribi_missing_destroy(oribi_missing *missing)
{
    for (oribi_missing_op *m = missing->first; m != NULL; m = m->next) {
        oribi_text_destroy(&m->nodes);
    }
    oribi_arena_destroy(&missing->arena);
    missing->first = NULL;
}
