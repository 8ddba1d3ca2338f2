/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of this room only. */
#ifndef ORIBI_GRAPH_GRAPH_INTERNAL_H_
#define ORIBI_GRAPH_GRAPH_INTERNAL_H_

#include "graph/graph.h"

enum { /* users of a name: nodes and values have name spaces of their own */
       ORIBI_NAME_OF_VALUE = 1,
       ORIBI_NAME_OF_NODE = 2
};

/* Copy of name in the arena, with a suffix when a user of that kind has it already; NULL: no
 * memory. */
const char *oribi_graph_unique_name(oribi_graph *graph, const char *name, uintptr_t user,
                                    TF_Status *status);
/* Room for one more element in a heap array. */
bool oribi_graph_grow(void **array, int32_t count, int32_t *capacity, size_t size,
                      TF_Status *status);
/* Lets go what the constant points into; a tensor that passes made counts no more. */
void oribi_graph_drop_source(oribi_graph *graph, oribi_constant *constant);
/* Does the source keep a tensor of the graph's own, whose bytes nobody can bring back? */
bool oribi_graph_source_is_tensor(const oribi_source *source);
/* Elements of an integer constant (int32 or int64, rank 0 or 1), -1 when the value is none. */
int64_t oribi_graph_count_ints(const oribi_graph *graph, oribi_value_id value);
void oribi_graph_link(oribi_graph *graph, oribi_node *node, int32_t input, oribi_value_id value);
void oribi_graph_unlink(oribi_graph *graph, oribi_node *node, int32_t input);

#endif
