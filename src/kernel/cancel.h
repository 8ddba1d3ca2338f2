/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of kernels that are called when their run stops: TF_OpKernelContext_OnCancel. A context
 * has one at most, so that noting it allocates nothing.
 */
#ifndef ORIBI_KERNEL_CANCEL_H_
#define ORIBI_KERNEL_CANCEL_H_

#include "tensorflow/c/kernels_extension.h"

struct oribi_signal;

typedef struct oribi_cancel_hook { /* in a context; under the lock of cancel.c */
    void (*fn)(void *object);      /* NULL: none */
    void *object;
    TF_OpKernelContext *next, *previous;
} oribi_cancel_hook;

/* Some signal stopped: whoever watches looks at the hooks. */
void oribi_cancel_wake(void);
/* The signal stopped: calls the hooks of its contexts that were not called yet, and waits for those
 * that another thread is calling. */
void oribi_cancel_call(struct oribi_signal *signal);
/* Takes the context's hook away; waits while another thread calls it. Was it taken away before it
 * was called? */
bool oribi_cancel_take_back(TF_OpKernelContext *ctx);

#endif
