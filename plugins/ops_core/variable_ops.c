/* SPDX-License-Identifier: Apache-2.0 */
/* Variables behind resource handles. */
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void scalar(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_ShapeInferenceContextScalar(ctx);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_DeleteShapeHandle(shape);
}

/* A scalar that leads to one value of the attributes' type and shape. */
static void handle(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_DataType dtype = (TF_DataType)0;
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    scalar(ctx, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContext_GetAttrType(ctx, "dtype", &dtype, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContext_GetAttrShape(ctx, "shape", shape, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutputHandleShapesAndTypes(ctx, 0, &shape, &dtype, 1, status);
    }
    TF_DeleteShapeHandle(shape);
}

/* Reads what the handle says about its variable, unset when it says nothing; an error when that is
 * of another type than the node's. */
static bool look_behind(oribi_ops_ctx *ctx, TF_ShapeHandle *shape, TF_Status *status)
{
    TF_DataType held = (TF_DataType)0, dtype = (TF_DataType)0;
    TF_ShapeInferenceContext_GetAttrType(ctx, "dtype", &dtype, status);
    if (TF_GetCode(status) != TF_OK) {
        return false;
    }
    if (TF_ShapeInferenceContextNumInputHandleShapesAndTypes(ctx, 0) == 0) {
        return true;
    }
    TF_ShapeInferenceContextInputHandleShapeAndType(ctx, 0, 0, shape, &held, status);
    if (TF_GetCode(status) == TF_OK && held != dtype) {
        return oribi_ops_fail(status,
                              "the variable's type is %d (TF_DataType), the node's attribute "
                              "'dtype' says %d",
                              (int)held, (int)dtype);
    }
    return TF_GetCode(status) == TF_OK;
}

static void read(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    if (look_behind(ctx, shape, status)) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

/* The value must be one that the variable may hold. */
static void assign(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle(), *value = TF_NewShapeHandle();
    if (look_behind(ctx, shape, status)) {
        TF_ShapeInferenceContextGetInput(ctx, 1, value, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextMerge(ctx, shape, value, shape, status);
    }
    TF_DeleteShapeHandle(value);
    TF_DeleteShapeHandle(shape);
}

/* clang-format off */
const oribi_ops_row oribi_ops_variable[] = {
    {"VarHandleOp", {NULL}, {"resource: resource"},
     {"container: string = ''", "shared_name: string = ''", "debug_name: string = ''", "dtype: type",
      "shape: shape", "allowed_devices: list(string) = []"}, {NULL}, NULL, ORIBI_OPS_STATEFUL, handle},
    {"ReadVariableOp", {"resource: resource"}, {"value: dtype"}, {"dtype: type"},
     {NULL}, NULL, ORIBI_OPS_STATEFUL, read},
    {"AssignVariableOp", {"resource: resource", "value: dtype"}, {NULL},
     {"dtype: type", "validate_shape: bool = false"}, {NULL}, NULL, ORIBI_OPS_STATEFUL, assign},
    {"AssignAddVariableOp", {"resource: resource", "value: dtype"}, {NULL}, {"dtype: type"},
     {NULL}, NULL, ORIBI_OPS_STATEFUL, assign},
    {"AssignSubVariableOp", {"resource: resource", "value: dtype"}, {NULL}, {"dtype: type"},
     {NULL}, NULL, ORIBI_OPS_STATEFUL, assign},
    {"VarIsInitializedOp", {"resource: resource"}, {"is_initialized: bool"}, {NULL},
     {NULL}, NULL, ORIBI_OPS_STATEFUL, scalar},
    {NULL, {NULL}, {NULL}, {NULL}, {NULL}, NULL, 0, NULL},
};
/* clang-format on */
