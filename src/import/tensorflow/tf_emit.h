/* SPDX-License-Identifier: Apache-2.0 */
/* How a node of TensorFlow's becomes nodes of other ops. Each function returns -1 once the status
 * is set and takes -1 as an input then, so that what is made reads as a formula:
 *
 *     oribi_tf_maker m = oribi_tf_maker_of(scope, node, status);
 *     return oribi_tf_give(&m, oribi_tf_emit(&m, "Mul", INPUTS(a, b), NO_ATTRS), out);
 */
#ifndef ORIBI_IMPORT_TENSORFLOW_TF_EMIT_H_
#define ORIBI_IMPORT_TENSORFLOW_TF_EMIT_H_

#include "import/tensorflow/tensorflow.h"

typedef struct oribi_tf_maker {
    oribi_tf *tf;
    const char *name; /* of the nodes */
    TF_Status *status;
} oribi_tf_maker;

oribi_tf_maker oribi_tf_maker_of(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                                 TF_Status *status);
/* A node; NULL: failed. */
oribi_node *oribi_tf_emit_node(const oribi_tf_maker *m, const char *op,
                               const oribi_value_id *inputs, int32_t n_inputs,
                               const oribi_emit_attr *attrs, int32_t n_attrs, int32_t n_outputs);
/* The only output of one. */
oribi_value_id oribi_tf_emit(const oribi_tf_maker *m, const char *op, const oribi_value_id *inputs,
                             int32_t n_inputs, const oribi_emit_attr *attrs, int32_t n_attrs);
oribi_value_id oribi_tf_emit1(const oribi_tf_maker *m, const char *op, oribi_value_id x);
oribi_value_id oribi_tf_emit2(const oribi_tf_maker *m, const char *op, oribi_value_id a,
                              oribi_value_id b);
oribi_value_id oribi_tf_emit3(const oribi_tf_maker *m, const char *op, oribi_value_id a,
                              oribi_value_id b, oribi_value_id c);

/* Constants: a number, a vector of int32. */
oribi_value_id oribi_tf_int(const oribi_tf_maker *m, int32_t value);
oribi_value_id oribi_tf_ints(const oribi_tf_maker *m, const int32_t *values, int32_t n);
/* A number of this type, such as a type of floats or int64. */
oribi_value_id oribi_tf_number(const oribi_tf_maker *m, TF_DataType dtype, double value);

TF_DataType oribi_tf_dtype(const oribi_tf_maker *m, oribi_value_id value);
int32_t oribi_tf_rank(const oribi_tf_maker *m, oribi_value_id value); /* -1: not known */
/* The same, and a failure where it is not known. */
int32_t oribi_tf_need_rank(const oribi_tf_maker *m, oribi_value_id value);
oribi_value_id oribi_tf_cast(const oribi_tf_maker *m, oribi_value_id x, TF_DataType dtype);
oribi_value_id oribi_tf_reshape(const oribi_tf_maker *m, oribi_value_id x, const int32_t *dims,
                                int32_t n);
oribi_value_id oribi_tf_as_vector(const oribi_tf_maker *m, oribi_value_id number);
oribi_value_id oribi_tf_joined(const oribi_tf_maker *m, oribi_value_id a, oribi_value_id b);
/* Elements `begin` and on of a vector; element i of a tensor's first dimension. */
oribi_value_id oribi_tf_rest(const oribi_tf_maker *m, oribi_value_id vector, int32_t begin);
oribi_value_id oribi_tf_take(const oribi_tf_maker *m, oribi_value_id from, oribi_value_id index);
/* The size of a dimension as a number, constant where it is known. */
oribi_value_id oribi_tf_size_of(const oribi_tf_maker *m, oribi_value_id x, int32_t axis);
/* Nought of this type, as many as the vector of sizes says. */
oribi_value_id oribi_tf_zeros(const oribi_tf_maker *m, TF_DataType dtype, oribi_value_id dims);

/* Attributes of the node that is made, or what the op's definition has where they are absent. */
int64_t oribi_tf_attr_int(const oribi_graphdef_node *node, const char *name, int64_t absent);
bool oribi_tf_attr_bool(const oribi_graphdef_node *node, const char *name, bool absent);
float oribi_tf_attr_float(const oribi_graphdef_node *node, const char *name, float absent);
TF_DataType oribi_tf_attr_type(const oribi_graphdef_node *node, const char *name,
                               TF_DataType absent);

/* False, the status set: there are fewer inputs. */
bool oribi_tf_has(const oribi_graphdef_node *node, int32_t n, TF_Status *status);
/* What a maker returns: one output. */
int32_t oribi_tf_give(const oribi_tf_maker *m, oribi_value_id value, oribi_value_id *out);

#endif
