/* SPDX-License-Identifier: Apache-2.0 */
/* What the plan is tried with: the order of the calls, which parts of tensors lie where they
 * belong, which calls become one with rings, and which kernels work over their input although that
 * costs time. Each choice is tried
 * against the planner, and is kept where it needs no more memory. Read next: compile_order.c,
 * choose_rings.c, compile_memory.c.
 */
#include <string.h>

#include "compile/plan/planning.h"
#include "compile/schedule/choose.h"
#include "compile/schedule/compile_steps.h"
#include "tensor/status.h"

static oribi_need need_of(const oribi_program *c)
{
    oribi_need n = {{0}};
    for (int32_t p = 0; p < c->n_pools; p++) {
        n.bytes[p] = c->pools[c->n_pools - 1 - p].bytes;
    }
    return n;
}

int oribi__need_compare(const oribi_need *a, const oribi_need *b)
{
    for (int32_t p = 0; p < ORIBI_POOLS; p++) {
        if (a->bytes[p] != b->bytes[p]) {
            return a->bytes[p] < b->bytes[p] ? -1 : 1;
        }
    }
    return 0;
}

/* As things are now: when everything happens, and from that where it lies. */
static bool plan(oribi_program *c, int64_t effort, TF_Status *status)
{
    return oribi_program_schedule(c, status) && oribi_program_plan(c, effort, status);
}

bool oribi__try_plan(oribi_program *c, oribi_need *best, int *out_better, TF_Status *status)
{
    if (!plan(c, ORIBI_PLAN_QUICK, status)) {
        *out_better = 1;
        const bool is_full = TF_GetCode(status) == TF_RESOURCE_EXHAUSTED && c->pools_are_limited;
        TF_SetStatus(status, is_full ? TF_OK : TF_GetCode(status),
                     is_full ? "" : TF_Message(status));
        return is_full;
    }
    const oribi_need now = need_of(c);
    *out_better = oribi__need_compare(&now, best);
    *best = *out_better < 0 ? now : *best;
    return true;
}

/* --- Views ----------------------------------------------------------------------------------- */

/* Parts that lie in their whole make it live from the first part on: each call is tried without. */
static bool choose_views(oribi_program *c, oribi_need *best, TF_Status *status)
{
    for (int32_t i = 0; i < c->n_calls; i++) {
        oribi_call *call = &c->calls[i];
        if (call->n_views > 0) {
            int better;
            call->forbids_views = true;
            ORIBI_TRY(oribi__try_plan(c, best, &better, status));
            call->forbids_views = better < 0;
        }
    }
    return true;
}

/* --- Careful kernels ------------------------------------------------------------------------- */

static int32_t heaviest_untried(const oribi_program *c, const bool *tried)
{
    int32_t best = -1;
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->calls[i].is_careful && !tried[i] &&
            (best < 0 || c->calls[i].macs > c->calls[best].macs)) {
            best = i;
        }
    }
    return best;
}

/* Kernels that write over their input pay for it with copies: each that the plan does not need is
 * made plain again, the heaviest first. */
static bool relax(oribi_program *c, oribi_lowering *lowering, oribi_need *best, TF_Status *status)
{
    bool *tried = oribi_arena_array(&c->arena, (size_t)c->n_calls + 1, sizeof *tried);
    ORIBI_TRY(tried != NULL || oribi_fail_memory(status));
    for (int32_t i; (i = heaviest_untried(c, tried)) >= 0;) {
        int better;
        tried[i] = true;
        c->calls[i].forbids_overlap = true;
        ORIBI_TRY(oribi_lower_call(lowering, &c->calls[i]));
        ORIBI_TRY(oribi__try_plan(c, best, &better, status));
        if (better > 0) {
            c->calls[i].forbids_overlap = false;
            ORIBI_TRY(oribi_lower_call(lowering, &c->calls[i]));
        }
    }
    return true;
}

/* --- Order ----------------------------------------------------------------------------------- */

static bool choose_order(oribi_program *c, oribi_need *best, TF_Status *status)
{
    const size_t bytes = (size_t)c->n_calls * sizeof *c->calls;
    int32_t *order = oribi_arena_array(&c->arena, (size_t)c->n_calls + 1, sizeof *order);
    oribi_call *given = oribi_arena_array(&c->arena, (size_t)c->n_calls + 1, sizeof *given);
    bool is_other;
    if (order == NULL || given == NULL) {
        return oribi_fail_memory(status);
    }
    ORIBI_TRY(oribi_program_order(c, order, &is_other, status));
    if (!is_other) {
        return true;
    }
    int better;
    memcpy(given, c->calls, bytes);
    for (int32_t i = 0; i < c->n_calls; i++) {
        c->calls[i] = given[order[i]];
    }
    ORIBI_TRY(oribi__try_plan(c, best, &better, status));
    if (better >= 0) {
        memcpy(c->calls, given, bytes);
    }
    return true;
}

bool oribi_program_choose(oribi_program *c, oribi_lowering *lowering, TF_Status *status)
{
    oribi_need best;
    int better;
    memset(&best, 0x7f, sizeof best);
    ORIBI_TRY(oribi_program_gather(c, status));
    ORIBI_TRY(oribi__try_plan(c, &best, &better, status));
    ORIBI_TRY(choose_order(c, &best, status));
    ORIBI_TRY(choose_views(c, &best, status));
    ORIBI_TRY(oribi__choose_rings(c, lowering, &best, status));
    ORIBI_TRY(relax(c, lowering, &best, status));
    ORIBI_TRY(oribi_program_spread(c, status));
    ORIBI_TRY(plan(c, ORIBI_PLAN_THOROUGH, status));
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->calls[i].is_elided) {
            c->calls[i].kernel = NULL;
            c->calls[i].n_placed = 0;
        }
    }
    return oribi_lower_name(lowering, c->calls, c->n_calls) && oribi_program_make_steps(c, status);
}
