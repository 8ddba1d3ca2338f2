/* SPDX-License-Identifier: Apache-2.0 */
/* How do elements of a request become elements of a tensor, and back? Triton's strings are their
 * length, four bytes, the lowest first, and then themselves. Sizes of a request are untrusted.
 */
#include <string.h>

#include "backend.h"
#include "base/alloc.h"
#include "tensorflow/c/tf_tstring.h"

enum { LENGTH_BYTES = 4 };

/* Numbers of Triton's data types are their places. */
static const struct {
    const char *name;
    TF_DataType type;
} types[] = {
    {"TYPE_INVALID", (TF_DataType)0}, {"TYPE_BOOL", TF_BOOL},     {"TYPE_UINT8", TF_UINT8},
    {"TYPE_UINT16", TF_UINT16},       {"TYPE_UINT32", TF_UINT32}, {"TYPE_UINT64", TF_UINT64},
    {"TYPE_INT8", TF_INT8},           {"TYPE_INT16", TF_INT16},   {"TYPE_INT32", TF_INT32},
    {"TYPE_INT64", TF_INT64},         {"TYPE_FP16", TF_HALF},     {"TYPE_FP32", TF_FLOAT},
    {"TYPE_FP64", TF_DOUBLE},         {"TYPE_STRING", TF_STRING}, {"TYPE_BF16", TF_BFLOAT16}};

int triton_type(TF_DataType type)
{
    for (size_t i = 1; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == type) {
            return (int)i;
        }
    }
    return 0;
}

const char *triton_type_name(TF_DataType type)
{
    const int number = triton_type(type);
    return number == 0 ? NULL : types[number].name;
}

int triton_find_port(const oribi_model *model, bool is_input, const char *name)
{
    const int n = is_input ? oribi_model_num_inputs(model) : oribi_model_num_outputs(model);

    for (int i = 0; i < n; i++) {
        if (strcmp(name, is_input ? oribi_model_input_name(model, i)
                                  : oribi_model_output_name(model, i)) == 0) {
            return i;
        }
    }
    return -1;
}

static size_t element_bytes(TF_DataType type)
{
    return type == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(type);
}

bool triton_shape_fits(TF_DataType type, const int64_t *dims, int rank, uint64_t bytes)
{
    size_t least;

    return oribi_size_of_dims(dims, rank, type == TF_STRING ? LENGTH_BYTES : TF_DataTypeSize(type),
                              &least) &&
           (type == TF_STRING ? least <= bytes : least == bytes);
}

TRITONSERVER_Error *triton_tensor_make(TF_DataType type, const int64_t *dims, int rank,
                                       TF_Tensor **out)
{
    size_t bytes;

    if (!oribi_size_of_dims(dims, rank, element_bytes(type), &bytes)) {
        return triton_fail(TRITON_ERROR_INVALID_ARG, "oribi: an input's shape has no size");
    }
    *out = TF_AllocateTensor(type, dims, rank, bytes);
    if (*out == NULL) {
        return triton_no_memory();
    }
    if (type == TF_STRING && bytes > 0) {
        TF_TString *strings = TF_TensorData(*out);
        for (int64_t i = 0; i < TF_TensorElementCount(*out); i++) {
            TF_StringInit(&strings[i]);
        }
    }
    return NULL;
}

/* The pieces of the input one behind another. */
static TRITONSERVER_Error *gather(TRITONBACKEND_Input *input, uint32_t n_buffers, uint8_t *to,
                                  size_t left)
{
    for (uint32_t i = 0; i < n_buffers; i++) {
        const void *from;
        uint64_t bytes;
        int memory = TRITON_MEMORY_CPU;
        int64_t memory_id = 0;
        TRY(TRITONBACKEND_InputBuffer(input, i, &from, &bytes, &memory, &memory_id));
        if (bytes > left || (memory != TRITON_MEMORY_CPU && memory != TRITON_MEMORY_CPU_PINNED)) {
            return triton_fail(TRITON_ERROR_INVALID_ARG,
                               "oribi: an input is larger than its shape, or on a GPU");
        }
        if (bytes > 0) {
            memcpy(to, from, bytes);
        }
        to += bytes;
        left -= bytes;
    }
    return left == 0
               ? NULL
               : triton_fail(TRITON_ERROR_INVALID_ARG, "oribi: an input is smaller than its shape");
}

static TRITONSERVER_Error *read_strings(const uint8_t *from, size_t bytes, TF_TString *strings,
                                        int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        size_t length = 0;
        for (int k = 0; bytes >= LENGTH_BYTES && k < LENGTH_BYTES; k++) {
            length |= (size_t)from[k] << (8 * k);
        }
        if (bytes < LENGTH_BYTES || length > bytes - LENGTH_BYTES) {
            return triton_fail(TRITON_ERROR_INVALID_ARG,
                               "oribi: an input ends in the middle of its strings");
        }
        TF_StringCopy(&strings[i], (const char *)from + LENGTH_BYTES, length);
        from += LENGTH_BYTES + length;
        bytes -= LENGTH_BYTES + length;
    }
    return bytes == 0 ? NULL
                      : triton_fail(TRITON_ERROR_INVALID_ARG,
                                    "oribi: an input has more strings than its shape");
}

TRITONSERVER_Error *triton_tensor_fill(TF_Tensor *tensor, int64_t begin, int64_t count,
                                       TRITONBACKEND_Input *input, uint32_t n_buffers,
                                       uint64_t bytes)
{
    const size_t size = element_bytes(TF_TensorType(tensor));
    uint8_t *to = (uint8_t *)TF_TensorData(tensor) + (size_t)begin * size;

    if (TF_TensorType(tensor) != TF_STRING) {
        return gather(input, n_buffers, to, (size_t)count * size);
    }
    uint8_t *packed = oribi_alloc((size_t)bytes);
    if (packed == NULL) {
        return triton_no_memory();
    }
    TRITONSERVER_Error *error = gather(input, n_buffers, packed, (size_t)bytes);
    if (error == NULL) {
        error = read_strings(packed, (size_t)bytes, (TF_TString *)(void *)to, count);
    }
    oribi_free(packed);
    return error;
}

size_t triton_tensor_take(const TF_Tensor *tensor, int64_t begin, int64_t count, uint8_t *to)
{
    const size_t size = element_bytes(TF_TensorType(tensor));
    size_t bytes = 0;

    if (TF_TensorType(tensor) != TF_STRING) {
        if (to != NULL && count > 0) {
            memcpy(to, (const uint8_t *)TF_TensorData(tensor) + (size_t)begin * size,
                   (size_t)count * size);
        }
        return (size_t)count * size;
    }
    const TF_TString *strings = (const TF_TString *)TF_TensorData(tensor) + begin;
    for (int64_t i = 0; i < count; i++) {
        const size_t length = TF_StringGetSize(&strings[i]);
        if (to != NULL) {
            for (int k = 0; k < LENGTH_BYTES; k++) {
                to[bytes + (size_t)k] = (uint8_t)(length >> (8 * k));
            }
            if (length > 0) {
                memcpy(to + bytes + LENGTH_BYTES, TF_StringGetDataPointer(&strings[i]), length);
            }
        }
        bytes += LENGTH_BYTES + length;
    }
    return bytes;
}
