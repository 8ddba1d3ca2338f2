/* SPDX-License-Identifier: Apache-2.0 */
/* JSON in: a tree in an arena, for small texts (test cases, requests). Depth is limited. Not here:
 * writing (json.h). */
#ifndef ORIBI_BASE_JSON_READ_H_
#define ORIBI_BASE_JSON_READ_H_

#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

typedef enum oribi_json_kind {
    ORIBI_JSON_NULL,
    ORIBI_JSON_BOOL,
    ORIBI_JSON_NUMBER,
    ORIBI_JSON_STRING,
    ORIBI_JSON_ARRAY,
    ORIBI_JSON_OBJECT
} oribi_json_kind;

typedef struct oribi_json_value {
    oribi_json_kind kind;
    const char *key;  /* of a member, else NULL */
    const char *text; /* of a string */
    size_t length;
    double number; /* bools: 0 or 1 */
    int64_t integer;
    int32_t count; /* of children */
    const struct oribi_json_value *child, *next;
    const char *begin, *end; /* its place in the source */
} oribi_json_value;

/* NULL: malformed or no memory, *error (not NULL) says what and at which byte. */
const oribi_json_value *oribi_json_read(const char *source, oribi_arena *arena, oribi_text *error);
/* Member of an object; NULL: none, or no object. */
const oribi_json_value *oribi_json_find(const oribi_json_value *object, const char *key);

#endif
