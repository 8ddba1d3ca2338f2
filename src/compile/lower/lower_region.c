/* SPDX-License-Identifier: Apache-2.0 */
/* A region of a device becomes a call without a kernel: the device computes it from the params that
 * its target wrote. */
#include <string.h>

#include "compile/common/checksum.h"
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "target/target.h"
#include "tensor/status.h"

/* Do the places that the target gives lie in its scratch, one for each tensor of the call? */
static bool check_shared(const oribi_lowering *lowering, const oribi_call *call)
{
    const oribi_target_scratch *shared = call->region->code.shared;
    const oribi_target *target = lowering->partition->devices[call->device - 1].target;
    const int64_t step = target->memory_alignment > 0 ? target->memory_alignment : 4;
    if (shared == NULL) {
        return true;
    }
    bool is_good = target->memory_bytes == 0 &&
                   shared->n_places == call->n_inputs + call->n_outputs &&
                   shared->n_until == call->n_outputs;
    for (int32_t i = 0; is_good && i < shared->n_places; i++) {
        const oribi_value_id id =
            i < call->n_inputs ? call->inputs[i] : call->node->outputs[i - call->n_inputs];
        const int64_t bytes = oribi_lower_bytes(lowering->graph->values[id]);
        const int64_t at = shared->places[i], room = (int64_t)shared->bytes;
        is_good = at == -1 || (at >= 0 && at <= room && bytes <= room - at && at % step == 0);
    }
    return is_good ||
           oribi_fail(lowering->status, TF_INVALID_ARGUMENT,
                      "node '%s': target '%s' gives places in its scratch that are not those of %d "
                      "inputs and %d outputs, or one leaves the %zu bytes or is no multiple of %d",
                      call->node->name, target->name, (int)call->n_inputs, (int)call->n_outputs,
                      shared->bytes, (int)step);
}

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
        uint32_t sum[8];
        oribi_sha256(region->code.params, region->code.params_bytes, sum);
        memcpy(call->params_id, sum, sizeof call->params_id);
        call->placed =
            oribi_claim_array(lowering->arena, 1, sizeof *call->placed, lowering->status);
        ORIBI_TRY(call->placed != NULL);
        call->placed[call->n_placed++] =
            (oribi_placed){.name = "params",
                           .kind = ORIBI_ELEMENT_U8,
                           .count = (int64_t)region->code.params_bytes,
                           .data = region->code.params,
                           .alignment = (int32_t)region->code.params_alignment,
                           .member = -1};
    }
    return check_shared(lowering, call);
}
