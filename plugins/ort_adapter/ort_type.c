/* SPDX-License-Identifier: Apache-2.0 */
/* Element types there and here, and the descriptions of tensors that libraries ask for and make. */
#include <stdlib.h>
#include <string.h>

#include "ort_adapter.h"

static const struct {
    TF_DataType type;
    const char *name; /* in specs of ops */
} types[ORT_N_TYPES] = {
    [ORT_TYPE_FLOAT] = {TF_FLOAT, "float"},
    [ORT_TYPE_UINT8] = {TF_UINT8, "uint8"},
    [ORT_TYPE_INT8] = {TF_INT8, "int8"},
    [ORT_TYPE_UINT16] = {TF_UINT16, "uint16"},
    [ORT_TYPE_INT16] = {TF_INT16, "int16"},
    [ORT_TYPE_INT32] = {TF_INT32, "int32"},
    [ORT_TYPE_INT64] = {TF_INT64, "int64"},
    [ORT_TYPE_STRING] = {TF_STRING, "string"},
    [ORT_TYPE_BOOL] = {TF_BOOL, "bool"},
    [ORT_TYPE_FLOAT16] = {TF_HALF, "half"},
    [ORT_TYPE_DOUBLE] = {TF_DOUBLE, "double"},
    [ORT_TYPE_UINT32] = {TF_UINT32, "uint32"},
    [ORT_TYPE_UINT64] = {TF_UINT64, "uint64"},
    [ORT_TYPE_COMPLEX64] = {TF_COMPLEX64, "complex64"},
    [ORT_TYPE_COMPLEX128] = {TF_COMPLEX128, "complex128"},
    [ORT_TYPE_BFLOAT16] = {TF_BFLOAT16, "bfloat16"},
    [ORT_TYPE_FLOAT8E4M3FN] = {TF_FLOAT8_E4M3FN, "float8_e4m3fn"},
    [ORT_TYPE_FLOAT8E4M3FNUZ] = {TF_FLOAT8_E4M3FNUZ, "float8_e4m3fnuz"},
    [ORT_TYPE_FLOAT8E5M2] = {TF_FLOAT8_E5M2, "float8_e5m2"},
    [ORT_TYPE_FLOAT8E5M2FNUZ] = {TF_FLOAT8_E5M2FNUZ, "float8_e5m2fnuz"},
};

TF_DataType oribi_ort_type_to_tf(int32_t type)
{
    return type > 0 && type < ORT_N_TYPES ? types[type].type : (TF_DataType)0;
}

const char *oribi_ort_type_name(int32_t type)
{
    return type > 0 && type < ORT_N_TYPES ? types[type].name : "?";
}

int32_t oribi_ort_type_from_tf(TF_DataType type)
{
    for (int32_t i = 1; i < ORT_N_TYPES; i++) {
        if (types[i].type == type) {
            return i;
        }
    }
    return ORT_TYPE_UNDEFINED;
}

/* --- Descriptions of tensors ----------------------------------------------------------------- */

ort_status *oribi_ort_CreateTensorTypeAndShapeInfo(ort_tensor_info **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? NULL : oribi_ort_fail_memory();
}

void oribi_ort_ReleaseTensorTypeAndShapeInfo(ort_tensor_info *info)
{
    if (info) {
        free(info->dims);
        free(info);
    }
}

ort_status *oribi_ort_SetTensorElementType(ort_tensor_info *info, int32_t type)
{
    info->type = type;
    return NULL;
}

ort_status *oribi_ort_SetDimensions(ort_tensor_info *info, const int64_t *dims, size_t rank)
{
    if (rank > ORIBI_MAX_RANK) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "%zu dimensions; %d are the most", rank,
                              (int)ORIBI_MAX_RANK);
    }
    int64_t *own = calloc(rank + 1, sizeof *own);
    if (!own) {
        return oribi_ort_fail_memory();
    }
    for (size_t i = 0; i < rank; i++) {
        own[i] = dims[i];
    }
    free(info->dims);
    info->dims = own;
    info->rank = rank;
    info->is_known = true;
    return NULL;
}

ort_status *oribi_ort_tensor_info_make(int32_t type, const int64_t *dims, size_t rank,
                                       ort_tensor_info **out)
{
    ort_tensor_info *info = NULL;
    ort_status *failed = oribi_ort_CreateTensorTypeAndShapeInfo(&info);
    if (!failed) {
        info->type = type;
        failed = oribi_ort_SetDimensions(info, dims, rank);
        info->is_known = dims != NULL || rank > 0;
    }
    if (failed) {
        oribi_ort_ReleaseTensorTypeAndShapeInfo(info);
        info = NULL;
    }
    *out = info;
    return failed;
}

/* Names of dimensions mean nothing here. */
ort_status *oribi_ort_SetSymbolicDimensions(ort_tensor_info *info, const char **names, size_t rank)
{
    (void)info;
    (void)names;
    (void)rank;
    return NULL;
}

/* An unknown dimension has a name, since a library may tell known from unknown by it. */
ort_status *oribi_ort_GetSymbolicDimensions(const ort_tensor_info *info, const char **names,
                                            size_t rank)
{
    for (size_t i = 0; i < rank && i < info->rank; i++) {
        names[i] = info->dims[i] < 0 ? "?" : "";
    }
    return NULL;
}

ort_status *oribi_ort_GetTensorElementType(const ort_tensor_info *info, int32_t *out)
{
    *out = info->type;
    return NULL;
}

ort_status *oribi_ort_GetDimensionsCount(const ort_tensor_info *info, size_t *out)
{
    *out = info->rank;
    return NULL;
}

ort_status *oribi_ort_GetDimensions(const ort_tensor_info *info, int64_t *dims, size_t rank)
{
    const size_t n = rank < info->rank ? rank : info->rank;
    if (n) {
        memcpy(dims, info->dims, n * sizeof *dims);
    }
    return NULL;
}

/* Of unknown dimensions the product is unknown: an error there as well. */
ort_status *oribi_ort_GetTensorShapeElementCount(const ort_tensor_info *info, size_t *out)
{
    size_t count = 1;
    for (size_t i = 0; i < info->rank; i++) {
        if (info->dims[i] < 0 || __builtin_mul_overflow(count, (size_t)info->dims[i], &count)) {
            return oribi_ort_fail(ORT_FAIL, "dimension %zu is unknown, or the shape is too large",
                                  i);
        }
    }
    *out = count;
    return NULL;
}

bool oribi_ort_TensorTypeAndShape_HasShape(const ort_tensor_info *info)
{
    return info->is_known;
}

/* --- Descriptions of values: tensors all ----------------------------------------------------- */

ort_status *oribi_ort_CastTypeInfoToTensorInfo(const ort_type_info *info,
                                               const ort_tensor_info **out)
{
    *out = info->tensor;
    return NULL;
}

ort_status *oribi_ort_GetOnnxTypeFromTypeInfo(const ort_type_info *info, int32_t *out)
{
    (void)info;
    *out = ORT_VALUE_TENSOR;
    return NULL;
}

void oribi_ort_ReleaseTypeInfo(ort_type_info *info)
{
    if (info) {
        oribi_ort_ReleaseTensorTypeAndShapeInfo(info->tensor);
        free(info);
    }
}
