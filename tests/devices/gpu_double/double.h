/* SPDX-License-Identifier: Apache-2.0 */
/* A double of a GPU driver, for machines without a GPU: the functions that plugins/gpu wants, over
 * host memory, with a thread for each stream, so that whatever the plugin leaves unordered really
 * runs out of order. It is stricter than a driver: a call in the wrong context, from a host call,
 * on memory that is not the device's or beyond an allocation is an error. Device code is
 * plugins/device_ops/code, compiled as C. Built once for each vendor, with its header.
 *
 *   control.c  counts, faults that tests plant      streams.c  queues, events, host calls
 *   memory.c   allocations, copies, fills           code.c     images, launches
 *   blocks.c   the threads of a block               cuda.c, hip.c  what one vendor has; cuBLAS
 *
 * What it cannot show: that the numbers and semantics here are the driver's. vendor_types.c checks
 * signatures and constants against the vendors' headers.
 */
#ifndef ORIBI_TESTS_DEVICES_GPU_DOUBLE_DOUBLE_H_
#define ORIBI_TESTS_DEVICES_GPU_DOUBLE_DOUBLE_H_

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/calls.h"

enum {
    DOUBLE_MAX_DEVICES = 4,
    DOUBLE_INVALID_VALUE = 1,
    DOUBLE_NOT_INITIALIZED = 3,
    DOUBLE_INVALID_CONTEXT = 201,
    DOUBLE_INVALID_IMAGE = 200,
    DOUBLE_INVALID_HANDLE = 400,
    DOUBLE_NOT_FOUND = 500,
    DOUBLE_LAUNCH_FAILED = 719,
    DOUBLE_NOT_PERMITTED = 800
};

/* --- For tests, by dlsym --------------------------------------------------------------------- */

/* From the call number `after` on, `times` calls of the driver's function fail with `code`. A name
 * that ends in "()" stands for what the stream does later: then the device is lost, until
 * double_heal. */
void double_plant(const char *symbol, int device, int after, int times, unsigned code);
void double_heal(void);
/* Things that are alive: "memory", "pinned", "streams", "events", "modules", "contexts". */
int64_t double_live(const char *what);
int64_t double_calls(const char *symbol);
/* Microseconds that each thing on a stream takes at least. */
void double_set_delay(int microseconds);

/* --- For the double's own files -------------------------------------------------------------- */

#define DOUBLE_DECLARE(result, name, params) result gpu_symbol_##name params;
GPU_CALLS(DOUBLE_DECLARE)
GPU_VENDOR_CALLS(DOUBLE_DECLARE)
#undef DOUBLE_DECLARE

/* The thread's device; -1: none. */
int double_current(void);
gpu_context double_context(int device);
/* Every function begins with it: counts the call; what a planted fault, a lost device or a call
 * from a host call says, else 0. device -1: none in particular. */
gpu_result double_enter(const char *symbol, int device);
/* The same for the thread's device, which there must be; *out_device is it. */
gpu_result double_enter_current(const char *symbol, int *out_device);
void double_count(const char *what, int64_t change);
int double_delay(void);

/* What a stream does; on a lost device only what has to be given back. False: the device is lost
 * from now on. */
typedef bool (*double_step)(void *arg, bool is_lost);
/* Enqueues step(arg) on the stream (NULL: the device's own); arg is freed after it, or now when the
 * result is an error. `symbol` names it for faults. */
gpu_result double_enqueue(const char *symbol, gpu_stream stream, double_step step, void *arg);
extern _Thread_local bool double_is_host_call;
void double_lose(int device, gpu_result code);
gpu_result double_state(int device); /* 0, or what it was lost with */
bool double_fails_later(const char *symbol, int device, gpu_result *code);

/* Whether `bytes` there are in one allocation of the device (-1: any). */
bool double_is_memory(int device, gpu_address address, size_t bytes);

/* Runs kernel(args) for each thread of grid x block, with `shared` bytes for each block. False:
 * some threads of a block came to a barrier and others never did, or there is no memory. */
typedef void (*double_kernel)(void *const *args);
bool double_run_grid(double_kernel kernel, void *const *args, const unsigned grid[3],
                     const unsigned block[3], size_t shared);
/* Frees what the thread kept for it. */
void double_end_blocks(void);

#endif
