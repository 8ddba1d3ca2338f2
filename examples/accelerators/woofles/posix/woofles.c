/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` on POSIX: the device is a thread, doorbell and interrupt are condition variables. */
#include <errno.h>
#include <time.h>

#include "../common/woofles_device.h"
#include "../common/woofles_port.h"

/* --- The device ------------------------------------------------------------------------------- */

static void *device_main(void *arg)
{
    tvm_device_woofles_t *dev = (tvm_device_woofles_t *)arg;
    (void)pthread_mutex_lock(&dev->bell);
    while (!dev->is_leaving) {
        (void)pthread_mutex_unlock(&dev->bell);
        const int32_t has_worked = woofles_device_step(dev->window);
        (void)pthread_mutex_lock(&dev->bell);
        if (has_worked != 0) {
            (void)pthread_cond_broadcast(&dev->interrupt);
        } else if (!dev->is_leaving && woofles_port_load(&dev->window->posted) ==
                                           woofles_port_load(&dev->window->done)) {
            (void)pthread_cond_wait(&dev->doorbell, &dev->bell);
        }
    }
    (void)pthread_mutex_unlock(&dev->bell);
    return NULL;
}

/* --- Port ------------------------------------------------------------------------------------- */

int32_t woofles_port_lock(tvm_device_woofles_t *dev)
{
    return pthread_mutex_lock(&dev->lock) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t woofles_port_unlock(tvm_device_woofles_t *dev)
{
    return pthread_mutex_unlock(&dev->lock) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t woofles_port_ring(tvm_device_woofles_t *dev)
{
    (void)pthread_mutex_lock(&dev->bell);
    (void)pthread_cond_signal(&dev->doorbell);
    (void)pthread_mutex_unlock(&dev->bell);
    return TVM_DEVICE_OK;
}

int32_t woofles_port_wait(tvm_device_woofles_t *dev, uint32_t done)
{
    struct timespec until;
    int failed = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += dev->timeout_ms / 1000;
    until.tv_nsec += (long)(dev->timeout_ms % 1000) * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    (void)pthread_mutex_lock(&dev->bell);
    while (failed == 0 && woofles_port_load(&dev->window->done) == done) {
        failed = pthread_cond_timedwait(&dev->interrupt, &dev->bell, &until);
    }
    (void)pthread_mutex_unlock(&dev->bell);
    return failed == 0           ? TVM_DEVICE_OK
           : failed == ETIMEDOUT ? TVM_DEVICE_E_TIMEOUT
                                 : TVM_DEVICE_E_STATE;
}

uint32_t woofles_port_load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

void woofles_port_store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* --- Life ------------------------------------------------------------------------------------- */

static int init_locks(tvm_device_woofles_t *dev)
{
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) {
        return -1;
    }
    const int failed = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) != 0 ||
                       pthread_mutex_init(&dev->lock, &attributes) != 0;
    (void)pthread_mutexattr_destroy(&attributes);
    if (failed) {
        return -1;
    }
    /* With default attributes these cannot fail. */
    (void)pthread_mutex_init(&dev->bell, NULL);
    (void)pthread_cond_init(&dev->doorbell, NULL);
    (void)pthread_cond_init(&dev->interrupt, NULL);
    return 0;
}

int32_t TVMDeviceWooflesInit(tvm_device_woofles_t *dev, void *memory, uint32_t bytes,
                             uint32_t memory_bytes)
{
    if (dev == NULL || memory == NULL) {
        return TVM_DEVICE_E_NULL;
    }
    if ((uintptr_t)memory % 16u != 0u || bytes < WOOFLES_MEMORY_OFFSET ||
        memory_bytes > bytes - WOOFLES_MEMORY_OFFSET || memory_bytes % 4u != 0u) {
        return TVM_DEVICE_E_RANGE;
    }
    struct woofles_window *window = (struct woofles_window *)memory;
    *window = (struct woofles_window){.magic = WOOFLES_MAGIC, .bytes = bytes};
    dev->timeout_ms = 10000;
    dev->window = window;
    dev->memory_bytes = memory_bytes;
    dev->params_bytes = bytes - WOOFLES_MEMORY_OFFSET - memory_bytes;
    dev->params_used = 0;
    dev->params_kept = 0;
    dev->residents.n = 0;
    dev->first_pending = 0;
    dev->users.count = 0;
    dev->is_open = 0;
    dev->is_leaving = 0;
    if (init_locks(dev) != 0) {
        return TVM_DEVICE_E_STATE;
    }
    return pthread_create(&dev->thread, NULL, device_main, dev) == 0 ? TVM_DEVICE_OK
                                                                     : TVM_DEVICE_E_STATE;
}

int32_t TVMDeviceWooflesDestroy(tvm_device_woofles_t *dev)
{
    (void)pthread_mutex_lock(&dev->bell);
    dev->is_leaving = 1;
    (void)pthread_cond_signal(&dev->doorbell);
    (void)pthread_mutex_unlock(&dev->bell);
    (void)pthread_join(dev->thread, NULL);
    (void)pthread_cond_destroy(&dev->doorbell);
    (void)pthread_cond_destroy(&dev->interrupt);
    (void)pthread_mutex_destroy(&dev->bell);
    return pthread_mutex_destroy(&dev->lock) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}
