/* SPDX-License-Identifier: Apache-2.0 */
/* Registry of kernels: one array sorted by op name, transactions of plugin loads.
 * Not here: builders (kernel_builder.c), choice (kernel_select.c).
 */
#include "kernel/registry_internal.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"

typedef struct transaction {
    bool is_open;
    const char *provider;
    const void *owner;  /* oribi_thread_self() */
    TF_Status *failure; /* first failed registration */
    oribi_kernel_list pending;
} transaction;

static struct {
    oribi_mutex lock;
    oribi_kernel_list committed;
    transaction load, brought; /* of a plugin, and of what comes from the reserve of ops */
    int32_t next_sequence;
} registry = {.lock = ORIBI_MUTEX_INIT};

static int compare(const oribi_kernel_def *a, const oribi_kernel_def *b)
{
    const int names = strcmp(a->op_name, b->op_name);
    return names != 0 ? names : (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static bool list_reserve(oribi_kernel_list *list, int32_t more)
{
    if (list->count + more <= list->capacity) {
        return true;
    }
    int32_t capacity = list->capacity > 0 ? list->capacity * 2 : 64;
    while (capacity < list->count + more) {
        capacity *= 2;
    }
    TF_KernelBuilder **items =
        oribi_realloc_array(list->items, (size_t)capacity, sizeof list->items[0]);
    if (items == NULL) {
        return false;
    }
    list->items = items;
    list->capacity = capacity;
    return true;
}

/* Room is reserved. Entries mostly come in order, or near the end. */
static void list_insert(oribi_kernel_list *list, TF_KernelBuilder *entry)
{
    int32_t low = 0;
    int32_t high = list->count;
    if (high > 0 && compare(&list->items[high - 1]->def, &entry->def) < 0) {
        low = high;
    }
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (compare(&list->items[middle]->def, &entry->def) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    memmove(list->items + low + 1, list->items + low,
            (size_t)(list->count - low) * sizeof list->items[0]);
    list->items[low] = entry;
    list->count++;
}

static bool is_mine(const transaction *t)
{
    return t->is_open && t->owner == oribi_thread_self();
}

/* The innermost transaction of this thread, or NULL. Under the lock. */
static transaction *mine(void)
{
    return is_mine(&registry.brought) ? &registry.brought
           : is_mine(&registry.load)  ? &registry.load
                                      : NULL;
}

/* Does this thread register what is built in? */
static bool is_built_in(void)
{
    oribi_mutex_lock(&registry.lock);
    const transaction *t = mine();
    const bool is = t != NULL && strcmp(t->provider, "built-in") == 0;
    oribi_mutex_unlock(&registry.lock);
    return is;
}

static bool begin(transaction *t, const char *provider, TF_Status *status)
{
    TF_Status *failure = TF_NewStatus();
    const char *name = oribi_provider_copy(provider);
    bool ok = false;

    oribi_mutex_lock(&registry.lock);
    if (failure == NULL || name == NULL) {
        oribi_fail_memory(status);
    } else if (t->is_open) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "kernels of '%s' cannot be registered while those of '%s' are", provider,
                   t->provider);
    } else {
        *t = (transaction){
            .is_open = true, .provider = name, .owner = oribi_thread_self(), .failure = failure};
        ok = true;
    }
    oribi_mutex_unlock(&registry.lock);

    if (!ok) {
        TF_DeleteStatus(failure);
        oribi_provider_free(name);
    }
    return ok;
}

bool oribi_kernel_begin(const char *provider, TF_Status *status)
{
    return begin(&registry.load, provider, status);
}

bool oribi_kernel_begin_brought(TF_Status *status)
{
    return begin(&registry.brought, "built-in", status);
}

/* Ends a transaction; is_kept: entries go on pointing to the provider. */
static void close_transaction(transaction *t, bool is_kept)
{
    if (!is_kept) {
        oribi_provider_free(t->provider);
    }
    TF_DeleteStatus(t->failure);
    oribi_free(t->pending.items);
    *t = (transaction){0};
}

/* Under the lock. */
static void drop(transaction *t)
{
    for (int32_t i = 0; i < t->pending.count; i++) {
        oribi_kernel_builder_free(t->pending.items[i]);
    }
    close_transaction(t, false);
}

/* All that can fail; then there is room for what is inserted. Under the lock. */
static bool prepare(const transaction *t, TF_Status *status)
{
    if (t == NULL) {
        return oribi_fail(status, TF_FAILED_PRECONDITION, "no kernel registration is under way");
    }
    if (!oribi_ok(t->failure)) {
        oribi_status_copy(status, t->failure);
        return false;
    }
    return list_reserve(&registry.committed, t->pending.count) || oribi_fail_memory(status);
}

/* Under the lock, prepared. */
static void insert_all(transaction *t)
{
    for (int32_t i = 0; i < t->pending.count; i++) {
        list_insert(&registry.committed, t->pending.items[i]);
    }
    close_transaction(t, t->pending.count > 0);
}

bool oribi_kernel_commit(TF_Status *status)
{
    oribi_mutex_lock(&registry.lock);
    transaction *t = mine();
    const bool ok = prepare(t, status);
    if (ok) {
        insert_all(t);
    }
    oribi_mutex_unlock(&registry.lock);
    return ok;
}

bool oribi_kernel_commit_with_ops(TF_Status *status)
{
    oribi_mutex_lock(&registry.lock);
    transaction *t = mine();
    bool ok = prepare(t, status);
    if (!ok) {
        oribi_op_rollback();
    } else if (oribi_op_commit(status)) {
        insert_all(t);
    } else {
        ok = false;
    }
    if (!ok && t != NULL) {
        drop(t);
    }
    oribi_mutex_unlock(&registry.lock);
    return ok;
}

void oribi_kernel_rollback(void)
{
    oribi_mutex_lock(&registry.lock);
    transaction *t = mine();
    if (t != NULL) {
        drop(t);
    }
    oribi_mutex_unlock(&registry.lock);
}

int32_t oribi_kernel_pending(void)
{
    oribi_mutex_lock(&registry.lock);
    const transaction *t = mine();
    const int32_t count = t != NULL ? t->pending.count : 0;
    oribi_mutex_unlock(&registry.lock);
    return count;
}

bool oribi_kernel_register(TF_KernelBuilder *entry, TF_Status *status)
{
    bool ok = false;

    if (!is_built_in()) { /* built-in kernels come first, out of the reserve */
        (void)oribi_op_find(entry->def.op_name);
    }
    oribi_mutex_lock(&registry.lock);
    transaction *t = mine();
    oribi_kernel_list *list = t != NULL ? &t->pending : &registry.committed;
    if (list_reserve(list, 1)) {
        entry->def.sequence = registry.next_sequence++;
        entry->def.provider = t != NULL ? t->provider : "application";
        list_insert(list, entry);
        entry->is_registered = true;
        ok = true;
    } else {
        oribi_fail_memory(status);
    }
    oribi_mutex_unlock(&registry.lock);
    if (!ok) {
        oribi_kernel_note_failure(status);
    }
    return ok;
}

void oribi_kernel_note_failure(const TF_Status *status)
{
    oribi_mutex_lock(&registry.lock);
    transaction *t = mine();
    if (t != NULL && oribi_ok(t->failure)) {
        oribi_status_copy(t->failure, status);
    }
    oribi_mutex_unlock(&registry.lock);
}

/* The names of providers go with the last kernel that has them. */
void oribi_kernel_forget_all(void)
{
    oribi_mutex_lock(&registry.lock);
    oribi_kernel_list *list = &registry.committed;
    for (int32_t i = 0; i < list->count; i++) {
        const char *provider = list->items[i]->def.provider;
        bool is_last = strcmp(provider, "application") != 0;
        for (int32_t j = i + 1; j < list->count && is_last; j++) {
            is_last = list->items[j]->def.provider != provider;
        }
        oribi_kernel_builder_free(list->items[i]);
        oribi_provider_free(is_last ? provider : NULL);
    }
    oribi_free(list->items);
    *list = (oribi_kernel_list){NULL, 0, 0};
    oribi_mutex_unlock(&registry.lock);
}

/* First entry whose op name is not below name. */
static int32_t lower_bound(const oribi_kernel_list *list, const char *name)
{
    int32_t low = 0;
    int32_t high = list->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (strcmp(list->items[middle]->def.op_name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool visit_op(const oribi_kernel_list *list, const char *op_name,
                     bool (*visit)(void *arg, const oribi_kernel_def *kernel), void *arg)
{
    for (int32_t i = lower_bound(list, op_name);
         i < list->count && strcmp(list->items[i]->def.op_name, op_name) == 0; i++) {
        if (!visit(arg, &list->items[i]->def)) {
            return false;
        }
    }
    return true;
}

static void (*_Atomic reserve)(void);
static const char *_Atomic reserve_absent = "";

void oribi_kernel_set_reserve(void (*call)(void), const char *absent)
{
    atomic_store(&reserve_absent, absent);
    atomic_store(&reserve, call);
}

const char *oribi_kernel_absent(void)
{
    return atomic_load(&reserve_absent);
}

void oribi_kernel_call_reserve(void)
{
    void (*call)(void) = atomic_load(&reserve);
    if (call != NULL) {
        call();
    }
}

/* A plugin's kernel of a built-in op (NULL: an op of nobody's) says nothing of the built-in ones.
 */
static bool is_of_another(void *op, const oribi_kernel_def *kernel)
{
    return op != NULL && ((const oribi_op_def *)op)->is_built_in &&
           strcmp(kernel->provider, "built-in") != 0;
}

static bool has_own(const oribi_op_def *op, const char *op_name)
{
    oribi_mutex_lock(&registry.lock);
    const bool has = !visit_op(&registry.committed, op_name, is_of_another, (void *)(uintptr_t)op);
    oribi_mutex_unlock(&registry.lock);
    return has;
}

void oribi_kernel_each_of_op(const char *op_name,
                             bool (*visit)(void *arg, const oribi_kernel_def *kernel), void *arg)
{
    const oribi_op_def *op = oribi_op_find(op_name); /* brings its kernels */
    if (atomic_load_explicit(&reserve, memory_order_acquire) != NULL && !has_own(op, op_name)) {
        oribi_kernel_call_reserve();
    }
    oribi_mutex_lock(&registry.lock);
    if (visit_op(&registry.committed, op_name, visit, arg) && is_mine(&registry.load)) {
        visit_op(&registry.load.pending, op_name, visit, arg);
    }
    oribi_mutex_unlock(&registry.lock);
}

void oribi_kernel_each(bool (*visit)(void *arg, const oribi_kernel_def *kernel), void *arg)
{
    const oribi_kernel_list none = {NULL, 0, 0};
    oribi_op_bring_all();
    oribi_mutex_lock(&registry.lock);
    const oribi_kernel_list *a = &registry.committed;
    const oribi_kernel_list *b = is_mine(&registry.load) ? &registry.load.pending : &none;
    int32_t i = 0;
    int32_t j = 0;
    bool more = true;
    while (more && (i < a->count || j < b->count)) {
        const bool from_b =
            i == a->count || (j < b->count && compare(&b->items[j]->def, &a->items[i]->def) < 0);
        more = visit(arg, from_b ? &b->items[j++]->def : &a->items[i++]->def);
    }
    oribi_mutex_unlock(&registry.lock);
}

typedef struct existence {
    const char *device_type;
    bool found;
} existence;

static bool visit_existence(void *arg, const oribi_kernel_def *kernel)
{
    existence *search = arg;
    search->found = search->device_type == NULL ||
                    strcmp(kernel->device_type, search->device_type) == 0 ||
                    strcmp(kernel->device_type, "DEFAULT") == 0;
    return !search->found;
}

bool oribi_kernel_exists(const char *op_name, const char *device_type)
{
    existence search = {device_type, false};
    oribi_kernel_each_of_op(op_name, visit_existence, &search);
    return search.found;
}
