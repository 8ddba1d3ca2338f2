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

/* The next attribute of a NodeDef; false at the end, and with the status set on an error. */
bool oribi_graphdef_next_attr(oribi_wire *node, oribi_string *out_name, oribi_wire *out_value,
                              TF_Status *status);
/* The AttrValue of a node's attribute; false, and the status untouched: there is none. */
bool oribi_graphdef_attr(oribi_wire node, const char *name, oribi_wire *out, TF_Status *status);
/* The same of one field of it: 2 a string, 3 an integer, 6 a type. What is spoiled is not there. */
bool oribi_graphdef_attr_field(oribi_wire node, const char *name, uint32_t number,
                               oribi_wire_field *out);

#endif
