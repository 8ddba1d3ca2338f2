/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers read from a whole text, white space around it allowed. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/numbers.h>
#elif !defined(ORIBI_ABSL_STRINGS_NUMBERS_H_)
#define ORIBI_ABSL_STRINGS_NUMBERS_H_

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace absl ORIBI_HIDDEN
{

/* False when the text is not a number of that type; *out is 0 or the nearest limit then. */
template <typename Int> bool SimpleAtoi(string_view text, Int *out)
{
    const std::string digits(StripAsciiWhitespace(text));
    char *end = nullptr;
    errno = 0;
    *out = 0;
    if (digits.empty() || ascii_isspace(static_cast<unsigned char>(digits[0]))) {
        return false;
    }
    if (std::is_signed<Int>::value) {
        const long long v = std::strtoll(digits.c_str(), &end, 10);
        if (*end != '\0' || end == digits.c_str()) {
            return false;
        }
        const bool low = v < static_cast<long long>(std::numeric_limits<Int>::min());
        const bool high = v > static_cast<long long>(std::numeric_limits<Int>::max());
        *out = low    ? std::numeric_limits<Int>::min()
               : high ? std::numeric_limits<Int>::max()
                      : static_cast<Int>(v);
        return errno == 0 && !low && !high;
    }
    if (digits[0] == '-') {
        return false;
    }
    const unsigned long long v = std::strtoull(digits.c_str(), &end, 10);
    if (*end != '\0' || end == digits.c_str()) {
        return false;
    }
    const bool high = v > static_cast<unsigned long long>(std::numeric_limits<Int>::max());
    *out = high ? std::numeric_limits<Int>::max() : static_cast<Int>(v);
    return errno == 0 && !high;
}
inline bool SimpleAtod(string_view text, double *out)
{
    const std::string digits(StripAsciiWhitespace(text));
    char *end = nullptr;
    *out = std::strtod(digits.c_str(), &end);
    return !digits.empty() && *end == '\0' && end != digits.c_str();
}
inline bool SimpleAtof(string_view text, float *out)
{
    const std::string digits(StripAsciiWhitespace(text));
    char *end = nullptr;
    *out = std::strtof(digits.c_str(), &end);
    return !digits.empty() && *end == '\0' && end != digits.c_str();
}
inline bool SimpleAtob(string_view text, bool *out)
{
    const std::string word = AsciiStrToLower(text);
    *out = word == "true" || word == "t" || word == "yes" || word == "y" || word == "1";
    return *out || word == "false" || word == "f" || word == "no" || word == "n" || word == "0";
}

} // namespace absl
#endif
