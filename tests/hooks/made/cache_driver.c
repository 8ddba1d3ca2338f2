/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds `cached` and `queued` of made_targets.c as a driver for the desk: it computes, and says
 * which hook was called with how many bytes, in the file that its options name,
 * "log=FILE,name=NAME".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/accelerators/woofles/common/woofles_device.h"
#include "tvm/runtime/desk.h"
#include "tvm/runtime/hooks.h"

typedef struct cache_device {
    FILE *log;
    char name[32];
} cache_device;

static int32_t note(const cache_device *dev, const char *hook)
{
    fprintf(dev->log, "%s %s\n", dev->name, hook);
    return 0;
}

static int32_t note_bytes(const cache_device *dev, const char *hook, uint32_t bytes)
{
    fprintf(dev->log, "%s %s %u\n", dev->name, hook, (unsigned)bytes);
    return 0;
}

static int32_t compute(const cache_device *dev, const char *hook,
                       const struct tvm_device_call *call)
{
    struct woofles_span spans[4];
    for (int32_t i = 0; i < call->n_inputs + call->n_outputs && i < 4; i++) {
        spans[i].data = call->tensors[i].data;
        spans[i].bytes = call->tensors[i].bytes;
    }
    (void)note(dev, hook);
    return woofles_compute((uint32_t)call->op, call->params, call->params_bytes, spans,
                           (uint32_t)call->n_inputs, spans + call->n_inputs,
                           (uint32_t)call->n_outputs);
}

static int32_t create(const char *options, void **out_dev)
{
    char path[512];
    cache_device *dev = calloc(1, sizeof *dev);
    if (dev == NULL || sscanf(options, "log=%511[^,],name=%31s", path, dev->name) != 2) {
        free(dev);
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    dev->log = fopen(path, "a");
    *out_dev = dev;
    /* Line by line, as several devices write one file. */
    return dev->log != NULL && setvbuf(dev->log, NULL, _IOLBF, 0) == 0 ? 0 : TVM_DEVICE_E_IO;
}

static int32_t destroy(void *dev)
{
    (void)fclose(((cache_device *)dev)->log);
    free(dev);
    return 0;
}

#define HOOK(kind, what)                                                                           \
    int32_t TVMDevice##kind##what(cache_device *dev)                                               \
    {                                                                                              \
        return note(dev, #what);                                                                   \
    }
#define CALL_HOOK(kind, what)                                                                      \
    int32_t TVMDevice##kind##what(cache_device *dev, const struct tvm_device_call *call)           \
    {                                                                                              \
        return compute(dev, #what, call);                                                          \
    }
#define KIND(kind)                                                                                 \
    TVM_DEVICE_HOOKS(kind, cache_device);                                                          \
    TVM_DEVICE_DESK(kind);                                                                         \
    HOOK(kind, Activate)                                                                           \
    HOOK(kind, Open)                                                                               \
    HOOK(kind, Close)                                                                              \
    HOOK(kind, Deactivate)                                                                         \
    HOOK(kind, Wait)                                                                               \
    HOOK(kind, Cancel)                                                                             \
    CALL_HOOK(kind, Invoke)                                                                        \
    CALL_HOOK(kind, Start)                                                                         \
    int32_t TVMDevice##kind##CacheClean(cache_device *dev, const void *data, uint32_t bytes)       \
    {                                                                                              \
        return data != NULL ? note_bytes(dev, "CacheClean", bytes) : TVM_DEVICE_E_RANGE;           \
    }                                                                                              \
    int32_t TVMDevice##kind##CacheInvalidate(cache_device *dev, void *data, uint32_t bytes)        \
    {                                                                                              \
        return data != NULL ? note_bytes(dev, "CacheInvalidate", bytes) : TVM_DEVICE_E_RANGE;      \
    }                                                                                              \
    int32_t TVMDevice##kind##Address(cache_device *dev, struct tvm_device_tensor *tensor)          \
    {                                                                                              \
        return note_bytes(dev, "Address", tensor->bytes);                                          \
    }                                                                                              \
    int32_t TVMDevice##kind##DeskCreate(const char *options, uint32_t bytes, void **out_dev)       \
    {                                                                                              \
        return bytes == 0 ? create(options, out_dev) : TVM_DEVICE_E_RANGE;                         \
    }                                                                                              \
    int32_t TVMDevice##kind##DeskDestroy(void *dev)                                                \
    {                                                                                              \
        return destroy(dev);                                                                       \
    }
KIND(Cached)
KIND(Queued)
