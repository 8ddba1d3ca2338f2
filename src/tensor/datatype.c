/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: widths and names, one row each. */
#include <string.h>

#include "tensor/tensor.h"

typedef struct dtype_row {
    const char *name;
    unsigned char bytes;  /* as TF_DataTypeSize says */
    unsigned char memory; /* as elements lie in a tensor */
} dtype_row;

static const dtype_row rows[] = {
    [TF_FLOAT] = {"float", 4, 4},
    [TF_DOUBLE] = {"double", 8, 8},
    [TF_INT32] = {"int32", 4, 4},
    [TF_UINT8] = {"uint8", 1, 1},
    [TF_INT16] = {"int16", 2, 2},
    [TF_INT8] = {"int8", 1, 1},
    [TF_STRING] = {"string", 0, sizeof(TF_TString)},
    [TF_COMPLEX64] = {"complex64", 8, 8},
    [TF_INT64] = {"int64", 8, 8},
    [TF_BOOL] = {"bool", 1, 1},
    [TF_QINT8] = {"qint8", 1, 1},
    [TF_QUINT8] = {"quint8", 1, 1},
    [TF_QINT32] = {"qint32", 4, 4},
    [TF_BFLOAT16] = {"bfloat16", 2, 2},
    [TF_QINT16] = {"qint16", 2, 2},
    [TF_QUINT16] = {"quint16", 2, 2},
    [TF_UINT16] = {"uint16", 2, 2},
    [TF_COMPLEX128] = {"complex128", 16, 16},
    [TF_HALF] = {"half", 2, 2},
    [TF_RESOURCE] = {"resource", 0, 8},
    [TF_VARIANT] = {"variant", 0, 8},
    [TF_UINT32] = {"uint32", 4, 4},
    [TF_UINT64] = {"uint64", 8, 8},
    [TF_FLOAT8_E5M2] = {"float8_e5m2", 1, 1},
    [TF_FLOAT8_E4M3FN] = {"float8_e4m3fn", 1, 1},
    [TF_FLOAT8_E4M3FNUZ] = {"float8_e4m3fnuz", 1, 1},
    [TF_FLOAT8_E4M3B11FNUZ] = {"float8_e4m3b11fnuz", 1, 1},
    [TF_FLOAT8_E5M2FNUZ] = {"float8_e5m2fnuz", 1, 1},
    [TF_INT4] = {"int4", 1, 1},
    [TF_UINT4] = {"uint4", 1, 1},
    [TF_INT2] = {"int2", 1, 1},
    [TF_UINT2] = {"uint2", 1, 1},
    [TF_FLOAT4_E2M1FN] = {"float4_e2m1fn", 1, 1},
};
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Row of the type, or the empty row 0. */
static const dtype_row *find_row(TF_DataType dtype)
{
    unsigned n = (unsigned)dtype;
    return &rows[n < N_ROWS ? n : 0];
}

size_t TF_DataTypeSize(TF_DataType dt)
{
    return find_row(dt)->bytes;
}

size_t oribi_dtype_bytes(TF_DataType dtype)
{
    return find_row(dtype)->memory;
}

const char *oribi_dtype_name(TF_DataType dtype)
{
    const dtype_row *row = find_row(dtype);
    return row->name != NULL ? row->name : "invalid";
}

static bool same(const char *name, size_t length, const char *other)
{
    return length > 0 && name[0] == other[0] && /* which most differ in: all ops come by here */
           strncmp(name, other, length) == 0 && other[length] == '\0';
}

TF_DataType oribi_dtype_parse(const char *name, size_t length)
{
    for (unsigned i = 1; i < N_ROWS; i++) {
        if (same(name, length, rows[i].name)) {
            return (TF_DataType)i;
        }
    }
    if (same(name, length, "float32")) {
        return TF_FLOAT;
    }
    if (same(name, length, "float64")) {
        return TF_DOUBLE;
    }
    if (same(name, length, "float16")) {
        return TF_HALF;
    }
    return (TF_DataType)0;
}
