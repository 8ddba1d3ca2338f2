/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive descent over NUL-terminated text. Contract: json_read.h. Source  RFC 8259. */
#include "base/json_read.h"

#include "base/number.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

typedef struct parser {
    const char *source, *at;
    oribi_arena *arena;
    oribi_text *error;
    int depth;
} parser;

static bool fail(parser *p, const char *what)
{
    oribi_text_printf(p->error, "JSON: %s at byte %zu", what, (size_t)(p->at - p->source));
    return false;
}

static void skip_space(parser *p)
{
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t') {
        p->at++;
    }
}

static bool read_hex(parser *p, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        const char c = *p->at;
        const char *digits = "0123456789abcdef";
        const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;
        if (!digit) {
            return fail(p, "a bad \\u escape");
        }
        *code = *code * 16 + (unsigned)(digit - digits);
        p->at++;
    }
    return true;
}

static char *put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | (code >> 6));
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xe0 | (code >> 12));
        *out++ = (char)(0x80 | ((code >> 6) & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

/* After the opening quote. Surrogates become three bytes each: names here are ASCII. */
static bool read_string(parser *p, const char **text, size_t *length)
{
    const char *end = p->at;
    while (*end && *end != '"') {
        end += *end == '\\' && end[1] ? 2 : 1;
    }
    char *made = oribi_arena_alloc(p->arena, (size_t)(end - p->at) + 1);
    char *out = made;
    if (!made) {
        return fail(p, "out of memory");
    }
    while (*p->at && *p->at != '"') {
        if (*p->at != '\\') {
            *out++ = *p->at++;
            continue;
        }
        static const char from[] = "\"\\/bfnrt";
        static const char to[] = "\"\\/\b\f\n\r\t";
        p->at++;
        const char *known = *p->at ? strchr(from, *p->at) : NULL;
        if (known) {
            *out++ = to[known - from];
            p->at++;
        } else if (*p->at == 'u') {
            unsigned code;
            p->at++;
            if (!read_hex(p, &code)) {
                return false;
            }
            out = put_utf8(out, code);
        } else {
            return fail(p, "an unknown escape");
        }
    }
    if (*p->at != '"') {
        return fail(p, "a string without an end");
    }
    p->at++;
    *out = '\0';
    *text = made;
    *length = (size_t)(out - made);
    return true;
}

static bool read_value(parser *p, oribi_json_value *value);

static bool read_children(parser *p, oribi_json_value *value, char close)
{
    const oribi_json_value **link = &value->child;
    skip_space(p);
    if (*p->at == close) {
        p->at++;
        return true;
    }
    for (;;) {
        oribi_json_value *child = oribi_arena_array(p->arena, 1, sizeof(*child));
        if (!child) {
            return fail(p, "out of memory");
        }
        skip_space(p);
        if (close == '}') {
            size_t length;
            if (*p->at != '"') {
                return fail(p, "a key is missing");
            }
            p->at++;
            if (!read_string(p, &child->key, &length)) {
                return false;
            }
            skip_space(p);
            if (*p->at != ':') {
                return fail(p, "':' is missing");
            }
            p->at++;
        }
        if (!read_value(p, child)) {
            return false;
        }
        *link = child;
        link = &child->next;
        value->count++;
        skip_space(p);
        if (*p->at != ',' && *p->at != close) {
            return fail(p, "',' or the closing bracket is missing");
        }
        if (*p->at++ == close) {
            return true;
        }
    }
}

static bool read_word(parser *p, oribi_json_value *value)
{
    static const struct {
        const char *word;
        oribi_json_kind kind;
        int number;
    } words[] = {
        {"null", ORIBI_JSON_NULL, 0}, {"true", ORIBI_JSON_BOOL, 1}, {"false", ORIBI_JSON_BOOL, 0}};
    for (size_t i = 0; i < 3; i++) {
        if (strncmp(p->at, words[i].word, strlen(words[i].word)) == 0) {
            p->at += strlen(words[i].word);
            value->kind = words[i].kind;
            value->integer = words[i].number;
            value->number = words[i].number;
            return true;
        }
    }
    return fail(p, "a value is missing");
}

static bool read_number(parser *p, oribi_json_value *value)
{
    char *end;
    value->kind = ORIBI_JSON_NUMBER;
    value->number = oribi_number_parse(p->at, &end);
    value->integer = strtoll(p->at, NULL, 10);
    if (end == p->at) {
        return fail(p, "a value is missing");
    }
    p->at = end;
    return true;
}

static bool read_value(parser *p, oribi_json_value *value)
{
    bool ok;
    skip_space(p);
    value->begin = p->at;
    if (++p->depth > MAX_DEPTH) {
        return fail(p, "too deep");
    }
    if (*p->at == '{' || *p->at == '[') {
        value->kind = *p->at == '{' ? ORIBI_JSON_OBJECT : ORIBI_JSON_ARRAY;
        const char close = *p->at == '{' ? '}' : ']';
        p->at++;
        ok = read_children(p, value, close);
    } else if (*p->at == '"') {
        p->at++;
        value->kind = ORIBI_JSON_STRING;
        ok = read_string(p, &value->text, &value->length);
    } else if (*p->at == '-' || (*p->at >= '0' && *p->at <= '9')) {
        ok = read_number(p, value);
    } else {
        ok = read_word(p, value);
    }
    p->depth--;
    value->end = p->at;
    return ok;
}

const oribi_json_value *oribi_json_read(const char *source, oribi_arena *arena, oribi_text *error)
{
    parser p = {.source = source, .at = source, .arena = arena, .error = error};
    oribi_json_value *value = oribi_arena_array(arena, 1, sizeof(*value));
    if (!value || !read_value(&p, value)) {
        return NULL;
    }
    skip_space(&p);
    if (*p.at) {
        fail(&p, "more than one value");
        return NULL;
    }
    return value;
}

const oribi_json_value *oribi_json_find(const oribi_json_value *object, const char *key)
{
    const oribi_json_value *member =
        object && object->kind == ORIBI_JSON_OBJECT ? object->child : NULL;
    while (member && strcmp(member->key, key) != 0) {
        member = member->next;
    }
    return member;
}
