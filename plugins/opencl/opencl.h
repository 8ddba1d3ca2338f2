/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the OpenCL device: opencl_device.c (platform), opencl_memory.c (addresses
 * and buffers), opencl_stream.c (queues, events), opencl_copies.c, opencl_launch.c (functions),
 * cache.c (compiled programs on disk), opencl_kernels.c (ops, which stand in plugins/device_ops).
 */
#ifndef ORIBI_PLUGINS_OPENCL_OPENCL_H_
#define ORIBI_PLUGINS_OPENCL_OPENCL_H_

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "device_ops/device_ops.h"
#include "oribi/device_kit.h"
#include "tensorflow/c/device_extension.h"

enum { OPENCL_MAX_DEVICES = 8 };

typedef struct opencl_block { /* one allocation: addresses that nobody can follow, and its buffer */
    uintptr_t start;
    size_t bytes;
    cl_mem buffer;
} opencl_block;

typedef struct opencl_device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue; /* of the calls that have no stream */
    char name[128], vendor[128];
    pthread_mutex_t lock;
    opencl_block *blocks; /* by address */
    size_t n_blocks, max_blocks;
    oribi_kit_memory memory;
    pthread_mutex_t streams_lock;
    struct SP_Stream_st *streams;
    pthread_mutex_t programs_lock;
    struct opencl_kept *programs; /* cache.c: that functions share */
    device_ops_gemms gemms;
} opencl_device;

struct SP_Stream_st {
    cl_command_queue queue;
    struct SP_Stream_st *next; /* of the device's */
};

/* Sets status to INTERNAL, or the code's own, with the call's name and OpenCL's number; true when
 * there is nothing to say. */
bool opencl_check(cl_int code, const char *call, TF_Status *status);
opencl_device *opencl_device_of(const SP_Device *device);
/* The buffer and the offset behind an address of the device; NULL, with status set, when `bytes`
 * there are not in one live allocation. */
cl_mem opencl_find(opencl_device *device, const void *address, size_t bytes, size_t *out_offset,
                   TF_Status *status);
/* A program that is built for the device, from the cache on disk where it is there, the same for
 * all that take it; released by each. NULL, with status set, when it cannot be built. */
cl_program opencl_program_take(opencl_device *device, const char *source, size_t bytes,
                               const char *options, TF_Status *status);
void opencl_program_release(opencl_device *device, cl_program program);
/* opencl_launch.c: what it filled in; unload_function does not look at the device. */
const TF_DeviceExtension *opencl_slots(void);
/* Is this device a processor, so that code with vectors suits it? The plugin's option `tiles` says
 * otherwise: `vectors` or `local` for all devices. */
bool opencl_has_vectors(int ordinal);

void opencl_fill_memory(SP_StreamExecutor *executor);
void opencl_fill_streams(SP_StreamExecutor *executor);
void opencl_fill_copies(SP_StreamExecutor *executor);
void opencl_fill_launch(TF_DeviceExtension *extension);
uint64_t opencl_timer_ns(SP_Timer timer);

#endif
