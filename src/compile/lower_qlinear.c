/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of ONNX's quantised convolution. */
#include "compile/lower.h"
#include "micro/qlinear_conv2d.h"
#include "tensor/status.h"

static int32_t result_of(TF_DataType type)
{
    return type == TF_INT32   ? ORIBI_MICRO_QLINEAR_S32
           : type == TF_UINT8 ? ORIBI_MICRO_QLINEAR_U8
                              : ORIBI_MICRO_QLINEAR_S8;
}

bool oribi_lower_qlinear_conv2d(oribi_lowering *lowering, oribi_call *call)
{
    int32_t in[4], out[4], filter[4];
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const oribi_value *w = oribi_lower_input(lowering, call, 1);
    const oribi_value *y = oribi_lower_output(lowering, call);
    ORIBI_TRY(oribi_lower_dims(lowering, call, x, in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, w, filter));
    ORIBI_TRY(oribi_lower_dims(lowering, call, y, out));
    if (oribi_lower_count(x) > INT32_MAX || oribi_lower_count(w) > INT32_MAX ||
        oribi_lower_count(y) > INT32_MAX / 4) {
        return oribi_fail(lowering->status, TF_UNIMPLEMENTED, "node '%s' (%s): too large",
                          call->node->name, call->node->op_name);
    }
    call->kernel = "qlinear_conv2d";
    call->n_inputs = 5;
    call->macs = oribi_lower_count(y) * filter[0] * filter[1] * filter[2];
    oribi_call_number(call, "batch", in[0]);
    oribi_call_number(call, "in_h", in[1]);
    oribi_call_number(call, "in_w", in[2]);
    oribi_call_number(call, "in_c", in[3]);
    oribi_call_number(call, "out_h", out[1]);
    oribi_call_number(call, "out_w", out[2]);
    oribi_call_number(call, "out_c", out[3]);
    oribi_call_number(call, "filter_h", filter[0]);
    oribi_call_number(call, "filter_w", filter[1]);
    oribi_call_number(call, "stride_h", oribi_lower_list(call, "strides", 0, 1));
    oribi_call_number(call, "stride_w", oribi_lower_list(call, "strides", 1, 1));
    oribi_call_number(call, "dilation_h", oribi_lower_list(call, "dilations", 0, 1));
    oribi_call_number(call, "dilation_w", oribi_lower_list(call, "dilations", 1, 1));
    oribi_call_number(call, "before_h", oribi_lower_list(call, "pads", 0, 0));
    oribi_call_number(call, "before_w", oribi_lower_list(call, "pads", 1, 0));
    oribi_call_number(call, "groups", in[3] / filter[2]);
    oribi_call_number(call, "input_signed", x->dtype == TF_INT8 ? 1 : 0);
    oribi_call_number(call, "filter_signed", w->dtype == TF_INT8 ? 1 : 0);
    oribi_call_number(call, "input_zero", oribi_lower_int(call, "input_zero", 0));
    oribi_call_number(call, "output_zero", oribi_lower_int(call, "output_zero", 0));
    oribi_call_number(call, "output", result_of(y->dtype));
    return true;
}
