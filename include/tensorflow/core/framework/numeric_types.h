/* SPDX-License-Identifier: Apache-2.0 */
/* Complex and quantised element types; half and bfloat16 come with them. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_NUMERIC_TYPES_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_NUMERIC_TYPES_H_

#include <complex>

#include "tensorflow/core/platform/bfloat16.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

/* Integers that stand for a real number by a range which travels beside the tensor. */
#define ORIBI_QUANTISED(Name, Int)                                                                 \
    struct Name {                                                                                  \
        Int value = 0;                                                                             \
        Name() = default;                                                                          \
        Name(Int v) : value(v)                                                                     \
        {                                                                                          \
        }                                                                                          \
        operator int() const                                                                       \
        {                                                                                          \
            return static_cast<int>(value);                                                        \
        }                                                                                          \
    };
ORIBI_QUANTISED(qint8, int8)
ORIBI_QUANTISED(quint8, uint8)
ORIBI_QUANTISED(qint16, int16)
ORIBI_QUANTISED(quint16, uint16)
ORIBI_QUANTISED(qint32, int32)
#undef ORIBI_QUANTISED

} // namespace tensorflow

#endif
