/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls become one with rings (../lower/rings/rings.h). As long as memory is to be smaller:
 * the step that touches the highest byte, all stretches of calls around it, each with several
 * numbers of rows a turn; estimates say which are worth a plan, the planner decides. At last what
 * memory does not need is made cheaper again, or taken back.
 */
#include <string.h>

#include "compile/schedule/choose.h"
#include "tensor/patience.h"
#include "tensor/status.h"

enum {
    MOST_PLANS = 512, /* of the search */
    AT_A_STEP = 10,   /* the best of a step's, which are planned */
    /* Instructions of a turn beside its kernel's. What RISC-V's vectors compute is estimated as for
     * a core without them, eleven times what it is: a turn, with the rows that windows bring to
     * scratch again, weighs more beside it. */
    TURN = 150,
    TURN_OF_VECTORS = 6000,
    SHARE = 20 /* the part of all instructions that --rings on may add: one in so many */
};

/* Rows of a turn of the last call, whether those before it follow, and stripes. */
static const struct {
    int32_t chunk;
    bool follows;
    int32_t n_stripes;
} ways[] = {{1, false, 1}, {1, true, 1},  {2, false, 1}, {2, true, 1}, {4, false, 1}, {4, true, 1},
            {8, true, 1},  {1, false, 2}, {2, true, 2},  {4, true, 2}, {1, false, 3}, {4, true, 3},
            {1, false, 4}, {4, true, 4},  {2, false, 6}, {4, true, 6}, {2, true, 8},  {8, true, 8}};
enum { WAYS = sizeof ways / sizeof ways[0], WHOLE_ROWS = 7 };

/* Calls [first, last] in a way. */
typedef struct pick {
    int32_t first, last, way;
    int64_t extra; /* instructions */
    int64_t need;  /* bytes at its step, about */
    int64_t score; /* and at all steps */
    oribi_call call;
} pick;

typedef struct measure {
    oribi_need need; /* zeros: it is small enough */
    int32_t n_peaks; /* steps that touch the highest byte */
    int64_t extra;
} measure;

typedef struct choosing {
    oribi_program *c;
    TF_Status *status;
    oribi_call *base; /* the calls as they were, n_base of them */
    int32_t n_base;
    oribi_call *plain; /* each as a part of a call with rings; its rows, */
    oribi_rows *rows;
    bool *fits;            /* if it can be one */
    oribi_value_id *roots; /* by value: whose bytes it is; of these the calls that */
    int32_t *born, *dead;  /* make it and read it last; n_base: it leaves */
    int32_t *first_base;   /* by call as it is now: its first call of those before */
    int64_t *tops;         /* by call: highest byte of the peak pool */
    int64_t *needs;        /* by call before: bytes at its step, about */
    pick *picks, *before;
    int32_t n_picks;
    int32_t n_ways;     /* of ways: where work is limited, none computes anything twice */
    int64_t most_extra; /* -1: any */
    int64_t goal;       /* a workspace that is small enough; 0: none is */
    int32_t n_plans;
} choosing;

/* --- Calls ------------------------------------------------------------------------------------ */

static bool is_enough(const choosing *h)
{
    return h->goal > 0 && h->c->workspace_bytes <= h->goal;
}

/* Lifetimes of values, those of views being those of what they view. */
static void find_lifetimes(choosing *h)
{
    const oribi_program *c = h->c;
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        h->roots[i] = i;
        h->born[i] = h->dead[i] = -1;
    }
    for (int32_t i = 0; i < h->n_base; i++) {
        const oribi_call *call = &h->base[i];
        for (int32_t k = 0; k < call->n_inputs; k++) {
            h->dead[h->roots[call->inputs[k]]] = i;
        }
        for (int32_t k = 0; k < call->n_outputs; k++) {
            const oribi_value_id value = call->node->outputs[k];
            h->roots[value] = call->is_view ? h->roots[call->inputs[0]] : value;
            h->born[value] = i;
        }
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        h->dead[h->roots[c->outputs[i].value]] = h->n_base;
    }
    for (int32_t i = 0; i < c->n_states; i++) {
        h->dead[h->roots[c->states[i].next]] = h->n_base;
    }
}

/* As a part a call works beside its input, whatever it costs to work over it. */
static bool find_parts(choosing *h, oribi_lowering *lowering)
{
    for (int32_t i = 0; i < h->n_base; i++) {
        h->plain[i] = h->base[i];
        if (h->plain[i].is_careful) {
            h->plain[i].forbids_overlap = true;
            ORIBI_TRY(oribi_lower_call(lowering, &h->plain[i]));
        }
        h->fits[i] =
            h->plain[i].device == 0 && oribi_rows_find(h->c->graph, &h->plain[i], &h->rows[i]);
    }
    return true;
}

/* Does nothing but the last result leave? */
static bool is_closed(const choosing *h, int32_t first, int32_t last)
{
    for (int32_t i = first; i <= last; i++) {
        const oribi_value_id value = h->base[i].node->outputs[0];
        if (!h->fits[i] ||
            (i < last && (h->dead[value] > last || h->c->graph->values[value]->is_output))) {
            return false;
        }
    }
    return true;
}

/* The program's calls are those before with these picks, whose calls are made. */
static void put_calls(choosing *h, const pick *picks, int32_t n)
{
    oribi_program *c = h->c;
    c->n_calls = 0;
    for (int32_t i = 0; i < h->n_base; i++) {
        const pick *found = NULL;
        for (int32_t k = 0; k < n; k++) {
            found = picks[k].first == i ? &picks[k] : found;
        }
        h->first_base[c->n_calls] = i;
        c->calls[c->n_calls++] = found != NULL ? found->call : h->base[i];
        i = found != NULL ? found->last : i;
    }
    h->first_base[c->n_calls] = h->n_base;
}

/* False: no memory. */
static bool make_call(const choosing *h, pick *p, oribi_arena *arena)
{
    const oribi_call *calls[ORIBI_RINGS_MOST];
    for (int32_t i = p->first; i <= p->last; i++) {
        calls[i - p->first] = &h->plain[i];
    }
    const oribi_ring_plan plan = {calls,
                                  &h->rows[p->first],
                                  p->last - p->first + 1,
                                  ways[p->way].chunk,
                                  ways[p->way].follows,
                                  ways[p->way].n_stripes,
                                  h->c->options->core == ORIBI_CORE_rvv ? TURN_OF_VECTORS : TURN};
    ORIBI_TRY(oribi_rings_make(h->c->graph, &plan, arena, &p->call));
    p->extra = p->call.rings != NULL ? p->call.rings->extra : 0;
    return true;
}

/* --- Measures --------------------------------------------------------------------------------- */

/* The highest bytes of the least wanted pool that is used. */
static void find_tops(choosing *h, measure *out)
{
    const oribi_program *c = h->c;
    int32_t pool = c->n_pools - 1;
    while (pool > 0 && c->pools[pool].bytes == 0) {
        pool--;
    }
    memset(h->tops, 0, (size_t)c->n_calls * sizeof *h->tops);
    for (int32_t i = 0; i < c->n_buffers; i++) {
        const oribi_plan_buffer *b = &c->buffers[i];
        const int64_t end = (int64_t)(b->out_offset + b->bytes);
        for (int32_t s = b->first_use < 0 ? 0 : b->first_use;
             s <= b->last_use && s < c->n_calls && b->out_pool == pool; s++) {
            h->tops[s] = end > h->tops[s] ? end : h->tops[s];
        }
    }
    out->n_peaks = 0;
    for (int32_t s = 0; s < c->n_calls; s++) {
        out->n_peaks += h->tops[s] == c->pools[pool].bytes ? 1 : 0;
    }
}

/* Plans with these picks. */
static bool try_picks(choosing *h, const pick *picks, int32_t n, measure *out)
{
    int better;
    *out = (measure){.extra = 0};
    memset(&out->need, 0x7f, sizeof out->need);
    put_calls(h, picks, n);
    h->n_plans++;
    ORIBI_TRY(oribi_patience_left(h->status) &&
              oribi__try_plan(h->c, &out->need, &better, h->status));
    if (better < 0) {
        find_tops(h, out);
        if (is_enough(h)) {
            memset(&out->need, 0, sizeof out->need);
            out->n_peaks = 0;
        }
    }
    for (int32_t k = 0; k < n; k++) {
        out->extra += picks[k].extra;
    }
    return true;
}

static bool is_less(const measure *a, const measure *b)
{
    const int order = oribi__need_compare(&a->need, &b->need);
    return order != 0                 ? order < 0
           : a->n_peaks != b->n_peaks ? a->n_peaks < b->n_peaks
                                      : a->extra < b->extra;
}

/* --- Estimates -------------------------------------------------------------------------------- */

static int64_t bytes_in_pool(const choosing *h, oribi_value_id value)
{
    const oribi_location *place = &h->c->locations[value];
    return place->storage == ORIBI_IN_WORKSPACE || h->dead[value] < h->n_base
               ? place->storage == ORIBI_IN_INPUT || place->storage == ORIBI_IN_FLASH
                     ? 0
                     : oribi_lower_bytes(h->c->graph->values[value])
               : 0;
}

/* What is alive while calls [first, last] of those before run as this one, about. */
static int64_t estimate(const choosing *h, const oribi_call *call, int32_t first, int32_t last)
{
    const int64_t out = bytes_in_pool(h, call->node->outputs[0]);
    int64_t sum = call->scratch_bytes, saved = 0;
    for (int32_t k = 0; k < call->n_outputs; k++) {
        sum += bytes_in_pool(h, call->node->outputs[k]);
    }
    for (int32_t i = 0; i < h->c->graph->n_values; i++) {
        if (h->roots[i] == i && h->dead[i] > last && h->born[i] < first && h->born[i] >= 0) {
            sum += bytes_in_pool(h, i);
        }
    }
    for (int32_t k = 0; k < call->n_inputs; k++) {
        const oribi_value_id root = h->roots[call->inputs[k]];
        sum += h->dead[root] <= last ? bytes_in_pool(h, root) : 0;
    }
    for (int32_t k = 0; k < call->n_aliases && out > 0; k++) {
        const oribi_call_alias *alias = &call->aliases[k];
        const oribi_value_id root = h->roots[call->inputs[alias->input]];
        const int64_t in = h->dead[root] <= last ? bytes_in_pool(h, root) : 0;
        const int64_t begin = alias->is_exact || alias->distance > 0 ? 0 : alias->distance;
        const int64_t common = out + begin < in ? out + begin : in;
        saved = common > saved ? common : saved;
    }
    return sum - saved;
}

static bool overlap(const pick *a, const pick *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* What other steps take, about: of picks that stay, and of calls. */
static int64_t other_needs(const choosing *h, const pick *p)
{
    int64_t most = 0;
    for (int32_t i = 0; i < h->n_base; i++) {
        int64_t need = i < p->first || i > p->last ? h->needs[i] : 0;
        for (int32_t k = 0; k < h->n_picks; k++) {
            const pick *other = &h->picks[k];
            if (i >= other->first && i <= other->last && !overlap(other, p)) {
                need = other->need;
            }
        }
        most = need > most ? need : most;
    }
    return most;
}

/* What all picks add when p is one of them. */
static int64_t extra_with(const choosing *h, const pick *p)
{
    int64_t extra = p->extra;
    for (int32_t k = 0; k < h->n_picks; k++) {
        extra += overlap(&h->picks[k], p) ? 0 : h->picks[k].extra;
    }
    return extra;
}

static void insert(pick *best, int32_t *n, const pick *p)
{
    int32_t k = *n < AT_A_STEP ? (*n)++ : AT_A_STEP;
    for (; k > 0 && (p->score < best[k - 1].score ||
                     (p->score == best[k - 1].score && p->extra < best[k - 1].extra));
         k--) {
        if (k < AT_A_STEP) {
            best[k] = best[k - 1];
        }
    }
    if (k < AT_A_STEP) {
        best[k] = *p;
    }
}

/* The best stretches that have a call of step s in them; of what is enough the cheapest. */
static bool list_picks(choosing *h, int32_t s, int64_t enough, pick best[AT_A_STEP], int32_t *out_n)
{
    const int32_t low = h->first_base[s], high = h->first_base[s + 1] - 1;
    *out_n = 0;
    for (int32_t first = high - ORIBI_RINGS_MOST + 1; first <= high; first++) {
        for (int32_t last = first + 1; first >= 0 && last < h->n_base; last++) {
            if (last < low || last - first >= ORIBI_RINGS_MOST || !is_closed(h, first, last)) {
                continue;
            }
            pick p = {.first = first, .last = last};
            const int64_t others = other_needs(h, &p);
            for (p.way = 0; p.way < h->n_ways; p.way++) {
                oribi_arena arena = {0};
                const bool has_memory = make_call(h, &p, &arena);
                const bool is_made = has_memory && p.call.rings != NULL;
                p.need = is_made ? estimate(h, &p.call, first, last) : INT64_MAX;
                p.score = p.need < others ? others : p.need;
                p.score = p.score < enough ? enough : p.score;
                oribi_arena_destroy(&arena);
                ORIBI_TRY(has_memory || oribi_fail_memory(h->status));
                if (is_made && p.score <= h->tops[s] &&
                    (h->most_extra < 0 || extra_with(h, &p) <= h->most_extra)) {
                    insert(best, out_n, &p);
                }
            }
        }
    }
    return true;
}

/* --- Search ----------------------------------------------------------------------------------- */

/* The picks that the new one leaves, and it. */
static int32_t with_pick(const choosing *h, const pick *p, pick *out)
{
    int32_t n = 0;
    for (int32_t k = 0; k < h->n_picks; k++) {
        if (!overlap(&h->picks[k], p)) {
            out[n++] = h->picks[k];
        }
    }
    out[n++] = *p;
    return n;
}

/* Tries one pick; keeps it, made for good, where `now` becomes less. */
static bool try_pick(choosing *h, pick *p, measure *now, bool *out_is_kept)
{
    measure tried;
    oribi_arena arena = {0};
    bool ok = make_call(h, p, &arena) || oribi_fail_memory(h->status);
    const int32_t n = ok ? with_pick(h, p, h->before) : 0;
    *out_is_kept = false;
    if (ok) {
        ok = try_picks(h, h->before, n, &tried);
        *out_is_kept = ok && is_less(&tried, now);
    }
    oribi_arena_destroy(&arena);
    if (*out_is_kept) {
        ORIBI_TRY(make_call(h, &h->before[n - 1], &h->c->arena) || oribi_fail_memory(h->status));
        memcpy(h->picks, h->before, (size_t)n * sizeof *h->picks);
        h->n_picks = n;
        *now = tried;
    }
    return ok;
}

/* One of the peak's steps becomes smaller. */
static bool improve(choosing *h, measure *now, bool *out_is_better)
{
    pick best[AT_A_STEP];
    int64_t peak = 0;
    *out_is_better = false;
    for (int32_t s = 0; s < h->c->n_calls; s++) {
        peak = h->tops[s] > peak ? h->tops[s] : peak;
    }
    /* Where estimates deceive, what they say is enough is not: then the least. */
    const int32_t n_rounds = h->goal > 0 ? 2 * h->c->n_calls : h->c->n_calls;
    for (int32_t i = 0; i < n_rounds && !*out_is_better; i++) {
        const int32_t s = i % h->c->n_calls;
        int32_t n = 0;
        if (h->tops[s] == peak) {
            ORIBI_TRY(list_picks(h, s, i == s ? h->goal : 0, best, &n));
        }
        for (int32_t k = 0; k < n && !*out_is_better && h->n_plans < MOST_PLANS; k++) {
            ORIBI_TRY(try_pick(h, &best[k], now, out_is_better));
        }
        if (n > 0) { /* tops and calls are those of the picks again */
            measure same;
            ORIBI_TRY(try_picks(h, h->picks, h->n_picks, &same));
        }
    }
    return true;
}

/* Each pick goes, or is done in a cheaper way, where memory stays as small. */
static bool simplify(choosing *h, measure *now)
{
    for (int32_t k = 0; k < h->n_picks; k++) {
        for (int32_t way = -1; way < h->n_ways; way++) {
            measure tried;
            int32_t n = h->n_picks;
            memcpy(h->before, h->picks, (size_t)n * sizeof *h->picks);
            if (way < 0) {
                h->before[k] = h->before[--n];
            } else {
                h->before[k].way = way;
                ORIBI_TRY(make_call(h, &h->before[k], &h->c->arena) ||
                          oribi_fail_memory(h->status));
                if (h->before[k].call.rings == NULL || h->before[k].extra >= h->picks[k].extra) {
                    continue;
                }
            }
            ORIBI_TRY(try_picks(h, h->before, n, &tried));
            if (oribi__need_compare(&tried.need, &now->need) <= 0) {
                memcpy(h->picks, h->before, (size_t)n * sizeof *h->picks);
                h->n_picks = n;
                *now = tried;
                k -= way < 0 ? 1 : 0;
                way = way < 0 ? h->n_ways : way;
            }
        }
    }
    return true;
}

static bool search(choosing *h)
{
    measure now;
    bool is_better = true;
    ORIBI_TRY(try_picks(h, NULL, 0, &now));
    for (int32_t i = 0; i < h->n_base; i++) {
        h->needs[i] = h->base[i].is_view ? 0 : estimate(h, &h->base[i], i, i);
    }
    while (is_better && h->n_plans < MOST_PLANS && !is_enough(h)) {
        ORIBI_TRY(improve(h, &now, &is_better));
    }
    return simplify(h, &now);
}

/* Where pools are too small for any plan so far, the search is for the least memory in one of any
 * size. */
static bool search_with_room(choosing *h)
{
    oribi_program *c = h->c;
    const bool are_limited = c->pools_are_limited;
    oribi_workspace_pool pools[ORIBI_POOLS];
    memcpy(pools, c->pools, sizeof pools);
    for (int32_t p = 0; p < c->n_pools; p++) {
        c->pools[p].max_bytes = 0;
    }
    c->pools_are_limited = false;
    const bool ok = search(h);
    memcpy(c->pools, pools, sizeof pools);
    c->pools_are_limited = are_limited;
    return ok;
}

bool oribi__choose_rings(oribi_program *c, oribi_lowering *lowering, oribi_need *best,
                         TF_Status *status)
{
    const int32_t mode = c->options->rings;
    const bool is_full = best->bytes[0] > INT64_MAX / 2; /* no plan fits into the pools */
    const int64_t ram = oribi_program_ram(c), most_ram = (int64_t)c->options->max_ram;
    const bool is_wanted = mode == ORIBI_RINGS_AUTO ? is_full || (most_ram > 0 && ram > most_ram)
                                                    : mode != ORIBI_RINGS_OFF;
    int better;
    if (!is_wanted || c->options->no_fuse || c->n_loops > 0 || c->n_calls == 0) {
        return true;
    }
    oribi_arena *arena = &c->arena;
    const size_t n = (size_t)c->n_calls + 1, n_values = (size_t)c->graph->n_values + 1;
    choosing h = {
        .c = c,
        .status = status,
        .base = oribi_arena_memdup(arena, c->calls, (size_t)c->n_calls * sizeof *c->calls),
        .n_base = c->n_calls,
        .plain = oribi_arena_array(arena, n, sizeof *h.plain),
        .rows = oribi_arena_array(arena, n, sizeof *h.rows),
        .fits = oribi_arena_array(arena, n, sizeof *h.fits),
        .roots = oribi_arena_array(arena, n_values, sizeof *h.roots),
        .born = oribi_arena_array(arena, n_values, sizeof *h.born),
        .dead = oribi_arena_array(arena, n_values, sizeof *h.dead),
        .first_base = oribi_arena_array(arena, n, sizeof *h.first_base),
        .tops = oribi_arena_array(arena, n, sizeof *h.tops),
        .needs = oribi_arena_array(arena, n, sizeof *h.needs),
        .picks = oribi_arena_array(arena, n, sizeof *h.picks),
        .before = oribi_arena_array(arena, n, sizeof *h.before),
        .n_ways = mode == ORIBI_RINGS_ON ? WHOLE_ROWS : WAYS,
        .most_extra = -1,
        .goal = mode != ORIBI_RINGS_AUTO ? 0
                : !is_full               ? c->workspace_bytes + most_ram - ram
                : c->n_pools == 1        ? (int64_t)c->pools[0].max_bytes
                                         : 0,
    };
    if (h.base == NULL || h.plain == NULL || h.rows == NULL || h.fits == NULL || h.roots == NULL ||
        h.born == NULL || h.dead == NULL || h.first_base == NULL || h.tops == NULL ||
        h.needs == NULL || h.picks == NULL || h.before == NULL) {
        return oribi_fail_memory(status);
    }
    find_lifetimes(&h);
    ORIBI_TRY(find_parts(&h, lowering));
    if (mode == ORIBI_RINGS_ON) {
        h.most_extra = 0;
        for (int32_t i = 0; i < h.n_base; i++) {
            h.most_extra += oribi_call_cost(&h.base[i]);
        }
        h.most_extra /= SHARE;
    }
    ORIBI_TRY(is_full ? search_with_room(&h) : search(&h));
    put_calls(&h, h.picks, h.n_picks);
    memset(best, 0x7f, sizeof *best);
    return oribi__try_plan(c, best, &better, status);
}
