/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that do nothing but note which hook was called, and fail when told to: kinds `woofles`
 * (asynchronous, a memory of its own), `uart_accel`, and of made_targets.c `cached`, `queued`,
 * `own`, `kept`, `whole`. Runs on a desk and on a microcontroller.
 */
#ifndef ORIBI_TESTS_HOOKS_RECORDER_H_
#define ORIBI_TESTS_HOOKS_RECORDER_H_

#include "tvm/runtime/device.h"

enum { RECORDER_MEMORY = 8192 };

typedef struct recorder_device {
    int32_t index; /* in the log */
    uint8_t memory[RECORDER_MEMORY];
    struct tvm_device_residents residents;
} tvm_device_woofles_t, tvm_device_uart_accel_t, tvm_device_cached_t, tvm_device_queued_t,
    tvm_device_own_t, tvm_device_kept_t, tvm_device_whole_t;

#include "tvm/device/uart_accel.h"
#include "tvm/device/woofles.h"

#define RECORDER_LIFECYCLE(Camel, kind)                                                            \
    int32_t TVMDevice##Camel##Activate(tvm_device_##kind##_t *dev);                                \
    int32_t TVMDevice##Camel##Open(tvm_device_##kind##_t *dev);                                    \
    int32_t TVMDevice##Camel##Close(tvm_device_##kind##_t *dev);                                   \
    int32_t TVMDevice##Camel##Deactivate(tvm_device_##kind##_t *dev);                              \
    int32_t TVMDevice##Camel##Invoke(tvm_device_##kind##_t *dev,                                   \
                                     const struct tvm_device_call *call);
#define RECORDER_CACHE(Camel, kind)                                                                \
    int32_t TVMDevice##Camel##CacheClean(tvm_device_##kind##_t *dev, const void *data,             \
                                         uint32_t bytes);                                          \
    int32_t TVMDevice##Camel##CacheInvalidate(tvm_device_##kind##_t *dev, void *data,              \
                                              uint32_t bytes);                                     \
    int32_t TVMDevice##Camel##Address(tvm_device_##kind##_t *dev, struct tvm_device_tensor *tensor);
#define RECORDER_QUEUE(Camel, kind)                                                                \
    int32_t TVMDevice##Camel##Start(tvm_device_##kind##_t *dev,                                    \
                                    const struct tvm_device_call *call);                           \
    int32_t TVMDevice##Camel##Wait(tvm_device_##kind##_t *dev);                                    \
    int32_t TVMDevice##Camel##Cancel(tvm_device_##kind##_t *dev);
RECORDER_LIFECYCLE(Cached, cached)
RECORDER_CACHE(Cached, cached)
RECORDER_LIFECYCLE(Queued, queued)
RECORDER_CACHE(Queued, queued)
RECORDER_QUEUE(Queued, queued)
RECORDER_LIFECYCLE(Own, own)
RECORDER_LIFECYCLE(Kept, kept)
RECORDER_CACHE(Kept, kept)
RECORDER_QUEUE(Kept, kept)
int32_t TVMDeviceKeptLoad(tvm_device_kept_t *dev, struct tvm_device_call *call);

RECORDER_LIFECYCLE(Whole, whole)
RECORDER_CACHE(Whole, whole)
RECORDER_QUEUE(Whole, whole)
int32_t TVMDeviceWholeLoad(tvm_device_whole_t *dev, struct tvm_device_call *call);

#endif
