/* SPDX-License-Identifier: Apache-2.0 */
/* Registry of op definitions: lookups without a lock, writers under one, and the transaction of a
 * plugin load. Definitions and tables are freed at the end alone, so a reader may hold any of them.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "op/op_serves.h"
#include "op/spec.h"

enum { FIRST_SLOTS = 512 };

typedef _Atomic(const oribi_op_def *) op_slot;

/* Open addressing. Slots only go from NULL to a definition; a full table is copied into a larger
 * one and stays behind for readers that still look at it. */
typedef struct op_table {
    size_t mask;
    struct op_table *older;
    op_slot slots[];
} op_table;

static struct {
    oribi_mutex lock;
    _Atomic(op_table *) table;
    const oribi_op_def **sorted; /* by name, for walks; under the lock */
    size_t count, capacity;      /* under the lock */
} registry = {.lock = ORIBI_MUTEX_INIT};

typedef struct transaction {
    const char *provider;
    oribi_op_entry *pending, **last;
    TF_Status *failure; /* first failed registration; commit reports it */
    bool is_brought;    /* what comes from the reserve, inside `outer` if that is not NULL */
    struct transaction *outer;
} transaction;

static const char ours[] = "built-in", applications[] = "application";
static ORIBI_THREAD_LOCAL transaction *current; /* of this thread, or NULL */
static atomic_flag transaction_open = ATOMIC_FLAG_INIT;

static size_t hash_name(const char *name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    }
    return (size_t)(hash ^ (hash >> 32));
}

static const oribi_op_def *table_find(op_table *table, const char *name)
{
    if (table == NULL) {
        return NULL;
    }
    for (size_t i = hash_name(name);; i++) {
        const oribi_op_def *def =
            atomic_load_explicit(&table->slots[i & table->mask], memory_order_acquire);
        if (def == NULL || strcmp(def->name, name) == 0) {
            return def;
        }
    }
}

static void table_insert(op_table *table, const oribi_op_def *def)
{
    size_t i = hash_name(def->name);
    while (atomic_load_explicit(&table->slots[i & table->mask], memory_order_relaxed) != NULL) {
        i++;
    }
    atomic_store_explicit(&table->slots[i & table->mask], def, memory_order_release);
}

static bool table_reserve(size_t count)
{
    op_table *old = atomic_load_explicit(&registry.table, memory_order_relaxed);
    size_t slots = old != NULL ? old->mask + 1 : 0;
    if (count * 2 <= slots) {
        return true;
    }
    slots = slots > 0 ? slots : FIRST_SLOTS;
    while (count * 2 > slots) {
        slots *= 2;
    }
    op_table *table = oribi_alloc_zero(1, sizeof *table + slots * sizeof table->slots[0]);
    if (table == NULL) {
        return false;
    }
    table->mask = slots - 1;
    table->older = old;
    for (size_t i = 0; i < registry.count; i++) {
        table_insert(table, registry.sorted[i]);
    }
    atomic_store_explicit(&registry.table, table, memory_order_release);
    return true;
}

/* Room for `more` definitions, so that inserting them cannot fail. Under the lock. */
static bool registry_reserve(size_t more)
{
    size_t needed = registry.count + more;
    if (needed > registry.capacity) {
        size_t capacity = registry.capacity > 0 ? registry.capacity * 2 : FIRST_SLOTS / 2;
        capacity = capacity > needed ? capacity : needed;
        const oribi_op_def **grown =
            oribi_realloc_array(registry.sorted, capacity, sizeof *registry.sorted);
        if (grown == NULL) {
            return false;
        }
        registry.sorted = grown;
        registry.capacity = capacity;
    }
    return table_reserve(needed);
}

/* First index whose name is not less than `name`. Under the lock. */
static size_t lower_bound(const char *name)
{
    size_t low = 0, high = registry.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(registry.sorted[middle]->name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void registry_insert(const oribi_op_def *def)
{
    size_t at = lower_bound(def->name);
    memmove(&registry.sorted[at + 1], &registry.sorted[at],
            (registry.count - at) * sizeof *registry.sorted);
    registry.sorted[at] = def;
    registry.count++;
    table_insert(atomic_load_explicit(&registry.table, memory_order_relaxed), def);
}

static const oribi_op_def *find_committed(const char *name)
{
    return table_find(atomic_load_explicit(&registry.table, memory_order_acquire), name);
}

const oribi_op_def *oribi_op_find_present(const char *name)
{
    const oribi_op_def *def = find_committed(name);
    if (def != NULL || current == NULL) {
        return def;
    }
    for (const oribi_op_entry *entry = current->pending; entry != NULL; entry = entry->next) {
        if (strcmp(entry->def.name, name) == 0) {
            return &entry->def;
        }
    }
    return NULL;
}

/* --- The reserve ----------------------------------------------------------------------------- */

typedef bool (*reserve_fn)(const char *name);
static _Atomic(reserve_fn) reserve_has;
static _Atomic(reserve_fn) reserve_bring;

void oribi_op_set_reserve(bool (*has)(const char *name), bool (*bring)(const char *name))
{
    atomic_store_explicit(&reserve_has, has, memory_order_release);
    atomic_store_explicit(&reserve_bring, bring, memory_order_release);
}

bool oribi_op_is_known(const char *name)
{
    reserve_fn has = atomic_load_explicit(&reserve_has, memory_order_acquire);
    return oribi_op_find_present(name) != NULL || (has != NULL && has(name));
}

/* What is brought asks for nothing itself. */
static bool bring(const char *name)
{
    reserve_fn call = atomic_load_explicit(&reserve_bring, memory_order_acquire);
    return call != NULL && (current == NULL || !current->is_brought) && call(name);
}

void oribi_op_bring_all(void)
{
    (void)bring(NULL);
}

const oribi_op_def *oribi_op_find(const char *name)
{
    const oribi_op_def *def = oribi_op_find_present(name);
    return def == NULL && bring(name) ? find_committed(name) : def;
}

void oribi_op_each(bool (*visit)(void *arg, const oribi_op_def *op), void *arg)
{
    oribi_op_bring_all();
    oribi_op_each_present(visit, arg);
}

/* The lock is not held while visit runs: it may look up and register. */
void oribi_op_each_present(bool (*visit)(void *arg, const oribi_op_def *op), void *arg)
{
    const oribi_op_def *last = NULL;
    size_t at = 0;
    for (;; at++) {
        oribi_mutex_lock(&registry.lock);
        if (last != NULL && registry.sorted[at - 1] != last) { /* others have come before it */
            at = lower_bound(last->name) + 1;
        }
        const oribi_op_def *next = at < registry.count ? registry.sorted[at] : NULL;
        oribi_mutex_unlock(&registry.lock);
        if (next == NULL || !visit(arg, next)) {
            return;
        }
        last = next;
    }
}

int32_t oribi_op_max_rank(const oribi_op_def *op)
{
    return op != NULL && op->is_built_in ? ORIBI_MAX_RANK : ORIBI_MAX_TENSOR_RANK;
}

const oribi_attr_def *oribi_op_find_attr(const oribi_op_def *op, const char *name)
{
    for (int32_t i = 0; i < op->n_attrs; i++) {
        if (strcmp(op->attrs[i].name, name) == 0) {
            return &op->attrs[i];
        }
    }
    return NULL;
}

static bool fail_different(const oribi_op_def *present, const oribi_op_def *wanted,
                           TF_Status *status)
{
    oribi_text difference = {0};
    (void)oribi_op_equal(present, wanted, &difference);
    oribi_fail(status, TF_ALREADY_EXISTS,
               "Op with name %s: '%s' defines it otherwise than '%s' did (%s); "
               "rename the op or load only one of them",
               wanted->name, wanted->provider, present->provider, oribi_text_string(&difference));
    oribi_text_destroy(&difference);
    return false;
}

/* True with *out_same when the present definition is identical; false when it differs. */
static bool check_present(const oribi_op_def *wanted, bool *out_same, TF_Status *status)
{
    const oribi_op_def *present = oribi_op_find_present(wanted->name);
    oribi_text difference = {0};
    *out_same = false;
    if (present == NULL) {
        return true;
    }
    *out_same = oribi_op_equal(present, wanted, &difference);
    oribi_text_destroy(&difference);
    return *out_same || fail_different(present, wanted, status);
}

static bool commit_entry(oribi_op_entry *entry, bool *out_same, TF_Status *status)
{
    oribi_mutex_lock(&registry.lock);
    bool ok = check_present(&entry->def, out_same, status);
    if (ok && !*out_same) {
        ok = registry_reserve(1) || oribi_fail_memory(status);
        if (ok) {
            registry_insert(&entry->def);
        }
    }
    oribi_mutex_unlock(&registry.lock);
    return ok;
}

typedef struct agreement {
    const oribi_op_def *wanted;
    TF_Status *status;
} agreement;

static bool visit_services(void *arg, const oribi_op_def *present)
{
    const agreement *a = arg;
    return oribi_op_services_agree(present, a->wanted, a->status);
}

/* Does no other op serve what this one does? */
static bool check_services(const oribi_op_def *wanted, TF_Status *status)
{
    const agreement a = {wanted, status};
    if (wanted->services == NULL) {
        return true;
    }
    oribi_op_each_present(visit_services, (void *)&a);
    for (const oribi_op_entry *entry = current != NULL ? current->pending : NULL;
         oribi_ok(status) && entry != NULL; entry = entry->next) {
        (void)oribi_op_services_agree(&entry->def, wanted, status);
    }
    return oribi_ok(status);
}

bool oribi_op_register(oribi_op_entry *entry, TF_Status *status)
{
    bool same = false, ok;
    (void)oribi_op_find(entry->def.name); /* what is in reserve comes first, to be compared with */
    entry->def.provider = current != NULL ? current->provider : applications;
    entry->def.is_built_in = entry->def.provider == ours;
    ok = check_services(&entry->def, status);
    if (ok && current == NULL) {
        ok = commit_entry(entry, &same, status);
    } else if (current != NULL) {
        ok = ok && check_present(&entry->def, &same, status);
        if (ok && !same) {
            *current->last = entry;
            current->last = &entry->next;
        }
        if (!ok) {
            oribi_op_note_failure(status);
        }
    }
    if (!ok || same) {
        oribi_op_entry_destroy(entry);
    }
    return ok;
}

void oribi_op_note_failure(const TF_Status *status)
{
    if (current != NULL && oribi_ok(current->failure)) {
        oribi_status_copy(current->failure, status);
    }
}

const char *oribi_provider_copy(const char *name)
{
    return strcmp(name, ours) == 0 ? ours : oribi_strdup(name);
}

void oribi_provider_free(const char *provider)
{
    if (provider != ours && provider != applications) {
        oribi_free((char *)provider);
    }
}

/* A provider's name is kept as long as its definitions are: for ever. One copy per load. */
static bool begin(const char *provider, bool is_brought, TF_Status *status)
{
    transaction *fresh = oribi_alloc_zero(1, sizeof *fresh);
    const char *name = oribi_provider_copy(provider);
    TF_Status *failure = TF_NewStatus();
    if (fresh == NULL || name == NULL || failure == NULL) {
        oribi_free(fresh);
        oribi_provider_free(name);
        TF_DeleteStatus(failure);
        return oribi_fail_memory(status);
    }
    *fresh = (transaction){
        .provider = name, .failure = failure, .is_brought = is_brought, .outer = current};
    fresh->last = &fresh->pending;
    current = fresh;
    return true;
}

bool oribi_op_begin(const char *provider, TF_Status *status)
{
    if (atomic_flag_test_and_set(&transaction_open)) {
        return oribi_fail(status, TF_FAILED_PRECONDITION,
                          "ops of '%s': another registration transaction is open", provider);
    }
    if (!begin(provider, false, status)) {
        atomic_flag_clear(&transaction_open);
        return false;
    }
    return true;
}

bool oribi_op_begin_brought(TF_Status *status)
{
    return begin(ours, true, status);
}

static void end_transaction(bool keep_provider)
{
    transaction *ending = current;
    current = ending->outer;
    if (!keep_provider) {
        oribi_provider_free(ending->provider);
    }
    TF_DeleteStatus(ending->failure);
    if (!ending->is_brought) {
        atomic_flag_clear(&transaction_open);
    }
    oribi_free(ending);
}

int32_t oribi_op_pending(void)
{
    int32_t count = 0;
    for (const oribi_op_entry *entry = current != NULL ? current->pending : NULL; entry != NULL;
         entry = entry->next) {
        count++;
    }
    return count;
}

void oribi_op_rollback(void)
{
    if (current == NULL) {
        return;
    }
    for (oribi_op_entry *entry = current->pending, *next; entry != NULL; entry = next) {
        next = entry->next;
        oribi_op_entry_destroy(entry);
    }
    end_transaction(false);
}

/* Is it the last of the walk with its provider, whose name nobody else has then? */
static bool ends_provider(size_t at)
{
    const char *provider = registry.sorted[at]->provider;
    for (size_t i = at + 1; i < registry.count; i++) {
        if (registry.sorted[i]->provider == provider) {
            return false;
        }
    }
    return true;
}

void oribi_op_forget_all(void)
{
    oribi_op_set_reserve(NULL, NULL);
    oribi_mutex_lock(&registry.lock);
    for (size_t i = 0; i < registry.count; i++) {
        const char *provider = ends_provider(i) ? registry.sorted[i]->provider : NULL;
        oribi_op_entry_destroy((oribi_op_entry *)registry.sorted[i]); /* its first member */
        oribi_provider_free(provider);
    }
    for (op_table *table = atomic_exchange(&registry.table, NULL), *older; table != NULL;
         table = older) {
        older = table->older;
        oribi_free(table);
    }
    oribi_free(registry.sorted);
    registry.sorted = NULL;
    registry.count = registry.capacity = 0;
    oribi_mutex_unlock(&registry.lock);
}

/* Everything that may fail, before anything is visible. Another thread may have registered since.
 * Under the lock. */
static bool prepare_commit(size_t *out_count, TF_Status *status)
{
    *out_count = 0;
    for (const oribi_op_entry *entry = current->pending; entry != NULL; entry = entry->next) {
        const oribi_op_def *present = find_committed(entry->def.name);
        oribi_text difference = {0};
        bool same = present == NULL || oribi_op_equal(present, &entry->def, &difference);
        oribi_text_destroy(&difference);
        if (!same) {
            return fail_different(present, &entry->def, status);
        }
        (*out_count)++;
    }
    return registry_reserve(*out_count) || oribi_fail_memory(status);
}

bool oribi_op_commit(TF_Status *status)
{
    if (current == NULL) {
        return oribi_fail(status, TF_FAILED_PRECONDITION, "no registration transaction is open");
    }
    if (!oribi_ok(current->failure)) {
        oribi_status_copy(status, current->failure);
        oribi_op_rollback();
        return false;
    }
    size_t count;
    oribi_mutex_lock(&registry.lock);
    bool ok = prepare_commit(&count, status);
    for (oribi_op_entry *entry = current->pending, *next; ok && entry != NULL; entry = next) {
        next = entry->next;
        if (find_committed(entry->def.name) == NULL) {
            registry_insert(&entry->def);
        } else {
            oribi_op_entry_destroy(entry);
        }
    }
    oribi_mutex_unlock(&registry.lock);
    if (!ok) {
        oribi_op_rollback();
        return false;
    }
    end_transaction(count > 0);
    return true;
}
