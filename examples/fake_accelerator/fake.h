/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the example device: device.c (platform, memory, planted faults), stream.c
 * (streams, events, copies), kernels.c (what runs on it), launch.c (functions of others' kernels).
 */
#ifndef FAKE_ACCELERATOR_FAKE_H_
#define FAKE_ACCELERATOR_FAKE_H_

#include <stdbool.h>
#include <stdint.h>

#ifndef FAKE_PLAIN /* else against TensorFlow's own headers, which have none of it */
#include "tensorflow/c/device_extension.h"
#endif
#include "tensorflow/c/kernels.h"

/* Arguments of a function that runs on the device, by value. */
typedef struct fake_args {
    float *out;
    const float *x, *y;
    int64_t m, n, k;
    int64_t x_row, x_column, y_row, y_column; /* elements from one to the next */
} fake_args;
typedef void (*fake_function)(const fake_args *args);

/* Enqueues the function; false, with status set, when the device refuses. */
bool fake_launch(SP_Stream stream, fake_function function, const fake_args *args,
                 TF_Status *status);
/* The same with an argument that the task owns; it is called once, and told whether to run. */
typedef void (*fake_task)(void *arg, bool runs);
bool fake_enqueue(const char *call, SP_Stream stream, fake_task task, void *arg, TF_Status *status);
/* Address that a function on the device uses for what TF_TensorData shows. */
void *fake_address(const void *opaque);

/* False, with status set, when the device is lost or a fault is planted for the call. */
bool fake_check(const char *call, int ordinal, TF_Status *status);
/* False, with status set, for an address that the host made by arithmetic without being allowed. */
bool fake_check_memory(const SP_DeviceMemoryBase *memory, TF_Status *status);
bool fake_is_faulty(const char *call, int ordinal);
void fake_fill_streams(SP_StreamExecutor *executor);
#ifndef FAKE_PLAIN
void fake_fill_launch(TF_DeviceExtension *extension);
#endif
uint64_t fake_timer_ns(SP_Timer timer);
extern int fake_delay_us; /* of each thing that a stream does */

/* Plants a fault for tests: `call` fails `times` times on device `ordinal`, after `after` more
 * calls that are well. Calls: "allocate", "create_device", "memcpy_htod", "memcpy_dtoh",
 * "memcpy_dtod", "launch"; "async" fails a function while the device runs it, "late" makes an event
 * come 300 ms late, "lost" makes the device fail until "found" is planted. */
__attribute__((visibility("default"))) void fake_plant(const char *call, int ordinal, int after,
                                                       int times);
/* Bytes that are allocated on all devices, for tests. */
__attribute__((visibility("default"))) int64_t fake_live_bytes(void);

#endif
