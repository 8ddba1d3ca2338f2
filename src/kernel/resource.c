/* SPDX-License-Identifier: Apache-2.0 */
/* The table of resources and the functions of tensorflow/c/resource.h. Variables are one kind of
 * resource: kernel_variable.c.
 */
#include "kernel/resource.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "kernel/context.h"

struct TF_Resource { /* one object; the table and kernels hold references */
    _Atomic int32_t references;
    uint64_t id;
    char *container, *name, *type;
    void *object;
    void (*destroy)(void *object);
};

struct oribi_resources {
    _Atomic int64_t references;
    oribi_mutex lock;
    TF_Resource **items;
    size_t count, capacity;
};

static _Atomic uint64_t next_id = 1;

static void free_resource(TF_Resource *resource)
{
    if (resource != NULL) {
        if (resource->object != NULL && resource->destroy != NULL) {
            resource->destroy(resource->object);
        }
        oribi_free(resource->container);
        oribi_free(resource->name);
        oribi_free(resource->type);
        oribi_free(resource);
    }
}

static TF_Resource *retain(TF_Resource *resource)
{
    atomic_fetch_add_explicit(&resource->references, 1, memory_order_relaxed);
    return resource;
}

void TF_DeleteResource(TF_Resource *resource)
{
    if (resource != NULL &&
        atomic_fetch_sub_explicit(&resource->references, 1, memory_order_acq_rel) == 1) {
        free_resource(resource);
    }
}

void *TF_ResourceObject(const TF_Resource *resource)
{
    return resource->object;
}

oribi_resource_names oribi_resource_names_of(const TF_Resource *resource)
{
    return (oribi_resource_names){resource->container, resource->name, resource->type,
                                  resource->id};
}

oribi_resources *oribi_resources_create(TF_Status *status)
{
    oribi_resources *made = oribi_alloc_zero(1, sizeof *made);

    if (made == NULL || !oribi_mutex_init(&made->lock)) {
        oribi_free(made);
        oribi_fail_memory(status);
        return NULL;
    }
    atomic_init(&made->references, 1);
    return made;
}

void oribi_resources_retain(oribi_resources *resources)
{
    atomic_fetch_add_explicit(&resources->references, 1, memory_order_relaxed);
}

void oribi_resources_destroy(oribi_resources *resources)
{
    if (resources == NULL ||
        atomic_fetch_sub_explicit(&resources->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (size_t i = 0; i < resources->count; i++) {
        TF_DeleteResource(resources->items[i]);
    }
    oribi_mutex_destroy(&resources->lock);
    oribi_free(resources->items);
    oribi_free(resources);
}

static oribi_resources process_resources = {.lock = ORIBI_MUTEX_INIT};

oribi_resources *oribi_resources_of(TF_OpKernelContext *ctx, TF_Status *status)
{
    (void)status;
    return ctx->resources != NULL ? ctx->resources : &process_resources;
}

void oribi_resources_forget_process(void)
{
    oribi_mutex_lock(&process_resources.lock);
    for (size_t i = 0; i < process_resources.count; i++) {
        TF_DeleteResource(process_resources.items[i]);
    }
    oribi_free(process_resources.items);
    process_resources.items = NULL;
    process_resources.count = process_resources.capacity = 0;
    oribi_mutex_unlock(&process_resources.lock);
}

/* The empty container is the default one. */
static const char *container_of(const char *container)
{
    return container[0] != '\0' ? container : "localhost";
}

/* Under the lock. */
static size_t find(const oribi_resources *r, const char *container, const char *name,
                   const char *type)
{
    size_t i = 0;

    while (i < r->count &&
           (strcmp(r->items[i]->name, name) != 0 || strcmp(r->items[i]->type, type) != 0 ||
            strcmp(r->items[i]->container, container_of(container)) != 0)) {
        i++;
    }
    return i;
}

/* Makes the object; one reference, for the table. */
static TF_Resource *make(const char *container, const char *name, const char *type,
                         void *(*create)(void *arg, TF_Status *status), void *arg,
                         void (*destroy)(void *object), TF_Status *status)
{
    TF_Resource *made = oribi_alloc_zero(1, sizeof *made);

    if (made == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    atomic_init(&made->references, 1);
    made->container = oribi_strdup(container_of(container));
    made->name = oribi_strdup(name);
    made->type = oribi_strdup(type);
    made->destroy = destroy;
    if (made->container == NULL || made->name == NULL || made->type == NULL) {
        oribi_fail_memory(status);
        free_resource(made);
        return NULL;
    }
    made->object = create(arg, status);
    if (made->object == NULL && oribi_ok(status)) {
        oribi_fail(status, TF_INTERNAL,
                   "resource '%s' of type %s: the create function returned no resource", name,
                   type);
    }
    if (!oribi_ok(status)) {
        free_resource(made);
        return NULL;
    }
    made->id = atomic_fetch_add(&next_id, 1);
    return made;
}

/* create runs under the lock of the table: at most once, at the price that it must not look up
 * resources itself. */
TF_Resource *TF_LookupOrCreateResource(TF_OpKernelContext *ctx, const char *container,
                                       const char *name, const char *type,
                                       void *(*create)(void *arg, TF_Status *status), void *arg,
                                       void (*destroy)(void *object), TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_resources *r = oribi_resources_of(ctx, status);
    TF_Resource *result = NULL;

    oribi_mutex_lock(&r->lock);
    size_t at = find(r, container, name, type);
    if (at < r->count) {
        result = retain(r->items[at]);
        goto done;
    }
    if (r->count == r->capacity) {
        size_t capacity = r->capacity * 2 + 8;
        TF_Resource **grown = oribi_realloc_array(r->items, capacity, sizeof *grown);
        if (grown == NULL) {
            oribi_fail_memory(status);
            goto done;
        }
        r->items = grown;
        r->capacity = capacity;
    }
    TF_Resource *made = make(container, name, type, create, arg, destroy, status);
    if (made != NULL) {
        r->items[r->count++] = made;
        result = retain(made);
    }
done:
    oribi_mutex_unlock(&r->lock);
    return result;
}

TF_Resource *TF_LookupResource(TF_OpKernelContext *ctx, const char *container, const char *name,
                               const char *type, TF_Status *status)
{
    oribi_resources *r = oribi_resources_of(ctx, status);
    TF_Resource *result = NULL;

    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&r->lock);
    size_t at = find(r, container, name, type);
    if (at < r->count) {
        result = retain(r->items[at]);
    }
    oribi_mutex_unlock(&r->lock);
    if (result == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "there is no resource '%s' of type %s in container '%s'",
                   name, type, container);
    }
    return result;
}

void TF_RemoveResource(TF_OpKernelContext *ctx, const char *container, const char *name,
                       const char *type, TF_Status *status)
{
    oribi_resources *r = oribi_resources_of(ctx, status);
    TF_Resource *gone = NULL;

    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&r->lock);
    size_t at = find(r, container, name, type);
    if (at < r->count) {
        gone = r->items[at];
        r->items[at] = r->items[--r->count];
    }
    oribi_mutex_unlock(&r->lock);
    if (gone == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "there is no resource '%s' of type %s in container '%s'",
                   name, type, container);
    }
    TF_DeleteResource(gone);
}

TF_Tensor *TF_ResourceHandleTensor(TF_OpKernelContext *ctx, TF_Resource *resource,
                                   TF_Status *status)
{
    (void)ctx;
    TF_Tensor *tensor = TF_AllocateTensor(TF_RESOURCE, NULL, 0, sizeof resource->id);

    TF_SetStatus(status, TF_OK, "");
    if (tensor == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    memcpy(TF_TensorData(tensor), &resource->id, sizeof resource->id);
    return tensor;
}

static TF_Resource *find_by_id(oribi_resources *r, uint64_t id)
{
    TF_Resource *result = NULL;

    oribi_mutex_lock(&r->lock);
    for (size_t i = 0; i < r->count && result == NULL; i++) {
        if (r->items[i]->id == id) {
            result = retain(r->items[i]);
        }
    }
    oribi_mutex_unlock(&r->lock);
    return result;
}

TF_Resource *TF_ResourceFromTensor(TF_OpKernelContext *ctx, const TF_Tensor *tensor, int64_t index,
                                   const char *type, TF_Status *status)
{
    uint64_t id;

    TF_SetStatus(status, TF_OK, "");
    if (TF_TensorType(tensor) != TF_RESOURCE || index < 0 ||
        index >= TF_TensorElementCount(tensor) ||
        (size_t)index >= TF_TensorByteSize(tensor) / sizeof id) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "needs a tensor of resource handles with an element %lld, not one of type %s",
                   (long long)index, oribi_dtype_name(TF_TensorType(tensor)));
        return NULL;
    }
    memcpy(&id, (const char *)TF_TensorData(tensor) + (size_t)index * sizeof id, sizeof id);
    TF_Resource *found = find_by_id(oribi_resources_of(ctx, status), id);
    if (found == NULL) {
        oribi_fail(status, TF_NOT_FOUND,
                   "the resource handle names nothing: it was removed, or belongs to another "
                   "session");
    } else if (type != NULL && strcmp(found->type, type) != 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "resource '%s' is of type %s, not %s", found->name,
                   found->type, type);
        TF_DeleteResource(found);
        found = NULL;
    }
    return found;
}
