/* SPDX-License-Identifier: Apache-2.0 */
/* TF_CALL_*: a macro called for each of a set of types. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_REGISTER_TYPES_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_REGISTER_TYPES_H_

#include "tensorflow/core/framework/numeric_types.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/variant/variant.h"
#include "tensorflow/core/platform/types.h"

#define TF_CALL_float(m)      m(float)
#define TF_CALL_double(m)     m(double)
#define TF_CALL_int32(m)      m(::tensorflow::int32)
#define TF_CALL_uint32(m)     m(::tensorflow::uint32)
#define TF_CALL_uint8(m)      m(::tensorflow::uint8)
#define TF_CALL_int16(m)      m(::tensorflow::int16)
#define TF_CALL_int8(m)       m(::tensorflow::int8)
#define TF_CALL_string(m)     m(::tensorflow::tstring)
#define TF_CALL_tstring(m)    m(::tensorflow::tstring)
#define TF_CALL_resource(m)   m(::tensorflow::ResourceHandle)
#define TF_CALL_variant(m)    m(::tensorflow::Variant)
#define TF_CALL_complex64(m)  m(::tensorflow::complex64)
#define TF_CALL_int64(m)      m(::tensorflow::int64)
#define TF_CALL_int64_t(m)    m(::tensorflow::int64)
#define TF_CALL_uint64(m)     m(::tensorflow::uint64)
#define TF_CALL_bool(m)       m(bool)
#define TF_CALL_qint8(m)      m(::tensorflow::qint8)
#define TF_CALL_quint8(m)     m(::tensorflow::quint8)
#define TF_CALL_qint32(m)     m(::tensorflow::qint32)
#define TF_CALL_bfloat16(m)   m(::tensorflow::bfloat16)
#define TF_CALL_qint16(m)     m(::tensorflow::qint16)
#define TF_CALL_quint16(m)    m(::tensorflow::quint16)
#define TF_CALL_uint16(m)     m(::tensorflow::uint16)
#define TF_CALL_complex128(m) m(::tensorflow::complex128)
#define TF_CALL_half(m)       m(::tensorflow::half)

#define TF_CALL_FLOAT_TYPES(m)                                                                     \
    TF_CALL_half(m) TF_CALL_bfloat16(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_COMPLEX_TYPES(m) TF_CALL_complex64(m) TF_CALL_complex128(m)
#define TF_CALL_INTEGRAL_TYPES_NO_INT32(m)                                                         \
    TF_CALL_uint64(m) TF_CALL_int64(m) TF_CALL_uint32(m) TF_CALL_uint16(m) TF_CALL_int16(m)        \
        TF_CALL_uint8(m) TF_CALL_int8(m)
#define TF_CALL_INTEGRAL_TYPES(m)    TF_CALL_INTEGRAL_TYPES_NO_INT32(m) TF_CALL_int32(m)
#define TF_CALL_REAL_NUMBER_TYPES(m) TF_CALL_INTEGRAL_TYPES(m) TF_CALL_FLOAT_TYPES(m)
#define TF_CALL_REAL_NUMBER_TYPES_NO_BFLOAT16(m)                                                   \
    TF_CALL_INTEGRAL_TYPES(m) TF_CALL_half(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_REAL_NUMBER_TYPES_NO_INT32(m)                                                      \
    TF_CALL_INTEGRAL_TYPES_NO_INT32(m) TF_CALL_FLOAT_TYPES(m)
#define TF_CALL_NUMBER_TYPES(m) TF_CALL_REAL_NUMBER_TYPES(m) TF_CALL_COMPLEX_TYPES(m)
#define TF_CALL_NUMBER_TYPES_NO_INT32(m)                                                           \
    TF_CALL_REAL_NUMBER_TYPES_NO_INT32(m) TF_CALL_COMPLEX_TYPES(m)
#define TF_CALL_POD_TYPES(m)        TF_CALL_NUMBER_TYPES(m) TF_CALL_bool(m)
#define TF_CALL_POD_STRING_TYPES(m) TF_CALL_POD_TYPES(m) TF_CALL_tstring(m)
#define TF_CALL_ALL_TYPES(m)                                                                       \
    TF_CALL_POD_TYPES(m) TF_CALL_tstring(m) TF_CALL_resource(m) TF_CALL_variant(m)
#define TF_CALL_QUANTIZED_TYPES(m) TF_CALL_qint8(m) TF_CALL_quint8(m) TF_CALL_qint32(m)
#define TF_CALL_SAVE_RESTORE_TYPES(m)                                                              \
    TF_CALL_REAL_NUMBER_TYPES(m) TF_CALL_COMPLEX_TYPES(m) TF_CALL_bool(m) TF_CALL_tstring(m)
#define TF_CALL_GPU_NUMBER_TYPES(m)         TF_CALL_half(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_GPU_NUMBER_TYPES_NO_HALF(m) TF_CALL_float(m) TF_CALL_double(m)

#endif
