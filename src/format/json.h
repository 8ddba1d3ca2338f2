/* SPDX-License-Identifier: Apache-2.0 */
/* JSON out: a writer over oribi_text that owns commas, escapes and numbers. Errors are the text's
 * sticky flag. Not here: reading JSON (json_read.h); indentation.
 *
 *   oribi_json json = {.text = &text};
 *   oribi_json_open(&json, '{');
 *   oribi_json_key(&json, "name");
 *   oribi_json_string(&json, "x");
 *   oribi_json_close(&json, '}');
 */
#ifndef ORIBI_FORMAT_JSON_H_
#define ORIBI_FORMAT_JSON_H_

#include <stdint.h>

#include "base/text.h"

typedef struct oribi_json {
    oribi_text *text; /* appended to */
    bool comma;       /* the next value or key follows another one */
} oribi_json;

void oribi_json_open(oribi_json *json, char bracket);  /* '{' or '[' */
void oribi_json_close(oribi_json *json, char bracket); /* '}' or ']' */
void oribi_json_key(oribi_json *json, const char *key);

/* Bytes that are not UTF-8 become U+FFFD, one for each; controls are escaped, C1's too, of which
 * terminals take some for commands. NULL string: null. */
void oribi_json_string(oribi_json *json, const char *string);
void oribi_json_string_n(oribi_json *json, const char *bytes, size_t length);
void oribi_json_int(oribi_json *json, int64_t value);
void oribi_json_uint(oribi_json *json, uint64_t value);
/* Fewest digits that read back as the same double, whatever the locale; null when not finite. */
void oribi_json_double(oribi_json *json, double value);
void oribi_json_bool(oribi_json *json, bool value);
void oribi_json_null(oribi_json *json);
/* A value that is JSON already. */
void oribi_json_raw(oribi_json *json, const char *text, size_t length);

/* A key and its value. */
void oribi_json_put_string(oribi_json *json, const char *key, const char *string);
void oribi_json_put_int(oribi_json *json, const char *key, int64_t value);
void oribi_json_put_uint(oribi_json *json, const char *key, uint64_t value);
void oribi_json_put_bool(oribi_json *json, const char *key, bool value);

#endif
