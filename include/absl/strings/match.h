/* SPDX-License-Identifier: Apache-2.0 */
/* Does a text hold, begin or end with another? */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/match.h>
#elif !defined(ORIBI_ABSL_STRINGS_MATCH_H_)
#define ORIBI_ABSL_STRINGS_MATCH_H_

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace absl ORIBI_HIDDEN
{

inline bool StrContains(string_view text, string_view part)
{
    return text.find(part) != string_view::npos;
}
inline bool StrContains(string_view text, char c)
{
    return text.find(c) != string_view::npos;
}
inline bool StartsWith(string_view text, string_view prefix)
{
    return text.size() >= prefix.size() && text.substr(0, prefix.size()) == prefix;
}
inline bool EndsWith(string_view text, string_view suffix)
{
    return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}
inline bool EqualsIgnoreCase(string_view a, string_view b)
{
    return AsciiStrToLower(a) == AsciiStrToLower(b);
}
inline bool StartsWithIgnoreCase(string_view text, string_view prefix)
{
    return StartsWith(AsciiStrToLower(text), AsciiStrToLower(prefix));
}
inline bool EndsWithIgnoreCase(string_view text, string_view suffix)
{
    return EndsWith(AsciiStrToLower(text), AsciiStrToLower(suffix));
}

} // namespace absl
#endif
