/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping on a 32-bit word: what the thread pool waits with. No timeouts, no ownership.
 * Read next: src/device/pool.c.
 */
#ifndef ORIBI_BASE_FUTEX_H_
#define ORIBI_BASE_FUTEX_H_

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word == expected; may return early, so callers loop. */
void oribi_futex_wait(_Atomic uint32_t *word, uint32_t expected);
/* Wakes up to n threads that sleep on word. */
void oribi_futex_wake(_Atomic uint32_t *word, int n);

/* Tells the processor that this is a spinning loop. */
static inline void oribi_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

#endif
