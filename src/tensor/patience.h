/* SPDX-License-Identifier: Apache-2.0 */
/* How long the work that this thread has begun may go on: one deadline and one word to stop, over
 * all rooms. Whoever is asked to open a model, make a session or run sets them; the loops below,
 * from importers to the planner, ask. It is the thread's, not an argument of every function,
 * because the work is; kernels on other threads get both from their context. Nobody who set nothing
 * pays more than a load.
 */
#ifndef ORIBI_TENSOR_PATIENCE_H_
#define ORIBI_TENSOR_PATIENCE_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/tf_status.h"

typedef struct oribi_patience {
    uint64_t deadline_ns; /* of the monotonic clock; 0: none */
    atomic_int *stop;     /* not 0: give up; NULL: nobody says so */
    const char *what;     /* "opening the model", for messages */
    struct oribi_patience *outer;
} oribi_patience;

/* The thread's from here on, until end, which takes pairs in order. It lives as long. */
void oribi_patience_begin(oribi_patience *patience);
void oribi_patience_end(const oribi_patience *patience);
/* The present one, or NULL. */
const oribi_patience *oribi_patience_now(void);
/* May work go on? Else false, with DEADLINE_EXCEEDED or CANCELLED. */
bool oribi_patience_left(TF_Status *status);
/* The same question where no status is at hand; who has one asks again. */
bool oribi_patience_is_over(void);

#endif
