/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for Zephyr's header: a mutex that tells when it is used wrongly. */
#ifndef ORIBI_STAND_IN_ZEPHYR_KERNEL_H_
#define ORIBI_STAND_IN_ZEPHYR_KERNEL_H_

#include <errno.h>
#include <stddef.h>

struct k_mutex {
    int state; /* 1: free, 2: held */
};
typedef struct {
    long ticks;
} k_timeout_t;
#define K_FOREVER ((k_timeout_t){-1})

static inline int k_mutex_init(struct k_mutex *mutex)
{
    mutex->state = 1;
    return 0;
}

static inline int k_mutex_lock(struct k_mutex *mutex, k_timeout_t timeout)
{
    if (mutex->state != 1 || timeout.ticks != -1) {
        return -EBUSY;
    }
    mutex->state = 2;
    return 0;
}

static inline int k_mutex_unlock(struct k_mutex *mutex)
{
    if (mutex->state != 2) {
        return -EPERM;
    }
    mutex->state = 1;
    return 0;
}

#endif
