/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECLARATIONS_ZEPHYR_KERNEL_H_
#define DECLARATIONS_ZEPHYR_KERNEL_H_

#include <zephyr/device.h>

typedef struct {
    int64_t ticks;
} k_timeout_t;
#define K_FOREVER  ((k_timeout_t){-1})
#define K_NO_WAIT  ((k_timeout_t){0})
#define K_MSEC(ms) ((k_timeout_t){(ms)})

typedef struct k_thread *k_tid_t;
struct k_mutex {
    struct k_thread *owner;
    uint32_t lock_count;
};
struct k_sem {
    uint32_t count, limit;
};
struct k_msgq {
    char *start, *end;
};

k_tid_t k_current_get(void);
void k_yield(void);
int64_t k_uptime_get(void);
int k_mutex_init(struct k_mutex *mutex);
int k_mutex_lock(struct k_mutex *mutex, k_timeout_t timeout);
int k_mutex_unlock(struct k_mutex *mutex);
int k_sem_init(struct k_sem *sem, unsigned int initial, unsigned int limit);
int k_sem_take(struct k_sem *sem, k_timeout_t timeout);
void k_sem_give(struct k_sem *sem);
void k_msgq_init(struct k_msgq *queue, char *buffer, size_t message_bytes, uint32_t n_messages);
int k_msgq_put(struct k_msgq *queue, const void *data, k_timeout_t timeout);
int k_msgq_get(struct k_msgq *queue, void *data, k_timeout_t timeout);

#endif
