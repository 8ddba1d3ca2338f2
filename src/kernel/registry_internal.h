/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by registry.c, builder.c, kernel_def.c and select.c: the builder, which becomes the
 * registered entry, and the registry's doors. */
#ifndef ORIBI_KERNEL_REGISTRY_INTERNAL_H_
#define ORIBI_KERNEL_REGISTRY_INTERNAL_H_

#include "base/arena.h"
#include "kernel/context.h"

struct TF_KernelBuilder {
    oribi_kernel_def def; /* strings in arena */
    oribi_arena arena;
    int32_t host_memory_capacity;
    bool no_memory;      /* a setter without a status ran out of memory */
    const char *mistake; /* of a setter without a status; in arena */
};

typedef struct oribi_kernel_list {
    TF_KernelBuilder **items;
    int32_t count, capacity;
} oribi_kernel_list;

/* Takes the entry over on success only. */
bool oribi_kernel_register(TF_KernelBuilder *entry, TF_Status *status);
/* Remembers the first failure of this thread's transaction. */
void oribi_kernel_note_failure(const TF_Status *status);
/* Kernels of one op in order of registration, under the registry's lock: visit must not register.
 */
void oribi_kernel_each_of_op(const char *op_name,
                             bool (*visit)(void *arg, const oribi_kernel_def *kernel), void *arg);
/* Replaces op, device type, label, priority, constraints and host memory by those of a serialised
 * KernelDef. */
bool oribi_kernel_def_parse(TF_KernelBuilder *builder, const uint8_t *bytes, size_t n_bytes,
                            TF_Status *status);
/* Adds a constraint at the end; both strings copied. */
oribi_kernel_constraint *oribi_kernel_add_constraint(TF_KernelBuilder *builder, const char *attr,
                                                     size_t length, TF_DataType type);
bool oribi_kernel_add_host_memory(TF_KernelBuilder *builder, const char *arg, size_t length);

#endif
