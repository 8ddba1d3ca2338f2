/* SPDX-License-Identifier: Apache-2.0 */
/* What the platforms of all plugins of this house fill in alike: an address may be added to, all
 * members of SP_StreamExecutor are there, what is created has nothing to destroy.
 */
#ifndef ORIBI_PLUGINS_DEVICE_OPS_PLATFORM_H_
#define ORIBI_PLUGINS_DEVICE_OPS_PLATFORM_H_

#include <stdbool.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

typedef struct device_ops_platform { /* static */
    const char *type;                /* and name */
    bool has_unified_memory;
    void (*count)(const SP_Platform *platform, int *device_count, TF_Status *status);
    void (*create)(const SP_Platform *platform, SE_CreateDeviceParams *params, TF_Status *status);
    void (*destroy)(const SP_Platform *platform, SP_Device *device);
    void (*fill_executor)(SP_StreamExecutor *executor);
    void (*fill_device)(SP_DeviceFns *fns); /* or NULL */
    uint64_t (*timer_ns)(SP_Timer timer);
} device_ops_platform;

/* Context  inside SE_InitPlugin; one platform for each shared object. */
void device_ops_fill_platform(SE_PlatformRegistrationParams *params,
                              const device_ops_platform *own);

#endif
