/* SPDX-License-Identifier: Apache-2.0 */
/* Reads GraphDef messages into graphs. Nodes are made from the outputs back: what no fetch needs is
 * left out. Whoever reads says what the inputs are and what is wanted:
 *
 *   oribi_graphdef *def = oribi_graphdef_open(graph, data, bytes, NULL, status);
 *   if (def != NULL && oribi_graphdef_feed(def, "x", input, status) &&
 *       oribi_graphdef_fetch(def, "conv1:0", &output, status)) { ... }
 *   oribi_graphdef_close(def);
 *
 * Source   graph.proto, node_def.proto, attr_value.proto, tensor.proto.
 */
#ifndef ORIBI_IMPORT_GRAPHDEF_READ_H_
#define ORIBI_IMPORT_GRAPHDEF_READ_H_

#include "format/wire.h"
#include "graph/graph.h"

/* A node of this op stands for an optional input that is absent. */
#define ORIBI_ABSENT_OP "Oribi>Absent"

typedef struct oribi_graphdef oribi_graphdef;

/* A node of the message as it stands there. */
typedef struct oribi_graphdef_seen {
    oribi_string name, op;
    oribi_wire message;
    const oribi_string *inputs; /* with control inputs */
    int32_t n_inputs;
} oribi_graphdef_seen;
/* A node that is about to be made. Values of -2 and below are the maker's own, of what is no
 * tensor: a variable, a table. */
typedef struct oribi_graphdef_node {
    const char *name, *op; /* NUL-terminated, in the graph's arena; the name with the prefix */
    const oribi_value_id *inputs;
    int32_t n_inputs; /* without control inputs */
    oribi_wire message;
    oribi_string short_name; /* as the file has it */
} oribi_graphdef_node;

/* Holds what the caller knows already of nodes, by their names. Members may be NULL. */
typedef struct oribi_graphdef_known {
    void *arg;
    const char *prefix;  /* of the names of nodes in the graph */
    bool is_function;    /* the message is a FunctionDef: inputs are those of its signature */
    bool skips_controls; /* control inputs say nothing; otherwise some are refused */
    /* The op under the name that it has today; itself, if there is no other. */
    oribi_string (*spelling)(oribi_string op);
    /* Of an op that `make` makes though nothing registers it: which output the argument is. */
    int32_t (*argument)(void *arg, oribi_string op, oribi_string argument);
    /* Is it a node that `make` makes by itself, without its inputs? */
    bool (*is_whole)(void *arg, const oribi_graphdef_seen *node);
    /* Makes a node in another way than by its op: fills out_values, which has room for max_values,
     * and tells how many outputs there are; -1: it does not, or the status is set. */
    int32_t (*make)(void *arg, const oribi_graphdef_node *node, oribi_value_id *out_values,
                    int32_t max_values, TF_Status *status);
    /* A value of the graph that stands for this constant; -1, and the status untouched: none. */
    oribi_value_id (*constant)(void *arg, const char *name, TF_Tensor *tensor, TF_Status *status);
    /* A node was made, its op's shapes inferred, nothing reads it yet: what is known besides.
     * False: status set. */
    bool (*made)(void *arg, oribi_node *node, TF_Status *status);
} oribi_graphdef_known;

/* Reads the names of all nodes; the bytes need not be trusted. They and the graph must outlive the
 * reader. NULL: status set. Errors name the node. */
oribi_graphdef *oribi_graphdef_open(oribi_graph *graph, const uint8_t *data, size_t bytes,
                                    const oribi_graphdef_known *known, TF_Status *status);
/* The Placeholder of that name is this value of the graph. It need not be in the message. */
bool oribi_graphdef_feed(oribi_graphdef *self, const char *name, oribi_value_id value,
                         TF_Status *status);
/* Output "name:2" is this value, whoever asks for it; its node is made for the other ones alone.
 * False, the status set: there is no such node, or no memory. */
bool oribi_graphdef_feed_output(oribi_graphdef *self, const char *reference, oribi_value_id value,
                                TF_Status *status);
/* A node's outputs are these, whatever it is. False, the status set: there is no such node. */
bool oribi_graphdef_feed_node(oribi_graphdef *self, oribi_string name, const oribi_value_id *values,
                              int32_t n, TF_Status *status);
int32_t oribi_graphdef_count(const oribi_graphdef *self);
void oribi_graphdef_at(const oribi_graphdef *self, int32_t i, oribi_graphdef_seen *out);
/* The node that "name:2" names, and which output. False: there is none. */
bool oribi_graphdef_at_reference(const oribi_graphdef *self, oribi_string reference,
                                 oribi_graphdef_seen *out, int32_t *out_port);
/* The node that "name:2" names, and which output; Identity nodes are looked through. False: there
 * is none, as of an input of a function, of which out->name is the name. */
bool oribi_graphdef_look(const oribi_graphdef *self, oribi_string reference,
                         oribi_graphdef_seen *out, int32_t *out_port);
/* Adds the nodes that "name" or "name:2" needs, those that are not there yet. After an error the
 * reader is good for nothing but to be closed, and the graph for nothing but to be destroyed. */
bool oribi_graphdef_fetch(oribi_graphdef *self, const char *name, oribi_value_id *out,
                          TF_Status *status);
void oribi_graphdef_close(oribi_graphdef *self); /* NULL ok; the graph stays */

#endif
