/* SPDX-License-Identifier: Apache-2.0 */
/* A flight: one asynchronous kernel at work beside the host's steps. It has a context, a done and
 * slots of its own: what its kernel asks for on any thread touches no slot, no record and no trace
 * of the run. The thread that runs hands it its inputs and places at the start, and takes over what
 * came of it when it lands. Which flights there are, and where they land, is fixed with the session
 * (flight_order.c); their memory comes with the plan of a frame.
 */
#ifndef ORIBI_SESSION_FLIGHT_FLIGHT_H_
#define ORIBI_SESSION_FLIGHT_FLIGHT_H_

#include "session/session_internal.h"

typedef struct oribi_flight {
    TF_OpKernelContext ctx; /* first: the host gets a context and finds the flight */
    oribi_frame *frame;
    int32_t step;
    oribi_step_io io; /* of the slots here: inputs, outputs, temporaries */
    int32_t *ids;     /* of the same, as io wants them */
    int32_t n_slots, capacity;
    bool is_aloft; /* started, and not landed */
    /* What the kernel asked for beyond the plan, under the lock of the context. */
    oribi_wish *wishes; /* by output; kind NONE: nothing new */
    oribi_seen seen;
    int32_t n_temps; /* asked for */
    uint64_t start_ns;
} oribi_flight;

extern const oribi_context_host oribi_flight_host;

/* Makes the flights of a frame, or fits those it has, for a plan; none is aloft. Allocates when
 * they are made, and for more temporaries than any plan before had. */
bool oribi_flights_bind(oribi_frame *frame, const oribi_plan *plan, TF_Status *status);
void oribi_flights_destroy(oribi_frame *frame);
/* Starts the kernel; its inputs are there. */
void oribi_flight_start(oribi_flight *flight);
/* Moves what a flight that has ended made to the run's slots. */
bool oribi_flight_land(oribi_flight *flight, TF_Status *status);
/* After a run: are flights late (they are left then), or are handles of them open? */
bool oribi_flights_abandon(oribi_frame *frame);
bool oribi_flights_have_open(const oribi_frame *frame);
/* After a run that left nothing open: the flights are as they were made. */
void oribi_flights_clear(oribi_frame *frame);

#endif
