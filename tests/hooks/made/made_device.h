/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of the kinds of made_targets.c, for programs that devices_made.py makes. They print each
 * hook, and they live on a bus of their own: a device sees memory through a copy that only
 * CacheClean and CacheInvalidate keep like the CPU's (kinds cached, queued, wide), and refuses what
 * lies outside the memory that it was given.
 */
#ifndef ORIBI_TESTS_HOOKS_MADE_DEVICE_H_
#define ORIBI_TESTS_HOOKS_MADE_DEVICE_H_

#include "tvm/runtime/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MADE_MEMORY = 1 << 20, MADE_QUEUE = 16, MADE_STORE = 1 << 16 };

typedef struct made_device {
    const char *name;
    uint32_t line; /* of its cache, bytes */
    int32_t is_open, is_active;
    const struct tvm_device_call *queue[MADE_QUEUE];
    int32_t n_queued;
    uint8_t *memory;                       /* of kind walled */
    struct tvm_device_residents residents; /* of kind kept, which computes with these params */
    uint8_t store[MADE_STORE];
    uint32_t stored;
} tvm_device_quick_t, tvm_device_medium_t, tvm_device_slow_t, tvm_device_cached_t,
    tvm_device_queued_t, tvm_device_shared_t, tvm_device_peer_t, tvm_device_walled_t,
    tvm_device_wide_t, tvm_device_own_t, tvm_device_kept_t, tvm_device_tight_t;

/* Memory that devices may see: as the CPU sees it, and as a cached device does. */
void made_add_memory(const char *name, void *data, uint32_t bytes);
void made_print(const char *line);
/* What the code of kind own calls; its constants are at these offsets of params. */
int32_t made_launch(void *dev, const struct tvm_device_call *call, uint32_t first, uint32_t second);

#define MADE_HOOKS(Camel, kind)                                                                    \
    int32_t TVMDevice##Camel##Activate(tvm_device_##kind##_t *dev);                                \
    int32_t TVMDevice##Camel##Open(tvm_device_##kind##_t *dev);                                    \
    int32_t TVMDevice##Camel##Close(tvm_device_##kind##_t *dev);                                   \
    int32_t TVMDevice##Camel##Deactivate(tvm_device_##kind##_t *dev);                              \
    int32_t TVMDevice##Camel##Invoke(tvm_device_##kind##_t *dev,                                   \
                                     const struct tvm_device_call *call);                          \
    int32_t TVMDevice##Camel##Start(tvm_device_##kind##_t *dev,                                    \
                                    const struct tvm_device_call *call);                           \
    int32_t TVMDevice##Camel##Wait(tvm_device_##kind##_t *dev);                                    \
    int32_t TVMDevice##Camel##Cancel(tvm_device_##kind##_t *dev);                                  \
    int32_t TVMDevice##Camel##CacheClean(tvm_device_##kind##_t *dev, const void *data,             \
                                         uint32_t bytes);                                          \
    int32_t TVMDevice##Camel##CacheInvalidate(tvm_device_##kind##_t *dev, void *data,              \
                                              uint32_t bytes);                                     \
    int32_t TVMDevice##Camel##Address(tvm_device_##kind##_t *dev,                                  \
                                      struct tvm_device_tensor *tensor);                           \
    int32_t TVMDevice##Camel##CopyTo(const void *source, tvm_device_##kind##_t *dev,               \
                                     uint32_t device_offset, uint32_t bytes);                      \
    int32_t TVMDevice##Camel##CopyFrom(tvm_device_##kind##_t *dev, uint32_t device_offset,         \
                                       void *destination, uint32_t bytes);
MADE_HOOKS(Quick, quick)
MADE_HOOKS(Medium, medium)
MADE_HOOKS(Slow, slow)
MADE_HOOKS(Cached, cached)
MADE_HOOKS(Queued, queued)
MADE_HOOKS(Shared, shared)
MADE_HOOKS(Peer, peer)
MADE_HOOKS(Walled, walled)
MADE_HOOKS(Wide, wide)
MADE_HOOKS(Own, own)
MADE_HOOKS(Tight, tight)
MADE_HOOKS(Kept, kept)
int32_t TVMDeviceKeptLoad(tvm_device_kept_t *dev, struct tvm_device_call *call);
#undef MADE_HOOKS

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
