/* SPDX-License-Identifier: Apache-2.0 */
/* Elements put together with a separator. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/str_join.h>
#elif !defined(ORIBI_ABSL_STRINGS_STR_JOIN_H_)
#define ORIBI_ABSL_STRINGS_STR_JOIN_H_

#include <initializer_list>
#include <string>

#include "absl/strings/str_cat.h"

namespace absl ORIBI_HIDDEN
{

template <typename I, typename F>
std::string StrJoin(I first, I last, string_view separator, F formatter)
{
    std::string out;
    for (I it = first; it != last; ++it) {
        if (it != first) {
            out.append(separator.data(), separator.size());
        }
        formatter(&out, *it);
    }
    return out;
}
struct AlphaNumFormatterImpl {
    template <typename T> void operator()(std::string *out, const T &value) const
    {
        StrAppend(out, value);
    }
};
inline AlphaNumFormatterImpl AlphaNumFormatter()
{
    return AlphaNumFormatterImpl();
}
template <typename I> std::string StrJoin(I first, I last, string_view separator)
{
    return StrJoin(first, last, separator, AlphaNumFormatterImpl());
}
template <typename R> std::string StrJoin(const R &range, string_view separator)
{
    return StrJoin(std::begin(range), std::end(range), separator, AlphaNumFormatterImpl());
}
template <typename T> std::string StrJoin(std::initializer_list<T> range, string_view separator)
{
    return StrJoin(range.begin(), range.end(), separator, AlphaNumFormatterImpl());
}
template <typename R, typename F,
          typename = decltype(std::declval<F &>()(static_cast<std::string *>(nullptr),
                                                  *std::begin(std::declval<const R &>())))>
std::string StrJoin(const R &range, string_view separator, F formatter)
{
    return StrJoin(std::begin(range), std::end(range), separator, formatter);
}

} // namespace absl
#endif
