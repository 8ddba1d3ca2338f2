/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a text replaced, the longest match at each place first. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/str_replace.h>
#elif !defined(ORIBI_ABSL_STRINGS_STR_REPLACE_H_)
#define ORIBI_ABSL_STRINGS_STR_REPLACE_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"

namespace absl ORIBI_HIDDEN
{

template <typename Pairs> std::string StrReplaceAllIn(string_view text, const Pairs &pairs)
{
    std::string out;
    while (!text.empty()) {
        string_view from, to;
        for (const auto &pair : pairs) {
            const string_view old = pair.first;
            if (old.size() > from.size() && StartsWith(text, old)) {
                from = old;
                to = pair.second;
            }
        }
        if (from.empty()) {
            out += text.front();
            text.remove_prefix(1);
        } else {
            out.append(to.data(), to.size());
            text.remove_prefix(from.size());
        }
    }
    return out;
}
inline std::string
StrReplaceAll(string_view text,
              std::initializer_list<std::pair<string_view, string_view>> replacements)
{
    return StrReplaceAllIn(text, replacements);
}
template <typename Pairs> std::string StrReplaceAll(string_view text, const Pairs &replacements)
{
    return StrReplaceAllIn(text, replacements);
}

} // namespace absl
#endif
