/* SPDX-License-Identifier: Apache-2.0 */
/* Pluggable devices: what a plugin fills in so that its hardware becomes a device of the host.
 *
 * The plugin exports SE_InitPlugin. The host calls it once, then get_device_count and, when a
 * session first places a node there, create_device(ordinal). Kernels for the device are registered
 * by TF_InitKernel under the platform's `type`. Layouts are those of TensorFlow's 0.0.1, old and
 * new. What this host does with each member: docs/reference/device-contract.md. What TensorFlow's
 * design lacks (copies between devices, launch): device_extension.h. Since 1.2.
 *
 * Sizes    every struct begins with struct_size: the end offset of the last member that its filler
 *          knows. SP_: filled by the plugin; SE_: by the host.
 * Memory   of the structs is the host's; what a plugin puts behind their pointers it takes back in
 *          the destroy function beside them. Strings live as long as the struct.
 * Threads  after creation any member may be called from any thread, for different streams at once;
 *          for one stream by one thread at a time, unless asynchronous kernels of the device
 * enqueue on threads of their own: as in TensorFlow, other nodes are enqueued on it meanwhile.
 * Errors   through the status; a member that has none says so by its result. No member may exit.
 */
#ifndef ORIBI_TENSORFLOW_C_EXPERIMENTAL_STREAM_EXECUTOR_STREAM_EXECUTOR_H_
#define ORIBI_TENSORFLOW_C_EXPERIMENTAL_STREAM_EXECUTOR_STREAM_EXECUTOR_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SE_MAJOR 0
#define SE_MINOR 0
#define SE_PATCH 1

/* Handles of the plugin's own; the struct behind them is its business. */
typedef struct SP_Stream_st *SP_Stream;
typedef struct SP_Event_st *SP_Event;
typedef struct SP_Timer_st *SP_Timer;
/* Called by the plugin, on a thread of its choice, once everything before it on the stream is done.
 * The status tells whether that went well. */
typedef void (*SE_StatusCallbackFn)(void *const arg, TF_Status *const status);

typedef struct SP_TimerFns {
    size_t struct_size;
    void *ext;
    uint64_t (*nanoseconds)(SP_Timer timer); /* between start and stop, both done */
} SP_TimerFns;
#define SP_TIMER_FNS_STRUCT_SIZE TF_OFFSET_OF_END(SP_TimerFns, nanoseconds)

typedef struct SP_AllocatorStats { /* bytes, but for the counts and the flags */
    size_t struct_size;
    int64_t num_allocs;
    int64_t bytes_in_use;
    int64_t peak_bytes_in_use;
    int64_t largest_alloc_size;
    int8_t has_bytes_limit;
    int64_t bytes_limit;
    int64_t bytes_reserved;
    int64_t peak_bytes_reserved;
    int8_t has_bytes_reservable_limit;
    int64_t bytes_reservable_limit;
    int64_t largest_free_block_bytes;
} SP_AllocatorStats;
#define SP_ALLOCATORSTATS_STRUCT_SIZE TF_OFFSET_OF_END(SP_AllocatorStats, largest_free_block_bytes)

typedef enum SE_EventStatus {
    SE_EVENT_UNKNOWN,
    SE_EVENT_ERROR,
    SE_EVENT_PENDING,
    SE_EVENT_COMPLETE
} SE_EventStatus;

/* Memory of a device. `opaque` is what TF_TensorData shows to kernels; the host does arithmetic on
 * it only where the platform sets use_bfc_allocator. */
typedef struct SP_DeviceMemoryBase {
    size_t struct_size;
    void *ext;
    void *opaque; /* NULL: the allocation failed */
    uint64_t size;
    uint64_t payload; /* the plugin's; comes back with every use of the memory */
} SP_DeviceMemoryBase;
#define SP_DEVICE_MEMORY_BASE_STRUCT_SIZE TF_OFFSET_OF_END(SP_DeviceMemoryBase, payload)

typedef struct SP_Device {
    size_t struct_size;
    void *ext;
    int32_t ordinal;
    void *device_handle;
    const char *hardware_name, *device_vendor, *pci_bus_id; /* for people; may be NULL */
} SP_Device;
#define SP_DEVICE_STRUCT_SIZE TF_OFFSET_OF_END(SP_Device, pci_bus_id)

typedef struct SE_CreateDeviceParams {
    size_t struct_size;
    void *ext;
    int32_t ordinal;
    SP_Device *device;
} SE_CreateDeviceParams;
#define SE_CREATE_DEVICE_PARAMS_STRUCT_SIZE TF_OFFSET_OF_END(SE_CreateDeviceParams, device)

typedef struct SP_DeviceFns { /* each may be NULL; a negative result: not known */
    size_t struct_size;
    void *ext;
    int32_t (*get_numa_node)(const SP_Device *device);
    int64_t (*get_memory_bandwidth)(const SP_Device *device); /* bytes per second */
    double (*get_gflops)(const SP_Device *device);
} SP_DeviceFns;
#define SP_DEVICE_FNS_STRUCT_SIZE TF_OFFSET_OF_END(SP_DeviceFns, get_gflops)

typedef struct SE_CreateDeviceFnsParams {
    size_t struct_size;
    void *ext;
    SP_DeviceFns *device_fns;
} SE_CreateDeviceFnsParams;
#define SE_CREATE_DEVICE_FNS_PARAMS_STRUCT_SIZE                                                    \
    TF_OFFSET_OF_END(SE_CreateDeviceFnsParams, device_fns)

/* What a device can do. Required unless said otherwise; a missing member is refused by name.
 *
 * Layout   two were released under one version: without mem_zero, memset and memset32 (struct_size
 *          264, host_callback at 256) and with them (288). struct_size tells which one was filled.
 */
typedef struct SP_StreamExecutor {
    size_t struct_size;
    void *ext;

    /* Memory. Failure: opaque, or the result, is NULL. */
    void (*allocate)(const SP_Device *device, uint64_t size, int64_t memory_space,
                     SP_DeviceMemoryBase *mem);
    void (*deallocate)(const SP_Device *device, SP_DeviceMemoryBase *memory);
    void *(*host_memory_allocate)(const SP_Device *device, uint64_t size);
    void (*host_memory_deallocate)(const SP_Device *device, void *mem);
    /* Required where the platform says supports_unified_memory. */
    void *(*unified_memory_allocate)(const SP_Device *device, uint64_t bytes);
    void (*unified_memory_deallocate)(const SP_Device *device, void *location);
    TF_Bool (*get_allocator_stats)(const SP_Device *device, SP_AllocatorStats *stats);
    TF_Bool (*device_memory_usage)(const SP_Device *device, int64_t *free, int64_t *total);

    /* Streams: work in order. */
    void (*create_stream)(const SP_Device *device, SP_Stream *stream, TF_Status *status);
    void (*destroy_stream)(const SP_Device *device, SP_Stream stream);
    /* What `dependent` gets from now on begins after what `other` has now. */
    void (*create_stream_dependency)(const SP_Device *device, SP_Stream dependent, SP_Stream other,
                                     TF_Status *status);
    void (*get_stream_status)(const SP_Device *device, SP_Stream stream, TF_Status *status);

    /* Events: marks on a stream. */
    void (*create_event)(const SP_Device *device, SP_Event *event, TF_Status *status);
    void (*destroy_event)(const SP_Device *device, SP_Event event);
    SE_EventStatus (*get_event_status)(const SP_Device *device, SP_Event event);
    void (*record_event)(const SP_Device *device, SP_Stream stream, SP_Event event,
                         TF_Status *status);
    void (*wait_for_event)(const SP_Device *const device, SP_Stream stream, SP_Event event,
                           TF_Status *const status);

    /* Timers. All four, or none: then a trace shows no times of the device. */
    void (*create_timer)(const SP_Device *device, SP_Timer *timer, TF_Status *status);
    void (*destroy_timer)(const SP_Device *device, SP_Timer timer);
    void (*start_timer)(const SP_Device *device, SP_Stream stream, SP_Timer timer,
                        TF_Status *status);
    void (*stop_timer)(const SP_Device *device, SP_Stream stream, SP_Timer timer,
                       TF_Status *status);

    /* Copies in stream order. Host memory stays valid and unchanged until the stream got there; it
     * need not come from host_memory_allocate. */
    void (*memcpy_dtoh)(const SP_Device *device, SP_Stream stream, void *host_dst,
                        const SP_DeviceMemoryBase *device_src, uint64_t size, TF_Status *status);
    void (*memcpy_htod)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *device_dst,
                        const void *host_src, uint64_t size, TF_Status *status);
    void (*memcpy_dtod)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *device_dst,
                        const SP_DeviceMemoryBase *device_src, uint64_t size,
                        TF_Status *status); /* optional: else through the host */
    void (*sync_memcpy_dtoh)(const SP_Device *device, void *host_dst,
                             const SP_DeviceMemoryBase *device_src, uint64_t size,
                             TF_Status *status);
    void (*sync_memcpy_htod)(const SP_Device *device, SP_DeviceMemoryBase *device_dst,
                             const void *host_src, uint64_t size, TF_Status *status);
    void (*sync_memcpy_dtod)(const SP_Device *device, SP_DeviceMemoryBase *device_dst,
                             const SP_DeviceMemoryBase *device_src, uint64_t size,
                             TF_Status *status); /* optional */

    /* Waits of the host. */
    void (*block_host_for_event)(const SP_Device *device, SP_Event event, TF_Status *status);
    void (*block_host_until_done)(const SP_Device *device, SP_Stream stream,
                                  TF_Status *status); /* optional: else through an event */
    void (*synchronize_all_activity)(const SP_Device *device, TF_Status *status);

    /* Fills in stream order; all three, or none. */
    void (*mem_zero)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *location,
                     uint64_t size, TF_Status *status);
    void (*memset)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *location,
                   uint8_t pattern, uint64_t size, TF_Status *status);
    void (*memset32)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *location,
                     uint32_t pattern, uint64_t size, TF_Status *status);

    /* Calls callback_fn(callback_arg, ..) in stream order, exactly once when the result is true. */
    TF_Bool (*host_callback)(const SP_Device *device, SP_Stream stream,
                             SE_StatusCallbackFn callback_fn, void *callback_arg);
} SP_StreamExecutor;
#define SP_STREAMEXECUTOR_STRUCT_SIZE TF_OFFSET_OF_END(SP_StreamExecutor, host_callback)

typedef struct SE_CreateStreamExecutorParams {
    size_t struct_size;
    void *ext;
    SP_StreamExecutor *stream_executor;
} SE_CreateStreamExecutorParams;
#define SE_CREATE_STREAM_EXECUTOR_PARAMS_STRUCT_SIZE                                               \
    TF_OFFSET_OF_END(SE_CreateStreamExecutorParams, stream_executor)

typedef struct SP_Platform {
    size_t struct_size;
    void *ext;
    const char *name, *type; /* a capital letter, then capital letters and underscores */
    TF_Bool supports_unified_memory;
    TF_Bool use_bfc_allocator; /* the host may cut one allocation into many, by arithmetic */
    TF_Bool force_memory_growth;
} SP_Platform;
#define SP_PLATFORM_STRUCT_SIZE TF_OFFSET_OF_END(SP_Platform, force_memory_growth)

typedef struct SP_PlatformFns { /* get_device_count may be NULL: one device */
    size_t struct_size;
    void *ext;
    void (*get_device_count)(const SP_Platform *platform, int *device_count, TF_Status *status);
    void (*create_device)(const SP_Platform *platform, SE_CreateDeviceParams *params,
                          TF_Status *status);
    void (*destroy_device)(const SP_Platform *platform, SP_Device *device);
    void (*create_device_fns)(const SP_Platform *platform, SE_CreateDeviceFnsParams *params,
                              TF_Status *status);
    void (*destroy_device_fns)(const SP_Platform *platform, SP_DeviceFns *device_fns);
    void (*create_stream_executor)(const SP_Platform *platform,
                                   SE_CreateStreamExecutorParams *params, TF_Status *status);
    void (*destroy_stream_executor)(const SP_Platform *platform,
                                    SP_StreamExecutor *stream_executor);
    void (*create_timer_fns)(const SP_Platform *platform, SP_TimerFns *timer, TF_Status *status);
    void (*destroy_timer_fns)(const SP_Platform *platform, SP_TimerFns *timer_fns);
} SP_PlatformFns;
#define SP_PLATFORM_FNS_STRUCT_SIZE TF_OFFSET_OF_END(SP_PlatformFns, destroy_timer_fns)

typedef struct SE_PlatformRegistrationParams {
    size_t struct_size;
    void *ext;
    int32_t major_version, minor_version, patch_version; /* SE_MAJOR.. of the host, in and out */
    SP_Platform *platform;
    SP_PlatformFns *platform_fns;
    void (*destroy_platform)(SP_Platform *platform);            /* out */
    void (*destroy_platform_fns)(SP_PlatformFns *platform_fns); /* out */
} SE_PlatformRegistrationParams;
#define SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE                                                \
    TF_OFFSET_OF_END(SE_PlatformRegistrationParams, destroy_platform_fns)

/* Exported by the plugin: fills *params->platform, *params->platform_fns (both zero but for
 * struct_size) and the two destroy functions. Called once, before TF_InitKernel. */
void SE_InitPlugin(SE_PlatformRegistrationParams *params, TF_Status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_EXPERIMENTAL_STREAM_EXECUTOR_STREAM_EXECUTOR_H_ */
