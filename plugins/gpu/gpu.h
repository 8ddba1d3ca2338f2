/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of a device plugin over CUDA's driver or HIP's runtime, which have the same
 * shape. The sources here are compiled once for each vendor, with that vendor's header:
 *
 *   gpu_driver.c    the library and its functions, found at run time; what its errors say
 *   gpu_platform.c  SE_InitPlugin, devices
 *   gpu_memory.c    device, pinned and unified memory
 *   streams.c   streams, events, timers
 *   gpu_copies.c    copies and fills
 *   calls.c     calls of the host in stream order
 *   modules.c   device code that is loaded, by content
 *   gpu_launch.c    functions and their launch
 *
 * and the vendor's source has what differs: contexts, peers, and the product of matrices.
 */
#ifndef ORIBI_PLUGINS_GPU_GPU_H_
#define ORIBI_PLUGINS_GPU_GPU_H_

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "device_ops/device_ops.h"
#include "oribi/device_kit.h"
#include "tensorflow/c/device_extension.h"

enum { GPU_MAX_DEVICES = 16 };

typedef struct gpu_loaded { /* one image on one device, shared by its functions */
    struct gpu_loaded *next;
    gpu_module module;
    char *image; /* a copy, with a zero at its end */
    size_t image_bytes;
    int64_t users;
} gpu_loaded;

typedef struct gpu_device {
    int ordinal, id;
    gpu_context context; /* CUDA: the primary one; HIP: the device's number */
    char name[128], pci[32];
    pthread_mutex_t lock; /* of what follows */
    gpu_loaded *loaded;
    device_ops_gemms gemms;
    oribi_kit_memory memory;
} gpu_device;

struct gpu_host_call; /* calls.c */

struct SP_Stream_st {
    gpu_stream handle;
    gpu_device *device;
    pthread_mutex_t lock;        /* of what follows */
    struct gpu_host_call *calls; /* that were not called yet */
    void *products;              /* the vendor's library for matrices; NULL until it is wanted */
};

/* --- gpu_driver.c --------------------------------------------------------------------------------
 */

extern gpu_calls gpu_driver;

/* Finds the library and all functions, once. False: status says which one is missing. */
bool gpu_driver_open(TF_Status *status);
/* True when there is nothing to say; else the status has the symbol, the driver's name for the
 * code, and its words. */
bool gpu_check(gpu_result code, const char *symbol, TF_Status *status);
/* Calls a function of the driver and checks what it gave; one argument at least. */
#define GPU_CALL(status, name, ...)                                                                \
    gpu_check(gpu_driver.name(__VA_ARGS__), GPU_TEXT(gpu_symbol_##name), (status))
/* The library `chosen`, or, where that is NULL or empty, the first of `names` (ended by NULL) that
 * there is; NULL, with the reason of the first in `why`. */
void *gpu_library(const char *chosen, const char *const *names, char *why, size_t why_bytes);
/* Sets *out to the symbol; false when there is none. */
bool gpu_symbol(void *library, const char *name, void *out);

/* --- gpu_platform.c ------------------------------------------------------------------------------
 */

gpu_device *gpu_device_of(const SP_Device *device);
/* The open device with this number; NULL: not open. */
gpu_device *gpu_device_at(int ordinal);
/* Makes the device the thread's own until gpu_leave, which gives back what the thread had. */
gpu_context gpu_enter(const gpu_device *device);
void gpu_leave(const gpu_device *device, gpu_context before);

void gpu_fill_memory(SP_StreamExecutor *executor);
void gpu_fill_streams(SP_StreamExecutor *executor);
void gpu_fill_copies(SP_StreamExecutor *executor);
void gpu_fill_launch(TF_DeviceExtension *extension);
const TF_DeviceExtension *gpu_slots(void); /* as it was filled */
uint64_t gpu_timer_ns(SP_Timer timer);

TF_Bool gpu_host_callback(const SP_Device *device, SP_Stream stream, SE_StatusCallbackFn callback,
                          void *arg);
/* Makes a call that the driver came for, with what became of the stream. */
void gpu_come(void *call, gpu_result code);
/* Tells those calls that the driver will not make any more, since something before them failed. */
void gpu_drop_calls(SP_Stream stream, TF_Status *why);
/* Frees what gpu_drop_calls made; the driver comes no more. */
void gpu_forget_calls(SP_Stream stream);

/* Takes a use of the image, which is loaded where it is new; NULL and the status. */
gpu_loaded *gpu_load(gpu_device *device, const TF_DeviceCode *code, TF_Status *status);
void gpu_unload(gpu_device *device, gpu_loaded *loaded);

/* --- cuda_vendor.c, hip_vendor.c
 * -------------------------------------------------------------------------------- */

/* Fills device->context. */
bool gpu_vendor_open(gpu_device *device, TF_Status *status);
void gpu_vendor_close(gpu_device *device);
void gpu_vendor_error(gpu_result code, const char **name, const char **text);
/* Why no device of this vendor is here, for people. */
extern const char *const gpu_vendor_absent;
bool gpu_vendor_copy_peer(const gpu_device *to, gpu_address to_address, const gpu_device *from,
                          gpu_address from_address, size_t bytes, gpu_stream stream,
                          TF_Status *status);
/* Asks the driver to come to gpu_come(call, ..) in stream order. */
gpu_result gpu_vendor_host_call(gpu_stream stream, void *call);
/* Loads the image, which ends with a zero. */
bool gpu_vendor_load(gpu_module *module, const char *image, TF_Status *status);
/* More dynamic memory of a block than every function may have. */
bool gpu_vendor_allow_shared(gpu_function function, size_t bytes, TF_Status *status);
/* Bytes per second; negative: not known. */
int64_t gpu_vendor_bandwidth(const gpu_device *device);
/* Inside SE_InitPlugin, where the plugin's options can be read. */
void gpu_vendor_open_products(void);
/* TF_DeviceExtension.gemm by the vendor's library; UNIMPLEMENTED: not by that. */
void gpu_vendor_gemm(SP_Stream stream, const TF_Gemm *gemm, TF_Status *status);
void gpu_vendor_end_products(SP_Stream stream);

#endif
