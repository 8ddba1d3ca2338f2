/* SPDX-License-Identifier: Apache-2.0 */
/* Cast between numbers and bool. Integers of 4 and 2 bits and floats of 8 and 4 have a byte each. A
 * block of the source widens to double, int64 or uint64, whichever holds it exactly, and that
 * narrows to the target: 13 loops in and 3 * 13 out stand for all pairs. Out of range saturates and
 * NaN becomes 0 where the target is an integer; C leaves that open.
 */
#include "cpu/base/families.h"
#include "cpu/base/cpu_shape.h"
#include "cpu/elementwise/halves.h"
#include "cpu/elementwise/small_floats.h"

#include <string.h>

enum { BLOCK = 512 };

typedef enum wide_kind { WIDE_DOUBLE, WIDE_INT64, WIDE_UINT64 } wide_kind;

typedef union wide_block {
    double d[BLOCK];
    int64_t i[BLOCK];
    uint64_t u[BLOCK];
} wide_block;

static float from_half(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, magnitude = h & 0x7fff, bits;
    float value;
    if (magnitude >= 0x7c00) {
        bits = sign | 0x7f800000u | (magnitude & 0x3ff) << 13;
    } else if (magnitude >= 0x400) {
        bits = sign | ((magnitude << 13) + ((127u - 15u) << 23));
    } else {
        value = (float)magnitude * 0x1p-24f;
        memcpy(&bits, &value, sizeof bits);
        bits |= sign;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float from_bfloat16(uint16_t b)
{
    uint32_t bits = (uint32_t)b << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define WIDEN(T, member, expr)                                                                     \
    for (int64_t k = 0; k < n; k++) {                                                              \
        T v = ((const T *)source)[k];                                                              \
        block->member[k] = (expr);                                                                 \
    }                                                                                              \
    break

static void widen_small(TF_DataType dtype, const uint8_t *source, int64_t n, wide_block *block)
{
    const oribi_cpu_small_float *format = oribi_cpu_small_float_of(dtype);
    for (int64_t k = 0; k < n; k++) {
        block->d[k] = oribi_cpu_small_value(format, source[k]);
    }
}

static void widen(TF_DataType dtype, const void *source, int64_t n, wide_block *block)
{
    if (oribi_cpu_small_float_of(dtype) != NULL) {
        widen_small(dtype, source, n, block);
        return;
    }
    switch ((int)dtype) {
    case TF_FLOAT:
        WIDEN(float, d, (double)v);
    case TF_DOUBLE:
        WIDEN(double, d, v);
    case TF_HALF:
        WIDEN(uint16_t, d, (double)from_half(v));
    case TF_BFLOAT16:
        WIDEN(uint16_t, d, (double)from_bfloat16(v));
    case TF_INT8:
    case TF_INT4:
    case TF_INT2:
        WIDEN(int8_t, i, v);
    case TF_INT16:
        WIDEN(int16_t, i, v);
    case TF_INT32:
        WIDEN(int32_t, i, v);
    case TF_INT64:
        WIDEN(int64_t, i, v);
    case TF_UINT8:
    case TF_UINT4:
    case TF_UINT2:
        WIDEN(uint8_t, i, v);
    case TF_UINT16:
        WIDEN(uint16_t, i, v);
    case TF_UINT32:
        WIDEN(uint32_t, i, v);
    case TF_UINT64:
        WIDEN(uint64_t, u, v);
    default:
        WIDEN(uint8_t, i, v != 0);
    }
}

static wide_kind kind_of(TF_DataType dtype)
{
    if (oribi_cpu_small_float_of(dtype) != NULL) {
        return WIDE_DOUBLE;
    }
    switch (dtype) {
    case TF_FLOAT:
    case TF_DOUBLE:
    case TF_HALF:
    case TF_BFLOAT16:
        return WIDE_DOUBLE;
    case TF_UINT64:
        return WIDE_UINT64;
    default:
        return WIDE_INT64;
    }
}

static int64_t to_int64(double v, double low, double high)
{
    return v != v                      ? 0
           : v <= low                  ? (int64_t)low
           : v >= 9223372036854775807. ? INT64_MAX
           : v >= high                 ? (int64_t)high
                                       : (int64_t)v;
}

static uint64_t to_uint64(double v)
{
    return !(v > 0) ? 0 : v >= 18446744073709551615. ? UINT64_MAX : (uint64_t)v;
}

#define NARROW_LOOP(T, member, W, expr)                                                            \
    for (int64_t k = 0; k < n; k++) {                                                              \
        W v = block->member[k];                                                                    \
        ((T *)target)[k] = (T)(expr);                                                              \
    }
/* from_double may saturate; integers wrap, as C and TensorFlow do. */
#define NARROW(T, from_double, from_int)                                                           \
    if (kind == WIDE_DOUBLE) {                                                                     \
        NARROW_LOOP(T, d, double, from_double)                                                     \
    } else if (kind == WIDE_INT64) {                                                               \
        NARROW_LOOP(T, i, int64_t, from_int)                                                       \
    } else {                                                                                       \
        NARROW_LOOP(T, u, uint64_t, from_int)                                                      \
    }                                                                                              \
    break
#define NARROW_INT(T, low, high) NARROW(T, to_int64(v, (double)(low), (double)(high)), v)

/* The low bits of an integer, as an int8 of the same value. */
static int8_t low_bits(int64_t v, int bits)
{
    const int64_t half = (int64_t)1 << (bits - 1), low = v & (2 * half - 1);
    return (int8_t)(low >= half ? low - 2 * half : low);
}

static double wide_value(wide_kind kind, const wide_block *block, int64_t k)
{
    return kind == WIDE_DOUBLE  ? block->d[k]
           : kind == WIDE_INT64 ? (double)block->i[k]
                                : (double)block->u[k];
}

static void narrow_small(TF_DataType dtype, wide_kind kind, const wide_block *block, int64_t n,
                         uint8_t *target)
{
    const oribi_cpu_small_float *format = oribi_cpu_small_float_of(dtype);
    for (int64_t k = 0; k < n; k++) {
        target[k] = oribi_cpu_small_bits(format, wide_value(kind, block, k));
    }
}

#define INT64_OF(v) to_int64(v, (double)INT64_MIN, (double)INT64_MAX)

static void narrow(TF_DataType dtype, wide_kind kind, const wide_block *block, int64_t n,
                   void *target)
{
    if (oribi_cpu_small_float_of(dtype) != NULL) {
        narrow_small(dtype, kind, block, n, target);
        return;
    }
    switch ((int)dtype) {
    case TF_FLOAT:
        NARROW(float, v, v);
    case TF_DOUBLE:
        NARROW(double, v, v);
    case TF_HALF:
        NARROW(uint16_t, oribi_cpu_to_half((float)v), oribi_cpu_to_half((float)v));
    case TF_BFLOAT16:
        NARROW(uint16_t, oribi_cpu_to_bfloat16((float)v), oribi_cpu_to_bfloat16((float)v));
    case TF_INT8:
        NARROW_INT(int8_t, INT8_MIN, INT8_MAX);
    case TF_INT16:
        NARROW_INT(int16_t, INT16_MIN, INT16_MAX);
    case TF_INT32:
        NARROW_INT(int32_t, INT32_MIN, INT32_MAX);
    case TF_INT64:
        NARROW_INT(int64_t, INT64_MIN, INT64_MAX);
    case TF_UINT8:
        NARROW_INT(uint8_t, 0, UINT8_MAX);
    case TF_UINT16:
        NARROW_INT(uint16_t, 0, UINT16_MAX);
    case TF_UINT32:
        NARROW_INT(uint32_t, 0, UINT32_MAX);
    case TF_UINT64:
        NARROW(uint64_t, to_uint64(v), v);
    case TF_INT4:
        NARROW(int8_t, low_bits(INT64_OF(v), 4), low_bits((int64_t)v, 4));
    case TF_INT2:
        NARROW(int8_t, low_bits(INT64_OF(v), 2), low_bits((int64_t)v, 2));
    case TF_UINT4:
        NARROW(uint8_t, INT64_OF(v) & 15, v & 15);
    case TF_UINT2:
        NARROW(uint8_t, INT64_OF(v) & 3, v & 3);
    default:
        NARROW(bool, v != 0, v != 0);
    }
}

static bool is_number(TF_DataType dtype)
{
    const uint64_t numbers =
        ORIBI_CPU_F32 | ORIBI_KIT_TYPE(TF_DOUBLE) | ORIBI_KIT_TYPE(TF_HALF) |
        ORIBI_KIT_TYPE(TF_BFLOAT16) | ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_INT16) |
        ORIBI_KIT_TYPE(TF_INT32) | ORIBI_KIT_TYPE(TF_INT64) | ORIBI_KIT_TYPE(TF_UINT8) |
        ORIBI_KIT_TYPE(TF_UINT16) | ORIBI_KIT_TYPE(TF_UINT32) | ORIBI_KIT_TYPE(TF_UINT64) |
        ORIBI_KIT_TYPE(TF_BOOL) | ORIBI_KIT_TYPE(TF_INT4) | ORIBI_KIT_TYPE(TF_INT2) |
        ORIBI_KIT_TYPE(TF_UINT4) | ORIBI_KIT_TYPE(TF_UINT2);
    return oribi_cpu_small_float_of(dtype) != NULL ||
           ((int)dtype > 0 && (int)dtype < 64 && (numbers >> dtype & 1) != 0);
}

static void *cast_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    TF_DataType from = TF_FLOAT, to = TF_FLOAT;
    void *state = oribi_kit_setup_begin(&setup, construction, 0);
    if (state != NULL) {
        oribi_kit_attr_type(&setup, "SrcT", &from);
        oribi_kit_attr_type(&setup, "DstT", &to);
        if (from != to && (!is_number(from) || !is_number(to))) {
            (void)oribi_kit_setup_fail(&setup, TF_UNIMPLEMENTED,
                                       "Cast from type %d to type %d is not supported", (int)from,
                                       (int)to);
        }
    }
    return oribi_kit_setup_end(&setup);
}

typedef struct cast_work {
    TF_DataType from, to;
    const char *source;
    char *target;
    size_t from_bytes, to_bytes;
} cast_work;

#define DIRECT(T, U, expr)                                                                         \
    {                                                                                              \
        const T *from = (const T *)(const void *)work->source + begin;                             \
        U *to = (U *)(void *)work->target + begin;                                                 \
        for (int64_t k = 0; k < n; k++) {                                                          \
            const T v = from[k];                                                                   \
            to[k] = (expr);                                                                        \
        }                                                                                          \
        return true;                                                                               \
    }

/* What models cast much, without the detour: the same values. False: another pair. */
static bool cast_directly(const cast_work *work, int64_t begin, int64_t n)
{
    if (work->to == TF_FLOAT && work->from == TF_INT32) {
        DIRECT(int32_t, float, (float)v)
    }
    if (work->to == TF_FLOAT && work->from == TF_INT8) {
        DIRECT(int8_t, float, (float)v)
    }
    if (work->to == TF_FLOAT && work->from == TF_UINT8) {
        DIRECT(uint8_t, float, (float)v)
    }
    if (work->to == TF_FLOAT && work->from == TF_BOOL) {
        DIRECT(uint8_t, float, v != 0 ? 1.0f : 0.0f)
    }
    if (work->to == TF_INT32 && work->from == TF_FLOAT) {
        DIRECT(float, int32_t,
               v != v          ? 0
               : v >= 0x1p31f  ? INT32_MAX
               : v <= -0x1p31f ? INT32_MIN
                               : (int32_t)v)
    }
    return false;
}

static void cast_block(void *object, int64_t begin, int64_t end)
{
    const cast_work *work = object;
    wide_block block;
    if (cast_directly(work, begin, end - begin)) {
        return;
    }
    for (int64_t i = begin; i < end; i += BLOCK) {
        int64_t n = end - i < BLOCK ? end - i : BLOCK;
        widen(work->from, work->source + (size_t)i * work->from_bytes, n, &block);
        narrow(work->to, kind_of(work->from), &block, n, work->target + (size_t)i * work->to_bytes);
    }
}

static bool cast_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    cast_work work = {.from = TF_TensorType(run->in[0]),
                      .to = TF_ExpectedOutputDataType(run->context, 0),
                      .source = TF_TensorData(run->in[0])};
    (void)state;
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    if (work.from == work.to) {
        return oribi_kit_output_alias(run, 0, shape.at, shape.n);
    }
    work.from_bytes = TF_DataTypeSize(work.from);
    work.to_bytes = TF_DataTypeSize(work.to);
    work.target = oribi_kit_output(run, 0, shape.at, shape.n);
    if (work.target != NULL) {
        oribi_kit_parallel(run, oribi_cpu_product(shape.at, shape.n), 3, &work, cast_block);
    }
    return work.target != NULL;
}
ORIBI_KIT_COMPUTE(cast, 1)

const oribi_cpu_kernel oribi_cpu_cast_kernels[] = {
    ORIBI_CPU_STATE_ROW("Cast", cast, cast, "through double, int64 or uint64, in blocks"),
    {.op_name = NULL},
};
