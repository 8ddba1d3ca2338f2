/* SPDX-License-Identifier: Apache-2.0 */
/* Timeline: the steps of a run with devices on a clock of estimates, for reports. It follows from
 * the schedule and changes nothing of it. The CPU works through the steps one after the other; a
 * device can work activate_us after its Activate (Open waits for that), and works through what was
 * started while the CPU goes on. Hooks cost nothing themselves; a copy moves a byte a cycle of the
 * CPU.
 */
#ifndef ORIBI_COMPILE_TIMELINE_H_
#define ORIBI_COMPILE_TIMELINE_H_

#include "compile/schedule/compile_steps.h"

typedef struct oribi_moment {
    const oribi_step *step;
    int64_t at_us; /* of a call or copy that is started: when the device begins it */
    int64_t us;    /* how long the CPU, or with started work the device, is held by it */
} oribi_moment;

typedef struct oribi_device_use {
    int64_t powered_us; /* from Activate to Deactivate */
    int64_t locked_us;  /* from Open to Close */
    int64_t busy_us;    /* computing or copying */
    int32_t n_operators;
} oribi_device_use;

typedef struct oribi_timeline {
    oribi_moment *moments; /* one for each step that is called */
    int32_t n_moments;
    oribi_device_use devices[ORIBI_DEVICES_MAX];
    int64_t us; /* the whole run */
} oribi_timeline;

/* Lives in the arena. False: no memory. */
bool oribi_timeline_make(const oribi_program *program, oribi_arena *arena, oribi_timeline *out);
/* "activate", "open", "call", "copy_to", ...; NULL: it takes no time of its own, and is not told.
 */
const char *oribi_timeline_word(const oribi_step *step);

#endif
