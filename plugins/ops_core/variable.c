/* SPDX-License-Identifier: Apache-2.0 */
/* Variables behind resource handles. */
#include "ops_core/ops_core.h"
#include "ops_core/shape.h"

static void scalar(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_ShapeInferenceContextScalar(ctx);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_DeleteShapeHandle(shape);
}

/* A handle does not tell its variable's shape here: what a run assigned decides. */
static void read(oribi_ops_ctx *ctx, TF_Status *status)
{
    TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

static void nothing(oribi_ops_ctx *ctx, TF_Status *status)
{
    (void)ctx;
    TF_SetStatus(status, TF_OK, "");
}

/* clang-format off */
const oribi_ops_row oribi_ops_variable[] = {
    {"VarHandleOp", {NULL}, {"resource: resource"},
     {"container: string = ''", "shared_name: string = ''", "debug_name: string = ''", "dtype: type",
      "shape: shape", "allowed_devices: list(string) = []"}, ORIBI_OPS_STATEFUL, scalar},
    {"ReadVariableOp", {"resource: resource"}, {"value: dtype"}, {"dtype: type"},
     ORIBI_OPS_STATEFUL, read},
    {"AssignVariableOp", {"resource: resource", "value: dtype"}, {NULL},
     {"dtype: type", "validate_shape: bool = false"}, ORIBI_OPS_STATEFUL, nothing},
    {"AssignAddVariableOp", {"resource: resource", "value: dtype"}, {NULL}, {"dtype: type"},
     ORIBI_OPS_STATEFUL, nothing},
    {"AssignSubVariableOp", {"resource: resource", "value: dtype"}, {NULL}, {"dtype: type"},
     ORIBI_OPS_STATEFUL, nothing},
    {"VarIsInitializedOp", {"resource: resource"}, {"is_initialized: bool"}, {NULL},
     ORIBI_OPS_STATEFUL, scalar},
    {NULL, {NULL}, {NULL}, {NULL}, 0, NULL},
};
/* clang-format on */
