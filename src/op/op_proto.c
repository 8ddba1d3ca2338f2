/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute values and op definitions as protobuf; see op_proto.h. */
#include "op/op_proto.h"

#include "format/proto.h"

void oribi_proto_shape(oribi_text *out, unsigned field, const int64_t *dims, int32_t rank)
{
    oribi_text shape = {0}, dim = {0};

    for (int32_t k = 0; k < rank; k++) {
        oribi_proto_number(&dim, 1, (uint64_t)dims[k]);
        oribi_proto_message(&shape, 2, &dim);
    }
    if (rank < 0) {
        oribi_proto_number(&shape, 3, 1);
    }
    oribi_proto_message(out, field, &shape);
}

void oribi_proto_tensor(oribi_text *out, unsigned field, const TF_Tensor *tensor)
{
    oribi_text proto = {0};
    const int64_t n = TF_TensorElementCount(tensor);

    oribi_proto_number(&proto, 1, (uint64_t)tensor->dtype);
    oribi_proto_shape(&proto, 2, tensor->dims, tensor->rank);
    if (tensor->dtype == TF_STRING) {
        const TF_TString *strings = tensor->data;
        for (int64_t k = 0; k < n; k++) {
            oribi_proto_bytes(&proto, 8, TF_StringGetDataPointer(&strings[k]),
                              TF_StringGetSize(&strings[k]));
        }
    } else {
        oribi_proto_bytes(&proto, 4, tensor->data, (size_t)n * oribi_dtype_bytes(tensor->dtype));
    }
    oribi_proto_message(out, field, &proto);
}

static void put_element(oribi_text *out, const oribi_attr *attr, int32_t k)
{
    switch ((TF_AttrType)attr->kind) {
    case TF_ATTR_STRING:
        oribi_proto_bytes(out, 2, attr->u.s[k].data, attr->u.s[k].length);
        break;
    case TF_ATTR_INT:
        oribi_proto_number(out, 3, (uint64_t)attr->u.i[k]);
        break;
    case TF_ATTR_FLOAT:
        oribi_proto_float(out, 4, attr->u.f[k]);
        break;
    case TF_ATTR_BOOL:
        oribi_proto_number(out, 5, attr->u.b[k] != 0);
        break;
    case TF_ATTR_TYPE:
        oribi_proto_number(out, 6, (uint64_t)attr->u.type[k]);
        break;
    case TF_ATTR_SHAPE:
        oribi_proto_shape(out, 7, attr->u.shape[k].dims, attr->u.shape[k].rank);
        break;
    case TF_ATTR_TENSOR:
        oribi_proto_tensor(out, 8, attr->u.tensor[k]);
        break;
    case TF_ATTR_PLACEHOLDER:
        oribi_proto_bytes(out, 9, attr->u.s[k].data, attr->u.s[k].length);
        break;
    case TF_ATTR_FUNC:
        oribi_proto_bytes(out, attr->is_list ? 9 : 10, attr->u.s[k].data, attr->u.s[k].length);
        break;
    }
}

/* Lists of numbers are packed, as proto3 writes them; false for other kinds. */
static bool put_packed(oribi_text *out, const oribi_attr *attr)
{
    oribi_text packed = {0};

    for (int32_t k = 0; k < attr->count; k++) {
        if (attr->kind == TF_ATTR_INT) {
            oribi_proto_varint(&packed, (uint64_t)attr->u.i[k]);
        } else if (attr->kind == TF_ATTR_FLOAT) {
            oribi_proto_float_bits(&packed, attr->u.f[k]);
        } else if (attr->kind == TF_ATTR_BOOL) {
            oribi_proto_varint(&packed, attr->u.b[k] != 0);
        } else if (attr->kind == TF_ATTR_TYPE) {
            oribi_proto_varint(&packed, (uint64_t)attr->u.type[k]);
        } else {
            return false;
        }
    }
    const unsigned field = attr->kind == TF_ATTR_INT     ? 3
                           : attr->kind == TF_ATTR_FLOAT ? 4
                           : attr->kind == TF_ATTR_BOOL  ? 5
                                                         : 6;
    if (attr->count > 0) {
        oribi_proto_message(out, field, &packed);
    }
    return true;
}

void oribi_proto_attr_value(oribi_text *out, const oribi_attr *attr)
{
    oribi_text list = {0};

    if (!attr->is_list) {
        put_element(out, attr, 0);
        return;
    }
    if (!put_packed(&list, attr)) {
        for (int32_t k = 0; k < attr->count; k++) {
            put_element(&list, attr, k);
        }
    }
    oribi_proto_message(out, 1, &list);
}

static void put_arg(oribi_text *out, unsigned field, const oribi_arg_def *arg)
{
    oribi_text proto = {0};

    oribi_proto_string(&proto, 1, arg->name);
    oribi_proto_string(&proto, 2, arg->description);
    if (arg->type != 0) {
        oribi_proto_number(&proto, 3, (uint64_t)arg->type);
    }
    oribi_proto_string(&proto, 4, arg->type_attr);
    oribi_proto_string(&proto, 5, arg->number_attr);
    oribi_proto_string(&proto, 6, arg->type_list_attr);
    if (arg->is_ref) {
        oribi_proto_number(&proto, 16, 1);
    }
    oribi_proto_message(out, field, &proto);
}

static void put_attr_def(oribi_text *out, const oribi_attr_def *attr)
{
    static const char *const kinds[] = {"string", "int",    "float",       "bool", "type",
                                        "shape",  "tensor", "placeholder", "func"};
    oribi_text proto = {0}, value = {0}, kind = {0};

    oribi_text_printf(&kind, attr->is_list ? "list(%s)" : "%s", kinds[attr->kind]);
    oribi_proto_string(&proto, 1, attr->name);
    oribi_proto_message(&proto, 2, &kind);
    if (attr->default_value != NULL) {
        oribi_proto_attr_value(&value, attr->default_value);
        oribi_proto_message(&proto, 3, &value);
    }
    oribi_proto_string(&proto, 4, attr->description);
    if (attr->has_minimum) {
        oribi_proto_number(&proto, 5, 1);
        if (attr->minimum != 0) {
            oribi_proto_number(&proto, 6, (uint64_t)attr->minimum);
        }
    }
    if (attr->allowed != NULL) {
        oribi_proto_attr_value(&value, attr->allowed);
        oribi_proto_message(&proto, 7, &value);
    }
    oribi_proto_message(out, 4, &proto);
}

void oribi_proto_op_def(oribi_text *out, const oribi_op_def *op)
{
    const struct {
        unsigned field;
        bool value;
    } flags[] = {{16, op->is_aggregate},
                 {17, op->is_stateful},
                 {18, op->is_commutative},
                 {19, op->allows_uninitialized_input}};
    oribi_text deprecation = {0};

    oribi_proto_string(out, 1, op->name);
    for (int32_t i = 0; i < op->n_inputs; i++) {
        put_arg(out, 2, &op->inputs[i]);
    }
    for (int32_t i = 0; i < op->n_outputs; i++) {
        put_arg(out, 3, &op->outputs[i]);
    }
    for (int32_t i = 0; i < op->n_attrs; i++) {
        put_attr_def(out, &op->attrs[i]);
    }
    oribi_proto_string(out, 5, op->summary);
    oribi_proto_string(out, 6, op->description);
    if (op->deprecation_version != 0) {
        oribi_proto_number(&deprecation, 1, (uint64_t)op->deprecation_version);
        oribi_proto_string(&deprecation, 2, op->deprecation_explanation);
        oribi_proto_message(out, 8, &deprecation);
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (flags[i].value) {
            oribi_proto_number(out, flags[i].field, 1);
        }
    }
}

TF_Buffer *oribi_proto_finish(oribi_text *text)
{
    TF_Buffer *buffer = NULL;

    if (!text->failed) {
        buffer = TF_NewBufferFromString(text->data != NULL ? text->data : "", text->length);
    }
    oribi_text_destroy(text);
    *text = (oribi_text){0};
    return buffer;
}

bool oribi_proto_fill(oribi_text *text, TF_Buffer *out, TF_Status *status)
{
    TF_Buffer *made = oribi_proto_finish(text);
    if (made == NULL) {
        return oribi_fail_memory(status);
    }
    const TF_Buffer empty = *out;
    *out = *made;
    *made = empty;
    TF_DeleteBuffer(made);
    return true;
}
