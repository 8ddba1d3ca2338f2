/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf's text format of the messages that TensorFlow's C API reads or writes as text.
 * Not here: their bytes (format/wire.h, format/proto.h).
 * Source   field numbers of tensorflow/core/framework: api_def, attr_value, tensor, tensor_shape,
 * node_def, versions, function, op_def, graph.proto.
 */
#ifndef ORIBI_C_API_TEXT_FORMAT_H_
#define ORIBI_C_API_TEXT_FORMAT_H_

#include "base/text.h"
#include "format/wire.h"
#include "tensorflow/c/tf_status.h"

enum { ORIBI_TEXT_API_DEFS = 1, ORIBI_TEXT_GRAPH_DEF };

/* The message's bytes, appended. INVALID_ARGUMENT: the text is none of this message, or nested
 * deeper than ORIBI_WIRE_MAX_DEPTH. */
bool oribi_text_format_read(int message, oribi_string text, oribi_text *out, TF_Status *status);
/* As protobuf's DebugString has it: fields in order of their numbers, entries of a map in order of
 * their keys. What is no message of this kind is left out. */
void oribi_text_format_write(int message, oribi_wire wire, oribi_text *out);

#endif
