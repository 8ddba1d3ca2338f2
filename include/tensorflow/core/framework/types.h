/* SPDX-License-Identifier: Apache-2.0 */
/* DataType, the C++ type of each, and what device names are called. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TYPES_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TYPES_H_

#include <complex>
#include <ostream>
#include <type_traits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/core/framework/numeric_types.h"
#include "tensorflow/core/platform/bfloat16.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/core/platform/stringpiece.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

/* X-macro: enumerator, number, C++ type, name in messages. */
#define ORIBI_DATA_TYPES(X)                                                                        \
    X(DT_FLOAT, 1, float, "float")                                                                 \
    X(DT_DOUBLE, 2, double, "double")                                                              \
    X(DT_INT32, 3, int32, "int32")                                                                 \
    X(DT_UINT8, 4, uint8, "uint8")                                                                 \
    X(DT_INT16, 5, int16, "int16")                                                                 \
    X(DT_INT8, 6, int8, "int8")                                                                    \
    X(DT_STRING, 7, tstring, "string")                                                             \
    X(DT_COMPLEX64, 8, complex64, "complex64")                                                     \
    X(DT_INT64, 9, int64, "int64")                                                                 \
    X(DT_BOOL, 10, bool, "bool")                                                                   \
    X(DT_QINT8, 11, qint8, "qint8")                                                                \
    X(DT_QUINT8, 12, quint8, "quint8")                                                             \
    X(DT_QINT32, 13, qint32, "qint32")                                                             \
    X(DT_BFLOAT16, 14, bfloat16, "bfloat16")                                                       \
    X(DT_QINT16, 15, qint16, "qint16")                                                             \
    X(DT_QUINT16, 16, quint16, "quint16")                                                          \
    X(DT_UINT16, 17, uint16, "uint16")                                                             \
    X(DT_COMPLEX128, 18, complex128, "complex128")                                                 \
    X(DT_HALF, 19, half, "half")                                                                   \
    X(DT_RESOURCE, 20, ResourceHandle, "resource")                                                 \
    X(DT_VARIANT, 21, Variant, "variant")                                                          \
    X(DT_UINT32, 22, uint32, "uint32")                                                             \
    X(DT_UINT64, 23, uint64, "uint64")

class ResourceHandle;
class Variant;

enum DataType : int {
    DT_INVALID = 0,
#define ORIBI_DATA_TYPE(NAME, number, Type, text) NAME = number, NAME##_REF = number + 100,
    ORIBI_DATA_TYPES(ORIBI_DATA_TYPE)
#undef ORIBI_DATA_TYPE
};

constexpr int kDataTypeRefOffset = 100;
inline bool IsRefType(DataType type)
{
    return type > static_cast<DataType>(kDataTypeRefOffset);
}
inline DataType MakeRefType(DataType type)
{
    return static_cast<DataType>(type + kDataTypeRefOffset);
}
inline DataType RemoveRefType(DataType type)
{
    return IsRefType(type) ? static_cast<DataType>(type - kDataTypeRefOffset) : type;
}
inline DataType BaseType(DataType type)
{
    return RemoveRefType(type);
}

inline string DataTypeString(DataType type)
{
    switch (RemoveRefType(type)) {
#define ORIBI_DATA_TYPE(NAME, number, Type, text)                                                  \
    case NAME:                                                                                     \
        return IsRefType(type) ? text "_ref" : text;
        ORIBI_DATA_TYPES(ORIBI_DATA_TYPE)
#undef ORIBI_DATA_TYPE
    default:
        return "unknown type " + std::to_string(static_cast<int>(type));
    }
}
inline const string &DataType_Name(DataType type)
{
    static const string names[] = {"DT_INVALID",
#define ORIBI_DATA_TYPE(NAME, number, Type, text) #NAME,
                                   ORIBI_DATA_TYPES(ORIBI_DATA_TYPE)
#undef ORIBI_DATA_TYPE
    };
    const size_t i = static_cast<size_t>(RemoveRefType(type));
    return names[i < TF_ARRAYSIZE(names) ? i : 0];
}
inline int DataTypeSize(DataType type)
{
    return static_cast<int>(TF_DataTypeSize(static_cast<TF_DataType>(BaseType(type))));
}

using DataTypeVector = absl::InlinedVector<DataType, 4>;
using DataTypeSlice = absl::Span<const DataType>;
inline string DataTypeSliceString(DataTypeSlice types)
{
    string out;
    for (DataType type : types) {
        out += (out.empty() ? "" : ", ") + DataTypeString(type);
    }
    return out;
}
inline string DataTypeVectorString(const DataTypeVector &types)
{
    return DataTypeSliceString(types);
}

/* A few types, or one that converts to them. */
class DataTypeSet
{
  public:
    constexpr explicit DataTypeSet(uint32 mask) : mask_(mask)
    {
    }
    constexpr bool Contains(DataType type) const
    {
        return ((mask_ >> static_cast<int>(type)) & 1u) != 0;
    }

  private:
    uint32 mask_;
};
constexpr DataTypeSet ToSet(DataType type)
{
    return DataTypeSet(1u << static_cast<int>(type));
}

template <typename T> struct IsValidDataType {
    static constexpr bool value = false;
};
/* In a template, so that C++14 code may take its address. */
template <DataType kType> struct DataTypeValue {
    static constexpr DataType value = kType;
};
template <DataType kType> constexpr DataType DataTypeValue<kType>::value;
/* DataTypeToEnum<T>::v() and ::value; EnumToDataType<DT>::Type. */
template <typename T> struct DataTypeToEnum {
    static_assert(IsValidDataType<T>::value, "this C++ type is no element type of tensors");
};
template <DataType VALUE> struct EnumToDataType {
};
#define ORIBI_DATA_TYPE(NAME, number, CType, text)                                                 \
    template <> struct DataTypeToEnum<CType> : DataTypeValue<NAME> {                               \
        static DataType v()                                                                        \
        {                                                                                          \
            return NAME;                                                                           \
        }                                                                                          \
        static DataType ref()                                                                      \
        {                                                                                          \
            return NAME##_REF;                                                                     \
        }                                                                                          \
    };                                                                                             \
    template <> struct IsValidDataType<CType> {                                                    \
        static constexpr bool value = true;                                                        \
    };                                                                                             \
    template <> struct EnumToDataType<NAME> {                                                      \
        using Type = CType;                                                                        \
    };
ORIBI_DATA_TYPES(ORIBI_DATA_TYPE)
#undef ORIBI_DATA_TYPE
/* The 64-bit integers that are not int64_t here: old code calls them so. */
#if defined(__LP64__)
template <> struct DataTypeToEnum<long long> : DataTypeToEnum<int64> {
};
template <> struct IsValidDataType<long long> : IsValidDataType<int64> {
};
template <> struct DataTypeToEnum<unsigned long long> : DataTypeToEnum<uint64> {
};
template <> struct IsValidDataType<unsigned long long> : IsValidDataType<uint64> {
};
#endif
template <> struct DataTypeToEnum<std::string> : DataTypeToEnum<tstring> {
};

/* May elements be copied byte by byte? */
inline bool DataTypeCanUseMemcpy(DataType type)
{
    return DataTypeSize(type) != 0;
}
inline bool DataTypeIsFloating(DataType t)
{
    return t == DT_HALF || t == DT_BFLOAT16 || t == DT_FLOAT || t == DT_DOUBLE;
}
inline bool DataTypeIsComplex(DataType t)
{
    return t == DT_COMPLEX64 || t == DT_COMPLEX128;
}
inline bool DataTypeIsUnsigned(DataType t)
{
    return t == DT_UINT8 || t == DT_UINT16 || t == DT_UINT32 || t == DT_UINT64;
}
inline bool DataTypeIsInteger(DataType t)
{
    return t == DT_INT8 || t == DT_INT16 || t == DT_INT32 || t == DT_INT64 || DataTypeIsUnsigned(t);
}
inline bool DataTypeIsQuantized(DataType t)
{
    return (t >= DT_QINT8 && t <= DT_QINT32) || t == DT_QINT16 || t == DT_QUINT16;
}

/* "CPU": what a device is called. */
class DeviceType
{
  public:
    DeviceType(const char *type) : type_(type)
    {
    }
    explicit DeviceType(StringPiece type) : type_(type)
    {
    }
    const char *type() const
    {
        return type_.c_str();
    }
    const string &type_string() const
    {
        return type_;
    }
    bool operator==(const DeviceType &other) const
    {
        return type_ == other.type_;
    }
    bool operator!=(const DeviceType &other) const
    {
        return type_ != other.type_;
    }

  private:
    string type_;
};
inline std::ostream &operator<<(std::ostream &out, const DeviceType &type)
{
    return out << type.type();
}
static const char *const DEVICE_DEFAULT TF_ATTRIBUTE_UNUSED = "DEFAULT";
static const char *const DEVICE_CPU TF_ATTRIBUTE_UNUSED = "CPU";
static const char *const DEVICE_GPU TF_ATTRIBUTE_UNUSED = "GPU";

enum MemoryType { DEVICE_MEMORY = 0, HOST_MEMORY = 1 };
using MemoryTypeVector = absl::InlinedVector<MemoryType, 4>;

} // namespace tensorflow

#endif
