/* SPDX-License-Identifier: Apache-2.0 */
/* What is live while calls run in some order. Read next: compile_order.c. */
#include <string.h>

#include "compile/schedule/compile_order.h"

static bool has(const uint64_t *bits, int32_t i)
{
    return (bits[i / 64] >> (i % 64) & 1) != 0;
}

static void set(uint64_t *bits, int32_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}

/* --- Blocks ---------------------------------------------------------------------------------- */

/* Views are one block with what they view. */
static int32_t find_root(const int32_t *parent, int32_t value)
{
    while (parent[value] != value) {
        value = parent[value];
    }
    return value;
}

static bool name_blocks(oribi_order *o)
{
    const oribi_program *c = o->c;
    const int32_t n_values = c->graph->n_values;
    int32_t *parent = oribi_arena_array(&o->arena, (size_t)n_values + 1, sizeof *parent);
    o->block_of = oribi_arena_array(&o->arena, (size_t)n_values + 1, sizeof *o->block_of);
    o->blocks = oribi_arena_array(&o->arena, (size_t)n_values + 1, sizeof *o->blocks);
    if (parent == NULL || o->block_of == NULL || o->blocks == NULL) {
        return false;
    }
    for (int32_t i = 0; i < n_values; i++) {
        parent[i] = i;
        o->block_of[i] = -1;
    }
    for (int32_t i = 0; i < o->n; i++) {
        const oribi_call *call = &c->calls[i];
        if (call->is_view) {
            parent[call->node->outputs[0]] = find_root(parent, call->inputs[0]);
        }
    }
    for (int32_t i = 0; i < n_values; i++) {
        const oribi_location *place = &c->locations[i];
        const int32_t root = find_root(parent, i);
        if (place->storage == ORIBI_IN_WORKSPACE && place->bytes > 0) {
            o->block_of[root] = o->block_of[root] < 0 ? o->n_blocks++ : o->block_of[root];
            o->block_of[i] = o->block_of[root];
            oribi_order_block *b = &o->blocks[o->block_of[i]];
            b->bytes = place->bytes > b->bytes ? place->bytes : b->bytes;
        }
    }
    return true;
}

static bool touch(oribi_order *o, int32_t value, int32_t call, int32_t *n)
{
    const int32_t b = o->block_of[value];
    if (b < 0) {
        return true;
    }
    oribi_order_block *block = &o->blocks[b];
    if (block->touching == NULL) {
        block->touching = oribi_arena_array(&o->arena, (size_t)o->n_words, sizeof(uint64_t));
    }
    if (block->touching != NULL && !has(block->touching, call)) {
        set(block->touching, call);
        o->touched[(*n)++] = b;
    }
    return block->touching != NULL;
}

static bool touch_all(oribi_order *o)
{
    const oribi_program *c = o->c;
    size_t most = 1;
    for (int32_t i = 0; i < o->n; i++) {
        most += (size_t)(c->calls[i].n_inputs + c->calls[i].n_outputs);
    }
    o->touched = oribi_arena_array(&o->arena, most, sizeof *o->touched);
    o->touched_start = oribi_arena_array(&o->arena, (size_t)o->n + 1, sizeof *o->touched_start);
    bool ok = o->touched != NULL && o->touched_start != NULL;
    int32_t n = 0;
    for (int32_t i = 0; ok && i < o->n; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; ok && k < call->n_inputs; k++) {
            ok = touch(o, call->inputs[k], i, &n);
        }
        for (int32_t k = 0; ok && k < call->n_outputs; k++) {
            ok = touch(o, call->node->outputs[k], i, &n);
        }
        o->touched_start[i + 1] = n;
    }
    return ok;
}

static void mark_ports(oribi_order *o)
{
    const oribi_program *c = o->c;
    for (int32_t i = 0; i < c->n_inputs; i++) {
        const int32_t b = o->block_of[c->inputs[i].value];
        if (b >= 0 && !o->blocks[b].from_start) {
            o->blocks[b].from_start = true;
            o->live_at_start += o->blocks[b].bytes;
        }
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        const int32_t b = o->block_of[c->outputs[i].value];
        if (b >= 0) {
            o->blocks[b].to_end = true;
        }
    }
}

/* --- Who comes before whom ------------------------------------------------------------------- */

static bool find_needs(oribi_order *o)
{
    const oribi_program *c = o->c;
    const size_t words = (size_t)o->n_words;
    int32_t *producer =
        oribi_arena_array(&o->arena, (size_t)c->graph->n_values + 1, sizeof *producer);
    o->needs = oribi_arena_array(&o->arena, (size_t)o->n * words, sizeof *o->needs);
    if (producer == NULL || o->needs == NULL) {
        return false;
    }
    for (int32_t i = 0, effect = -1; i < o->n; i++) {
        const oribi_call *call = &c->calls[i];
        uint64_t *needs = o->needs + (size_t)i * words;
        for (int32_t k = 0; k < call->n_inputs; k++) {
            if (producer[call->inputs[k]] > 0) {
                set(needs, producer[call->inputs[k]] - 1);
            }
        }
        if (call->has_effect) {
            if (effect >= 0) {
                set(needs, effect);
            }
            effect = i;
        }
        for (int32_t k = 0; k < call->node->n_outputs; k++) {
            producer[call->node->outputs[k]] = i + 1;
        }
    }
    return true;
}

bool oribi__order_init(oribi_order *o, const oribi_program *c)
{
    o->c = c;
    o->n = c->n_calls;
    o->n_words = (o->n + 63) / 64;
    if (!name_blocks(o) || !touch_all(o) || !find_needs(o)) {
        return false;
    }
    mark_ports(o);
    return true;
}

bool oribi__order_is_ready(const oribi_order *o, const uint64_t *done, int32_t call)
{
    const uint64_t *needs = o->needs + (size_t)call * (size_t)o->n_words;
    bool is_ready = !has(done, call);
    for (int32_t i = 0; i < o->n_words && is_ready; i++) {
        is_ready = (needs[i] & ~done[i]) == 0;
    }
    return is_ready;
}

/* --- Running --------------------------------------------------------------------------------- */

/* Is the call the first (or the last) that touches the block, after `done`? */
static bool begins(const oribi_order *o, const oribi_order_block *b, const uint64_t *done)
{
    bool is_new = !b->from_start;
    for (int32_t i = 0; i < o->n_words && is_new; i++) {
        is_new = (b->touching[i] & done[i]) == 0;
    }
    return is_new;
}

static bool ends(const oribi_order *o, const oribi_order_block *b, const uint64_t *done,
                 int32_t call)
{
    bool is_last = !b->to_end;
    for (int32_t i = 0; i < o->n_words && is_last; i++) {
        const uint64_t own = call / 64 == i ? (uint64_t)1 << (call % 64) : 0;
        is_last = (b->touching[i] & ~done[i] & ~own) == 0;
    }
    return is_last;
}

/* Most bytes that a result of b bytes and an input of a bytes may have in common. */
static int64_t most_common(const oribi_call_alias *alias, int64_t a, int64_t b)
{
    const int64_t best = a > b ? a - b : 0;
    const int64_t at = alias->is_exact ? 0 : alias->distance < best ? alias->distance : best;
    const int64_t end = at + b < a ? at + b : a;
    const int64_t common = end - (at > 0 ? at : 0);
    return common > 0 ? common : 0;
}

static int64_t saved_by_aliases(const oribi_order *o, const uint64_t *done, int32_t index)
{
    const oribi_call *call = &o->c->calls[index];
    int64_t most = 0;
    for (int32_t k = 0; k < call->n_aliases; k++) {
        const int32_t a = o->block_of[call->inputs[call->aliases[k].input]];
        const int32_t b = o->block_of[call->node->outputs[0]];
        if (a < 0 || b < 0 || a == b || !begins(o, &o->blocks[b], done) ||
            !ends(o, &o->blocks[a], done, index)) {
            continue;
        }
        const int64_t common =
            most_common(&call->aliases[k], o->blocks[a].bytes, o->blocks[b].bytes);
        most = common > most ? common : most;
    }
    return most;
}

void oribi__order_run(const oribi_order *o, const uint64_t *done, int32_t call, int64_t *live,
                      int64_t *out_peak)
{
    int64_t ended = 0;
    for (int32_t k = o->touched_start[call]; k < o->touched_start[call + 1]; k++) {
        const oribi_order_block *b = &o->blocks[o->touched[k]];
        *live += begins(o, b, done) ? b->bytes : 0;
        ended += ends(o, b, done, call) ? b->bytes : 0;
    }
    *out_peak = *live + o->c->calls[call].scratch_bytes - saved_by_aliases(o, done, call);
    *live -= ended;
}

int64_t oribi__order_given_peak(const oribi_order *o)
{
    uint64_t done[64] = {0}; /* of at most 4096 calls */
    int64_t live = o->live_at_start, most = 0;
    for (int32_t i = 0; i < o->n; i++) {
        int64_t peak;
        oribi__order_run(o, done, i, &live, &peak);
        most = peak > most ? peak : most;
        set(done, i);
    }
    return most;
}

int64_t oribi__order_least_peak(const oribi_order *o)
{
    int64_t least = o->live_at_start;
    for (int32_t i = 0; i < o->n; i++) {
        const oribi_call *call = &o->c->calls[i];
        int64_t sum = call->scratch_bytes, saved = 0;
        for (int32_t k = o->touched_start[i]; k < o->touched_start[i + 1]; k++) {
            sum += o->blocks[o->touched[k]].bytes;
        }
        for (int32_t k = 0; k < call->n_aliases; k++) {
            const int32_t a = o->block_of[call->inputs[call->aliases[k].input]];
            const int32_t b = o->block_of[call->node->outputs[0]];
            const int64_t common =
                a < 0 || b < 0 || a == b
                    ? 0
                    : most_common(&call->aliases[k], o->blocks[a].bytes, o->blocks[b].bytes);
            saved = common > saved ? common : saved;
        }
        least = sum - saved > least ? sum - saved : least;
    }
    return least;
}
