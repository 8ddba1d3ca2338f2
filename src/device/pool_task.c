/* SPDX-License-Identifier: Apache-2.0 */
/* Thread pool, scheduled work: a list that workers look at before loops, since a loop has its
 * caller at least. Read first: pool_internal.h.
 */
#include "base/alloc.h"
#include "device/pool_internal.h"

static oribi_pool_task *pop_task(oribi_pool *pool)
{
    if (atomic_load(&pool->n_tasks) <= 0) {
        return NULL;
    }
    oribi_mutex_lock(&pool->mutex);
    oribi_pool_task *task = pool->first_task;
    if (task) {
        pool->first_task = task->next;
        pool->last_task = task->next ? pool->last_task : NULL;
        atomic_fetch_add(&pool->n_busy, 1); /* before it leaves the list: it is never in neither */
        atomic_fetch_sub(&pool->n_tasks, 1);
    }
    oribi_mutex_unlock(&pool->mutex);
    return task;
}

bool oribi_pool_run_task(oribi_pool *pool)
{
    oribi_pool_task *task = pop_task(pool);
    if (!task) {
        return false;
    }
    task->fn(task->object);
    atomic_fetch_sub(&pool->n_busy, 1);
    oribi_free(task);
    return true;
}

/* --- The stand-in ---------------------------------------------------------------------------- */

static void stand_in_main(void *arg)
{
    oribi_pool *pool = arg;
    (void)oribi_pool_enter((oribi_pool_place){pool, 0}); /* the number of whom it stands for */
    oribi_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->stopping) == 0) {
        if (pool->n_lent > 0 && pool->first_task) {
            oribi_mutex_unlock(&pool->mutex);
            (void)oribi_pool_run_task(pool);
            oribi_mutex_lock(&pool->mutex);
        } else {
            oribi_cond_wait(&pool->lent, &pool->mutex);
        }
    }
    oribi_mutex_unlock(&pool->mutex);
}

/* Under the lock: there may be work for it now. Without memory for a thread the workers do it. */
static void call_stand_in(oribi_pool *pool)
{
    if (pool->n_lent == 0 || !pool->first_task || pool->is_outside || pool->n_threads == 1) {
        return;
    }
    if (!pool->stand_in) {
        pool->stand_in = oribi_thread_start(stand_in_main, pool, "oribi-stand-in", 0);
    }
    oribi_cond_signal(&pool->lent);
}

void oribi_pool_lend(oribi_pool *pool)
{
    if (pool) {
        oribi_mutex_lock(&pool->mutex);
        pool->n_lent++;
        call_stand_in(pool);
        oribi_mutex_unlock(&pool->mutex);
    }
}

void oribi_pool_take_back(oribi_pool *pool)
{
    if (pool) {
        oribi_mutex_lock(&pool->mutex);
        pool->n_lent--;
        oribi_mutex_unlock(&pool->mutex);
    }
}

void oribi_pool_end_stand_in(oribi_pool *pool)
{
    oribi_mutex_lock(&pool->mutex); /* it looked at `stopping`, or sleeps */
    oribi_cond_signal(&pool->lent);
    oribi_mutex_unlock(&pool->mutex);
    if (pool->stand_in) {
        oribi_thread_join(pool->stand_in);
    }
}

/* --- The list -------------------------------------------------------------------------------- */

static void push_task(oribi_pool *pool, oribi_pool_task *task)
{
    oribi_mutex_lock(&pool->mutex);
    if (pool->last_task) {
        pool->last_task->next = task;
    } else {
        pool->first_task = task;
    }
    pool->last_task = task;
    atomic_fetch_add(&pool->n_tasks, 1);
    call_stand_in(pool);
    oribi_mutex_unlock(&pool->mutex);
}

bool oribi_pool_schedule_near(oribi_pool *pool, void (*fn)(void *object), void *object, int start,
                              int limit)
{
    if (oribi_pool_threads(pool) == 1) {
        fn(object);
        return true;
    }
    oribi_pool_task *task = oribi_alloc(sizeof(*task));
    if (!task) {
        return false;
    }
    *task = (oribi_pool_task){NULL, fn, object};
    oribi_pool_retain(pool); /* the function may release what the caller has of it */
    push_task(pool, task);
    if (pool->is_outside || oribi_pool_wake_range(pool, 1, start, limit) == 0) {
        oribi_pool_wake(pool, 1);
    }
    oribi_pool_release(pool);
    return true;
}

bool oribi_pool_schedule(oribi_pool *pool, void (*fn)(void *object), void *object)
{
    return oribi_pool_schedule_near(pool, fn, object, 1, POOL_MAX_THREADS);
}
