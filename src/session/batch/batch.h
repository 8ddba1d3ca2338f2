/* SPDX-License-Identifier: Apache-2.0 */
/* A batch that goes through a run of steps a few images at a time, so that what lies between two
 * steps is still in the cache when the next one reads it. Values that live and die among these
 * steps have room for the images of one turn; what other steps read or make, the border, lies there
 * whole, and its slots move on from turn to turn. Read next: batch_find.c says which steps,
 * batch_run.c walks.
 */
#ifndef ORIBI_SESSION_BATCH_BATCH_H_
#define ORIBI_SESSION_BATCH_BATCH_H_

#include "session/session_internal.h"

typedef struct oribi_batch_loop {
    int32_t first, end;           /* steps */
    int64_t n_images, n_turns;    /* the second divides the first, and is more than 1 */
    oribi_batch_border *border;   /* in no order */
    int32_t n_border, first_home; /* the second: of a frame's homes */
} oribi_batch_loop;

struct oribi_batch_border {
    int32_t value;
    bool is_made; /* by a step of the loop */
    size_t bytes; /* of one turn */
};

enum { ORIBI_BATCH_OUTSIDE, ORIBI_BATCH_INSIDE, ORIBI_BATCH_BORDER };

struct oribi_batch { /* of one set of input shapes; shared by its records */
    _Atomic int64_t references;
    oribi_arena arena;
    oribi_batch_loop *loops; /* in the order of their steps */
    int32_t n_loops, n_homes;
    int32_t *loop_of; /* by step; -1: none */
    int32_t *viewed;  /* by step of a loop: the value that its output is in another shape, or -1 */
    uint8_t *where;   /* by value: one of the enum */
};

/* The loops that are worth it; *out NULL: there are none. shapes: of all values. */
bool oribi_batch_find(const oribi_session *session, const oribi_shape *shapes, oribi_batch **out,
                      TF_Status *status);
void oribi_batch_retain(oribi_batch *batch);  /* NULL ok */
void oribi_batch_release(oribi_batch *batch); /* NULL ok */
/* Images of one turn for a value inside; else 0. */
int64_t oribi_batch_images_of(const oribi_batch *batch, const oribi_session *session,
                              int32_t value);
/* Must output v of the step have other bytes than value u? batch NULL: no. */
bool oribi_batch_apart(const oribi_batch *batch, int32_t step, int32_t u, int32_t v);

/* All steps of a run whose plan has loops. */
bool oribi_batch_run(struct oribi_run *run, TF_Status *status);
/* A view inside a loop, whose kernel would say the shape of the whole. */
bool oribi_batch_view_step(oribi_frame *frame, const oribi_step_io *step, TF_Status *status);
/* What a request for one turn means for the plan: for the border, all turns. */
oribi_wish oribi_batch_whole_wish(const oribi_frame *frame, int32_t value, const oribi_wish *wish);

#endif
