/* SPDX-License-Identifier: Apache-2.0 */
/* Constants that kernels read as ordinary tensors (an addend), not packed into their arguments. */
#include "compile/plan/planning.h"
#include "tensor/status.h"

static bool place(oribi_program *c, oribi_value_id id, TF_Status *status)
{
    const oribi_value *value = c->graph->values[id];
    oribi_location *location = &c->locations[id];
    const int32_t kind = oribi_element_kind_of(value->dtype);
    if (value->constant == NULL || location->storage == ORIBI_IN_FLASH) {
        return true;
    }
    TF_Tensor *tensor = oribi_graph_constant_tensor(c->graph, id, status);
    if (tensor == NULL) {
        return false;
    }
    const size_t bytes = tensor->bytes;
    const void *data = oribi_arena_memdup(&c->arena, tensor->data, bytes);
    TF_DeleteTensor(tensor);
    char *name = oribi_arena_printf(&c->arena, "constant_%d", (int)c->n_constants);
    if (data == NULL || name == NULL) {
        return oribi_fail_memory(status);
    }
    if (kind < 0) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "constant '%s' of type %s cannot be compiled",
                          value->name, oribi_dtype_name(value->dtype));
    }
    *location = (oribi_location){ORIBI_IN_FLASH, c->n_constants, 0, (int64_t)bytes, -1};
    c->constants[c->n_constants++] =
        (oribi_placed){name, kind, (int64_t)bytes / oribi_element_bytes(kind), data, 0, -1};
    return true;
}

bool oribi_program_place_constants(oribi_program *c, TF_Status *status)
{
    c->n_constants = 0;
    c->constants =
        oribi_claim_array(&c->arena, (size_t)c->graph->n_values + 1, sizeof *c->constants, status);
    ORIBI_TRY(c->constants != NULL);
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; !call->is_view && k < call->n_inputs; k++) {
            ORIBI_TRY(place(c, call->inputs[k], status));
        }
    }
    for (int32_t i = 0; i < c->n_copies; i++) {
        ORIBI_TRY(place(c, c->copies[i].from, status));
    }
    for (int32_t i = 0; i < c->n_states; i++) {
        ORIBI_TRY(place(c, c->states[i].next, status));
    }
    return true;
}
