/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a GraphDef: [A-Za-z0-9.][A-Za-z0-9_.\-/>]*, unique over nodes, inputs and constants. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ascii.h"
#include "grappler/graphdef.h"
#include "pass/pass.h"

enum { SUFFIX_BYTES = 16 };

typedef struct namer {
    oribi_graphdef_names *names;
    oribi_map taken;
} namer;

static bool is_fine(char c, bool is_first)
{
    return oribi_is_letter(c) || oribi_is_digit(c) || c == '.' ||
           (!is_first && (c == '_' || c == '-' || c == '/' || c == '>'));
}

/* `wanted` with other characters replaced, and a number where it is taken. */
static const char *take(namer *self, const char *wanted, TF_Status *status)
{
    const size_t length = strlen(wanted);
    char *name = oribi_arena_alloc(&self->names->arena, length + SUFFIX_BYTES);
    if (name == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    memcpy(name, wanted, length + 1);
    for (size_t i = 0; i < length; i++) {
        name[i] = is_fine(name[i], i == 0) ? name[i] : i == 0 ? '.' : '_';
    }
    if (length == 0) {
        memcpy(name, "node", 5);
    }
    const size_t stem = strlen(name);
    for (unsigned n = 1; oribi_map_get(&self->taken, name) != NULL; n++) {
        (void)snprintf(name + stem, SUFFIX_BYTES, "__%u", n);
    }
    if (!oribi_map_put(&self->taken, name, name)) {
        oribi_fail_memory(status);
        return NULL;
    }
    return name;
}

static bool name_node(namer *self, const oribi_node *node, TF_Status *status)
{
    oribi_graphdef_names *names = self->names;
    const char *name = take(self, node->name, status);
    names->nodes[node->id] = name;
    for (int32_t k = 0; name != NULL && k < node->n_outputs; k++) {
        const char *text = k == 0 ? name : oribi_arena_printf(&names->arena, "%s:%d", name, (int)k);
        if (text == NULL) {
            return oribi_fail_memory(status);
        }
        names->values[node->outputs[k]] = text;
    }
    for (int32_t i = 0; name != NULL && i < node->n_inputs; i++) {
        if (node->inputs[i] < 0 && names->absent == NULL) {
            names->absent = take(self, "absent", status);
            ORIBI_TRY(names->absent != NULL);
        }
    }
    return name != NULL;
}

bool oribi_graphdef_name(const oribi_graph *graph, const char *standard,
                         oribi_graphdef_names *out_names, TF_Status *status)
{
    *out_names = (oribi_graphdef_names){0};
    namer self = {.names = out_names};
    out_names->nodes =
        oribi_arena_array(&out_names->arena, (size_t)graph->n_nodes + 1, sizeof *out_names->nodes);
    out_names->values = oribi_arena_array(&out_names->arena, (size_t)graph->n_values + 1,
                                          sizeof *out_names->values);
    out_names->places =
        oribi_arena_array(&out_names->arena, (size_t)graph->n_nodes + 1, sizeof *out_names->places);
    bool ok =
        (out_names->nodes != NULL && out_names->values != NULL && out_names->places != NULL) ||
        oribi_fail_memory(status);
    for (int32_t i = 0; ok && i < graph->n_inputs; i++) {
        out_names->values[graph->inputs[i]] =
            take(&self, graph->values[graph->inputs[i]]->name, status);
        ok = out_names->values[graph->inputs[i]] != NULL;
    }
    for (int32_t i = 0; ok && i < graph->n_order; i++) {
        const oribi_node *node = graph->nodes[graph->order[i]];
        const char *place = oribi_pass_place_name(&out_names->arena, node, standard);
        out_names->places[node->id] = place;
        ok = (place != NULL || oribi_fail_memory(status)) && name_node(&self, node, status);
    }
    for (int32_t v = 0; ok && v < graph->n_values; v++) {
        const oribi_value *value = graph->values[v];
        if (value->constant != NULL && value->n_uses > 0 && out_names->values[v] == NULL) {
            out_names->values[v] = take(&self, value->name, status);
            ok = out_names->values[v] != NULL;
        }
    }
    oribi_map_destroy(&self.taken);
    if (!ok) {
        oribi_graphdef_names_destroy(out_names);
    }
    return ok;
}

void oribi_graphdef_names_destroy(oribi_graphdef_names *names)
{
    if (names == NULL) {
        return;
    }
    oribi_arena_destroy(&names->arena);
    *names = (oribi_graphdef_names){0};
}
