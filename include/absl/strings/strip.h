/* SPDX-License-Identifier: Apache-2.0 */
/* A prefix or suffix taken off. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/strip.h>
#elif !defined(ORIBI_ABSL_STRINGS_STRIP_H_)
#define ORIBI_ABSL_STRINGS_STRIP_H_

#include "absl/strings/match.h"

namespace absl ORIBI_HIDDEN
{

inline bool ConsumePrefix(string_view *text, string_view prefix)
{
    if (!StartsWith(*text, prefix)) {
        return false;
    }
    text->remove_prefix(prefix.size());
    return true;
}
inline bool ConsumeSuffix(string_view *text, string_view suffix)
{
    if (!EndsWith(*text, suffix)) {
        return false;
    }
    text->remove_suffix(suffix.size());
    return true;
}
inline string_view StripPrefix(string_view text, string_view prefix)
{
    ConsumePrefix(&text, prefix);
    return text;
}
inline string_view StripSuffix(string_view text, string_view suffix)
{
    ConsumeSuffix(&text, suffix);
    return text;
}

} // namespace absl
#endif
