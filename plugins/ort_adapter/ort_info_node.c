/* SPDX-License-Identifier: Apache-2.0 */
/* What a library may ask about a node beyond its attributes: how many inputs and outputs, their
 * names, types and shapes, constants, names of node and operator.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort_adapter.h"

ort_status *oribi_ort_KernelInfo_GetInputCount(const ort_kernel_info *info, size_t *out)
{
    *out = info->n_inputs;
    return NULL;
}

ort_status *oribi_ort_KernelInfo_GetOutputCount(const ort_kernel_info *info, size_t *out)
{
    *out = info->n_outputs;
    return NULL;
}

static ort_status *check_index(size_t index, size_t count)
{
    return index < count ? NULL
                         : oribi_ort_fail(ORT_INVALID_ARGUMENT, "index %zu of %zu", index, count);
}

/* Names of values are the model's, which is not here: "input0" and so on. */
static ort_status *give_name(const char *word, size_t index, size_t count, char *out, size_t *bytes)
{
    char name[40];
    ort_status *failed = check_index(index, count);
    const int length = snprintf(name, sizeof name, "%s%zu", word, index);
    return failed ? failed : oribi_ort_give_text(name, (size_t)length, out, bytes);
}

ort_status *oribi_ort_KernelInfo_GetInputName(const ort_kernel_info *info, size_t index, char *out,
                                              size_t *bytes)
{
    return give_name("input", index, info->n_inputs, out, bytes);
}

ort_status *oribi_ort_KernelInfo_GetOutputName(const ort_kernel_info *info, size_t index, char *out,
                                               size_t *bytes)
{
    return give_name("output", index, info->n_outputs, out, bytes);
}

static ort_status *give_type(const ort_port *items, size_t count, size_t index, ort_type_info **out)
{
    ort_status *failed = check_index(index, count);
    *out = NULL;
    if (failed || items[index].flat < 0) {
        return failed ? failed
                      : oribi_ort_fail(ORT_INVALID_ARGUMENT, "parameter %zu is absent", index);
    }
    ort_type_info *info = calloc(1, sizeof *info);
    if (!info) {
        return oribi_ort_fail_memory();
    }
    const ort_tensor_info *from = items[index].info;
    failed = oribi_ort_tensor_info_make(from->type, from->is_known ? from->dims : NULL, from->rank,
                                        &info->tensor);
    if (failed) {
        free(info);
        info = NULL;
    }
    *out = info;
    return failed;
}

ort_status *oribi_ort_KernelInfo_GetInputTypeInfo(const ort_kernel_info *info, size_t index,
                                                  ort_type_info **out)
{
    return give_type(info->inputs, info->n_inputs, index, out);
}

ort_status *oribi_ort_KernelInfo_GetOutputTypeInfo(const ort_kernel_info *info, size_t index,
                                                   ort_type_info **out)
{
    return give_type(info->outputs, info->n_outputs, index, out);
}

ort_status *oribi_ort_KernelInfo_GetNodeName(const ort_kernel_info *info, char *out, size_t *bytes)
{
    return oribi_ort_give_text(info->node_name, strlen(info->node_name), out, bytes);
}

ort_status *oribi_ort_KernelInfo_GetOperatorDomain(const ort_kernel_info *info, char *out,
                                                   size_t *bytes)
{
    return oribi_ort_give_text(info->group->domain, strlen(info->group->domain), out, bytes);
}

ort_status *oribi_ort_KernelInfo_GetOperatorType(const ort_kernel_info *info, char *out,
                                                 size_t *bytes)
{
    return oribi_ort_give_text(info->group->name, strlen(info->group->name), out, bytes);
}

ort_status *oribi_ort_KernelInfo_GetOperatorSinceVersion(const ort_kernel_info *info, int *out)
{
    *out = info->group->since;
    return NULL;
}

ort_status *oribi_ort_KernelInfo_GetLogger(const ort_kernel_info *info, const ort_logger **out)
{
    *out = (const ort_logger *)info; /* there is one log; a logger is any address */
    return NULL;
}

/* Once made, a constant lives as long as the info, as it does there. */
static ort_status *make_constant(ort_kernel_info *info, size_t index, bool *is_constant)
{
    TF_Tensor *tensor = NULL;
    TF_Status *status = TF_NewStatus();
    if (!info->constants) {
        info->constants = calloc(info->n_inputs + 1, sizeof(ort_value *));
    }
    if (!status || !info->constants) {
        TF_DeleteStatus(status);
        return oribi_ort_fail_memory();
    }
    TF_OpKernelConstruction_ConstantInput(info->ctx, info->inputs[index].flat, &tensor, status);
    *is_constant = TF_GetCode(status) != TF_NOT_FOUND;
    ort_status *failed = *is_constant ? oribi_ort_from_status(status) : NULL;
    TF_DeleteStatus(status);
    return failed || !*is_constant ? failed : oribi_ort_value_new(tensor, &info->constants[index]);
}

ort_status *oribi_ort_KernelInfoGetConstantInput_tensor(const ort_kernel_info *info, size_t index,
                                                        int *is_constant, const ort_value **out)
{
    ort_kernel_info *own = (ort_kernel_info *)(uintptr_t)info;
    ort_status *failed = check_index(index, info->n_inputs);
    bool found = !failed && info->constants && info->constants[index];
    *is_constant = 0;
    *out = NULL;
    if (!failed && !found && info->ctx && info->inputs[index].flat >= 0) {
        failed = make_constant(own, index, &found);
    }
    if (!failed && found) {
        *is_constant = 1;
        *out = info->constants[index];
    }
    return failed;
}
