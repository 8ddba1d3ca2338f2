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

const oribi_ops_row oribi_ops_variable[] = {
    {.name = "VarHandleOp",
     .outputs = "resource: resource",
     .attrs = "container: string = ''; shared_name: string = ''; debug_name: string = ''; "
              "dtype: type; shape: shape; allowed_devices: list(string) = []",
     .flags = ORIBI_OPS_STATEFUL,
     .shape = handle},
    {.name = "ReadVariableOp",
     .inputs = "resource: resource",
     .outputs = "value: dtype",
     .attrs = "dtype: type",
     .flags = ORIBI_OPS_STATEFUL,
     .shape = read},
    {.name = "AssignVariableOp",
     .inputs = "resource: resource; value: dtype",
     .attrs = "dtype: type; validate_shape: bool = false",
     .flags = ORIBI_OPS_STATEFUL,
     .shape = assign},
    {.name = " AssignAddVariableOp AssignSubVariableOp",
     .inputs = "resource: resource; value: dtype",
     .attrs = "dtype: type",
     .flags = ORIBI_OPS_STATEFUL,
     .shape = assign},
    {.name = "VarIsInitializedOp",
     .inputs = "resource: resource",
     .outputs = "is_initialized: bool",
     .flags = ORIBI_OPS_STATEFUL,
     .shape = scalar},
    {.name = NULL},
};
