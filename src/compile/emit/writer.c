/* SPDX-License-Identifier: Apache-2.0 */
/* The writer: lines, blocks, comments, initialisers. */
#include "compile/emit/writer.h"

#include "base/number.h"
#include "tensor/patience.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 4, COLUMNS = 100 };

static void indent(oribi_writer *writer)
{
    for (int32_t i = 0; i < writer->depth * INDENT; i++) {
        oribi_text_append_n(&writer->text, " ", 1);
    }
}

static void line(oribi_writer *writer, const char *format, va_list args)
{
    if (oribi_patience_is_over()) { /* oribi_files_add says so */
        writer->text.failed = true;
        return;
    }
    indent(writer);
    oribi_text_vprintf(&writer->text, format, args);
    oribi_text_append_n(&writer->text, "\n", 1);
}

void oribi_writer_blank(oribi_writer *writer)
{
    oribi_text_append_n(&writer->text, "\n", 1);
}

void oribi_writer_line(oribi_writer *writer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    line(writer, format, args);
    va_end(args);
}

void oribi_writer_open(oribi_writer *writer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    line(writer, format, args);
    va_end(args);
    writer->depth++;
}

void oribi_writer_close(oribi_writer *writer, const char *text)
{
    writer->depth--;
    oribi_writer_line(writer, "%s", text);
}

void oribi_writer_wrapped(oribi_writer *writer, const char *statement)
{
    const int32_t start = writer->depth * INDENT;
    int32_t column = start;
    indent(writer);
    for (const char *at = statement; *at != 0;) {
        const char *comma = strstr(at, ", ");
        const size_t length = comma != NULL ? (size_t)(comma - at) + 1 : strlen(at);
        if (column > start && column + 1 + (int32_t)length > COLUMNS) {
            oribi_text_append(&writer->text, "\n");
            indent(writer);
            oribi_text_append(&writer->text, "    ");
            column = start + INDENT;
        } else if (column > start) {
            oribi_text_append(&writer->text, " ");
            column++;
        }
        oribi_text_append_n(&writer->text, at, length);
        column += (int32_t)length;
        at += length;
        at += *at == ' ' ? 1 : 0;
    }
    oribi_text_append(&writer->text, "\n");
}

/* Words of a comment, with room for the marks at its ends. */
static void wrap(oribi_writer *writer, const char *text)
{
    int32_t column = writer->depth * INDENT + 2;
    indent(writer);
    oribi_text_append(&writer->text, "/*");
    for (const char *at = text; *at != 0;) {
        size_t length = strcspn(at, " ");
        if (column + 1 + (int32_t)length + 3 > COLUMNS && column > writer->depth * INDENT + 2) {
            oribi_text_append(&writer->text, "\n");
            indent(writer);
            oribi_text_append(&writer->text, " *");
            column = writer->depth * INDENT + 2;
        }
        oribi_text_append(&writer->text, " ");
        oribi_text_append_n(&writer->text, at, length);
        column += 1 + (int32_t)length;
        at += length;
        at += strspn(at, " ");
    }
    oribi_text_append(&writer->text, " */\n");
}

void oribi_writer_comment(oribi_writer *writer, const char *format, ...)
{
    oribi_text text = {0};
    va_list args;
    va_start(args, format);
    oribi_text_vprintf(&text, format, args);
    va_end(args);
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.data[i];
        const bool ends = i > 0 && c == '/' && text.data[i - 1] == '*';
        const bool opens = c == '*' && i > 0 && text.data[i - 1] == '/';
        if (c < ' ' || c > '~' || c == '\\' || ends || opens) {
            text.data[i] = c == '\n' ? ' ' : '_';
        }
    }
    writer->text.failed = writer->text.failed || text.failed;
    wrap(writer, oribi_text_string(&text));
    oribi_text_destroy(&text);
}

void oribi_writer_end(oribi_writer *writer, oribi_text *part)
{
    writer->text.failed = writer->text.failed || part->failed;
    oribi_text_destroy(part);
}

void oribi_writer_statement(oribi_writer *writer, oribi_text *statement)
{
    oribi_writer_wrapped(writer, oribi_text_string(statement));
    oribi_writer_end(writer, statement);
}

/* --- Elements -------------------------------------------------------------------------------- */

/* 17 digits tell each double from all others. */
static void append_double(oribi_text *text, double value)
{
    char digits[ORIBI_NUMBER_TEXT];
    if (isnan(value) || isinf(value)) {
        oribi_text_append(text, isnan(value) ? "(0.0 / 0.0)"
                                : value > 0  ? "(1.0 / 0.0)"
                                             : "(-1.0 / 0.0)");
        return;
    }
    oribi_number_print(value, 17, digits);
    oribi_text_append(text, digits);
    oribi_text_append(text, strpbrk(digits, ".e") == NULL ? ".0" : "");
}

static void append_element(oribi_text *text, int32_t kind, const char *data, int64_t i)
{
    int16_t s16;
    int32_t s32;
    int64_t s64;
    float f32;
    double f64;
    switch (kind) {
    case ORIBI_ELEMENT_S8:
        oribi_text_printf(text, "%d", (int)(int8_t)data[i]);
        return;
    case ORIBI_ELEMENT_U8:
        oribi_text_printf(text, "%d", (int)(uint8_t)data[i]);
        return;
    case ORIBI_ELEMENT_S16:
        memcpy(&s16, data + i * 2, sizeof s16);
        oribi_text_printf(text, "%d", (int)s16);
        return;
    case ORIBI_ELEMENT_S32:
        memcpy(&s32, data + i * 4, sizeof s32);
        if (s32 == INT32_MIN) { /* the positive number would not fit */
            oribi_text_append(text, "(-2147483647 - 1)");
        } else {
            oribi_text_printf(text, "%" PRId32, s32);
        }
        return;
    case ORIBI_ELEMENT_S64:
        memcpy(&s64, data + i * 8, sizeof s64);
        if (s64 == INT64_MIN) {
            oribi_text_append(text, "(-INT64_C(9223372036854775807) - 1)");
        } else {
            oribi_text_printf(text, "INT64_C(%" PRId64 ")", s64);
        }
        return;
    case ORIBI_ELEMENT_U32:
        memcpy(&s32, data + i * 4, sizeof s32);
        oribi_text_printf(text, "%" PRIu32 "U", (uint32_t)s32);
        return;
    case ORIBI_ELEMENT_U64:
        memcpy(&s64, data + i * 8, sizeof s64);
        oribi_text_printf(text, "UINT64_C(%" PRIu64 ")", (uint64_t)s64);
        return;
    case ORIBI_ELEMENT_F64:
        memcpy(&f64, data + i * 8, sizeof f64);
        append_double(text, f64);
        return;
    default:
        memcpy(&f32, data + i * 4, sizeof f32);
        oribi_writer_append_float(text, f32);
    }
}

void oribi_writer_elements(oribi_writer *writer, int32_t kind, const void *data, int64_t count)
{
    oribi_text *text = &writer->text;
    size_t start = text->length;
    oribi_text one = {0};
    indent(writer);
    for (int64_t i = 0; i < count && !text->failed; i++) {
        one.length = 0;
        append_element(&one, kind, data, i);
        if (text->length - start + one.length + 2 > COLUMNS) {
            text->length--; /* the space after the last comma */
            oribi_text_append(text, "\n");
            start = text->length;
            indent(writer);
        }
        oribi_text_append_n(text, oribi_text_string(&one), one.length);
        oribi_text_append(text, i + 1 < count ? ", " : "\n");
    }
    text->failed = text->failed || one.failed;
    oribi_text_destroy(&one);
}

void oribi_writer_append_float(oribi_text *text, float value)
{
    char shortest[ORIBI_NUMBER_TEXT];
    if (isnan(value) || isinf(value)) {
        oribi_text_append(text, isnan(value) ? "(0.0f / 0.0f)"
                                : value > 0  ? "(1.0f / 0.0f)"
                                             : "(-1.0f / 0.0f)");
        return;
    }
    for (int precision = 6; precision <= 9; precision++) {
        oribi_number_print((double)value, precision, shortest);
        const float back = oribi_number_parse_float(shortest, NULL);
        if (back >= value && back <= value) {
            break;
        }
    }
    oribi_text_append(text, shortest);
    oribi_text_append(text, strpbrk(shortest, ".e") == NULL ? ".0f" : "f");
}
