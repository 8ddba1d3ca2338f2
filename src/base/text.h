/* SPDX-License-Identifier: Apache-2.0 */
/* Text: a view of bytes, a growing buffer with a sticky out-of-memory flag, "did you mean". */
#ifndef ORIBI_BASE_TEXT_H_
#define ORIBI_BASE_TEXT_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct oribi_string { /* a view; NUL-terminated for convenience where its maker says so */
    const char *data;
    size_t length;
} oribi_string;
bool oribi_string_is(oribi_string string, const char *text);
bool oribi_string_same(oribi_string a, oribi_string b);

typedef struct oribi_text {
    char *data; /* NUL-terminated once anything was added; NULL before */
    size_t length;
    size_t capacity;
    bool failed; /* an allocation failed; further appends do nothing */
} oribi_text;

void oribi_text_append(oribi_text *text, const char *string);
void oribi_text_append_n(oribi_text *text, const void *bytes, size_t length);
void oribi_text_printf(oribi_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void oribi_text_vprintf(oribi_text *text, const char *format, va_list args);
void oribi_text_destroy(oribi_text *text);
const char *oribi_text_string(const oribi_text *text); /* "" when empty */

/* Nearest of n candidates by edit distance, or NULL when none is near enough to suggest. */
const char *oribi_text_did_you_mean(const char *word, const char *const *candidates, size_t n);

#endif
