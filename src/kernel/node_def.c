/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a node as a NodeDef and a function attribute as a NameAttrList (protobuf).
 * Source   field numbers of TensorFlow's node_def.proto, attr_value.proto, tensor.proto.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernel/construction_internal.h"

static void put_varint(oribi_text *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;
    do {
        bytes[n] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
        n++;
    } while (value != 0);
    oribi_text_append_n(out, bytes, n);
}

static void put_number(oribi_text *out, unsigned field, uint64_t value)
{
    put_varint(out, (uint64_t)field << 3);
    put_varint(out, value);
}

static void put_bytes(oribi_text *out, unsigned field, const void *bytes, size_t length)
{
    put_varint(out, (uint64_t)field << 3 | 2);
    put_varint(out, length);
    if (length > 0) {
        oribi_text_append_n(out, bytes, length);
    }
}

/* Appends inner as a message and empties it. */
static void put_message(oribi_text *out, unsigned field, oribi_text *inner)
{
    out->failed |= inner->failed;
    put_bytes(out, field, inner->data, inner->length);
    oribi_text_destroy(inner);
    *inner = (oribi_text){0};
}

static void put_float(oribi_text *out, unsigned field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                              (uint8_t)(bits >> 24)};
    put_varint(out, (uint64_t)field << 3 | 5);
    oribi_text_append_n(out, bytes, 4);
}

static void put_dims(oribi_text *out, unsigned field, const int64_t *dims, int32_t rank)
{
    oribi_text shape = {0};
    oribi_text dim = {0};
    for (int32_t k = 0; k < rank; k++) {
        put_number(&dim, 1, (uint64_t)dims[k]);
        put_message(&shape, 2, &dim);
    }
    if (rank < 0) {
        put_number(&shape, 3, 1);
    }
    put_message(out, field, &shape);
}

static void put_tensor(oribi_text *out, unsigned field, const TF_Tensor *tensor)
{
    oribi_text proto = {0};
    put_number(&proto, 1, (uint64_t)tensor->dtype);
    put_dims(&proto, 2, tensor->dims, tensor->rank);
    if (tensor->dtype == TF_STRING) {
        const TF_TString *strings = tensor->data;
        const int64_t n = TF_TensorElementCount(tensor);
        for (int64_t k = 0; k < n; k++) {
            put_bytes(&proto, 8, TF_StringGetDataPointer(&strings[k]),
                      TF_StringGetSize(&strings[k]));
        }
    } else {
        const size_t bytes =
            (size_t)TF_TensorElementCount(tensor) * oribi_dtype_bytes(tensor->dtype);
        put_bytes(&proto, 4, tensor->data, bytes);
    }
    put_message(out, field, &proto);
}

static void put_element(oribi_text *out, const oribi_attr *attr, int32_t k)
{
    oribi_text inner = {0};
    switch ((TF_AttrType)attr->kind) {
    case TF_ATTR_STRING:
        put_bytes(out, 2, attr->u.s[k].data, attr->u.s[k].length);
        break;
    case TF_ATTR_INT:
        put_number(out, 3, (uint64_t)attr->u.i[k]);
        break;
    case TF_ATTR_FLOAT:
        put_float(out, 4, attr->u.f[k]);
        break;
    case TF_ATTR_BOOL:
        put_number(out, 5, attr->u.b[k] != 0);
        break;
    case TF_ATTR_TYPE:
        put_number(out, 6, (uint64_t)attr->u.type[k]);
        break;
    case TF_ATTR_SHAPE:
        put_dims(out, 7, attr->u.shape[k].dims, attr->u.shape[k].rank);
        break;
    case TF_ATTR_TENSOR:
        put_tensor(out, 8, attr->u.tensor[k]);
        break;
    case TF_ATTR_PLACEHOLDER:
        put_bytes(out, 9, attr->u.s[k].data, attr->u.s[k].length);
        break;
    case TF_ATTR_FUNC:
        put_bytes(&inner, 1, attr->u.s[k].data, attr->u.s[k].length);
        put_message(out, attr->is_list ? 9 : 10, &inner);
        break;
    }
}

static void put_attr(oribi_text *out, const oribi_attr *attr)
{
    oribi_text entry = {0};
    oribi_text value = {0};
    oribi_text list = {0};
    if (attr->is_list) {
        for (int32_t k = 0; k < attr->count; k++) {
            put_element(&list, attr, k);
        }
        put_message(&value, 1, &list);
    } else {
        put_element(&value, attr, 0);
    }
    put_bytes(&entry, 1, attr->name, strlen(attr->name));
    put_message(&entry, 2, &value);
    put_message(out, 5, &entry);
}

static TF_Buffer *finish(oribi_text *text)
{
    TF_Buffer *buffer = NULL;
    if (!text->failed) {
        buffer = TF_NewBufferFromString(text->data != NULL ? text->data : "", text->length);
    }
    oribi_text_destroy(text);
    return buffer;
}

TF_Buffer *oribi_node_def_write(const oribi_node_view *node)
{
    oribi_text text = {0};
    put_bytes(&text, 1, node->name, strlen(node->name));
    if (node->op != NULL) {
        put_bytes(&text, 2, node->op->name, strlen(node->op->name));
    }
    for (int32_t i = 0; node->input_names != NULL && i < node->signature->n_inputs; i++) {
        const char *name = node->input_names[i] != NULL ? node->input_names[i] : "";
        put_bytes(&text, 3, name, strlen(name));
    }
    for (int32_t i = 0; node->attrs != NULL && i < node->attrs->count; i++) {
        put_attr(&text, &node->attrs->items[i]);
    }
    return finish(&text);
}

TF_Buffer *oribi_name_attr_list_write(const oribi_string *name)
{
    oribi_text text = {0};
    put_bytes(&text, 1, name->data, name->length);
    return finish(&text);
}
