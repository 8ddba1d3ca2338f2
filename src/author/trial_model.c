/* SPDX-License-Identifier: Apache-2.0 */
/* A trial of an op of one kernel as an ONNX model, so that its emitted C can be tried as well: the
 * node in the domain org.tensorflow, where every op has its own name; constants as weights; state
 * left out, so that it is state of the model.
 * Source   field numbers of onnx.proto.
 */
#include <stdio.h>
#include <string.h>

#include "author/trial.h"
#include "format/proto.h"
#include "target/target.h"

enum { MAX_BYTES = 4096 }; /* of all inputs: an emulated board runs it */

/* ONNX's number of an element type; 0: it has none that emitted C has. */
static uint64_t type_of(TF_DataType type)
{
    static const struct {
        TF_DataType type;
        uint64_t number;
    } types[] = {{TF_FLOAT, 1}, {TF_UINT8, 2}, {TF_INT8, 3},
                 {TF_INT16, 5}, {TF_INT32, 6}, {TF_BOOL, 9}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == type) {
            return types[i].number;
        }
    }
    return 0;
}

static bool is_small(const oribi_trial *t)
{
    size_t bytes = 0;
    bool is_good = true;
    for (int32_t i = 0; i < t->signature.n_inputs; i++) {
        const size_t one = TF_TensorByteSize(t->inputs[i]);
        bytes += one;
        is_good = is_good && one > 0 && type_of(t->signature.input_types[i]) != 0;
    }
    for (int32_t i = 0; i < t->signature.n_outputs; i++) {
        is_good = is_good && type_of(t->signature.output_types[i]) != 0;
    }
    return is_good && bytes <= MAX_BYTES;
}

/* A tensor's ends: name, type, dims. */
static void put_port(oribi_text *graph, unsigned field, const char *name, TF_DataType type,
                     const oribi_shape *shape)
{
    oribi_text port = {0}, kind = {0}, tensor = {0}, dims = {0};
    for (int32_t i = 0; i < shape->rank; i++) {
        oribi_text dim = {0};
        oribi_proto_number(&dim, 1, (uint64_t)shape->dims[i]);
        oribi_proto_message(&dims, 1, &dim);
    }
    oribi_proto_number(&tensor, 1, type_of(type));
    oribi_proto_message(&tensor, 2, &dims);
    oribi_proto_message(&kind, 1, &tensor);
    oribi_proto_string(&port, 1, name);
    oribi_proto_message(&port, 2, &kind);
    oribi_proto_message(graph, field, &port);
}

static void put_weights(oribi_text *graph, const char *name, const TF_Tensor *tensor)
{
    oribi_text message = {0};
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        oribi_proto_number(&message, 1, (uint64_t)TF_Dim(tensor, i));
    }
    oribi_proto_number(&message, 2, type_of(TF_TensorType(tensor)));
    oribi_proto_string(&message, 8, name);
    oribi_proto_bytes(&message, 9, TF_TensorData(tensor), TF_TensorByteSize(tensor));
    oribi_proto_message(graph, 5, &message);
}

/* False: ONNX has no such attribute. Types follow from the inputs. */
static bool put_attr(oribi_text *node, const oribi_attr *attr)
{
    oribi_text message = {0};
    const bool is_int = attr->kind == TF_ATTR_INT, is_float = attr->kind == TF_ATTR_FLOAT;
    if (attr->kind == TF_ATTR_TYPE && !attr->is_list) {
        return true;
    }
    oribi_proto_string(&message, 1, attr->name);
    for (int32_t i = 0; (is_int || is_float) && i < attr->count; i++) {
        if (is_int) {
            oribi_proto_number(&message, attr->is_list ? 8 : 3, (uint64_t)attr->u.i[i]);
        } else {
            oribi_proto_float(&message, attr->is_list ? 7 : 2, attr->u.f[i]);
        }
    }
    if (attr->kind == TF_ATTR_BOOL && !attr->is_list) {
        oribi_proto_number(&message, 3, attr->u.b[0]);
    } else if (attr->kind == TF_ATTR_STRING && !attr->is_list) {
        oribi_proto_bytes(&message, 4, attr->u.s[0].data, attr->u.s[0].length);
    } else if (!is_int && !is_float) {
        oribi_text_destroy(&message);
        return false;
    }
    oribi_proto_number(&message, 20,
                       attr->kind == TF_ATTR_STRING ? 3
                       : is_float                   ? (attr->is_list ? 6u : 1u)
                                                    : (attr->is_list ? 7u : 2u));
    oribi_proto_message(node, 5, &message);
    return true;
}

static bool put_graph(const oribi_trial *t, oribi_text *graph)
{
    const int32_t n_states = oribi_target_kernel_states(t->op->name);
    oribi_text node = {0};
    char name[16];
    bool ok = true;
    for (int32_t i = 0; i < t->signature.n_inputs - n_states; i++) {
        (void)snprintf(name, sizeof name, "x%d", (int)i);
        oribi_proto_string(&node, 1, name);
        if (oribi__trial_is_constant(t, i)) {
            put_weights(graph, name, t->inputs[i]);
        } else {
            put_port(graph, 11, name, t->signature.input_types[i], &t->input_shapes[i]);
        }
    }
    for (int32_t i = 0; i < t->signature.n_outputs - n_states; i++) {
        (void)snprintf(name, sizeof name, "y%d", (int)i);
        oribi_proto_string(&node, 2, name);
        put_port(graph, 12, name, t->signature.output_types[i], &t->output_shapes[i]);
    }
    oribi_proto_string(&node, 3, "trial");
    oribi_proto_string(&node, 4, t->op->name);
    for (int32_t i = 0; ok && i < t->attrs.count; i++) {
        ok = put_attr(&node, &t->attrs.items[i]);
    }
    oribi_proto_string(&node, 7, "org.tensorflow");
    oribi_proto_message(graph, 1, &node);
    oribi_proto_string(graph, 2, "trial");
    return ok;
}

void oribi__trial_model(const oribi_trial *t, oribi_text *hex)
{
    oribi_text model = {0}, graph = {0}, opset = {0};
    if (t->def == NULL || oribi_target_kernel_find(t->op->name, &t->attrs) == NULL ||
        !is_small(t)) {
        return;
    }
    const bool ok = put_graph(t, &graph);
    oribi_proto_number(&model, 1, 8);
    oribi_proto_message(&model, 7, &graph);
    oribi_proto_number(&opset, 2, 13);
    oribi_proto_message(&model, 8, &opset);
    for (size_t i = 0; ok && !model.failed && i < model.length; i++) {
        oribi_text_printf(hex, "%02x", (unsigned)(uint8_t)model.data[i]);
    }
    oribi_text_destroy(&model);
}
