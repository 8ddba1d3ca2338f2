/* SPDX-License-Identifier: Apache-2.0 */
/* Profilers of plugins (TF_InitProfiler): registered once, kept for ever. Starting them and reading
 * their events: src/grappler/profile.c. Read next: profiler.c.
 */
#ifndef ORIBI_PLUGIN_PROFILER_H_
#define ORIBI_PLUGIN_PROFILER_H_

#include <stdbool.h>

#include "tensorflow/c/experimental/pluggable_profiler/pluggable_profiler.h"

typedef struct oribi_profiler {
    const char *provider;
    TP_Profiler profiler;
    TP_ProfilerFns fns;
    TF_ProfilerRegistrationParams params;
    struct oribi_profiler *next;
} oribi_profiler;

typedef void (*oribi_profiler_init)(TF_ProfilerRegistrationParams *params, TF_Status *status);

/* Calls init and checks what it filled in; a missing member is named. Not visible before the
 * commit. The loader's lock is held. */
oribi_profiler *oribi_profiler_create(oribi_profiler_init init, const char *provider,
                                      TF_Status *status);
void oribi_profiler_commit(oribi_profiler *profiler);   /* NULL is fine */
void oribi_profiler_rollback(oribi_profiler *profiler); /* NULL is fine */
void oribi_profiler_forget_all(void);                   /* at the end */

const oribi_profiler *oribi_profiler_next(const oribi_profiler *before); /* NULL: the first */

#endif
