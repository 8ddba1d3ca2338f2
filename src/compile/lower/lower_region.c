/* SPDX-License-Identifier: Apache-2.0 */
/* A region of a device becomes a call without a kernel: the device computes it from the params that
 * its target wrote. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "target/target.h"
#include "tensor/status.h"

bool oribi_lower_region(oribi_lowering *lowering, oribi_call *call)
{
    const int32_t index = oribi_lower_int(call, "region", -1);
    if (index < 0 || index >= lowering->partition->n_regions) {
        return oribi_fail(lowering->status, TF_INVALID_ARGUMENT,
                          "node '%s': the region belongs to a device that does not exist",
                          call->node->name);
    }
    const oribi_region *region = &lowering->partition->regions[index];
    call->region = region;
    call->device = region->device + 1;
    call->n_inputs = call->node->n_inputs;
    call->n_outputs = call->node->n_outputs;
    call->has_scratch = region->code.scratch_bytes > 0;
    call->scratch_bytes = (int64_t)region->code.scratch_bytes;
    if (region->code.params_bytes > 0) {
        call->placed = oribi_arena_array(lowering->arena, 1, sizeof *call->placed);
        if (call->placed == NULL) {
            return oribi_fail_memory(lowering->status);
        }
        call->placed[call->n_placed++] =
            (oribi_placed){.name = "params",
                           .kind = ORIBI_ELEMENT_U8,
                           .count = (int64_t)region->code.params_bytes,
                           .data = region->code.params,
                           .alignment = (int32_t)region->code.params_alignment,
                           .member = -1};
    }
    return true;
}
