/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf's text format: see text_format.h. */
#include "c_api/text_format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "c_api/text_schema.h"
#include "format/proto.h"
#include "tensor/status.h"

static uint8_t wire_type(const oribi_text_field *field)
{
    return field->kind == ORIBI_FIELD_FLOAT    ? ORIBI_WIRE_32
           : field->kind == ORIBI_FIELD_DOUBLE ? ORIBI_WIRE_64
                                               : ORIBI_WIRE_VARINT;
}

/* --- Reading ---------------------------------------------------------------------------------- */

typedef struct parser {
    const char *at, *end, *begin;
    int32_t depth;
    TF_Status *status;
} parser;

static bool bad(parser *p, const char *what)
{
    int line = 1;
    for (const char *c = p->begin; c < p->at; c++) {
        line += *c == '\n';
    }
    return oribi_fail(p->status, TF_INVALID_ARGUMENT, "line %d: %s", line, what);
}

static char peek(parser *p)
{
    while (p->at < p->end && (strchr(" \t\r\n,;", *p->at) != NULL || *p->at == '#')) {
        if (*p->at == '#') {
            const char *next = memchr(p->at, '\n', (size_t)(p->end - p->at));
            p->at = next != NULL ? next : p->end;
        } else {
            p->at++;
        }
    }
    return p->at < p->end ? *p->at : '\0';
}

static bool take(parser *p, char c)
{
    const bool is_there = peek(p) == c;
    p->at += is_there;
    return is_there;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '+' || c == '-';
}

static oribi_string read_word(parser *p)
{
    peek(p);
    const char *begin = p->at;
    while (p->at < p->end && is_word(*p->at)) {
        p->at++;
    }
    return (oribi_string){begin, (size_t)(p->at - begin)};
}

static void read_escape(parser *p, oribi_text *out)
{
    static const char names[] = "abfnrtv", codes[] = "\a\b\f\n\r\t\v";
    const char c = p->at < p->end ? *p->at++ : '\\';
    const char *known = c != '\0' ? strchr(names, c) : NULL;
    char made = known != NULL ? codes[known - names] : c;
    const int base = c == 'x' || c == 'X' ? 16 : c >= '0' && c <= '7' ? 8 : 0;
    if (base != 0) {
        char digits[4] = {0};
        int n = 0;
        p->at -= base == 8;
        while (n < (base == 8 ? 3 : 2) && p->at < p->end &&
               strchr(base == 8 ? "01234567" : "0123456789abcdefABCDEF", *p->at) != NULL &&
               *p->at != '\0') {
            digits[n++] = *p->at++;
        }
        made = (char)strtol(digits, NULL, base);
    }
    oribi_text_append_n(out, &made, 1);
}

/* Texts that follow each other are one. */
static bool read_text(parser *p, oribi_text *out)
{
    for (char quote = peek(p); quote == '"' || quote == '\''; quote = peek(p)) {
        p->at++;
        while (p->at < p->end && *p->at != quote && *p->at != '\n') {
            if (*p->at == '\\') {
                p->at++;
                read_escape(p, out);
            } else {
                oribi_text_append_n(out, p->at++, 1);
            }
        }
        if (p->at == p->end || *p->at++ != quote) {
            return bad(p, "a text has no end");
        }
    }
    return true;
}

/* "<<END", lines, "END": TensorFlow's own way to write texts of several lines. */
static bool read_lines(parser *p, oribi_text *out)
{
    p->at += 2;
    const oribi_string mark = read_word(p);
    const char *line = p->at < p->end ? memchr(p->at, '\n', (size_t)(p->end - p->at)) : NULL;
    for (bool is_first = true; line != NULL && mark.length > 0; is_first = false) {
        line++;
        const size_t left = (size_t)(p->end - line);
        if (left >= mark.length && memcmp(line, mark.data, mark.length) == 0) {
            p->at = line + mark.length;
            return true;
        }
        const char *next = memchr(line, '\n', left);
        oribi_text_append_n(out, "\n", !is_first);
        oribi_text_append_n(out, line, next != NULL ? (size_t)(next - line) : left);
        line = next;
    }
    return bad(p, "a text of several lines has no end");
}

static bool read_number(parser *p, uint8_t kind, oribi_string word, double *out_real, int64_t *out)
{
    char text[64] = {0}, *end = text;
    if (word.length == 0 || word.length >= sizeof text) {
        return bad(p, "a number is expected");
    }
    memcpy(text, word.data, word.length);
    if (kind == ORIBI_FIELD_FLOAT || kind == ORIBI_FIELD_DOUBLE) {
        *out_real = oribi_number_parse(text, &end);
        end += *end == 'f';
    } else if (kind == ORIBI_FIELD_BOOL && (strcmp(text, "true") == 0 || strcmp(text, "t") == 0)) {
        *out = 1;
        return true;
    } else if (kind == ORIBI_FIELD_BOOL && (strcmp(text, "false") == 0 || strcmp(text, "f") == 0)) {
        *out = 0;
        return true;
    } else {
        errno = 0;
        *out = strtoll(text, &end, 0);
        if (errno == ERANGE) {
            *out = (int64_t)strtoull(text, &end, 0);
        }
    }
    return (end != text && *end == '\0') || bad(p, "a number is expected");
}

/* Its bytes, bare. */
static bool put_number(parser *p, const oribi_text_field *field, oribi_text *out)
{
    const oribi_string word = read_word(p);
    double real = 0;
    int64_t number = 0;
    uint64_t bits;
    if (field->kind != ORIBI_FIELD_ENUM || !oribi_text_number_of(field->message, word, &number)) {
        ORIBI_TRY(read_number(p, field->kind, word, &real, &number));
    }
    if (field->kind == ORIBI_FIELD_FLOAT) {
        oribi_proto_float_bits(out, (float)real);
    } else if (field->kind == ORIBI_FIELD_DOUBLE) {
        memcpy(&bits, &real, sizeof bits);
        for (int i = 0; i < 64; i += 8) {
            oribi_text_append_n(out, &(char){(char)(bits >> i)}, 1);
        }
    } else {
        oribi_proto_varint(out, (uint64_t)number);
    }
    return true;
}

static bool read_number_field(parser *p, const oribi_text_field *field, oribi_text *out)
{
    oribi_proto_varint(out, (uint64_t)field->number << 3 | wire_type(field));
    return put_number(p, field, out);
}

static bool read_message(parser *p, int message, char close, oribi_text *out);

/* A text is its bytes, a message its fields, a number as it stands. */
static bool read_value(parser *p, const oribi_text_field *field, oribi_text *out)
{
    oribi_text inner = {0};
    if (field->kind == ORIBI_FIELD_TEXT) {
        const char c = peek(p);
        const bool is_lines = c == '<' && p->at + 1 < p->end && p->at[1] == '<';
        bool ok = is_lines                ? read_lines(p, &inner)
                  : c == '"' || c == '\'' ? read_text(p, &inner)
                                          : bad(p, "a text is expected");
        oribi_proto_bytes(out, field->number, oribi_text_string(&inner), inner.length);
        ok = (!inner.failed || oribi_fail_memory(p->status)) && ok;
        oribi_text_destroy(&inner);
        return ok;
    }
    if (field->kind == ORIBI_FIELD_MESSAGE) {
        const char open = peek(p);
        if (open != '{' && open != '<') {
            return bad(p, "a message is expected");
        }
        p->at++;
        const bool ok = read_message(p, field->message, open == '{' ? '}' : '>', &inner);
        oribi_proto_message(out, field->number, &inner);
        return ok;
    }
    return read_number_field(p, field, out);
}

/* Packed fields go to a text of their own each. */
static bool read_fields(parser *p, int message, char close, oribi_text *out, oribi_text *packed)
{
    while (peek(p) != close) {
        const oribi_string name = read_word(p);
        const oribi_text_field *field = oribi_text_field_of(message, name);
        if (field == NULL) {
            return bad(p, p->at == p->end ? "a message has no end" : "no field has this name");
        }
        if (!take(p, ':') && field->kind != ORIBI_FIELD_MESSAGE) {
            return bad(p, "':' is expected");
        }
        const bool is_packed = field->form == ORIBI_FORM_PACKED, is_list = take(p, '[');
        for (bool is_first = true; is_list ? !take(p, ']') : is_first; is_first = false) {
            ORIBI_TRY(is_packed ? put_number(p, field, &packed[field->number])
                                : read_value(p, field, out));
        }
    }
    p->at += close != '\0';
    return true;
}

static bool read_message(parser *p, int message, char close, oribi_text *out)
{
    oribi_text packed[ORIBI_MOST_PACKED] = {{0}};
    if (++p->depth > ORIBI_WIRE_MAX_DEPTH) {
        return bad(p, "messages are nested too deep");
    }
    const bool ok = read_fields(p, message, close, out, packed);
    for (unsigned i = 0; i < ORIBI_MOST_PACKED; i++) {
        if (packed[i].length > 0) {
            oribi_proto_message(out, i, &packed[i]);
        }
    }
    p->depth--;
    return ok;
}

bool oribi_text_format_read(int message, oribi_string text, oribi_text *out, TF_Status *status)
{
    parser p = {text.data, text.data + text.length, text.data, 0, status};
    ORIBI_TRY(read_message(&p, message, '\0', out));
    return !out->failed || oribi_fail_memory(status);
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void write_text(oribi_text *out, const uint8_t *data, size_t bytes)
{
    static const char names[] = "nrt\"'\\", codes[] = "\n\r\t\"'\\";
    oribi_text_append(out, "\"");
    for (size_t i = 0; i < bytes; i++) {
        const char *known = data[i] != 0 ? strchr(codes, data[i]) : NULL;
        if (known != NULL) {
            oribi_text_printf(out, "\\%c", names[known - codes]);
        } else {
            oribi_text_printf(out, data[i] < 32 || data[i] > 126 ? "\\%03o" : "%c", data[i]);
        }
    }
    oribi_text_append(out, "\"");
}

/* As few digits as give the same number: 6 or 9 of a float, 15 or 17 of a double. */
static void write_real(oribi_text *out, double value, bool is_float)
{
    char text[ORIBI_NUMBER_TEXT];
    if (isnan(value) || isinf(value)) {
        oribi_text_append(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    oribi_number_print(value, is_float ? 6 : 15, text);
    const double back = oribi_number_parse(text, NULL);
    if (is_float ? (float)back != (float)value : back != value) {
        oribi_number_print(value, is_float ? 9 : 17, text);
    }
    oribi_text_append(out, text);
}

static void write_number(const oribi_text_field *field, uint64_t bits, oribi_text *out)
{
    const uint32_t low = (uint32_t)bits;
    oribi_string name;
    float single;
    double real;
    switch (field->kind) {
    case ORIBI_FIELD_FLOAT:
        memcpy(&single, &low, sizeof single);
        write_real(out, (double)single, true);
        break;
    case ORIBI_FIELD_DOUBLE:
        memcpy(&real, &bits, sizeof real);
        write_real(out, real, false);
        break;
    case ORIBI_FIELD_BOOL:
        oribi_text_append(out, bits != 0 ? "true" : "false");
        break;
    case ORIBI_FIELD_ENUM:
        if (oribi_text_name_of(field->message, (int64_t)bits, &name)) {
            oribi_text_append_n(out, name.data, name.length);
        } else {
            oribi_text_printf(out, "%lld", (long long)bits);
        }
        break;
    default:
        oribi_text_printf(out, "%lld", (long long)bits);
    }
}

static void write_message(int message, oribi_wire wire, oribi_text *out, TF_Status *status);

static void write_field(const oribi_text_field *field, const oribi_wire *wire,
                        const oribi_wire_field *part, oribi_text *out, TF_Status *status)
{
    const uint8_t type = wire_type(field);
    const int margin = 2 * wire->depth;
    oribi_wire inner;
    size_t position = 0;
    uint64_t bits;
    if (field->kind == ORIBI_FIELD_TEXT && part->type == ORIBI_WIRE_BYTES) {
        oribi_text_printf(out, "%*s%s: ", margin, "", field->name);
        write_text(out, part->data, part->bytes);
        oribi_text_append(out, "\n");
    } else if (field->kind == ORIBI_FIELD_MESSAGE && oribi_wire_enter(wire, part, &inner, status)) {
        oribi_text_printf(out, "%*s%s {\n", margin, "", field->name);
        write_message(field->message, inner, out, status);
        oribi_text_printf(out, "%*s}\n", margin, "");
    } else if (field->kind > ORIBI_FIELD_MESSAGE) {
        while (oribi_wire_element(wire, part, type, &position, &bits, status)) {
            oribi_text_printf(out, "%*s%s: ", margin, "", field->name);
            write_number(field, bits, out);
            oribi_text_append(out, "\n");
        }
    }
}

/* The key of an entry of a map: its first field. */
static oribi_string key_of(const oribi_wire *wire, const oribi_wire_field *part, TF_Status *status)
{
    oribi_wire entry;
    oribi_wire_field field;
    if (oribi_wire_enter(wire, part, &entry, status) && oribi_wire_next(&entry, &field, status) &&
        field.number == 1 && field.type == ORIBI_WIRE_BYTES) {
        return (oribi_string){(const char *)field.data, field.bytes};
    }
    return (oribi_string){"", 0};
}

static int compare(oribi_string a, oribi_string b)
{
    const int order = memcmp(a.data, b.data, a.length < b.length ? a.length : b.length);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

/* The entry whose key is next behind `last`; NULL: the first of all. False: there is none. */
static bool next_entry(oribi_wire wire, uint32_t number, const oribi_string *last,
                       oribi_wire_field *out, oribi_string *out_key, TF_Status *status)
{
    oribi_wire_field part;
    bool is_found = false;
    const oribi_wire whole = wire;
    while (oribi_wire_next(&wire, &part, status)) {
        const oribi_string key =
            part.number == number ? key_of(&whole, &part, status) : (oribi_string){"", 0};
        if (part.number == number && (last == NULL || compare(key, *last) > 0) &&
            (!is_found || compare(key, *out_key) < 0)) {
            *out = part;
            *out_key = key;
            is_found = true;
        }
    }
    return is_found && oribi_ok(status);
}

static void write_message(int message, oribi_wire wire, oribi_text *out, TF_Status *status)
{
    for (const oribi_text_field *field = oribi_text_fields_of(message);
         field != NULL && field->in == message; field++) {
        oribi_wire rest = wire;
        oribi_wire_field part;
        oribi_string keys[2];
        bool is_later = false;
        while (
            field->form == ORIBI_FORM_MAP &&
            next_entry(wire, field->number, is_later ? &keys[0] : NULL, &part, &keys[1], status)) {
            write_field(field, &wire, &part, out, status);
            keys[0] = keys[1];
            is_later = true;
        }
        while (field->form != ORIBI_FORM_MAP && oribi_wire_next(&rest, &part, status)) {
            if (part.number == field->number) {
                write_field(field, &wire, &part, out, status);
            }
        }
    }
}

void oribi_text_format_write(int message, oribi_wire wire, oribi_text *out)
{
    TF_Status *status = TF_NewStatus();
    if (status != NULL) {
        write_message(message, wire, out, status);
    }
    TF_DeleteStatus(status);
}
