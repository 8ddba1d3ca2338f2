/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of ASCII, whatever the locale; white space stripped. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/ascii.h>
#elif !defined(ORIBI_ABSL_STRINGS_ASCII_H_)
#define ORIBI_ABSL_STRINGS_ASCII_H_

#include <string>

#include "absl/strings/string_view.h"

namespace absl ORIBI_HIDDEN
{

inline bool ascii_isdigit(unsigned char c)
{
    return c >= '0' && c <= '9';
}
inline bool ascii_isupper(unsigned char c)
{
    return c >= 'A' && c <= 'Z';
}
inline bool ascii_islower(unsigned char c)
{
    return c >= 'a' && c <= 'z';
}
inline bool ascii_isalpha(unsigned char c)
{
    return ascii_isupper(c) || ascii_islower(c);
}
inline bool ascii_isalnum(unsigned char c)
{
    return ascii_isalpha(c) || ascii_isdigit(c);
}
inline bool ascii_isxdigit(unsigned char c)
{
    return ascii_isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool ascii_isspace(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
inline bool ascii_isprint(unsigned char c)
{
    return c >= 32 && c < 127;
}
inline bool ascii_ispunct(unsigned char c)
{
    return ascii_isprint(c) && c != ' ' && !ascii_isalnum(c);
}
inline bool ascii_isascii(unsigned char c)
{
    return c < 128;
}
inline char ascii_tolower(unsigned char c)
{
    return static_cast<char>(ascii_isupper(c) ? c + ('a' - 'A') : c);
}
inline char ascii_toupper(unsigned char c)
{
    return static_cast<char>(ascii_islower(c) ? c - ('a' - 'A') : c);
}
inline std::string AsciiStrToLower(string_view text)
{
    std::string out(text);
    for (char &c : out) {
        c = ascii_tolower(static_cast<unsigned char>(c));
    }
    return out;
}
inline std::string AsciiStrToUpper(string_view text)
{
    std::string out(text);
    for (char &c : out) {
        c = ascii_toupper(static_cast<unsigned char>(c));
    }
    return out;
}
inline void AsciiStrToLower(std::string *text)
{
    *text = AsciiStrToLower(string_view(*text));
}
inline void AsciiStrToUpper(std::string *text)
{
    *text = AsciiStrToUpper(string_view(*text));
}
inline string_view StripLeadingAsciiWhitespace(string_view text)
{
    while (!text.empty() && ascii_isspace(static_cast<unsigned char>(text.front()))) {
        text.remove_prefix(1);
    }
    return text;
}
inline string_view StripTrailingAsciiWhitespace(string_view text)
{
    while (!text.empty() && ascii_isspace(static_cast<unsigned char>(text.back()))) {
        text.remove_suffix(1);
    }
    return text;
}
inline string_view StripAsciiWhitespace(string_view text)
{
    return StripTrailingAsciiWhitespace(StripLeadingAsciiWhitespace(text));
}
inline void StripAsciiWhitespace(std::string *text)
{
    *text = std::string(StripAsciiWhitespace(string_view(*text)));
}

} // namespace absl
#endif
