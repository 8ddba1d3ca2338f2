/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: resources that hold a tensor under a lock; the functions of kernels_experimental.h,
 * and what next-pluggable devices call of variables and resources.
 * A reader gets a handle on the storage; a writer that finds readers makes new storage first, so
 * what was read never changes under the reader.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/context.h"
#include "kernel/resource.h"
#include "tensorflow/c/experimental/next_pluggable_device/c_api.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/resource.h"
#include "tensorflow/c/variant.h"

#define VARIABLE_TYPE "tensorflow::Var"

typedef struct variable {
    oribi_mutex lock;
    TF_Tensor *value; /* NULL: not initialised */
} variable;

struct TF_VariableInputLockHolder {
    TF_Resource **resources; /* locked, in order of address, each once */
    size_t count;
};

typedef void (*copy_function)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *);

static void *create_variable(void *arg, TF_Status *status)
{
    variable *made = oribi_alloc_zero(1, sizeof *made);
    (void)arg;

    if (made == NULL || !oribi_mutex_init(&made->lock)) {
        oribi_free(made);
        oribi_fail_memory(status);
        return NULL;
    }
    return made;
}

static void destroy_variable(void *object)
{
    variable *v = object;

    TF_DeleteTensor(v->value);
    oribi_mutex_destroy(&v->lock);
    oribi_free(v);
}

/* Resource behind input `index`; NULL: status set. */
static TF_Resource *look_up(TF_OpKernelContext *ctx, int index, TF_Status *status)
{
    TF_Tensor *handle = NULL;
    TF_Resource *found = NULL;

    TF_GetInput(ctx, index, &handle, status);
    if (oribi_ok(status) && handle == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "input %d is absent, but should name a variable",
                   index);
    }
    if (oribi_ok(status)) {
        found = TF_ResourceFromTensor(ctx, handle, 0, VARIABLE_TYPE, status);
    }
    TF_DeleteTensor(handle);
    return found;
}

/* The same; the context fails, too. */
static TF_Resource *find_variable(TF_OpKernelContext *ctx, int index, TF_Status *status)
{
    TF_Resource *found = look_up(ctx, index, status);

    if (found == NULL) {
        TF_OpKernelContext_Failure(ctx, status);
    }
    return found;
}

static bool same_shape(const TF_Tensor *a, const TF_Tensor *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0);
}

/* New storage of the same type and shape with the value copied: by the plugin's function, which
 * owns the handles that it gets, or by bytes. */
static TF_Tensor *copy_tensor(TF_OpKernelContext *ctx, const TF_Tensor *from, copy_function copy,
                              TF_Status *status)
{
    size_t n = (size_t)TF_TensorElementCount(from), bytes = n * oribi_dtype_bytes(from->dtype);
    TF_Tensor *to = ctx != NULL
                        ? TF_AllocateLasting(ctx, from->dtype, from->dims, from->rank, status)
                        : TF_AllocateTensor(from->dtype, from->dims, from->rank, bytes);

    if (to == NULL) {
        (void)(oribi_ok(status) && oribi_fail_memory(status));
        return NULL;
    }
    if (from->dtype == TF_STRING) {
        for (size_t i = 0; i < n; i++) {
            TF_TString *element = (TF_TString *)to->data + i;
            TF_StringInit(element);
            const TF_TString *source = (const TF_TString *)from->data + i;
            TF_StringCopy(element, TF_StringGetDataPointer(source), TF_StringGetSize(source));
        }
    } else if (from->dtype == TF_VARIANT) {
        TF_TensorCopyVariants(from, to, status);
        if (!oribi_ok(status)) {
            TF_DeleteTensor(to);
            return NULL;
        }
    } else if (copy != NULL) {
        TF_Tensor *source = oribi_tensor_share(from), *target = oribi_tensor_share(to);
        if (source == NULL || target == NULL) {
            TF_DeleteTensor(source);
            TF_DeleteTensor(target);
            TF_DeleteTensor(to);
            oribi_fail_memory(status);
            return NULL;
        }
        copy(ctx, source, target);
    } else if (bytes > 0) {
        memcpy(to->data, from->data, bytes);
    }
    return to;
}

static void fail_both(TF_OpKernelContext *ctx, TF_Status *status)
{
    if (!oribi_ok(status)) {
        TF_OpKernelContext_Failure(ctx, status);
    }
}

void TF_AssignVariable(TF_OpKernelContext *ctx, int input_index, int value_index,
                       bool validate_shape, copy_function copyFunc, TF_Status *status)
{
    TF_Resource *resource = find_variable(ctx, input_index, status);
    TF_Tensor *value = NULL, *copied = NULL;

    if (resource == NULL) {
        return;
    }
    variable *v = TF_ResourceObject(resource);
    TF_GetInput(ctx, value_index, &value, status);
    if (oribi_ok(status)) {
        copied = copy_tensor(ctx, value, copyFunc, status);
    }
    if (copied != NULL) {
        oribi_mutex_lock(&v->lock);
        if (validate_shape && v->value != NULL && !same_shape(v->value, copied)) {
            oribi_fail(status, TF_INVALID_ARGUMENT,
                       "the variable of input %d and the value differ in shape or type",
                       input_index);
        } else {
            TF_Tensor *old = v->value;
            v->value = copied;
            copied = old;
        }
        oribi_mutex_unlock(&v->lock);
    }
    fail_both(ctx, status);
    TF_DeleteTensor(copied);
    TF_DeleteTensor(value);
    TF_DeleteResource(resource);
}

/* Under the variable's lock: storage that no reader shares. */
static bool own_storage(TF_OpKernelContext *ctx, variable *v, copy_function copy, TF_Status *status)
{
    if (v->value->buffer != NULL && atomic_load(&v->value->buffer->references) == 1) {
        return true;
    }
    TF_Tensor *fresh = copy_tensor(ctx, v->value, copy, status);
    if (fresh == NULL) {
        return false;
    }
    TF_DeleteTensor(v->value);
    v->value = fresh;
    return true;
}

static void update(TF_OpKernelContext *ctx, variable *v, TF_Tensor *value, int op,
                   copy_function copy,
                   void (*updateFunc)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *, int),
                   TF_Status *status)
{
    TF_Tensor *mine = NULL, *given = NULL;

    oribi_mutex_lock(&v->lock);
    if (v->value == NULL) {
        oribi_fail(status, TF_FAILED_PRECONDITION, "the variable is not initialised");
    } else if (!same_shape(v->value, value)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "the variable and the value differ in shape or type");
    } else if (own_storage(ctx, v, copy, status)) {
        mine = oribi_tensor_share(v->value);
        given = oribi_tensor_share(value);
        if (mine == NULL || given == NULL) {
            oribi_fail_memory(status);
            TF_DeleteTensor(mine);
            TF_DeleteTensor(given);
        } else {
            updateFunc(ctx, mine, given, op); /* owns both */
        }
    }
    oribi_mutex_unlock(&v->lock);
}

void TF_AssignUpdateVariable(TF_OpKernelContext *ctx, int input_index, int value_index, int Op,
                             int isVariantType, copy_function copyFunc,
                             void (*updateFunc)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *,
                                                int),
                             TF_Status *status)
{
    TF_Tensor *value = NULL;

    if (isVariantType) {
        oribi_fail(status, TF_UNIMPLEMENTED, "variables of variants are not implemented");
        TF_OpKernelContext_Failure(ctx, status);
        return;
    }
    TF_Resource *resource = find_variable(ctx, input_index, status);
    if (resource == NULL) {
        return;
    }
    TF_GetInput(ctx, value_index, &value, status);
    if (oribi_ok(status)) {
        update(ctx, TF_ResourceObject(resource), value, Op, copyFunc, updateFunc, status);
    }
    fail_both(ctx, status);
    TF_DeleteTensor(value);
    TF_DeleteResource(resource);
}

void TF_GetInputTensorFromVariable(TF_OpKernelContext *ctx, int input, bool lock_held,
                                   bool isVariantType, bool sparse, copy_function copyFunc,
                                   TF_Tensor **out, TF_Status *status)
{
    TF_Resource *resource = find_variable(ctx, input, status);
    (void)isVariantType;
    (void)sparse;

    if (resource == NULL) {
        return;
    }
    variable *v = TF_ResourceObject(resource);
    if (!lock_held) {
        oribi_mutex_lock(&v->lock);
    }
    if (v->value == NULL) {
        oribi_fail(status, TF_FAILED_PRECONDITION, "the variable of input %d is not initialised",
                   input);
    } else if (!lock_held || own_storage(ctx, v, copyFunc, status)) {
        /* who holds the lock is about to write */
        *out = oribi_tensor_share(v->value);
        if (*out == NULL) {
            oribi_fail_memory(status);
        }
    }
    if (!lock_held) {
        oribi_mutex_unlock(&v->lock);
    }
    fail_both(ctx, status);
    TF_DeleteResource(resource);
}

static int compare_resources(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (TF_Resource *const *)a, y = (uintptr_t) * (TF_Resource *const *)b;

    return (x > y) - (x < y);
}

static bool is_resource_input(TF_OpKernelContext *ctx, int index)
{
    return index >= 0 && index < TF_NumInputs(ctx) && TF_InputDatatype(ctx, index) == TF_RESOURCE;
}

void TF_MaybeLockVariableInputMutexesInOrder(TF_OpKernelContext *ctx, bool do_lock, bool sparse,
                                             const int *const inputs, size_t len,
                                             copy_function copyFunc,
                                             TF_VariableInputLockHolder **lockHolder,
                                             TF_Status *status)
{
    TF_VariableInputLockHolder *holder = oribi_alloc_zero(1, sizeof *holder);
    (void)sparse;
    (void)copyFunc;

    *lockHolder = NULL;
    TF_SetStatus(status, TF_OK, "");
    if (holder != NULL) {
        holder->resources = oribi_alloc_zero(len + 1, sizeof *holder->resources);
    }
    if (holder == NULL || holder->resources == NULL) {
        oribi_free(holder);
        oribi_fail_memory(status);
        return;
    }
    for (size_t i = 0; do_lock && i < len && oribi_ok(status); i++) {
        if (is_resource_input(ctx, inputs[i])) {
            TF_Resource *found = find_variable(ctx, inputs[i], status);
            holder->count += found != NULL;
            holder->resources[holder->count - (found != NULL)] = found;
        }
    }
    qsort(holder->resources, holder->count, sizeof *holder->resources, compare_resources);
    size_t kept = 0;
    for (size_t i = 0; i < holder->count; i++) {
        if (kept > 0 && holder->resources[kept - 1] == holder->resources[i]) {
            TF_DeleteResource(holder->resources[i]);
        } else {
            holder->resources[kept++] = holder->resources[i];
        }
    }
    holder->count = kept;
    if (!oribi_ok(status)) {
        for (size_t i = 0; i < kept; i++) {
            TF_DeleteResource(holder->resources[i]);
        }
        oribi_free(holder->resources);
        oribi_free(holder);
        return;
    }
    for (size_t i = 0; i < kept; i++) {
        oribi_mutex_lock(&((variable *)TF_ResourceObject(holder->resources[i]))->lock);
    }
    *lockHolder = holder;
}

void TF_ReleaseVariableInputLockHolder(TF_VariableInputLockHolder *lockHolder)
{
    if (lockHolder == NULL) {
        return;
    }
    for (size_t i = lockHolder->count; i-- > 0;) {
        oribi_mutex_unlock(&((variable *)TF_ResourceObject(lockHolder->resources[i]))->lock);
        TF_DeleteResource(lockHolder->resources[i]);
    }
    oribi_free(lockHolder->resources);
    oribi_free(lockHolder);
}

TF_Tensor *TF_VariableHandle(TF_OpKernelContext *ctx, const char *container, const char *name,
                             TF_Status *status)
{
    TF_Resource *resource = TF_LookupOrCreateResource(
        ctx, container, name, VARIABLE_TYPE, create_variable, NULL, destroy_variable, status);
    TF_Tensor *handle = resource == NULL ? NULL : TF_ResourceHandleTensor(ctx, resource, status);

    TF_DeleteResource(resource);
    return handle;
}

bool TF_VariableIsInitialized(TF_OpKernelContext *ctx, int input, TF_Status *status)
{
    TF_Resource *resource = find_variable(ctx, input, status);

    if (resource == NULL) {
        return false;
    }
    variable *v = TF_ResourceObject(resource);
    oribi_mutex_lock(&v->lock);
    bool initialised = v->value != NULL;
    oribi_mutex_unlock(&v->lock);
    TF_DeleteResource(resource);
    return initialised;
}

TF_Resource *oribi_variable_create(TF_OpKernelContext *ctx, const char *name,
                                   const TF_Tensor *value, TF_Status *status)
{
    TF_Tensor *copied = copy_tensor(ctx, value, NULL, status);
    TF_Resource *resource =
        copied == NULL ? NULL
                       : TF_LookupOrCreateResource(ctx, "", name, VARIABLE_TYPE, create_variable,
                                                   NULL, destroy_variable, status);

    if (resource != NULL) {
        variable *v = TF_ResourceObject(resource);
        oribi_mutex_lock(&v->lock);
        TF_Tensor *old = v->value;
        v->value = copied;
        copied = old;
        oribi_mutex_unlock(&v->lock);
    }
    TF_DeleteTensor(copied);
    return resource;
}

TF_Tensor *oribi_variable_share(const TF_Resource *resource)
{
    variable *v = TF_ResourceObject(resource);
    oribi_mutex_lock(&v->lock);
    TF_Tensor *value = v->value == NULL ? NULL : oribi_tensor_share(v->value);
    oribi_mutex_unlock(&v->lock);
    return value;
}

/* --- Next-pluggable devices ----------------------------------------------------------------- */

struct TF_VariableInfo {
    TF_Resource *resource;
    bool is_locked;
};

TF_VariableInfo *TF_CreateVariableInfoFromContext(TF_OpKernelContext *ctx, int index,
                                                  TF_Status *status)
{
    TF_VariableInfo *info = oribi_alloc_zero(1, sizeof *info);

    TF_SetStatus(status, TF_OK, "");
    if (info == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    info->resource = look_up(ctx, index, status);
    if (info->resource == NULL) {
        oribi_free(info);
        return NULL;
    }
    return info;
}

void TF_DeleteVariableInfo(TF_VariableInfo *var_info)
{
    if (var_info == NULL) {
        return;
    }
    if (var_info->is_locked) {
        oribi_mutex_unlock(&((variable *)TF_ResourceObject(var_info->resource))->lock);
    }
    TF_DeleteResource(var_info->resource);
    oribi_free(var_info);
}

static int compare_infos(const void *a, const void *b)
{
    return compare_resources(&(*(TF_VariableInfo *const *)a)->resource,
                             &(*(TF_VariableInfo *const *)b)->resource);
}

/* In order of address; deleting an information unlocks its variable. */
void TF_LockVariableInfos(TF_VariableInfo **vars, int num_vars, TF_Status *status)
{
    const size_t n = num_vars > 0 ? (size_t)num_vars : 0;
    TF_VariableInfo **sorted = oribi_alloc_array(n + 1, sizeof *sorted);

    TF_SetStatus(status, TF_OK, "");
    if (sorted == NULL) {
        oribi_fail_memory(status);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        sorted[i] = vars[i];
    }
    qsort(sorted, n, sizeof *sorted, compare_infos);
    for (size_t i = 0; i < n && oribi_ok(status); i++) {
        if (i > 0 && sorted[i - 1]->resource == sorted[i]->resource) {
            oribi_fail(status, TF_UNIMPLEMENTED, "a variable is to be locked twice");
        } else {
            oribi_mutex_lock(&((variable *)TF_ResourceObject(sorted[i]->resource))->lock);
            sorted[i]->is_locked = true;
        }
    }
    oribi_free(sorted);
}

/* Begins with a variable: locks it where its information does not, and asks for its value. */
static variable *enter(TF_VariableInfo *info, TF_Status *status)
{
    variable *v = TF_ResourceObject(info->resource);

    TF_SetStatus(status, TF_OK, "");
    if (!info->is_locked) {
        oribi_mutex_lock(&v->lock);
    }
    if (v->value == NULL) {
        oribi_fail(status, TF_FAILED_PRECONDITION, "the variable is not initialised");
    }
    return v;
}

static void leave(const TF_VariableInfo *info, variable *v)
{
    if (!info->is_locked) {
        oribi_mutex_unlock(&v->lock);
    }
}

/* New storage for the variable, of the same type and shape, whose contents are undefined. */
void TF_AllocateTempForVariableInfo(TF_OpKernelContext *ctx, TF_VariableInfo *var_info,
                                    TF_Status *status)
{
    variable *v = enter(var_info, status);
    TF_Tensor *fresh = NULL;
    (void)ctx;

    if (oribi_ok(status) && oribi_dtype_owns(v->value->dtype)) {
        oribi_fail(status, TF_UNIMPLEMENTED, "the variable's elements own memory");
    } else if (oribi_ok(status)) {
        fresh = TF_AllocateTensor(v->value->dtype, v->value->dims, v->value->rank,
                                  (size_t)TF_TensorElementCount(v->value) *
                                      oribi_dtype_bytes(v->value->dtype));
        (void)(fresh != NULL || oribi_fail_memory(status));
    }
    if (fresh != NULL) {
        TF_DeleteTensor(v->value);
        v->value = fresh;
    }
    leave(var_info, v);
}

/* What who holds the lock writes, the variable has. */
TF_Tensor *TF_GetTensorFromVariableInfo(TF_VariableInfo *var_info, TF_Status *status)
{
    variable *v = enter(var_info, status);
    TF_Tensor *value = NULL;

    if (oribi_ok(status) && (!var_info->is_locked || own_storage(NULL, v, NULL, status))) {
        value = oribi_tensor_share(v->value);
        (void)(value != NULL || oribi_fail_memory(status));
    }
    leave(var_info, v);
    return value;
}

typedef struct plugin_object {
    void *(*create)(void *arg);
    void *arg; /* without `create` the object itself */
    bool is_made;
} plugin_object;

static void *create_object(void *arg, TF_Status *status)
{
    plugin_object *self = arg;
    (void)status;

    self->is_made = true;
    return self->create != NULL ? self->create(self->arg) : self->arg;
}

static void *find_object(TF_OpKernelContext *ctx, const char *container, const char *name,
                         plugin_object *maker, void (*destroy)(void *), TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    TF_Resource *resource = TF_LookupOrCreateResource(ctx, container != NULL ? container : "", name,
                                                      "tensorflow::PluginResource", create_object,
                                                      maker, destroy, status);
    void *object = resource != NULL ? TF_ResourceObject(resource) : NULL;

    TF_DeleteResource(resource);
    return object;
}

/* The resource is the session's, or, where there is one of this name, goes at once. */
void TF_CreatePluginResource(TF_OpKernelContext *ctx, const char *container_name,
                             const char *plugin_resource_name, void *plugin_resource,
                             void (*delete_func)(void *), TF_Status *status)
{
    plugin_object maker = {.arg = plugin_resource};

    (void)find_object(ctx, container_name, plugin_resource_name, &maker, delete_func, status);
    if (!maker.is_made) {
        delete_func(plugin_resource);
        if (oribi_ok(status)) {
            oribi_fail(status, TF_ALREADY_EXISTS, "there is a resource '%s' already",
                       plugin_resource_name);
        }
    }
}

void TF_LookupOrCreatePluginResource(TF_OpKernelContext *ctx, const char *container_name,
                                     const char *plugin_resource_name,
                                     void **result_plugin_resource, void *(*create_func)(void *),
                                     void *create_func_args, void (*delete_func)(void *),
                                     TF_Status *status)
{
    plugin_object maker = {.create = create_func, .arg = create_func_args};

    *result_plugin_resource =
        find_object(ctx, container_name, plugin_resource_name, &maker, delete_func, status);
}
