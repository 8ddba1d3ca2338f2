/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the example device: device.c and stream.c (what the host calls), queue.c
 * (stands for the hardware and its driver), kernels.c (what runs on it), faults.c (what tests
 * plant).
 */
#ifndef FAKE_ACCELERATOR_FAKE_H_
#define FAKE_ACCELERATOR_FAKE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Against TensorFlow's own headers a device has no extension: no launch, no products. */
#if __has_include("tensorflow/c/device_extension.h")
#define FAKE_HAS_EXTENSION 1
#include "tensorflow/c/device_extension.h"
#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/c/plugin_note.h"
#else
#define FAKE_HAS_EXTENSION 0
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#endif

/* --- The hardware: queues whose entries are done one after the other (queue.c) ---------------- */

/* One entry. `runs` is false after a failure: nothing may be done then but to give back what arg
 * holds. Returns false when it failed. */
typedef bool (*fake_step)(void *arg, bool runs);

/* NULL: no memory, or no thread. */
SP_Stream fake_queue_create(int ordinal);
/* Waits for what is enqueued. */
void fake_queue_destroy(SP_Stream queue);
bool fake_queue_is_failed(SP_Stream queue);
/* Enqueues the step with a copy of its argument. `call` is the name under which it may fail.
 * False, with status set, when the device refuses: the step is never called then. */
bool fake_enqueue(SP_Stream queue, const char *call, fake_step step, const void *arg, size_t bytes,
                  TF_Status *status);

/* A place in a queue, after all that is enqueued so far; it stays valid when the queue is gone. */
typedef struct fake_mark {
    SP_Stream queue; /* NULL: no place, which is passed */
    uint64_t number;
} fake_mark;
fake_mark fake_mark_of(SP_Stream queue);
SE_EventStatus fake_mark_status(const fake_mark *mark);
/* Waits; false: something before the place failed. */
bool fake_mark_wait(const fake_mark *mark);

/* --- What the host calls (device.c, stream.c, launch.c)
 * ------------------------------------------------- */

void fake_fill_streams(SP_StreamExecutor *executor);
uint64_t fake_timer_ns(SP_Timer timer);

/* Address that a function on the device uses for what TF_TensorData shows. */
void *fake_address(const void *opaque);
/* Bytes that are allocated on all devices, for tests. */
__attribute__((visibility("default"))) int64_t fake_live_bytes(void);
/* False, with status set, for an address that the host made by arithmetic without being allowed. */
bool fake_check_memory(const SP_DeviceMemoryBase *memory, TF_Status *status);
#if FAKE_HAS_EXTENSION
void fake_fill_launch(TF_DeviceExtension *extension);
#endif

/* --- Faults (faults.c) ------------------------------------------------------------------------ */

enum { FAKE_MAX_DEVICES = 8 };

/* Does the device answer this call? Else false, with status set. */
bool fake_check(const char *call, int ordinal, TF_Status *status);
/* Just before a step is carried out, on the queue's thread: takes its time; false: it fails. */
bool fake_begin(const char *call, int ordinal);
extern int fake_delay_us; /* of each step */

/* Plants a fault for tests: `call` fails `times` times on device `ordinal`, after `after` more
 * calls that are well; 0 times takes back what was planted. Calls are members of SP_StreamExecutor
 * and the like; "async" fails a function while the device runs it, "late" makes an event come 300
 * ms late, "lost" makes the device fail until "found" is planted. */
__attribute__((visibility("default"))) void fake_plant(const char *call, int ordinal, int after,
                                                       int times);

#endif
