/* SPDX-License-Identifier: Apache-2.0 */
/* Values: tensors of the contract, or memory of a library's own, as ONNX Runtime's interface shows
 * them. Not here: what is in tensors of strings (ort_string.c).
 */
#include <stdlib.h>
#include <string.h>

#include "ort_adapter.h"

/* Elements, checked; false: too many for an address. */
static bool count_elements(const int64_t *dims, size_t rank, size_t element, size_t *count,
                           size_t *bytes)
{
    *count = 1;
    for (size_t i = 0; i < rank; i++) {
        if (dims[i] < 0 || __builtin_mul_overflow(*count, (size_t)dims[i], count)) {
            return false;
        }
    }
    return !__builtin_mul_overflow(*count, element, bytes);
}

static size_t element_bytes(int32_t type)
{
    return type == ORT_TYPE_STRING ? sizeof(TF_TString)
                                   : TF_DataTypeSize(oribi_ort_type_to_tf(type));
}

bool oribi_ort_value_take(ort_value *value, TF_Tensor *tensor)
{
    *value = (ort_value){.where = &oribi_ort_host,
                         .tensor = tensor,
                         .type = oribi_ort_type_from_tf(TF_TensorType(tensor))};
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        if (!oribi_dims_add(&value->shape, TF_Dim(tensor, i))) {
            return false;
        }
    }
    value->data = TF_TensorData(tensor);
    value->count = (size_t)TF_TensorElementCount(tensor);
    value->bytes = value->count * element_bytes(value->type);
    return true;
}

void oribi_ort_value_clear(ort_value *value)
{
    if (value->tensor) {
        TF_DeleteTensor(value->tensor);
    } else if (value->deleter) {
        value->deleter->free(value->deleter, value->data);
    }
    *value = (ort_value){0};
}

ort_status *oribi_ort_value_new(TF_Tensor *tensor, ort_value **out)
{
    ort_value *value = calloc(1, sizeof *value);
    *out = NULL;
    if (!value) {
        TF_DeleteTensor(tensor);
        return oribi_ort_fail_memory();
    }
    if (!oribi_ort_value_take(value, tensor)) {
        oribi_ort_ReleaseValue(value);
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "a tensor has more than %d dimensions",
                              (int)ORIBI_MAX_RANK);
    }
    *out = value;
    return NULL;
}

void oribi_ort_ReleaseValue(ort_value *value)
{
    if (value) {
        oribi_ort_value_clear(value);
        free(value);
    }
}

static ort_status *fail_shape(int32_t type, size_t rank)
{
    return oribi_ort_fail(ORT_INVALID_ARGUMENT,
                          "no tensor of element type %d and %zu dimensions can be made", (int)type,
                          rank);
}

ort_status *oribi_ort_CreateTensorAsOrtValue(ort_allocator *allocator, const int64_t *dims,
                                             size_t rank, int32_t type, ort_value **out)
{
    size_t count;
    size_t bytes;
    const size_t element = element_bytes(type);
    (void)allocator; /* a tensor brings its own memory */
    *out = NULL;
    if (element == 0 || rank > ORIBI_MAX_RANK ||
        !count_elements(dims, rank, element, &count, &bytes)) {
        return fail_shape(type, rank);
    }
    TF_Tensor *tensor = TF_AllocateTensor(oribi_ort_type_to_tf(type), dims, (int)rank, bytes);
    if (!tensor) {
        return oribi_ort_fail_memory();
    }
    if (type == ORT_TYPE_STRING && bytes) {
        memset(TF_TensorData(tensor), 0, bytes);
    }
    return oribi_ort_value_new(tensor, out);
}

static ort_status *wrap(ort_allocator *deleter, const ort_memory_info *info, void *data,
                        size_t room, const int64_t *dims, size_t rank, int32_t type,
                        ort_value **out)
{
    size_t count;
    size_t bytes;
    const size_t element = element_bytes(type);
    *out = NULL;
    if (element == 0 || type == ORT_TYPE_STRING || rank > ORIBI_MAX_RANK ||
        !count_elements(dims, rank, element, &count, &bytes) || bytes > room) {
        return fail_shape(type, rank);
    }
    ort_value *value = calloc(1, sizeof *value);
    if (!value) {
        return oribi_ort_fail_memory();
    }
    *value = (ort_value){.data = data,
                         .deleter = deleter,
                         .where = info,
                         .type = type,
                         .count = count,
                         .bytes = bytes};
    (void)oribi_dims_set(&value->shape, dims, (int32_t)rank);
    *out = value;
    return NULL;
}

ort_status *oribi_ort_CreateTensorWithDataAsOrtValue(const ort_memory_info *info, void *data,
                                                     size_t bytes, const int64_t *dims, size_t rank,
                                                     int32_t type, ort_value **out)
{
    return wrap(NULL, info, data, bytes, dims, rank, type, out);
}

ort_status *oribi_ort_CreateTensorWithDataAndDeleterAsOrtValue(ort_allocator *deleter, void *data,
                                                               size_t bytes, const int64_t *dims,
                                                               size_t rank, int32_t type,
                                                               ort_value **out)
{
    return wrap(deleter, &oribi_ort_host, data, bytes, dims, rank, type, out);
}

ort_status *oribi_ort_IsTensor(const ort_value *value, int *out)
{
    *out = value != NULL;
    return NULL;
}

ort_status *oribi_ort_IsSparseTensor(const ort_value *value, int *out)
{
    (void)value;
    *out = 0;
    return NULL;
}

ort_status *oribi_ort_HasValue(const ort_value *value, int *out)
{
    *out = value != NULL;
    return NULL;
}

ort_status *oribi_ort_GetValueType(const ort_value *value, int32_t *out)
{
    (void)value;
    *out = ORT_VALUE_TENSOR;
    return NULL;
}

/* Their strings are C++ objects and ours are not: the functions for texts are the only way. */
static ort_status *check_plain(const ort_value *value)
{
    if (value->type == ORT_TYPE_STRING) {
        return oribi_ort_fail(ORT_NOT_IMPLEMENTED,
                              "the elements of a tensor of strings have no address that a library "
                              "could use; it has to call GetStringTensorElement and its kin");
    }
    return NULL;
}

ort_status *oribi_ort_GetTensorMutableData(ort_value *value, void **out)
{
    ort_status *failed = check_plain(value);
    *out = failed ? NULL : value->data;
    return failed;
}

ort_status *oribi_ort_GetTensorData(const ort_value *value, const void **out)
{
    ort_status *failed = check_plain(value);
    *out = failed ? NULL : value->data;
    return failed;
}

ort_status *oribi_ort_GetTensorSizeInBytes(const ort_value *value, size_t *out)
{
    ort_status *failed = check_plain(value);
    *out = failed ? 0 : value->bytes;
    return failed;
}

ort_status *oribi_ort_TensorAt(ort_value *value, const int64_t *at, size_t rank, void **out)
{
    ort_status *failed = check_plain(value);
    size_t index = 0;
    *out = NULL;
    if (failed || rank != (size_t)value->shape.n) {
        return failed ? failed : fail_shape(value->type, rank);
    }
    for (size_t i = 0; i < rank; i++) {
        if (at[i] < 0 || at[i] >= value->shape.at[i]) {
            return oribi_ort_fail(ORT_INVALID_ARGUMENT, "index %zu is out of range", i);
        }
        index = index * (size_t)value->shape.at[i] + (size_t)at[i];
    }
    *out = (char *)value->data + index * element_bytes(value->type);
    return NULL;
}

ort_status *oribi_ort_GetTensorMemoryInfo(const ort_value *value, const ort_memory_info **out)
{
    *out = value->where;
    return NULL;
}

ort_status *oribi_ort_GetTensorTypeAndShape(const ort_value *value, ort_tensor_info **out)
{
    return oribi_ort_tensor_info_make(value->type, value->shape.at, (size_t)value->shape.n, out);
}

ort_status *oribi_ort_GetTensorElementTypeAndShapeDataReference(const ort_value *value,
                                                                int32_t *type, const int64_t **dims,
                                                                size_t *rank)
{
    *type = value->type;
    *dims = value->shape.at;
    *rank = (size_t)value->shape.n;
    return NULL;
}

ort_status *oribi_ort_GetTypeInfo(const ort_value *value, ort_type_info **out)
{
    ort_type_info *info = calloc(1, sizeof *info);
    ort_status *failed =
        info ? oribi_ort_GetTensorTypeAndShape(value, &info->tensor) : oribi_ort_fail_memory();
    if (failed) {
        free(info);
        info = NULL;
    }
    *out = info;
    return failed;
}
