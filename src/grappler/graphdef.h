/* SPDX-License-Identifier: Apache-2.0 */
/* A graph as TensorFlow's GraphDef message, and what comes back: what graph optimisers of plugins
 * take and give. Inputs are Placeholder nodes, constants Const nodes; an absent optional input
 * refers to a node of the op `Oribi>Absent`. Not here: reading the message (src/import/graphdef).
 * Source   graph.proto, node_def.proto, attr_value.proto, tensor.proto.
 */
#ifndef ORIBI_GRAPPLER_GRAPHDEF_H_
#define ORIBI_GRAPPLER_GRAPHDEF_H_

#include "graph/graph.h"
#include "tensorflow/c/tf_buffer.h"

/* How a graph's nodes and values are called in its GraphDef. Arrays by id; NULL: not in it. */
typedef struct oribi_graphdef_names {
    oribi_arena arena;
    const char **nodes;  /* "conv1" */
    const char **values; /* "conv1", "split:1" */
    const char **places; /* of nodes: "/job:localhost/replica:0/task:0/device:CPU:0" */
    const char *absent;  /* the node of ORIBI_ABSENT_OP, or NULL */
} oribi_graphdef_names;

/* The graph is sorted and its kernels are chosen. `standard` is the device of nodes that ask for
 * none ("GPU:1"), NULL: the CPU. Two calls give the same names. */
bool oribi_graphdef_name(const oribi_graph *graph, const char *standard,
                         oribi_graphdef_names *out_names, TF_Status *status);
void oribi_graphdef_names_destroy(oribi_graphdef_names *names);

/* NULL: no memory, or more than the 2 GiB that a message may have. The caller deletes it. Whoever
 * keeps constants elsewhere gets them as Placeholders, all but strings. */
TF_Buffer *oribi_graphdef_write(oribi_graph *graph, const oribi_graphdef_names *names,
                                bool constants_apart, TF_Status *status);

/* A graph with the inputs, outputs and states of `like`, found by their names, from bytes that need
 * not be trusted. Constants that did not change share their memory with those of `like`; a shape
 * that an op of the answer does not infer stays as it was known of the value of that name. Nodes
 * that `like` does not have, or has with another op, are counted in *out_written and get
 * `passes_off`. Errors name the node. */
oribi_graph *oribi_graphdef_return(const oribi_graph *like, const oribi_graphdef_names *names,
                                   const char *standard, uint32_t passes_off,
                                   const TF_Buffer *bytes, int32_t *out_written, TF_Status *status);

#endif
