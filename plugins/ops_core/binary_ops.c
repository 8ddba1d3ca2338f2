/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise ops of two inputs that broadcast against each other, AddN and StringJoin. */
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Equal and NotEqual may be told to answer "different" for shapes that do not broadcast. */
static void compare(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape a, b, result;
    bool strict;
    if (oribi_ops_attr_bool(ctx, "incompatible_shape_error", &strict, status) &&
        oribi_ops_input(ctx, 0, &a, status) && oribi_ops_input(ctx, 1, &b, status) &&
        oribi_ops_broadcast(&a, &b, strict, &result, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

/* All inputs have one shape. */
static void add_n(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape all, one;
    oribi_ops_set_unknown(&all);
    for (int i = 0; i < (int)TF_ShapeInferenceContextNumInputs(ctx); i++) {
        if (!oribi_ops_input(ctx, i, &one, status) || !oribi_ops_merge(&all, &one, status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &all, status);
}

/* Scalars go with any shape; the others must agree. */
static void string_join(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape all = {.n = 0}, one;
    bool unknown = false;
    for (int i = 0; i < (int)TF_ShapeInferenceContextNumInputs(ctx); i++) {
        if (!oribi_ops_input(ctx, i, &one, status)) {
            return;
        }
        if (one.n < 0) {
            unknown = true;
        } else if (one.n > 0) {
            if (all.n > 0 && !oribi_ops_merge(&all, &one, status)) {
                return;
            }
            all = all.n > 0 ? all : one;
        }
    }
    if (unknown && all.n == 0) {
        oribi_ops_set_unknown(&all);
    }
    oribi_ops_output(ctx, 0, &all, status);
}

const oribi_ops_row oribi_ops_binary[] = {
    {.name = "Add",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
              "complex128, string}",
     .traits = "elementwise; computes(sum) if T != string",
     .shape = oribi_ops_shape_broadcast},
    {.name = "AddV2",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, "
              "int32, int64, complex64, complex128}",
     .traits = "elementwise; computes(sum)",
     .flags = ORIBI_OPS_COMMUTATIVE | ORIBI_OPS_AGGREGATE,
     .shape = oribi_ops_shape_broadcast},
    {.name = "Sub",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, "
              "complex64, complex128, uint32, uint64}",
     .traits = "elementwise; computes(difference)",
     .shape = oribi_ops_shape_broadcast},
    {.name = "Mul",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
              "uint64, int64, complex64, complex128}",
     .traits = "elementwise; computes(product)",
     .flags = ORIBI_OPS_COMMUTATIVE,
     .shape = oribi_ops_shape_broadcast},
    {.name = " Div RealDiv",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
              "uint64, int64, complex64, complex128}",
     .traits = "elementwise; computes(quotient)",
     .shape = oribi_ops_shape_broadcast},
    {.name = " TruncateDiv FloorDiv",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
              "uint64, int64, complex64, complex128}",
     .traits = "elementwise; "
               "computes(quotient) if T != float and T != double and T != half and T != bfloat16",
     .shape = oribi_ops_shape_broadcast},
    {.name = "Pow",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs =
         "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = " Maximum Minimum",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, "
              "int64, uint64}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = "FloorMod",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, "
              "float, double}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = "TruncateMod",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {int32, int64, bfloat16, half, float, double}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = "Mod",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {int32, int64, half, half, bfloat16, float, double}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = "SquaredDifference",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
     .traits = "elementwise",
     .flags = ORIBI_OPS_COMMUTATIVE,
     .shape = oribi_ops_shape_broadcast},
    {.name = "Atan2",
     .inputs = "y: T; x: T",
     .outputs = "z: T",
     .attrs = "T: " ORIBI_OPS_FLOATS_B,
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = " Less LessEqual Greater GreaterEqual",
     .inputs = "x: T; y: T",
     .outputs = "z: bool",
     .attrs = "T: realnumbertype",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = " Equal NotEqual",
     .inputs = "x: T; y: T",
     .outputs = "z: bool",
     .attrs = "T: type; incompatible_shape_error: bool = true",
     .traits = "elementwise if incompatible_shape_error = true",
     .flags = ORIBI_OPS_COMMUTATIVE,
     .shape = compare},
    {.name = " LogicalAnd LogicalOr",
     .inputs = "x: bool; y: bool",
     .outputs = "z: bool",
     .traits = "elementwise",
     .flags = ORIBI_OPS_COMMUTATIVE,
     .shape = oribi_ops_shape_broadcast},
    {.name = " LeftShift RightShift",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = "DivNoNan",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {half, float, bfloat16, double, complex64, complex128}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = "MulNoNan",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = " BitwiseAnd BitwiseOr BitwiseXor",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
     .traits = "elementwise",
     .flags = ORIBI_OPS_COMMUTATIVE,
     .shape = oribi_ops_shape_broadcast},
    {.name = "AddN",
     .inputs = "inputs: N * T",
     .outputs = "sum: T",
     .attrs = "N: int >= 1; T: {numbertype, variant}",
     .traits = "elementwise; computes(sum)",
     .flags = ORIBI_OPS_COMMUTATIVE | ORIBI_OPS_AGGREGATE,
     .shape = add_n},
    {.name = "StringJoin",
     .inputs = "inputs: N * string",
     .outputs = "output: string",
     .attrs = "N: int >= 0; separator: string = ''",
     .traits = "elementwise",
     .shape = string_join},
    {.name = "Oribi>BiasGelu",
     .inputs = "x: T; bias: T",
     .outputs = "y: T",
     .attrs = "T: " ORIBI_OPS_FLOATS,
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = NULL},
};
