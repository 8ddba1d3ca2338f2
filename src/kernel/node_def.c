/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a node as a NodeDef (protobuf).
 * Source   field numbers of TensorFlow's node_def.proto and attr_value.proto.
 */
#include <string.h>

#include "format/proto.h"
#include "kernel/construction_internal.h"
#include "op/op_proto.h"

static void put_attr(oribi_text *out, const oribi_attr *attr)
{
    oribi_text entry = {0}, value = {0};

    oribi_proto_attr_value(&value, attr);
    oribi_proto_string(&entry, 1, attr->name);
    oribi_proto_message(&entry, 2, &value);
    oribi_proto_message(out, 5, &entry);
}

TF_Buffer *oribi_node_def_write(const oribi_node_view *node)
{
    oribi_text text = {0};

    oribi_proto_string(&text, 1, node->name);
    if (node->op != NULL) {
        oribi_proto_string(&text, 2, node->op->name);
    }
    for (int32_t i = 0; node->input_names != NULL && i < node->signature->n_inputs; i++) {
        const char *name = node->input_names[i] != NULL ? node->input_names[i] : "";
        oribi_proto_bytes(&text, 3, name, strlen(name));
    }
    oribi_proto_string(&text, 4, node->device != NULL ? node->device : ORIBI_HOST_PLACE);
    for (int32_t i = 0; node->attrs != NULL && i < node->attrs->count; i++) {
        put_attr(&text, &node->attrs->items[i]);
    }
    return oribi_proto_finish(&text);
}
