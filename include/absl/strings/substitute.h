/* SPDX-License-Identifier: Apache-2.0 */
/* $0 to $9 replaced by values. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/substitute.h>
#elif !defined(ORIBI_ABSL_STRINGS_SUBSTITUTE_H_)
#define ORIBI_ABSL_STRINGS_SUBSTITUTE_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace absl ORIBI_HIDDEN
{

template <typename... A> std::string Substitute(string_view format, const A &...args)
{
    const std::vector<std::string> values{std::string(AlphaNum(args).Piece())...};
    std::string out;
    for (size_t i = 0; i < format.size(); i++) {
        if (format[i] != '$' || i + 1 == format.size()) {
            out += format[i];
            continue;
        }
        const char c = format[++i];
        const size_t index = static_cast<size_t>(c - '0');
        if (c == '$') {
            out += '$';
        } else if (c >= '0' && c <= '9' && index < values.size()) {
            out += values[index];
        }
    }
    return out;
}

} // namespace absl
#endif
