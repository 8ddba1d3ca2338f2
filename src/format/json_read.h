/* SPDX-License-Identifier: Apache-2.0 */
/* JSON in: a tree in the caller's arena, for reports, test cases and requests. Strict: what RFC
 * 8259 does not allow is an error, text that is not UTF-8 and half a surrogate pair too. Depth is
 * limited. Not here: writing (json.h).
 */
#ifndef ORIBI_FORMAT_JSON_READ_H_
#define ORIBI_FORMAT_JSON_READ_H_

#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

enum { ORIBI_JSON_MAX_DEPTH = 64 };

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
    const char *text; /* of a string: UTF-8 and a NUL; it may hold others */
    size_t length;
    double number;   /* bools: 0 or 1 */
    int64_t integer; /* the number without its fraction; the nearest one where it does not fit */
    int32_t count;   /* of children */
    const struct oribi_json_value *child, *next;
    const char *begin, *end; /* its place in the source */
} oribi_json_value;

/* One value and nothing behind it. The source must outlive the tree for begin and end alone.
 * NULL: malformed or no memory, *error (not NULL) says what and at which byte. */
const oribi_json_value *oribi_json_read(const char *source, size_t bytes, oribi_arena *arena,
                                        oribi_text *error);
/* The first member of that name; NULL: none, or no object. */
const oribi_json_value *oribi_json_find(const oribi_json_value *object, const char *key);

#endif
