/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of the thread pool, shared by pool.c (own threads: start, sleep, wake), pool_outside.c
 * (the application's threads), pool_task.c (scheduled work) and pool_loop.c (loops: slots, blocks,
 * cost).
 *
 * A running loop occupies one of 64 slots inside the pool, never the heap. Workers find it through
 * open_slots, join it (state counts them), claim blocks and leave; the caller does the same, closes
 * the slot, waits until the count is zero and frees it. Each begins in a lane of its own and helps
 * in the others when that is done: loop after loop a thread has the same share of the rows, which
 * is in its cache where the loop before wrote it. A worker that finds nothing
 * spins for some microseconds and then sleeps on a word of its own. Lost wake-ups are excluded by
 * order: a caller publishes in open_slots and then reads `sleeping`; a worker enters itself in
 * `sleeping` and then reads open_slots; both sequentially consistent.
 *
 * Without workers of its own a pool schedules helpers on the application's threads instead of
 * waking sleepers. A helper does what a worker does until there is nothing to do, and ends;
 * n_helpers counts those that will still look. One that was scheduled and is late finds nothing, or
 * another loop.
 */
#ifndef ORIBI_DEVICE_POOL_INTERNAL_H_
#define ORIBI_DEVICE_POOL_INTERNAL_H_

#include "base/thread.h"
#include "device/pool.h"

enum {
    POOL_SLOTS = 64,
    POOL_MASKS = 4, /* of 64 workers each */
    POOL_MAX_THREADS = POOL_MASKS * 64,
    POOL_LANES = 8,
    CACHE_LINE = 64
};

enum { /* slot state: number of joined workers, and */
       SLOT_OPEN = 1 << 30,
       SLOT_WAITING = 1 << 29, /* the caller sleeps on `state` */
       SLOT_JOINED = (1 << 29) - 1
};

typedef struct oribi_pool_loop {
    int64_t total, n_blocks;
    int64_t block_size; /* 0: blocks differ by one unit at most */
    oribi_pool_range_fn fn;
    void *object;
    const atomic_int *cancelled;
} oribi_pool_loop;

typedef struct oribi_pool_lane { /* consecutive blocks; read without joining, as a hint */
    _Alignas(CACHE_LINE) _Atomic int64_t next;
    _Atomic int64_t end;
} oribi_pool_lane;

typedef struct oribi_pool_slot { /* state and loop share a line: who joins has both */
    _Alignas(CACHE_LINE) _Atomic uint32_t state;
    _Atomic int32_t n_lanes; /* a hint, too */
    oribi_pool_loop loop;    /* written while the slot is free, read by those who joined */
    oribi_pool_lane lanes[POOL_LANES];
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
    _Atomic int32_t references;
    /* Counts who holds the memory of an outside: all owners together, and helpers that have not
     * ended yet. */
    _Atomic int32_t n_holders;
    bool is_outside;
    oribi_pool_outside outside;
    _Atomic int32_t n_helpers;
    _Atomic uint64_t helper_numbers[POOL_MASKS]; /* bit number - 1 of each helper that runs */
    oribi_mutex mutex;                           /* of the task list, and of what follows */
    oribi_pool_task *first_task, *last_task;
    int n_lent;             /* threads that sleep, and for which the stand-in may run tasks */
    oribi_thread *stand_in; /* NULL: not needed yet */
    oribi_cond lent;        /* for it */
    oribi_pool_slot slots[POOL_SLOTS];
    oribi_pool_worker workers[]; /* n_threads - 1, or none */
};

/* The calling thread's place in a pool. */
typedef struct oribi_pool_place {
    const oribi_pool *pool;
    int worker;
} oribi_pool_place;
/* Returns where it was before. */
oribi_pool_place oribi_pool_enter(oribi_pool_place place);
bool oribi_pool_is_inside(const oribi_pool *pool); /* is the calling thread in this pool? */

/* Is there a block that somebody may claim? */
bool oribi_pool_has_blocks(oribi_pool *pool);
/* Works on open loops until none has blocks left; false when there was nothing to do. */
bool oribi_pool_help(oribi_pool *pool, int worker);
/* Wakes up to n sleeping workers of start <= number < limit, those with low numbers first. */
int oribi_pool_wake_range(oribi_pool *pool, int n, int start, int limit);
void oribi_pool_wake(oribi_pool *pool, int n);
int oribi_pool_count_sleeping(oribi_pool *pool);
/* Ends the stand-in, at the end of the pool. */
void oribi_pool_end_stand_in(oribi_pool *pool);
/* Runs one scheduled function; false when there was none. */
bool oribi_pool_run_task(oribi_pool *pool);
void oribi_pool_free(oribi_pool *pool);
/* An outside's part of waking, of counting the sleeping (those that may be scheduled), and of the
 * end: runs what is scheduled and waits for what runs, unless it is called by what runs. */
void oribi_pool_outside_wake(oribi_pool *pool, int n);
int oribi_pool_outside_count_sleeping(oribi_pool *pool);
void oribi_pool_outside_end(oribi_pool *pool);

#endif
