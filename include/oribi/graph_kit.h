/* SPDX-License-Identifier: Apache-2.0 */
/* What a graph optimiser (TF_InitGraph) needs instead of a protobuf library: a GraphDef's bytes as
 * nodes with names, inputs, attributes and devices, and as bytes again. What the kit does not know
 * (functions, versions, debug information, fields of later years) goes through as it came.
 *
 *     oribi_rewrite rewrite;
 *     if (oribi_rewrite_begin(&rewrite, graph, status)) {
 *         oribi_rewrite_keep(&rewrite, item);
 *         for (int i = 0; i < rewrite.n_nodes; i++) { ... rewrite.nodes[i] ... }
 *         oribi_rewrite_end(&rewrite, optimized);
 *     }
 *
 * The kit is this header: nothing is linked, and TensorFlow's own headers serve as well. C99,
 * C++14. examples/optimiser/swish.c is a whole plugin.
 *
 * Owns     all that a rewrite has lives until its end, and so must texts that are put into it.
 * Context  inside optimize_func, one thread a rewrite; allocates by malloc.
 * Errors   the first failure counts, oribi_rewrite_end reports it; until then functions go on, with
 *          no effect where there is no memory. Bytes that are no GraphDef: INVALID_ARGUMENT.
 * Not here: functions of the library, shapes (grappler.h has TF_NewGraphProperties). Since 1.3.
 */
#ifndef ORIBI_GRAPH_KIT_H_
#define ORIBI_GRAPH_KIT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/tf_datatype.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ORIBI_REWRITE_FN __attribute__((unused)) static inline

typedef struct oribi_rewrite_bytes {
    const uint8_t *data;
    size_t length;
} oribi_rewrite_bytes;

typedef struct oribi_rewrite_attr {
    const char *name;
    oribi_rewrite_bytes value; /* an AttrValue */
} oribi_rewrite_attr;

typedef struct oribi_rewrite_node {
    const char *name, *op, *device; /* op and device may be set; the name stays */
    const char **inputs;            /* "node", "node:1", "^node"; see oribi_rewrite_set_inputs */
    oribi_rewrite_attr *attrs;      /* see the getters and setters */
    int n_inputs, n_attrs;
    int n_readers;   /* inputs of other nodes that read this one */
    bool is_kept;    /* it must be there in the end: oribi_rewrite_keep */
    bool is_removed; /* oribi_rewrite_remove */
    oribi_rewrite_bytes rest;
} oribi_rewrite_node;

typedef struct oribi_rewrite {
    oribi_rewrite_node **nodes; /* in the order of the graph; new ones at the end */
    int n_nodes, capacity;
    oribi_rewrite_bytes rest;
    TF_Status *status; /* of the caller */
    struct oribi_rewrite_chunk *chunks;
    int *table; /* of names: index + 1 */
    int table_size;
} oribi_rewrite;

/* Reads the graph. False: status says why, and nothing is left to end. */
ORIBI_REWRITE_FN bool oribi_rewrite_begin(oribi_rewrite *rewrite, const TF_Buffer *graph,
                                          TF_Status *status);
/* Writes the graph into `out`, an empty buffer, and lets go of everything. After a failure `out`
 * stays empty and the caller's status says why: the host then goes on with the graph as it was. */
ORIBI_REWRITE_FN void oribi_rewrite_end(oribi_rewrite *rewrite, TF_Buffer *out);
/* Marks the nodes that the item says must survive under their names. */
ORIBI_REWRITE_FN void oribi_rewrite_keep(oribi_rewrite *rewrite, const TF_GrapplerItem *item);

/* --- Nodes ------------------------------------------------------------------------------------ */

/* The node that an input's text names ("node", "node:1", "^node"), or NULL. out_output (may be
 * NULL): which output, -1 for a control input. */
ORIBI_REWRITE_FN oribi_rewrite_node *oribi_rewrite_find(const oribi_rewrite *rewrite,
                                                        const char *text, int *out_output);
/* The node behind input i, when that reads output 0 of a node of this op (NULL: of any); else NULL.
 */
ORIBI_REWRITE_FN oribi_rewrite_node *oribi_rewrite_input(const oribi_rewrite *rewrite,
                                                         const oribi_rewrite_node *node, int i,
                                                         const char *op);
/* A new node without inputs and attributes, on the device of `like` (NULL: on none). The name is
 * made unique by a suffix. NULL: no memory. */
ORIBI_REWRITE_FN oribi_rewrite_node *oribi_rewrite_add(oribi_rewrite *rewrite, const char *op,
                                                       const char *name,
                                                       const oribi_rewrite_node *like);
/* Replaces all inputs; control inputs go last, as in every GraphDef. Texts are copied. */
ORIBI_REWRITE_FN void oribi_rewrite_set_inputs(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                               const char *const *inputs, int n);
/* All that read `old` (a node or an output, as inputs write it) read `with` from here on. */
ORIBI_REWRITE_FN void oribi_rewrite_replace(oribi_rewrite *rewrite, const char *old,
                                            const char *with);
/* Takes a node out, whoever reads it. */
ORIBI_REWRITE_FN void oribi_rewrite_remove(oribi_rewrite *rewrite, oribi_rewrite_node *node);
/* Takes the node out when nobody reads it and it need not be kept, then its inputs likewise. Says
 * nothing of side effects: call it on nodes whose work another does now. */
ORIBI_REWRITE_FN void oribi_rewrite_prune(oribi_rewrite *rewrite, oribi_rewrite_node *node);

/* --- Attributes ------------------------------------------------------------------------------- */

/* False, and *out untouched: the node has none of this name, or it is of another kind. */
ORIBI_REWRITE_FN bool oribi_rewrite_get_int(const oribi_rewrite_node *node, const char *name,
                                            int64_t *out);
ORIBI_REWRITE_FN bool oribi_rewrite_get_float(const oribi_rewrite_node *node, const char *name,
                                              float *out);
ORIBI_REWRITE_FN bool oribi_rewrite_get_bool(const oribi_rewrite_node *node, const char *name,
                                             bool *out);
ORIBI_REWRITE_FN bool oribi_rewrite_get_type(const oribi_rewrite_node *node, const char *name,
                                             TF_DataType *out);
ORIBI_REWRITE_FN bool oribi_rewrite_get_text(const oribi_rewrite_node *node, const char *name,
                                             oribi_rewrite_bytes *out); /* no NUL behind it */
/* Up to `max` integers of a list; returns how many it has, -1: no such list. */
ORIBI_REWRITE_FN int oribi_rewrite_get_ints(const oribi_rewrite_node *node, const char *name,
                                            int64_t *out, int max);

/* Each replaces an attribute of the name. */
ORIBI_REWRITE_FN void oribi_rewrite_set_int(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                            const char *name, int64_t value);
ORIBI_REWRITE_FN void oribi_rewrite_set_float(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                              const char *name, float value);
ORIBI_REWRITE_FN void oribi_rewrite_set_bool(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                             const char *name, bool value);
ORIBI_REWRITE_FN void oribi_rewrite_set_type(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                             const char *name, TF_DataType value);
ORIBI_REWRITE_FN void oribi_rewrite_set_text(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                             const char *name, const char *value, size_t length);
ORIBI_REWRITE_FN void oribi_rewrite_set_ints(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                             const char *name, const int64_t *values, int n);
ORIBI_REWRITE_FN void oribi_rewrite_set_texts(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                              const char *name, const char *const *values, int n);
/* The attribute `name` of another node, whatever its kind. False: it has none. */
ORIBI_REWRITE_FN bool oribi_rewrite_copy_attr(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                              const oribi_rewrite_node *from, const char *name);
ORIBI_REWRITE_FN void oribi_rewrite_drop_attr(oribi_rewrite_node *node, const char *name);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "oribi/graph_kit_bodies.h"

#endif /* ORIBI_GRAPH_KIT_H_ */
