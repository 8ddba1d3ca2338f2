/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes: making them, resolving them against their op, and the view that kernels get of them. */
#include "graph/graph_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

void oribi_graph_link(oribi_graph *graph, oribi_node *node, int32_t input, oribi_value_id value)
{
    node->inputs[input] = value;
    if (value < 0) {
        return;
    }
    oribi_value *used = graph->values[value];
    oribi_use_link *link = &node->links[input];
    link->use.node = node;
    link->use.input = input;
    if (used->uses == NULL) {
        link->next = link->previous = used->uses = link;
    } else {
        link->next = used->uses;
        link->previous = used->uses->previous;
        link->previous->next = link->next->previous = link;
    }
    used->n_uses++;
}

void oribi_graph_unlink(oribi_graph *graph, oribi_node *node, int32_t input)
{
    oribi_value_id value = node->inputs[input];
    if (value < 0) {
        return;
    }
    oribi_value *used = graph->values[value];
    oribi_use_link *link = &node->links[input];
    if (link->next == link) {
        used->uses = NULL;
    } else {
        link->previous->next = link->next;
        link->next->previous = link->previous;
        used->uses = used->uses == link ? link->next : used->uses;
    }
    used->n_uses--;
    node->inputs[input] = -1;
}

static bool add_outputs(oribi_graph *graph, oribi_node *node, const char *name, TF_Status *status)
{
    for (int32_t i = 0; i < node->n_outputs; i++) {
        char text[256];
        const char *output_name = name;
        if (node->n_outputs > 1) {
            snprintf(text, sizeof(text), "%.230s:%d", name, (int)i);
            output_name = text;
        }
        node->outputs[i] = oribi_graph_add_value(graph, output_name, (TF_DataType)0, NULL, status);
        if (node->outputs[i] < 0) {
            return false;
        }
        graph->values[node->outputs[i]]->producer = node->id;
        graph->values[node->outputs[i]]->producer_output = i;
    }
    return true;
}

oribi_node *oribi_graph_add_node(oribi_graph *graph, const char *op_name, const char *name,
                                 const oribi_value_id *inputs, int32_t n_inputs, int32_t n_outputs,
                                 TF_Status *status)
{
    oribi_arena *arena = &graph->arena;
    if (graph->n_nodes >= graph->max_nodes) {
        oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                   "model '%s': node '%s' is one more than the %d that a graph may have; split the "
                   "model",
                   graph->source_name, name != NULL ? name : "", (int)graph->max_nodes);
        return NULL;
    }
    if (!oribi_graph_grow((void **)&graph->nodes, graph->n_nodes, &graph->nodes_capacity,
                          sizeof(*graph->nodes), status)) {
        return NULL;
    }
    size_t count = (size_t)n_inputs + (size_t)n_outputs;
    oribi_node *node = oribi_arena_array(arena, 1, sizeof(*node));
    oribi_value_id *ends = oribi_arena_array(arena, count > 0 ? count : 1, sizeof(*ends));
    oribi_use_link *links =
        oribi_arena_array(arena, n_inputs > 0 ? (size_t)n_inputs : 1, sizeof(*links));
    const oribi_op_def *op = oribi_op_find(op_name); /* its name lives for ever */
    const char *kept_op = op != NULL ? op->name : oribi_arena_strdup(arena, op_name);
    if (node == NULL || ends == NULL || links == NULL || kept_op == NULL ||
        (op == NULL && oribi_op_is_known(op_name))) { /* its definition found no memory */
        oribi_fail_memory(status);
        return NULL;
    }
    node->name = oribi_graph_unique_name(graph, name, ORIBI_NAME_OF_NODE, status);
    if (node->name == NULL) {
        return NULL;
    }
    node->id = graph->n_nodes;
    node->op_name = kept_op;
    node->n_inputs = n_inputs;
    node->n_outputs = n_outputs;
    node->inputs = ends;
    node->outputs = ends + n_inputs;
    node->links = links;
    node->device = "";
    node->origin = "";
    graph->nodes[graph->n_nodes++] = node;
    for (int32_t i = 0; i < n_inputs; i++) {
        oribi_graph_link(graph, node, i, inputs[i]);
    }
    if (!add_outputs(graph, node, node->name, status)) {
        node->n_outputs = 0;
        oribi_graph_remove_node(graph, node);
        return NULL;
    }
    return node;
}

/* Only what may say a shape is made dense for shape functions: a few integers (shapes, axes,
 * paddings), scalars, factors of dimensions. Weights stay where they are; few of them may be gone
 * into what their kernels packed. */
static bool is_shape_like(const oribi_value *value)
{
    enum { MAX_ELEMENTS = 1024, MAX_FACTORS = 8 };
    const oribi_constant *constant = value->constant;
    if (constant == NULL || constant->is_absent || constant->is_dropped ||
        constant->view.rank > 2 || constant->view.dtype == TF_STRING) {
        return false;
    }
    bool is_integer = constant->view.dtype == TF_INT32 || constant->view.dtype == TF_INT64;
    int64_t count = 1;
    for (int32_t i = 0; i < constant->view.rank; i++) {
        count *= constant->view.dims[i] < MAX_ELEMENTS ? constant->view.dims[i] : MAX_ELEMENTS + 1;
    }
    return count <= (is_integer ? MAX_ELEMENTS : MAX_FACTORS);
}

bool oribi_graph_infer(oribi_graph *graph, oribi_node *node, TF_Status *status)
{
    size_t n = (size_t)node->n_inputs;
    size_t n_outputs = (size_t)node->n_outputs;
    bool ok = false;
    oribi_shape *shapes = oribi_alloc_zero(n * 2 + n_outputs + 1, sizeof(*shapes));
    oribi_handle_data *handles = oribi_alloc_zero(n + n_outputs + 1, sizeof(*handles));
    TF_Quantisation *units = oribi_alloc_zero(n + 1, sizeof(*units));
    TF_Tensor **constants = oribi_alloc_zero(n + 1, sizeof(*constants));
    if (shapes == NULL || handles == NULL || units == NULL || constants == NULL) {
        oribi_fail_memory(status);
        goto done;
    }
    oribi_shape *partial = shapes + n;
    oribi_shape *out = partial + n;
    for (size_t i = 0; i < n; i++) {
        const oribi_value *value = graph->values[node->inputs[i]];
        shapes[i] = value->shape;
        handles[i] = value->handle;
        units[i] = oribi_graph_quantisation_view(&value->quantisation);
        handles[i].quantisation = &units[i];
        partial[i].rank = -1;
        if (is_shape_like(value)) {
            constants[i] = oribi_graph_constant_tensor(graph, node->inputs[i], status);
            if (constants[i] == NULL) {
                goto done;
            }
        } else if (value->shape.rank == 1 &&
                   !oribi_graph_partial_ints(graph, node->inputs[i], &partial[i], status)) {
            goto done;
        }
    }
    if (!oribi_op_infer_handles(node->op, node->name, &node->attrs, &node->signature, shapes,
                                handles, constants, partial, &graph->arena, out, handles + n,
                                status)) {
        goto done;
    }
    for (size_t i = 0; i < n_outputs; i++) {
        graph->values[node->outputs[i]]->shape = out[i];
        graph->values[node->outputs[i]]->handle = handles[n + i];
        graph->values[node->outputs[i]]->handle.quantisation = NULL;
    }
    ok = true;
done:
    for (size_t i = 0; constants != NULL && i < n; i++) {
        TF_DeleteTensor(constants[i]);
    }
    oribi_free(constants);
    oribi_free(units);
    oribi_free(handles);
    oribi_free(shapes);
    return ok;
}

static bool resolve_signature(oribi_graph *graph, oribi_node *node, TF_Status *status)
{
    TF_DataType few[16];
    TF_DataType *types = few;
    bool ok = false;
    if (node->n_inputs > 16) {
        types = oribi_alloc_array((size_t)node->n_inputs, sizeof(*types));
        if (types == NULL) {
            return oribi_fail_memory(status);
        }
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        oribi_value_id value = node->inputs[i];
        if (value < 0) {
            oribi_fail(status, TF_INVALID_ARGUMENT, "node '%s' (%s): input %d is missing",
                       node->name, node->op_name, (int)i);
            goto done;
        }
        types[i] = graph->values[value]->dtype;
    }
    ok = oribi_op_resolve(node->op, node->name, &node->attrs, types, node->n_inputs, &graph->arena,
                          &node->signature, status);
done:
    if (types != few) {
        oribi_free(types);
    }
    return ok;
}

/* The signature against what the node really has: counts and input types. */
static bool check_ends(const oribi_graph *graph, const oribi_node *node, TF_Status *status)
{
    const oribi_signature *signature = &node->signature;
    if (signature->n_inputs != node->n_inputs || signature->n_outputs != node->n_outputs) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "node '%s': op %s takes %d inputs and gives %d outputs with these "
                          "attributes; the node has %d and %d",
                          node->name, node->op_name, (int)signature->n_inputs,
                          (int)signature->n_outputs, (int)node->n_inputs, (int)node->n_outputs);
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        TF_DataType found = graph->values[node->inputs[i]]->dtype;
        if (found != signature->input_types[i]) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "node '%s' (%s): input %d ('%s') is %s, expected %s", node->name,
                              node->op_name, (int)i, graph->values[node->inputs[i]]->name,
                              oribi_dtype_name(found), oribi_dtype_name(signature->input_types[i]));
        }
    }
    return true;
}

bool oribi_graph_resolve(oribi_graph *graph, oribi_node *node, TF_Status *status)
{
    node->op = oribi_op_find(node->op_name);
    if (node->op == NULL) {
        return oribi_fail(status, TF_NOT_FOUND,
                          "node '%s': no op named '%s' is registered; load the plugin that has it",
                          node->name, node->op_name);
    }
    ORIBI_TRY(oribi_graph_charge(graph, 0, status));
    ORIBI_TRY(resolve_signature(graph, node, status));
    ORIBI_TRY(check_ends(graph, node, status));
    for (int32_t i = 0; i < node->n_outputs; i++) {
        graph->values[node->outputs[i]]->dtype = node->signature.output_types[i];
    }
    return oribi_graph_infer(graph, node, status);
}
