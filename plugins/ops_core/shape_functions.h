/* SPDX-License-Identifier: Apache-2.0 */
/* What shape functions are made of: shapes as lists of sizes (-1 is an unknown dimension or rank),
 * read from and written to the context, checked and combined. All return false with status set.
 */
#ifndef ORIBI_PLUGINS_OPS_SHAPE_H_
#define ORIBI_PLUGINS_OPS_SHAPE_H_

#include "micro/dims.h"
#include "tensorflow/c/shape_inference.h"

/* n is the rank. Inputs may have the rank of any tensor; what ops of ours give is held to less by
 * whoever asks (oribi_op_max_rank in src/op). */
typedef oribi_wide_dims oribi_ops_shape;

typedef TF_ShapeInferenceContext oribi_ops_ctx; /* shorter signatures below */

bool oribi_ops_fail(TF_Status *status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- Inputs and outputs ----------------------------------------------------------------------- */
bool oribi_ops_input(oribi_ops_ctx *ctx, int i, oribi_ops_shape *out, TF_Status *status);
/* Input i of exactly this rank; unknown becomes that many unknown dimensions. */
bool oribi_ops_input_rank(oribi_ops_ctx *ctx, int i, int64_t rank, oribi_ops_shape *out,
                          TF_Status *status);
bool oribi_ops_output(oribi_ops_ctx *ctx, int i, const oribi_ops_shape *shape, TF_Status *status);
/* Output i from up to four dimensions. */
bool oribi_ops_output_dims(oribi_ops_ctx *ctx, int i, int64_t rank, const int64_t *dims,
                           TF_Status *status);
/* Shape that integer input i holds, as far as it is known. */
bool oribi_ops_input_as_shape(oribi_ops_ctx *ctx, int i, oribi_ops_shape *out, TF_Status *status);
/* Elements of a known integer input (any integer type, rank 0 or 1), at most max; *out_count is -1
 * when the value is not known. */
bool oribi_ops_input_ints(oribi_ops_ctx *ctx, int i, int64_t *out, int64_t max, int64_t *out_count,
                          TF_Status *status);
/* The same, as many as a tensor has dimensions; n is -1 when the value is not known. */
bool oribi_ops_input_list(oribi_ops_ctx *ctx, int i, oribi_wide_dims *out, TF_Status *status);
/* The same of pairs: the firsts and the seconds. */
bool oribi_ops_input_pairs(oribi_ops_ctx *ctx, int i, oribi_wide_dims *first,
                           oribi_wide_dims *second, TF_Status *status);
/* Element k of a known integer input. */
int64_t oribi_ops_element(const TF_Tensor *tensor, int64_t k);
/* The value of an integer input, which the caller deletes; NULL when it is not known. */
TF_Tensor *oribi_ops_input_value(oribi_ops_ctx *ctx, int i);
/* The same for a scalar. */
bool oribi_ops_input_int(oribi_ops_ctx *ctx, int i, int64_t *out, bool *out_known,
                         TF_Status *status);

/* Of ops with ONNX's optional inputs: the flat index of each of the operator's `n` (at most 8), as
 * the attribute `present` says; -1 where it is absent, which the first `n_needed` must not be. */
bool oribi_ops_present(oribi_ops_ctx *ctx, int n, int n_needed, int *out, TF_Status *status);

/* --- Attributes ------------------------------------------------------------------------------- */
bool oribi_ops_attr_int(oribi_ops_ctx *ctx, const char *name, int64_t *out, TF_Status *status);
bool oribi_ops_attr_bool(oribi_ops_ctx *ctx, const char *name, bool *out, TF_Status *status);
/* At most max; more is an error. */
bool oribi_ops_attr_ints(oribi_ops_ctx *ctx, const char *name, int64_t *out, int max,
                         int *out_count, TF_Status *status);
/* As many as a tensor has dimensions; more is an error. */
bool oribi_ops_attr_list(oribi_ops_ctx *ctx, const char *name, oribi_wide_dims *out,
                         TF_Status *status);
enum { ORIBI_OPS_STRING = 32 };
/* NUL-terminated; an error when it does not fit. */
bool oribi_ops_attr_string(oribi_ops_ctx *ctx, const char *name, char out[ORIBI_OPS_STRING],
                           TF_Status *status);

/* --- Checks and combinations ------------------------------------------------------------------ */
oribi_ops_shape *oribi_ops_set_unknown(oribi_ops_shape *shape); /* rank unknown; returns shape */
/* Makes a shape of unknown sizes; its rank is another shape's or one less, so it is in range. */
void oribi_ops_set_unknown_dims(oribi_ops_shape *shape, int32_t rank);
bool oribi_ops_with_rank(oribi_ops_shape *shape, int64_t rank, TF_Status *status);
bool oribi_ops_at_least(const oribi_ops_shape *shape, int64_t rank, TF_Status *status);
bool oribi_ops_at_most(const oribi_ops_shape *shape, int64_t rank, TF_Status *status);
bool oribi_ops_is_full(const oribi_ops_shape *shape);
bool oribi_ops_merge(oribi_ops_shape *into, const oribi_ops_shape *other, TF_Status *status);
bool oribi_ops_merge_dim(int64_t *into, int64_t other, TF_Status *status);
/* Axis of [-rank, rank) into [0, rank); rank must be known. */
bool oribi_ops_axis(int64_t axis, int64_t rank, int64_t *out, TF_Status *status);
/* Computes the shape that a reduction over these axes leaves. An axis may be named twice. */
bool oribi_ops_reduce_axes(const oribi_ops_shape *shape, const oribi_wide_dims *axes,
                           bool keeps_dims, oribi_ops_shape *out, TF_Status *status);
/* Without, or with, a dimension at a place of [0, rank]. */
void oribi_ops_remove_dim(oribi_ops_shape *shape, int64_t at);
bool oribi_ops_insert_dim(oribi_ops_shape *shape, int64_t at, int64_t dim, TF_Status *status);
bool oribi_ops_append(oribi_ops_shape *shape, const int64_t *dims, int64_t count,
                      TF_Status *status);
/* Dimension arithmetic; an unknown operand gives an unknown result where it matters. */
bool oribi_ops_add(int64_t a, int64_t b, int64_t *out, TF_Status *status);
bool oribi_ops_subtract(int64_t a, int64_t b, int64_t *out, TF_Status *status);
bool oribi_ops_multiply(int64_t a, int64_t b, int64_t *out, TF_Status *status);
bool oribi_ops_divide_evenly(int64_t a, int64_t b, int64_t *out, TF_Status *status);
/* Numpy's rules. With `strict` false shapes that do not fit give a scalar instead of an error. */
bool oribi_ops_broadcast(const oribi_ops_shape *a, const oribi_ops_shape *b, bool strict,
                         oribi_ops_shape *out, TF_Status *status);

/* --- Whole shape functions that several families use -------------------------------------------*/
void oribi_ops_shape_unchanged(oribi_ops_ctx *ctx, TF_Status *status);
void oribi_ops_shape_scalar(oribi_ops_ctx *ctx, TF_Status *status);
void oribi_ops_shape_broadcast(oribi_ops_ctx *ctx, TF_Status *status);
void oribi_ops_shape_batch_mat_mul(oribi_ops_ctx *ctx, TF_Status *status);  /* adj_x, adj_y */
void oribi_ops_shape_tensor_scatter(oribi_ops_ctx *ctx, TF_Status *status); /* gather_ops.c */
void oribi_ops_shape_resize(oribi_ops_ctx *ctx, TF_Status *status); /* NHWC, sizes in input 1 */

#endif
