/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's functions that both vendors have, each with one signature in the types of the
 * vendor's header, which also gives the symbol (gpu_symbol_NAME) and the vendor's own list
 * (GPU_VENDOR_CALLS). The functions are found at run time; tests/devices/gpu/vendor_types.c holds
 * the list against the vendor's headers where there are any.
 */
#ifndef ORIBI_PLUGINS_GPU_CALLS_H_
#define ORIBI_PLUGINS_GPU_CALLS_H_

#include <stddef.h>

#include ORIBI_GPU_VENDOR

#define GPU_CALLS(X)                                                                               \
    X(gpu_result, init, (unsigned flags))                                                          \
    X(gpu_result, driver_version, (int *version))                                                  \
    X(gpu_result, device_count, (int *count))                                                      \
    X(gpu_result, device_get, (int *device, int ordinal))                                          \
    X(gpu_result, device_name, (char *name, int bytes, int device))                                \
    X(gpu_result, device_pci, (char *name, int bytes, int device))                                 \
    X(gpu_result, can_access_peer, (int *can, int device, int peer))                               \
    X(gpu_result, synchronize, (void))                                                             \
    X(gpu_result, mem_alloc, (gpu_address * address, size_t bytes))                                \
    X(gpu_result, mem_free, (gpu_address address))                                                 \
    X(gpu_result, mem_info, (size_t * free_bytes, size_t * total))                                 \
    X(gpu_result, host_alloc, (void **memory, size_t bytes, unsigned flags))                       \
    X(gpu_result, host_free, (void *memory))                                                       \
    X(gpu_result, managed_alloc, (gpu_address * address, size_t bytes, unsigned flags))            \
    X(gpu_result, stream_create, (gpu_stream * stream, unsigned flags))                            \
    X(gpu_result, stream_destroy, (gpu_stream stream))                                             \
    X(gpu_result, stream_query, (gpu_stream stream))                                               \
    X(gpu_result, stream_synchronize, (gpu_stream stream))                                         \
    X(gpu_result, stream_wait, (gpu_stream stream, gpu_event event, unsigned flags))               \
    X(gpu_result, event_create, (gpu_event * event, unsigned flags))                               \
    X(gpu_result, event_destroy, (gpu_event event))                                                \
    X(gpu_result, event_record, (gpu_event event, gpu_stream stream))                              \
    X(gpu_result, event_query, (gpu_event event))                                                  \
    X(gpu_result, event_synchronize, (gpu_event event))                                            \
    X(gpu_result, event_elapsed, (float *milliseconds, gpu_event start, gpu_event stop))           \
    X(gpu_result, copy_htod, (gpu_address to, gpu_source from, size_t bytes, gpu_stream stream))   \
    X(gpu_result, copy_dtoh, (void *to, gpu_address from, size_t bytes, gpu_stream stream))        \
    X(gpu_result, copy_dtod, (gpu_address to, gpu_address from, size_t bytes, gpu_stream stream))  \
    X(gpu_result, fill8, (gpu_address to, unsigned char value, size_t count, gpu_stream stream))   \
    X(gpu_result, fill32, (gpu_address to, gpu_pattern value, size_t count, gpu_stream stream))    \
    X(gpu_result, module_load,                                                                     \
      (gpu_module * module, const void *image, unsigned n, gpu_option *options, void **values))    \
    X(gpu_result, module_unload, (gpu_module module))                                              \
    X(gpu_result, module_function, (gpu_function * function, gpu_module module, const char *name)) \
    X(gpu_result, launch,                                                                          \
      (gpu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, gpu_stream stream,               \
       void **params, void **extra))

typedef struct gpu_calls {
#define GPU_MEMBER(result, name, params) result(*name) params;
    GPU_CALLS(GPU_MEMBER)
    GPU_VENDOR_CALLS(GPU_MEMBER)
#undef GPU_MEMBER
} gpu_calls;

#define GPU_TEXT_OF(symbol) #symbol
#define GPU_TEXT(symbol)    GPU_TEXT_OF(symbol)

#endif
