/* SPDX-License-Identifier: Apache-2.0 */
/* Which shape classes of a model become instances: every class that some call belongs to is a
 * candidate; the one that saves most for its bytes is made, until nothing pays or fits any more.
 * Read next: instance_costs.c, emit_instances.c.
 */
#include "compile/instances.h"

#include <inttypes.h>
#include <string.h>

#include "compile/options.h"
#include "micro/lanes_s8.h"

/* What an option asks for: a class has to save so many of 10,000 instructions of the model, and all
 * of them may add so much code. */
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

int32_t oribi_instance_constant_of(const oribi_instance *instance, const char *name,
                                   int32_t otherwise)
{
    for (int32_t i = 0; i < instance->n_constants; i++) {
        if (strcmp(instance->constants[i].name, name) == 0) {
            return instance->constants[i].value;
        }
    }
    return otherwise;
}

static void constant(oribi_instance *instance, const char *name, int32_t value)
{
    instance->constants[instance->n_constants++] = (oribi_instance_constant){name, value};
}

/* --- Classes --------------------------------------------------------------------------------- */

/* Classes of one call at most. */
enum { CLASSES = 2 };

/* Of a call: the items that it could run by, the one that it does (-1: its kernel), and what that
 * costs. */
typedef struct way {
    int32_t items[CLASSES], n_items;
    int32_t item;
    int64_t cost;
} way;

typedef struct chooser {
    oribi_call *calls;
    int32_t n_calls;
    oribi_arena *arena;
    oribi_instance *items;
    int32_t n;
    way *ways; /* by call */
} chooser;

/* As micro/dsp.h can write them out. */
static bool is_unrolled(int32_t taps)
{
    return (taps % 8 == 0 && taps <= 40) || taps == 64;
}

static bool name_point(chooser *c, oribi_instance *out, int32_t channels)
{
    out->name = channels > 0
                    ? oribi_arena_printf(c->arena, "%s_point%d", out->kernel, (int)channels)
                    : oribi_arena_printf(c->arena, "%s_point", out->kernel);
    out->what = channels > 0 ? oribi_arena_printf(c->arena, "points of %d channels", (int)channels)
                             : "points of any channels";
    return out->name != NULL && out->what != NULL;
}

static bool conv_classes(chooser *c, const oribi_call *call, oribi_instance *out, int32_t *n)
{
    const int32_t taps = oribi_call_number_of(call, "taps");
    const int32_t in_c = oribi_call_number_of(call, "in_c");
    const int32_t rows = oribi_call_number_of(call, "filter_h");
    const int32_t columns = oribi_call_number_of(call, "filter_w");
    if (oribi_call_number_of(call, "out_c") % 2 != 0 ||
        oribi_call_number_of(call, "has_general") != 0) {
        return true;
    }
    for (int32_t exact = 0; exact < 2; exact++) {
        oribi_instance *i = &out[*n];
        const bool is_point = oribi_call_number_of(call, "is_point") != 0;
        if (exact != 0 && !is_unrolled(taps) && is_point) {
            continue;
        }
        if (exact == 0 && !is_point) {
            continue;
        }
        *i = (oribi_instance){.kernel = "conv2d_lanes_s8", .body = "all_pixels"};
        constant(i, "IS_PLAIN", 1);
        constant(i, "IS_POINT", is_point ? 1 : 0);
        if (exact != 0) {
            constant(i, "TAPS", taps);
            constant(i, "ROWS", rows);
            constant(i, "ROW_BYTES", columns * in_c);
            constant(i, "IN_C", in_c);
        }
        if (exact != 0 && is_unrolled(taps)) {
            constant(i, "UNROLL", taps);
        }
        if (is_point) {
            ORIBI_TRY(name_point(c, i, exact != 0 ? in_c : 0));
        } else {
            i->name = oribi_arena_printf(c->arena, "%s_%dx%dx%d", i->kernel, (int)rows,
                                         (int)columns, (int)in_c);
            i->what = oribi_arena_printf(c->arena, "windows of %d x %d over %d channels", (int)rows,
                                         (int)columns, (int)in_c);
            ORIBI_TRY(i->name != NULL && i->what != NULL);
        }
        (*n)++;
    }
    return true;
}

static bool depthwise_classes(chooser *c, const oribi_call *call, oribi_instance *out, int32_t *n)
{
    const int32_t columns = oribi_call_number_of(call, "out_columns");
    const int32_t step = oribi_call_number_of(call, "out_column_step");
    const int32_t *words = call->placed[0].data;
    bool fits = columns % 2 == 0 && columns <= 8 &&
                oribi_call_number_of(call, "column_stride") == 1 &&
                oribi_call_number_of(call, "row_stride") == 1 &&
                oribi_call_number_of(call, "out_row_step") == columns * step;
    for (int32_t k = 0; fits && k < oribi_call_number_of(call, "channels"); k++) {
        fits = !oribi_micro_lanes_is_general(words + k * ORIBI_MICRO_LANES_RECORD);
    }
    if (!fits) {
        return true;
    }
    oribi_instance *i = &out[(*n)++];
    *i = (oribi_instance){.kernel = "depthwise_conv2d_3x3_s8", .body = "all_images"};
    constant(i, "IS_PLAIN", 1);
    constant(i, "COLUMNS", columns);
    i->name = oribi_arena_printf(c->arena, "%s_w%d", i->kernel, (int)columns);
    i->what = oribi_arena_printf(c->arena, "rows of %d results beside each other", (int)columns);
    return i->name != NULL && i->what != NULL;
}

/* The item of this name, added if it is new. */
static int32_t find_or_add(chooser *c, const oribi_instance *wanted)
{
    for (int32_t i = 0; i < c->n; i++) {
        if (strcmp(c->items[i].name, wanted->name) == 0) {
            return i;
        }
    }
    c->items[c->n] = *wanted;
    c->items[c->n].code_bytes = oribi_instance_code(wanted);
    return c->n++;
}

static bool list_classes(chooser *c)
{
    for (int32_t k = 0; k < c->n_calls; k++) {
        const oribi_call *call = &c->calls[k];
        oribi_instance found[CLASSES];
        int32_t n = 0;
        way *w = &c->ways[k];
        *w = (way){.item = -1, .cost = oribi_instance_cost(call, NULL)};
        if (call->kernel != NULL && strcmp(call->kernel, "conv2d_lanes_s8") == 0) {
            ORIBI_TRY(conv_classes(c, call, found, &n));
        } else if (call->kernel != NULL && strcmp(call->kernel, "depthwise_conv2d_3x3_s8") == 0) {
            ORIBI_TRY(depthwise_classes(c, call, found, &n));
        }
        for (int32_t i = 0; i < n; i++) {
            const int32_t item = find_or_add(c, &found[i]);
            w->items[w->n_items++] = item;
            c->items[item].n_calls++;
            c->items[item].generic += w->cost;
            c->items[item].special += oribi_instance_cost(call, &c->items[item]);
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
            if (w->items[i] != item) {
                continue;
            }
            const int64_t cost = oribi_instance_cost(&c->calls[k], &c->items[item]);
            if (cost < w->cost) {
                w->item = item;
                w->cost = cost;
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
static bool is_needed(const chooser *c, const char *kernel)
{
    for (int32_t k = 0; k < c->n_calls; k++) {
        const char *called = c->ways[k].item < 0 ? c->calls[k].kernel : NULL;
        if (called != NULL &&
            (strcmp(called, kernel) == 0 || (strcmp(called, "conv2d_add_lanes_s8") == 0 &&
                                             strcmp(kernel, "conv2d_lanes_s8") == 0))) {
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
            is_first = is_first && strcmp(c->items[k].kernel, c->items[i].kernel) != 0;
        }
        bytes += calls_of(c, i) > 0 ? c->items[i].code_bytes : 0;
        if (is_first && !is_needed(c, c->items[i].kernel)) {
            bytes -= oribi_instance_kernel_code(c->items[i].kernel);
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
            (best < 0 || gain * c->items[best].code_bytes > best_gain * item->code_bytes)) {
            best = i;
            best_gain = gain;
        }
        memcpy(c->ways, before, bytes);
    }
    return best;
}

/* A kernel that all calls could do without costs nothing any more: the classes of all its calls
 * together, when that fits although one of them did not. */
static void cover(chooser *c, const policy *p, const char *kernel, way *before)
{
    const int64_t now = total(c);
    memcpy(before, c->ways, (size_t)c->n_calls * sizeof *before);
    for (int32_t k = 0; k < c->n_calls; k++) {
        const way *w = &c->ways[k];
        if (w->n_items > 0 && strcmp(c->items[w->items[0]].kernel, kernel) == 0) {
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
        if (c->ways[k].item >= 0) {
            oribi_call *call = &c->calls[k];
            oribi_instance *item = &c->items[c->ways[k].item];
            item->n_calls++;
            item->generic += oribi_instance_cost(call, NULL);
            item->special += c->ways[k].cost;
            call->args = call->args != NULL ? call->args : call->kernel;
            call->kernel = call->header = item->name;
            call->instance = item;
        }
    }
}

bool oribi_instances_choose(oribi_call *calls, int32_t n_calls, int32_t optimize,
                            oribi_arena *arena, oribi_instances *out)
{
    const policy p = policy_of(optimize);
    const size_t n = (size_t)n_calls + 1;
    chooser c = {.calls = calls, .n_calls = n_calls, .arena = arena};
    c.items = oribi_arena_array(arena, CLASSES * n, sizeof *c.items);
    c.ways = oribi_arena_array(arena, n, sizeof *c.ways);
    way *before = oribi_arena_array(arena, n, sizeof *before);
    if (c.items == NULL || c.ways == NULL || before == NULL || !list_classes(&c)) {
        return false;
    }
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
        cover(&c, &p, c.items[i].kernel, before);
    }
    out->with = total(&c);
    out->code_bytes = added_code(&c);
    apply(&c);
    return true;
}
