/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering by a descriptor (oribi/target.h): how does what `prepare` said of a node become a call?
 * Ops of plugins come this way, and those of ours whose kernels need no more than that. */
#include <string.h>

#include "compile/lower/lower.h"
#include "target/target.h"
#include "tensor/status.h"

/* Does emitted C have such tensors? */
static bool check_values(oribi_lowering *lowering, const oribi_call *call)
{
    const oribi_node *node = call->node;
    for (int32_t i = 0; i < node->n_inputs + node->n_outputs; i++) {
        const oribi_value_id id =
            i < node->n_inputs ? node->inputs[i] : node->outputs[i - node->n_inputs];
        const oribi_value *value = id >= 0 ? lowering->graph->values[id] : NULL;
        if (value == NULL || oribi_element_kind_of(value->dtype) < 0 ||
            oribi_lower_count(value) < 1) {
            return oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                              "node '%s' (%s): '%s' is empty or of a type that emitted C does not "
                              "have; it has integers of 8 to 64 bits, float, double and bool",
                              node->name, node->op_name, value != NULL ? value->name : "");
        }
    }
    return true;
}

/* The first output may lie over inputs of its size. */
static void set_aliases(const oribi_lowering *lowering, oribi_call *call,
                        const oribi_kernel_code *own)
{
    const int64_t bytes = oribi_lower_bytes(oribi_lower_output(lowering, call));
    for (int32_t i = 0; i < own->n_in_place; i++) {
        const oribi_value_id input = call->inputs[own->in_place[i]];
        if (oribi_lower_bytes(lowering->graph->values[input]) == bytes) {
            call->aliases[call->n_aliases++] = (oribi_call_alias){own->in_place[i], true, 0};
        }
    }
}

bool oribi_lower_by_kernel(oribi_lowering *lowering, oribi_call *call,
                           const oribi_target_kernel *kernel, const char *name)
{
    oribi_target_code code;
    oribi_node *node = lowering->graph->nodes[call->node->id];
    ORIBI_TRY(check_values(lowering, call));
    ORIBI_TRY(oribi_target_kernel_ask(kernel, lowering->graph, node, lowering->arena, &code,
                                      lowering->status));
    const oribi_kernel_code *own = code.own;
    ORIBI_TRY(oribi_call_set(lowering, call, name, kernel->args, own->arguments) &&
              oribi_call_take(lowering, call, own->inputs, own->n_inputs));
    for (size_t i = 0; i < kernel->args->n_members; i++) {
        oribi_call_place(call, kernel->args->members[i].offset, own->arrays[i].count,
                         own->arrays[i].data);
    }
    set_aliases(lowering, call, own);
    call->own = kernel->sources != NULL ? kernel : NULL;
    call->has_scratch = code.scratch_bytes > 0;
    call->scratch_bytes = (int64_t)code.scratch_bytes;
    call->macs = own->macs;
    return true;
}

bool oribi_lower_own(oribi_lowering *lowering, oribi_call *call)
{
    const oribi_node *node = call->node;
    const oribi_target_kernel *kernel = oribi_target_kernel_find(node->op_name, &node->attrs);
    return oribi_lower_by_kernel(lowering, call, kernel, kernel->name);
}
