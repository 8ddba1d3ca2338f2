/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that passes share: questions about nodes and constants, small edits. Not for other rooms.
 */
#ifndef ORIBI_PASS_PASS_INTERNAL_H_
#define ORIBI_PASS_PASS_INTERNAL_H_

#include "base/alloc.h"
#include "base/text.h"
#include "op/traits.h"
#include "pass/pass.h"
#include "tensor/patience.h"

/* --- Nodes (match.c) ------------------------------------------------------------------------ */

bool oribi_pass_is(const oribi_node *node, const char *op_name); /* NULL node: false */
#define ORIBI_PASS_CAST "Cast"
bool oribi_pass_is_cast(const oribi_node *node); /* to another type of number */
bool oribi_pass_is_one_of(const oribi_node *node, const char *const *names); /* NULL-terminated */
/* What its op says of itself; none of NULL and of an op that is not known. */
oribi_traits oribi_pass_traits(const oribi_node *node);
bool oribi_pass_has(const oribi_node *node, uint32_t traits); /* all of these bits */
bool oribi_pass_computes(const oribi_node *node, oribi_formula formula);
/* What kind of plain layer is it, whose results are sums of products with input 1 and nothing else?
 * Fused and quantised ones are none. */
typedef enum oribi_layer {
    ORIBI_LAYER_NONE,
    ORIBI_LAYER_CONV,
    ORIBI_LAYER_DEPTHWISE,
    ORIBI_LAYER_DENSE,   /* of two matrices */
    ORIBI_LAYER_PRODUCTS /* of two batches of matrices */
} oribi_layer;
oribi_layer oribi_pass_layer(const oribi_node *node);
const char *oribi_pass_layer_op(oribi_layer layer); /* the op of such a layer */
/* Does it add a vector along the last axis, as BiasAdd does? (input 1, to input 0) */
bool oribi_pass_adds_bias(const oribi_node *node);
/* Is the attribute told by the types and the number of inputs? */
bool oribi_pass_is_told_by_inputs(const oribi_op_def *op, const char *attr);
/* Are both shapes known, and the same? */
bool oribi_pass_same_shape(const oribi_graph *graph, oribi_value_id a, oribi_value_id b);
/* Is its first output all that anybody reads? */
bool oribi_pass_has_one_result(const oribi_graph *graph, const oribi_node *node);
/* Attribute or the default when it is absent or of another kind. */
int64_t oribi_pass_attr_int(const oribi_node *node, const char *name, int64_t otherwise);
float oribi_pass_attr_float(const oribi_node *node, const char *name, float otherwise);
bool oribi_pass_attr_bool(const oribi_node *node, const char *name, bool otherwise);
/* Is the string attribute equal to text? An absent one is equal to `otherwise`. */
bool oribi_pass_attr_is(const oribi_node *node, const char *name, const char *text,
                        const char *otherwise);
/* The one node that reads the value; NULL when several do or when it is a graph output. */
oribi_node *oribi_pass_only_consumer(const oribi_graph *graph, oribi_value_id value,
                                     int32_t *out_input);
/* Is it a pool of largest values over rows and columns? */
bool oribi_pass_is_max_pool(const oribi_node *node);
/* Was the kernel of this node written by somebody else? */
bool oribi_pass_is_foreign(const oribi_node *node);
/* Was it preferred to ours? Not where the op is a plugin's too: what its traits say may be done. */
bool oribi_pass_is_preferred(const oribi_node *node);
/* Does the node keep its op because somebody prefers a kernel to ours? So it is on the CPU. A
 * device's kernels are all that there is on it: nodes there may be moved, joined and folded into
 * others, as long as the device has a kernel for what comes of it. */
bool oribi_pass_keeps_op(const oribi_node *node);
/* Did a graph optimiser that stands for this pass (ORIBI_PASS_...) write the node? */
bool oribi_pass_is_off(const oribi_node *node, uint32_t pass);
/* Are both kernels one provider's, for one type of device? */
bool oribi_pass_are_together(const oribi_node *a, const oribi_node *b);

/* --- Constants (pass_constant.c) -----------------------------------------------------------------
 */

const oribi_constant_view *oribi_pass_constant(const oribi_graph *graph, oribi_value_id value);
int64_t oribi_pass_view_count(const oribi_constant_view *view);
bool oribi_pass_view_is_splat(const oribi_constant_view *view); /* one element stands for all */
bool oribi_pass_view_is_dense(const oribi_constant_view *view);
/* Byte strides, computed for a dense view. */
bool oribi_pass_view_strides(const oribi_constant_view *view, oribi_dims *out);
/* Bytes that the view really reads, at most; SIZE_MAX on overflow. */
size_t oribi_pass_view_bytes(const oribi_constant_view *view);
/* A float constant that holds `channels` values along the last axis and nothing along the others,
 * or a single value: written into out, converted to double. */
bool oribi_pass_channel_vector(const oribi_graph *graph, oribi_value_id value, int64_t channels,
                               double *out);
/* Constant of the same bytes seen with other dims and strides. */
oribi_value_id oribi_pass_add_view(oribi_graph *graph, const char *name, oribi_value_id of,
                                   const int64_t *dims, const int64_t *strides, int32_t rank,
                                   TF_Status *status);
/* The ints of a constant [rows], where columns is 1, or [rows, columns]; false: it is none such, or
 * one of them is no int32. */
bool oribi_pass_constant_rows(const oribi_graph *graph, oribi_value_id value, int32_t rows,
                              int32_t columns, int64_t *out);
oribi_value_id oribi_pass_add_ints(oribi_graph *graph, const char *name, const int64_t *values,
                                   int32_t count, TF_Status *status); /* int32, rank 1 */
oribi_value_id oribi_pass_add_floats(oribi_graph *graph, const char *name, const double *values,
                                     int64_t count, TF_Status *status); /* float, rank 1 */
/* Constant that reads `constant` with other dims of the same count, nothing copied; -1 with OK
 * status when its bytes do not lie so. */
oribi_value_id oribi_pass_add_reshaped(oribi_graph *graph, oribi_value_id constant,
                                       const int64_t *dims, int32_t rank, TF_Status *status);

/* --- Edits (pass_edit.c) -------------------------------------------------------------------------
 */

/* Adds and resolves a node of one output whose place is beside `like` (device, origin, name). */
oribi_node *oribi_pass_add_node(oribi_graph *graph, const char *op_name, const oribi_node *like,
                                const oribi_value_id *inputs, int32_t n_inputs,
                                const oribi_attr *attrs, int32_t n_attrs, TF_Status *status);
/* The same for a Reshape to dims, a Transpose by perm. */
oribi_node *oribi_pass_add_reshape(oribi_graph *graph, const oribi_node *like, oribi_value_id value,
                                   const oribi_dims *dims, TF_Status *status);
oribi_node *oribi_pass_add_transpose(oribi_graph *graph, const oribi_node *like,
                                     oribi_value_id value, const oribi_dims *perm,
                                     TF_Status *status);
/* `to` stands for `from` from now on: its uses, and its name when both are of one type. */
void oribi_pass_take_over(oribi_graph *graph, oribi_value_id from, oribi_value_id to);
/* Origin text of a node that does the work of both. */
const char *oribi_pass_join_origin(oribi_graph *graph, const char *first, const oribi_node *node);
/* Removes a node whose outputs are unused. */
void oribi_pass_drop(oribi_graph *graph, oribi_node *node);

/* infer.c: the shapes of one node's outputs again. */
bool oribi_pass_infer_node(oribi_graph *graph, oribi_node *node, TF_Status *status);

/* --- Between passes ------------------------------------------------------------------------- */

/* Kernel for one node; NULL with the reason in status. */
const oribi_kernel_def *oribi_pass_select(oribi_graph *graph, const oribi_node *node,
                                          const oribi_pass_options *options, TF_Status *status);
/* The same among the kernels with this label; NULL with NOT_FOUND where there is none. */
const oribi_kernel_def *oribi_pass_select_labelled(oribi_graph *graph, const oribi_node *node,
                                                   const char *label, TF_Status *status);
/* Chooses where there is a kernel and leaves NULL elsewhere. */
bool oribi_pass_choose_some(oribi_graph *graph, const oribi_pass_options *options,
                            TF_Status *status);
/* Reshape, Transpose, Reshape that only mix channels become Oribi>ChannelShuffle. */
bool oribi_pass_find_shuffles(oribi_graph *graph, const oribi_pass_options *options,
                              oribi_pass_report *report, TF_Status *status);
/* Convolutions whose filter sees one channel become depthwise layers. */
bool oribi_pass_find_depthwise(oribi_graph *graph, const oribi_pass_options *options,
                               oribi_pass_report *report, TF_Status *status);
/* Removes what does nothing: Identity, Reshape to the same shape, ... */
bool oribi_pass_simplify(oribi_graph *graph, oribi_pass_report *report, TF_Status *status);

#endif
