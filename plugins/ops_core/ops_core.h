/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in ops as data: one row per op, or for the ops that differ in nothing but their names,
 * one table per family, TensorFlow's definitions to the letter (tests/peer/compare_ops.py
 * compares). Written against include/ alone, as any plugin. Read next: ops_core_plugin.c, which
 * registers the rows, and shape_functions.h, with which the shape functions are made.
 */
#ifndef ORIBI_PLUGINS_OPS_CORE_H_
#define ORIBI_PLUGINS_OPS_CORE_H_

#include "tensorflow/c/op_traits.h"
#include "tensorflow/c/shape_inference.h"

enum { ORIBI_OPS_COMMUTATIVE = 1, ORIBI_OPS_AGGREGATE = 2, ORIBI_OPS_STATEFUL = 4 };

typedef struct oribi_ops_row {
    const char *name;   /* or names with " " before each; NULL ends a table */
    const char *inputs; /* specs with "; " between them, or NULL */
    const char *outputs;
    const char *attrs;
    const char *traits; /* what is said of it: tensorflow/c/op_traits.h */
    const char *fuses;  /* the chains and formulas that it stands for, a line each, or NULL */
    unsigned flags;
    void (*shape)(TF_ShapeInferenceContext *ctx, TF_Status *status);
} oribi_ops_row;

/* Allowed types that several ops share, in the order of TensorFlow's registry. */
#define ORIBI_OPS_FLOATS           "{half, bfloat16, float, double}"
#define ORIBI_OPS_FLOATS_B         "{bfloat16, half, float, double}"
#define ORIBI_OPS_INDEX            "{int32, int64}"
#define ORIBI_OPS_INDEX_DEFAULT    "{int32, int64} = DT_INT32"
#define ORIBI_OPS_PADDING          "padding: {'SAME', 'VALID'}"
#define ORIBI_OPS_PADDING_EXPLICIT "padding: {'SAME', 'VALID', 'EXPLICIT'}"
#define ORIBI_OPS_FORMAT           "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
#define ORIBI_OPS_FORMAT_3D        "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"

/* What a layer takes along, in TensorFlow's words and three of ours. */
#define ORIBI_OPS_EPILOGUE                                                                         \
    "BiasAdd=0 Add? Relu|Relu6|Elu|LeakyRelu|Tanh|Sigmoid|ONNX>Swish|ONNX>HardSwish|ONNX>PRelu?"

extern const oribi_ops_row oribi_ops_source[], oribi_ops_unary[], oribi_ops_binary[],
    oribi_ops_select[], oribi_ops_conv[], oribi_ops_pool[], oribi_ops_matmul[], oribi_ops_einsum[],
    oribi_ops_normalize[], oribi_ops_reshape[], oribi_ops_join[], oribi_ops_slice[],
    oribi_ops_gather[], oribi_ops_pad[], oribi_ops_space[], oribi_ops_reduce[], oribi_ops_index[],
    oribi_ops_image[], oribi_ops_variable[], oribi_ops_onnx[], oribi_ops_onnx_axes[],
    oribi_ops_onnx_index[], oribi_ops_quantized[], oribi_ops_qlinear[],
    oribi_ops_qlinear_elements[], oribi_ops_recurrent[], oribi_ops_device[], oribi_ops_picture[],
    oribi_ops_signal[], oribi_ops_control[], oribi_ops_segment[], oribi_ops_detection[],
    oribi_ops_audio[], oribi_ops_text[], oribi_ops_tensorflow_text[], oribi_ops_example[],
    oribi_ops_list[];

#endif
