/* SPDX-License-Identifier: Apache-2.0 */
/* How a node of TensorFlow's becomes nodes of other ops. Each function returns -1 once the status
 * is set and takes -1 as an input then, so that what is made reads as a formula:
 *
 *     return oribi_tf_emit2(m, "Mul", a, oribi_tf_emit1(m, "Log", b));
 */
#ifndef ORIBI_IMPORT_TENSORFLOW_TF_EMIT_H_
#define ORIBI_IMPORT_TENSORFLOW_TF_EMIT_H_

#include "import/tensorflow/tensorflow.h"

typedef struct oribi_tf_maker {
    oribi_tf *tf;
    const char *name; /* of the nodes */
    TF_Status *status;
    oribi_value_id *out; /* outputs of the node that is made, and how many, if that is not known
                          * of its op, at most `max` */
    int32_t *n_out;
    int32_t max;
} oribi_tf_maker;

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
/* Of a dimension, which may count from the end, these places. */
oribi_value_id oribi_tf_gather(const oribi_tf_maker *m, oribi_value_id x, oribi_value_id places,
                               int32_t axis);
/* 0, 1, .. up to the number. */
oribi_value_id oribi_tf_count_to(const oribi_tf_maker *m, oribi_value_id number);
oribi_value_id oribi_tf_expand(const oribi_tf_maker *m, oribi_value_id x, int32_t axis);
oribi_value_id oribi_tf_shape(const oribi_tf_maker *m, oribi_value_id x);
/* The only element of a vector of one. */
oribi_value_id oribi_tf_scalar(const oribi_tf_maker *m, oribi_value_id x);
/* An op that reduces along these axes: "Sum", "Max". */
oribi_value_id oribi_tf_reduce(const oribi_tf_maker *m, const char *op, oribi_value_id x,
                               oribi_value_id axes, bool keeps);
/* The number of a constant; false, and the status as it was: it is computed, or no float. */
bool oribi_tf_known_real(const oribi_tf_maker *m, oribi_value_id x, float *out);
/* The integers of a constant. False, the status set: it is computed. */
bool oribi_tf_known_ints(const oribi_tf_maker *m, oribi_value_id x, const char *what,
                         oribi_dims *out);
/* Complex numbers of two parts of one shape, floats. */
oribi_value_id oribi_tf_complex(const oribi_tf_maker *m, oribi_value_id re, oribi_value_id im);
/* The size of a dimension as a number, constant where it is known. */
oribi_value_id oribi_tf_size_of(const oribi_tf_maker *m, oribi_value_id x, int32_t axis);
/* Nought of this type, as many as the vector of sizes says. */
oribi_value_id oribi_tf_zeros(const oribi_tf_maker *m, TF_DataType dtype, oribi_value_id dims);

/* A list of integers or floats in the kept arena; *out_n: 0 where it is absent. */
const int64_t *oribi_tf_attr_ints(const oribi_tf_maker *m, const oribi_graphdef_node *node,
                                  const char *name, int32_t *out_n);
const float *oribi_tf_attr_floats(const oribi_tf_maker *m, const oribi_graphdef_node *node,
                                  const char *name, int32_t *out_n);
bool oribi_tf_attr_is(const oribi_graphdef_node *node, const char *name, const char *text);
/* Attributes of the node that is made, or what the op's definition has where they are absent;
 * integers within 2^30 of nought, beyond which nothing is meant. */
int64_t oribi_tf_attr_int(const oribi_graphdef_node *node, const char *name, int64_t absent);
bool oribi_tf_attr_bool(const oribi_graphdef_node *node, const char *name, bool absent);
float oribi_tf_attr_float(const oribi_graphdef_node *node, const char *name, float absent);
TF_DataType oribi_tf_attr_type(const oribi_graphdef_node *node, const char *name,
                               TF_DataType absent);

/* Makes a node of others: its first output, or -1, the status set. Others go to m->out. */
typedef oribi_value_id oribi_tf_compose(const oribi_tf_maker *m, const oribi_graphdef_node *node);
typedef struct oribi_tf_row {
    const char *op;
    int32_t least; /* inputs */
    oribi_tf_compose *make;
    const char *outputs; /* their names, where there is not just one */
    const char *formula; /* in the place of `make`: tf_formula.c */
} oribi_tf_row;
/* What the formula says; the first output, others in m->out. */
oribi_value_id oribi_tf_formula(const oribi_tf_maker *m, const oribi_graphdef_node *node,
                                const char *formula);
/* The same of these inputs in the place of the node's, and of what `format` makes. */
oribi_value_id oribi_tf_formula_of(const oribi_tf_maker *m, const oribi_graphdef_node *node,
                                   const oribi_value_id *inputs, int32_t n_inputs,
                                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Most rows are one of these: as many inputs as the formula reads. */
typedef struct oribi_tf_formula_row {
    const char *op, *outputs, *formula;
} oribi_tf_formula_row;
#ifdef ORIBI_TF_FORMULAS_HERE /* said by the table */
extern const oribi_tf_formula_row oribi_tf_formula_rows[];
#else
extern const oribi_tf_formula_row oribi_tf_formula_rows[] __attribute__((weak));
#endif
/* The row of an op that a table has; false: none. */
bool oribi_tf_row_of(oribi_string op, oribi_tf_row *out);
/* The same of an op whose first input is of complex numbers, which the op's kernels do not take. */
const oribi_tf_row *oribi_tf_complex_row_of(const oribi_graph *graph,
                                            const oribi_graphdef_node *node);
/* The row of a batch normalisation that trains. */
const oribi_tf_row *oribi_tf_trained_row_of(const oribi_graphdef_node *node);
extern const oribi_tf_row oribi_tf_list_rows[], oribi_tf_image_rows[], oribi_tf_array_rows[],
    oribi_tf_math_rows[], oribi_tf_fourier_rows[], oribi_tf_chosen_rows[], oribi_tf_random_rows[],
    oribi_tf_network_rows[], oribi_tf_audio_rows[], oribi_tf_window_rows[];

#endif
