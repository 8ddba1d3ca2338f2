/* SPDX-License-Identifier: Apache-2.0 */
/* A region of a device becomes a call without a kernel: the device computes it from the params that
 * its target wrote. */
#include "compile/devices.h"
#include "compile/lower.h"
#include "tensor/status.h"

bool oribi_lower_region(oribi_lowering *lowering, oribi_call *call)
{
    const int32_t index = oribi_lower_int(call, "region", -1);
    if (lowering->devices == NULL || index < 0 || index >= lowering->devices->partition.n_regions) {
        return oribi_fail(lowering->status, TF_INVALID_ARGUMENT,
                          "node '%s': a region of a device that is not there", call->node->name);
    }
    const oribi_region *region = &lowering->devices->partition.regions[index];
    call->region = region;
    call->device = region->device + 1;
    call->n_inputs = call->node->n_inputs;
    call->n_outputs = call->node->n_outputs;
    call->has_scratch = region->code.scratch_bytes > 0;
    call->scratch_bytes = (int64_t)region->code.scratch_bytes;
    if (region->code.params_bytes > 0) {
        oribi_call_place(call, "params", ORIBI_ELEMENT_U8, (int64_t)region->code.params_bytes,
                         region->code.params);
        call->placed[call->n_placed - 1].alignment = (int32_t)region->code.params_alignment;
    }
    return true;
}
