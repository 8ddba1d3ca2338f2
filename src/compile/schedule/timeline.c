/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/schedule/timeline.h"

typedef struct clock {
    const oribi_program *c;
    oribi_timeline *out;
    int64_t now;                      /* of the CPU */
    int64_t ready[ORIBI_DEVICES_MAX]; /* the device can work */
    int64_t free[ORIBI_DEVICES_MAX];  /* what was started has ended */
    int64_t activated[ORIBI_DEVICES_MAX], opened[ORIBI_DEVICES_MAX];
} clock;

const char *oribi_timeline_word(const oribi_step *step)
{
    static const char *const words[] = {
        [TVM_DEVICE_HOOK_ACTIVATE] = "activate",
        [TVM_DEVICE_HOOK_OPEN] = "open",
        [TVM_DEVICE_HOOK_INVOKE] = "call",
        [TVM_DEVICE_HOOK_START] = "start",
        [TVM_DEVICE_HOOK_WAIT] = "wait",
        [TVM_DEVICE_HOOK_COPY_TO] = "copy_to",
        [TVM_DEVICE_HOOK_COPY_FROM] = "copy_from",
        [TVM_DEVICE_HOOK_COPY_PEER] = "copy_peer",
        [TVM_DEVICE_HOOK_CLOSE] = "close",
        [TVM_DEVICE_HOOK_DEACTIVATE] = "deactivate",
        [TVM_DEVICE_HOOK_LOAD] = "load",
        [ORIBI_STEP_KERNEL] = "call",
        [ORIBI_STEP_DESCRIBE] = NULL,
    };
    return words[step->kind];
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

static void pass(clock *k, oribi_moment *m, const oribi_step *step)
{
    const int32_t device = step->device;
    oribi_device_use *use = device >= 0 ? &k->out->devices[device] : NULL;
    switch (step->kind) {
    case TVM_DEVICE_HOOK_ACTIVATE:
        k->activated[device] = k->now;
        k->ready[device] = k->now + k->c->devices.partition.devices[device].target->activate_us;
        break;
    case TVM_DEVICE_HOOK_OPEN:
        k->opened[device] = k->now;
        stand(k, m, k->ready[device]);
        break;
    case TVM_DEVICE_HOOK_WAIT:
        stand(k, m, k->free[device]);
        break;
    case TVM_DEVICE_HOOK_CLOSE:
        use->locked_us += k->now - k->opened[device];
        break;
    case TVM_DEVICE_HOOK_DEACTIVATE:
        use->powered_us += k->now - k->activated[device];
        break;
    case TVM_DEVICE_HOOK_LOAD: /* as in the first run after the device was switched on */
    case TVM_DEVICE_HOOK_COPY_TO:
    case TVM_DEVICE_HOOK_COPY_FROM:
    case TVM_DEVICE_HOOK_COPY_PEER:
        work(k, m, device, step->bytes / oribi_program_mhz(k->c), step->is_started);
        break;
    default:
        work(k, m, device, oribi_program_estimate_us(k->c, &k->c->calls[step->call]),
             step->kind == TVM_DEVICE_HOOK_START);
        if (use != NULL) {
            use->n_operators++;
        }
    }
}

bool oribi_timeline_make(const oribi_program *c, oribi_arena *arena, oribi_timeline *out)
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
        if (oribi_timeline_word(step) != NULL) {
            oribi_moment *m = &out->moments[out->n_moments++];
            *m = (oribi_moment){step, k.now, 0};
            pass(&k, m, step);
        }
    }
    out->us = k.now;
    return true;
}
