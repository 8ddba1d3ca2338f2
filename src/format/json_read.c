/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive descent over text that need not end with a NUL. Contract: json_read.h. Source  RFC
 * 8259.
 */
#include "format/json_read.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "format/utf8.h"

typedef struct parser {
    const char *source, *at, *end;
    oribi_arena *arena;
    oribi_text *error;
    int depth;
} parser;

/* In a text of several lines, people look for the line. */
static bool fail(parser *p, const char *what)
{
    size_t line = 1;
    for (const char *at = p->source; at < p->at; at++) {
        line += *at == '\n';
    }
    oribi_text_printf(p->error, "JSON: %s at byte %zu", what, (size_t)(p->at - p->source));
    if (line > 1) {
        oribi_text_printf(p->error, ", in line %zu", line);
    }
    return false;
}

/* The next byte, 0 at the end: no token of JSON has a NUL. */
static char next(const parser *p)
{
    return p->at < p->end ? *p->at : '\0';
}

static void skip_space(parser *p)
{
    while (next(p) == ' ' || next(p) == '\n' || next(p) == '\r' || next(p) == '\t') {
        p->at++;
    }
}

/* --- Strings --------------------------------------------------------------------------------- */

static bool read_hex(parser *p, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        const char c = next(p);
        const uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                               : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                               : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                      : 16;
        if (digit == 16) {
            return fail(p, "a \\u escape must have four hex digits");
        }
        *out = *out * 16 + digit;
    }
    return true;
}

/* After "\u". A character beyond 16 bits is a pair of escapes. */
static bool read_unicode(parser *p, char **out)
{
    uint32_t code, low;
    if (!read_hex(p, &code)) {
        return false;
    }
    if (code >= 0xd800 && code < 0xdc00 && p->end - p->at >= 2 && memcmp(p->at, "\\u", 2) == 0) {
        p->at += 2;
        if (!read_hex(p, &low)) {
            return false;
        }
        code =
            low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff) : code;
    }
    const size_t bytes = oribi_utf8_put(code, *out);
    *out += bytes;
    return bytes > 0 || fail(p, "half of a surrogate pair is missing");
}

static bool read_escape(parser *p, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char c = next(p);
    const char *known = c != '\0' ? strchr(from, c) : NULL;
    if (known == NULL && c != 'u') {
        return fail(p, "the escape is unknown");
    }
    p->at++;
    if (c == 'u') {
        return read_unicode(p, out);
    }
    *(*out)++ = to[known - from];
    return true;
}

/* After the opening quote. What is read is never longer than how it is written. */
static bool read_string(parser *p, const char **text, size_t *length)
{
    const char *close = p->at;
    while (close < p->end && *close != '"') {
        close += *close == '\\' && p->end - close > 1 ? 2 : 1;
    }
    if (close >= p->end) {
        return fail(p, "a string has no end");
    }
    char *made = oribi_arena_alloc(p->arena, (size_t)(close - p->at) + 4);
    char *out = made;
    if (made == NULL) {
        return fail(p, "out of memory");
    }
    while (p->at < close) {
        const size_t bytes = oribi_utf8_bytes(p->at, (size_t)(close - p->at));
        if (*p->at == '\\') {
            p->at++;
            if (!read_escape(p, &out)) {
                return false;
            }
        } else if (bytes == 0 || (unsigned char)*p->at < 0x20) {
            return fail(p, bytes == 0 ? "the text is not UTF-8"
                                      : "a control character must be escaped");
        } else {
            memcpy(out, p->at, bytes);
            out += bytes;
            p->at += bytes;
        }
    }
    p->at++;
    *out = '\0';
    *text = made;
    *length = (size_t)(out - made);
    return true;
}

/* --- Numbers and words ------------------------------------------------------------------------ */

static bool skip_digits(parser *p)
{
    const char *start = p->at;
    while (next(p) >= '0' && next(p) <= '9') {
        p->at++;
    }
    return p->at > start;
}

/* The number's extent: a sign, whole digits without leading zeros, a fraction, an exponent. */
static bool skip_number(parser *p, bool *out_whole)
{
    p->at += next(p) == '-';
    const char *start = p->at;
    *out_whole = true;
    if (!skip_digits(p)) {
        return fail(p, "a digit is missing");
    }
    if (*start == '0' && p->at - start > 1) {
        p->at = start;
        return fail(p, "a number must not begin with 0");
    }
    if (next(p) == '.') {
        *out_whole = false;
        p->at++;
        if (!skip_digits(p)) {
            return fail(p, "a digit is missing");
        }
    }
    if (next(p) == 'e' || next(p) == 'E') {
        *out_whole = false;
        p->at++;
        p->at += next(p) == '-' || next(p) == '+';
        if (!skip_digits(p)) {
            return fail(p, "a digit is missing");
        }
    }
    return true;
}

static int64_t nearest(double number)
{
    return number >= 0x1p63 ? INT64_MAX : number < -0x1p63 ? INT64_MIN : (int64_t)number;
}

static bool read_number(parser *p, oribi_json_value *value)
{
    char few[64];
    bool is_whole;
    const char *start = p->at;
    if (!skip_number(p, &is_whole)) {
        return false;
    }
    const size_t length = (size_t)(p->at - start);
    char *text = few;
    if (length < sizeof few) {
        memcpy(few, start, length);
        few[length] = '\0';
    } else {
        text = oribi_arena_strndup(p->arena, start, length);
        if (text == NULL) {
            return fail(p, "out of memory");
        }
    }
    value->kind = ORIBI_JSON_NUMBER;
    value->number = oribi_number_parse(text, NULL);
    value->integer = is_whole ? strtoll(text, NULL, 10) : nearest(value->number);
    return isfinite(value->number) || fail(p, "a number is too large");
}

static bool read_word(parser *p, oribi_json_value *value)
{
    static const struct {
        const char *word;
        oribi_json_kind kind;
        int number;
    } words[] = {
        {"null", ORIBI_JSON_NULL, 0}, {"true", ORIBI_JSON_BOOL, 1}, {"false", ORIBI_JSON_BOOL, 0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i].word);
        if ((size_t)(p->end - p->at) >= length && memcmp(p->at, words[i].word, length) == 0) {
            p->at += length;
            value->kind = words[i].kind;
            value->integer = words[i].number;
            value->number = words[i].number;
            return true;
        }
    }
    return fail(p, "a value is missing");
}

/* --- Values ----------------------------------------------------------------------------------- */

static bool read_value(parser *p, oribi_json_value *value);

static bool read_key(parser *p, oribi_json_value *child)
{
    size_t length;
    if (next(p) != '"') {
        return fail(p, "a key is missing");
    }
    p->at++;
    if (!read_string(p, &child->key, &length)) {
        return false;
    }
    skip_space(p);
    if (next(p) != ':') {
        return fail(p, "':' is missing");
    }
    p->at++;
    return true;
}

/* After the opening bracket. */
static bool read_children(parser *p, oribi_json_value *value, char close)
{
    const oribi_json_value **link = &value->child;
    skip_space(p);
    if (next(p) == close) {
        p->at++;
        return true;
    }
    for (;;) {
        oribi_json_value *child = oribi_arena_array(p->arena, 1, sizeof *child);
        if (child == NULL) {
            return fail(p, "out of memory");
        }
        skip_space(p);
        if ((close == '}' && !read_key(p, child)) || !read_value(p, child)) {
            return false;
        }
        *link = child;
        link = &child->next;
        value->count++;
        skip_space(p);
        const char after = next(p);
        if (after != ',' && after != close) {
            return fail(p, "',' or the closing bracket is missing");
        }
        p->at++;
        if (after == close) {
            return true;
        }
    }
}

static bool read_value(parser *p, oribi_json_value *value)
{
    bool ok;
    skip_space(p);
    value->begin = p->at;
    const char first = next(p);
    if (first == '{' || first == '[') {
        value->kind = first == '{' ? ORIBI_JSON_OBJECT : ORIBI_JSON_ARRAY;
        if (++p->depth > ORIBI_JSON_MAX_DEPTH) {
            return fail(p, "too deep");
        }
        p->at++;
        ok = read_children(p, value, first == '{' ? '}' : ']');
        p->depth--;
    } else if (first == '"') {
        p->at++;
        value->kind = ORIBI_JSON_STRING;
        ok = read_string(p, &value->text, &value->length);
    } else if (first == '-' || (first >= '0' && first <= '9')) {
        ok = read_number(p, value);
    } else {
        ok = read_word(p, value);
    }
    value->end = p->at;
    return ok;
}

const oribi_json_value *oribi_json_read(const char *source, size_t bytes, oribi_arena *arena,
                                        oribi_text *error)
{
    source = source != NULL ? source : ""; /* of 0 bytes */
    parser p = {.source = source, .at = source, .end = source, .arena = arena, .error = error};
    oribi_json_value *value = oribi_arena_array(arena, 1, sizeof *value);
    if (value == NULL || bytes > INT32_MAX) { /* children are counted in 32 bits */
        (void)fail(&p, value == NULL ? "out of memory" : "the text is larger than 2 GiB");
        return NULL;
    }
    p.end = source + bytes;
    if (!read_value(&p, value)) {
        return NULL;
    }
    skip_space(&p);
    if (p.at < p.end) {
        (void)fail(&p, "there is more than one value");
        return NULL;
    }
    return value;
}

const oribi_json_value *oribi_json_find(const oribi_json_value *object, const char *key)
{
    const oribi_json_value *member =
        object != NULL && object->kind == ORIBI_JSON_OBJECT ? object->child : NULL;
    while (member != NULL && strcmp(member->key, key) != 0) {
        member = member->next;
    }
    return member;
}
