/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of the thread pool, shared by pool.c (threads: start, sleep, wake, scheduled work) and
 * pool_loop.c (loops: slots, blocks, cost).
 *
 * A running loop occupies one of 64 slots inside the pool, never the heap. Workers find it through
 * open_slots, join it (state counts them), claim blocks from `next` and leave; the caller does the
 * same, closes the slot, waits until the count is zero and frees it. A worker that finds nothing
 * spins for some microseconds and then sleeps on a word of its own. Lost wake-ups are excluded by
 * order: a caller publishes in open_slots and then reads `sleeping`; a worker enters itself in
 * `sleeping` and then reads open_slots; both sequentially consistent.
 */
#ifndef ORIBI_DEVICE_POOL_INTERNAL_H_
#define ORIBI_DEVICE_POOL_INTERNAL_H_

#include "base/thread.h"
#include "device/pool.h"

enum {
    POOL_SLOTS = 64,
    POOL_MASKS = 4, /* of 64 workers each */
    POOL_MAX_THREADS = POOL_MASKS * 64,
    CACHE_LINE = 64
};

enum { /* slot state: number of joined workers, and */
       SLOT_OPEN = 1 << 30,
       SLOT_WAITING = 1 << 29, /* the caller sleeps on `state` */
       SLOT_JOINED = (1 << 29) - 1
};

typedef struct oribi_pool_slot {
    _Alignas(CACHE_LINE) _Atomic uint32_t state;
    _Atomic int64_t next;     /* block to be claimed */
    _Atomic int64_t n_blocks; /* read without joining, as a hint */
    /* Plain fields: written while the slot is free, read by those who joined. */
    _Alignas(CACHE_LINE) int64_t total;
    int64_t block_size;
    oribi_pool_range_fn fn;
    void *object;
    const atomic_int *cancelled;
} oribi_pool_slot;

typedef struct oribi_pool_worker {
    _Alignas(CACHE_LINE) _Atomic uint32_t asleep; /* futex word */
    int index;
    uint64_t spin_ns; /* how long it looks for work before it sleeps; adapts */
    struct oribi_pool *pool;
    oribi_thread *thread;
} oribi_pool_worker;

typedef struct oribi_pool_task {
    struct oribi_pool_task *next;
    void (*fn)(void *object);
    void *object;
} oribi_pool_task;

struct oribi_pool {
    /* Watched by idle workers. */
    _Alignas(CACHE_LINE) _Atomic uint64_t open_slots;
    _Atomic int32_t n_tasks; /* scheduled and not begun */
    _Atomic int32_t stopping;
    /* Watched by callers. */
    _Alignas(CACHE_LINE) _Atomic uint64_t used_slots;
    _Alignas(CACHE_LINE) _Atomic uint64_t sleeping[POOL_MASKS]; /* bit index - 1 of each worker */
    _Atomic int32_t n_busy;                                     /* workers inside a task */
    _Atomic uint64_t last_short_ns;                             /* see is_one_of_many */
    int n_threads;
    oribi_mutex mutex; /* of the task list */
    oribi_pool_task *first_task, *last_task;
    oribi_pool_slot slots[POOL_SLOTS];
    oribi_pool_worker workers[]; /* n_threads - 1 */
};

/* Is there a block that somebody may claim? */
bool oribi_pool_has_blocks(oribi_pool *pool);
/* Works on open loops until none has blocks left; false when there was nothing to do. */
bool oribi_pool_help(oribi_pool *pool, int worker);
/* Wakes up to n sleeping workers, those with low numbers first. */
void oribi_pool_wake(oribi_pool *pool, int n);
int oribi_pool_count_sleeping(oribi_pool *pool);

#endif
