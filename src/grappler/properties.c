/* SPDX-License-Identifier: Apache-2.0 */
/* TF_GraphProperties: types and shapes of an item's nodes, as OpInfo.TensorProperties messages. Our
 * graphs always know them, so that inference only decides what is told.
 * Source   op_performance_data.proto: dtype 1, shape 2, value 3.
 */
#include "base/alloc.h"
#include "base/map.h"
#include "format/proto.h"
#include "grappler/grappler.h"
#include "op/op_proto.h"

struct TF_GraphProperties {
    const TF_GrapplerItem *item;
    oribi_map nodes; /* oribi_node, by GraphDef name */
    oribi_map ends;  /* inputs and constants of the graph: their oribi_value_id, in `ids` */
    oribi_value_id *ids;
    bool is_inferred, has_input_values, has_output_values;
};

static bool index_item(TF_GraphProperties *self)
{
    const oribi_graph *graph = self->item->graph;
    const oribi_graphdef_names *names = self->item->names;
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        if (!oribi_map_put(&self->nodes, names->nodes[node->id], node)) {
            return false;
        }
    }
    self->ids = oribi_alloc_array((size_t)graph->n_values + 1, sizeof *self->ids);
    for (int32_t v = 0; self->ids != NULL && v < graph->n_values; v++) {
        self->ids[v] = v;
        if (names->values[v] != NULL && graph->values[v]->producer < 0 &&
            !oribi_map_put(&self->ends, names->values[v], &self->ids[v])) {
            return false;
        }
    }
    return self->ids != NULL;
}

TF_GraphProperties *TF_NewGraphProperties(const TF_GrapplerItem *item)
{
    TF_GraphProperties *self = oribi_alloc_zero(1, sizeof *self);
    if (self != NULL) {
        self->item = item;
        if (!index_item(self)) {
            TF_DeleteGraphProperties(self);
            self = NULL;
        }
    }
    return self;
}

void TF_DeleteGraphProperties(TF_GraphProperties *graph_properties)
{
    if (graph_properties != NULL) {
        oribi_map_destroy(&graph_properties->nodes);
        oribi_map_destroy(&graph_properties->ends);
        oribi_free(graph_properties->ids);
        oribi_free(graph_properties);
    }
}

void TF_InferStatically(TF_GraphProperties *graph_properties, unsigned char assume_valid_feeds,
                        unsigned char aggressive_shape_inference,
                        unsigned char include_input_tensor_values,
                        unsigned char include_output_tensor_values, TF_Status *s)
{
    (void)assume_valid_feeds;
    (void)aggressive_shape_inference;
    graph_properties->is_inferred = true;
    graph_properties->has_input_values = include_input_tensor_values != 0;
    graph_properties->has_output_values = include_output_tensor_values != 0;
    TF_SetStatus(s, TF_OK, "");
}

/* The inputs or outputs of a node; an input or a constant of the graph has one output: itself.
 * NULL, and none: not inferred, or no such node. */
static const oribi_value_id *ends_of(const TF_GraphProperties *self, const char *name, bool outputs,
                                     int32_t *out_n)
{
    const oribi_node *node = oribi_map_get(&self->nodes, name);
    const oribi_value_id *end = oribi_map_get(&self->ends, name);
    *out_n = 0;
    if (!self->is_inferred || (node == NULL && (end == NULL || !outputs))) {
        return NULL;
    }
    *out_n = node == NULL ? 1 : outputs ? node->n_outputs : node->n_inputs;
    return node == NULL ? end : outputs ? node->outputs : node->inputs;
}

static bool describe(const TF_GraphProperties *self, oribi_value_id id, bool with_value,
                     TF_Buffer *out, TF_Status *status)
{
    oribi_graph *graph = self->item->graph;
    oribi_text text = {0};
    if (id >= 0) {
        const oribi_value *value = graph->values[id];
        oribi_proto_number(&text, 1, (uint64_t)value->dtype);
        oribi_proto_shape(&text, 2, value->shape.dims, value->shape.rank);
        TF_Tensor *tensor = with_value && value->constant != NULL
                                ? oribi_graph_constant_tensor(graph, id, status)
                                : NULL;
        if (tensor != NULL) {
            oribi_proto_tensor(&text, 3, tensor);
        }
        TF_DeleteTensor(tensor);
    }
    if (!oribi_ok(status)) {
        oribi_text_destroy(&text);
        return false;
    }
    return oribi_proto_fill(&text, out, status);
}

static void list(const TF_GraphProperties *self, const char *name, bool outputs,
                 TF_Buffer **properties, int num_values, TF_Status *status)
{
    const bool with_value = outputs ? self->has_output_values : self->has_input_values;
    int32_t n;
    const oribi_value_id *ids = ends_of(self, name, outputs, &n);
    TF_SetStatus(status, TF_OK, "");
    if (n != num_values) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "node '%s' has %d %s, not %d", name, (int)n,
                   outputs ? "outputs" : "inputs", num_values);
        return;
    }
    for (int32_t i = 0; i < n && describe(self, ids[i], with_value, properties[i], status); i++) {
    }
}

static void count(const TF_GraphProperties *self, const char *name, bool outputs, int *num_values,
                  TF_Status *status)
{
    int32_t n;
    (void)ends_of(self, name, outputs, &n);
    *num_values = n;
    TF_SetStatus(status, TF_OK, "");
}

void TF_GetInputPropertiesListSize(TF_GraphProperties *graph_properties, const char *name,
                                   int *num_values, TF_Status *status)
{
    count(graph_properties, name, false, num_values, status);
}

void TF_GetOutputPropertiesListSize(TF_GraphProperties *graph_properties, const char *name,
                                    int *num_values, TF_Status *status)
{
    count(graph_properties, name, true, num_values, status);
}

void TF_GetInputPropertiesList(TF_GraphProperties *graph_properties, const char *name,
                               TF_Buffer **properties, int num_values, TF_Status *status)
{
    list(graph_properties, name, false, properties, num_values, status);
}

void TF_GetOutputPropertiesList(TF_GraphProperties *graph_properties, const char *name,
                                TF_Buffer **properties, int num_values, TF_Status *status)
{
    list(graph_properties, name, true, properties, num_values, status);
}
