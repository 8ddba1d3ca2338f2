/* SPDX-License-Identifier: Apache-2.0 */
/* The table of float operators, and what their families share. Ops of elements and reductions that
 * have a kernel of their name need no row: lower_by_name.c. */
#include "compile/lower/float/lower_f32.h"

#include <string.h>

#include "micro/geometry/geometry_window.h"
#include "tensor/status.h"

const oribi_lower_row oribi_lower_f32_rows[] = {
    {"Conv2D", "conv2d", oribi_lower_conv2d_f32},
    {"_FusedConv2D", "conv2d", oribi_lower_conv2d_f32},
    {"DepthwiseConv2dNative", "depthwise_conv2d", oribi_lower_depthwise_f32},
    {"_FusedDepthwiseConv2dNative", "depthwise_conv2d", oribi_lower_depthwise_f32},
    {"Oribi>FusedDepthwiseConv2d", "depthwise_conv2d", oribi_lower_depthwise_f32},
    {"Conv2DBackpropInput", "transpose_conv", oribi_lower_transpose_conv_f32},
    {"ONNX>ConvTranspose", "transpose_conv", oribi_lower_conv_transpose_f32},
    {"MatMul", "matmul", oribi_lower_matmul_f32},
    {"_FusedMatMul", "matmul", oribi_lower_matmul_f32},
    {"BatchMatMul", "matmul", oribi_lower_matmul_f32},
    {"BatchMatMulV2", "matmul", oribi_lower_matmul_f32},
    {"Oribi>MatMul4Bits", "matmul", oribi_lower_matmul_4_bits},
    {"AvgPool", "average_pool", oribi_lower_pool_f32},
    {"Oribi>AvgPool", "average_pool", oribi_lower_pool_f32},
    {"MaxPool", "max_pool", oribi_lower_pool_f32},
    {"FusedBatchNormV3", "batch_norm", oribi_lower_batch_norm_f32},
    {"_FusedBatchNormEx", "batch_norm", oribi_lower_batch_norm_f32},
    {"Softmax", "softmax", oribi_lower_softmax_f32},
    {"LogSoftmax", "log_softmax", oribi_lower_softmax_f32},
    {"LRN", "lrn", oribi_lower_lrn_f32},
    {"ONNX>PRelu", "prelu", oribi_lower_binary_f32},
    {"Rint", "round", oribi_lower_unary_f32},
    {"ClipByValue", "clip", oribi_lower_unary_f32},
    {"AddV2", "add", oribi_lower_binary_f32},
    {"BiasAdd", "add", oribi_lower_binary_f32},
    {"RealDiv", "div", oribi_lower_binary_f32},
    {"Oribi>ChannelShuffle", "channel_shuffle", oribi_lower_channel_shuffle},
    {"ONNX>Resize", "resize", oribi_lower_resize_onnx},
    {"Oribi>TransformBilinear", "transform", oribi_lower_transform_bilinear},
    {"Less", "compare", oribi_lower_compare},
    {"LessEqual", "compare", oribi_lower_compare},
    {"Greater", "compare", oribi_lower_compare},
    {"GreaterEqual", "compare", oribi_lower_compare},
    {"Equal", "compare", oribi_lower_compare},
    {"NotEqual", "compare", oribi_lower_compare},
    {"LogicalAnd", "logical", oribi_lower_logical},
    {"LogicalOr", "logical", oribi_lower_logical},
    {"LogicalNot", "logical", oribi_lower_logical_not},
    {"Select", "select", oribi_lower_select},
    {"SelectV2", "select", oribi_lower_select},
    {"Tile", "tile", oribi_lower_tile},
    {"BroadcastTo", "broadcast", oribi_lower_broadcast},
    {NULL, "", NULL},
};

bool oribi_lower_refuse(oribi_lowering *lowering, const oribi_call *call, const char *what)
{
    return oribi_fail(lowering->status, TF_UNIMPLEMENTED, "node '%s' (%s): %s", call->node->name,
                      call->node->op_name, what);
}

/* Else fails, and names the value. */
static bool fits(oribi_lowering *lowering, const oribi_call *call, const oribi_value_id *ids,
                 int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const oribi_value *value = lowering->graph->values[ids[i]];
        const int64_t count = oribi_lower_count(value);
        if (value->shape.rank > ORIBI_MAX_LOWERED_RANK) {
            return oribi_lower_refuse_rank(lowering, call, value);
        }
        if (count < 1 || count > INT32_MAX / 8 * 4) {
            return oribi_fail(lowering->status, TF_UNIMPLEMENTED, "node '%s' (%s): '%s' %s",
                              call->node->name, call->node->op_name, value->name,
                              count < 1 ? "is empty, which compiled code does not support"
                                        : "has 2^30 elements or more, too many for compiled code");
        }
    }
    return true;
}

bool oribi_lower_is_plain(oribi_lowering *lowering, const oribi_call *call)
{
    const oribi_node *node = call->node;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        if (node->inputs[i] < 0) {
            return oribi_lower_refuse(lowering, call, "lacks an input");
        }
    }
    ORIBI_TRY(fits(lowering, call, node->inputs, node->n_inputs));
    ORIBI_TRY(fits(lowering, call, node->outputs, 1));
    return oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype) >= 0 ||
           oribi_lower_refuse(lowering, call, "has elements of a type that cannot be compiled");
}

bool oribi_lower_is_f32(oribi_lowering *lowering, const oribi_call *call)
{
    ORIBI_TRY(oribi_lower_is_plain(lowering, call));
    return (oribi_lower_output(lowering, call)->dtype == TF_FLOAT &&
            oribi_lower_input(lowering, call, 0)->dtype == TF_FLOAT &&
            !oribi_lower_is(call, "data_format", "NCHW")) ||
           oribi_lower_refuse(lowering, call, "compiles for float elements in NHWC order only");
}

bool oribi_lower_word(const oribi_string *word, const char *text)
{
    return oribi_string_is(*word, text);
}

static int32_t read_before(const oribi_call *call, int32_t axis, const struct oribi_micro_axis *a)
{
    if (oribi_lower_is(call, "padding", "EXPLICIT")) {
        return oribi_lower_list(call, "explicit_paddings", 2 + 2 * axis, 0);
    }
    oribi_geometry_window w = {.in = a->in,
                               .taps = a->filter,
                               .stride = a->stride,
                               .dilation = a->dilation,
                               .padding = ORIBI_GEOMETRY_SAME};
    const bool is_same =
        oribi_lower_is(call, "padding", "SAME") && oribi_geometry_slide(&w) == ORIBI_GEOMETRY_FITS;
    return is_same && w.before <= INT32_MAX ? (int32_t)w.before : 0;
}

bool oribi_lower_axes(oribi_lowering *lowering, const oribi_call *call, const int32_t in[4],
                      const int32_t out[4], const int32_t filter[2],
                      struct oribi_micro_axis axes[2])
{
    for (int32_t i = 0; i < 2; i++) {
        axes[i] =
            (struct oribi_micro_axis){.in = in[i + 1],
                                      .filter = filter[i],
                                      .stride = oribi_lower_list(call, "strides", i + 1, 1),
                                      .dilation = oribi_lower_list(call, "dilations", i + 1, 1),
                                      .out = out[i + 1]};
        axes[i].before = read_before(call, i, &axes[i]);
    }
    const int32_t code = oribi_micro_window_fits(&axes[0], &axes[1], in[3]);
    return code == ORIBI_MICRO_OK || oribi_lower_fail(lowering, call, code);
}

TF_Tensor *oribi_lower_constant_tensor(oribi_lowering *lowering, const oribi_call *call,
                                       int32_t index, TF_DataType type)
{
    const oribi_value *value = oribi_lower_input(lowering, call, index);
    if (value->constant == NULL || value->dtype != type) {
        oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                   "node '%s' (%s): input %d is %s; compiled code needs it as a constant of type "
                   "%s",
                   call->node->name, call->node->op_name, (int)index,
                   value->constant == NULL ? "computed" : oribi_dtype_name(value->dtype),
                   oribi_dtype_name(type));
        return NULL;
    }
    return oribi_graph_constant_tensor(lowering->graph, call->node->inputs[index],
                                       lowering->status);
}

const char *oribi_lower_f32_kernel(oribi_lowering *lowering, const oribi_call *call)
{
    oribi_lower_row row;
    const char *name = oribi_lower_find(call->node, &row)
                           ? oribi_arena_printf(lowering->arena, "%s_f32", row.stem)
                           : NULL;
    if (name == NULL) {
        oribi_fail_memory(lowering->status);
    }
    return name;
}
