/* SPDX-License-Identifier: Apache-2.0 */
/* Registered kernels as a serialised KernelList, for plugins that ask (c_api.h).
 * Source   field numbers of kernel_def.proto.
 */
#include "base/proto.h"
#include "kernel/registry_internal.h"
#include "op/proto.h"
#include "tensorflow/c/c_api.h"

const char *TF_Version(void)
{
    return "2.16.1";
}

static bool add_kernel(void *arg, const oribi_kernel_def *kernel)
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

static TF_Buffer *finish(oribi_text *list, TF_Status *status)
{
    TF_Buffer *buffer = oribi_proto_finish(list);

    if (buffer == NULL) {
        oribi_fail_memory(status);
    } else {
        TF_SetStatus(status, TF_OK, "");
    }
    return buffer;
}

TF_Buffer *TF_GetAllRegisteredKernels(TF_Status *status)
{
    oribi_text list = {0};

    oribi_kernel_each(add_kernel, &list);
    return finish(&list, status);
}

TF_Buffer *TF_GetRegisteredKernelsForOp(const char *name, TF_Status *status)
{
    oribi_text list = {0};

    oribi_kernel_each_of_op(name, add_kernel, &list);
    return finish(&list, status);
}
