/* SPDX-License-Identifier: Apache-2.0 */
/* See missing.h. */
#include "import/missing.h"

enum { MAX_NODES_NAMED = 16, MAX_OPS_NAMED = 64 };

static oribi_missing_op *add_op(oribi_missing *missing, const char *op, const char *name)
{
    oribi_missing_op *entry = oribi_arena_array(&missing->arena, 1, sizeof(*entry));
    const char *op_copy = oribi_arena_strdup(&missing->arena, op);
    const char *name_copy = name == NULL ? NULL : oribi_arena_strdup(&missing->arena, name);
    if (entry == NULL || op_copy == NULL || (name != NULL && name_copy == NULL) ||
        !oribi_map_put(&missing->ops, op_copy, entry)) {
        return NULL;
    }
    entry->op = op_copy;
    entry->name = name_copy;
    return entry;
}

bool oribi_missing_add(oribi_missing *missing, const char *op, const char *name, const char *why,
                       const char *node, TF_Status *status)
{
    oribi_missing_op *known = oribi_map_get(&missing->ops, op);
    oribi_missing_op *entry = known != NULL ? known : add_op(missing, op, name);
    ORIBI_TRY(entry != NULL || oribi_fail_memory(status));
    if (entry->why == NULL && why != NULL) {
        entry->why = oribi_arena_strdup(&missing->arena, why);
        ORIBI_TRY(entry->why != NULL || oribi_fail_memory(status));
    }
    missing->n_nodes++;
    if (entry->n_nodes++ < MAX_NODES_NAMED) {
        oribi_text_printf(&entry->nodes, "%s'%s'", entry->n_nodes > 1 ? ", " : "", node);
    }
    return !entry->nodes.failed || oribi_fail_memory(status);
}

static void describe(const oribi_missing_op *m, oribi_text *text)
{
    oribi_text_printf(text, "\n  %s: ", m->op);
    if (m->n_nodes > 1) {
        oribi_text_printf(text, "%d nodes: ", (int)m->n_nodes);
    } else {
        oribi_text_printf(text, "node ");
    }
    oribi_text_printf(text, "%s", oribi_text_string(&m->nodes));
    if (m->n_nodes > MAX_NODES_NAMED) {
        oribi_text_printf(text, " and %d more", (int)(m->n_nodes - MAX_NODES_NAMED));
    }
    if (m->why != NULL) {
        oribi_text_printf(text, "\n    %s", m->why);
    }
    if (m->name != NULL) {
        oribi_text_printf(text, "\n    a plugin that registers the op '%s' would provide it",
                          m->name);
    }
}

bool oribi_missing_wants_shapes(const oribi_missing *missing)
{
    return missing->n_unshaped > 0 && missing->n_unshaped == missing->n_nodes - missing->n_inside;
}

bool oribi_missing_report(const oribi_missing *missing, TF_Status *status)
{
    oribi_text text = {0};
    const size_t count = missing->ops.n_entries;
    for (size_t i = 0; i < count && i < MAX_OPS_NAMED; i++) {
        describe(missing->ops.entries[i].value, &text);
    }
    if (count > MAX_OPS_NAMED) {
        oribi_text_printf(&text, "\n  and %zu more ops", count - MAX_OPS_NAMED);
    }
    if (text.failed) {
        oribi_text_destroy(&text);
        return oribi_fail_memory(status);
    }
    if (missing->n_unshaped == missing->n_nodes) {
        oribi_fail(status, TF_UNIMPLEMENTED,
                   "%zu op%s of the model cannot be translated without shapes; give those of the "
                   "model's inputs (--shape INPUT=1x3x224x224):%s",
                   count, count == 1 ? "" : "s", oribi_text_string(&text));
        oribi_text_destroy(&text);
        return false;
    }
    oribi_fail(status, TF_UNIMPLEMENTED,
               "%zu op%s of the model %s not provided by any loaded plugin (load one with --plugin "
               "FILE or ORIBI_PLUGIN_PATH):%s",
               count, count == 1 ? "" : "s", count == 1 ? "is" : "are", oribi_text_string(&text));
    oribi_text_destroy(&text);
    return false;
}

void oribi_missing_destroy(oribi_missing *missing)
{
    if (missing == NULL) {
        return;
    }
    for (size_t i = 0; i < missing->ops.n_entries; i++) {
        oribi_missing_op *m = missing->ops.entries[i].value;
        oribi_text_destroy(&m->nodes);
    }
    oribi_map_destroy(&missing->ops);
    oribi_arena_destroy(&missing->arena);
}
