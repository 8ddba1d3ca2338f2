/* SPDX-License-Identifier: Apache-2.0 */
/* Scanner of the spec language: spaces, literals, names, integers, quoted strings, and the error
 * collector. Not here: what they mean (spec_attr.c, spec_arg.c, spec_value.c).
 */
#include <string.h>

#include "op/spec.h"
#include "base/ascii.h"

void oribi_spec_error(oribi_text *errors, const char *format, va_list args)
{
    if (errors->length > 0) {
        oribi_text_append(errors, "\n");
    }
    oribi_text_vprintf(errors, format, args);
}

bool oribi_spec_fail(oribi_spec *spec, const char *format, ...)
{
    oribi_text *errors = spec->errors;
    va_list args;
    va_start(args, format);
    oribi_spec_error(errors, format, args);
    va_end(args);
    if (spec->text != NULL) {
        oribi_text_printf(errors, " from %s(\"%s\")", spec->what, spec->text);
    }
    oribi_text_printf(errors, " for Op %s", spec->entry->def.name);
    return false;
}

bool oribi_spec_no_memory(oribi_spec *spec)
{
    spec->no_memory = true;
    return false;
}

void oribi_scan_spaces(const char **at)
{
    while (oribi_is_space(**at)) {
        (*at)++;
    }
}

bool oribi_scan_literal(const char **at, const char *literal)
{
    size_t length = strlen(literal);
    if (strncmp(*at, literal, length) != 0) {
        return false;
    }
    *at += length;
    return true;
}

static bool is_name_char(char c, bool lower)
{
    return c == '_' || oribi_is_digit(c) || (lower ? oribi_is_lower(c) : oribi_is_letter(c)) != 0;
}

bool oribi_scan_name(const char **at, bool lower, oribi_span *out)
{
    const char *start = *at;
    if (lower ? !oribi_is_lower(*start) : !oribi_is_letter(*start)) {
        return false;
    }
    const char *end = start;
    while (is_name_char(*end, lower)) {
        end++;
    }
    *out = (oribi_span){start, (size_t)(end - start)};
    *at = end;
    return true;
}

bool oribi_scan_integer(const char **at, int64_t *out)
{
    const char *c = *at;
    bool negative = *c == '-';
    c += negative;
    if (!oribi_is_digit(*c)) {
        return false;
    }
    int64_t value = 0; /* kept negative: INT64_MIN has no positive twin */
    for (; oribi_is_digit(*c); c++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *c - '0', &value)) {
            return false;
        }
    }
    if (!negative && value == INT64_MIN) {
        return false;
    }
    *out = negative ? value : -value;
    *at = c;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* One escape after its backslash; false for an unknown one. */
static bool scan_escape(const char **at, char *out)
{
    static const char letters[] = "nrtabfv\\'\"?";
    static const char values[] = "\n\r\t\a\b\f\v\\'\"?";
    const char *c = *at;
    unsigned value = 0;
    if (*c >= '0' && *c <= '7') {
        for (int i = 0; i < 3 && *c >= '0' && *c <= '7'; i++, c++) {
            value = value * 8 + (unsigned)(*c - '0');
        }
    } else if ((*c == 'x' || *c == 'X') && hex_digit(c[1]) >= 0) {
        c++;
        for (int i = 0; i < 2 && hex_digit(*c) >= 0; i++, c++) {
            value = value * 16 + (unsigned)hex_digit(*c);
        }
    } else {
        const char *letter = *c != '\0' ? strchr(letters, *c) : NULL;
        if (letter == NULL) {
            return false;
        }
        value = (unsigned char)values[letter - letters];
        c++;
    }
    if (value > 0xff) {
        return false;
    }
    *out = (char)value;
    *at = c;
    return true;
}

bool oribi_scan_quoted(const char **at, oribi_spec *spec, oribi_string *out)
{
    const char quote = **at;
    if (quote != '\'' && quote != '"') {
        return false;
    }
    const char *c = *at + 1;
    char *data = oribi_arena_alloc(&spec->entry->arena, strlen(c) + 1); /* escapes only shrink */
    size_t length = 0;
    if (data == NULL) {
        return oribi_spec_no_memory(spec);
    }
    while (*c != quote) {
        if (*c == '\0' || *c == '\n') {
            return false;
        }
        if (*c == '\\') {
            c++;
            if (!scan_escape(&c, &data[length++])) {
                return false;
            }
        } else {
            data[length++] = *c++;
        }
    }
    data[length] = '\0';
    *out = (oribi_string){data, length};
    *at = c + 1;
    return true;
}

bool oribi_span_is(oribi_span span, const char *text)
{
    return strlen(text) == span.length && memcmp(span.data, text, span.length) == 0;
}

oribi_attr_def *oribi_spec_find_attr(const oribi_spec *spec, oribi_span name)
{
    const oribi_op_def *def = &spec->entry->def;
    for (int32_t i = 0; i < def->n_attrs; i++) {
        if (oribi_span_is(name, def->attrs[i].name)) {
            return &def->attrs[i];
        }
    }
    return NULL;
}

bool oribi_spec_scan_name(oribi_spec *spec, const char **at, bool lower, const char *shown,
                          const char **out)
{
    oribi_span name;
    oribi_scan_spaces(at);
    const bool is_there = oribi_scan_name(at, lower, &name);
    oribi_scan_spaces(at);
    if (!is_there || !oribi_scan_literal(at, ":")) {
        return oribi_spec_fail(spec, "Trouble parsing '%s:'", shown);
    }
    oribi_scan_spaces(at);
    const char *kept = oribi_arena_strndup(&spec->entry->arena, name.data, name.length);
    *out = kept != NULL ? kept : "";
    return kept != NULL || oribi_spec_no_memory(spec);
}
