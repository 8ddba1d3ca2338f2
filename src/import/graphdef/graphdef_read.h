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

#include "graph/graph.h"

/* A node of this op stands for an optional input that is absent. */
#define ORIBI_ABSENT_OP "Oribi>Absent"

typedef struct oribi_graphdef oribi_graphdef;

/* Holds what the caller knows already of nodes, by their names. Members may be NULL. */
typedef struct oribi_graphdef_known {
    void *arg;
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
/* Adds the nodes that "name" or "name:2" needs, those that are not there yet. After an error the
 * reader is good for nothing but to be closed, and the graph for nothing but to be destroyed. */
bool oribi_graphdef_fetch(oribi_graphdef *self, const char *name, oribi_value_id *out,
                          TF_Status *status);
void oribi_graphdef_close(oribi_graphdef *self); /* NULL ok; the graph stays */

#endif
