/* SPDX-License-Identifier: Apache-2.0 */
/* TensorProto messages to tensors: raw content, or a list of values whose last one repeats; see
 * op_proto.h. Writing them: op_proto.c.
 */
#include <string.h>

#include "base/alloc.h"
#include "op/op_proto.h"
#include "tensor/tensor.h"
#include "tensorflow/c/c_api.h"

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
    case TF_COMPLEX64: /* two values an element */
        return (value_field){9, ORIBI_WIRE_32};
    case TF_COMPLEX128:
        return (value_field){12, ORIBI_WIRE_64};
    default:
        return (value_field){7, ORIBI_WIRE_VARINT};
    }
}

typedef struct parts {
    int64_t dtype;
    oribi_wide_dims dims;
    bool is_unknown;
    oribi_wire_field content;
    bool has_content;
} parts;

bool oribi_proto_read_shape(oribi_wire proto, oribi_wide_dims *out_dims, bool *out_is_unknown,
                            TF_Status *status)
{
    oribi_wire_field field;
    *out_dims = (oribi_wide_dims){0};
    *out_is_unknown = false;
    while (oribi_wire_next(&proto, &field, status)) {
        oribi_wire dim;
        if (field.number == 3) {
            *out_is_unknown = field.value != 0;
        } else if (field.number == 2) {
            oribi_wire_field size;
            int64_t given = 0;
            if (out_dims->n == ORIBI_MAX_TENSOR_RANK) {
                return oribi_fail(status, TF_INVALID_ARGUMENT,
                                  "a shape has more than %d dimensions", ORIBI_MAX_TENSOR_RANK);
            }
            ORIBI_TRY(oribi_wire_enter(&proto, &field, &dim, status));
            while (oribi_wire_next(&dim, &size, status)) {
                if (size.number == 1) {
                    ORIBI_TRY(oribi_wire_int(&size, "a dimension", &given, status));
                }
            }
            ORIBI_TRY(oribi_ok(status));
            if (given < -1) {
                return oribi_fail(status, TF_INVALID_ARGUMENT,
                                  "a dimension of %lld is not possible", (long long)given);
            }
            oribi_wide_dims_add(out_dims, given);
        }
    }
    return oribi_ok(status);
}

static bool read_parts(oribi_wire proto, parts *out, TF_Status *status)
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
                      oribi_proto_read_shape(shape, &out->dims, &out->is_unknown, status));
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

static bool fill_strings(oribi_wire proto, TF_Tensor *tensor, int64_t n, oribi_proto_charge *charge,
                         void *arg, TF_Status *status)
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
    size_t repeated = 0;
    ORIBI_TRY(oribi_size_mul((size_t)(n - at), last.length, &repeated) ||
              oribi_fail_memory(status));
    if (charge != NULL && !charge(arg, repeated, status)) {
        return false;
    }
    for (; at < n; at++) {
        TF_StringCopy(&strings[at], last.data, last.length);
    }
    return oribi_ok(status);
}

/* Values on the wire are at least as wide as an element's part, low bytes first; a complex element
 * has two parts. The last element given repeats; of none, all are zero. */
static bool fill_numbers(oribi_wire proto, TF_Tensor *tensor, int64_t n, TF_Status *status)
{
    const TF_DataType dtype = TF_TensorType(tensor);
    const value_field from = field_of_type(dtype);
    const size_t bytes = oribi_dtype_bytes(dtype);
    const size_t part = dtype == TF_COMPLEX64 || dtype == TF_COMPLEX128 ? bytes / 2 : bytes;
    const size_t all = (size_t)n * bytes;
    char *to = TF_TensorData(tensor);
    oribi_wire_field field;
    size_t at = 0;
    while (oribi_wire_next(&proto, &field, status)) {
        uint64_t bits = 0;
        size_t position = 0;
        while (field.number == from.number &&
               oribi_wire_element(&proto, &field, from.type, &position, &bits, status)) {
            if (at < all) {
                memcpy(to + at, &bits, part);
                at += part;
            }
        }
        ORIBI_TRY(oribi_ok(status));
    }
    if (at % bytes != 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "a tensor of complex numbers has half of one");
    }
    for (; at < all; at += bytes) {
        if (at == 0) {
            memset(to, 0, bytes);
        } else {
            memcpy(to + at, to + at - bytes, bytes);
        }
    }
    return true;
}

static bool fill(oribi_wire proto, const parts *from, TF_Tensor *tensor, oribi_proto_charge *charge,
                 void *arg, TF_Status *status)
{
    const int64_t n = TF_TensorElementCount(tensor);
    if (TF_TensorType(tensor) == TF_STRING) {
        return fill_strings(proto, tensor, n, charge, arg, status);
    }
    if (!from->has_content) {
        return n == 0 || fill_numbers(proto, tensor, n, status);
    }
    if (from->content.bytes != TF_TensorByteSize(tensor)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "a tensor's content has %zu bytes, but its type and shape need %zu",
                          from->content.bytes, TF_TensorByteSize(tensor));
    }
    memcpy(TF_TensorData(tensor), from->content.data, from->content.bytes);
    return true;
}

TF_Tensor *oribi_proto_read_tensor(oribi_wire proto, oribi_proto_charge *charge, void *arg,
                                   TF_Status *status)
{
    parts from;
    size_t bytes = 0;
    if (!read_parts(proto, &from, status)) {
        return NULL;
    }
    const size_t element =
        from.dtype > 0 && from.dtype < 64 ? oribi_dtype_bytes((TF_DataType)from.dtype) : 0;
    if (element == 0 || from.dtype == TF_RESOURCE || from.dtype == TF_VARIANT) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "a tensor of data type %lld is not supported",
                   (long long)from.dtype);
        return NULL;
    }
    if (from.is_unknown || !oribi_size_of_dims(from.dims.at, from.dims.n, element, &bytes)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "a tensor's shape is unknown or too large");
        return NULL;
    }
    if (charge != NULL && !charge(arg, bytes, status)) {
        return NULL;
    }
    TF_Tensor *tensor =
        TF_AllocateTensor((TF_DataType)from.dtype, from.dims.at, from.dims.n, bytes);
    if (tensor == NULL) {
        oribi_fail_memory(status);
    } else if (!fill(proto, &from, tensor, charge, arg, status)) {
        TF_DeleteTensor(tensor);
        tensor = NULL;
    }
    return tensor;
}

void TF_TensorFromProto(const TF_Buffer *from, TF_Tensor *to, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (from == NULL || to == NULL || (from->data == NULL && from->length > 0)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "TF_TensorFromProto: %s is NULL",
                   to == NULL ? "the tensor" : "the message");
        return;
    }
    TF_Tensor *read =
        oribi_proto_read_tensor(oribi_wire_over(from->data, from->length), NULL, NULL, status);
    if (read == NULL) {
        oribi_status_prefix(status, "TF_TensorFromProto: ");
        return;
    }
    oribi_tensor_become(to, read, status);
    TF_DeleteTensor(read);
}
