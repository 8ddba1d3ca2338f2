/* SPDX-License-Identifier: Apache-2.0 */
/* Resources of a session: objects by container, type and name; handles are numbers that are never
 * used again, so a stale one is found out. Contract: tensorflow/c/resource.h.
 */
#ifndef ORIBI_KERNEL_RESOURCE_H_
#define ORIBI_KERNEL_RESOURCE_H_

#include "tensor/status.h"
#include "tensorflow/c/resource.h"

typedef struct oribi_resources oribi_resources;

oribi_resources *oribi_resources_create(TF_Status *status);
void oribi_resources_retain(oribi_resources *resources);
/* One owner less. The last one drops the manager's references; objects that kernels still hold live
 * on. */
void oribi_resources_destroy(oribi_resources *resources);
/* At the end: drops the references of the process's own manager. */
void oribi_resources_forget_process(void);
/* Returns the context's resources, or the process's where it has no session. NULL: no memory. */
oribi_resources *oribi_resources_of(TF_OpKernelContext *ctx, TF_Status *status);

typedef struct oribi_resource_names { /* borrowed from the resource */
    const char *container, *name, *type;
    uint64_t id;
} oribi_resource_names;
oribi_resource_names oribi_resource_names_of(const TF_Resource *resource);

/* A variable that holds a copy of the value (strings too). The caller deletes the reference. */
TF_Resource *oribi_variable_create(TF_OpKernelContext *ctx, const char *name,
                                   const TF_Tensor *value, TF_Status *status);
/* Shares what a variable holds; NULL: nothing, or no memory. */
TF_Tensor *oribi_variable_share(const TF_Resource *variable);

#endif
