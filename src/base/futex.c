/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping on a word: the futex of Linux; elsewhere a few locks that words share by address.
 * Not here: spinning, which is the caller's policy.
 */
#include "base/futex.h"

#if defined(__linux__)

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void oribi_futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
    /* EAGAIN and EINTR are early returns; the caller looks at the word again. */
    (void)syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

void oribi_futex_wake(_Atomic uint32_t *word, int n)
{
    (void)syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

#else

#include "base/thread.h"

static struct {
    oribi_mutex mutex;
    oribi_cond cond;
} beds[4] = {{ORIBI_MUTEX_INIT, ORIBI_COND_INIT},
             {ORIBI_MUTEX_INIT, ORIBI_COND_INIT},
             {ORIBI_MUTEX_INIT, ORIBI_COND_INIT},
             {ORIBI_MUTEX_INIT, ORIBI_COND_INIT}};

static unsigned bed_of(_Atomic uint32_t *word)
{
    return (unsigned)((uintptr_t)word >> 6) & 3;
}

void oribi_futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
    unsigned bed = bed_of(word);
    oribi_mutex_lock(&beds[bed].mutex);
    if (atomic_load(word) == expected) {
        oribi_cond_wait(&beds[bed].cond, &beds[bed].mutex);
    }
    oribi_mutex_unlock(&beds[bed].mutex);
}

void oribi_futex_wake(_Atomic uint32_t *word, int n)
{
    unsigned bed = bed_of(word);
    (void)n;
    oribi_mutex_lock(&beds[bed].mutex);
    oribi_cond_broadcast(&beds[bed].cond);
    oribi_mutex_unlock(&beds[bed].mutex);
}

#endif
