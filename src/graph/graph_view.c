/* SPDX-License-Identifier: Apache-2.0 */
/* The view of a node that kernel selection and creation get: shapes, edge texts, constants. */
#include "graph/graph_internal.h"

#include <string.h>

typedef struct view_owner { /* arg of the callbacks */
    oribi_graph *graph;
    const oribi_node *node;
} view_owner;

static bool constant_input(void *arg, int32_t input, oribi_constant_view *out_view)
{
    const view_owner *owner = arg;
    memset(out_view, 0, sizeof(*out_view));
    if (input < 0 || input >= owner->node->n_inputs) {
        return false;
    }
    const oribi_constant *constant = owner->graph->values[owner->node->inputs[input]]->constant;
    if (constant == NULL || constant->is_dropped) {
        return false;
    }
    *out_view = constant->view;
    return true;
}

static TF_Tensor *dense_constant(void *arg, int32_t input, TF_Status *status)
{
    const view_owner *owner = arg;
    if (input < 0 || input >= owner->node->n_inputs) {
        oribi_fail(status, TF_OUT_OF_RANGE, "node '%s' has no input %d", owner->node->name,
                   (int)input);
        return NULL;
    }
    return oribi_graph_constant_tensor(owner->graph, owner->node->inputs[input], status);
}

void oribi_graph_view_range(const oribi_constant_view *view, const uint8_t **out_from,
                            size_t *out_bytes)
{
    size_t element_bytes = oribi_dtype_bytes(view->dtype);
    size_t bytes = element_bytes;
    for (int32_t i = 0; i < view->rank; i++) {
        size_t dim = (size_t)view->dims[i];
        if (dim == 0) {
            bytes = 0;
            break;
        }
        if (view->strides == NULL) {
            bytes *= dim;
        } else {
            bytes += (dim - 1) * (size_t)(view->strides[i] > 0 ? view->strides[i] : 0);
        }
    }
    *out_from = view->data;
    *out_bytes = bytes;
}

/* A tensor that the passes made does not come back: what shape functions may read later stays. */
static void drop_constant(oribi_graph *graph, oribi_constant *constant, size_t bytes)
{
    enum { KEPT_BYTES = 64 << 10 };
    if (bytes > KEPT_BYTES && !graph->keeps_constants &&
        oribi_graph_source_is_tensor(constant->source)) {
        oribi_graph_drop_source(graph, constant);
        constant->view.data = NULL;
        constant->is_dropped = true;
    }
}

/* Once every use has packed the constant, the dense copy, the file's pages and the passes' own
 * tensors are not needed. The first two come back when they are asked for again. */
static void release_constant(void *arg, int32_t input)
{
    const view_owner *owner = arg;
    if (input < 0 || input >= owner->node->n_inputs) {
        return;
    }
    oribi_value *value = owner->graph->values[owner->node->inputs[input]];
    oribi_constant *constant = value->constant;
    if (constant == NULL || ++constant->n_released < value->n_uses) {
        return;
    }
    constant->n_released = 0;
    oribi_graph_drop_dense(owner->graph, constant);
    const uint8_t *from = NULL;
    size_t bytes = 0;
    oribi_graph_view_range(&constant->view, &from, &bytes);
    if (constant->source != NULL && constant->source->give_back != NULL) {
        constant->source->give_back(constant->source, from, bytes);
    } else {
        drop_constant(owner->graph, constant, bytes);
    }
}

/* Pages come back by themselves, whoever else reads them: one reader's word is enough. */
static void constant_read(void *arg, int32_t input, const void *from, size_t bytes)
{
    const view_owner *owner = arg;
    if (input < 0 || input >= owner->node->n_inputs) {
        return;
    }
    const oribi_constant *constant = owner->graph->values[owner->node->inputs[input]]->constant;
    if (constant == NULL || constant->source == NULL || constant->source->give_back == NULL) {
        return;
    }
    const uint8_t *first = NULL;
    size_t all = 0;
    oribi_graph_view_range(&constant->view, &first, &all);
    const uintptr_t low = (uintptr_t)first, start = (uintptr_t)from;
    if (start >= low && start - low <= all && bytes <= all - (start - low)) {
        constant->source->give_back(constant->source, from, bytes);
    }
}

bool oribi_graph_node_view(oribi_graph *graph, const oribi_node *node, oribi_node_view *out_view,
                           TF_Status *status)
{
    size_t n_inputs = (size_t)node->n_inputs;
    size_t n_outputs = (size_t)node->n_outputs;
    oribi_shape *shapes =
        oribi_claim_array(&graph->arena, n_inputs + n_outputs + 1, sizeof(*shapes), status);
    const char **names = oribi_claim_array(&graph->arena, n_inputs + 1, sizeof(*names), status);
    TF_Quantisation *units =
        oribi_claim_array(&graph->arena, n_inputs + n_outputs + 1, sizeof(*units), status);
    view_owner *owner = oribi_claim_array(&graph->arena, 1, sizeof(*owner), status);
    ORIBI_TRY(shapes != NULL && names != NULL && units != NULL && owner != NULL);
    for (size_t i = 0; i < n_inputs; i++) {
        shapes[i] = graph->values[node->inputs[i]]->shape;
        names[i] = graph->values[node->inputs[i]]->name;
        units[i] = oribi_graph_quantisation_view(&graph->values[node->inputs[i]]->quantisation);
    }
    for (size_t i = 0; i < n_outputs; i++) {
        const oribi_value *value = graph->values[node->outputs[i]];
        shapes[n_inputs + i] = value->shape;
        units[n_inputs + i] = oribi_graph_quantisation_view(&value->quantisation);
    }
    owner->graph = graph;
    owner->node = node;
    memset(out_view, 0, sizeof(*out_view));
    out_view->name = node->name;
    out_view->op = node->op;
    out_view->attrs = &node->attrs;
    out_view->signature = &node->signature;
    out_view->input_shapes = shapes;
    out_view->output_shapes = shapes + n_inputs;
    out_view->input_names = names;
    out_view->quantisation = units;
    out_view->constant_input = constant_input;
    out_view->dense_constant = dense_constant;
    out_view->release_constant = release_constant;
    out_view->constant_read = constant_read;
    out_view->isa = graph->isa;
    out_view->arg = owner;
    return true;
}
