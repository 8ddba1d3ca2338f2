/* SPDX-License-Identifier: Apache-2.0 */
/* What importers share: attributes as data, making nodes of them, the frame of an import. What each
 * adds is in onnx_emit.h and tflite.h.
 */
#ifndef ORIBI_IMPORT_EMIT_H_
#define ORIBI_IMPORT_EMIT_H_

#include "graph/graph.h"
#include "import/import.h"

typedef struct oribi_emit_attr {
    const char *name;
    uint8_t kind;  /* TF_AttrType */
    int32_t count; /* of a list, else -1 */
    int64_t i;     /* INT, BOOL, TYPE */
    float f;
    const char *s;
    const int64_t *ints;
    const uint8_t *bools;
    const float *floats;
    const TF_DataType *types;
    const oribi_shape *shapes;
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
#define ATTR_BOOLS(n, v, c)                                                                        \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_BOOL, .count = (c), .bools = (v)                              \
    }
#define ATTR_FLOATS(n, v, c)                                                                       \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_FLOAT, .count = (c), .floats = (v)                            \
    }
#define ATTR_TYPES(n, v, c)                                                                        \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_TYPE, .count = (c), .types = (v)                              \
    }
#define ATTR_SHAPES(n, v, c)                                                                       \
    {                                                                                              \
        .name = (n), .kind = TF_ATTR_SHAPE, .count = (c), .shapes = (v)                            \
    }
#define ATTRS(...)                                                                                 \
    (const oribi_emit_attr[]){__VA_ARGS__},                                                        \
        (int32_t)(sizeof((const oribi_emit_attr[]){__VA_ARGS__}) / sizeof(oribi_emit_attr))
#define NO_ATTRS NULL, 0
#define INPUTS(...)                                                                                \
    (const oribi_value_id[]){__VA_ARGS__},                                                         \
        (int32_t)(sizeof((const oribi_value_id[]){__VA_ARGS__}) / sizeof(oribi_value_id))

/* The node or operator of a file that is being translated. */
typedef struct oribi_emit_from {
    oribi_graph *graph;
    const char *label, *origin; /* name of the nodes; what messages begin with */
    TF_Status *status;
    bool *failed;       /* the first failure is the one that is told */
    bool *wants_shapes; /* and it was for no other reason */
    bool *unfit;        /* it was of shapes that do not fit; may be NULL */
} oribi_emit_from;

/* Fails with "<origin>: ..." unless that has happened; returns false. */
bool oribi_emit_fail(const oribi_emit_from *from, TF_Code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool oribi_emit_no_memory(const oribi_emit_from *from);
/* The same for what would be translated if shapes were known: UNIMPLEMENTED, *wants_shapes. */
bool oribi_emit_want_shapes(const oribi_emit_from *from, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A resolved node; `last` is one more attribute, or NULL. NULL: failed. */
oribi_node *oribi_emit_make(const oribi_emit_from *from, const char *op,
                            const oribi_value_id *inputs, int32_t n_inputs,
                            const oribi_emit_attr *attrs, int32_t n_attrs,
                            const oribi_emit_attr *last, int32_t n_outputs);
bool oribi_emit_resolve(const oribi_emit_from *from, oribi_node *node);
/* Values are of rank ORIBI_MAX_RANK at most; only ops of plugins, of which importers know nothing,
 * may go beyond. */
bool oribi_emit_check_ranks(const oribi_emit_from *from, const oribi_node *node);

/* A condition of one element that is constant or follows from integers that are known, as shapes
 * may be (truth.c); false, and out untouched, when it does not. */
bool oribi_import_truth(const oribi_graph *graph, oribi_value_id value, bool *out);

/* What both shapes say. */
bool oribi_import_join_shape(oribi_arena *arena, const oribi_shape *a, const oribi_shape *b,
                             oribi_shape *out);

/* An empty graph with the names and limits of this import. NULL: no memory. */
oribi_graph *oribi_import_begin(const char *source_name, const char *source_kind,
                                const oribi_import_options *options, TF_Status *status);
/* The graph if the file was read; else destroys it, names the source in the message, and is NULL.
 */
oribi_graph *oribi_import_end(oribi_graph *graph, bool is_read, const char *source_name,
                              TF_Status *status);

/* The shape that the options give to an input, of several the first; NULL: none. */
const oribi_input_shape *oribi_import_shape_of(const oribi_import_options *options,
                                               const char *input);
/* Gives the inputs the shapes of the options, once all inputs are there and no node is. False:
 * there is no such input, or the shape contradicts the file. */
bool oribi_import_fix_inputs(oribi_graph *graph, const oribi_import_options *options,
                             TF_Status *status);

/* Are sizes of inputs unknown, so that nodes which want shapes may be translated when there are
 * some? */
bool oribi_import_may_be_open(const oribi_graph *graph, const oribi_import_options *options);
/* Removes all nodes: the inputs stay, and outputs are added that nothing makes. */
void oribi_import_leave_open(oribi_graph *graph);

/* A copy of file text that is fit for messages: NUL-terminated, control characters as '?'. */
const char *oribi_import_text(oribi_arena *arena, const oribi_string *string);

#endif
