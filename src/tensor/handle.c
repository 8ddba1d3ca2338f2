/* SPDX-License-Identifier: Apache-2.0 */
/* Slabs of handles. Each slot is preceded by a pointer to its slab, each slab points to its heap;
 * a heap is owned by one thread at a time, or by nobody (an orphan).
 *
 * Order of the remote list: a push releases, the drain acquires, so what the freeing thread did to
 * the object happens before its next use. Only whole lists are taken, hence no ABA.
 *
 * Under AddressSanitizer a free object is poisoned, and so is a gap behind each.
 */
#include "tensor/handle.h"

#include "base/alloc.h"
#include "tensor/handle_internal.h"
#include "tensor/status_internal.h"
#include "tensor/tensor.h"

enum { GRAIN = ORIBI_HANDLE_GRAIN, SLOTS = 64 };

typedef oribi_handle_slot slot;
typedef oribi_handle_slab slab;
typedef oribi_handle_heap heap;
enum { SLAB_HEAD = (sizeof(slab) + GRAIN - 1) / GRAIN * GRAIN };

static const size_t object_bytes[ORIBI_HANDLE_KINDS] = {
    [ORIBI_HANDLE_TENSOR] = sizeof(TF_Tensor),
    [ORIBI_HANDLE_STATUS] = sizeof(struct TSL_Status),
    [ORIBI_HANDLE_BUFFER] = sizeof(oribi_buffer),
};

ORIBI_THREAD_LOCAL heap *oribi__own_heap;
static oribi_mutex orphan_mutex = ORIBI_MUTEX_INIT;
static heap *orphans;
static oribi_once exit_once = ORIBI_ONCE_INIT;
static pthread_key_t exit_key;
static bool has_exit_key;

/* Moves what other threads freed to the own list of the kind. */
static void drain(heap *h, oribi_handle_kind kind)
{
    slot *taken = atomic_exchange_explicit(&h->remote[kind], NULL, memory_order_acquire);
    while (taken != NULL) {
        slot *next = taken->next;
        taken->next = h->free[kind];
        h->free[kind] = taken;
        taken = next;
    }
}

/* --- Ends of threads ------------------------------------------------------------------------- */

static size_t slot_bytes(oribi_handle_kind kind)
{
    return GRAIN + (object_bytes[kind] + GRAIN - 1) / GRAIN * GRAIN + ORIBI_POISON_GAP;
}

static void release_slab(slab *s)
{
    oribi_unpoison(s, SLAB_HEAD + slot_bytes(s->kind) * SLOTS);
    oribi_free(s);
}

/* Takes the slots of wholly free slabs off the list. */
static void drop_slots(heap *h, oribi_handle_kind kind)
{
    slot **link = &h->free[kind];
    while (*link != NULL) {
        if ((*link)->slab->free_count == SLOTS) {
            *link = (*link)->next;
        } else {
            link = &(*link)->next;
        }
    }
}

/* Returns wholly free slabs; true when no slab is left, and then nobody can reach the heap. */
static bool trim(heap *h)
{
    for (slab *s = h->slabs; s != NULL; s = s->next) {
        s->free_count = 0;
    }
    for (int kind = 0; kind < ORIBI_HANDLE_KINDS; kind++) {
        drain(h, (oribi_handle_kind)kind);
        for (slot *s = h->free[kind]; s != NULL; s = s->next) {
            s->slab->free_count++;
        }
        drop_slots(h, (oribi_handle_kind)kind);
    }
    slab **link = &h->slabs;
    while (*link != NULL) {
        slab *s = *link;
        if (s->free_count == SLOTS) {
            *link = s->next;
            release_slab(s);
        } else {
            link = &s->next;
        }
    }
    return h->slabs == NULL;
}

static void trim_orphans(void)
{
    oribi_mutex_lock(&orphan_mutex);
    heap **link = &orphans;
    while (*link != NULL) {
        heap *h = *link;
        if (trim(h)) {
            *link = h->next_orphan;
            oribi_free(h);
        } else {
            link = &h->next_orphan;
        }
    }
    oribi_mutex_unlock(&orphan_mutex);
}

/* At a thread's end. Later destructors of the thread may make handles: they get a new heap. */
static void leave_heap(void *arg)
{
    heap *h = arg;
    oribi__own_heap = NULL;
    if (trim(h)) {
        oribi_free(h);
        return;
    }
    oribi_mutex_lock(&orphan_mutex);
    h->next_orphan = orphans;
    orphans = h;
    oribi_mutex_unlock(&orphan_mutex);
}

static void make_exit_key(void)
{
    has_exit_key = pthread_key_create(&exit_key, leave_heap) == 0;
}

/* The thread that ends the process runs no key destructors, and a key must not outlive the code. */
__attribute__((destructor)) static void release_at_exit(void)
{
    if (oribi__own_heap != NULL) {
        leave_heap(oribi__own_heap);
    }
    trim_orphans();
    if (has_exit_key) {
        has_exit_key = false;
        (void)pthread_key_delete(exit_key);
    }
}

/* --- Making and freeing ---------------------------------------------------------------------- */

static heap *adopt_orphan(void)
{
    oribi_mutex_lock(&orphan_mutex);
    heap *h = orphans;
    if (h != NULL) {
        orphans = h->next_orphan;
    }
    oribi_mutex_unlock(&orphan_mutex);
    return h;
}

static heap *join_heap(void)
{
    oribi_once_call(&exit_once, make_exit_key);
    heap *h = adopt_orphan();
    if (h == NULL) {
        h = oribi_alloc_aligned(sizeof(*h), _Alignof(heap));
        if (h == NULL) {
            return NULL;
        }
        *h = (heap){0};
    }
    oribi__own_heap = h;
    if (has_exit_key && pthread_setspecific(exit_key, h) != 0) {
        leave_heap(h); /* this thread's end would go unnoticed */
        return NULL;
    }
    return h;
}

static bool add_slab(heap *h, oribi_handle_kind kind)
{
    const size_t stride = slot_bytes(kind);
    slab *s = oribi_alloc_aligned(SLAB_HEAD + stride * SLOTS, 64);
    if (s == NULL) {
        return false;
    }
    *s = (slab){.heap = h, .next = h->slabs, .kind = kind};
    h->slabs = s;
    for (int i = SLOTS - 1; i >= 0; i--) {
        slot *added = (slot *)(void *)((char *)s + SLAB_HEAD + stride * (size_t)i);
        if (kind == ORIBI_HANDLE_STATUS) {
            oribi_status_init(oribi_handle_object(added));
        }
        oribi_poison(oribi_handle_object(added), stride - GRAIN);
        added->slab = s;
        added->next = h->free[kind];
        h->free[kind] = added;
    }
    return true;
}

/* Something on the own list: what is there, else from other threads, else from the heap. */
static bool refill(heap *h, oribi_handle_kind kind)
{
    if (h->free[kind] == NULL) {
        drain(h, kind);
    }
    return h->free[kind] != NULL || add_slab(h, kind);
}

void *oribi__handle_new_slow(oribi_handle_kind kind)
{
    heap *h = oribi__own_heap != NULL ? oribi__own_heap : join_heap();
    return h != NULL && refill(h, kind) ? oribi_handle_take(h, kind, object_bytes[kind]) : NULL;
}

void *oribi_handle_new(oribi_handle_kind kind)
{
    heap *h = oribi__own_heap;
    return h != NULL && h->free[kind] != NULL ? oribi_handle_take(h, kind, object_bytes[kind])
                                              : oribi__handle_new_slow(kind);
}

void oribi_handle_free(void *handle)
{
    if (handle == NULL) {
        return;
    }
    slot *s = oribi_handle_slot_of(handle);
    heap *h = s->slab->heap;
    oribi_handle_kind kind = s->slab->kind;
    if (h == oribi__own_heap) {
        oribi_handle_lay_back(h, s, kind, object_bytes[kind]);
        return;
    }
    oribi_poison(handle, object_bytes[kind]);
    slot *head = atomic_load_explicit(&h->remote[kind], memory_order_relaxed);
    do {
        s->next = head;
    } while (!atomic_compare_exchange_weak_explicit(&h->remote[kind], &head, s,
                                                    memory_order_release, memory_order_relaxed));
}

void oribi_handle_trim(void)
{
    heap *h = oribi__own_heap;
    if (h != NULL && trim(h)) {
        oribi__own_heap = NULL;
        if (has_exit_key) {
            (void)pthread_setspecific(exit_key, NULL);
        }
        oribi_free(h);
    }
    trim_orphans();
}

size_t oribi_handle_count_live(oribi_handle_kind kind)
{
    size_t live = 0;
    if (oribi__own_heap == NULL) {
        return 0;
    }
    drain(oribi__own_heap, kind);
    for (const slab *s = oribi__own_heap->slabs; s != NULL; s = s->next) {
        live += s->kind == kind ? SLOTS : 0;
    }
    for (const slot *s = oribi__own_heap->free[kind]; s != NULL; s = s->next) {
        live--;
    }
    return live;
}
