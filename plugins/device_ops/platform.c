/* SPDX-License-Identifier: Apache-2.0 */
/* See platform.h. */
#include "device_ops/platform.h"

static const device_ops_platform *own;

static void create_device_fns(const SP_Platform *platform, SE_CreateDeviceFnsParams *params,
                              TF_Status *status)
{
    (void)platform;
    (void)status;
    *params->device_fns = (SP_DeviceFns){.struct_size = SP_DEVICE_FNS_STRUCT_SIZE};
    if (own->fill_device != NULL) {
        own->fill_device(params->device_fns);
    }
}

static void destroy_device_fns(const SP_Platform *platform, SP_DeviceFns *fns)
{
    (void)platform;
    (void)fns;
}

static void create_executor(const SP_Platform *platform, SE_CreateStreamExecutorParams *params,
                            TF_Status *status)
{
    (void)platform;
    (void)status;
    *params->stream_executor = (SP_StreamExecutor){.struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE};
    own->fill_executor(params->stream_executor);
}

static void destroy_executor(const SP_Platform *platform, SP_StreamExecutor *executor)
{
    (void)platform;
    (void)executor;
}

static void create_timer_fns(const SP_Platform *platform, SP_TimerFns *fns, TF_Status *status)
{
    (void)platform;
    (void)status;
    *fns = (SP_TimerFns){.struct_size = SP_TIMER_FNS_STRUCT_SIZE, .nanoseconds = own->timer_ns};
}

static void destroy_timer_fns(const SP_Platform *platform, SP_TimerFns *fns)
{
    (void)platform;
    (void)fns;
}

static void destroy_platform(SP_Platform *platform)
{
    (void)platform;
}

static void destroy_platform_fns(SP_PlatformFns *fns)
{
    (void)fns;
}

void device_ops_fill_platform(SE_PlatformRegistrationParams *params,
                              const device_ops_platform *platform)
{
    own = platform;
    *params->platform = (SP_Platform){.struct_size = SP_PLATFORM_STRUCT_SIZE,
                                      .name = own->type,
                                      .type = own->type,
                                      .supports_unified_memory = own->has_unified_memory,
                                      .use_bfc_allocator = 1};
    *params->platform_fns = (SP_PlatformFns){.struct_size = SP_PLATFORM_FNS_STRUCT_SIZE,
                                             .get_device_count = own->count,
                                             .create_device = own->create,
                                             .destroy_device = own->destroy,
                                             .create_device_fns = create_device_fns,
                                             .destroy_device_fns = destroy_device_fns,
                                             .create_stream_executor = create_executor,
                                             .destroy_stream_executor = destroy_executor,
                                             .create_timer_fns = create_timer_fns,
                                             .destroy_timer_fns = destroy_timer_fns};
    params->destroy_platform = destroy_platform;
    params->destroy_platform_fns = destroy_platform_fns;
}
