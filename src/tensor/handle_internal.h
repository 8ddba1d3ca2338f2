/* SPDX-License-Identifier: Apache-2.0 */
/* How slabs and heaps of handles look, for what is inlined into TF_NewStatus and TF_DeleteStatus.
 * What they mean: handle.c. */
#ifndef ORIBI_TENSOR_HANDLE_INTERNAL_H_
#define ORIBI_TENSOR_HANDLE_INTERNAL_H_

#include <stdatomic.h>

#include "base/poison.h"
#include "base/thread.h"
#include "tensor/handle.h"

enum { ORIBI_HANDLE_GRAIN = 16 };

typedef struct oribi_handle_slot {
    struct oribi_handle_slab *slab;
    struct oribi_handle_slot
        *next; /* of a free slot; the object begins after the first GRAIN bytes */
} oribi_handle_slot;
_Static_assert(sizeof(oribi_handle_slot) == ORIBI_HANDLE_GRAIN, "an object is 16-byte aligned");

typedef struct oribi_handle_slab {
    struct oribi_handle_heap *heap;
    struct oribi_handle_slab *next;
    oribi_handle_kind kind;
    unsigned free_count; /* used while trimming */
} oribi_handle_slab;

typedef struct oribi_handle_heap {
    oribi_handle_slot *free[ORIBI_HANDLE_KINDS];
    oribi_handle_slab *slabs;
    struct oribi_handle_heap *next_orphan;
    _Alignas(64) _Atomic(oribi_handle_slot *)
        remote[ORIBI_HANDLE_KINDS]; /* foreign threads write here only */
} oribi_handle_heap;

/* Of the calling thread; NULL: none yet. */
extern ORIBI_THREAD_LOCAL oribi_handle_heap *oribi__own_heap;

/* Out of the way of the fast path, which then needs no stack. */
void *oribi__handle_new_slow(oribi_handle_kind kind) __attribute__((noinline));

static inline void *oribi_handle_object(oribi_handle_slot *slot)
{
    return (char *)slot + ORIBI_HANDLE_GRAIN;
}

static inline oribi_handle_slot *oribi_handle_slot_of(void *object)
{
    return (oribi_handle_slot *)(void *)((char *)object - ORIBI_HANDLE_GRAIN);
}

/* There is one; `bytes` is the size of an object of the kind. */
static inline void *oribi_handle_take(oribi_handle_heap *heap, oribi_handle_kind kind, size_t bytes)
{
    oribi_handle_slot *taken = heap->free[kind];
    heap->free[kind] = taken->next;
    oribi_unpoison(oribi_handle_object(taken), bytes);
    return oribi_handle_object(taken);
}

static inline void oribi_handle_lay_back(oribi_handle_heap *heap, oribi_handle_slot *slot,
                                         oribi_handle_kind kind, size_t bytes)
{
    oribi_poison(oribi_handle_object(slot), bytes);
    slot->next = heap->free[kind];
    heap->free[kind] = slot;
}

#endif
