/* SPDX-License-Identifier: Apache-2.0 */
/* Thread pool of the host: the caller takes part, nested loops are fine, workers spin briefly and
 * then sleep, affinity is never set. Its threads are its own, or those of the application.
 */
#ifndef ORIBI_DEVICE_POOL_H_
#define ORIBI_DEVICE_POOL_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/tf_status.h"

typedef struct oribi_pool oribi_pool;

/* n_threads counts the caller: n_threads - 1 workers start. 0: oribi_processor_count(). */
oribi_pool *oribi_pool_create(int n_threads, TF_Status *status);

/* Threads of the application: schedule runs fn(arg) once, later, on one of them. */
typedef struct oribi_pool_outside {
    void *object;
    void (*schedule)(void *object, void (*fn)(void *arg), void *arg);
} oribi_pool_outside;
/* No thread starts: up to n_threads - 1 helpers at a time are scheduled on the outside. What the
 * outside has not begun holds memory of the pool, and nothing else, after its destruction. */
oribi_pool *oribi_pool_create_outside(int n_threads, const oribi_pool_outside *outside,
                                      TF_Status *status);

/* A pool has one owner when it is made. The last release waits for scheduled work and ends the
 * threads; on a thread of the pool itself it leaves that to a thread made for it. */
void oribi_pool_retain(oribi_pool *pool); /* NULL is fine, here and below */
void oribi_pool_release(oribi_pool *pool);
int oribi_pool_threads(const oribi_pool *pool); /* 1 for NULL */

/* Calls fn on [0, total) in blocks until all are done; blocks are sized from cost_per_unit (cycles
 * of one unit, > 0). worker is 0 for the calling thread, else 1..threads-1; one block at a time for
 * each worker index within one call. Returns without calling the remaining blocks once *cancelled
 * (may be NULL) is nonzero. No allocation, no lock in the steady state. */
typedef void (*oribi_pool_range_fn)(void *object, int64_t begin, int64_t end, int worker);
void oribi_pool_parallel_for(oribi_pool *pool, int64_t total, int64_t cost_per_unit,
                             oribi_pool_range_fn fn, void *object, const atomic_int *cancelled);
/* The same with blocks of exactly block_size (the last one may be shorter). */
void oribi_pool_parallel_blocks(oribi_pool *pool, int64_t total, int64_t block_size,
                                oribi_pool_range_fn fn, void *object, const atomic_int *cancelled);
/* Runs fn(object) later on some worker (on the caller when there are none). False: no memory. */
bool oribi_pool_schedule(oribi_pool *pool, void (*fn)(void *object), void *object);
/* The same, waking a worker of start <= number < limit where one sleeps. */
bool oribi_pool_schedule_near(oribi_pool *pool, void (*fn)(void *object), void *object, int start,
                              int limit);
/* A thread that counts as one of the pool's is about to sleep, for work that may be scheduled:
 * until it is back another one runs scheduled work in its place, so that as many threads compute as
 * before. It is started when it is first needed, and once; a pool on threads of the application,
 * and one of one thread, has none. */
void oribi_pool_lend(oribi_pool *pool);
void oribi_pool_take_back(oribi_pool *pool);
/* 0 for a thread outside the pool or the caller, else 1..threads-1. */
int oribi_pool_current_worker(const oribi_pool *pool);

#endif
