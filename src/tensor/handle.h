/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: fixed-size objects from slabs that belong to one thread, so that making and deleting one
 * takes neither lock nor heap in the steady state.
 *
 * A handle may be freed by any thread: a foreign one pushes it on an atomic list that the owner
 * drains when its own list is empty. When a thread ends, what is wholly free is returned to the
 * heap; slabs with open handles go to an orphan list, whose next adopter is the next new thread.
 * Not here: what a handle holds (tensor.h, status.c).
 */
#ifndef ORIBI_TENSOR_HANDLE_H_
#define ORIBI_TENSOR_HANDLE_H_

#include <stddef.h>

typedef enum oribi_handle_kind {
    ORIBI_HANDLE_TENSOR,
    ORIBI_HANDLE_STATUS,
    ORIBI_HANDLE_BUFFER,
    ORIBI_HANDLE_KINDS
} oribi_handle_kind;

/* Memory for one object of the kind, uninitialised; a status is as TF_NewStatus gives it. NULL: no
 * memory. Any thread. */
void *oribi_handle_new(oribi_handle_kind kind);
/* Takes it back, from any thread; NULL ok. A status has to be as it was given out. */
void oribi_handle_free(void *handle);

/* Returns this thread's wholly free slabs and all such orphans to the heap. For tests that count
 * live blocks, and for a host that is short of memory. */
void oribi_handle_trim(void);

/* Objects of the kind that this thread's slabs have given out and not got back. Slow; for tests. */
size_t oribi_handle_count_live(oribi_handle_kind kind);

#endif
