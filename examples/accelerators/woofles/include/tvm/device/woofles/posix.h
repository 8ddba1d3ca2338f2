/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` on POSIX, for the desk: the device is a thread with the memory that the application
 * gives it, a doorbell and an interrupt. Build with common/woofles.c, woofles_device.c,
 * woofles_ops.c and posix/woofles.c. */
#ifndef TVM_DEVICE_WOOFLES_POSIX_H_
#define TVM_DEVICE_WOOFLES_POSIX_H_

#include <pthread.h>

#include "tvm/runtime/device.h"

struct woofles_window;

typedef struct tvm_device_woofles {
    int32_t timeout_ms; /* for one command; Init sets 10000 */
    /* From here on: the driver's. */
    struct woofles_window *window;
    uint32_t memory_bytes; /* for tensors; behind it, params */
    uint32_t params_bytes, params_used;
    uint32_t params_kept; /* in front of those that are used: what Load has put there */
    struct tvm_device_residents residents;
    uint32_t first_pending; /* commands posted from here on are not waited for yet */
    struct tvm_device_users users;
    int32_t is_open;
    pthread_mutex_t lock; /* who holds the device */
    pthread_mutex_t bell; /* of the thread's two signals */
    pthread_cond_t doorbell, interrupt;
    pthread_t thread;
    int32_t is_leaving;
} tvm_device_woofles_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns, and starts its thread. `memory` is the device's: a
 * kilobyte for itself, then memory_bytes for tensors (what `oribi compile` planned at most), the
 * rest for the params of calls under way. It is aligned to 16 and borrowed until Destroy.
 * Errors: TVM_DEVICE_E_NULL, TVM_DEVICE_E_RANGE, TVM_DEVICE_E_STATE. */
int32_t TVMDeviceWooflesInit(tvm_device_woofles_t *dev, void *memory, uint32_t bytes,
                             uint32_t memory_bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/woofles.h"

#endif /* TVM_DEVICE_WOOFLES_POSIX_H_ */
