/* SPDX-License-Identifier: Apache-2.0 */
/* Operations and graphs as messages: NodeDef, GraphDef, OpDef.
 */
#include <string.h>

#include "binding/binding.h"
#include "format/proto.h"

static void write_input(oribi_text *out, const TF_Output *input)
{
    oribi_text name = {0};
    oribi_text_append(&name, input->oper->name);
    if (input->index > 0) {
        oribi_text_printf(&name, ":%d", input->index);
    }
    oribi_proto_message(out, 3, &name);
}

void oribi_binding_write_node(oribi_text *out, const TF_Operation *self)
{
    oribi_text part = {0};
    oribi_proto_string(out, 1, self->name);
    oribi_proto_string(out, 2, self->type);
    for (int32_t i = 0; i < self->n_inputs; i++) {
        write_input(out, &self->inputs[i]);
    }
    for (int32_t i = 0; i < self->n_controls; i++) {
        oribi_text_printf(&part, "^%s", self->controls[i]->name);
        oribi_proto_message(out, 3, &part);
    }
    oribi_binding_write_attrs(out, self);
}

void oribi_binding_write_attrs(oribi_text *out, const TF_Operation *self)
{
    oribi_text part = {0};
    oribi_proto_string(out, 4, self->device);
    for (int32_t i = 0; i < self->n_attrs; i++) {
        const oribi_binding_attr *attr = &self->attrs[i];
        oribi_proto_bytes(&part, 1, attr->name.data, attr->name.length);
        oribi_proto_bytes(&part, 2, attr->value.at, (size_t)(attr->value.end - attr->value.at));
        oribi_proto_message(out, 5, &part);
    }
    if (self->full_type.at != self->full_type.end) {
        oribi_proto_bytes(out, 7, self->full_type.at,
                          (size_t)(self->full_type.end - self->full_type.at));
    }
}

static void write_library(oribi_text *out, const TF_Graph *graph)
{
    oribi_text library = {0};
    for (size_t i = 0; i < graph->functions.n_entries; i++) {
        const oribi_wire *f = graph->functions.entries[i].value;
        oribi_proto_bytes(&library, 1, f->at, (size_t)(f->end - f->at));
    }
    for (int32_t i = 0; i < graph->n_gradients; i++) {
        const oribi_wire *g = &graph->gradients[i];
        oribi_proto_bytes(&library, 2, g->at, (size_t)(g->end - g->at));
    }
    oribi_proto_message(out, 2, &library);
}

static void write_versions(oribi_text *out, const TF_Graph *graph)
{
    oribi_proto_number(out, 1, (uint64_t)graph->producer);
    if (graph->min_consumer > 0) {
        oribi_proto_number(out, 2, (uint64_t)graph->min_consumer);
    }
}

void oribi_binding_write_graph(oribi_text *out, const TF_Graph *graph)
{
    oribi_text part = {0};
    for (int32_t i = 0; i < graph->n_ops; i++) {
        if (!graph->ops[i]->is_given) {
            oribi_binding_write_node(&part, graph->ops[i]);
            oribi_proto_message(out, 1, &part);
        }
    }
    if (graph->functions.n_entries > 0 || graph->n_gradients > 0) {
        write_library(out, graph);
    }
    write_versions(&part, graph);
    oribi_proto_message(out, 4, &part);
}

/* --- What applications ask for -------------------------------------------------------------- */

/* A buffer that holds something is not overwritten. */
static bool is_empty(const TF_Buffer *buffer, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    return buffer->data == NULL ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "Passing non-empty buffer is invalid.");
}

void TF_GraphToGraphDef(TF_Graph *graph, TF_Buffer *output_graph_def, TF_Status *status)
{
    oribi_text text = {0};
    if (!is_empty(output_graph_def, status)) {
        return;
    }
    oribi_mutex_lock(&graph->lock);
    oribi_binding_write_graph(&text, graph);
    oribi_mutex_unlock(&graph->lock);
    (void)oribi_proto_fill(&text, output_graph_def, status);
}

void TF_OperationToNodeDef(TF_Operation *oper, TF_Buffer *output_node_def, TF_Status *status)
{
    oribi_text text = {0};
    if (is_empty(output_node_def, status)) {
        oribi_binding_write_node(&text, oper);
        (void)oribi_proto_fill(&text, output_node_def, status);
    }
}

void TF_GraphVersions(TF_Graph *graph, TF_Buffer *output_version_def, TF_Status *status)
{
    oribi_text text = {0};
    if (is_empty(output_version_def, status)) {
        oribi_mutex_lock(&graph->lock);
        write_versions(&text, graph);
        oribi_mutex_unlock(&graph->lock);
        (void)oribi_proto_fill(&text, output_version_def, status);
    }
}

void TF_GraphGetOpDef(TF_Graph *graph, const char *op_name, TF_Buffer *output_op_def,
                      TF_Status *status)
{
    oribi_text text = {0};
    (void)graph;
    if (!is_empty(output_op_def, status)) {
        return;
    }
    const oribi_op_def *op = oribi_op_find(op_name);
    if (op == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "Op type not registered '%s' in this process", op_name);
        return;
    }
    oribi_proto_op_def(&text, op);
    (void)oribi_proto_fill(&text, output_op_def, status);
}
