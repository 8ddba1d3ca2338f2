/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that belong to a node, as all importers make them: begun inside a graph, ended, given to
 * their node. What goes into them is the formats' own: onnx/graphs, tflite_control.c,
 * tensorflow/tf_branch.c and tf_loop.c.
 */
#ifndef ORIBI_IMPORT_IMPORT_BODY_H_
#define ORIBI_IMPORT_IMPORT_BODY_H_

#include "graph/graph.h"
#include "import/import.h"

/* An empty graph inside `around`, whose bytes count against the same limit. NULL: status set. */
oribi_graph *oribi_import_body_begin(const oribi_graph *around, const oribi_import_options *options,
                                     TF_Status *status);
/* The body, sorted, with the bytes of its own alone; destroyed, and NULL, when !ok or that fails.
 */
oribi_graph *oribi_import_body_end(oribi_graph *body, const oribi_graph *around, bool ok,
                                   TF_Status *status);
/* An input of the body. -1: status set. */
oribi_value_id oribi_import_body_formal(oribi_graph *body, const char *name, TF_DataType dtype,
                                        const oribi_shape *shape, TF_Status *status);
/* A list attribute with the types of values of a graph, which need not be the node's. */
bool oribi_import_set_types(oribi_graph *graph, oribi_attrs *attrs, const char *name,
                            const oribi_graph *from, const oribi_value_id *values, int32_t n,
                            TF_Status *status);
/* A node with these graphs, which are taken over, also when it fails; to be resolved. NULL: status
 * set. */
oribi_node *oribi_import_body_node(oribi_graph *graph, const char *op, const char *name,
                                   const oribi_value_id *inputs, int32_t n_inputs,
                                   int32_t n_outputs, const oribi_attrs *attrs,
                                   const oribi_body *bodies, int32_t n_bodies, TF_Status *status);

/* A loop's body is made anew until the shapes of what it carries hold for each iteration; from the
 * last attempt on nothing is said of them. */
enum { ORIBI_IMPORT_ATTEMPTS = 4 };
/* *shape becomes what it and the body's result have in common, in the arena, and *same false where
 * that is less. False: no memory, status set. */
bool oribi_import_widen(oribi_arena *arena, const oribi_shape *made, int attempt,
                        oribi_shape *shape, bool *same, TF_Status *status);

#endif
