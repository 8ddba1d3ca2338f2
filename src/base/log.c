/* SPDX-License-Identifier: Apache-2.0 */
/* Log: one hook for the process. The default writes warnings and errors to stderr, each as one
 * write so that lines of threads do not mix.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "base/thread.h"

static void default_hook(void *arg, int level, const char *message)
{
    (void)arg;
    if (level >= ORIBI_LOG_WARNING) {
        (void)fprintf(stderr, "oribi: %s: %s\n", level >= ORIBI_LOG_ERROR ? "error" : "warning",
                      message);
    }
}

static oribi_mutex hook_mutex = ORIBI_MUTEX_INIT;
static oribi_log_hook current_hook = default_hook;
static void *current_arg;
enum { MAX_LISTENERS = 8 };
static void (*listeners[MAX_LISTENERS])(const char *message);
static int n_listeners;

void oribi_log_set_hook(oribi_log_hook hook, void *arg)
{
    oribi_mutex_lock(&hook_mutex);
    current_hook = hook != NULL ? hook : default_hook;
    current_arg = hook != NULL ? arg : NULL;
    oribi_mutex_unlock(&hook_mutex);
}

void oribi_log_add_listener(void (*listener)(const char *message))
{
    oribi_mutex_lock(&hook_mutex);
    if (listener != NULL && n_listeners < MAX_LISTENERS) {
        listeners[n_listeners++] = listener;
    }
    oribi_mutex_unlock(&hook_mutex);
}

static void tell(oribi_log_hook hook, void *arg, int level, const char *message)
{
    oribi_mutex_lock(&hook_mutex);
    const int n = n_listeners; /* none is ever changed */
    oribi_mutex_unlock(&hook_mutex);
    for (int i = 0; i < n; i++) {
        listeners[i](message);
    }
    hook(arg, level, message);
}

void oribi_log(int level, const char *format, ...)
{
    /* The hook runs outside the lock: it may log or replace itself. */
    oribi_mutex_lock(&hook_mutex);
    oribi_log_hook hook = current_hook;
    void *arg = current_arg;
    oribi_mutex_unlock(&hook_mutex);

    char message[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(message, sizeof(message), format, args);
    if (length >= (int)sizeof(message)) {
        oribi_text text = {0};
        oribi_text_vprintf(&text, format, again);
        tell(hook, arg, level, text.failed ? message : oribi_text_string(&text));
        oribi_text_destroy(&text);
    } else if (length >= 0) {
        tell(hook, arg, level, message);
    }
    va_end(again);
    va_end(args);
}
