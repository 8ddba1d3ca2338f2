/* SPDX-License-Identifier: Apache-2.0 */
/* Thread pool on threads of the application: helpers in place of workers. Read first:
 * pool_internal.h.
 *
 * Nothing here waits for a helper that has not begun, so an application whose threads are all busy,
 * or that ends a session from one of them, is slower and never stuck. For that a helper holds the
 * memory: one that begins after the owners' release finds nothing to do, and the last one frees.
 */
#include "device/pool_internal.h"

/* A number below n_threads. There are as many as helpers, so one is free, now or in a moment. */
static int take_number(oribi_pool *pool)
{
    for (int m = 0;; m = (m + 1) % POOL_MASKS) {
        uint64_t taken = atomic_load(&pool->helper_numbers[m]);
        while (~taken) {
            uint64_t bit = ~taken & (taken + 1);
            int number = m * 64 + __builtin_ctzll(bit) + 1;
            if (number >= pool->n_threads) {
                break;
            }
            if (atomic_compare_exchange_weak(&pool->helper_numbers[m], &taken, taken | bit)) {
                return number;
            }
        }
    }
}

static void return_number(oribi_pool *pool, int number)
{
    atomic_fetch_and(&pool->helper_numbers[(number - 1) / 64], ~(1ull << ((number - 1) % 64)));
}

static bool enlist(oribi_pool *pool)
{
    int32_t n = atomic_load(&pool->n_helpers);
    while (n < pool->n_threads - 1) {
        if (atomic_compare_exchange_weak(&pool->n_helpers, &n, n + 1)) {
            return true;
        }
    }
    return false;
}

static void drop(oribi_pool *pool)
{
    if (atomic_fetch_sub(&pool->n_holders, 1) == 1) {
        oribi_pool_free(pool);
    }
}

static void run_helper(void *arg)
{
    oribi_pool *pool = arg;
    do {
        int number = take_number(pool);
        oribi_pool_place before = oribi_pool_enter((oribi_pool_place){pool, number});
        while (oribi_pool_run_task(pool) || oribi_pool_help(pool, number)) {
        }
        (void)oribi_pool_enter(before);
        return_number(pool, number);
        atomic_fetch_sub(&pool->n_helpers, 1);
        /* Take work that was published while we were still counted as looking. */
    } while ((atomic_load(&pool->n_tasks) > 0 || oribi_pool_has_blocks(pool)) && enlist(pool));
    drop(pool);
}

void oribi_pool_outside_wake(oribi_pool *pool, int n)
{
    for (; n > 0 && enlist(pool); n--) {
        atomic_fetch_add_explicit(&pool->n_holders, 1, memory_order_relaxed);
        pool->outside.schedule(pool->outside.object, run_helper, pool);
    }
}

int oribi_pool_outside_count_sleeping(oribi_pool *pool)
{
    return pool->n_threads - 1 - atomic_load(&pool->n_helpers);
}

void oribi_pool_outside_end(oribi_pool *pool)
{
    /* Called by a task, it leaves the others to their helpers: each has one. */
    bool is_inside = oribi_pool_is_inside(pool);
    while (!is_inside && oribi_pool_run_task(pool)) {
    }
    while (!is_inside && atomic_load(&pool->n_busy) > 0) { /* what helpers began: rare here */
        oribi_thread_yield();
    }
    drop(pool);
}
