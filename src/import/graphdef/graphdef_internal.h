/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of GraphDef messages holds, and whom an input names. */
#ifndef ORIBI_IMPORT_GRAPHDEF_INTERNAL_H_
#define ORIBI_IMPORT_GRAPHDEF_INTERNAL_H_

#include "import/graphdef/graphdef_read.h"

/* An output whose value the caller gives. */
typedef struct oribi_graphdef_fed {
    int32_t port;
    oribi_value_id value;
    const struct oribi_graphdef_fed *next; /* of the same node */
} oribi_graphdef_fed;

typedef struct oribi_graphdef_def {
    oribi_string name, op, device;
    oribi_wire message;
    const oribi_string *inputs;
    int32_t n_inputs, next_input; /* the latter while OPEN */
    int32_t n_outputs;
    const oribi_value_id *outputs; /* {-1}: the absent input */
    const oribi_graphdef_fed *fed;
    uint8_t mark;
    bool is_whole;
} oribi_graphdef_def;

struct oribi_graphdef {
    oribi_graph *graph;
    oribi_graphdef_known known;
    oribi_arena scratch;
    oribi_graphdef_def *nodes;
    int32_t n_nodes;
    oribi_map by_name; /* oribi_graphdef_def */
    oribi_map fed;     /* oribi_value_id, in the scratch arena */
};

/* What an input names: "name", "name:2", "^name", in functions "name:argument:2". */
typedef struct oribi_graphdef_reference {
    oribi_graphdef_def *node; /* NULL: there is none of that name */
    oribi_string name;
    oribi_string argument; /* of the node's op; empty: the port counts over all */
    int32_t port;
    bool is_control;
} oribi_graphdef_reference;

static inline bool oribi_graphdef_is_control(oribi_string text)
{
    return text.length > 0 && text.data[0] == '^';
}

void oribi_graphdef_split(const oribi_graphdef *self, oribi_string text,
                          oribi_graphdef_reference *out);
/* False with the status set: there is no such node. */
bool oribi_graphdef_find_reference(const oribi_graphdef *self, oribi_string text,
                                   oribi_graphdef_reference *out, TF_Status *status);
/* NULL: its value is the node's. */
const oribi_graphdef_fed *oribi_graphdef_fed_of(const oribi_graphdef_reference *from);
/* Finds an output of a node that is made. False: it has no such output. */
bool oribi_graphdef_output_of(const oribi_graphdef *self, const oribi_graphdef_reference *from,
                              oribi_value_id *out, TF_Status *status);

#endif
