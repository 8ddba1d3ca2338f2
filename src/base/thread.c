/* SPDX-License-Identifier: Apache-2.0 */
/* Threads by pthreads, which MinGW has too. Not here: the pool that uses them (device), what a
 * process may use of the machine (processors.c). */
#include "base/thread.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

struct oribi_thread {
    pthread_t id;
    void (*work)(void *arg);
    void *arg;
    bool is_alone; /* it frees this itself */
    char name[16]; /* as much as the kernel shows, with the NUL */
};

bool oribi_mutex_init(oribi_mutex *mutex)
{
    return pthread_mutex_init(mutex, NULL) == 0;
}

void oribi_mutex_destroy(oribi_mutex *mutex)
{
    if (mutex == NULL) {
        return;
    }
    (void)pthread_mutex_destroy(mutex);
}

void oribi_mutex_lock(oribi_mutex *mutex)
{
    (void)pthread_mutex_lock(mutex);
}

void oribi_mutex_unlock(oribi_mutex *mutex)
{
    (void)pthread_mutex_unlock(mutex);
}

bool oribi_cond_init(oribi_cond *cond)
{
    return pthread_cond_init(cond, NULL) == 0;
}

void oribi_cond_destroy(oribi_cond *cond)
{
    if (cond == NULL) {
        return;
    }
    (void)pthread_cond_destroy(cond);
}

void oribi_cond_wait(oribi_cond *cond, oribi_mutex *mutex)
{
    (void)pthread_cond_wait(cond, mutex);
}

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u)};
}

bool oribi_cond_wait_until(oribi_cond *cond, oribi_mutex *mutex, uint64_t deadline_ns)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 30)
    struct timespec deadline = timespec_of(deadline_ns);
    return pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, &deadline) != ETIMEDOUT;
#else
    /* Without clockwait the wait is on the wall clock, and the deadline is judged on ours. */
    struct timespec wall;
    uint64_t now = oribi_now_ns();
    (void)clock_gettime(CLOCK_REALTIME, &wall);
    uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
    struct timespec until =
        timespec_of((uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec + left);
    return pthread_cond_timedwait(cond, mutex, &until) != ETIMEDOUT || oribi_now_ns() < deadline_ns;
#endif
}

void oribi_cond_signal(oribi_cond *cond)
{
    (void)pthread_cond_signal(cond);
}

void oribi_cond_broadcast(oribi_cond *cond)
{
    (void)pthread_cond_broadcast(cond);
}

void oribi_once_call(oribi_once *once, void (*init)(void))
{
    (void)pthread_once(once, init);
}

static void *thread_main(void *arg)
{
    oribi_thread *thread = arg;
    if (thread->name[0] != '\0') {
        (void)pthread_setname_np(pthread_self(), thread->name);
    }
    thread->work(thread->arg);
    if (thread->is_alone) {
        oribi_free(thread);
    }
    return NULL;
}

static oribi_thread *start(const oribi_thread *wanted, const char *name, uint64_t stack_bytes)
{
    pthread_attr_t attributes;
    oribi_thread *thread = oribi_alloc(sizeof(*thread));
    if (thread == NULL) {
        return NULL;
    }
    *thread = *wanted;
    (void)snprintf(thread->name, sizeof(thread->name), "%s", name != NULL ? name : "");
    pthread_t id;
    bool good = pthread_attr_init(&attributes) == 0;
    if (good) {
#ifdef _SC_THREAD_STACK_MIN
        uint64_t least = (uint64_t)sysconf(_SC_THREAD_STACK_MIN);
#else
        uint64_t least = 64 << 10; /* what Windows rounds up to */
#endif
        size_t stack = 0;
        good = oribi_size_round_up((size_t)(stack_bytes < least ? least : stack_bytes), 4096,
                                   &stack) &&
               (stack_bytes == 0 || pthread_attr_setstacksize(&attributes, stack) == 0) &&
               (!wanted->is_alone ||
                pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0) &&
               pthread_create(&id, &attributes, thread_main, thread) == 0;
        (void)pthread_attr_destroy(&attributes);
    }
    if (!good) {
        oribi_free(thread);
        return NULL;
    }
    if (!wanted->is_alone) { /* one that is may be over, and freed */
        thread->id = id;
    }
    return thread;
}

oribi_thread *oribi_thread_start(void (*work)(void *arg), void *arg, const char *name,
                                 uint64_t stack_bytes)
{
    return start(&(oribi_thread){.work = work, .arg = arg}, name, stack_bytes);
}

bool oribi_thread_start_alone(void (*work)(void *arg), void *arg, const char *name)
{
    return start(&(oribi_thread){.work = work, .arg = arg, .is_alone = true}, name, 0) != NULL;
}

void oribi_thread_join(oribi_thread *thread)
{
    if (thread != NULL) {
        (void)pthread_join(thread->id, NULL);
        oribi_free(thread);
    }
}

void oribi_thread_yield(void)
{
    (void)sched_yield();
}

void oribi_thread_sleep(uint64_t nanoseconds)
{
    const struct timespec time = {(time_t)(nanoseconds / 1000000000u),
                                  (long)(nanoseconds % 1000000000u)};
    (void)nanosleep(&time, NULL);
}

uint64_t oribi_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
