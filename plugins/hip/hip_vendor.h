/* SPDX-License-Identifier: Apache-2.0 */
/* HIP's runtime as plugins/gpu sees it: our own declarations of what is used of it, so that the
 * plugin builds anywhere. Numbers and types: AMD's HIP reference; checked against
 * hip_runtime_api.h (5.2) by tests/devices/gpu/vendor_types.c.
 */
#ifndef ORIBI_PLUGINS_HIP_VENDOR_H_
#define ORIBI_PLUGINS_HIP_VENDOR_H_

typedef unsigned int gpu_result; /* an enum of AMD's without negative values */
typedef void *gpu_address;
typedef int gpu_context; /* HIP's threads have a current device */
typedef struct ihipStream_t *gpu_stream;
typedef struct ihipEvent_t *gpu_event;
typedef struct ihipModule_t *gpu_module;
typedef struct ihipModuleSymbol_t *gpu_function;
typedef unsigned int gpu_option; /* enum */
typedef void *gpu_source;
typedef int gpu_pattern;
typedef void (*gpu_host_function)(gpu_stream stream, gpu_result code, void *arg);

#define GPU_PLATFORM "HIP"
#define GPU_VENDOR   "AMD"
/* By the runtime's major version; what is used here is the same in all of them. */
#define GPU_LIBRARIES "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"

enum {
    GPU_SUCCESS = 0,
    GPU_OUT_OF_MEMORY = 2,
    GPU_NO_DEVICE = 100,
    GPU_NOT_READY = 600,
    GPU_STREAM_NON_BLOCKING = 1,
    GPU_EVENT_DISABLE_TIMING = 2,
    GPU_HOST_PORTABLE = 1,
    GPU_MANAGED_GLOBAL = 1
};

#define GPU_VENDOR_CALLS(X)                                                                        \
    X(const char *, error_name, (gpu_result code))                                                 \
    X(const char *, error_text, (gpu_result code))                                                 \
    X(gpu_result, context_get, (gpu_context * device))                                             \
    X(gpu_result, context_set, (gpu_context device))                                               \
    X(gpu_result, enable_peer, (gpu_context peer, unsigned flags))                                 \
    X(gpu_result, host_call,                                                                       \
      (gpu_stream stream, gpu_host_function call, void *arg, unsigned flags))                      \
    X(gpu_result, copy_peer,                                                                       \
      (gpu_address to, gpu_context to_context, const void *from, gpu_context from_context,         \
       size_t bytes, gpu_stream stream))

#define gpu_symbol_init               hipInit
#define gpu_symbol_driver_version     hipDriverGetVersion
#define gpu_symbol_device_count       hipGetDeviceCount
#define gpu_symbol_device_get         hipDeviceGet
#define gpu_symbol_device_name        hipDeviceGetName
#define gpu_symbol_device_pci         hipDeviceGetPCIBusId
#define gpu_symbol_can_access_peer    hipDeviceCanAccessPeer
#define gpu_symbol_synchronize        hipDeviceSynchronize
#define gpu_symbol_mem_alloc          hipMalloc
#define gpu_symbol_mem_free           hipFree
#define gpu_symbol_mem_info           hipMemGetInfo
#define gpu_symbol_host_alloc         hipHostMalloc
#define gpu_symbol_host_free          hipHostFree
#define gpu_symbol_managed_alloc      hipMallocManaged
#define gpu_symbol_stream_create      hipStreamCreateWithFlags
#define gpu_symbol_stream_destroy     hipStreamDestroy
#define gpu_symbol_stream_query       hipStreamQuery
#define gpu_symbol_stream_synchronize hipStreamSynchronize
#define gpu_symbol_stream_wait        hipStreamWaitEvent
#define gpu_symbol_event_create       hipEventCreateWithFlags
#define gpu_symbol_event_destroy      hipEventDestroy
#define gpu_symbol_event_record       hipEventRecord
#define gpu_symbol_event_query        hipEventQuery
#define gpu_symbol_event_synchronize  hipEventSynchronize
#define gpu_symbol_event_elapsed      hipEventElapsedTime
#define gpu_symbol_copy_htod          hipMemcpyHtoDAsync
#define gpu_symbol_copy_dtoh          hipMemcpyDtoHAsync
#define gpu_symbol_copy_dtod          hipMemcpyDtoDAsync
#define gpu_symbol_fill8              hipMemsetD8Async
#define gpu_symbol_fill32             hipMemsetD32Async
#define gpu_symbol_host_call          hipStreamAddCallback
#define gpu_symbol_module_load        hipModuleLoadDataEx
#define gpu_symbol_module_unload      hipModuleUnload
#define gpu_symbol_module_function    hipModuleGetFunction
#define gpu_symbol_launch             hipModuleLaunchKernel
#define gpu_symbol_error_name         hipGetErrorName
#define gpu_symbol_error_text         hipGetErrorString
#define gpu_symbol_context_get        hipGetDevice
#define gpu_symbol_context_set        hipSetDevice
#define gpu_symbol_enable_peer        hipDeviceEnablePeerAccess
#define gpu_symbol_copy_peer          hipMemcpyPeerAsync

#endif
