/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npy format, versions 1 to 3, C order, little endian. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const struct {
    const char *descr;
    TF_DataType type;
} types[] = {
    {"<f4", TF_FLOAT},     {"<f8", TF_DOUBLE},      {"<i4", TF_INT32}, {"<i8", TF_INT64},
    {"|u1", TF_UINT8},     {"|i1", TF_INT8},        {"<i2", TF_INT16}, {"<u2", TF_UINT16},
    {"<u4", TF_UINT32},    {"<u8", TF_UINT64},      {"|b1", TF_BOOL},  {"<f2", TF_HALF},
    {"<c8", TF_COMPLEX64}, {"<c16", TF_COMPLEX128},
};

/* Value after 'key': in the header's dictionary, or NULL. */
static const char *find_key(const char *header, const char *key)
{
    const char *at = strstr(header, key);

    return at == NULL ? NULL : at + strlen(key);
}

static bool parse_header(const char *header, TF_DataType *out_type, int64_t *dims, int *out_rank)
{
    const char *descr = find_key(header, "'descr':"), *order = find_key(header, "'fortran_order':");
    const char *shape = find_key(header, "'shape':");

    if (descr == NULL || order == NULL || shape == NULL) {
        return false;
    }
    descr = strchr(descr, '\'');
    *out_type = (TF_DataType)0;
    for (size_t i = 0; descr != NULL && i < sizeof types / sizeof types[0]; i++) {
        size_t length = strlen(types[i].descr);
        if (strncmp(descr + 1, types[i].descr, length) == 0 && descr[1 + length] == '\'') {
            *out_type = types[i].type;
        }
    }
    while (*order == ' ') {
        order++;
    }
    if (*out_type == 0 || strncmp(order, "False", 5) != 0) {
        return false;
    }
    shape = strchr(shape, '(');
    for (*out_rank = 0; shape != NULL;) {
        shape += strspn(shape + 1, ", ") + 1;
        if (*shape == ')') {
            return true;
        }
        char *end;
        long long dim = strtoll(shape, &end, 10);
        if (end == shape || dim < 0 || *out_rank == 16) {
            return false;
        }
        dims[(*out_rank)++] = dim;
        shape = end - 1;
    }
    return false;
}

TF_Tensor *cli_npy_parse(const uint8_t *data, size_t bytes, const char *what)
{
    int64_t dims[16];
    int rank;
    TF_DataType type;

    if (bytes < 12 || memcmp(data, "\x93NUMPY", 6) != 0 || data[6] < 1 || data[6] > 3) {
        cli_error("%s: not a .npy file", what);
        return NULL;
    }
    size_t start = data[6] == 1 ? 10 : 12;
    size_t length = (size_t)data[8] | (size_t)data[9] << 8;
    if (data[6] > 1) {
        length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
    }
    if (length > bytes - start) {
        cli_error("%s: the .npy header is cut off at byte %zu", what, bytes);
        return NULL;
    }
    char *header = cli_alloc(length + 1);
    memcpy(header, data + start, length);
    bool good = parse_header(header, &type, dims, &rank);
    free(header);
    if (!good) {
        cli_error("%s: the .npy header names a type or an order that is not supported (C order, "
                  "little endian numbers)",
                  what);
        return NULL;
    }
    TF_Tensor *tensor = cli_tensor(type, dims, rank);
    if (tensor == NULL) {
        return NULL;
    }
    if (TF_TensorByteSize(tensor) != bytes - start - length) {
        cli_error("%s: the .npy shape wants %zu bytes, the file holds %zu", what,
                  TF_TensorByteSize(tensor), bytes - start - length);
        TF_DeleteTensor(tensor);
        return NULL;
    }
    memcpy(TF_TensorData(tensor), data + start + length, bytes - start - length);
    return tensor;
}

uint8_t *cli_npy_format(const TF_Tensor *tensor, size_t *out_bytes)
{
    const char *descr = NULL;
    char shape[512] = "", header[1024];
    size_t used = 0;

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == TF_TensorType(tensor)) {
            descr = types[i].descr;
        }
    }
    if (descr == NULL || TF_NumDims(tensor) > 16) {
        cli_error("an output of type %s cannot be stored as .npy",
                  cli_type_name(TF_TensorType(tensor)));
        return NULL;
    }
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%lld, ",
                                 (long long)TF_Dim(tensor, i));
    }
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    size_t padded = ((size_t)length + 1 + 10 + 63) / 64 * 64 - 10;
    size_t data_bytes =
        TF_DataTypeSize(TF_TensorType(tensor)) * (size_t)TF_TensorElementCount(tensor);
    uint8_t *out = cli_alloc(10 + padded + data_bytes);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (uint8_t)padded;
    out[9] = (uint8_t)(padded >> 8);
    memset(out + 10, ' ', padded);
    memcpy(out + 10, header, (size_t)length);
    out[10 + padded - 1] = '\n';
    if (data_bytes > 0) {
        memcpy(out + 10 + padded, TF_TensorData(tensor), data_bytes);
    }
    *out_bytes = 10 + padded + data_bytes;
    return out;
}
