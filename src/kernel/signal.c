/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a signal, and how it stops what listens to it. Who waits: context_async.c. */
#include "kernel/signal.h"

#include "base/alloc.h"
#include "kernel/cancel.h"
#include "tensor/status.h"

oribi_signal *oribi_signal_create(TF_Status *status)
{
    oribi_signal *made = oribi_alloc_zero(1, sizeof *made);
    if (made != NULL && oribi_mutex_init(&made->lock)) {
        if (oribi_cond_init(&made->changed)) {
            atomic_init(&made->references, 1);
            atomic_init(&made->stop, 0);
            return made;
        }
        oribi_mutex_destroy(&made->lock);
    }
    oribi_free(made);
    oribi_fail_memory(status);
    return NULL;
}

void oribi_signal_retain(oribi_signal *signal)
{
    atomic_fetch_add_explicit(&signal->references, 1, memory_order_relaxed);
}

void oribi_signal_release(oribi_signal *signal)
{
    if (signal != NULL &&
        atomic_fetch_sub_explicit(&signal->references, 1, memory_order_acq_rel) == 1) {
        oribi_cond_destroy(&signal->changed);
        oribi_mutex_destroy(&signal->lock);
        oribi_free(signal);
    }
}

void oribi_signal_stop(oribi_signal *signal, int why)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&signal->stop, &none, why)) {
        oribi_mutex_lock(&signal->lock); /* a wait is asleep, or has not looked yet */
        oribi_cond_broadcast(&signal->changed);
        oribi_mutex_unlock(&signal->lock);
        oribi_cancel_wake();
    }
}
