/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as people see them: type names, shapes, elements as numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* The short names are ours ("f32"), the long ones TensorFlow's ("float"), numpy's come beside. */
static const struct {
    const char *name, *alias;
    TF_DataType type;
} types[] = {
    {"f32", "float", TF_FLOAT},
    {"f32", "float32", TF_FLOAT},
    {"f64", "double", TF_DOUBLE},
    {"f64", "float64", TF_DOUBLE},
    {"i32", "int32", TF_INT32},
    {"u8", "uint8", TF_UINT8},
    {"i16", "int16", TF_INT16},
    {"i8", "int8", TF_INT8},
    {"i64", "int64", TF_INT64},
    {"bool", "bool", TF_BOOL},
    {"u16", "uint16", TF_UINT16},
    {"u32", "uint32", TF_UINT32},
    {"u64", "uint64", TF_UINT64},
    {"f16", "half", TF_HALF},
    {"bf16", "bfloat16", TF_BFLOAT16},
    {"f16", "float16", TF_HALF},
    {"str", "string", TF_STRING},
    {"c64", "complex64", TF_COMPLEX64},
    {"c128", "complex128", TF_COMPLEX128},
};

const char *cli_type_name(TF_DataType type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == type) {
            return types[i].name;
        }
    }
    return type == TF_VARIANT ? "list" : "?"; /* a sequence or an optional */
}

TF_DataType cli_type_parse(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const char *both[2] = {types[i].name, types[i].alias};
        for (int k = 0; k < 2; k++) {
            if (strlen(both[k]) == length && memcmp(both[k], name, length) == 0) {
                return types[i].type;
            }
        }
    }
    return (TF_DataType)0;
}

static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(fraction + 1024, exponent - 25);

    return bits & 0x8000 ? -value : value;
}

double cli_element(const TF_Tensor *tensor, int64_t index)
{
    const char *data = TF_TensorData(tensor);
    size_t at = (size_t)index * TF_DataTypeSize(TF_TensorType(tensor));
#define READ(type)                                                                                 \
    do {                                                                                           \
        type value;                                                                                \
        memcpy(&value, data + at, sizeof value);                                                   \
        return (double)value;                                                                      \
    } while (0)

    switch ((int)TF_TensorType(tensor)) {
    case TF_FLOAT:
        READ(float);
    case TF_DOUBLE:
        READ(double);
    case TF_INT64:
        READ(int64_t);
    case TF_UINT64:
        READ(uint64_t);
    case TF_INT32:
    case TF_QINT32:
        READ(int32_t);
    case TF_UINT32:
        READ(uint32_t);
    case TF_INT16:
        READ(int16_t);
    case TF_UINT16:
        READ(uint16_t);
    case TF_INT8:
    case TF_QINT8:
        READ(int8_t);
    case TF_UINT8:
    case TF_QUINT8:
    case TF_BOOL:
        READ(uint8_t);
    case TF_HALF: {
        uint16_t bits;
        memcpy(&bits, data + at, sizeof bits);
        return half_to_double(bits);
    }
    case TF_BFLOAT16: {
        uint16_t bits;
        memcpy(&bits, data + at, sizeof bits);
        uint32_t wide = (uint32_t)bits << 16;
        float value;
        memcpy(&value, &wide, sizeof value);
        return (double)value;
    }
    default:
        return (double)NAN;
    }
#undef READ
}

size_t cli_type_bytes(TF_DataType type)
{
    return type == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(type);
}

void cli_print_shape(const TF_Tensor *tensor, char *out, size_t size)
{
    size_t used = 0;

    out[0] = 0;
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        if (used + 28 >= size) { /* a size and the dots */
            snprintf(out + used, size - used, "x...");
            return;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%lld", i == 0 ? "" : "x",
                                 (long long)TF_Dim(tensor, i));
    }
    if (TF_NumDims(tensor) == 0) {
        snprintf(out, size, "scalar");
    }
}

bool cli_dims_add(cli_dims *dims, int64_t size)
{
    if (dims->n >= CLI_MAX_RANK) {
        return false;
    }
    dims->at[dims->n++] = size;
    return true;
}

TF_Tensor *cli_tensor_for(TF_DataType type, const cli_dims *wanted, size_t count, const char *path,
                          const char *things)
{
    cli_dims dims = *wanted;
    int64_t needed = 1;

    cli_dims_fit(&dims, count);
    for (int i = 0; i < dims.n && needed > 0; i++) {
        if (dims.at[i] < 0 || __builtin_mul_overflow(needed, dims.at[i], &needed)) {
            needed = -1;
        }
    }
    if (needed == (int64_t)count) {
        return cli_tensor(type, &dims);
    }
    if (needed < 0) {
        cli_error(
            "%s: the %zu %s of the file do not fill the input's known dimensions; its unknown "
            "ones are fixed by --shape",
            path, count, things);
    } else {
        cli_error("%s: the input needs %lld %s, but the file holds %zu", path, (long long)needed,
                  things, count);
    }
    return NULL;
}

void cli_dims_fit(cli_dims *dims, size_t count)
{
    int unknown = -1;
    uint64_t known = 1;

    for (int i = 0; i < dims->n; i++) {
        if (dims->at[i] < 0 && unknown < 0) {
            unknown = i;
        } else if (dims->at[i] <= 0 ||
                   __builtin_mul_overflow(known, (uint64_t)dims->at[i], &known)) {
            return;
        }
    }
    if (unknown >= 0 && count % known == 0) {
        dims->at[unknown] = (int64_t)(count / known);
    }
}

int cli_port_dims(const oribi_model *model, bool is_input, int index, bool fills, cli_dims *out)
{
    const int rank = is_input ? oribi_model_input_shape(model, index, out->at, CLI_MAX_RANK)
                              : oribi_model_output_shape(model, index, out->at, CLI_MAX_RANK);
    out->n = rank < 0 ? 0 : rank > CLI_MAX_RANK ? CLI_MAX_RANK : rank;
    for (int i = 0; i < out->n && fills; i++) {
        out->at[i] = out->at[i] < 0 ? 1 : out->at[i];
    }
    return rank;
}

TF_Tensor *cli_tensor(TF_DataType type, const cli_dims *dims)
{
    size_t bytes = cli_type_bytes(type), most = bytes; /* without dimensions of 0 */

    if (bytes == 0) {
        cli_error("an input of type %s cannot be given", cli_type_name(type));
        return NULL;
    }
    for (int i = 0; i < dims->n; i++) {
        size_t dim = dims->at[i] > 0 ? (size_t)dims->at[i] : 1;
        if (dims->at[i] < 0 || __builtin_mul_overflow(most, dim, &most) || most > PTRDIFF_MAX) {
            cli_error("an input of that shape is too large");
            return NULL;
        }
        bytes = dims->at[i] == 0 ? 0 : bytes * dim;
    }
    if (!cli_budget_take("the input", bytes)) {
        return NULL;
    }
    TF_Tensor *tensor = TF_AllocateTensor(type, dims->at, dims->n, bytes);
    if (tensor == NULL) {
        cli_no_memory(bytes);
    }
    if (bytes > 0) {
        memset(TF_TensorData(tensor), 0, bytes);
    }
    return tensor;
}
