/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>Region: what a device takes of a graph, as one node. A partition makes it and knows the
 * types and shapes of its results; `region` is its index there, `device_name` the instance.
 */
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void region(oribi_ops_ctx *ctx, TF_Status *status)
{
    const int64_t n = TF_ShapeInferenceContextNumOutputs(ctx);
    for (int64_t i = 0; i < n; i++) {
        TF_ShapeHandle *shape = TF_NewShapeHandle();
        TF_ShapeInferenceContext_GetAttrShapeListItem(ctx, "shapes", (int)i, shape, status);
        if (TF_GetCode(status) == TF_OK) {
            TF_ShapeInferenceContextSetOutput(ctx, (int)i, shape, status);
        }
        TF_DeleteShapeHandle(shape);
        if (TF_GetCode(status) != TF_OK) {
            return;
        }
    }
}

const oribi_ops_row oribi_ops_device[] = {
    {.name = "Oribi>Region",
     .inputs = {"inputs: Tin"},
     .outputs = {"outputs: Tout"},
     .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 1", "shapes: list(shape)",
               "region: int >= 0", "device_name: string"},
     .shape = region},
    {.name = NULL},
};
