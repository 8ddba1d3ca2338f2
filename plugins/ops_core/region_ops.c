/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that a device computes as a whole, whose maker knows the types and shapes of their results.
 *
 * Oribi>Region: what a device takes of a graph. A partition makes it; `region` is its index there,
 * `device_name` the instance.
 *
 * Oribi>EthosU: a command stream for an Ethos-U NPU. It works in scratch memory: operators with the
 * same `scratch` have the same, of `scratch_bytes`; `places` says where inputs and outputs lie in
 * it (-1: anywhere). fast_bytes: of a second scratch, -1: it is the first. `order`: its number
 * among its kind; `until`: of each output, such operators that have begun when it is read last.
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
     .inputs = "inputs: Tin",
     .outputs = "outputs: Tout",
     .attrs = "Tin: list(type) >= 0; Tout: list(type) >= 1; shapes: list(shape); "
              "region: int >= 0; device_name: string",
     .shape = region},
    {.name = "Oribi>EthosU",
     .inputs = "commands: uint8; read_only: uint8; inputs: Tin",
     .outputs = "outputs: Tout",
     .attrs = "Tin: list(type) >= 0; Tout: list(type) >= 1; shapes: list(shape); "
              "scratch: int = 0; scratch_bytes: int >= 0; fast_bytes: int = -1; "
              "places: list(int); order: int = 0; until: list(int) = []",
     .shape = region},
    {.name = NULL},
};
