/* SPDX-License-Identifier: Apache-2.0 */
/* A thread pool as an application has one: a queue, some threads, and a switch that holds the
 * queue.
 */
#ifndef ORIBI_TESTS_DEVICES_APP_POOL_H_
#define ORIBI_TESTS_DEVICES_APP_POOL_H_

#include <stdbool.h>
#include <stdlib.h>

#include "base/thread.h"

enum { APP_POOL_QUEUE = 4096, APP_POOL_THREADS = 8 };

typedef struct app_pool {
    oribi_mutex lock;
    oribi_cond changed;
    struct {
        void (*fn)(void *arg);
        void *arg;
    } queue[APP_POOL_QUEUE];
    int first, count, n_scheduled, n_run;
    bool is_held, is_over;
    int n_threads;
    oribi_thread *threads[APP_POOL_THREADS];
} app_pool;

static inline void app_pool_work(void *arg)
{
    app_pool *pool = arg;
    oribi_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->is_over && (pool->is_held || pool->count == 0)) {
            oribi_cond_wait(&pool->changed, &pool->lock);
        }
        if (pool->count == 0) {
            break;
        }
        const int at = pool->first;
        pool->first = (pool->first + 1) % APP_POOL_QUEUE;
        pool->count--;
        pool->n_run++;
        void (*fn)(void *) = pool->queue[at].fn;
        void *fn_arg = pool->queue[at].arg;
        oribi_mutex_unlock(&pool->lock);
        fn(fn_arg);
        oribi_mutex_lock(&pool->lock);
    }
    oribi_mutex_unlock(&pool->lock);
}

static inline void app_pool_schedule(void *object, void (*fn)(void *arg), void *arg)
{
    app_pool *pool = object;
    oribi_mutex_lock(&pool->lock);
    if (pool->count == APP_POOL_QUEUE) {
        abort();
    }
    const int at = (pool->first + pool->count++) % APP_POOL_QUEUE;
    pool->queue[at].fn = fn;
    pool->queue[at].arg = arg;
    pool->n_scheduled++;
    oribi_cond_signal(&pool->changed);
    oribi_mutex_unlock(&pool->lock);
}

static inline void app_pool_hold(app_pool *pool, bool is_held)
{
    oribi_mutex_lock(&pool->lock);
    pool->is_held = is_held;
    oribi_cond_broadcast(&pool->changed);
    oribi_mutex_unlock(&pool->lock);
}

static inline void app_pool_start(app_pool *pool, int n_threads)
{
    (void)oribi_mutex_init(&pool->lock);
    (void)oribi_cond_init(&pool->changed);
    pool->n_threads = n_threads;
    for (int i = 0; i < n_threads; i++) {
        pool->threads[i] = oribi_thread_start(app_pool_work, pool, "app", 0);
    }
}

/* Runs what is queued, held or not, and ends the threads. */
static inline void app_pool_end(app_pool *pool)
{
    oribi_mutex_lock(&pool->lock);
    pool->is_over = true;
    oribi_cond_broadcast(&pool->changed);
    oribi_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->n_threads; i++) {
        oribi_thread_join(pool->threads[i]);
    }
    oribi_cond_destroy(&pool->changed);
    oribi_mutex_destroy(&pool->lock);
}

#endif
