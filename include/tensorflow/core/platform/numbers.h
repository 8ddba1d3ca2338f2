/* SPDX-License-Identifier: Apache-2.0 */
/* strings::safe_strto*: numbers read from a whole text. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_NUMBERS_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_NUMBERS_H_

#include "absl/strings/numbers.h"
#include "tensorflow/core/platform/strcat.h"
#include "tensorflow/core/platform/stringpiece.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace strings
{

inline bool safe_strto32(StringPiece text, int32 *out)
{
    return absl::SimpleAtoi(text, out);
}
inline bool safe_strtou32(StringPiece text, uint32 *out)
{
    return absl::SimpleAtoi(text, out);
}
template <typename Int> bool safe_strto64(StringPiece text, Int *out)
{
    return absl::SimpleAtoi(text, out);
}
template <typename Int> bool safe_strtou64(StringPiece text, Int *out)
{
    return absl::SimpleAtoi(text, out);
}
inline bool safe_strtof(StringPiece text, float *out)
{
    return absl::SimpleAtof(text, out);
}
inline bool safe_strtod(StringPiece text, double *out)
{
    return absl::SimpleAtod(text, out);
}
inline string FpToString(uint64 v)
{
    return strings::StrCat(Hex(v, kZeroPad16));
}

} // namespace strings
} // namespace tensorflow

#endif
