/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute values from their protobuf message, for the reader of GraphDefs. */
#ifndef ORIBI_IMPORT_GRAPHDEF_ATTR_H_
#define ORIBI_IMPORT_GRAPHDEF_ATTR_H_

#include "graph/graph.h"
#include "format/wire.h"

/* Reads an AttrValue into the node's attributes under `name` (NUL-terminated), as the kind that the
 * op declares. Tensors are kept by the graph. Errors do not name the node. */
bool oribi_graphdef_read_attr(oribi_graph *graph, oribi_attrs *attrs, const char *name,
                              const oribi_attr_def *def, oribi_wire value, TF_Status *status);

#endif
