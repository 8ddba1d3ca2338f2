/* SPDX-License-Identifier: Apache-2.0 */
/* Which shape classes of a model become instances: every class that some call belongs to is a
 * candidate; the one that saves most for its bytes is made, until nothing pays or fits any more.
 * Read next: ../../../micro/costs_prepare.h, emit_instances.c.
 */
#include "compile/lower/instances.h"

#include <inttypes.h>
#include <string.h>

#include "compile/common/compile_options.h"
#include "compile/lower/rings/rings.h"

/* The demands of an option: a class has to save so many of 10,000 instructions of the model, and
 * all of them may add so much code. */
typedef struct policy {
    int32_t least, budget_bytes;
} policy;

static policy policy_of(int32_t optimize)
{
    static const policy balanced = {50, 1408}, size = {0, 0}, speed = {10, 8192};
    return optimize == ORIBI_OPTIMIZE_SIZE    ? size
           : optimize == ORIBI_OPTIMIZE_SPEED ? speed
                                              : balanced;
}

/* --- Classes --------------------------------------------------------------------------------- */

enum { MAC = 4 /* instructions of a kernel that says nothing of its costs */ };

/* How a call may run: the items that it could use and what each would cost, the one that it uses
 * (-1: its kernel), and what that costs. */
typedef struct way {
    int32_t items[ORIBI_MICRO_CLASSES], n_items;
    int64_t costs[ORIBI_MICRO_CLASSES];
    int32_t item;
    int64_t cost;
} way;

typedef struct chooser {
    oribi_call **calls; /* of kernels */
    int32_t n_calls;
    oribi_arena *arena;
    oribi_instance *items;
    int32_t n;
    way *ways; /* by call */
} chooser;

int64_t oribi_call_cost(const oribi_call *call)
{
    return call->kernel == NULL  ? 0
           : call->costs != NULL ? call->costs->instructions(call->arguments)
                                 : MAC * call->macs;
}

/* A text of the class with its numbers. NULL: no memory. */
static const char *spell(const chooser *c, const char *format, const struct oribi_micro_class *from)
{
    return oribi_arena_printf(c->arena, format, (int)from->numbers[0], (int)from->numbers[1],
                              (int)from->numbers[2]);
}

/* The item of this class of the kernel, added if it is new; -1: no memory. */
static int32_t find_or_add(chooser *c, const struct oribi_micro_costs *costs,
                           const struct oribi_micro_class *wanted)
{
    for (int32_t i = 0; i < c->n; i++) {
        const oribi_instance *item = &c->items[i];
        if (item->costs == costs && strcmp(item->shape.name, wanted->name) == 0 &&
            memcmp(item->shape.numbers, wanted->numbers, sizeof wanted->numbers) == 0) {
            return i;
        }
    }
    oribi_instance *item = &c->items[c->n];
    *item = (oribi_instance){.costs = costs, .shape = *wanted};
    const char *name = spell(c, wanted->name, wanted);
    item->what = spell(c, wanted->what, wanted);
    item->name = name != NULL ? oribi_arena_printf(c->arena, "%s_%s", costs->kernel, name) : NULL;
    return item->name != NULL && item->what != NULL ? c->n++ : -1;
}

static bool list_classes(chooser *c)
{
    for (int32_t k = 0; k < c->n_calls; k++) {
        const oribi_call *call = c->calls[k];
        struct oribi_micro_class found[ORIBI_MICRO_CLASSES];
        const bool has_classes =
            call->kernel != NULL && call->costs != NULL && call->costs->classes != NULL;
        const int32_t n = has_classes ? call->costs->classes(call->arguments, found) : 0;
        way *w = &c->ways[k];
        *w = (way){.item = -1, .cost = oribi_call_cost(call)};
        for (int32_t i = 0; i < n; i++) {
            const int32_t item = find_or_add(c, call->costs, &found[i]);
            ORIBI_TRY(item >= 0);
            w->costs[w->n_items] = found[i].instructions;
            w->items[w->n_items++] = item;
            c->items[item].n_calls++;
            c->items[item].generic += w->cost;
            c->items[item].special += found[i].instructions;
        }
    }
    return true;
}

/* --- Choice ---------------------------------------------------------------------------------- */

static int64_t total(const chooser *c)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < c->n_calls; k++) {
        sum += c->ways[k].cost;
    }
    return sum;
}

/* Lets the calls of the item's class run by it that are cheaper so. */
static void take(chooser *c, int32_t item)
{
    for (int32_t k = 0; k < c->n_calls; k++) {
        way *w = &c->ways[k];
        for (int32_t i = 0; i < w->n_items; i++) {
            if (w->items[i] == item && w->costs[i] < w->cost) {
                w->item = item;
                w->cost = w->costs[i];
            }
        }
    }
}

static int32_t calls_of(const chooser *c, int32_t item)
{
    int32_t n = 0;
    for (int32_t k = 0; k < c->n_calls; k++) {
        n += c->ways[k].item == item ? 1 : 0;
    }
    return n;
}

/* Whether some call still needs the code of the kernel. */
static bool is_needed(const chooser *c, const struct oribi_micro_costs *kernel)
{
    for (int32_t k = 0; k < c->n_calls; k++) {
        const oribi_call *call = c->calls[k];
        const bool runs = call->kernel != NULL && c->ways[k].item < 0 && call->costs != NULL;
        if (runs && (call->costs == kernel || call->costs->uses == kernel)) {
            return true;
        }
    }
    return false;
}

/* Bytes that the items in use add, less kernels that they make superfluous. */
static int32_t added_code(const chooser *c)
{
    int32_t bytes = 0;
    for (int32_t i = 0; i < c->n; i++) {
        bool is_first = true;
        for (int32_t k = 0; k < i; k++) {
            is_first = is_first && c->items[k].costs != c->items[i].costs;
        }
        bytes += calls_of(c, i) > 0 ? c->items[i].shape.code_bytes : 0;
        if (is_first && !is_needed(c, c->items[i].costs)) {
            bytes -= c->items[i].costs->code_bytes;
        }
    }
    return bytes;
}

/* The item that saves most for its bytes of those that pay and fit; -1: none. */
static int32_t best_item(chooser *c, const policy *p, way *before)
{
    const size_t bytes = (size_t)c->n_calls * sizeof *before;
    const int64_t now = total(c);
    int64_t best_gain = 0;
    int32_t best = -1;
    memcpy(before, c->ways, bytes);
    for (int32_t i = 0; i < c->n; i++) {
        oribi_instance *item = &c->items[i];
        if (item->is_made) {
            continue;
        }
        take(c, i);
        const int64_t gain = now - total(c);
        const bool pays = gain > 0 && gain >= now / 10000 * p->least;
        const bool fits = added_code(c) <= p->budget_bytes;
        item->why = !pays ? "saves too little" : !fits ? "does not fit the budget" : item->why;
        if (pays && fits &&
            (best < 0 ||
             gain * c->items[best].shape.code_bytes > best_gain * item->shape.code_bytes)) {
            best = i;
            best_gain = gain;
        }
        memcpy(c->ways, before, bytes);
    }
    return best;
}

/* A kernel that all calls could do without costs nothing any more: the classes of all its calls
 * together, when that fits although one of them did not. */
static void cover(chooser *c, const policy *p, const struct oribi_micro_costs *kernel, way *before)
{
    const int64_t now = total(c);
    memcpy(before, c->ways, (size_t)c->n_calls * sizeof *before);
    for (int32_t k = 0; k < c->n_calls; k++) {
        const way *w = &c->ways[k];
        if (w->n_items > 0 && c->items[w->items[0]].costs == kernel) {
            take(c, w->items[w->n_items - 1]);
        }
    }
    if (is_needed(c, kernel) || added_code(c) > p->budget_bytes ||
        now - total(c) < now / 10000 * p->least) {
        memcpy(c->ways, before, (size_t)c->n_calls * sizeof *before);
    }
}

/* Those that are made first, then by what they would save; a call's item follows. */
static void sort(chooser *c)
{
    for (int32_t i = 1; i < c->n; i++) {
        for (int32_t k = i; k > 0 && c->items[k].is_made && !c->items[k - 1].is_made; k--) {
            const oribi_instance item = c->items[k];
            c->items[k] = c->items[k - 1];
            c->items[k - 1] = item;
            for (int32_t j = 0; j < c->n_calls; j++) {
                int32_t *at = &c->ways[j].item;
                *at = *at == k ? k - 1 : *at == k - 1 ? k : *at;
            }
        }
    }
}

/* The calls become those of the items that they run by. */
static void apply(chooser *c)
{
    for (int32_t i = 0; i < c->n; i++) {
        oribi_instance *item = &c->items[i];
        item->is_made = calls_of(c, i) > 0;
        item->why = item->is_made ? "saves enough for its bytes" : item->why;
    }
    sort(c);
    for (int32_t i = 0; i < c->n && c->items[i].is_made; i++) {
        c->items[i].n_calls = 0;
        c->items[i].generic = c->items[i].special = 0;
    }
    for (int32_t k = 0; k < c->n_calls; k++) {
        oribi_call *call = c->calls[k];
        call->instructions = c->ways[k].cost;
        if (c->ways[k].item >= 0) {
            oribi_instance *item = &c->items[c->ways[k].item];
            item->n_calls++;
            item->generic += oribi_call_cost(call);
            item->special += c->ways[k].cost;
            call->kernel = item->name;
            call->instance = item;
        }
    }
}

static bool list_kernels(chooser *c, oribi_call *calls, int32_t n_calls)
{
    size_t n = 0;
    for (int32_t i = 0; i < n_calls; i++) {
        n += (size_t)oribi_call_n_parts(&calls[i]);
    }
    c->calls = oribi_arena_array(c->arena, n + 1, sizeof(oribi_call *));
    for (int32_t i = 0; i < n_calls && c->calls != NULL; i++) {
        for (int32_t k = 0; k < oribi_call_n_parts(&calls[i]); k++) {
            oribi_rings *rings = calls[i].rings;
            c->calls[c->n_calls++] = rings != NULL ? &rings->parts[k].call : &calls[i];
        }
    }
    return c->calls != NULL;
}

/* What calls with rings take is known when their parts are. */
static void sum_up(oribi_call *calls, int32_t n_calls)
{
    for (int32_t i = 0; i < n_calls; i++) {
        const oribi_rings *rings = calls[i].rings;
        for (int32_t k = 0; rings != NULL && k < rings->n_parts; k++) {
            calls[i].instructions +=
                rings->parts[k].call.instructions + (k == 0 ? rings->extra : 0);
        }
    }
}

bool oribi_instances_choose(oribi_call *calls, int32_t n_calls, int32_t optimize,
                            oribi_arena *arena, oribi_instances *out)
{
    const policy p = policy_of(optimize);
    chooser c = {.arena = arena};
    ORIBI_TRY(list_kernels(&c, calls, n_calls));
    const size_t n = (size_t)c.n_calls + 1;
    c.items = oribi_arena_array(arena, ORIBI_MICRO_CLASSES * n, sizeof *c.items);
    c.ways = oribi_arena_array(arena, n, sizeof *c.ways);
    way *before = oribi_arena_array(arena, n, sizeof *before);
    ORIBI_TRY(c.items != NULL && c.ways != NULL && before != NULL && list_classes(&c));
    *out = (oribi_instances){.items = c.items, .n = c.n, .budget_bytes = p.budget_bytes};
    out->instructions = total(&c);
    for (int32_t i = 0; i < c.n; i++) {
        c.items[i].why = "one kernel each is asked for";
    }
    for (int32_t best = 0; p.budget_bytes > 0 && (best = best_item(&c, &p, before)) >= 0;) {
        take(&c, best);
        c.items[best].is_made = true;
        c.items[best].why = "the calls that it would save run by others";
    }
    for (int32_t i = 0; p.budget_bytes > 0 && i < c.n; i++) {
        cover(&c, &p, c.items[i].costs, before);
    }
    out->with = total(&c);
    out->code_bytes = added_code(&c);
    apply(&c);
    sum_up(calls, n_calls);
    return true;
}
