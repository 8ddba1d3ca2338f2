/* SPDX-License-Identifier: Apache-2.0 */
/* What a byte of a name or a number is, whatever the locale of the application: ctype.h asks that
 * locale, in which more bytes than those of ASCII may be letters. tests/lint/rules.py forbids
 * ctype.h in the library. Numbers with a fraction: number.h.
 */
#ifndef ORIBI_BASE_ASCII_H_
#define ORIBI_BASE_ASCII_H_

#include <stdbool.h>

static inline bool oribi_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool oribi_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool oribi_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool oribi_is_letter(char c)
{
    return oribi_is_lower(c) || oribi_is_upper(c);
}

static inline bool oribi_is_hex(char c)
{
    return oribi_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static inline bool oribi_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char oribi_to_lower(char c)
{
    return oribi_is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

static inline char oribi_to_upper(char c)
{
    return oribi_is_lower(c) ? (char)(c - ('a' - 'A')) : c;
}

#endif
