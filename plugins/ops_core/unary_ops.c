/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise ops of one input: the shape stays. */
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void bitcast(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    TF_DataType from, to;
    if (!oribi_ops_input(ctx, 0, &shape, status)) {
        return;
    }
    TF_ShapeInferenceContext_GetAttrType(ctx, "T", &from, status);
    if (TF_GetCode(status) != TF_OK) {
        return;
    }
    TF_ShapeInferenceContext_GetAttrType(ctx, "type", &to, status);
    if (TF_GetCode(status) != TF_OK) {
        return;
    }
    int64_t in = (int64_t)TF_DataTypeSize(from), out = (int64_t)TF_DataTypeSize(to);
    if (shape.n >= 0 && in < out) { /* the last dimension becomes one element */
        if (!oribi_ops_at_least(&shape, 1, status)) {
            return;
        }
        if (shape.at[shape.n - 1] >= 0 && shape.at[shape.n - 1] != out / in) {
            oribi_ops_fail(status, "Cannot bitcast: the last dimension must be %d and is %d",
                           (int)(out / in), (int)shape.at[shape.n - 1]);
            return;
        }
        shape.n--;
    } else if (shape.n >= 0 && in > out) {
        int64_t parts = in / out;
        if (!oribi_ops_append(&shape, &parts, 1, status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &shape, status);
}

const oribi_ops_row oribi_ops_unary[] = {
    {.name = "Relu",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: {realnumbertype, qint8}",
     .traits = "elementwise; computes(relu)",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Relu6",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: realnumbertype",
     .traits = "elementwise; computes(relu6)",
     .shape = oribi_ops_shape_unchanged},
    {.name = "LeakyRelu",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "alpha: float = 0.2; T: {half, bfloat16, float, double} = DT_FLOAT",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = " Elu Selu Softplus Softsign",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: " ORIBI_OPS_FLOATS,
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = " Sigmoid Tanh Exp Expm1 Log Log1p Sqrt Rsqrt Sin Cos Tan Asin Acos Atan Sinh Cosh "
             "Asinh Acosh Atanh",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = " Neg Reciprocal Round Sign",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs =
         "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Abs",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, int16, int32, int64}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Square",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, "
              "uint32, uint64, complex64, complex128}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = " Floor Ceil Rint Erf Erfc Lgamma",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS_B,
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = " IsNan IsInf IsFinite",
     .inputs = "x: T",
     .outputs = "y: bool",
     .attrs = "T: " ORIBI_OPS_FLOATS_B,
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "LogicalNot",
     .inputs = "x: bool",
     .outputs = "y: bool",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Invert",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Cast",
     .inputs = "x: SrcT",
     .outputs = "y: DstT",
     .attrs = "SrcT: type; DstT: type; Truncate: bool = false",
     .traits = "elementwise; identity if SrcT = DstT",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Bitcast",
     .inputs = "input: T",
     .outputs = "output: type",
     .attrs = "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, "
              "int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}; "
              "type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, "
              "int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}",
     .traits = "elementwise if size(T) = size(type); identity if T = type",
     .shape = bitcast},
    {.name = NULL},
};
