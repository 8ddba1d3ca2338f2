/* SPDX-License-Identifier: Apache-2.0 */
/* The table of what can be compiled, and the walk over the graph. */
#include "compile/lower/float/lower_f32.h"
#include "compile/common/c_names.h"
#include "compile/lower/rings/rings.h"

#include <stdio.h>
#include <string.h>

#include "op/traits.h"
#include "target/target.h"
#include "tensor/patience.h"
#include "tensor/status.h"

static const oribi_lower_row rows[] = {
    {"Oribi>QConv2D", "conv2d", oribi_lower_conv2d},
    {"Oribi>QDepthwiseConv2D", "depthwise_conv2d", oribi_lower_depthwise_conv2d},
    {"Oribi>QFullyConnected", "fully_connected", oribi_lower_fully_connected},
    {"Oribi>QRealFullyConnected", "fully_connected", oribi_lower_real_fully_connected},
    {"Oribi>QAdd", "add", oribi_lower_add},
    {"Oribi>QSub", "sub", oribi_lower_sub},
    {"Oribi>QMul", "mul", oribi_lower_mul},
    {"Oribi>QDiv", "div", oribi_lower_q_div},
    {"Oribi>QSquaredDifference", "squared_difference", oribi_lower_squared_difference},
    {"Oribi>QCompare", "compare", oribi_lower_q_compare},
    {"Oribi>ThroughBytes", "through_bytes", oribi_lower_through_bytes},
    {"Oribi>RowsToBytes", "rows_to_bytes", oribi_lower_rows_to_bytes},
    {"Oribi>QL2Normalize", "l2_normalize", oribi_lower_l2_normalize},
    {"Oribi>QAveragePool", "average_pool", oribi_lower_average_pool},
    {"Oribi>QMaxPool", "max_pool", oribi_lower_max_pool},
    {"Oribi>QSoftmax", "softmax", oribi_lower_softmax},
    {"Oribi>QWideSoftmax", "softmax", oribi_lower_wide_softmax},
    {"Oribi>QUnary", "unary", oribi_lower_unary},
    {"Oribi>QMean", "mean", oribi_lower_mean},
    {"Oribi>QSum", "sum", oribi_lower_sum},
    {"Oribi>QProd", "prod", oribi_lower_q_prod},
    {"Oribi>QCumsum", "cumsum", oribi_lower_q_cumsum},
    {"Oribi>QLogSoftmax", "log_softmax", oribi_lower_q_log_softmax},
    {"Oribi>QPRelu", "prelu", oribi_lower_prelu},
    {"Oribi>QBatchMatMul", "batch_matmul", oribi_lower_batch_matmul},
    {"Oribi>QTransposeConv", "transpose_conv", oribi_lower_transpose_conv},
    {"Oribi>QWideTransposeConv", "transpose_conv", oribi_lower_wide_transpose_conv},
    {"Oribi>QResizeBilinear", "resize", oribi_lower_resize_bilinear},
    {"ResizeBilinear", "resize", oribi_lower_resize_bilinear},
    {"Oribi>QQuantize", "quantize", oribi_lower_quantize},
    {"Oribi>QDequantize", "dequantize", oribi_lower_dequantize},
    {"Oribi>QRequantize", "requantize", oribi_lower_requantize},
    {"Maximum", "maximum", oribi_lower_maximum},
    {"Minimum", "minimum", oribi_lower_minimum},
    {"Cast", "cast", oribi_lower_cast},
    {"Oribi>QWideConv2D", "conv2d", oribi_lower_wide_conv2d},
    {"Oribi>QSvdf", "svdf", oribi_lower_q_svdf},
    {"Oribi>QNarrowSvdf", "svdf", oribi_lower_q_narrow_svdf},
    {"Oribi>Svdf", "svdf", oribi_lower_svdf},
    {"Oribi>QLstm", "lstm", oribi_lower_q_lstm},
    {"Oribi>LstmFull", "lstm", oribi_lower_lstm_full},
    {"ONNX>LSTM", "lstm", oribi_lower_onnx_lstm},
    {"Oribi>DynamicLstm", "dynamic_lstm", oribi_lower_dynamic_lstm},
    {"ONNX>GRU", "gru", oribi_lower_onnx_gru},
    {"ONNX>RNN", "rnn", oribi_lower_onnx_rnn},
    {"Oribi>HybridRnn", "rnn", oribi_lower_hybrid_rnn},
    {"Oribi>LoopBegin", "loop_begin", oribi_lower_loop_begin},
    {"Oribi>LoopNext", "loop_next", oribi_lower_loop_next},
    {"Transpose", "transpose", oribi_lower_transpose},
    {"DepthToSpace", "depth_to_space", oribi_lower_space},
    {"SpaceToDepth", "space_to_depth", oribi_lower_space},
    {"ReverseV2", "reverse", oribi_lower_reverse},
    {"ArgMax", "arg_max", oribi_lower_extreme_index},
    {"ArgMin", "arg_min", oribi_lower_extreme_index},
    {"TopKV2", "top_k", oribi_lower_top_k},
    {"ONNX>Pad", "pad", oribi_lower_pad_axes},
    {"Slice", "slice", oribi_lower_slice},
    {"StridedSlice", "strided_slice", oribi_lower_strided_slice},
    {"ConcatV2", "concat", oribi_lower_concat},
    {"Pack", "pack", oribi_lower_pack},
    {"Split", "split", oribi_lower_split},
    {"SplitV", "split", oribi_lower_split_v},
    {"Unpack", "unpack", oribi_lower_unpack},
    {"GatherV2", "gather", oribi_lower_gather},
    {"ONNX>GatherElements", "gather_elements", oribi_lower_gather_elements},
    {"ONNX>GatherND", "gather_nd", oribi_lower_gather_nd},
    {"ONNX>ScatterElements", "scatter_elements", oribi_lower_scatter_elements},
    {"ONNX>ScatterND", "scatter_nd", oribi_lower_scatter_nd},
    {"ONNX>Trilu", "trilu", oribi_lower_trilu},
    {"Oribi>UpdateSlice", "put_block", oribi_lower_update_slice},
    {"ONNX>OneHot", "one_hot", oribi_lower_one_hot},
    {"Cumsum", "cumsum", oribi_lower_cumsum},
    {"ReverseSequence", "reverse_sequence", oribi_lower_reverse_sequence},
    {"Pad", "pad", oribi_lower_pad},
    {"PadV2", "pad", oribi_lower_pad},
    {"MirrorPad", "mirror_pad", oribi_lower_mirror_pad},
    {"ResizeNearestNeighbor", "resize", oribi_lower_resize_nearest},
    {"Oribi>Region", "region", oribi_lower_region},
    {"ONNX>QLinearConv2D", "conv2d", oribi_lower_qlinear_conv2d},
    {"Oribi>HybridConv2D", "conv2d", oribi_lower_hybrid_conv2d},
    {"ONNX>QLinearMatMul", "matmul", oribi_lower_qlinear_matmul},
    {"ONNX>QLinearAveragePool", "average_pool", oribi_lower_qlinear_average_pool},
    {"ONNX>QLinearMaxPool", "max_pool", oribi_lower_qlinear_max_pool},
    {"ONNX>QLinearAdd", "add", oribi_lower_qlinear_add},
    {"ONNX>QLinearMul", "mul", oribi_lower_qlinear_mul},
    {"ONNX>QLinearMean", "mean", oribi_lower_qlinear_mean},
    {"ONNX>QLinearSoftmax", "softmax", oribi_lower_qlinear_softmax},
    {"ONNX>QLinearTable", "table", oribi_lower_qlinear_table},
    {"ONNX>QuantizeLinear", "quantize", oribi_lower_quantize_linear},
    {"ONNX>DequantizeLinear", "dequantize", oribi_lower_dequantize_linear},
    {"ONNX>DynamicQuantizeLinear", "quantize", oribi_lower_dynamic_quantize_linear},
    {"Oribi>SignalWindow", "window", oribi_lower_signal_window},
    {"Oribi>SignalFftAutoScale", "auto_scale", oribi_lower_signal_auto_scale},
    {"Oribi>SignalEnergy", "energy", oribi_lower_signal_energy},
    {"Oribi>SignalFilterBank", "filter_bank", oribi_lower_filter_bank},
    {"Oribi>SignalFilterBankSquareRoot", "filter_bank_root", oribi_lower_filter_bank_root},
    {"Oribi>SignalFilterBankLog", "filter_bank_log", oribi_lower_filter_bank_log},
    {"Oribi>SignalSpectralSubtraction", "spectral_subtraction", oribi_lower_spectral_subtraction},
    {"Oribi>SignalPcan", "gain", oribi_lower_signal_gain},
    {"Oribi>SignalOverlapAdd", "overlap_add", oribi_lower_overlap_add},
    {"Oribi>SignalRfft", "rfft", oribi_lower_rfft},
    {"Oribi>SignalIrfft", "irfft", oribi_lower_irfft},
    {"GatherNd", "gather_nd", oribi_lower_gather_nd},
    {"SpaceToBatchND", "space_to_batch", oribi_lower_space_to_batch},
    {"BatchToSpaceND", "batch_to_space", oribi_lower_batch_to_space},
    {"Fill", "fill", oribi_lower_fill},
    {"ZerosLike", "zeros", oribi_lower_zeros_like},
    {"Oribi>DetectionPostProcess", "detection", oribi_lower_detection},
    {"Max", "reduce_max", oribi_lower_reduce_extreme},
    {"Min", "reduce_min", oribi_lower_reduce_extreme},
    {"All", "reduce_all", oribi_lower_reduce_extreme},
    {"Any", "reduce_any", oribi_lower_reduce_extreme},
    {NULL, "", NULL},
};

/* The same bytes under another shape, whatever op says so. */
static bool lower_view(oribi_lowering *lowering, oribi_call *call)
{
    const oribi_node *node = call->node;
    oribi_traits traits;
    (void)lowering;
    oribi_op_traits(node->op, &node->attrs, &node->signature, &traits);
    call->is_view = true;
    call->inputs = &node->inputs[traits.data];
    call->n_inputs = 1;
    return true;
}

bool oribi_lower_find(const oribi_node *node, oribi_lower_row *out)
{
    static const oribi_lower_row *const tables[] = {rows, oribi_lower_f32_rows};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (const oribi_lower_row *row = tables[i]; row->op != NULL; row++) {
            if (strcmp(row->op, node->op_name) == 0) {
                *out = *row;
                return true;
            }
        }
    }
    const oribi_target_kernel *own = oribi_target_kernel_find(node->op_name, &node->attrs);
    if (own != NULL) {
        *out = (oribi_lower_row){own->op, "", oribi_lower_own};
        (void)snprintf(out->stem, sizeof out->stem, "%s", own->name);
        return true;
    }
    *out = (oribi_lower_row){NULL, "view", lower_view};
    return oribi_op_is(node->op, &node->attrs, ORIBI_TRAIT_VIEW) || oribi_lower_by_name(node, out);
}

/* The guard becomes an input, so that it is computed before and is kept until then. */
static bool add_guard(oribi_lowering *lowering, oribi_call *call)
{
    if (call->node->guard == 0 || call->is_view) {
        return true;
    }
    const size_t n = (size_t)call->n_inputs;
    oribi_value_id *inputs =
        oribi_claim_array(lowering->arena, n + 1, sizeof *inputs, lowering->status);
    ORIBI_TRY(inputs != NULL);
    memcpy(inputs, call->inputs, n * sizeof *inputs);
    inputs[n] = call->node->guard - 1;
    call->inputs = inputs;
    call->n_inputs++;
    call->is_guarded = true;
    return true;
}

bool oribi_lower_call(oribi_lowering *lowering, oribi_call *call)
{
    const oribi_node *node = call->node;
    const char *name = call->name;
    oribi_lower_row row;
    *call = (oribi_call){.node = node,
                         .inputs = node->inputs,
                         .name = name,
                         .fused = call->fused,
                         .n_outputs = node->n_outputs,
                         .forbids_overlap = call->forbids_overlap,
                         .forbids_views = call->forbids_views};
    ORIBI_TRY(call->fused != NULL ? oribi_lower_conv2d_add(lowering, call)
                                  : oribi_lower_find(node, &row) && row.lower(lowering, call));
    return add_guard(lowering, call);
}

/* Every operator that has no row, a line each. */
static bool report_missing(oribi_lowering *lowering)
{
    const oribi_graph *graph = lowering->graph;
    oribi_text text = {0};
    int32_t n_missing = 0;
    for (int32_t i = 0; i < graph->n_order; i++) {
        const oribi_node *node = graph->nodes[graph->order[i]];
        oribi_lower_row row;
        if (!oribi_lower_find(node, &row)) {
            n_missing++;
            oribi_text_append(&text, "\n  ");
            oribi_compile_append_safe(&text, node->op_name);
            oribi_text_append(&text, "  node '");
            oribi_compile_append_safe(&text, node->name);
            oribi_text_append(&text, "'");
            const oribi_target *target = oribi_target_taking(node->op_name);
            if (target != NULL) {
                oribi_text_printf(&text, "; --target-device %s may take it", target->name);
            }
        }
    }
    if (n_missing > 0) {
        oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                   "%d of %d operators cannot be compiled to C yet (`oribi run` may run them):%s",
                   (int)n_missing, (int)graph->n_order, oribi_text_string(&text));
    }
    oribi_text_destroy(&text);
    return n_missing == 0;
}

/* Sizes and offsets of emitted code are int32. */
static bool is_addressable(const oribi_value *value)
{
    int64_t bytes = (int64_t)oribi_dtype_bytes(value->dtype);
    for (int32_t i = 0; i < value->shape.rank && bytes > 0; i++) {
        if (value->shape.dims[i] > INT32_MAX / bytes) {
            return false;
        }
        bytes *= value->shape.dims[i];
    }
    return true;
}

static bool check_value(oribi_lowering *lowering, const oribi_node *node, oribi_value_id id)
{
    const oribi_value *value = id < 0 ? NULL : lowering->graph->values[id];
    const bool is_known = value == NULL || oribi_shape_is_full(&value->shape);
    if (value == NULL || (is_known && is_addressable(value))) {
        return true;
    }
    oribi_text text = {0};
    oribi_compile_append_safe(&text, value->name);
    oribi_fail(lowering->status, TF_INVALID_ARGUMENT,
               is_known ? "node '%s': '%s' has 2 GiB or more, which emitted code does not address"
                        : "node '%s': the shape of '%s' is not known before a run; compiled models "
                          "need fixed shapes (fix the inputs with --shape NAME=1x3x224x224)",
               node->name, oribi_text_string(&text));
    oribi_text_destroy(&text);
    return false;
}

/* "conv2d_add_3"; of a part of operator 3 "conv2d_add_3_0". */
static const char *name_of(oribi_lowering *lowering, const oribi_call *call, int32_t number,
                           int32_t part)
{
    oribi_lower_row row;
    (void)oribi_lower_find(call->node, &row); /* it was found when the call was made */
    const char *name = oribi_arena_printf(lowering->arena, "%s%s_%d",
                                          call->fused != NULL ? "conv2d_" : "", row.stem, number);
    return part < 0 || name == NULL ? name
                                    : oribi_arena_printf(lowering->arena, "%s_%d", name, part);
}

bool oribi_lower_name(oribi_lowering *lowering, oribi_call *calls, int32_t n_calls)
{
    int32_t number = 0; /* of the next operator */
    for (int32_t i = 0; i < n_calls; i++) {
        oribi_rings *rings = calls[i].rings;
        bool has_memory = true;
        for (int32_t k = 0; rings != NULL && k < rings->n_parts; k++) {
            oribi_call *part = &rings->parts[k].call;
            part->name = name_of(lowering, part, number, k);
            has_memory = has_memory && part->name != NULL;
        }
        calls[i].name = rings != NULL ? oribi_arena_printf(lowering->arena, "rings_%d", number)
                                      : name_of(lowering, &calls[i], number, -1);
        if (calls[i].name == NULL || !has_memory) {
            return oribi_fail_memory(lowering->status);
        }
        number += oribi_call_is_operator(&calls[i]) ? 1 : 0;
    }
    return true;
}

bool oribi_lower_graph(oribi_lowering *lowering, oribi_call **out_calls, int32_t *out_n_calls)
{
    const oribi_graph *graph = lowering->graph;
    ORIBI_TRY(report_missing(lowering));
    oribi_call *calls = oribi_claim_array(lowering->arena, (size_t)graph->n_order + 1,
                                          sizeof *calls, lowering->status);
    ORIBI_TRY(calls != NULL);
    for (int32_t i = 0; i < graph->n_order; i++) {
        const oribi_node *node = graph->nodes[graph->order[i]];
        for (int32_t k = 0; k < node->n_inputs; k++) {
            ORIBI_TRY(check_value(lowering, node, node->inputs[k]));
        }
        for (int32_t k = 0; k < node->n_outputs; k++) {
            const bool is_needed = k == 0 || graph->values[node->outputs[k]]->n_uses > 0;
            ORIBI_TRY(!is_needed || check_value(lowering, node, node->outputs[k]));
        }
        calls[i].node = node;
        ORIBI_TRY(oribi_patience_left(lowering->status));
        ORIBI_TRY(oribi_lower_call(lowering, &calls[i]));
    }
    *out_calls = calls;
    *out_n_calls = graph->n_order;
    return oribi_lower_fuse(lowering, calls, out_n_calls);
}
