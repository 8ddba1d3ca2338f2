/* SPDX-License-Identifier: Apache-2.0 */
/* Makes schedules in three steps: until when each call is awaited, in which spans each device is
 * open and active, the events. A span is from before call `first` until before call `end`.
 */
#include "compile/schedule/schedule.h"

typedef struct span {
    int32_t device; /* -1: merged into another */
    int32_t first, end;
} span;

typedef struct scheduling {
    const oribi_schedule_call *calls;
    const oribi_schedule_device *devices;
    int32_t n_calls, n_devices;
    oribi_schedule_mode mode;
    span *open; /* n_open of them, by their first call */
    int32_t n_open;
    span *active; /* by device; end 0: never */
    oribi_schedule *out;
} scheduling;

static bool is_started(const scheduling *s, int32_t call)
{
    const int32_t device = s->calls[call].device;
    return device >= 0 && s->devices[device].is_asynchronous;
}

/* --- Waiting ---------------------------------------------------------------------------------- */

/* Does `call` read what `earlier` makes? */
static bool needs(const scheduling *s, int32_t call, int32_t earlier)
{
    for (int32_t i = 0; i < s->calls[call].n_needs; i++) {
        if (s->calls[call].needs[i] == earlier) {
            return true;
        }
    }
    return false;
}

/* The first call before which call `i` must have ended: one off its device that needs it or, unless
 * the device is held open, one on it. */
static int32_t wait_of(const scheduling *s, int32_t i)
{
    int32_t wait = i + 1;
    for (; wait < s->n_calls && !s->calls[i].is_alone; wait++) {
        const bool is_same = s->calls[wait].device == s->calls[i].device;
        if (is_same ? s->mode != ORIBI_SCHEDULE_HOLD : needs(s, wait, i)) {
            return wait - s->calls[wait].inside;
        }
    }
    return wait;
}

/* A wait is for all that was started on the device: a call is done with the first wait after it. */
static void find_waits(scheduling *s)
{
    int32_t *done = s->out->done;
    for (int32_t i = 0; i < s->n_calls; i++) {
        done[i] = is_started(s, i) ? wait_of(s, i) : i + 1;
    }
    for (int32_t i = 0; i < s->n_calls; i++) {
        for (int32_t k = 0; is_started(s, i) && k < s->n_calls; k++) {
            if (s->calls[k].device == s->calls[i].device && done[k] > i && done[k] < done[i]) {
                done[i] = done[k];
            }
        }
    }
}

/* --- Spans ------------------------------------------------------------------------------------ */

/* Until when the device of call i is held open: the call has ended, and peers have its result. */
static int32_t held_until(const scheduling *s, int32_t i)
{
    const int32_t device = s->calls[i].device, peers = s->devices[device].peers;
    int32_t end = s->out->done[i];
    for (int32_t k = i + 1; k < s->n_calls && peers != 0 && s->mode == ORIBI_SCHEDULE_HOLD; k++) {
        const int32_t other = s->calls[k].device;
        if (other >= 0 && other != device && s->devices[other].peers == peers && needs(s, k, i)) {
            end = k + 1 > end ? k + 1 : end;
        }
    }
    return end;
}

/* One a call, or, held open, one for calls of a device that follow each other or are queued. */
static void find_open_spans(scheduling *s)
{
    for (int32_t i = 0; i < s->n_calls; i++) {
        const int32_t device = s->calls[i].device;
        span *last = NULL;
        for (int32_t k = 0; device >= 0 && k < s->n_open; k++) {
            last = s->open[k].device == device ? &s->open[k] : last;
        }
        if (last != NULL && s->mode == ORIBI_SCHEDULE_HOLD && last->end >= i) {
            const int32_t end = held_until(s, i);
            last->end = end > last->end ? end : last->end;
        } else if (device >= 0) {
            s->open[s->n_open++] = (span){device, i, held_until(s, i)};
        }
    }
}

/* Makes one span of two of the same device that meet. */
static void merge_into(scheduling *s, int32_t which)
{
    span *a = &s->open[which];
    for (int32_t k = 0; k < s->n_open; k++) {
        span *b = &s->open[k];
        if (k != which && b->device == a->device && b->first < a->end && a->first < b->end) {
            a->first = b->first < a->first ? b->first : a->first;
            a->end = b->end > a->end ? b->end : a->end;
            b->device = -1;
        }
    }
}

/* Devices that are open together are opened in their order in the struct, so that two runs cannot
 * wait for each other: an earlier device that is wanted later is opened with the later one. */
static bool widen(scheduling *s)
{
    for (int32_t i = 0; i < s->n_open; i++) {
        span *a = &s->open[i];
        for (int32_t k = 0; a->device >= 0 && k < s->n_open; k++) {
            const span *b = &s->open[k];
            if (b->device > a->device && b->first < a->first && a->first < b->end) {
                a->first = b->first;
                merge_into(s, i);
                return true;
            }
        }
    }
    return false;
}

/* The call before which a device is activated that is first open before `first`. */
static int32_t activate_before(const scheduling *s, int32_t device, int32_t first)
{
    int64_t us = s->devices[device].activate_us;
    if (s->mode == ORIBI_SCHEDULE_LAZY) {
        return first;
    }
    while (first > 0 && us > 0) {
        first--;
        us -= s->calls[first].us;
    }
    return first - s->calls[first].inside;
}

static void find_active_spans(scheduling *s)
{
    for (int32_t d = 0; d < s->n_devices; d++) {
        s->active[d] = (span){d, s->n_calls, 0};
    }
    for (int32_t i = 0; i < s->n_open; i++) {
        if (s->open[i].device >= 0) {
            span *a = &s->active[s->open[i].device];
            a->first = s->open[i].first < a->first ? s->open[i].first : a->first;
            a->end = s->open[i].end > a->end ? s->open[i].end : a->end;
        }
    }
    for (int32_t d = 0; d < s->n_devices; d++) {
        span *a = &s->active[d];
        if (s->mode == ORIBI_SCHEDULE_DESIGN) {
            *a = (span){d, 0, s->n_calls};
        } else if (a->end > 0) {
            a->first = activate_before(s, d, a->first);
        }
    }
}

/* --- Events ----------------------------------------------------------------------------------- */

static void add(scheduling *s, oribi_event_kind kind, int32_t device, int32_t call)
{
    s->out->events[s->out->n_events++] = (oribi_event){kind, device, call};
}

/* Waits before call `at`, one a device. */
static void add_waits(scheduling *s, int32_t at)
{
    for (int32_t d = 0; d < s->n_devices; d++) {
        for (int32_t i = 0; i < at; i++) {
            if (s->calls[i].device == d && is_started(s, i) && s->out->done[i] == at) {
                add(s, ORIBI_EVENT_WAIT, d, at);
                break;
            }
        }
    }
}

/* Opens before call `at` in the order of the struct, or closes in its reverse. */
static void add_open_or_close(scheduling *s, oribi_event_kind kind, int32_t at)
{
    for (int32_t k = 0; k < s->n_devices; k++) {
        const int32_t d = kind == ORIBI_EVENT_OPEN ? k : s->n_devices - 1 - k;
        for (int32_t i = 0; i < s->n_open; i++) {
            const span *o = &s->open[i];
            if (o->device == d && (kind == ORIBI_EVENT_OPEN ? o->first : o->end) == at) {
                add(s, kind, d, at);
                break;
            }
        }
    }
}

/* Deactivates what is not used from call `at` on: the last activated first, but in the design's
 * order as they were activated. */
static void add_deactivations(scheduling *s, int32_t at)
{
    for (int32_t k = 0; k < s->n_devices; k++) {
        const bool is_design = s->mode == ORIBI_SCHEDULE_DESIGN;
        const int32_t d = s->out->activation_order[is_design ? k : s->n_devices - 1 - k];
        if (s->active[d].end == at) {
            add(s, ORIBI_EVENT_DEACTIVATE, d, at);
        }
    }
}

static void add_activations(scheduling *s, int32_t at)
{
    for (int32_t d = 0; d < s->n_devices; d++) {
        if (s->active[d].first == at) {
            add(s, ORIBI_EVENT_ACTIVATE, d, at);
        }
    }
}

static void add_events(scheduling *s)
{
    for (int32_t at = 0; at <= s->n_calls; at++) {
        if (at > 0) {
            add_waits(s, at);
            add_open_or_close(s, ORIBI_EVENT_CLOSE, at);
            add_deactivations(s, at);
        }
        if (at < s->n_calls) {
            add_activations(s, at);
            add_open_or_close(s, ORIBI_EVENT_OPEN, at);
            add(s, is_started(s, at) ? ORIBI_EVENT_START : ORIBI_EVENT_CALL, s->calls[at].device,
                at);
        }
    }
}

static void order_activations(scheduling *s)
{
    int32_t n = 0;
    for (int32_t at = 0; at <= s->n_calls; at++) {
        for (int32_t d = 0; d < s->n_devices; d++) {
            if (s->active[d].first == at) {
                s->out->activation_order[n++] = d;
            }
        }
    }
}

bool oribi_schedule_make(const oribi_schedule_call *calls, int32_t n_calls,
                         const oribi_schedule_device *devices, int32_t n_devices,
                         oribi_schedule_mode mode, oribi_arena *arena, oribi_schedule *out)
{
    const size_t n = (size_t)n_calls + 1, m = (size_t)n_devices + 1;
    scheduling s = {
        .calls = calls,
        .devices = devices,
        .n_calls = n_calls,
        .n_devices = n_devices,
        .mode = mode,
        .open = oribi_arena_array(arena, n, sizeof *s.open),
        .active = oribi_arena_array(arena, m, sizeof *s.active),
        .out = out,
    };
    *out = (oribi_schedule){
        /* A call: itself, open, wait, close; a device: activate, deactivate. */
        .events = oribi_arena_array(arena, 4 * n + 2 * m, sizeof *out->events),
        .done = oribi_arena_array(arena, n, sizeof *out->done),
        .activation_order = oribi_arena_array(arena, m, sizeof *out->activation_order),
    };
    if (s.active == NULL || s.open == NULL || out->events == NULL || out->done == NULL ||
        out->activation_order == NULL) {
        return false;
    }
    find_waits(&s);
    find_open_spans(&s);
    while (widen(&s)) {
    }
    find_active_spans(&s);
    order_activations(&s);
    add_events(&s);
    return true;
}
