/* SPDX-License-Identifier: Apache-2.0 */
/* Waits with a time limit. The stream's host_callback rings a bell when a mark is reached, so that
 * the host sleeps until then or until the limit; it wakes now and then only to see whether the run
 * was cancelled. A plugin that refuses the callback is asked for the event's status instead.
 *
 * A bell lives as long as its stream and the callbacks that are on the way, which may come after
 * the host gave up.
 */
#include "base/alloc.h"
#include "device/device_internal.h"

enum { LOOK_NS = 2000000, FIRST_PAUSE_NS = 10000, LAST_PAUSE_NS = 1000000 };

typedef struct mark_bell {
    oribi_bell *bell;
    uint64_t asked, rung; /* callbacks for this mark; under the lock */
    bool is_asked;        /* for the latest record of the mark; the host's own */
} mark_bell;

struct oribi_bell {
    atomic_int references; /* of the stream, and of callbacks on the way */
    oribi_mutex lock;
    oribi_cond changed;
    int n_marks;
    mark_bell marks[];
};

oribi_bell *oribi__bell_create(int n_marks)
{
    oribi_bell *bell = oribi_alloc_zero(1, sizeof *bell + (size_t)n_marks * sizeof bell->marks[0]);
    if (bell == NULL) {
        return NULL;
    }
    if (!oribi_mutex_init(&bell->lock)) {
        oribi_free(bell);
        return NULL;
    }
    if (!oribi_cond_init(&bell->changed)) {
        oribi_mutex_destroy(&bell->lock);
        oribi_free(bell);
        return NULL;
    }
    atomic_init(&bell->references, 1);
    bell->n_marks = n_marks;
    for (int i = 0; i < n_marks; i++) {
        bell->marks[i].bell = bell;
    }
    return bell;
}

void oribi__bell_release(oribi_bell *bell)
{
    if (bell != NULL &&
        atomic_fetch_sub_explicit(&bell->references, 1, memory_order_acq_rel) == 1) {
        oribi_cond_destroy(&bell->changed);
        oribi_mutex_destroy(&bell->lock);
        oribi_free(bell);
    }
}

/* On a thread of the plugin's choice. Whether things went well shows in the wait that follows. */
static void ring(void *const arg, TF_Status *const status)
{
    mark_bell *mark = arg;
    oribi_bell *bell = mark->bell;
    (void)status;
    oribi_mutex_lock(&bell->lock);
    mark->rung++;
    oribi_cond_broadcast(&bell->changed);
    oribi_mutex_unlock(&bell->lock);
    oribi__bell_release(bell);
}

bool oribi_stream_mark_aloud(oribi_stream *stream, int mark, oribi_stream *by, TF_Status *status)
{
    oribi_bell *bell = stream->bell;
    mark_bell *own = &bell->marks[mark];
    ORIBI_TRY(oribi_stream_mark(stream, mark, by, status));
    oribi_mutex_lock(&bell->lock);
    own->asked++;
    oribi_mutex_unlock(&bell->lock);
    atomic_fetch_add_explicit(&bell->references, 1, memory_order_relaxed);
    own->is_asked = oribi__executor(stream->device)
                        ->host_callback(&stream->device->device, by->handle, ring, own) != 0;
    if (!own->is_asked) {
        oribi_mutex_lock(&bell->lock);
        own->asked--;
        oribi_mutex_unlock(&bell->lock);
        oribi__bell_release(bell);
    }
    return true;
}

/* --- Waiting --------------------------------------------------------------------------------- */

static bool fail_late(const oribi_device *device, const char *member, TF_Status *status)
{
    return oribi_fail(status, TF_DEADLINE_EXCEEDED,
                      "device %s: %s: the run passed its time limit before the event came",
                      device->name, member);
}

static bool is_stopped(const atomic_int *stop, TF_Status *status)
{
    return atomic_load_explicit((atomic_int *)stop, memory_order_acquire) != 0 &&
           !oribi_fail(status, TF_CANCELLED, "the run was cancelled");
}

static bool listen(oribi_stream *stream, mark_bell *own, uint64_t deadline_ns,
                   const atomic_int *stop, TF_Status *status)
{
    oribi_bell *bell = own->bell;
    bool ok = true;
    oribi_mutex_lock(&bell->lock);
    while (ok && own->rung < own->asked) {
        const uint64_t now_ns = oribi_now_ns();
        if (now_ns >= deadline_ns) {
            ok = fail_late(stream->device, "host_callback", status);
        } else if (is_stopped(stop, status)) {
            ok = false;
        } else {
            const uint64_t look_ns = now_ns + LOOK_NS;
            (void)oribi_cond_wait_until(&bell->changed, &bell->lock,
                                        look_ns < deadline_ns ? look_ns : deadline_ns);
        }
    }
    oribi_mutex_unlock(&bell->lock);
    return ok;
}

static bool ask_again(oribi_stream *stream, int mark, uint64_t deadline_ns, const atomic_int *stop,
                      TF_Status *status)
{
    oribi_device *device = stream->device;
    uint64_t pause_ns = FIRST_PAUSE_NS;
    while (oribi__executor(device)->get_event_status(&device->device, stream->marks[mark]) ==
           SE_EVENT_PENDING) {
        if (oribi_now_ns() >= deadline_ns) {
            return fail_late(device, "get_event_status", status);
        }
        if (is_stopped(stop, status)) {
            return false;
        }
        oribi_thread_sleep(pause_ns);
        pause_ns = pause_ns < LAST_PAUSE_NS ? pause_ns * 2 : pause_ns;
    }
    return true;
}

bool oribi_stream_await(oribi_stream *stream, int mark, uint64_t deadline_ns,
                        const atomic_int *stop, TF_Status *status)
{
    if (mark < 0) {
        mark = stream->n_marks - 1;
        ORIBI_TRY(oribi_stream_mark_aloud(stream, mark, stream, status));
    }
    mark_bell *own = &stream->bell->marks[mark];
    return own->is_asked ? listen(stream, own, deadline_ns, stop, status)
                         : ask_again(stream, mark, deadline_ns, stop, status);
}
