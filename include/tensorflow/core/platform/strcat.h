/* SPDX-License-Identifier: Apache-2.0 */
/* strings::StrCat, StrAppend, Hex: floating point numbers with the digits that reading back needs.
 */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_STRCAT_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_STRCAT_H_

#include "absl/strings/str_cat.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace strings
{

#ifdef ORIBI_OWN_ABSL
using AlphaNum = absl::BasicAlphaNum<true>;
using absl::Hex;
using absl::kNoPad;
using absl::kZeroPad16;
using absl::kZeroPad2;
using absl::kZeroPad4;
using absl::kZeroPad8;

template <typename... A> void StrAppend(string *out, const A &...args)
{
    absl::AppendPieces(out, {AlphaNum(args).Piece()...});
}
template <typename... A> string StrCat(const A &...args)
{
    string out;
    absl::AppendPieces(&out, {AlphaNum(args).Piece()...});
    return out;
}
template <typename... A> void StrAppend(tstring *out, const A &...args)
{
    *out += StrCat(args...);
}
#else
using absl::AlphaNum;
using absl::Hex;
using absl::kNoPad;
using absl::kZeroPad16;
using absl::kZeroPad2;
using absl::kZeroPad4;
using absl::kZeroPad8;
using absl::StrAppend;
using absl::StrCat;
template <typename... A> void StrAppend(tstring *out, const A &...args)
{
    *out += StrCat(args...);
}
#endif

} // namespace strings
} // namespace tensorflow

#endif
