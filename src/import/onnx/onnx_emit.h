/* SPDX-License-Identifier: Apache-2.0 */
/* How translations make nodes. Every function returns -1 once the node has failed (n->failed) and
 * takes -1 as an input then, so that a translation reads as a formula:
 *
 *     oribi_value_id y = oribi_emit2(n, "AddV2", a, b);
 *     return oribi_emit_bind(n, 0, y);
 */
#ifndef ORIBI_IMPORT_ONNX_EMIT_H_
#define ORIBI_IMPORT_ONNX_EMIT_H_

#include "import/emit.h"
#include "import/onnx/onnx.h"

/* A resolved node; NULL on failure. */
oribi_node *oribi_emit_node(oribi_onnx_node *n, const char *op, const oribi_value_id *inputs,
                            int32_t n_inputs, const oribi_emit_attr *attrs, int32_t n_attrs,
                            int32_t n_outputs);
/* The only (or first) output of one. */
oribi_value_id oribi_emit(oribi_onnx_node *n, const char *op, const oribi_value_id *inputs,
                          int32_t n_inputs, const oribi_emit_attr *attrs, int32_t n_attrs);
oribi_value_id oribi_emit1(oribi_onnx_node *n, const char *op, oribi_value_id x);
oribi_value_id oribi_emit2(oribi_onnx_node *n, const char *op, oribi_value_id a, oribi_value_id b);
oribi_value_id oribi_emit3(oribi_onnx_node *n, const char *op, oribi_value_id a, oribi_value_id b,
                           oribi_value_id c);
/* Gives the node's output `index` its value, under the model's name. False on failure. */
bool oribi_emit_bind(oribi_onnx_node *n, int32_t index, oribi_value_id value);
bool oribi_emit_wants(const oribi_onnx_node *n, int32_t index); /* is the output named? */
/* Room for the inputs of a node, all -1, in the scratch arena; NULL and a failure: no memory. */
oribi_value_id *oribi_emit_parts(oribi_onnx_node *n, int32_t count);

/* What is known of values. */
TF_DataType oribi_emit_dtype(const oribi_onnx_node *n, oribi_value_id value);
/* Rank, and a failure that asks for the input's shape when it is not known or above the limit. */
int32_t oribi_emit_rank(oribi_onnx_node *n, oribi_value_id value);
int64_t oribi_emit_dim(const oribi_onnx_node *n, oribi_value_id value, int32_t axis); /* -1 */
bool oribi_emit_is_constant(const oribi_onnx_node *n, oribi_value_id value);
bool oribi_emit_is_float(const oribi_onnx_node *n, oribi_value_id value);
/* The shape of a value, -1 where it is not known; false and a failure as oribi_emit_rank. */
bool oribi_emit_dims(oribi_onnx_node *n, oribi_value_id value, oribi_dims *out);
/* Integers that are constant or follow from known shapes; false when they are not known, and on
 * failure, as where there are more than ORIBI_MAX_RANK. */
bool oribi_emit_known_ints(oribi_onnx_node *n, oribi_value_id value, oribi_dims *out);
/* The same of exactly `count`, however many, in the scratch arena. */
bool oribi_emit_known_list(oribi_onnx_node *n, oribi_value_id value, int32_t count,
                           const int64_t **out);
/* Value of a constant with one element, any number type. */
bool oribi_emit_known_scalar(const oribi_onnx_node *n, oribi_value_id value, double *out);
/* Does the test hold for every element of a constant? Each tag names one test. What it says of a
 * constant is kept: many nodes may share a large one. False with a failure: no memory. */
typedef bool oribi_emit_test(const TF_Tensor *tensor, int64_t i);
bool oribi_emit_every(oribi_onnx_node *n, oribi_value_id constant, char tag, oribi_emit_test *test);
oribi_value_id oribi_emit_input(const oribi_onnx_node *n, int32_t index); /* -1: absent */
/* axis in [0, rank) from one in [-rank, rank); a failure otherwise. */
int32_t oribi_emit_axis(oribi_onnx_node *n, int64_t axis, int32_t rank);
/* Axes from an attribute or, since an opset, an input that must be known; normalised, unique,
 * ascending. False when there are none given, and on failure. */
bool oribi_emit_axes(oribi_onnx_node *n, int64_t input_since, int32_t input, int32_t rank,
                     oribi_dims *out);

/* The ops ONNX>DequantizeLinear and ONNX>QuantizeLinear (onnx_quant.c). zero of the former may be
 * absent (-1). -1 without a failure where types or ranks are not theirs. */
oribi_value_id oribi_onnx_dequantized(oribi_onnx_node *n, oribi_value_id x, oribi_value_id scale,
                                      oribi_value_id zero, int64_t axis);
oribi_value_id oribi_onnx_quantized(oribi_onnx_node *n, oribi_value_id x, oribi_value_id scale,
                                    oribi_value_id zero, int64_t axis);
/* The operators themselves, of ONNX and of com.microsoft. */
bool oribi_onnx_dequantize_linear(oribi_onnx_node *n);
bool oribi_onnx_quantize_linear(oribi_onnx_node *n);

/* Are all elements of a scale positive and finite? One that is computed passes. */
bool oribi_onnx_check_scale(oribi_onnx_node *n, oribi_value_id scale);

/* A matrix product as NumPy has it: vectors gain an axis that goes again afterwards. */
oribi_value_id oribi_onnx_product(oribi_onnx_node *n, oribi_value_id a, oribi_value_id b);

/* com.microsoft's LSTM of bytes (onnx_recurrent.c), its normalisations of sums (onnx_norm.c). */
bool oribi_onnx_dynamic_lstm(oribi_onnx_node *n);
bool oribi_onnx_skip_layer_norm(oribi_onnx_node *n);
bool oribi_onnx_skip_simplified_norm(oribi_onnx_node *n);
bool oribi_onnx_embed_layer_norm(oribi_onnx_node *n);
bool oribi_onnx_embed_layer_norm_quantised(oribi_onnx_node *n);
/* Gemm itself, not bound to an output (onnx_matmul.c). */
oribi_value_id oribi_onnx_gemm(oribi_onnx_node *n);
/* Gelu of x, a value of the type of input 0, by the error function or by the hyperbolic tangent. */
oribi_value_id oribi_onnx_gelu(oribi_onnx_node *n, oribi_value_id x, bool by_tanh);

/* Softmax of x with the attribute axis of n, as the standard operator has it at this opset. */
oribi_value_id oribi_onnx_softmax(oribi_onnx_node *n, oribi_value_id x, int64_t opset);

/* A cast that keeps to the numbers of a float of 8 or 4 bits, unless the node says otherwise. */
bool oribi_onnx_is_small_float(TF_DataType dtype);
oribi_value_id oribi_onnx_saturated(oribi_onnx_node *n, oribi_value_id x, TF_DataType dtype);

/* Constants. Ints are int32 where they fit, else int64; a type that is asked for and does not hold
 * the number is a failure. */
oribi_value_id oribi_emit_int(oribi_onnx_node *n, int64_t value);
oribi_value_id oribi_emit_vector(oribi_onnx_node *n, const int64_t *values, int32_t count);
oribi_value_id oribi_emit_vector_as(oribi_onnx_node *n, TF_DataType dtype, const int64_t *values,
                                    int32_t count);
/* A vector without elements: what an absent input is to ops that need one in its place. */
oribi_value_id oribi_emit_empty(oribi_onnx_node *n, TF_DataType dtype);
oribi_value_id oribi_emit_scalar(oribi_onnx_node *n, TF_DataType dtype, double value);
oribi_value_id oribi_emit_scalar_like(oribi_onnx_node *n, oribi_value_id like, double value);

/* Shapes and layout; views when the value is a constant. */
oribi_value_id oribi_emit_transpose(oribi_onnx_node *n, oribi_value_id x, const oribi_dims *perm);
/* The permutation of `rank` axes, at most ORIBI_MAX_RANK, that exchanges two of them. */
oribi_dims oribi_emit_exchange(int32_t rank, int32_t a, int32_t b);
oribi_value_id oribi_emit_to_nhwc(oribi_onnx_node *n, oribi_value_id x);
oribi_value_id oribi_emit_to_nchw(oribi_onnx_node *n, oribi_value_id x);
/* dims may hold one -1. */
oribi_value_id oribi_emit_reshape(oribi_onnx_node *n, oribi_value_id x, const int64_t *dims,
                                  int32_t count);
oribi_value_id oribi_emit_shape_of(oribi_onnx_node *n, oribi_value_id x, TF_DataType dtype);
oribi_value_id oribi_emit_cast(oribi_onnx_node *n, oribi_value_id x, TF_DataType dtype);
/* One axis of a shape vector or any vector: x[begin:end], or the element x[begin] as a scalar. */
oribi_value_id oribi_emit_range_of(oribi_onnx_node *n, oribi_value_id x, int64_t begin,
                                   int64_t end);
oribi_value_id oribi_emit_element(oribi_onnx_node *n, oribi_value_id x, int64_t index);
/* A value of shape [c] as [c, 1, ..., 1] for broadcasting against x along axis. */
oribi_value_id oribi_emit_along_axis(oribi_onnx_node *n, oribi_value_id vector, int32_t axis,
                                     int32_t rank);
/* Each slice of x along the axis `each` times, until there are `count`, a scalar of type int64. */
oribi_value_id oribi_emit_repeated(oribi_onnx_node *n, oribi_value_id x, int32_t axis,
                                   oribi_value_id count, int64_t each);
/* 0, 1, ... as many as x is long along the axis, of type int64. */
oribi_value_id oribi_emit_places(oribi_onnx_node *n, oribi_value_id x, int32_t axis);
/* Parts of x along the axis, of these sizes, one of which may be -1: the rest. False: failed. */
bool oribi_emit_split(oribi_onnx_node *n, oribi_value_id x, int32_t axis, const int64_t *sizes,
                      int32_t count, oribi_value_id *out);
/* Negative indices into an axis of `x` become positive. */
oribi_value_id oribi_emit_positive_indices(oribi_onnx_node *n, oribi_value_id indices,
                                           oribi_value_id x, int32_t axis);

#endif
