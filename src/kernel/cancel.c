/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of kernels for a run that stops. One thread of the process, which starts with the first
 * hook, calls them: a kernel that blocks the thread of its run, or a cancel that comes from a
 * signal-like place, can do neither. A run that waits calls them itself, so that it knows which
 * kernels gave up at once. No lock is held meanwhile.
 */
#include "kernel/cancel.h"

#include "base/log.h"
#include "kernel/context.h"

enum { POLL_NS = 10000000 }; /* for a word that nobody rings for: options that were cancelled */

typedef struct call { /* of a hook, on the stack of the thread that calls it */
    const TF_OpKernelContext *ctx;
    const oribi_signal *signal;
    const void *thread;
    struct call *next;
} call;

static oribi_mutex lock = ORIBI_MUTEX_INIT;
static oribi_cond news = ORIBI_COND_INIT;  /* for the thread: a hook, or a signal that stopped */
static oribi_cond ended = ORIBI_COND_INIT; /* a call */
static bool has_thread;
static TF_OpKernelContext *first;
static call *calls;
static atomic_int n_hooks; /* noted, or being called */

/* --- Under the lock -------------------------------------------------------------------------- */

static void unlink_hook(TF_OpKernelContext *ctx)
{
    oribi_cancel_hook *hook = &ctx->hook;
    if (hook->previous != NULL) {
        hook->previous->hook.next = hook->next;
    } else {
        first = hook->next;
    }
    if (hook->next != NULL) {
        hook->next->hook.previous = hook->previous;
    }
    *hook = (oribi_cancel_hook){0};
}

/* Unlocks for as long as the function runs; the context may be gone after that. */
static void call_hook(TF_OpKernelContext *ctx, int why)
{
    const oribi_cancel_hook hook = ctx->hook;
    oribi_signal *signal = ctx->signal;
    call own = {ctx, signal, oribi_thread_self(), calls};
    calls = &own;
    unlink_hook(ctx);
    oribi_signal_retain(signal);
    oribi_mutex_unlock(&lock);
    oribi_signal_stop(signal, why); /* before the kernel fails on that account */
    hook.fn(hook.object);
    oribi_signal_release(signal);
    oribi_mutex_lock(&lock);
    call **at = &calls;
    while (*at != &own) {
        at = &(*at)->next;
    }
    *at = own.next;
    atomic_fetch_sub(&n_hooks, 1);
    oribi_cond_broadcast(&ended);
}

/* Is another thread in a call of that context, or of any context of that signal? */
static bool is_called(const TF_OpKernelContext *ctx, const oribi_signal *signal)
{
    const call *at = calls;
    while (at != NULL && (at->thread == oribi_thread_self() ||
                          (at->ctx != ctx && (signal == NULL || at->signal != signal)))) {
        at = at->next;
    }
    return at != NULL;
}

static void wait_for_calls(const TF_OpKernelContext *ctx, const oribi_signal *signal)
{
    while (is_called(ctx, signal)) {
        oribi_cond_wait(&ended, &lock);
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* --- The thread ------------------------------------------------------------------------------ */

static void watch(void *arg)
{
    (void)arg;
    oribi_mutex_lock(&lock);
    for (;;) {
        uint64_t until_ns = 0;
        TF_OpKernelContext *ctx = first;
        int why = 0;
        while (ctx != NULL && (why = oribi_context_why_stop(ctx)) == 0) {
            until_ns = earlier(until_ns, ctx->deadline_ns);
            until_ns = earlier(until_ns, ctx->called_off != NULL ? oribi_now_ns() + POLL_NS : 0);
            ctx = ctx->hook.next;
        }
        if (ctx != NULL) {
            call_hook(ctx, why);
        } else if (until_ns != 0) {
            (void)oribi_cond_wait_until(&news, &lock, until_ns);
        } else {
            oribi_cond_wait(&news, &lock);
        }
    }
}

void oribi_cancel_wake(void)
{
    if (atomic_load(&n_hooks) > 0) {
        oribi_mutex_lock(&lock);
        oribi_cond_signal(&news);
        oribi_mutex_unlock(&lock);
    }
}

/* --- What others call ------------------------------------------------------------------------ */

void oribi_cancel_call(oribi_signal *signal)
{
    if (atomic_load(&n_hooks) == 0) {
        return;
    }
    oribi_mutex_lock(&lock);
    for (TF_OpKernelContext *ctx = first; ctx != NULL;) {
        if (ctx->signal == signal) {
            call_hook(ctx, atomic_load(&signal->stop));
            ctx = first; /* the list may have changed */
        } else {
            ctx = ctx->hook.next;
        }
    }
    wait_for_calls(NULL, signal);
    oribi_mutex_unlock(&lock);
}

bool oribi_cancel_take_back(TF_OpKernelContext *ctx)
{
    oribi_mutex_lock(&lock);
    const bool had = ctx->hook.fn != NULL;
    if (had) {
        unlink_hook(ctx);
        atomic_fetch_sub(&n_hooks, 1);
    }
    wait_for_calls(ctx, NULL);
    atomic_fetch_and(&ctx->pending, ~ORIBI_PENDING_HOOK);
    oribi_mutex_unlock(&lock);
    return had;
}

static bool add_hook(TF_OpKernelContext *ctx, void (*fn)(void *object), void *object)
{
    oribi_mutex_lock(&lock);
    if (!has_thread) {
        has_thread = oribi_thread_start_alone(watch, NULL, "oribi-cancel");
        if (!has_thread) {
            oribi_log(ORIBI_LOG_WARNING,
                      "no thread could be started that tells kernels when their run is stopped; "
                      "those that block will not hear of it");
        }
    }
    if (ctx->hook.fn == NULL) { /* else it replaces the one before */
        ctx->hook.next = first;
        if (first != NULL) {
            first->hook.previous = ctx;
        }
        first = ctx;
        atomic_fetch_add(&n_hooks, 1);
    }
    ctx->hook.fn = fn;
    ctx->hook.object = object;
    atomic_fetch_or(&ctx->pending, ORIBI_PENDING_HOOK);
    /* who stops looks at n_hooks after it set the word, and this the other way round */
    const bool is_stopped = oribi_context_why_stop(ctx) != 0;
    if (is_stopped) {
        unlink_hook(ctx);
        atomic_fetch_sub(&n_hooks, 1);
    }
    oribi_cond_signal(&news);
    oribi_mutex_unlock(&lock);
    return !is_stopped;
}

bool TF_OpKernelContext_OnCancel(TF_OpKernelContext *ctx, void (*fn)(void *object), void *object)
{
    return fn != NULL ? add_hook(ctx, fn, object) : oribi_cancel_take_back(ctx);
}
