/* SPDX-License-Identifier: Apache-2.0 */
/* Integer names of fixed width, string. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_TYPES_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"
#include "tensorflow/core/platform/macros.h"
#include "tensorflow/core/platform/tstring.h"

namespace tensorflow ORIBI_HIDDEN
{

using std::string;
using int8 = std::int8_t;
using int16 = std::int16_t;
using int32 = std::int32_t;
using int64 = std::int64_t;
using uint8 = std::uint8_t;
using uint16 = std::uint16_t;
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;
using uint = unsigned int;

constexpr uint8 kuint8max = std::numeric_limits<uint8>::max();
constexpr uint16 kuint16max = std::numeric_limits<uint16>::max();
constexpr uint32 kuint32max = std::numeric_limits<uint32>::max();
constexpr uint64 kuint64max = std::numeric_limits<uint64>::max();
constexpr int8 kint8min = std::numeric_limits<int8>::min();
constexpr int8 kint8max = std::numeric_limits<int8>::max();
constexpr int16 kint16min = std::numeric_limits<int16>::min();
constexpr int16 kint16max = std::numeric_limits<int16>::max();
constexpr int32 kint32min = std::numeric_limits<int32>::min();
constexpr int32 kint32max = std::numeric_limits<int32>::max();
constexpr int64 kint64min = std::numeric_limits<int64>::min();
constexpr int64 kint64max = std::numeric_limits<int64>::max();

using Fprint = uint64;

} // namespace tensorflow

/* The same names as later sources call them. */
namespace tsl
{
using namespace ::tensorflow;
}

#endif
