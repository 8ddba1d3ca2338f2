/* SPDX-License-Identifier: Apache-2.0 */
/* Registered kernels as KernelDef messages; see kernel.h.
 * Source   field numbers of kernel_def.proto.
 */
#include "format/proto.h"
#include "kernel/registry_internal.h"
#include "op/op_proto.h"

bool oribi_kernel_put(void *arg, const oribi_kernel_def *kernel)
{
    oribi_text def = {0}, constraint = {0}, value = {0};

    oribi_proto_string(&def, 1, kernel->op_name);
    oribi_proto_string(&def, 2, kernel->device_type);
    for (const oribi_kernel_constraint *c = kernel->constraints; c != NULL; c = c->next) {
        const oribi_attr one = {
            .kind = TF_ATTR_TYPE, .is_list = true, .count = 1, .u.type = &c->type};
        oribi_proto_string(&constraint, 1, c->attr);
        oribi_proto_attr_value(&value, c->allowed != NULL ? c->allowed : &one);
        oribi_proto_message(&constraint, 2, &value);
        oribi_proto_message(&def, 3, &constraint);
    }
    for (int32_t i = 0; i < kernel->n_host_memory_args; i++) {
        oribi_proto_string(&def, 4, kernel->host_memory_args[i]);
    }
    oribi_proto_string(&def, 5, kernel->label);
    if (kernel->priority != 0) {
        oribi_proto_number(&def, 6, (uint64_t)(int64_t)kernel->priority);
    }
    oribi_proto_message(arg, 1, &def);
    return true;
}
