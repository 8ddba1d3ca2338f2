/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's driver as plugins/gpu sees it: our own declarations of what is used of it, so that the
 * plugin builds anywhere. Numbers and types: NVIDIA's CUDA Driver API reference; checked against
 * cuda.h by tests/devices/gpu/vendor_types.c.
 */
#ifndef ORIBI_PLUGINS_CUDA_VENDOR_H_
#define ORIBI_PLUGINS_CUDA_VENDOR_H_

typedef unsigned int gpu_result; /* an enum of NVIDIA's without negative values */
typedef unsigned long long gpu_address;
typedef struct CUctx_st *gpu_context;
typedef struct CUstream_st *gpu_stream;
typedef struct CUevent_st *gpu_event;
typedef struct CUmod_st *gpu_module;
typedef struct CUfunc_st *gpu_function;
typedef unsigned int gpu_option; /* enum */
typedef const void *gpu_source;
typedef unsigned int gpu_pattern;

#define GPU_PLATFORM  "CUDA"
#define GPU_VENDOR    "NVIDIA"
#define GPU_LIBRARIES "libcuda.so.1"

enum {
    GPU_SUCCESS = 0,
    GPU_OUT_OF_MEMORY = 2,
    GPU_NO_DEVICE = 100,
    GPU_NOT_READY = 600,
    GPU_STREAM_NON_BLOCKING = 1,
    GPU_EVENT_DISABLE_TIMING = 2,
    GPU_HOST_PORTABLE = 1, /* pinned for all contexts */
    GPU_MANAGED_GLOBAL = 1,
    CUDA_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_JIT_ERROR_LOG = 5, /* CUjit_option */
    CUDA_JIT_ERROR_LOG_BYTES = 6,
    CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8, /* CUfunction_attribute */
    CUDA_DEVICE_MEMORY_CLOCK_KHZ = 36,    /* CUdevice_attribute */
    CUDA_DEVICE_MEMORY_BUS_BITS = 37
};

#define GPU_VENDOR_CALLS(X)                                                                        \
    X(gpu_result, error_name, (gpu_result code, const char **text))                                \
    X(gpu_result, error_text, (gpu_result code, const char **text))                                \
    X(gpu_result, context_retain, (gpu_context * context, int device))                             \
    X(gpu_result, context_release, (int device))                                                   \
    X(gpu_result, context_get, (gpu_context * context))                                            \
    X(gpu_result, context_set, (gpu_context context))                                              \
    X(gpu_result, enable_peer, (gpu_context peer, unsigned flags))                                 \
    X(gpu_result, device_attribute, (int *value, unsigned attribute, int device))                  \
    X(gpu_result, function_attribute, (gpu_function function, unsigned attribute, int value))      \
    X(gpu_result, host_call, (gpu_stream stream, void (*call)(void *), void *arg))                 \
    X(gpu_result, copy_peer,                                                                       \
      (gpu_address to, gpu_context to_context, gpu_address from, gpu_context from_context,         \
       size_t bytes, gpu_stream stream))

#define gpu_symbol_init               cuInit
#define gpu_symbol_driver_version     cuDriverGetVersion
#define gpu_symbol_device_count       cuDeviceGetCount
#define gpu_symbol_device_get         cuDeviceGet
#define gpu_symbol_device_name        cuDeviceGetName
#define gpu_symbol_device_pci         cuDeviceGetPCIBusId
#define gpu_symbol_can_access_peer    cuDeviceCanAccessPeer
#define gpu_symbol_synchronize        cuCtxSynchronize
#define gpu_symbol_mem_alloc          cuMemAlloc_v2
#define gpu_symbol_mem_free           cuMemFree_v2
#define gpu_symbol_mem_info           cuMemGetInfo_v2
#define gpu_symbol_host_alloc         cuMemHostAlloc
#define gpu_symbol_host_free          cuMemFreeHost
#define gpu_symbol_managed_alloc      cuMemAllocManaged
#define gpu_symbol_stream_create      cuStreamCreate
#define gpu_symbol_stream_destroy     cuStreamDestroy_v2
#define gpu_symbol_stream_query       cuStreamQuery
#define gpu_symbol_stream_synchronize cuStreamSynchronize
#define gpu_symbol_stream_wait        cuStreamWaitEvent
#define gpu_symbol_event_create       cuEventCreate
#define gpu_symbol_event_destroy      cuEventDestroy_v2
#define gpu_symbol_event_record       cuEventRecord
#define gpu_symbol_event_query        cuEventQuery
#define gpu_symbol_event_synchronize  cuEventSynchronize
#define gpu_symbol_event_elapsed      cuEventElapsedTime
#define gpu_symbol_copy_htod          cuMemcpyHtoDAsync_v2
#define gpu_symbol_copy_dtoh          cuMemcpyDtoHAsync_v2
#define gpu_symbol_copy_dtod          cuMemcpyDtoDAsync_v2
#define gpu_symbol_fill8              cuMemsetD8Async
#define gpu_symbol_fill32             cuMemsetD32Async
#define gpu_symbol_host_call          cuLaunchHostFunc
#define gpu_symbol_module_load        cuModuleLoadDataEx
#define gpu_symbol_module_unload      cuModuleUnload
#define gpu_symbol_module_function    cuModuleGetFunction
#define gpu_symbol_launch             cuLaunchKernel
#define gpu_symbol_error_name         cuGetErrorName
#define gpu_symbol_error_text         cuGetErrorString
#define gpu_symbol_context_retain     cuDevicePrimaryCtxRetain
#define gpu_symbol_context_release    cuDevicePrimaryCtxRelease_v2
#define gpu_symbol_context_get        cuCtxGetCurrent
#define gpu_symbol_context_set        cuCtxSetCurrent
#define gpu_symbol_enable_peer        cuCtxEnablePeerAccess
#define gpu_symbol_device_attribute   cuDeviceGetAttribute
#define gpu_symbol_function_attribute cuFuncSetAttribute
#define gpu_symbol_copy_peer          cuMemcpyPeerAsync

#endif
