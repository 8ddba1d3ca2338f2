/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow: a node whose graphs are sessions of their own. The session of a body belongs to the
 * step, its run to the frame of the run around it; both are kept. Inputs of a body are handles on
 * what the outer slots hold, outputs are the body's own buffers: nothing is copied but what lies in
 * memory that the outer plan gives to other values later.
 */
#ifndef ORIBI_SESSION_CONTROL_CONTROL_H_
#define ORIBI_SESSION_CONTROL_CONTROL_H_

#include "micro/dims.h"
#include "session/session_internal.h"

enum { ORIBI_RING = 4 };

/* Buffers in turn: one is free when nobody else holds it. */
typedef struct oribi_ring {
    oribi_buffer *buffers[ORIBI_RING];
} oribi_ring;

typedef struct oribi_collected { /* an output that grows by an element in each iteration */
    oribi_ring ring;
    oribi_buffer *buffer; /* of the ring: where it grows now */
    oribi_dims dims;      /* of an element */
    size_t bytes;         /* of an element */
} oribi_collected;

typedef struct oribi_child { /* of a frame */
    oribi_run *run;          /* NULL until it is first used */
    oribi_ring scalars;      /* the number of the iteration, the condition */
    oribi_collected *collected;
    int32_t n_collected;
} oribi_child;

/* Sessions of the node's graphs. */
bool oribi_control_make(oribi_session *session, oribi_session_step *step,
                        const oribi_options *options, TF_Status *status);
/* The session of a body, which shares what it can with the one around. Takes the graph over. */
oribi_session *oribi_session_make_body(oribi_graph *graph, const oribi_options *options,
                                       oribi_session *around, TF_Status *status);
/* Frees a body's session, whatever refers to it; takes NULL. */
void oribi_session_free(oribi_session *session);
/* Computes the step of control flow. */
bool oribi_control_run(oribi_frame *frame, const oribi_step_io *step, TF_Status *status);
bool oribi_control_loop(oribi_frame *frame, const oribi_session_body *body,
                        const oribi_step_io *step, TF_Status *status);

/* The run of a body, with the signal and the trace of the run around it. */
oribi_child *oribi_control_child(oribi_frame *frame, const oribi_session_body *body,
                                 TF_Status *status);
/* Binds what the slot of the outer frame holds. */
bool oribi_control_bind(oribi_frame *frame, oribi_run *run, int32_t index, int32_t slot,
                        TF_Status *status);
bool oribi_control_bind_captured(oribi_frame *frame, const oribi_session_body *body,
                                 const oribi_step_io *step, oribi_run *run, TF_Status *status);
/* Output `index` of the step becomes output `from` of the body. */
bool oribi_control_give(oribi_frame *frame, int32_t index, oribi_run *run, int32_t from,
                        TF_Status *status);
void oribi_control_destroy(oribi_frame *frame);

/* A buffer of at least so many bytes that nobody else holds; the reference stays with the ring. */
oribi_buffer *oribi_ring_take(oribi_ring *ring, oribi_meter *meter, size_t bytes,
                              TF_Status *status);

#endif
