/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes and op definitions as TensorFlow's protobuf messages.
 * Source   field numbers of attr_value.proto, tensor.proto, tensor_shape.proto, op_def.proto.
 */
#ifndef ORIBI_OP_PROTO_H_
#define ORIBI_OP_PROTO_H_

#include "base/text.h"
#include "format/wire.h"
#include "micro/dims.h"
#include "op/op.h"
#include "tensorflow/c/tf_buffer.h"

/* Appends an AttrValue (its fields, without a tag around them). */
void oribi_proto_attr_value(oribi_text *out, const oribi_attr *attr);
/* Message fields: a TensorShapeProto (rank -1: unknown) and a TensorProto with raw content. */
void oribi_proto_shape(oribi_text *out, unsigned field, const int64_t *dims, int32_t rank);
void oribi_proto_tensor(oribi_text *out, unsigned field, const TF_Tensor *tensor);
void oribi_proto_op_def(oribi_text *out, const oribi_op_def *op);

/* A TensorShapeProto; -1: a dimension that is not known. Errors do not say whose shape it is. */
bool oribi_proto_read_shape(oribi_wire proto, oribi_wide_dims *out_dims, bool *out_is_unknown,
                            TF_Status *status);
/* A TensorProto as a new tensor that the caller deletes, NULL on an error. `charge` is asked before
 * memory is taken; NULL: no limit. */
typedef bool oribi_proto_charge(void *arg, uint64_t bytes, TF_Status *status);
TF_Tensor *oribi_proto_read_tensor(oribi_wire proto, oribi_proto_charge *charge, void *arg,
                                   TF_Status *status);

/* Moves the text into a new buffer of the C heap and empties it; NULL: no memory. */
TF_Buffer *oribi_proto_finish(oribi_text *text);
/* The same into a buffer that its owner made empty. */
bool oribi_proto_fill(oribi_text *text, TF_Buffer *out, TF_Status *status);

#endif
