/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/timeline.h"

typedef struct clock {
    const oribi_compile *c;
    oribi_timeline *out;
    int64_t now;                      /* of the CPU */
    int64_t ready[ORIBI_DEVICES_MAX]; /* the device can work */
    int64_t free[ORIBI_DEVICES_MAX];  /* what was started has ended */
    int64_t activated[ORIBI_DEVICES_MAX], opened[ORIBI_DEVICES_MAX];
} clock;

const char *oribi_timeline_word(const oribi_step *step)
{
    static const char *const events[] = {"activate", "open",  "call",      "start",
                                         "wait",     "close", "deactivate"};
    static const char *const copies[] = {"", "copy_to", "copy_from", "copy_peer"};
    return step->kind == ORIBI_STEP_EVENT ? events[step->event.kind] : copies[step->kind];
}

/* A hook of a device that has none is not called, nor is a call whose parts lie where they belong.
 */
static bool is_silent(const oribi_compile *c, const oribi_step *step)
{
    const oribi_event *e = &step->event;
    const bool is_call = e->kind == ORIBI_EVENT_CALL || e->kind == ORIBI_EVENT_START;
    if (step->kind == ORIBI_STEP_EVENT && is_call && !oribi_emit_is_operator(&c->calls[e->call])) {
        return true;
    }
    return step->kind == ORIBI_STEP_EVENT && e->device >= 0 && e->kind != ORIBI_EVENT_CALL &&
           c->devices.partition.devices[e->device].target->device_api == 0;
}

static int64_t until(int64_t now, int64_t then)
{
    return then > now ? then - now : 0;
}

/* Work of `us`: on the CPU's time, or queued on the device. */
static void work(clock *k, oribi_moment *m, int32_t device, int64_t us, bool is_started)
{
    m->us = us;
    if (is_started) {
        m->at_us = k->now + until(k->now, k->free[device]);
        k->free[device] = m->at_us + us;
    } else {
        k->now += us;
    }
    if (device >= 0) {
        k->out->devices[device].busy_us += us;
    }
}

/* The CPU stands until `then`. */
static void stand(clock *k, oribi_moment *m, int64_t then)
{
    m->us = until(k->now, then);
    k->now += m->us;
}

static void pass_event(clock *k, oribi_moment *m, const oribi_event *e)
{
    oribi_device_use *use = e->device >= 0 ? &k->out->devices[e->device] : NULL;
    switch (e->kind) {
    case ORIBI_EVENT_ACTIVATE:
        k->activated[e->device] = k->now;
        k->ready[e->device] =
            k->now + k->c->devices.partition.devices[e->device].target->activate_us;
        break;
    case ORIBI_EVENT_OPEN:
        k->opened[e->device] = k->now;
        stand(k, m, k->ready[e->device]);
        break;
    case ORIBI_EVENT_WAIT:
        stand(k, m, k->free[e->device]);
        break;
    case ORIBI_EVENT_CLOSE:
        use->locked_us += k->now - k->opened[e->device];
        break;
    case ORIBI_EVENT_DEACTIVATE:
        use->powered_us += k->now - k->activated[e->device];
        break;
    default:
        work(k, m, e->device, oribi_compile_estimate_us(k->c, &k->c->calls[e->call]),
             e->kind == ORIBI_EVENT_START);
        if (use != NULL) {
            use->n_operators++;
        }
    }
}

bool oribi_timeline_make(const oribi_compile *c, oribi_arena *arena, oribi_timeline *out)
{
    const oribi_devices *d = &c->devices;
    clock k = {.c = c, .out = out};
    *out = (oribi_timeline){
        .moments = oribi_arena_array(arena, (size_t)d->n_steps + 1, sizeof *out->moments),
    };
    if (out->moments == NULL) {
        return false;
    }
    for (int32_t i = 0; i < d->n_steps; i++) {
        const oribi_step *step = &d->steps[i];
        if (is_silent(c, step)) {
            continue;
        }
        oribi_moment *m = &out->moments[out->n_moments++];
        *m = (oribi_moment){step, k.now, 0};
        if (step->kind == ORIBI_STEP_EVENT) {
            pass_event(&k, m, &step->event);
        } else {
            work(&k, m, step->event.device, step->bytes / oribi_compile_mhz(c), step->is_started);
        }
    }
    out->us = k.now;
    return true;
}
