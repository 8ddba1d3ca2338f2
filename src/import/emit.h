/* SPDX-License-Identifier: Apache-2.0 */
/* What importers share when they make nodes: attributes as data. How each makes a node is in
 * onnx_emit.h and tflite.h.
 */
#ifndef ORIBI_IMPORT_EMIT_H_
#define ORIBI_IMPORT_EMIT_H_

#include "graph/graph.h"

typedef struct oribi_emit_attr {
    const char *name;
    uint8_t kind;  /* TF_AttrType */
    int32_t count; /* of a list of ints or floats, else -1 */
    int64_t i;     /* INT, BOOL, TYPE */
    float f;
    const char *s;
    const int64_t *ints;
    const float *floats;
} oribi_emit_attr;

#define ATTR_INT(n, v)                                                                             \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_INT, .count = -1, .i = (v)                                    \
    }
#define ATTR_BOOL(n, v)                                                                            \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_BOOL, .count = -1, .i = (v)                                   \
    }
#define ATTR_TYPE(n, v)                                                                            \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_TYPE, .count = -1, .i = (int64_t)(v)                          \
    }
#define ATTR_FLOAT(n, v)                                                                           \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_FLOAT, .count = -1, .f = (v)                                  \
    }
#define ATTR_TEXT(n, v)                                                                            \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_STRING, .count = -1, .s = (v)                                 \
    }
#define ATTR_INTS(n, v, c)                                                                         \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_INT, .count = (c), .ints = (v)                                \
    }
#define ATTR_FLOATS(n, v, c)                                                                       \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_FLOAT, .count = (c), .floats = (v)                            \
    }
#define ATTRS(...)                                                                                 \
    (const oribi_emit_attr[]){__VA_ARGS__},                                                        \
        (int32_t)(sizeof((const oribi_emit_attr[]){__VA_ARGS__}) / sizeof(oribi_emit_attr))
#define NO_ATTRS NULL, 0
#define INPUTS(...)                                                                                \
    (const oribi_value_id[]){__VA_ARGS__},                                                         \
        (int32_t)(sizeof((const oribi_value_id[]){__VA_ARGS__}) / sizeof(oribi_value_id))

/* False: no memory. */
bool oribi_emit_set_attr(oribi_graph *graph, oribi_node *node, const oribi_emit_attr *attr);

/* A copy of file text that is fit for messages: NUL-terminated, control characters as '?'. */
const char *oribi_import_text(oribi_arena *arena, const oribi_string *string);

#endif
