/* SPDX-License-Identifier: Apache-2.0 */
/* Thread pool, the threads: start and stop, looking for work, sleeping, waking. Not here: how a
 * loop is cut and shared (pool_loop.c), scheduled work (pool_task.c). Read first: pool_internal.h.
 */
#include "device/pool.h"

#include "base/alloc.h"
#include "base/futex.h"
#include "base/log.h"
#include "device/pool_internal.h"
#include "tensor/status.h"

#include <string.h>

/* An idle worker looks for work this long before it sleeps: long enough to bridge the serial pieces
 * between the loops of a program that has many, short where the next loop is far away anyhow. So
 * it learns from how long it really had nothing to do: twice that, if spinning so long is
 * acceptable at all, else half of what it was. */
enum {
    SPIN_MIN_NS = 10000,
    SPIN_FIRST_NS = 50000,
    SPIN_MAX_NS = 150000,
    SPIN_ALONE_NS = 5000,
    SPINS_PER_CLOCK = 16
};

static ORIBI_THREAD_LOCAL oribi_pool_place current_place;

oribi_pool_place oribi_pool_enter(oribi_pool_place place)
{
    oribi_pool_place before = current_place;
    current_place = place;
    return before;
}

bool oribi_pool_is_inside(const oribi_pool *pool)
{
    return current_place.pool == pool;
}

static bool has_work(oribi_pool *pool)
{
    return atomic_load(&pool->n_tasks) > 0 || oribi_pool_has_blocks(pool) ||
           atomic_load(&pool->stopping);
}

int oribi_pool_count_sleeping(oribi_pool *pool)
{
    if (pool->is_outside) {
        return oribi_pool_outside_count_sleeping(pool);
    }
    int n = 0;
    for (int m = 0; m * 64 < pool->n_threads - 1; m++) {
        n += __builtin_popcountll(atomic_load(&pool->sleeping[m]));
    }
    return n;
}

/* Returns the bits of mask m whose workers have start <= number < limit. */
static uint64_t range_mask(int m, int start, int limit)
{
    int first = start - 1 - m * 64;
    int end = limit - 1 - m * 64;
    uint64_t from = first <= 0 ? ~0ull : first < 64 ? ~0ull << first : 0;
    uint64_t below = end <= 0 ? 0 : end < 64 ? (1ull << end) - 1 : ~0ull;
    return from & below;
}

int oribi_pool_wake_range(oribi_pool *pool, int n, int start, int limit)
{
    int n_woken = 0;
    for (int m = 0; m * 64 < pool->n_threads - 1 && n_woken < n; m++) {
        uint64_t mask = atomic_load(&pool->sleeping[m]) & range_mask(m, start, limit);
        while (mask && n_woken < n) {
            uint64_t bit = mask & (~mask + 1);
            mask &= ~bit;
            if (atomic_fetch_and(&pool->sleeping[m], ~bit) & bit) { /* else somebody else woke it */
                oribi_pool_worker *worker = &pool->workers[m * 64 + __builtin_ctzll(bit)];
                atomic_store_explicit(&worker->asleep, 0, memory_order_release);
                oribi_futex_wake(&worker->asleep, 1);
                n_woken++;
            }
        }
    }
    return n_woken;
}

void oribi_pool_wake(oribi_pool *pool, int n)
{
    if (pool->is_outside) {
        oribi_pool_outside_wake(pool, n);
    } else {
        (void)oribi_pool_wake_range(pool, n, 1, POOL_MAX_THREADS);
    }
}

static void fall_asleep(oribi_pool_worker *worker)
{
    oribi_pool *pool = worker->pool;
    _Atomic uint64_t *sleeping = &pool->sleeping[(worker->index - 1) / 64];
    uint64_t bit = 1ull << ((worker->index - 1) % 64);
    atomic_store_explicit(&worker->asleep, 1, memory_order_relaxed);
    atomic_fetch_or(sleeping, bit);
    if (has_work(pool)) { /* published before we were seen as sleeping */
        atomic_fetch_and(sleeping, ~bit);
        return;
    }
    while (atomic_load_explicit(&worker->asleep, memory_order_acquire) == 1) {
        oribi_futex_wait(&worker->asleep, 1);
    }
    /* Usually gone; a waker that was late for our last sleep cut this one short otherwise. */
    atomic_fetch_and(sleeping, ~bit);
}

static bool spin_for_work(oribi_pool_worker *worker, uint64_t idle_since)
{
    for (uint64_t spun_ns = 0; spun_ns < worker->spin_ns;) {
        for (int i = 0; i < SPINS_PER_CLOCK; i++) {
            if (has_work(worker->pool)) {
                return true;
            }
            oribi_cpu_relax();
        }
        spun_ns = oribi_now_ns() - idle_since;
        if (spun_ns > SPIN_ALONE_NS) {
            oribi_thread_yield(); /* on a busy machine somebody has a better use for it */
        }
    }
    return false;
}

static void wait_for_work(oribi_pool_worker *worker)
{
    uint64_t idle_since = oribi_now_ns();
    if (spin_for_work(worker, idle_since)) {
        return;
    }
    fall_asleep(worker);
    uint64_t idle_ns = oribi_now_ns() - idle_since;
    if (idle_ns <= SPIN_MAX_NS) {
        worker->spin_ns = idle_ns < SPIN_MAX_NS / 2 ? idle_ns * 2 : SPIN_MAX_NS;
    } else {
        worker->spin_ns = worker->spin_ns / 2 > SPIN_MIN_NS ? worker->spin_ns / 2 : SPIN_MIN_NS;
    }
}

static void worker_main(void *arg)
{
    oribi_pool_worker *worker = arg;
    oribi_pool *pool = worker->pool;
    (void)oribi_pool_enter((oribi_pool_place){pool, worker->index});
    for (;;) {
        /* Tasks first: a loop has its caller at least. */
        if (oribi_pool_run_task(pool) || oribi_pool_help(pool, worker->index)) {
            continue;
        }
        if (atomic_load(&pool->stopping)) {
            break; /* after the tasks: destroy waits for scheduled work */
        }
        wait_for_work(worker);
    }
}

static oribi_pool *create(int n_threads, size_t n_workers, TF_Status *status)
{
    size_t bytes = sizeof(oribi_pool) + n_workers * sizeof(oribi_pool_worker);
    oribi_pool *pool = oribi_alloc_aligned(bytes, CACHE_LINE);
    if (!pool) {
        oribi_fail_memory(status);
        return NULL;
    }
    memset(pool, 0, offsetof(oribi_pool, slots));
    for (int i = 0; i < POOL_SLOTS; i++) { /* lanes are made with each loop */
        memset(&pool->slots[i], 0, offsetof(oribi_pool_slot, lanes));
    }
    memset(pool->workers, 0, n_workers * sizeof(oribi_pool_worker));
    atomic_init(&pool->references, 1);
    atomic_init(&pool->n_holders, 1);
    pool->n_threads =
        n_threads; /* workers look at it, so it is final before the first one starts */
    if (!oribi_mutex_init(&pool->mutex)) {
        oribi_free(pool);
        oribi_fail_memory(status);
        return NULL;
    }
    if (!oribi_cond_init(&pool->lent)) {
        oribi_mutex_destroy(&pool->mutex);
        oribi_free(pool);
        oribi_fail_memory(status);
        return NULL;
    }
    return pool;
}

static int thread_count(int n_threads)
{
    n_threads = n_threads > 0 ? n_threads : oribi_processor_count();
    return n_threads < POOL_MAX_THREADS ? n_threads : POOL_MAX_THREADS;
}

/* With that many threads, or NULL and as many as could be had, the caller's included; 0: no memory.
 */
static oribi_pool *start(int n_threads, int *out_started, TF_Status *status)
{
    size_t n_workers = (size_t)n_threads - 1;
    oribi_pool *pool = create(n_threads, n_workers, status);
    *out_started = pool ? n_threads : 0;
    for (size_t i = 0; pool && i < n_workers; i++) {
        oribi_pool_worker *worker = &pool->workers[i];
        worker->index = (int)i + 1;
        worker->pool = pool;
        worker->spin_ns = SPIN_FIRST_NS;
        worker->thread = oribi_thread_start(worker_main, worker, "oribi-worker", 0);
        if (!worker->thread) {
            oribi_pool_release(pool);
            *out_started = (int)i + 1;
            return NULL;
        }
    }
    return pool;
}

oribi_pool *oribi_pool_create(int n_threads, TF_Status *status)
{
    const int wanted = thread_count(n_threads);
    int had = wanted, started;
    oribi_pool *pool = start(had, &started, status);
    while (!pool && started > 0) { /* anew: workers that ran know how many they were to be */
        had = started;
        pool = start(had, &started, status);
    }
    if (pool && had < wanted) {
        oribi_log(ORIBI_LOG_WARNING,
                  "thread pool: %d of %d threads could be had; slower, and right", had, wanted);
    }
    return pool;
}

oribi_pool *oribi_pool_create_outside(int n_threads, const oribi_pool_outside *outside,
                                      TF_Status *status)
{
    oribi_pool *pool = create(thread_count(n_threads), 0, status);
    if (pool) {
        pool->is_outside = true;
        pool->outside = *outside;
    }
    return pool;
}

void oribi_pool_retain(oribi_pool *pool)
{
    if (pool) {
        atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
    }
}

static void end_threads(void *arg)
{
    oribi_pool *pool = arg;
    atomic_store(&pool->stopping, 1);
    oribi_pool_wake(pool, POOL_MAX_THREADS);
    for (int i = 0; i < pool->n_threads - 1 && pool->workers[i].thread; i++) {
        oribi_thread_join(pool->workers[i].thread);
    }
    oribi_pool_end_stand_in(pool);
    oribi_pool_free(pool);
}

void oribi_pool_release(oribi_pool *pool)
{
    if (!pool || atomic_fetch_sub(&pool->references, 1) > 1) {
        return;
    }
    if (pool->is_outside) {
        oribi_pool_outside_end(pool);
    } else if (!oribi_pool_is_inside(pool)) {
        end_threads(pool);
    } else {
        /* A worker cannot wait for itself. Without memory for a thread the workers stay, asleep. */
        (void)oribi_thread_start_alone(end_threads, pool, "oribi-pool-end");
    }
}

void oribi_pool_free(oribi_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    oribi_cond_destroy(&pool->lent);
    oribi_mutex_destroy(&pool->mutex);
    oribi_free(pool);
}

int oribi_pool_threads(const oribi_pool *pool)
{
    return pool ? pool->n_threads : 1;
}

int oribi_pool_current_worker(const oribi_pool *pool)
{
    return pool && oribi_pool_is_inside(pool) ? current_place.worker : 0;
}
