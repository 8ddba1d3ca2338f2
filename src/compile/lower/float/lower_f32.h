/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of TensorFlow's float operators, of those that repeat elements (lower_repeat.c) and of
 * those that choose them (lower_select.c). One file per family (lower_f32_*.c); lower_f32.c has the
 * table and what they share.
 */
#ifndef ORIBI_COMPILE_LOWER_F32_H_
#define ORIBI_COMPILE_LOWER_F32_H_

#include "compile/lower/lower.h"
#include "micro/prepare.h"

oribi_lower_function oribi_lower_conv2d_f32, oribi_lower_depthwise_f32, oribi_lower_matmul_f32,
    oribi_lower_matmul_4_bits, oribi_lower_transpose_conv_f32, oribi_lower_conv_transpose_f32,
    oribi_lower_pool_f32, oribi_lower_unary_f32, oribi_lower_binary_f32, oribi_lower_batch_norm_f32,
    oribi_lower_softmax_f32, oribi_lower_lrn_f32, oribi_lower_reduce_f32,
    oribi_lower_channel_shuffle, oribi_lower_tile, oribi_lower_broadcast,
    oribi_lower_transform_bilinear, oribi_lower_resize_onnx, oribi_lower_compare,
    oribi_lower_logical, oribi_lower_logical_not, oribi_lower_select;

/* UNIMPLEMENTED: "node 'x' (Conv2D): <what>"; false. */
bool oribi_lower_refuse(oribi_lowering *lowering, const oribi_call *call, const char *what);
/* lower_by_name.c: the row that an op of ours would have whose kernel bears its name. False: there
 * is no such kernel. */
bool oribi_lower_by_name(const oribi_node *node, oribi_lower_row *out);
/* Refuses unless output 0 is float and no size leaves int32. */
bool oribi_lower_is_f32(oribi_lowering *lowering, const oribi_call *call);
/* The same for elements of any type that is stored plainly. */
bool oribi_lower_is_plain(oribi_lowering *lowering, const oribi_call *call);
bool oribi_lower_word(const oribi_string *word, const char *text);
/* Reads the spatial axes of a window op in TensorFlow's NHWC form, whose windows of `filter` slide
 * over `in` and make `out`. Refuses those whose places leave int32. */
bool oribi_lower_axes(oribi_lowering *lowering, const oribi_call *call, const int32_t in[4],
                      const int32_t out[4], const int32_t filter[2],
                      struct oribi_micro_axis axes[2]);
/* A dense constant input, to be deleted; NULL with a message. */
TF_Tensor *oribi_lower_constant_tensor(oribi_lowering *lowering, const oribi_call *call,
                                       int32_t index, TF_DataType type);
/* "relu_f32": the kernel that bears the name of the call's row; NULL: no memory. */
const char *oribi_lower_f32_kernel(oribi_lowering *lowering, const oribi_call *call);

#endif
