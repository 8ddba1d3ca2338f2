/* SPDX-License-Identifier: Apache-2.0 */
/* Small constants that translations make: axes, shapes, scalars. Equal ones are one value. */
#include "import/onnx/onnx_emit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Finds or makes a dense constant; rank is 0 or 1. */
static oribi_value_id shared_constant(oribi_onnx_node *n, TF_DataType dtype, int32_t rank,
                                      int64_t count, const void *data)
{
    if (n->failed) {
        return -1;
    }
    oribi_onnx *onnx = n->onnx;
    size_t data_bytes = (size_t)count * oribi_dtype_bytes(dtype);
    size_t key_bytes = 2 + data_bytes;
    uint8_t *key = oribi_arena_alloc(&onnx->kept, key_bytes);
    if (key == NULL) {
        (void)oribi_onnx_no_memory(n);
        return -1;
    }
    key[0] = (uint8_t)dtype;
    key[1] = (uint8_t)rank;
    if (data_bytes > 0) {
        memcpy(key + 2, data, data_bytes);
    }
    uintptr_t known = (uintptr_t)oribi_map_get_n(&onnx->constants, (const char *)key, key_bytes);
    if (known != 0) {
        return (oribi_value_id)(known - 1);
    }
    oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, "const", dtype, &count, rank, data, n->status);
    if (id >= 0 && !oribi_map_put_n(&onnx->constants, (const char *)key, key_bytes,
                                    (void *)((uintptr_t)id + 1))) {
        oribi_fail_memory(n->status);
        id = -1;
    }
    n->failed = id < 0;
    return id;
}

oribi_value_id oribi_emit_vector_as(oribi_onnx_node *n, TF_DataType dtype, const int64_t *values,
                                    int32_t count)
{
    if (n->failed || dtype == TF_INT64) {
        return shared_constant(n, dtype, 1, count, values);
    }
    int32_t *narrow = oribi_arena_array(&n->onnx->scratch, (size_t)count + 1, sizeof *narrow);
    if (narrow == NULL) {
        (void)oribi_onnx_no_memory(n);
        return -1;
    }
    for (int32_t i = 0; i < count; i++) {
        if (values[i] < INT32_MIN || values[i] > INT32_MAX) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%" PRId64 " does not fit in 32 bits",
                            values[i]);
            return -1;
        }
        narrow[i] = (int32_t)values[i];
    }
    return shared_constant(n, TF_INT32, 1, count, narrow);
}

oribi_value_id oribi_emit_empty(oribi_onnx_node *n, TF_DataType dtype)
{
    return shared_constant(n, dtype, 1, 0, "");
}

oribi_value_id oribi_emit_vector(oribi_onnx_node *n, const int64_t *values, int32_t count)
{
    bool fits = true;
    for (int32_t i = 0; i < count; i++) {
        fits = fits && values[i] >= INT32_MIN && values[i] <= INT32_MAX;
    }
    return oribi_emit_vector_as(n, fits ? TF_INT32 : TF_INT64, values, count);
}

oribi_value_id oribi_emit_int(oribi_onnx_node *n, int64_t value)
{
    int32_t narrow = (int32_t)value;
    if (narrow == value) {
        return shared_constant(n, TF_INT32, 0, 1, &narrow);
    }
    return shared_constant(n, TF_INT64, 0, 1, &value);
}

/* Round to nearest even; overflow becomes infinity. */
static uint16_t half_from_double(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);
    int exponent = 0;
    if (isnan(value)) {
        return 0x7e00;
    }
    if (magnitude >= 65520.0) {
        return sign | 0x7c00;
    }
    if (magnitude < 6.103515625e-05) { /* subnormal: units of 2^-24 */
        return sign | (uint16_t)nearbyint(ldexp(magnitude, 24));
    }
    double fraction = frexp(magnitude, &exponent);                /* in [0.5, 1) */
    uint32_t mantissa = (uint32_t)nearbyint(ldexp(fraction, 11)); /* 1024..2048 */
    return (uint16_t)(sign + ((uint32_t)(exponent + 13) << 10) + mantissa);
}

static uint16_t bfloat16_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (isnan(value)) {
        return 0x7fc0;
    }
    return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/* Does an integer type hold it? NaN is none. */
static bool holds(TF_DataType dtype, double value)
{
    const double bits = (double)oribi_dtype_bytes(dtype) * 8;
    const bool is_unsigned =
        dtype == TF_UINT8 || dtype == TF_UINT16 || dtype == TF_UINT32 || dtype == TF_UINT64;
    const double high = dtype == TF_BOOL ? 1 : exp2(is_unsigned ? bits : bits - 1) - 1;
    const double low = is_unsigned || dtype == TF_BOOL ? 0 : -high - 1;
    return value >= low && value <= high && value >= -9.2e18 && value <= 9.2e18;
}

oribi_value_id oribi_emit_scalar(oribi_onnx_node *n, TF_DataType dtype, double value)
{
    uint8_t bytes[8] = {0};
    float single = (float)value;
    int64_t integer = 0;
    uint16_t small = 0;
    switch ((int)dtype) {
    case TF_FLOAT:
        memcpy(bytes, &single, sizeof(single));
        break;
    case TF_DOUBLE:
        memcpy(bytes, &value, sizeof(value));
        break;
    case TF_HALF:
    case TF_BFLOAT16:
        small = dtype == TF_HALF ? half_from_double(value) : bfloat16_from_float(single);
        memcpy(bytes, &small, sizeof(small));
        break;
    case TF_STRING:
    case TF_COMPLEX64:
    case TF_COMPLEX128:
        oribi_onnx_fail(n, TF_UNIMPLEMENTED, "not supported for elements of type %s",
                        oribi_dtype_name(dtype));
        return -1;
    default:
        if (!holds(dtype, value)) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%g is not a number of type %s", value,
                            oribi_dtype_name(dtype));
            return -1;
        }
        integer = (int64_t)value;
        memcpy(bytes, &integer, sizeof(integer)); /* little endian: the low bytes */
        break;
    }
    return shared_constant(n, dtype, 0, 1, bytes);
}

bool oribi_emit_every(oribi_onnx_node *n, oribi_value_id constant, char tag, oribi_emit_test *test)
{
    char key[1 + sizeof constant] = {tag};
    memcpy(key + 1, &constant, sizeof constant);
    const uintptr_t known = (uintptr_t)oribi_map_get_n(&n->onnx->tested, key, sizeof key);
    if (n->failed || known != 0) {
        return !n->failed && known == 2;
    }
    const char *kept = oribi_arena_memdup(&n->onnx->kept, key, sizeof key);
    TF_Tensor *tensor = oribi_graph_constant_tensor(n->graph, constant, n->status);
    const int64_t count = tensor == NULL ? 0 : TF_TensorElementCount(tensor);
    bool holds = true;
    for (int64_t i = 0; holds && i < count; i++) {
        holds = test(tensor, i);
    }
    n->failed =
        tensor == NULL || kept == NULL ||
        !oribi_map_put_n(&n->onnx->tested, kept, sizeof key, (void *)(uintptr_t)(holds ? 2 : 1));
    TF_DeleteTensor(tensor);
    return n->failed ? oribi_ok(n->status) && oribi_fail_memory(n->status) : holds;
}

oribi_value_id oribi_emit_scalar_like(oribi_onnx_node *n, oribi_value_id like, double value)
{
    return n->failed || like < 0 ? -1 : oribi_emit_scalar(n, oribi_emit_dtype(n, like), value);
}

bool oribi_emit_known_scalar(const oribi_onnx_node *n, oribi_value_id value, double *out)
{
    const oribi_constant *constant = value < 0 ? NULL : n->graph->values[value]->constant;
    if (n->failed || constant == NULL) {
        return false;
    }
    for (int32_t i = 0; i < constant->view.rank; i++) {
        if (constant->view.dims[i] != 1) {
            return false;
        }
    }
    float single;
    int32_t narrow;
    int64_t wide;
    uint8_t byte;
    switch ((int)constant->view.dtype) {
    case TF_FLOAT:
        memcpy(&single, constant->view.data, sizeof(single));
        *out = (double)single;
        return true;
    case TF_DOUBLE:
        memcpy(out, constant->view.data, sizeof(*out));
        return true;
    case TF_INT32:
        memcpy(&narrow, constant->view.data, sizeof(narrow));
        *out = narrow;
        return true;
    case TF_INT64:
        memcpy(&wide, constant->view.data, sizeof(wide));
        *out = (double)wide;
        return true;
    case TF_UINT8:
    case TF_INT8:
    case TF_BOOL:
        memcpy(&byte, constant->view.data, 1);
        *out = constant->view.dtype == TF_INT8 ? (double)(int8_t)byte : (double)byte;
        return true;
    default:
        return false;
    }
}
