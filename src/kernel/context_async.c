/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous kernels: their start, what they are given as `done`, the wait for them, and what
 * becomes of one that is late. Deferred operations are waited for in the same way.
 *
 * A plugin's `done` is a number, not an address: the place of a ticket in a table of the process,
 * and which of its uses it stands for. One that comes twice, or after its run and its session, is
 * found to be used up and does nothing. Read first: the word `pending` in context.h.
 */
#include "base/alloc.h"
#include "base/log.h"
#include "device/pool.h"
#include "kernel/context.h"
#include "tensor/status.h"

/* How long a run that failed waits for kernels that have not ended, so that which failure it
 * reports does not depend on who was first, and memory is not left behind. */
static const uint64_t GRACE_NS = 2000000000;
static const uint64_t POLL_NS = 10000000; /* for a word that nobody rings for */

/* --- Tickets --------------------------------------------------------------------------------- */

typedef struct ticket {
    uintptr_t use;           /* which one is the present or the next */
    TF_OpKernelContext *ctx; /* whose done is to come; NULL: none */
    int32_t next_free;       /* plus 1 */
} ticket;

/* A done is (use << BITS | place) << SHIFT; it looks like an aligned address, never like NULL. */
enum { SHIFT = 3, BITS = sizeof(uintptr_t) == 8 ? 24 : 12 };
static const uintptr_t MAX_USE = UINTPTR_MAX >> (SHIFT + BITS);

static oribi_mutex tickets_lock = ORIBI_MUTEX_INIT;
static ticket *tickets;
static int32_t n_tickets, capacity, first_free; /* plus 1 */

static bool reserve(void)
{
    if (n_tickets < capacity) {
        return true;
    }
    const int32_t wanted = capacity * 2 + 32;
    ticket *grown =
        wanted <= 1 << BITS ? oribi_realloc_array(tickets, (size_t)wanted, sizeof *grown) : NULL;
    if (grown != NULL) {
        tickets = grown;
        capacity = wanted;
    }
    return grown != NULL;
}

bool oribi_context_take_ticket(TF_OpKernelContext *ctx, TF_Status *status)
{
    if (ctx->ticket != 0) {
        return true;
    }
    oribi_mutex_lock(&tickets_lock);
    if (first_free != 0) {
        ctx->ticket = first_free;
        first_free = tickets[first_free - 1].next_free;
    } else if (reserve()) {
        tickets[n_tickets] = (ticket){.use = 1};
        ctx->ticket = ++n_tickets;
    }
    oribi_mutex_unlock(&tickets_lock);
    return ctx->ticket != 0 || oribi_fail_memory(status);
}

void oribi_context_drop_ticket(TF_OpKernelContext *ctx)
{
    if (ctx->ticket != 0) {
        oribi_mutex_lock(&tickets_lock);
        tickets[ctx->ticket - 1].next_free = first_free;
        first_free = ctx->ticket;
        oribi_mutex_unlock(&tickets_lock);
        ctx->ticket = 0;
    }
}

static TF_AsyncOpKernelDoneCallback *arm(TF_OpKernelContext *ctx)
{
    const uintptr_t place = (uintptr_t)ctx->ticket - 1;
    oribi_mutex_lock(&tickets_lock);
    ticket *own = &tickets[place];
    own->ctx = ctx;
    const uintptr_t done = (own->use << BITS | place) << SHIFT;
    oribi_mutex_unlock(&tickets_lock);
    return (TF_AsyncOpKernelDoneCallback *)done;
}

/* The context whose done this is, for the first time; else NULL. */
static TF_OpKernelContext *claim(const TF_AsyncOpKernelDoneCallback *done)
{
    const uintptr_t number = (uintptr_t)done >> SHIFT;
    const uintptr_t place = number & (((uintptr_t)1 << BITS) - 1);
    TF_OpKernelContext *ctx = NULL;
    oribi_mutex_lock(&tickets_lock);
    if (place < (uintptr_t)n_tickets && tickets[place].use == number >> BITS) {
        ctx = tickets[place].ctx;
    }
    if (ctx != NULL) {
        tickets[place].ctx = NULL;
        tickets[place].use = tickets[place].use < MAX_USE ? tickets[place].use + 1 : 1;
    }
    oribi_mutex_unlock(&tickets_lock);
    return ctx;
}

/* --- What is pending ------------------------------------------------------------------------- */

static int count_of(const TF_OpKernelContext *ctx)
{
    return atomic_load_explicit(&((TF_OpKernelContext *)ctx)->pending, memory_order_acquire) &
           ORIBI_PENDING_COUNT;
}

/* One thing less; the context may be gone after that. */
static void end_one(TF_OpKernelContext *ctx)
{
    oribi_signal *signal = ctx->signal;
    bool was_late = false;
    oribi_signal_retain(signal);
    oribi_mutex_lock(&signal->lock);
    if (count_of(ctx) == 1) {
        ctx->done_ns = oribi_now_ns();
    }
    if (count_of(ctx) > 0) { /* else there are more ends than beginnings */
        const int left = atomic_fetch_sub(&ctx->pending, 1) - 1;
        was_late = (left & ORIBI_PENDING_COUNT) == 0 && (left & ORIBI_PENDING_LATE) != 0;
        oribi_cond_broadcast(&signal->changed);
    }
    oribi_mutex_unlock(&signal->lock);
    oribi_signal_release(signal);
    if (was_late) {
        oribi_context_count_down(ctx);
    }
}

void oribi_context_start(TF_OpKernelContext *ctx, const oribi_step_io *step)
{
    const oribi_kernel *kernel = step->kernel;
    oribi_context_set_step(ctx, step);
    atomic_fetch_add(&ctx->pending, 1);
    kernel->def->compute_async(kernel->state, ctx, arm(ctx));
}

void TF_RunAsyncOpKernelDoneCallback(TF_AsyncOpKernelDoneCallback *done)
{
    TF_OpKernelContext *ctx = claim(done);
    if (ctx == NULL) {
        oribi_log(ORIBI_LOG_WARNING, "a kernel called its done callback a second time");
        return;
    }
    if ((atomic_load(&ctx->pending) & ORIBI_PENDING_HOOK) != 0) {
        (void)oribi_cancel_take_back(ctx);
    }
    end_one(ctx);
}

void TF_IncNumDeferredOps(TF_OpKernelContext *context)
{
    atomic_fetch_add(&context->pending, 1);
}

void TF_DecNumDeferredOps(TF_OpKernelContext *context)
{
    end_one(context);
}

/* --- The wait -------------------------------------------------------------------------------- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The work stops: all who asked for it hear so. Until when to wait for them. */
static uint64_t stop_all(TF_OpKernelContext *ctx, int why)
{
    oribi_signal_stop(ctx->signal, why);
    oribi_cancel_call(ctx->signal);
    const uint64_t now_ns = oribi_now_ns();
    if (ctx->is_never_late) {
        return UINT64_MAX;
    }
    return why != ORIBI_STOP_FAILED ? now_ns : earlier(now_ns + GRACE_NS, ctx->deadline_ns);
}

/* Sleeps under the lock until nothing is pending; see the header. */
static void wait_locked(TF_OpKernelContext *ctx, uint64_t *limit_ns)
{
    oribi_signal *signal = ctx->signal;
    while (count_of(ctx) > 0) {
        const int why = oribi_context_why_stop(ctx);
        if (why != 0 && *limit_ns == 0) {
            oribi_mutex_unlock(&signal->lock);
            *limit_ns = stop_all(ctx, why);
            oribi_mutex_lock(&signal->lock);
            continue;
        }
        if (why != 0 && oribi_now_ns() >= *limit_ns) {
            break;
        }
        uint64_t until_ns = why != 0 ? *limit_ns : ctx->deadline_ns;
        if (ctx->called_off != NULL) {
            until_ns = earlier(until_ns, oribi_now_ns() + POLL_NS);
        }
        if (until_ns != 0) {
            (void)oribi_cond_wait_until(&signal->changed, &signal->lock, until_ns);
        } else {
            oribi_cond_wait(&signal->changed, &signal->lock);
        }
    }
}

bool oribi_context_wait(TF_OpKernelContext *ctx, uint64_t *limit_ns)
{
    if (count_of(ctx) == 0) {
        return true;
    }
    oribi_pool_lend(ctx->pool); /* else this thread would be missing among those that compute */
    oribi_mutex_lock(&ctx->signal->lock);
    wait_locked(ctx, limit_ns);
    const bool is_over = count_of(ctx) == 0;
    oribi_mutex_unlock(&ctx->signal->lock);
    oribi_pool_take_back(ctx->pool);
    return is_over;
}

bool oribi_context_abandon(TF_OpKernelContext *ctx)
{
    if (count_of(ctx) == 0) { /* only a kernel that has not ended makes it more */
        return false;
    }
    oribi_mutex_lock(&ctx->signal->lock);
    const bool is_late = count_of(ctx) > 0;
    if (is_late) {
        atomic_fetch_or(&ctx->pending, ORIBI_PENDING_LATE);
        atomic_fetch_add_explicit(&ctx->remote, 1, memory_order_relaxed);
    }
    oribi_mutex_unlock(&ctx->signal->lock);
    return is_late;
}

/* --- A step on the spot ---------------------------------------------------------------------- */

static bool fail_stopped(TF_OpKernelContext *ctx, int stop, TF_Status *status)
{
    if (stop == ORIBI_STOP_CANCELLED) {
        return oribi_fail(status, TF_CANCELLED, "the run was cancelled");
    }
    if (stop == ORIBI_STOP_DEADLINE) {
        return oribi_fail(status, TF_DEADLINE_EXCEEDED, "the run passed its time limit");
    }
    TF_OpKernelContext_UpdateStatus(ctx, status);
    return false;
}

bool oribi_context_settle(TF_OpKernelContext *ctx, TF_Status *status)
{
    uint64_t limit_ns = 0;
    (void)oribi_context_wait(ctx, &limit_ns);
    if ((atomic_load(&ctx->pending) & ORIBI_PENDING_HOOK) != 0) {
        (void)oribi_cancel_take_back(ctx);
    }
    const int stop = atomic_load_explicit(ctx->stop, memory_order_acquire);
    return stop == 0 || fail_stopped(ctx, stop, status);
}

bool oribi_context_compute_slow(TF_OpKernelContext *ctx, const oribi_step_io *step,
                                TF_Status *status)
{
    if (!oribi_context_take_ticket(ctx, status)) {
        return false;
    }
    oribi_context_start(ctx, step);
    return oribi_context_settle(ctx, status);
}
