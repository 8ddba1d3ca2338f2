/* SPDX-License-Identifier: Apache-2.0 */
/* TensorProto messages to tensors: raw content, or a list of values whose last one repeats. */
#include <string.h>

#include "base/alloc.h"
#include "grappler/graphdef_attr.h"

/* The field of a TensorProto with values of a type, and how one stands on the wire. */
typedef struct value_field {
    uint32_t number;
    uint8_t type;
} value_field;

static value_field field_of_type(TF_DataType dtype)
{
    switch (dtype) {
    case TF_FLOAT:
        return (value_field){5, ORIBI_WIRE_32};
    case TF_DOUBLE:
        return (value_field){6, ORIBI_WIRE_64};
    case TF_INT64:
        return (value_field){10, ORIBI_WIRE_VARINT};
    case TF_BOOL:
        return (value_field){11, ORIBI_WIRE_VARINT};
    case TF_HALF:
    case TF_BFLOAT16:
        return (value_field){13, ORIBI_WIRE_VARINT};
    case TF_UINT32:
        return (value_field){16, ORIBI_WIRE_VARINT};
    case TF_UINT64:
        return (value_field){17, ORIBI_WIRE_VARINT};
    case TF_COMPLEX64: /* pairs, two values an element: as content only */
    case TF_COMPLEX128:
        return (value_field){0, ORIBI_WIRE_VARINT};
    default:
        return (value_field){7, ORIBI_WIRE_VARINT};
    }
}

typedef struct parts {
    int64_t dtype;
    oribi_shape shape;
    oribi_wire_field content;
    bool has_content;
} parts;

static bool read_parts(oribi_graph *graph, oribi_wire proto, parts *out, TF_Status *status)
{
    oribi_wire_field field;
    oribi_wire shape;
    *out = (parts){0};
    while (oribi_wire_next(&proto, &field, status)) {
        switch (field.number) {
        case 1:
            ORIBI_TRY(oribi_wire_int(&field, "a tensor's type", &out->dtype, status));
            break;
        case 2:
            ORIBI_TRY(oribi_wire_enter(&proto, &field, &shape, status) &&
                      oribi_graphdef_read_shape(graph, shape, &out->shape, status));
            break;
        case 4:
            out->has_content = field.type == ORIBI_WIRE_BYTES && field.bytes > 0;
            out->content = field;
            break;
        default:
            break;
        }
    }
    return oribi_ok(status);
}

static bool fill_strings(oribi_wire proto, TF_Tensor *tensor, int64_t n, TF_Status *status)
{
    TF_TString *strings = TF_TensorData(tensor);
    oribi_wire_field field;
    oribi_string last = {"", 0};
    int64_t at = 0;
    while (oribi_wire_next(&proto, &field, status)) {
        if (field.number == 8) {
            ORIBI_TRY(oribi_wire_string(&field, "a string", &last, status));
            if (at < n) {
                TF_StringCopy(&strings[at++], last.data, last.length);
            }
        }
    }
    for (; at < n; at++) {
        TF_StringCopy(&strings[at], last.data, last.length);
    }
    return oribi_ok(status);
}

/* Values of one element on the wire are at least as wide as the element, low bytes first. */
static bool fill_numbers(oribi_wire proto, value_field from, TF_Tensor *tensor, int64_t n,
                         TF_Status *status)
{
    const size_t bytes = oribi_dtype_bytes(TF_TensorType(tensor));
    char *to = TF_TensorData(tensor);
    oribi_wire_field field;
    uint64_t bits = 0;
    int64_t at = 0;
    while (oribi_wire_next(&proto, &field, status)) {
        size_t position = 0;
        while (field.number == from.number &&
               oribi_wire_element(&proto, &field, from.type, &position, &bits, status)) {
            if (at < n) {
                memcpy(to + (size_t)at++ * bytes, &bits, bytes);
            }
        }
        ORIBI_TRY(oribi_ok(status));
    }
    for (; at < n; at++) {
        memcpy(to + (size_t)at * bytes, &bits, bytes);
    }
    return oribi_ok(status);
}

static bool fill(oribi_wire proto, const parts *from, TF_Tensor *tensor, TF_Status *status)
{
    const int64_t n = TF_TensorElementCount(tensor);
    const value_field values = field_of_type(TF_TensorType(tensor));
    if (TF_TensorType(tensor) == TF_STRING) {
        return fill_strings(proto, tensor, n, status);
    }
    if (from->has_content) {
        if (from->content.bytes != TF_TensorByteSize(tensor)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "a tensor's content has %zu bytes, its type and shape want %zu",
                              from->content.bytes, TF_TensorByteSize(tensor));
        }
        memcpy(TF_TensorData(tensor), from->content.data, from->content.bytes);
        return true;
    }
    if (values.number == 0) {
        return n == 0 || oribi_fail(status, TF_UNIMPLEMENTED,
                                    "a complex tensor as a list of values; write its content");
    }
    return fill_numbers(proto, values, tensor, n, status);
}

TF_Tensor *oribi_graphdef_read_tensor(oribi_graph *graph, oribi_wire proto, TF_Status *status)
{
    parts from;
    size_t bytes = 0;
    if (!read_parts(graph, proto, &from, status)) {
        return NULL;
    }
    const size_t element =
        from.dtype > 0 && from.dtype < 64 ? oribi_dtype_bytes((TF_DataType)from.dtype) : 0;
    if (element == 0 || from.dtype == TF_RESOURCE || from.dtype == TF_VARIANT) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "a tensor of data type %lld",
                   (long long)from.dtype);
        return NULL;
    }
    if (!oribi_shape_is_full(&from.shape) ||
        !oribi_size_of_dims(from.shape.dims, from.shape.rank, element, &bytes)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "a tensor whose shape is not known, or too large");
        return NULL;
    }
    if (!oribi_graph_charge(graph, bytes, status)) {
        return NULL;
    }
    TF_Tensor *tensor =
        TF_AllocateTensor((TF_DataType)from.dtype, from.shape.dims, from.shape.rank, bytes);
    if (tensor == NULL) {
        oribi_fail_memory(status);
    } else if (!fill(proto, &from, tensor, status)) {
        TF_DeleteTensor(tensor);
        tensor = NULL;
    }
    return tensor;
}
