/* SPDX-License-Identifier: Apache-2.0 */
/* What an optimiser gave back: a graph with the ends of the one that went out; see graphdef.h. The
 * nodes between are read by src/import/graphdef.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "grappler/graphdef.h"
#include "import/graphdef/graphdef_read.h"
#include "pass/pass.h"

typedef struct returned {
    const oribi_graph *like;
    const oribi_graphdef_names *names;
    oribi_graph *graph;
    oribi_map constants; /* of `like`, by GraphDef name: oribi_value */
    oribi_map nodes;     /* of `like`: oribi_node */
    const char *standard;
    uint32_t passes_off;
    int32_t n_written;
} returned;

/* The same constant of `like`, its bytes in common; -1: there is none. */
static oribi_value_id share_constant(void *arg, const char *name, TF_Tensor *tensor,
                                     TF_Status *status)
{
    const returned *self = arg;
    const oribi_value *value = oribi_map_get(&self->constants, name);
    const oribi_constant_view *view = value != NULL ? &value->constant->view : NULL;
    if (view == NULL || view->strides != NULL || value->constant->source == NULL ||
        view->dtype != TF_TensorType(tensor) || view->dtype == TF_STRING ||
        view->rank != TF_NumDims(tensor)) {
        return -1;
    }
    for (int32_t i = 0; i < view->rank; i++) {
        if (view->dims[i] != TF_Dim(tensor, i)) {
            return -1;
        }
    }
    if (memcmp(view->data, TF_TensorData(tensor), TF_TensorByteSize(tensor)) != 0) {
        return -1;
    }
    oribi_source_retain(value->constant->source);
    return oribi_graph_add_constant(self->graph, name, view, value->constant->source, status);
}

/* Output k of a node is still the value that went out under its name: what was known of it holds.
 */
static bool recall_value(returned *self, const oribi_value *before, oribi_value *after,
                         TF_Status *status)
{
    if (before->dtype != after->dtype) {
        return true;
    }
    if (before->quantisation.n_scales > 0 && after->quantisation.n_scales == 0) {
        after->quantisation = before->quantisation;
    }
    return oribi_graph_merge_shape(self->graph, &before->shape, &after->shape) ||
           oribi_fail_memory(status);
}

/* What asked for no device still asks for none: it would not be joined with what does. */
static const char *device_asked(const returned *self, const oribi_node *before,
                                const oribi_node *made)
{
    if (before != NULL && strcmp(made->device, self->names->places[before->id]) == 0) {
        return before->device;
    }
    return strcmp(made->device, self->standard) == 0 ? "" : made->device;
}

static bool recall(void *arg, oribi_node *made, TF_Status *status)
{
    returned *self = arg;
    oribi_arena *arena = &self->graph->arena;
    const oribi_node *before = oribi_map_get(&self->nodes, made->name);
    const char *device = device_asked(self, before, made);
    if (device != made->device) {
        made->device = oribi_arena_strdup(arena, device);
    }
    if (before != NULL) {
        made->origin = oribi_arena_strdup(arena, before->origin);
    }
    if (made->device == NULL || made->origin == NULL) {
        return oribi_fail_memory(status);
    }
    if (before == NULL || strcmp(before->op_name, made->op_name) != 0) {
        made->passes_off = self->passes_off;
        self->n_written++;
    }
    for (int32_t k = 0; before != NULL && k < before->n_outputs && k < made->n_outputs; k++) {
        ORIBI_TRY(recall_value(self, self->like->values[before->outputs[k]],
                               self->graph->values[made->outputs[k]], status));
    }
    return true;
}

/* An output of the model keeps its type, and its shape as far as one can tell. */
static bool same_type(const returned *self, const oribi_value *before, oribi_value *after,
                      TF_Status *status)
{
    if (before->dtype == after->dtype && oribi_shape_agrees(&before->shape, &after->shape)) {
        return oribi_graph_merge_shape(self->graph, &before->shape, &after->shape) ||
               oribi_fail_memory(status);
    }
    oribi_text text = {0};
    oribi_text_printf(&text, "%s ", oribi_dtype_name(before->dtype));
    oribi_shape_print(&before->shape, &text);
    oribi_text_printf(&text, " became %s ", oribi_dtype_name(after->dtype));
    oribi_shape_print(&after->shape, &text);
    oribi_fail(status, TF_INVALID_ARGUMENT, "cannot read output '%s' of %s", before->name,
               oribi_text_string(&text));
    oribi_text_destroy(&text);
    return false;
}

static bool make_inputs(const returned *self, oribi_graphdef *def, oribi_value_id *ids,
                        TF_Status *status)
{
    const oribi_graph *like = self->like;
    for (int32_t i = 0; i < like->n_inputs; i++) {
        const oribi_value *value = like->values[like->inputs[i]];
        ids[i] =
            oribi_graph_add_value(self->graph, value->name, value->dtype, &value->shape, status);
        ORIBI_TRY(ids[i] >= 0);
        if (like->input_quantisation[i].n_scales == 1) { /* several are in the other graph */
            self->graph->values[ids[i]]->quantisation = like->input_quantisation[i];
        }
        ORIBI_TRY(oribi_graphdef_feed(def, self->names->values[like->inputs[i]], ids[i], status));
        if (i < like->n_inputs - like->n_states) {
            ORIBI_TRY(oribi_graph_add_input(self->graph, ids[i], like->input_names[i], status));
        }
    }
    return true;
}

static bool make_outputs(const returned *self, oribi_graphdef *def, const oribi_value_id *inputs,
                         TF_Status *status)
{
    const oribi_graph *like = self->like;
    const int32_t n_plain = like->n_outputs - like->n_states;
    for (int32_t i = 0; i < like->n_outputs; i++) {
        oribi_value_id id = -1;
        ORIBI_TRY(oribi_graphdef_fetch(def, self->names->values[like->outputs[i]], &id, status) &&
                  same_type(self, like->values[like->outputs[i]], self->graph->values[id], status));
        if (i < n_plain) {
            ORIBI_TRY(oribi_graph_add_output(self->graph, id, like->output_names[i], status));
            self->graph->output_quantisation[i] = like->output_quantisation[i];
            continue;
        }
        const int32_t read = like->n_inputs - like->n_states + i - n_plain;
        TF_Tensor *initial = oribi_tensor_share(like->states[i - n_plain]);
        ORIBI_TRY(initial != NULL || oribi_fail_memory(status));
        ORIBI_TRY(oribi_graph_add_state(self->graph, inputs[read], id, like->input_names[read],
                                        initial, status));
    }
    return true;
}

static bool index_like(returned *self, TF_Status *status)
{
    const oribi_graph *like = self->like;
    for (int32_t v = 0; v < like->n_values; v++) {
        if (like->values[v]->constant != NULL && self->names->values[v] != NULL) {
            ORIBI_TRY(oribi_map_put(&self->constants, self->names->values[v], like->values[v]) ||
                      oribi_fail_memory(status));
        }
    }
    for (int32_t i = 0; i < like->n_order; i++) {
        oribi_node *node = like->nodes[like->order[i]];
        ORIBI_TRY(oribi_map_put(&self->nodes, self->names->nodes[node->id], node) ||
                  oribi_fail_memory(status));
    }
    return true;
}

static bool copy_origin(oribi_graph *graph, const oribi_graph *like, TF_Status *status)
{
    graph->source_name =
        like->source_name != NULL ? oribi_arena_strdup(&graph->arena, like->source_name) : NULL;
    graph->source_kind = like->source_kind; /* a literal */
    graph->producer =
        like->producer != NULL ? oribi_arena_strdup(&graph->arena, like->producer) : NULL;
    graph->producer_version = like->producer_version;
    graph->max_bytes = like->max_bytes;
    return ((graph->source_name != NULL) == (like->source_name != NULL) &&
            (graph->producer != NULL) == (like->producer != NULL)) ||
           oribi_fail_memory(status);
}

oribi_graph *oribi_graphdef_return(const oribi_graph *like, const oribi_graphdef_names *names,
                                   const char *standard, uint32_t passes_off,
                                   const TF_Buffer *bytes, int32_t *out_written, TF_Status *status)
{
    returned self = {.like = like,
                     .names = names,
                     .standard = standard,
                     .passes_off = passes_off,
                     .graph = oribi_graph_create(status)};
    const oribi_graphdef_known known = {.arg = &self, .constant = share_constant, .made = recall};
    oribi_value_id *inputs = oribi_alloc_array((size_t)like->n_inputs + 1, sizeof *inputs);
    oribi_graphdef *def = NULL;
    bool ok = self.graph != NULL && (inputs != NULL || oribi_fail_memory(status)) &&
              copy_origin(self.graph, like, status) && index_like(&self, status);
    if (ok) {
        def = oribi_graphdef_open(self.graph, bytes->data, bytes->length, &known, status);
        ok = def != NULL && make_inputs(&self, def, inputs, status) &&
             make_outputs(&self, def, inputs, status) && oribi_graph_sort(self.graph, status);
    }
    oribi_graphdef_close(def);
    oribi_map_destroy(&self.constants);
    oribi_map_destroy(&self.nodes);
    oribi_free(inputs);
    if (!ok) {
        oribi_graph_destroy(self.graph);
        return NULL;
    }
    *out_written = self.n_written;
    return self.graph;
}
