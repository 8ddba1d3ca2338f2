/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, locks, once, processor count: the small room that a port replaces. */
#ifndef ORIBI_BASE_THREAD_H_
#define ORIBI_BASE_THREAD_H_

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef pthread_mutex_t oribi_mutex;
typedef pthread_cond_t oribi_cond;
typedef pthread_once_t oribi_once;
#define ORIBI_MUTEX_INIT   PTHREAD_MUTEX_INITIALIZER
#define ORIBI_COND_INIT    PTHREAD_COND_INITIALIZER
#define ORIBI_ONCE_INIT    PTHREAD_ONCE_INIT
#define ORIBI_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

typedef struct oribi_thread oribi_thread;

/* Tells the calling thread from the others that live; where the compiler knows the register that
 * points to the thread, comparing with it is one instruction of a step's dispatch. */
static inline const void *oribi_thread_self(void)
{
#ifdef __has_builtin
#if __has_builtin(__builtin_thread_pointer)
    return __builtin_thread_pointer();
#define ORIBI_HAS_THREAD_POINTER
#endif
#endif
#ifndef ORIBI_HAS_THREAD_POINTER
    return (const void *)(uintptr_t)pthread_self();
#endif
}

bool oribi_mutex_init(oribi_mutex *mutex);
void oribi_mutex_destroy(oribi_mutex *mutex);
void oribi_mutex_lock(oribi_mutex *mutex);
void oribi_mutex_unlock(oribi_mutex *mutex);
bool oribi_cond_init(oribi_cond *cond);
void oribi_cond_destroy(oribi_cond *cond);
void oribi_cond_wait(oribi_cond *cond, oribi_mutex *mutex);
/* False when deadline_ns (of oribi_now_ns) passed first. */
bool oribi_cond_wait_until(oribi_cond *cond, oribi_mutex *mutex, uint64_t deadline_ns);
void oribi_cond_signal(oribi_cond *cond);
void oribi_cond_broadcast(oribi_cond *cond);
void oribi_once_call(oribi_once *once, void (*init)(void));

/* NULL: could not start. Join frees. stack_bytes 0: the default. */
oribi_thread *oribi_thread_start(void (*work)(void *arg), void *arg, const char *name,
                                 uint64_t stack_bytes);
void oribi_thread_join(oribi_thread *thread);
/* A thread that nobody waits for. False: could not start. */
bool oribi_thread_start_alone(void (*work)(void *arg), void *arg, const char *name);
void oribi_thread_yield(void); /* lets another thread that waits for this processor run first */

/* Processors this process may really use: affinity mask and cgroup quota, at least 1. */
int oribi_processor_count(void);
/* Bytes of memory this process may really use: RAM or the cgroup's limit, the smaller. */
uint64_t oribi_memory_limit_bytes(void);
/* Of the second level of one processor's cache; what most have, where the system does not say. */
uint64_t oribi_second_level_bytes(void);
void oribi_thread_sleep(uint64_t nanoseconds);
/* Monotonic clock, nanoseconds. */
uint64_t oribi_now_ns(void);

#endif
