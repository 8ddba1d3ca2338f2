/* SPDX-License-Identifier: Apache-2.0 */
/* JSON out. One flag is state enough: a comma is due exactly after a value that has a neighbour. */
#include "format/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "format/utf8.h"

static void begin_value(oribi_json *json)
{
    if (json->comma) {
        oribi_text_append_n(json->text, ",", 1);
    }
    json->comma = true;
}

void oribi_json_open(oribi_json *json, char bracket)
{
    begin_value(json);
    oribi_text_append_n(json->text, &bracket, 1);
    json->comma = false;
}

void oribi_json_close(oribi_json *json, char bracket)
{
    oribi_text_append_n(json->text, &bracket, 1);
    json->comma = true;
}

void oribi_json_key(oribi_json *json, const char *key)
{
    oribi_json_string(json, key);
    oribi_text_append_n(json->text, ":", 1);
    json->comma = false;
}

static void append_control(oribi_text *text, unsigned char c)
{
    static const char letters[] = "btn?fr"; /* 8 to 13; 11 has no letter */
    if (c >= 8 && c <= 13 && c != 11) {
        oribi_text_printf(text, "\\%c", letters[c - 8]);
    } else {
        oribi_text_printf(text, "\\u%04x", c);
    }
}

void oribi_json_string_n(oribi_json *json, const char *bytes, size_t length)
{
    begin_value(json);
    oribi_text_append_n(json->text, "\"", 1);
    for (size_t i = 0; i < length;) {
        const char *at = bytes + i;
        size_t taken = oribi_utf8_bytes(at, length - i);
        if (taken == 0) {
            oribi_text_append(json->text, "\xef\xbf\xbd");
            taken = 1;
        } else if (*at == '"' || *at == '\\') {
            oribi_text_printf(json->text, "\\%c", *at);
        } else if (oribi_utf8_is_control(at, taken)) { /* C1's last byte is its number */
            append_control(json->text, (unsigned char)at[taken - 1]);
        } else {
            oribi_text_append_n(json->text, at, taken);
        }
        i += taken;
    }
    oribi_text_append_n(json->text, "\"", 1);
}

void oribi_json_string(oribi_json *json, const char *string)
{
    if (string == NULL) {
        oribi_json_null(json);
    } else {
        oribi_json_string_n(json, string, strlen(string));
    }
}

void oribi_json_int(oribi_json *json, int64_t value)
{
    begin_value(json);
    oribi_text_printf(json->text, "%" PRId64, value);
}

void oribi_json_uint(oribi_json *json, uint64_t value)
{
    begin_value(json);
    oribi_text_printf(json->text, "%" PRIu64, value);
}

void oribi_json_double(oribi_json *json, double value)
{
    char digits[ORIBI_NUMBER_TEXT];
    if (!isfinite(value)) {
        oribi_json_null(json);
        return;
    }
    for (int precision = 1; precision <= 17; precision++) {
        oribi_number_print(value, precision, digits);
        if (oribi_number_parse(digits, NULL) == value) {
            break;
        }
    }
    begin_value(json);
    oribi_text_append(json->text, digits);
}

void oribi_json_bool(oribi_json *json, bool value)
{
    begin_value(json);
    oribi_text_append(json->text, value ? "true" : "false");
}

void oribi_json_null(oribi_json *json)
{
    begin_value(json);
    oribi_text_append(json->text, "null");
}

void oribi_json_raw(oribi_json *json, const char *text, size_t length)
{
    begin_value(json);
    oribi_text_append_n(json->text, text, length);
}

void oribi_json_put_string(oribi_json *json, const char *key, const char *string)
{
    oribi_json_key(json, key);
    oribi_json_string(json, string);
}

void oribi_json_put_int(oribi_json *json, const char *key, int64_t value)
{
    oribi_json_key(json, key);
    oribi_json_int(json, value);
}

void oribi_json_put_uint(oribi_json *json, const char *key, uint64_t value)
{
    oribi_json_key(json, key);
    oribi_json_uint(json, value);
}

void oribi_json_put_bool(oribi_json *json, const char *key, bool value)
{
    oribi_json_key(json, key);
    oribi_json_bool(json, value);
}
