/* SPDX-License-Identifier: Apache-2.0 */
/* TF_KernelBuilder: what a plugin says about a kernel before it is registered.
 * A builder becomes the registry's entry, so registration itself copies nothing.
 */
#include <string.h>

#include "base/alloc.h"
#include "kernel/registry_internal.h"

TF_KernelBuilder *oribi_kernel_builder_new(const char *op_name, const char *device_name)
{
    TF_KernelBuilder *builder = oribi_alloc_zero(1, sizeof *builder);
    if (builder == NULL) {
        return NULL;
    }
    builder->def.op_name = oribi_arena_strdup(&builder->arena, op_name != NULL ? op_name : "");
    builder->def.device_type =
        oribi_arena_strdup(&builder->arena, device_name != NULL ? device_name : "");
    builder->def.label = "";
    builder->def.kernel_name = "";
    if (builder->def.op_name == NULL || builder->def.device_type == NULL) {
        TF_DeleteKernelBuilder(builder);
        return NULL;
    }
    return builder;
}

TF_KernelBuilder *TF_NewKernelBuilder(const char *op_name, const char *device_name,
                                      void *(*create_func)(TF_OpKernelConstruction *),
                                      void (*compute_func)(void *, TF_OpKernelContext *),
                                      void (*delete_func)(void *))
{
    TF_KernelBuilder *builder = oribi_kernel_builder_new(op_name, device_name);
    if (builder != NULL) {
        builder->def.create = create_func;
        builder->def.compute = compute_func;
        builder->def.destroy = delete_func;
    }
    return builder;
}

TF_KernelBuilder *TF_NewAsyncKernelBuilder(
    const char *op_name, const char *device_name, void *(*create_func)(TF_OpKernelConstruction *),
    void (*compute_async_func)(void *, TF_OpKernelContext *, TF_AsyncOpKernelDoneCallback *),
    void (*delete_func)(void *))
{
    TF_KernelBuilder *builder = oribi_kernel_builder_new(op_name, device_name);
    if (builder != NULL) {
        builder->def.create = create_func;
        builder->def.compute_async = compute_async_func;
        builder->def.destroy = delete_func;
    }
    return builder;
}

void oribi_kernel_builder_free(TF_KernelBuilder *builder)
{
    if (builder == NULL) {
        return;
    }
    oribi_kernel_data_delete(&builder->def.functions);
    oribi_arena_destroy(&builder->arena);
    oribi_free(builder);
}

/* Some delete what they have registered, TensorFlow's own tests among them, where that goes well.
 */
void TF_DeleteKernelBuilder(TF_KernelBuilder *builder)
{
    if (builder != NULL && !builder->is_registered) {
        oribi_kernel_builder_free(builder);
    }
}

oribi_kernel_constraint *oribi_kernel_add_constraint(TF_KernelBuilder *builder, const char *attr,
                                                     size_t length, TF_DataType type)
{
    oribi_kernel_constraint *constraint = oribi_arena_array(&builder->arena, 1, sizeof *constraint);
    if (constraint == NULL) {
        return NULL;
    }
    constraint->attr = oribi_arena_strndup(&builder->arena, attr, length);
    if (constraint->attr == NULL) {
        return NULL;
    }
    constraint->type = type;
    oribi_kernel_constraint **last = &builder->def.constraints;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = constraint;
    return constraint;
}

void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder *kernel_builder, const char *attr_name,
                                     const TF_DataType type, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (kernel_builder == NULL || attr_name == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "TF_KernelBuilder_TypeConstraint needs a builder and an attribute name");
    } else if (oribi_dtype_bytes(type) == 0) { /* none, or a reference, which graphs do not have */
        oribi_fail(status, TF_UNIMPLEMENTED, "Unexpected type %d", (int)type);
    } else if (oribi_kernel_add_constraint(kernel_builder, attr_name, strlen(attr_name), type) ==
               NULL) {
        oribi_fail_memory(status);
    }
}

bool oribi_kernel_add_host_memory(TF_KernelBuilder *builder, const char *arg, size_t length)
{
    if (builder->def.n_host_memory_args == builder->host_memory_capacity) {
        const int32_t capacity = builder->host_memory_capacity * 2 + 4;
        const char **args = oribi_arena_array(&builder->arena, (size_t)capacity, sizeof *args);
        if (args == NULL) {
            return false;
        }
        for (int32_t i = 0; i < builder->def.n_host_memory_args; i++) {
            args[i] = builder->def.host_memory_args[i];
        }
        builder->def.host_memory_args = args;
        builder->host_memory_capacity = capacity;
    }
    char *copy = oribi_arena_strndup(&builder->arena, arg, length);
    if (copy == NULL) {
        return false;
    }
    ((const char **)builder->def.host_memory_args)[builder->def.n_host_memory_args++] = copy;
    return true;
}

void TF_KernelBuilder_HostMemory(TF_KernelBuilder *kernel_builder, const char *arg_name)
{
    if (kernel_builder != NULL && arg_name != NULL &&
        !oribi_kernel_add_host_memory(kernel_builder, arg_name, strlen(arg_name))) {
        kernel_builder->no_memory = true;
    }
}

void TF_KernelBuilder_Priority(TF_KernelBuilder *kernel_builder, int32_t priority_number)
{
    if (kernel_builder != NULL) {
        kernel_builder->def.priority = priority_number;
    }
}

void TF_KernelBuilder_Label(TF_KernelBuilder *kernel_builder, const char *label)
{
    if (kernel_builder == NULL || label == NULL) {
        return;
    }
    oribi_kernel_def *def = &kernel_builder->def;
    if (def->label[0] != '\0' && strcmp(def->label, label) != 0) {
        kernel_builder->mistake = oribi_arena_printf(
            &kernel_builder->arena, "label set twice, first to '%s' and then to '%s'", def->label,
            label);
        kernel_builder->no_memory |= kernel_builder->mistake == NULL;
        return;
    }
    char *copy = oribi_arena_strdup(&kernel_builder->arena, label);
    if (copy == NULL) {
        kernel_builder->no_memory = true;
    } else {
        def->label = copy;
    }
}

void TF_KernelBuilder_StridedOutput(TF_KernelBuilder *builder, int i)
{
    if (builder != NULL && i >= 0 && i < 64) {
        builder->def.strided_outputs |= UINT64_C(1) << i;
    }
}

static bool builder_check(const TF_KernelBuilder *builder, TF_Status *status)
{
    const oribi_kernel_def *def = &builder->def;
    if (builder->no_memory) {
        return oribi_fail_memory(status);
    }
    if (builder->mistake != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "kernel '%s' for op '%s': %s",
                          def->kernel_name, def->op_name, builder->mistake);
    }
    if (def->op_name[0] == '\0' || def->device_type[0] == '\0') {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "kernel '%s' names no %s: pass one to TF_NewKernelBuilder",
                          def->kernel_name, def->op_name[0] == '\0' ? "op" : "device type");
    }
    if (def->compute == NULL && def->compute_async == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "kernel '%s' for op '%s' has no compute function: pass one to "
                          "TF_NewKernelBuilder (create and delete may be NULL)",
                          def->kernel_name, def->op_name);
    }
    return true;
}

void TF_RegisterKernelBuilderWithKernelDef(const char *serialized_kernel_def, const char *name,
                                           TF_KernelBuilder *builder, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (builder == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "kernel '%s': the builder is NULL (out of memory in TF_NewKernelBuilder?)",
                   name != NULL ? name : "");
        oribi_kernel_note_failure(status);
        return;
    }
    const char *copy = oribi_arena_strdup(&builder->arena, name != NULL ? name : "");
    if (copy == NULL) {
        builder->no_memory = true;
    } else {
        builder->def.kernel_name = copy;
    }
    bool ok = true;
    if (serialized_kernel_def != NULL) {
        ok = oribi_kernel_def_parse(builder, (const uint8_t *)serialized_kernel_def,
                                    strlen(serialized_kernel_def), status);
    }
    ok = ok && builder_check(builder, status) && oribi_kernel_register(builder, status);
    if (!ok) {
        oribi_kernel_note_failure(status);
        TF_DeleteKernelBuilder(builder);
    }
}

void TF_RegisterKernelBuilder(const char *kernel_name, TF_KernelBuilder *builder, TF_Status *status)
{
    TF_RegisterKernelBuilderWithKernelDef(NULL, kernel_name, builder, status);
}
