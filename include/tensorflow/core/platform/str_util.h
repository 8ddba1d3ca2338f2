/* SPDX-License-Identifier: Apache-2.0 */
/* str_util: Split, Join, case, white space, prefixes; CEscape. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_STR_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_STR_UTIL_H_

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "tensorflow/core/platform/strcat.h"
#include "tensorflow/core/platform/stringpiece.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace str_util
{

using absl::AllowEmpty;
using absl::SkipEmpty;
using absl::SkipWhitespace;

/* Any character of delims separates, as in absl::ByAnyChar. */
template <typename P = AllowEmpty>
std::vector<string> Split(StringPiece text, StringPiece delims, P keep = P())
{
    std::vector<string> out;
    if (!text.empty()) {
        for (StringPiece piece : absl::StrSplit(text, absl::ByAnyChar(delims), keep)) {
            out.emplace_back(piece);
        }
    }
    return out;
}
template <typename P = AllowEmpty>
std::vector<string> Split(StringPiece text, char delim, P keep = P())
{
    return Split(text, StringPiece(&delim, 1), keep);
}
template <typename C> string Join(const C &parts, StringPiece separator)
{
    string out;
    bool first = true;
    for (const auto &part : parts) {
        strings::StrAppend(&out, first ? StringPiece() : separator, part);
        first = false;
    }
    return out;
}
inline bool StrContains(StringPiece text, StringPiece part)
{
    return absl::StrContains(text, part);
}
inline bool StartsWith(StringPiece text, StringPiece prefix)
{
    return absl::StartsWith(text, prefix);
}
inline bool EndsWith(StringPiece text, StringPiece suffix)
{
    return absl::EndsWith(text, suffix);
}
inline bool ConsumePrefix(StringPiece *text, StringPiece prefix)
{
    return absl::ConsumePrefix(text, prefix);
}
inline bool ConsumeSuffix(StringPiece *text, StringPiece suffix)
{
    return absl::ConsumeSuffix(text, suffix);
}
inline StringPiece StripPrefix(StringPiece text, StringPiece prefix)
{
    return absl::StripPrefix(text, prefix);
}
inline StringPiece StripSuffix(StringPiece text, StringPiece suffix)
{
    return absl::StripSuffix(text, suffix);
}
inline string Lowercase(StringPiece text)
{
    return absl::AsciiStrToLower(text);
}
inline string Uppercase(StringPiece text)
{
    return absl::AsciiStrToUpper(text);
}
inline void StripTrailingWhitespace(string *text)
{
    *text = string(absl::StripTrailingAsciiWhitespace(StringPiece(*text)));
}
inline size_t RemoveLeadingWhitespace(StringPiece *text)
{
    const size_t before = text->size();
    *text = absl::StripLeadingAsciiWhitespace(*text);
    return before - text->size();
}
inline size_t RemoveTrailingWhitespace(StringPiece *text)
{
    const size_t before = text->size();
    *text = absl::StripTrailingAsciiWhitespace(*text);
    return before - text->size();
}
inline size_t RemoveWhitespaceContext(StringPiece *text)
{
    return RemoveLeadingWhitespace(text) + RemoveTrailingWhitespace(text);
}
/* Takes digits off the front; false when there are none or they overflow. */
inline bool ConsumeLeadingDigits(StringPiece *text, uint64 *out)
{
    uint64 value = 0;
    size_t n = 0;
    for (; n < text->size() && absl::ascii_isdigit(static_cast<unsigned char>((*text)[n])); n++) {
        const uint64 digit = static_cast<uint64>((*text)[n] - '0');
        if (value > (kuint64max - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    text->remove_prefix(n);
    *out = n > 0 ? value : *out;
    return n > 0;
}
inline string StringReplace(StringPiece text, StringPiece from, StringPiece to, bool all)
{
    string out(text);
    size_t at = 0;
    while (!from.empty() && (at = out.find(from.data(), at, from.size())) != string::npos) {
        out.replace(at, from.size(), to.data(), to.size());
        at += to.size();
        if (!all) {
            break;
        }
    }
    return out;
}
inline string CEscape(StringPiece text)
{
    string out;
    for (char c : text) {
        const size_t known = StringPiece("\n\r\t\"'\\").find(c);
        if (known != StringPiece::npos) {
            out += '\\';
            out += "nrt\"'\\"[known];
        } else if (absl::ascii_isprint(static_cast<unsigned char>(c))) {
            out += c;
        } else {
            const unsigned v = static_cast<unsigned char>(c);
            out += '\\';
            out += static_cast<char>('0' + (v >> 6));
            out += static_cast<char>('0' + ((v >> 3) & 7));
            out += static_cast<char>('0' + (v & 7));
        }
    }
    return out;
}

} // namespace str_util
} // namespace tensorflow

#endif
