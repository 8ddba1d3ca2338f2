/* SPDX-License-Identifier: Apache-2.0 */
/* The example device with a fault (-DFAULT=NAME) in what a session calls first: after the init. */
#include <signal.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

#undef SE_InitPlugin
void fake_init_plugin(SE_PlatformRegistrationParams *params, TF_Status *status);
__attribute__((visibility("default"))) void SE_InitPlugin(SE_PlatformRegistrationParams *params,
                                                          TF_Status *status);

enum fault { NOTHING, CRASHES, COUNTS, CORRUPTS };

static void create_crash(const SP_Platform *platform, SE_CreateDeviceParams *params,
                         TF_Status *status)
{
    (void)platform;
    (void)params;
    (void)status;
    raise(SIGSEGV);
}

static void count_minus(const SP_Platform *platform, int *count, TF_Status *status)
{
    (void)platform;
    (void)status;
    *count = -1;
}

static void (*real_executor)(const SP_Platform *platform, SE_CreateStreamExecutorParams *params,
                             TF_Status *status);
static void (*real_to_host)(const SP_Device *device, SP_Stream stream, void *to,
                            const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status);

static void copy_half(const SP_Device *device, SP_Stream stream, void *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    real_to_host(device, stream, to, from, size / 2, status);
}

static void make_executor(const SP_Platform *platform, SE_CreateStreamExecutorParams *params,
                          TF_Status *status)
{
    real_executor(platform, params, status);
    real_to_host = params->stream_executor->memcpy_dtoh;
    params->stream_executor->memcpy_dtoh = copy_half;
}

void SE_InitPlugin(SE_PlatformRegistrationParams *params, TF_Status *status)
{
    fake_init_plugin(params, status);
    if (FAULT == CRASHES) {
        params->platform_fns->create_device = create_crash;
    } else if (FAULT == COUNTS) {
        params->platform_fns->get_device_count = count_minus;
    } else if (FAULT == CORRUPTS) {
        real_executor = params->platform_fns->create_stream_executor;
        params->platform_fns->create_stream_executor = make_executor;
    }
}
