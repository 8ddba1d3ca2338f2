/* SPDX-License-Identifier: Apache-2.0 */
/* Schedule: when the hooks of devices are called. From calls in their order and the devices that
 * they run on, a list of events: the one truth for how long buffers live, and for the steps of a
 * run (compile_steps.h). It knows no graph and no C.
 */
#ifndef ORIBI_COMPILE_SCHEDULE_H_
#define ORIBI_COMPILE_SCHEDULE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum oribi_schedule_mode {
    /* The design's order: activate all, open and close round every operator, deactivate all. */
    ORIBI_SCHEDULE_DESIGN,
    /* Activate at the first use, deactivate after the last. */
    ORIBI_SCHEDULE_LAZY,
    /* As lazy, but activated early enough for activate_us to pass before the first use. */
    ORIBI_SCHEDULE_EAGER,
    /* As eager, and held open across consecutive operators of the device, and until a peer has
     * taken over what it made. */
    ORIBI_SCHEDULE_HOLD
} oribi_schedule_mode;

typedef struct oribi_schedule_device { /* in the order of the devices struct */
    bool is_asynchronous;              /* Start and Wait instead of Invoke */
    int64_t activate_us;               /* from Activate until it can work */
    int32_t peers; /* devices of one number hand results over while both are open; 0: none */
} oribi_schedule_device;

typedef struct oribi_schedule_call {
    int32_t device;       /* -1: the CPU */
    int64_t us;           /* estimate of its time */
    const int32_t *needs; /* earlier calls whose results it reads */
    int32_t n_needs;
    int32_t inside; /* how far behind the first call of its loop, if it stands in one: there nothing
                     * begins or ends, and all calls are the CPU's */
    bool is_alone;  /* it is waited for before any other call */
} oribi_schedule_call;

typedef enum oribi_event_kind {
    ORIBI_EVENT_ACTIVATE,
    ORIBI_EVENT_OPEN,
    ORIBI_EVENT_CALL,  /* on the CPU, or Invoke */
    ORIBI_EVENT_START, /* of a call on an asynchronous device */
    ORIBI_EVENT_WAIT,  /* for all that was started on a device */
    ORIBI_EVENT_CLOSE,
    ORIBI_EVENT_DEACTIVATE
} oribi_event_kind;

typedef struct oribi_event {
    oribi_event_kind kind;
    int32_t device; /* -1: none */
    int32_t call; /* of CALL and START; else the call before which it stands, n_calls at the end */
} oribi_event;

typedef struct oribi_schedule {
    oribi_event *events;
    int32_t n_events;
    /* By call: the call before which its result is there and its operands are free again, at least
     * the next one; n_calls when nothing waits for it earlier. */
    int32_t *done;
    int32_t *activation_order; /* devices, as they are activated; n_devices of them */
} oribi_schedule;

/* Makes the schedule; everything lives in the arena. Devices that no call uses get no events but in
 * the design's order, which activates all. False: no memory. */
bool oribi_schedule_make(const oribi_schedule_call *calls, int32_t n_calls,
                         const oribi_schedule_device *devices, int32_t n_devices,
                         oribi_schedule_mode mode, oribi_arena *arena, oribi_schedule *out);

#endif
