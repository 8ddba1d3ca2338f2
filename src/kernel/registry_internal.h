/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by kernel_registry.c, kernel_builder.c, kernel_def.c and kernel_select.c: the builder,
 * which becomes the registered entry, and the registry's doors. */
#ifndef ORIBI_KERNEL_REGISTRY_INTERNAL_H_
#define ORIBI_KERNEL_REGISTRY_INTERNAL_H_

#include "base/arena.h"
#include "kernel/context.h"

struct TF_KernelBuilder {
    oribi_kernel_def def; /* strings in arena */
    oribi_arena arena;
    int32_t host_memory_capacity;
    bool no_memory;      /* a setter without a status ran out of memory */
    bool is_registered;  /* the registry's */
    const char *mistake; /* of a setter without a status; in arena */
};

typedef struct oribi_kernel_list {
    TF_KernelBuilder **items;
    int32_t count, capacity;
} oribi_kernel_list;

/* A builder without functions; NULL: no memory. */
TF_KernelBuilder *oribi_kernel_builder_new(const char *op_name, const char *device_name);
/* Frees it, whoever has it. */
void oribi_kernel_builder_free(TF_KernelBuilder *builder);
/* The data of a builder that goes without having been registered. */
void oribi_kernel_data_delete(const TF_KernelFunctions *functions);
/* Takes the entry over on success only. */
bool oribi_kernel_register(TF_KernelBuilder *entry, TF_Status *status);
/* Remembers the first failure of this thread's transaction. */
void oribi_kernel_note_failure(const TF_Status *status);
/* Replaces op, device type, label, priority, constraints and host memory by those of a serialised
 * KernelDef. */
bool oribi_kernel_def_parse(TF_KernelBuilder *builder, const uint8_t *bytes, size_t n_bytes,
                            TF_Status *status);
/* Adds a constraint at the end; both strings copied. */
oribi_kernel_constraint *oribi_kernel_add_constraint(TF_KernelBuilder *builder, const char *attr,
                                                     size_t length, TF_DataType type);
bool oribi_kernel_add_host_memory(TF_KernelBuilder *builder, const char *arg, size_t length);

#endif
