/* SPDX-License-Identifier: Apache-2.0 */
/* Time, threads and libraries for plugins (env.h). Files: env_file.c. */
#include "tensorflow/c/env.h"

#include <dlfcn.h>
#include <time.h>

#include "base/thread.h"
#include "tensor/status.h"

uint64_t TF_NowNanos(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t TF_NowMicros(void)
{
    return TF_NowNanos() / 1000u;
}

uint64_t TF_NowSeconds(void)
{
    return TF_NowNanos() / 1000000000u;
}

void TF_DefaultThreadOptions(TF_ThreadOptions *options)
{
    *options = (TF_ThreadOptions){0, 0, -1};
}

TF_Thread *TF_StartThread(const TF_ThreadOptions *options, const char *thread_name,
                          void (*work_func)(void *), void *param)
{
    return (TF_Thread *)oribi_thread_start(work_func, param, thread_name,
                                           options == NULL ? 0 : options->stack_size);
}

void TF_JoinThread(TF_Thread *thread)
{
    oribi_thread_join((oribi_thread *)thread);
}

void *TF_LoadSharedLibrary(const char *library_filename, TF_Status *status)
{
    void *library = dlopen(library_filename, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "%s", dlerror());
    } else {
        TF_SetStatus(status, TF_OK, "");
    }
    return library;
}

void *TF_GetSymbolFromLibrary(void *handle, const char *symbol_name, TF_Status *status)
{
    void *symbol = dlsym(handle, symbol_name);

    if (symbol == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "the library has no symbol '%s'", symbol_name);
    } else {
        TF_SetStatus(status, TF_OK, "");
    }
    return symbol;
}
