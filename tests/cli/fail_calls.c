/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded by tests: allocation FAIL_ALLOC of the process (from 1) has no memory, nor have, with
 * FAIL_ON=1, those after it; thread FAIL_THREAD does not start. At the end the number of
 * allocations is written to the file COUNT_TO.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_long n_allocations, n_threads;
static long fail_at, fail_thread;
static int goes_on;

static long number(const char *name)
{
    const char *text = getenv(name);

    return text == NULL ? 0 : atol(text);
}

__attribute__((constructor)) static void begin(void)
{
    fail_at = number("FAIL_ALLOC");
    fail_thread = number("FAIL_THREAD");
    goes_on = number("FAIL_ON") != 0;
    n_allocations = 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("COUNT_TO");
    char text[32];
    int file = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (file >= 0) {
        int n = snprintf(text, sizeof text, "%ld", (long)n_allocations);
        (void)!write(file, text, (size_t)n);
        close(file);
    }
}

static int fails(void)
{
    const long at = ++n_allocations;
    const int now = fail_at > 0 && (at == fail_at || (goes_on && at > fail_at));

    if (now) {
        errno = ENOMEM;
    }
    return now;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    *out = fails() ? NULL : __libc_memalign(alignment, bytes);
    return *out == NULL ? ENOMEM : 0;
}

int pthread_create(pthread_t *out, const pthread_attr_t *how, void *(*run)(void *), void *arg)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            RTLD_NEXT, "pthread_create");

    return fail_thread > 0 && ++n_threads == fail_thread ? EAGAIN : real(out, how, run, arg);
}
