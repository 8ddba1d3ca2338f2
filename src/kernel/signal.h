/* SPDX-License-Identifier: Apache-2.0 */
/* What a run and all its contexts share: the word that says why to stop, and the bell that wakes
 * whoever waits. It is counted, because a kernel that is late still reads it when the run that it
 * belonged to is gone.
 */
#ifndef ORIBI_KERNEL_SIGNAL_H_
#define ORIBI_KERNEL_SIGNAL_H_

#include <stdatomic.h>

#include "base/thread.h"
#include "tensorflow/c/tf_status.h"

enum { ORIBI_STOP_CANCELLED = 1, ORIBI_STOP_DEADLINE = 2, ORIBI_STOP_FAILED = 3 };

typedef struct oribi_signal {
    _Atomic int64_t references;
    atomic_int stop;    /* 0, or why to stop (ORIBI_STOP_...) */
    oribi_mutex lock;   /* what contexts have pending ends under it */
    oribi_cond changed; /* something ended, or stop was set */
} oribi_signal;

oribi_signal *oribi_signal_create(TF_Status *status);
void oribi_signal_retain(oribi_signal *signal);
void oribi_signal_release(oribi_signal *signal); /* NULL ok */
/* Any thread that holds no lock of ours. The first reason stays; it wakes waits and hooks. */
void oribi_signal_stop(oribi_signal *signal, int why);

#endif
