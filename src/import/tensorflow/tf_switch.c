/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions as graphs had them before functions did it, and as freezing still writes them: a
 * Switch lets a value through one way or the other, a Merge takes what came. Where nothing on
 * either way can fail, both are computed and one is chosen; else the nodes between Switch and Merge
 * are read once more, each way into a graph of its own, of which one runs.
 */
#include <string.h>

#include "base/alloc.h"
#include "import/tensorflow/tf_emit.h"

enum { MOST_WAYS = 32 }; /* of one switch */

/* What leads to one side of a Merge. */
typedef struct side {
    oribi_tf *tf;
    const oribi_graphdef *reader;
    oribi_string predicate; /* look no further than its switches, and only at what is computed */
    oribi_map masks;        /* by the predicate's node: which ways were taken, bit of the output */
    oribi_map seen;
    oribi_graphdef_seen *switches; /* of the predicate */
    int32_t n_switches;
    bool may_fail;
} side;

/* What fails, or takes long, by what its inputs hold. Others take any numbers. */
static bool may_fail(oribi_string op)
{
    static const char *const ops[] = {"BroadcastTo", "CropAndResize", "Exit",   "Fill",  "Gather",
                                      "GatherNd",    "GatherV2",      "Pad",    "PadV2", "Range",
                                      "Reshape",     "Slice",         "SplitV", "Tile",  "TopKV2"};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (oribi_string_is(op, ops[i])) {
            return true;
        }
    }
    return op.length > 5 && (memcmp(op.data, "NonMa", 5) == 0 || memcmp(op.data, "Tenso", 5) == 0 ||
                             memcmp(op.data, "Resiz", 5) == 0);
}

/* The node that a Switch asks; false: it is another output of one, which would be taken for the
 * first. */
static bool asks(const oribi_graphdef *reader, const oribi_graphdef_seen *node, oribi_string *out)
{
    oribi_graphdef_seen predicate;
    int32_t output = 0;
    const bool is_known = node->n_inputs >= 2 &&
                          oribi_graphdef_look(reader, node->inputs[1], &predicate, &output) &&
                          output == 0;
    *out = is_known ? predicate.name : (oribi_string){"", 0};
    return is_known;
}

static bool note_switch(side *s, const oribi_graphdef_seen *node, int32_t port, bool *out_is_end,
                        TF_Status *status)
{
    oribi_string name;
    if (!asks(s->reader, node, &name)) {
        return true;
    }
    *out_is_end = s->predicate.length > 0 && oribi_string_same(name, s->predicate);
    if (*out_is_end && oribi_map_get_n(&s->seen, node->name.data, node->name.length) == NULL) {
        s->switches[s->n_switches++] = *node;
    }
    uint32_t *mask = oribi_map_get_n(&s->masks, name.data, name.length);
    if (mask == NULL) {
        mask = oribi_arena_array(&s->tf->kept, 1, sizeof *mask);
        ORIBI_TRY((mask != NULL && oribi_map_put_n(&s->masks, name.data, name.length, mask)) ||
                  oribi_fail_memory(status));
    }
    *mask |= UINT32_C(1) << (port % MOST_WAYS);
    return true;
}

/* One node that leads there; its inputs go onto the stack. */
static bool visit(side *s, oribi_string text, oribi_string *stack, size_t *depth, TF_Status *status)
{
    static char mark;
    oribi_graphdef_seen node;
    int32_t port;
    bool is_end = false;
    if (text.length > 0 && text.data[0] == '^') {
        text = (oribi_string){text.data + 1, text.length - 1};
    }
    if (!oribi_graphdef_at_reference(s->reader, text, &node, &port)) {
        return true;
    }
    const bool is_switch =
        oribi_string_is(node.op, "Switch") || oribi_string_is(node.op, "_SwitchN");
    ORIBI_TRY(!is_switch || note_switch(s, &node, port, &is_end, status));
    if (oribi_map_get_n(&s->seen, node.name.data, node.name.length) != NULL) {
        return true;
    }
    s->may_fail = s->may_fail || may_fail(node.op);
    is_end = is_end || oribi_string_is(node.op, "NextIteration"); /* which took either way */
    for (int32_t i = 0; !is_end && i < node.n_inputs; i++) {
        const bool is_control = node.inputs[i].length > 0 && node.inputs[i].data[0] == '^';
        if (s->predicate.length == 0 || !is_control) {
            stack[(*depth)++] = node.inputs[i];
        }
    }
    return oribi_map_put_n(&s->seen, node.name.data, node.name.length, &mark) ||
           oribi_fail_memory(status);
}

/* All that leads to a reference, control inputs as well: a branch may be a constant. */
static bool collect(side *s, oribi_string from, TF_Status *status)
{
    size_t most = 1, depth = 0; /* each node's inputs, once */
    ORIBI_TRY(oribi_tf_spend(s->tf, oribi_graphdef_count(s->reader), status));
    for (int32_t i = 0; i < oribi_graphdef_count(s->reader); i++) {
        oribi_graphdef_seen node;
        oribi_graphdef_at(s->reader, i, &node);
        most += (size_t)node.n_inputs;
    }
    oribi_string *stack = oribi_alloc_array(most, sizeof *stack);
    s->switches = oribi_arena_array(&s->tf->kept, (size_t)oribi_graphdef_count(s->reader) + 1,
                                    sizeof *s->switches);
    bool ok = (stack != NULL && s->switches != NULL) || oribi_fail_memory(status);
    if (ok) {
        stack[depth++] = from;
    }
    while (ok && depth > 0) {
        const oribi_string text = stack[--depth];
        ok = visit(s, text, stack, &depth, status);
    }
    oribi_free(stack);
    return ok;
}

static void side_end(side *s)
{
    oribi_map_destroy(&s->masks);
    oribi_map_destroy(&s->seen);
}

/* What one side asks with one outcome and the other with the other. */
static bool find_predicate(const side *sides, oribi_string *out, int *out_true)
{
    for (size_t i = 0; i < sides[0].masks.n_entries; i++) {
        const oribi_map_entry *entry = &sides[0].masks.entries[i];
        const uint32_t *a = entry->value;
        const uint32_t *b = oribi_map_get_n(&sides[1].masks, entry->key, entry->key_length);
        if (b != NULL && ((*a == 1 && *b == 2) || (*a == 2 && *b == 1))) {
            *out = (oribi_string){entry->key, entry->key_length};
            *out_true = *a == 2 ? 0 : 1;
            return true;
        }
    }
    return false;
}

/* --- A condition ---------------------------------------------------------------------------- */

typedef struct condition {
    oribi_tf_scope *scope;
    oribi_string ways[2];   /* what the Merge takes: when true, when false */
    oribi_string *switches; /* their names, in order of the inputs */
} condition;

static bool fetch_text(const oribi_tf_scope *scope, oribi_string text, oribi_value_id *out,
                       TF_Status *status)
{
    const char *name = oribi_tf_text(scope->tf, text, status);
    return name != NULL && oribi_graphdef_fetch(scope->reader, name, out, status);
}

static bool hand_on(const oribi_tf_ways *self, bool is_true, const oribi_value_id *inputs,
                    oribi_value_id *out, TF_Status *status)
{
    (void)self;
    (void)status;
    out[0] = inputs[is_true ? 0 : 1];
    return true;
}

/* The nodes of one way once more; the switches let everything through. */
static bool read_way(const oribi_tf_ways *self, bool is_true, const oribi_value_id *inputs,
                     oribi_value_id *out, TF_Status *status)
{
    const condition *c = self->arg;
    oribi_tf *tf = self->tf;
    const oribi_wire *message = &c->scope->message;
    oribi_tf_scope scope = {.tf = tf, .message = *message, .number = tf->calls_left};
    scope.prefix = oribi_arena_printf(&tf->kept, "%s/%s/", self->label, is_true ? "then" : "else");
    const oribi_graphdef_known known = {.arg = &scope,
                                        .prefix = scope.prefix,
                                        .skips_controls = true,
                                        .is_whole = oribi_tf_is_whole,
                                        .make = oribi_tf_make,
                                        .spelling = oribi_tf_spelling,
                                        .argument = oribi_tf_argument};
    ORIBI_TRY((scope.prefix != NULL || oribi_fail_memory(status)) &&
              oribi_tf_spend(tf, oribi_graphdef_count(c->scope->reader), status));
    scope.reader = oribi_graphdef_open(tf->graph, message->at, (size_t)(message->end - message->at),
                                       &known, status);
    bool ok = scope.reader != NULL;
    for (int32_t i = 0; ok && i < self->n_inputs; i++) {
        const oribi_value_id both[] = {inputs[i], inputs[i]};
        ok = oribi_graphdef_feed_node(scope.reader, c->switches[i], both, 2, status);
    }
    tf->depth++;
    ok = ok && fetch_text(&scope, c->ways[is_true ? 0 : 1], out, status);
    tf->depth--;
    oribi_graphdef_close(scope.reader);
    return ok;
}

/* The values that the predicate's switches let through. */
static bool take_switches(condition *c, oribi_tf_ways *ways, side *sides, TF_Status *status)
{
    const int32_t most = sides[0].n_switches + sides[1].n_switches;
    oribi_value_id *inputs = oribi_arena_array(&ways->tf->kept, (size_t)most + 1, sizeof *inputs);
    c->switches = oribi_arena_array(&ways->tf->kept, (size_t)most + 1, sizeof *c->switches);
    ORIBI_TRY((inputs != NULL && c->switches != NULL) || oribi_fail_memory(status));
    for (int k = 0; k < 2; k++) {
        for (int32_t i = 0; i < sides[k].n_switches; i++) {
            const oribi_graphdef_seen *node = &sides[k].switches[i];
            bool is_new = true;
            for (int32_t j = 0; j < ways->n_inputs; j++) {
                is_new = is_new && !oribi_string_same(c->switches[j], node->name);
            }
            if (is_new) {
                c->switches[ways->n_inputs] = node->name;
                ORIBI_TRY(fetch_text(c->scope, node->inputs[0], &inputs[ways->n_inputs++], status));
            }
        }
    }
    ways->inputs = inputs;
    return true;
}

/* Each way in a graph of its own. False with the status untouched: nothing can fail. */
static bool choose_way(condition *c, oribi_tf_ways *ways, oribi_string predicate,
                       oribi_value_id asked, oribi_value_id *out, TF_Status *status)
{
    side sides[2] = {{.tf = ways->tf, .reader = c->scope->reader, .predicate = predicate},
                     {.tf = ways->tf, .reader = c->scope->reader, .predicate = predicate}};
    bool ok = collect(&sides[0], c->ways[0], status) && collect(&sides[1], c->ways[1], status);
    const bool is_wanted = ok && (sides[0].may_fail || sides[1].may_fail);
    ok = is_wanted && take_switches(c, ways, sides, status);
    side_end(&sides[0]);
    side_end(&sides[1]);
    if (ok && oribi_tf_any_blocked(ways->inputs, ways->n_inputs)) {
        out[0] = ORIBI_TF_BLOCKED;
        return true;
    }
    ways->make = read_way;
    return ok && oribi_tf_make_choice(ways, asked, out, status);
}

/* Both computed, and one chosen. */
static bool choose_value(const condition *c, oribi_tf_ways *ways, oribi_value_id asked,
                         oribi_value_id *out, TF_Status *status)
{
    oribi_value_id values[2] = {-1, -1};
    ORIBI_TRY(fetch_text(c->scope, c->ways[0], &values[0], status) &&
              fetch_text(c->scope, c->ways[1], &values[1], status));
    if (oribi_tf_any_blocked(values, 2)) {
        out[0] = ORIBI_TF_BLOCKED;
        return true;
    }
    if (values[0] < 0 || values[1] < 0) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "it chooses between what is no tensor");
    }
    ways->inputs = values;
    ways->n_inputs = 2;
    ways->make = hand_on;
    return oribi_tf_make_choice(ways, asked, out, status);
}

static bool find_condition(condition *c, const oribi_graphdef_seen *merge, oribi_string *predicate,
                           TF_Status *status)
{
    side sides[2] = {{.tf = c->scope->tf, .reader = c->scope->reader},
                     {.tf = c->scope->tf, .reader = c->scope->reader}};
    int when_true = 0;
    const bool ok = collect(&sides[0], merge->inputs[0], status) &&
                    collect(&sides[1], merge->inputs[1], status) &&
                    (find_predicate(sides, predicate, &when_true) ||
                     oribi_fail(status, TF_UNIMPLEMENTED,
                                "no condition tells its two inputs apart; freeze the graph with "
                                "lower_control_flow=False, or give the SavedModel"));
    const char *kept = oribi_arena_strndup(&c->scope->tf->kept, predicate->data, predicate->length);
    predicate->data = kept; /* was the map's */
    c->ways[0] = merge->inputs[when_true];
    c->ways[1] = merge->inputs[1 - when_true];
    side_end(&sides[0]);
    side_end(&sides[1]);
    return ok && (kept != NULL || oribi_fail_memory(status));
}

/* --- One of many ------------------------------------------------------------------------------ */

typedef struct many {
    side sides[MOST_WAYS];
    uint32_t ways[MOST_WAYS]; /* of which output of the switches each comes */
    oribi_string index;       /* what they ask */
} many;

/* What each side asks with an outcome of its own. */
static bool find_index(many *all, int32_t n)
{
    for (size_t i = 0; i < all->sides[0].masks.n_entries; i++) {
        const oribi_map_entry *entry = &all->sides[0].masks.entries[i];
        uint32_t taken = 0;
        bool is_it = true;
        for (int32_t k = 0; k < n && is_it; k++) {
            const uint32_t *mask =
                oribi_map_get_n(&all->sides[k].masks, entry->key, entry->key_length);
            is_it = mask != NULL && (*mask & (*mask - 1)) == 0 && (*mask & taken) == 0;
            taken |= is_it ? *mask : 0;
            all->ways[k] = is_it ? *mask : 0;
        }
        if (is_it) {
            all->index = (oribi_string){entry->key, entry->key_length};
            return true;
        }
    }
    return false;
}

/* All are computed, and one chosen: the last where the index is of none. */
static bool choose_of_many(const oribi_tf_maker *m, const oribi_tf_scope *scope, const many *all,
                           const oribi_graphdef_seen *merge, oribi_value_id out[2])
{
    oribi_value_id index = -1, value = -1;
    const int32_t n = merge->n_inputs;
    ORIBI_TRY(fetch_text(scope, all->index, &index, m->status));
    for (uint32_t way = MOST_WAYS; way-- > 0;) {
        for (int32_t k = 0; k < n; k++) {
            oribi_value_id one = -1;
            if (all->ways[k] != UINT32_C(1) << way) {
                continue;
            }
            ORIBI_TRY(fetch_text(scope, merge->inputs[k], &one, m->status));
            if (oribi_tf_any_blocked(&one, 1) || oribi_tf_any_blocked(&index, 1)) {
                out[0] = out[1] = ORIBI_TF_BLOCKED;
                return true;
            }
            if (one < 0) {
                return oribi_fail(m->status, TF_UNIMPLEMENTED,
                                  "it chooses between what is no tensor");
            }
            value = value < 0 ? one
                              : oribi_tf_emit3(m, "SelectV2",
                                               oribi_tf_emit2(m, "Equal", index,
                                                              oribi_tf_int(m, (int32_t)way)),
                                               one, value);
        }
    }
    out[0] = value;
    out[1] = index;
    return oribi_ok(m->status);
}

static int32_t make_of_many(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                            const oribi_graphdef_seen *merge, oribi_value_id *out,
                            TF_Status *status)
{
    const int32_t n = merge->n_inputs;
    const oribi_tf_maker m = {.tf = scope->tf, .name = node->name, .status = status};
    many *all = n <= MOST_WAYS ? oribi_arena_array(&scope->tf->kept, 1, sizeof *all) : NULL;
    if (all == NULL) {
        (void)(n <= MOST_WAYS ? oribi_fail_memory(status)
                              : oribi_fail(status, TF_UNIMPLEMENTED,
                                           "it joins %d ways; %d are "
                                           "supported",
                                           (int)n, (int)MOST_WAYS));
        return -1;
    }
    bool ok = true;
    for (int32_t k = 0; k < n; k++) {
        all->sides[k] = (side){.tf = scope->tf, .reader = scope->reader};
        ok = ok && collect(&all->sides[k], merge->inputs[k], status);
    }
    ok = ok &&
         (find_index(all, n) ||
          oribi_fail(status, TF_UNIMPLEMENTED, "no index tells its %d inputs apart", (int)n)) &&
         choose_of_many(&m, scope, all, merge, out);
    for (int32_t k = 0; k < n; k++) {
        side_end(&all->sides[k]);
    }
    return ok ? 2 : -1;
}

int32_t oribi_tf_make_merge(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                            oribi_value_id *out, int32_t max, TF_Status *status)
{
    oribi_graphdef_seen merge;
    oribi_string predicate = {"", 0};
    oribi_value_id asked = -1;
    condition c = {.scope = scope};
    oribi_tf_ways ways = {.tf = scope->tf, .label = node->name, .arg = &c};
    int32_t port;
    (void)max;
    const bool is_one = scope->reader != NULL &&
                        oribi_graphdef_look(scope->reader, node->short_name, &merge, &port) &&
                        merge.n_inputs >= 2;
    if (!is_one) {
        oribi_fail(status, TF_UNIMPLEMENTED, "it joins no two ways");
        return -1;
    }
    if (merge.n_inputs > 2) {
        return make_of_many(scope, node, &merge, out, status);
    }
    if (!find_condition(&c, &merge, &predicate, status) ||
        !fetch_text(scope, predicate, &asked, status)) {
        return -1;
    }
    out[1] = -1;
    if (asked == ORIBI_TF_BLOCKED) {
        out[0] = out[1] = ORIBI_TF_BLOCKED;
        return 2;
    }
    if (asked >= 0 && scope->tf->graph->values[asked]->dtype != TF_BOOL) { /* of an index */
        return make_of_many(scope, node, &merge, out, status);
    }
    bool ok = choose_way(&c, &ways, predicate, asked, out, status);
    if (!ok) { /* or what the ways need cannot be read twice */
        TF_SetStatus(status, TF_OK, "");
        ok = choose_value(&c, &ways, asked, out, status);
    }
    if (ok && out[0] == ORIBI_TF_BLOCKED) {
        out[1] = ORIBI_TF_BLOCKED;
    }
    return ok ? 2 : -1;
}
