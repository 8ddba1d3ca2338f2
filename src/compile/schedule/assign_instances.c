/* SPDX-License-Identifier: Apache-2.0 */
/* Which of several devices of a kind computes an operator? The partition has spread operators by
 * load alone. Here all begin on the first device of their kind, and are spread over one more after
 * the other: each time only as far as neither the run takes longer by the estimates nor more is
 * copied. So a device more never costs anything. What --assign names stays where it is.
 */
#include <string.h>

#include "compile/plan/planning.h"
#include "compile/schedule/compile_steps.h"
#include "compile/schedule/timeline.h"
#include "tensor/status.h"

enum { MOST_TRIALS = 512 }; /* of single operators: each plans the hooks of the whole run */

typedef struct assigning {
    oribi_program *c;
    oribi_partition *p;
    int32_t *best;  /* by region: its device */
    bool *is_fixed; /* by region */
    TF_Status *status;
} assigning;

/* What a run costs: all of it counts, and nothing is traded for anything. */
typedef struct cost {
    int64_t us, bytes;
    int32_t n_copies;
} cost;

/* --- Instances -------------------------------------------------------------------------------- */

/* How many devices of the kind stand before it. */
static int32_t rank_of(const oribi_partition *p, int32_t device)
{
    int32_t rank = 0;
    for (int32_t i = 0; i < device; i++) {
        rank += p->devices[i].target == p->devices[device].target ? 1 : 0;
    }
    return rank;
}

static int32_t most_of_a_kind(const oribi_program *c)
{
    int32_t most = 0;
    for (int32_t i = 0; i < c->devices.partition.n_devices; i++) {
        const int32_t n = i == c->devices.host ? 0 : rank_of(&c->devices.partition, i) + 1;
        most = n > most ? n : most;
    }
    return most;
}

/* The calls know the device of their region, too. */
static void put(const assigning *s, int32_t region, int32_t device)
{
    s->p->regions[region].device = device;
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        if (s->c->calls[i].region == &s->p->regions[region]) {
            s->c->calls[i].device = device + 1;
        }
    }
}

static void put_best(const assigning *s)
{
    for (int32_t i = 0; i < s->p->n_regions; i++) {
        put(s, i, s->best[i]);
    }
}

static void keep_best(const assigning *s)
{
    for (int32_t i = 0; i < s->p->n_regions; i++) {
        s->best[i] = s->p->regions[i].device;
    }
}

/* Spreads the regions over the first n devices of their kind, each to where it is done first. */
static void spread(const assigning *s, int32_t n)
{
    const oribi_partition *p = s->p;
    int64_t load[ORIBI_DEVICES_MAX] = {0};
    for (int32_t r = 0; r < p->n_regions; r++) {
        int32_t device = p->regions[r].device;
        for (int32_t i = 0, chosen = -1; i < p->n_devices && !s->is_fixed[r]; i++) {
            const bool can = p->devices[i].target == p->devices[p->regions[r].device].target &&
                             i != s->c->devices.host && rank_of(p, i) < n;
            if (can && (chosen < 0 || load[i] < load[chosen])) {
                chosen = device = i;
            }
        }
        load[device] += p->regions[r].us;
        put(s, r, device);
    }
}

/* --- Costs ------------------------------------------------------------------------------------ */

/* Does a schedule fit into the memories of the devices? RESOURCE_EXHAUSTED is no failure here. */
static bool schedule(const assigning *s, bool *out_fits)
{
    *out_fits = oribi_program_schedule(s->c, s->status);
    const bool is_full =
        !*out_fits && TF_GetCode(s->status) == TF_RESOURCE_EXHAUSTED && s->c->devices.overfull >= 0;
    if (is_full) {
        TF_SetStatus(s->status, TF_OK, "");
    }
    return *out_fits || is_full;
}

static bool measure(const assigning *s, cost *out, bool *out_fits)
{
    oribi_arena arena = {0};
    oribi_timeline timeline;
    *out = (cost){0};
    ORIBI_TRY(schedule(s, out_fits));
    if (!*out_fits) {
        return true;
    }
    ORIBI_TRY(oribi_program_make_steps(s->c, s->status));
    const bool is_made = oribi_timeline_make(s->c, &arena, &timeline);
    oribi_arena_destroy(&arena);
    for (int32_t i = 0; is_made && i < s->c->devices.n_steps; i++) {
        const oribi_step *step = &s->c->devices.steps[i];
        out->n_copies += oribi_step_is_copy(step) ? 1 : 0;
        out->bytes += oribi_step_is_copy(step) ? step->bytes : 0;
    }
    out->us = timeline.us;
    return is_made || oribi_fail_memory(s->status);
}

static bool is_no_worse(const cost *a, const cost *b)
{
    return a->us <= b->us && a->bytes <= b->bytes && a->n_copies <= b->n_copies;
}

static bool is_same(const cost *a, const cost *b)
{
    return a->us == b->us && a->bytes == b->bytes && a->n_copies == b->n_copies;
}

/* Keeps what stands there now where it is no worse than the best, or, `is_strict`, better. */
static bool try_now(const assigning *s, bool is_strict, cost *best)
{
    cost now;
    bool fits;
    ORIBI_TRY(measure(s, &now, &fits));
    if (fits && is_no_worse(&now, best) && !(is_strict && is_same(&now, best))) {
        *best = now;
        keep_best(s);
    }
    return true;
}

/* Moves single operators to the devices of rank `rank`. */
static bool move_single(const assigning *s, int32_t rank, cost *best)
{
    const oribi_partition *p = s->p;
    for (int32_t r = 0; r < p->n_regions && p->n_regions <= MOST_TRIALS; r++) {
        put_best(s);
        for (int32_t i = 0; i < p->n_devices && !s->is_fixed[r]; i++) {
            if (p->devices[i].target == p->devices[s->best[r]].target && i != s->best[r] &&
                i != s->c->devices.host && rank_of(p, i) == rank) {
                put(s, r, i);
                ORIBI_TRY(try_now(s, true, best));
                break;
            }
        }
    }
    return true;
}

/* --- Flow ------------------------------------------------------------------------------------- */

static bool open(assigning *s, oribi_program *c, TF_Status *status)
{
    oribi_partition *p = &c->devices.partition;
    *s = (assigning){
        .c = c,
        .p = p,
        .best = oribi_arena_array(&c->arena, (size_t)p->n_regions + 1, sizeof *s->best),
        .is_fixed = oribi_arena_array(&c->arena, (size_t)p->n_regions + 1, sizeof *s->is_fixed),
        .status = status,
    };
    if (s->best == NULL || s->is_fixed == NULL) {
        return oribi_fail_memory(status);
    }
    for (int32_t i = 0; i < p->n_regions; i++) {
        s->is_fixed[i] = p->regions[i].is_assigned;
    }
    return true;
}

/* Where pools name devices, what these see says more than their load. */
static bool has_choice(const oribi_program *c)
{
    return most_of_a_kind(c) > 1 && c->devices.named_by_pools == 0 &&
           c->devices.partition.n_regions > 0;
}

bool oribi_program_gather(oribi_program *c, TF_Status *status)
{
    assigning s;
    bool fits = false;
    ORIBI_TRY(!has_choice(c) || open(&s, c, status));
    for (int32_t n = 1; has_choice(c) && !fits && n <= most_of_a_kind(c); n++) {
        spread(&s, n);
        ORIBI_TRY(schedule(&s, &fits));
    }
    return true;
}

bool oribi_program_spread(oribi_program *c, TF_Status *status)
{
    assigning s;
    cost best;
    bool fits;
    if (!has_choice(c)) {
        return true;
    }
    ORIBI_TRY(open(&s, c, status));
    keep_best(&s);
    ORIBI_TRY(measure(&s, &best, &fits));
    for (int32_t n = 2; fits && n <= most_of_a_kind(c); n++) {
        spread(&s, n);
        ORIBI_TRY(try_now(&s, false, &best));
        ORIBI_TRY(move_single(&s, n - 1, &best));
        put_best(&s);
    }
    return true;
}
