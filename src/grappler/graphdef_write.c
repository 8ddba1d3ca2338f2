/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a graph as a GraphDef; see graphdef.h. */
#include <string.h>

#include "format/proto.h"
#include "grappler/graphdef.h"
#include "import/graphdef/graphdef_read.h"
#include "op/op_proto.h"

enum { PRODUCER_VERSION = 1766 }; /* of TensorFlow 2.16.1, whose ops ours are compared with */
static const size_t MAX_MESSAGE_BYTES = 0x7fffffff;

static void put_attr(oribi_text *node, const oribi_attr *attr)
{
    oribi_text entry = {0};
    oribi_text value = {0};
    oribi_proto_attr_value(&value, attr);
    oribi_proto_string(&entry, 1, attr->name);
    oribi_proto_message(&entry, 2, &value);
    oribi_proto_message(node, 5, &entry);
}

static void put_type(oribi_text *node, const char *name, TF_DataType type)
{
    put_attr(node, &(oribi_attr){.name = name, .kind = TF_ATTR_TYPE, .count = 1, .u.type = &type});
}

static void put_head(oribi_text *node, const char *name, const char *op, const char *place)
{
    oribi_proto_string(node, 1, name);
    oribi_proto_string(node, 2, op);
    oribi_proto_string(node, 4, place);
}

static void put_input(oribi_text *graph, const oribi_value *value, const char *name)
{
    oribi_text node = {0};
    put_head(&node, name, "Placeholder", ORIBI_HOST_PLACE);
    put_type(&node, "dtype", value->dtype);
    put_attr(&node,
             &(oribi_attr){
                 .name = "shape", .kind = TF_ATTR_SHAPE, .count = 1, .u.shape = &value->shape});
    oribi_proto_message(graph, 1, &node);
}

static bool put_constant(oribi_text *graph_text, oribi_graph *graph, oribi_value_id id,
                         const char *name, TF_Status *status)
{
    oribi_text node = {0};
    TF_Tensor *tensor = oribi_graph_constant_tensor(graph, id, status);
    ORIBI_TRY(tensor != NULL);
    put_head(&node, name, "Const", ORIBI_HOST_PLACE);
    put_type(&node, "dtype", tensor->dtype);
    put_attr(&node, &(oribi_attr){.name = "value",
                                  .kind = TF_ATTR_TENSOR,
                                  .count = 1,
                                  .u.tensor = &(TF_Tensor *const){tensor}});
    oribi_proto_message(graph_text, 1, &node);
    TF_DeleteTensor(tensor);
    return true;
}

static void put_node(oribi_text *graph_text, const oribi_node *node,
                     const oribi_graphdef_names *names)
{
    oribi_text text = {0};
    put_head(&text, names->nodes[node->id], node->op_name, names->places[node->id]);
    for (int32_t i = 0; i < node->n_inputs; i++) {
        oribi_proto_string(&text, 3,
                           node->inputs[i] < 0 ? names->absent : names->values[node->inputs[i]]);
    }
    for (int32_t i = 0; i < node->attrs.count; i++) {
        put_attr(&text, &node->attrs.items[i]);
    }
    oribi_proto_message(graph_text, 1, &text);
}

static bool put_all(oribi_text *text, oribi_graph *graph, const oribi_graphdef_names *names,
                    bool constants_apart, TF_Status *status)
{
    oribi_text versions = {0};
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        put_input(text, graph->values[graph->inputs[i]], names->values[graph->inputs[i]]);
    }
    for (int32_t v = 0; v < graph->n_values; v++) {
        const bool is_constant = graph->values[v]->constant != NULL && names->values[v] != NULL;
        if (is_constant && constants_apart && graph->values[v]->dtype != TF_STRING) {
            put_input(text, graph->values[v], names->values[v]);
        } else if (is_constant) {
            ORIBI_TRY(put_constant(text, graph, v, names->values[v], status));
        }
        if (text->length > MAX_MESSAGE_BYTES) {
            return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                              "the graph's constants exceed the 2 GiB limit of a GraphDef");
        }
    }
    if (names->absent != NULL) {
        oribi_text absent = {0};
        put_head(&absent, names->absent, ORIBI_ABSENT_OP, ORIBI_HOST_PLACE);
        oribi_proto_message(text, 1, &absent);
    }
    for (int32_t i = 0; i < graph->n_order; i++) {
        put_node(text, graph->nodes[graph->order[i]], names);
    }
    oribi_proto_number(&versions, 1, PRODUCER_VERSION);
    oribi_proto_message(text, 4, &versions);
    return true;
}

TF_Buffer *oribi_graphdef_write(oribi_graph *graph, const oribi_graphdef_names *names,
                                bool constants_apart, TF_Status *status)
{
    oribi_text text = {0};
    if (!put_all(&text, graph, names, constants_apart, status)) {
        oribi_text_destroy(&text);
        return NULL;
    }
    TF_Buffer *buffer = oribi_proto_finish(&text);
    if (buffer == NULL) {
        oribi_fail_memory(status);
    }
    return buffer;
}
