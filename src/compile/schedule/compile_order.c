/* SPDX-License-Identifier: Apache-2.0 */
/* An order of the calls that keeps the peak of live bytes low. The search goes over the sets of
 * calls that may have run, one more call at a time, and keeps the BEAM best sets of each size:
 * exact while there are no more, as in most models; a good guess beyond. Integers only, no hashing,
 * no clock: the same on every host. Not here: what is live (order_blocks.c), offsets
 * (compile_memory.c).
 */
#include <stdlib.h>
#include <string.h>

#include "compile/schedule/compile_order.h"
#include "tensor/status.h"

enum { BEAM = 128, MOST_CALLS = 4096 };

typedef struct state { /* a set of calls that have run */
    int64_t peak, live;
    int32_t parent, call; /* how it was reached: state of the level before, and the call */
    const uint64_t *done;
} state;

typedef struct step { /* what is kept of a state for the way back */
    int32_t parent, call;
} step;

typedef struct beam {
    oribi_order *order;
    state *level, *next;
    uint64_t *level_bits, *next_bits;
    int32_t n_level, n_next;
    step *steps; /* BEAM by level */
} beam;

/* --- Sorting --------------------------------------------------------------------------------- */

static int compare_sets(const state *a, const state *b, int32_t n_words)
{
    for (int32_t i = 0; i < n_words; i++) {
        if (a->done[i] != b->done[i]) { /* the one with the first call of the other's comes first */
            const uint64_t first = (a->done[i] ^ b->done[i]) & -(a->done[i] ^ b->done[i]);
            return (a->done[i] & first) != 0 ? -1 : 1;
        }
    }
    return 0;
}

static int compare_costs(const state *a, const state *b)
{
    if (a->peak != b->peak) {
        return a->peak < b->peak ? -1 : 1;
    }
    return a->live == b->live ? 0 : a->live < b->live ? -1 : 1;
}

static int compare_ways(const state *a, const state *b)
{
    if (a->parent != b->parent) {
        return a->parent < b->parent ? -1 : 1;
    }
    return a->call == b->call ? 0 : a->call < b->call ? -1 : 1;
}

static int compare_by_set(const beam *m, const state *a, const state *b)
{
    const int sets = compare_sets(a, b, m->order->n_words);
    const int costs = sets != 0 ? sets : compare_costs(a, b);
    return costs != 0 ? costs : compare_ways(a, b);
}

static int compare_by_cost(const beam *m, const state *a, const state *b)
{
    const int costs = compare_costs(a, b);
    return costs != 0 ? costs : compare_sets(a, b, m->order->n_words);
}

/* Heap sort; the comparison is a total order, so the result does not depend on the way. */
static void sort(const beam *m, state *states, int32_t n,
                 int (*compare)(const beam *, const state *, const state *))
{
    for (int32_t start = n / 2, end = n; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            end--;
            const state swap = states[0];
            states[0] = states[end];
            states[end] = swap;
        }
        for (int32_t root = start, child; (child = 2 * root + 1) < end; root = child) {
            child += child + 1 < end && compare(m, &states[child], &states[child + 1]) < 0;
            if (compare(m, &states[root], &states[child]) >= 0) {
                break;
            }
            const state swap = states[root];
            states[root] = states[child];
            states[child] = swap;
        }
    }
}

/* --- Levels ---------------------------------------------------------------------------------- */

/* Every set of one call more whose peak stays below the limit. */
static bool expand(beam *m, int64_t limit)
{
    const oribi_order *o = m->order;
    const size_t words = (size_t)o->n_words;
    m->n_next = 0;
    for (int32_t s = 0; s < m->n_level; s++) {
        for (int32_t i = 0; i < o->n; i++) {
            const state *from = &m->level[s];
            int64_t peak, live = from->live;
            if (!oribi__order_is_ready(o, from->done, i)) {
                continue;
            }
            oribi__order_run(o, from->done, i, &live, &peak);
            if (peak >= limit) {
                continue;
            }
            if (m->n_next == BEAM * ORIBI_ORDER_READY) {
                return true; /* wide enough */
            }
            uint64_t *bits = m->next_bits + (size_t)m->n_next * words;
            memcpy(bits, from->done, words * sizeof *bits);
            bits[i / 64] |= (uint64_t)1 << (i % 64);
            m->next[m->n_next++] = (state){peak > from->peak ? peak : from->peak, live, s, i, bits};
        }
    }
    return m->n_next > 0;
}

/* The best of what was reached becomes the level. */
static void select_best(beam *m, int32_t index)
{
    const size_t words = (size_t)m->order->n_words;
    int32_t n = 0;
    sort(m, m->next, m->n_next, compare_by_set);
    for (int32_t i = 0; i < m->n_next; i++) {
        if (n == 0 || compare_sets(&m->next[n - 1], &m->next[i], m->order->n_words) != 0) {
            m->next[n++] = m->next[i];
        }
    }
    sort(m, m->next, n, compare_by_cost);
    m->n_level = n < BEAM ? n : BEAM;
    for (int32_t i = 0; i < m->n_level; i++) {
        uint64_t *bits = m->level_bits + (size_t)i * words;
        memcpy(bits, m->next[i].done, words * sizeof *bits);
        m->level[i] = m->next[i];
        m->level[i].done = bits;
        m->steps[(size_t)index * BEAM + (size_t)i] = (step){m->next[i].parent, m->next[i].call};
    }
}

static bool make_beam(beam *m, oribi_order *o)
{
    const size_t words = (size_t)o->n_words, wide = (size_t)BEAM * ORIBI_ORDER_READY;
    m->order = o;
    m->level = oribi_arena_array(&o->arena, BEAM, sizeof *m->level);
    m->next = oribi_arena_array(&o->arena, wide, sizeof *m->next);
    m->level_bits = oribi_arena_array(&o->arena, BEAM * words, sizeof *m->level_bits);
    m->next_bits = oribi_arena_array(&o->arena, wide * words, sizeof *m->next_bits);
    m->steps = oribi_arena_array(&o->arena, (size_t)o->n * BEAM, sizeof *m->steps);
    return m->level != NULL && m->next != NULL && m->level_bits != NULL && m->next_bits != NULL &&
           m->steps != NULL;
}

/* Sets out_found when there is an order whose peak is below the limit. */
static bool search(oribi_order *o, int64_t limit, int32_t *out_order, bool *out_found)
{
    beam m = {0};
    *out_found = false;
    if (!make_beam(&m, o)) {
        return false;
    }
    m.n_level = 1;
    m.level[0] = (state){0, o->live_at_start, -1, -1, m.level_bits};
    for (int32_t i = 0; i < o->n; i++) {
        if (!expand(&m, limit)) {
            return true;
        }
        select_best(&m, i);
    }
    for (int32_t i = o->n - 1, at = 0; i >= 0; i--) {
        const step *s = &m.steps[(size_t)i * BEAM + (size_t)at];
        out_order[i] = s->call;
        at = s->parent;
    }
    *out_found = true;
    return true;
}

bool oribi_program_order(const oribi_program *c, int32_t *out_order, bool *out_is_other,
                         TF_Status *status)
{
    oribi_order o = {0};
    *out_is_other = false;
    if (c->n_calls < 3 || c->n_calls > MOST_CALLS || c->n_loops > 0) {
        return true; /* a loop's calls stay together */
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->calls[i].region != NULL && c->calls[i].region->code.shared != NULL) {
            return true; /* places in shared scratch are those of the given order */
        }
    }
    bool ok = oribi__order_init(&o, c);
    const int64_t given = ok ? oribi__order_given_peak(&o) : 0;
    if (ok && given > oribi__order_least_peak(&o)) {
        ok = search(&o, given, out_order, out_is_other);
    }
    oribi_arena_destroy(&o.arena);
    return ok || oribi_fail_memory(status);
}
