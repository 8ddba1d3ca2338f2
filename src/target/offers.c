/* SPDX-License-Identifier: Apache-2.0 */
/* Offers: the subgraphs that targets with a compiler of their own get to see. Each grows from the
 * first operator that is left, by neighbours, until none can be added without a way that leaves it
 * and comes back: such a way would have the device wait for itself. What is refused as a whole is
 * offered in halves of its order, which no such way joins either. What is taken becomes one node
 * at once, so that later subgraphs see it as what it is.
 */
#include <string.h>

#include "target/partition.h"
#include "tensor/status.h"

enum { OFFERS_MAX = 500, ANYWHERE = -2 };

/* What reports call a region that no pattern found. */
static const oribi_target_pattern compiled = {.struct_size = sizeof(oribi_target_pattern),
                                              .name = "compile_region"};

typedef struct offering {
    oribi_partitioning *p;
    const oribi_target *target;
    /* By node: */
    int32_t *group;  /* those of one are offered together; -1: it is not offered */
    int32_t *wanted; /* the device that an assignment names; ANYWHERE */
    int32_t *at;     /* its place in the order */
    int32_t *seen;   /* by which search */
    bool *decides;   /* whether others run */
    bool *is_member;
    oribi_node **members; /* in their order, once the region is grown */
    oribi_node **waiting; /* of a search */
    int32_t n_members, n_groups, n_searches, n_offers;
    int32_t device; /* that members are assigned to; ANYWHERE */
} offering;

/* --- Growing ---------------------------------------------------------------------------------- */

/* Puts the readers that stand before `end` on the list. True: one is a member, or must stay where
 * it is while a region is put behind it. */
static bool follow(offering *o, const oribi_node *node, const oribi_node *with, int32_t end,
                   bool is_inside, int32_t *n)
{
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_use_link *first = o->p->graph->values[node->outputs[i]]->uses, *link = first;
        for (bool more = link != NULL; more; link = link->next, more = link != first) {
            oribi_node *reader = link->use.node;
            if (o->is_member[reader->id] || reader == with) {
                if (!is_inside) {
                    return true;
                }
            } else if (o->at[reader->id] < end && o->seen[reader->id] != o->n_searches) {
                if (reader->guard != 0 || o->decides[reader->id]) {
                    return true;
                }
                o->seen[reader->id] = o->n_searches;
                o->waiting[(*n)++] = reader;
            }
        }
    }
    return false;
}

/* Would a way leave the members, the node among them, and come back? */
static bool comes_back(offering *o, const oribi_node *with)
{
    int32_t n = 0, end = o->at[with->id];
    for (int32_t i = 0; i < o->n_members; i++) {
        end = o->at[o->members[i]->id] > end ? o->at[o->members[i]->id] : end;
    }
    o->n_searches++;
    bool is_back = follow(o, with, with, end, true, &n);
    for (int32_t i = 0; i < o->n_members && !is_back; i++) {
        is_back = follow(o, o->members[i], with, end, true, &n);
    }
    while (n > 0 && !is_back) {
        const oribi_node *next = o->waiting[--n];
        is_back = follow(o, next, with, end, false, &n);
    }
    return is_back;
}

static bool is_beside(const offering *o, const oribi_node *node)
{
    const oribi_graph *graph = o->p->graph;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const oribi_node_id from =
            node->inputs[i] >= 0 ? graph->values[node->inputs[i]]->producer : -1;
        if (from >= 0 && o->is_member[from]) {
            return true;
        }
    }
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_use_link *first = graph->values[node->outputs[i]]->uses, *link = first;
        for (bool more = link != NULL; more; link = link->next, more = link != first) {
            if (o->is_member[link->use.node->id]) {
                return true;
            }
        }
    }
    return false;
}

static void add(offering *o, oribi_node *node)
{
    o->is_member[node->id] = true;
    o->members[o->n_members++] = node;
    o->device = o->wanted[node->id] >= 0 ? o->wanted[node->id] : o->device;
}

static bool can_join(offering *o, const oribi_node *node, int32_t group)
{
    const int32_t wanted = o->wanted[node->id];
    return o->group[node->id] == group && !o->is_member[node->id] &&
           (wanted == ANYWHERE || o->device == ANYWHERE || wanted == o->device) &&
           is_beside(o, node) && !comes_back(o, node);
}

/* From the seed, up and down the order until both ways add nothing. */
static void grow(offering *o, oribi_node *seed)
{
    const oribi_graph *graph = o->p->graph;
    const int32_t group = o->group[seed->id];
    o->n_members = 0;
    o->device = ANYWHERE;
    add(o, seed);
    for (int32_t turn = 0, idle = 0; idle < 2; turn++) {
        const int32_t before = o->n_members;
        for (int32_t i = 0; i < graph->n_order; i++) {
            const int32_t at = turn % 2 == 0 ? i : graph->n_order - 1 - i;
            oribi_node *node = graph->nodes[graph->order[at]];
            if (can_join(o, node, group)) {
                add(o, node);
            }
        }
        idle = o->n_members > before ? 0 : idle + 1;
    }
    o->n_members = 0;
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        if (o->is_member[node->id]) {
            o->is_member[node->id] = false;
            o->members[o->n_members++] = node;
        }
    }
}

/* --- Offering --------------------------------------------------------------------------------- */

/* The least loaded instance of the target, or the one that members are assigned to. */
static int32_t choose_device(const offering *o)
{
    const oribi_partition *part = o->p->partition;
    int32_t best = o->device;
    for (int32_t d = 0; d < part->n_devices && o->device == ANYWHERE; d++) {
        const bool is_one = part->devices[d].target == o->target;
        best = is_one && (best < 0 || o->p->load[d] < o->p->load[best]) ? d : best;
    }
    return best;
}

static bool strike(offering *o, const oribi_node *node, const char *why)
{
    o->group[node->id] = -1;
    return oribi__partition_note(o->p, node, o->target, &compiled, why);
}

/* The target does not take the region: without the operator that it named, or in halves, it may. */
static bool refuse(offering *o, const oribi_region *region)
{
    const int32_t refused = region->code.refused;
    const char *why = region->code.refusal;
    if (refused >= 0 || region->n_nodes == 1) {
        return strike(o, region->nodes[refused >= 0 ? refused : 0], why);
    }
    o->n_groups += 2;
    for (int32_t i = 0; i < region->n_nodes; i++) {
        const bool is_first = i < region->n_nodes / 2;
        o->group[region->nodes[i]->id] = is_first ? o->n_groups - 2 : o->n_groups - 1;
    }
    return true;
}

static bool offer(offering *o)
{
    oribi_partitioning *p = o->p;
    oribi_region region = {
        .graph = p->graph,
        .pattern = &compiled,
        .device = choose_device(o),
        .nodes = o->members,
        .n_nodes = o->n_members,
        .is_compiled = true,
        .is_assigned = o->device != ANYWHERE,
        .code = {.arena = &p->partition->arena, .params_alignment = 4, .refused = -1}};
    o->n_offers++;
    ORIBI_TRY(oribi__partition_border(p, &region));
    region.code.refusal = oribi__partition_kept_off(p, o->target, &region);
    if (region.code.refusal == NULL) {
        TF_SetStatus(p->status, TF_OK, "");
        o->target->compile_region(o->target->compiler, &region, &region.code, p->status);
    }
    if (!oribi_ok(p->status)) {
        oribi_status_prefix(p->status, "target '%s', node '%s': ", o->target->name,
                            region.nodes[0]->name);
        return false;
    }
    if (region.code.refused >= region.n_nodes) {
        return oribi_fail(p->status, TF_INVALID_ARGUMENT,
                          "target '%s' refuses operator %d of a region that has %d",
                          o->target->name, (int)region.code.refused, (int)region.n_nodes);
    }
    if (region.code.refusal != NULL) {
        return refuse(o, &region);
    }
    region.us = region.code.us;
    ORIBI_TRY(oribi__partition_take(p, &region) &&
              oribi__partition_replace(p, p->partition->n_regions - 1));
    o->group[p->graph->n_nodes - 1] = -1; /* the node in its place */
    for (int32_t i = 0; i < p->graph->n_order; i++) {
        o->at[p->graph->order[i]] = i;
    }
    return true;
}

/* --- Which operators -------------------------------------------------------------------------- */

static bool is_known(const oribi_graph *graph, const oribi_value_id *ids, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const oribi_value *value = ids[i] >= 0 ? graph->values[ids[i]] : NULL;
        if (value != NULL &&
            (!oribi_shape_is_full(&value->shape) || oribi_dtype_bytes(value->dtype) == 0)) {
            return false;
        }
    }
    return true;
}

/* Puts the operator into the first group, where it may be part of a region. */
static bool open_node(offering *o, oribi_node *node)
{
    oribi_partitioning *p = o->p;
    const oribi_region alone = {
        .graph = p->graph, .pattern = &compiled, .nodes = &node, .n_nodes = 1};
    char why[256] = "";
    int32_t *wanted = &o->wanted[node->id];
    ORIBI_TRY(oribi__partition_assigned(p, node, wanted));
    o->group[node->id] = -1;
    if (p->is_taken[node->id] || *wanted == -1 || strcmp(node->op_name, ORIBI_REGION_OP) == 0 ||
        (*wanted >= 0 && p->partition->devices[*wanted].target != o->target)) {
        return true;
    }
    if (node->guard != 0 || o->decides[node->id]) {
        return strike(o, node, ORIBI_WHY_GUARDED);
    }
    if ((node->op != NULL && node->op->is_stateful) || node->n_bodies > 0 ||
        !is_known(p->graph, node->inputs, node->n_inputs) ||
        !is_known(p->graph, node->outputs, node->n_outputs)) {
        return strike(o, node, "it has a state, graphs of its own, or sizes that are not known");
    }
    if (o->target->takes != NULL &&
        o->target->takes(o->target->compiler, &alone, why, sizeof why) == 0) {
        why[sizeof why - 1] = '\0';
        return strike(o, node, why[0] != '\0' ? why : ORIBI_WHY_UNSAID);
    }
    o->group[node->id] = 0;
    return true;
}

static bool offer_all(offering *o)
{
    const oribi_graph *graph = o->p->graph;
    o->n_groups = 1;
    for (int32_t i = 0; i < graph->n_order; i++) {
        const int32_t guard = graph->nodes[graph->order[i]]->guard;
        const oribi_node_id from = guard > 0 ? graph->values[guard - 1]->producer : -1;
        if (from >= 0) {
            o->decides[from] = true;
        }
    }
    for (int32_t i = 0; i < graph->n_order; i++) {
        o->at[graph->order[i]] = i;
        ORIBI_TRY(open_node(o, graph->nodes[graph->order[i]]));
    }
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        const bool is_open = o->group[node->id] >= 0;
        if (is_open && o->n_offers == OFFERS_MAX) {
            ORIBI_TRY(strike(o, node, "the target has seen as many regions as it is offered"));
        } else if (is_open) {
            grow(o, node);
            ORIBI_TRY(offer(o));
            i = -1; /* what is left begins anywhere */
        }
    }
    return true;
}

static bool make(offering *o)
{
    oribi_arena *arena = &o->p->partition->arena;
    const size_t n = (size_t)o->p->graph->n_nodes * 2 + 1;
    o->group = oribi_arena_array(arena, n, sizeof *o->group);
    o->wanted = oribi_arena_array(arena, n, sizeof *o->wanted);
    o->at = oribi_arena_array(arena, n, sizeof *o->at);
    o->seen = oribi_arena_array(arena, n, sizeof *o->seen);
    o->decides = oribi_arena_array(arena, n, sizeof *o->decides);
    o->is_member = oribi_arena_array(arena, n, sizeof *o->is_member);
    o->members = oribi_arena_array(arena, n, sizeof(oribi_node *));
    o->waiting = oribi_arena_array(arena, n, sizeof(oribi_node *));
    return (o->group != NULL && o->wanted != NULL && o->at != NULL && o->seen != NULL &&
            o->decides != NULL && o->is_member != NULL && o->members != NULL &&
            o->waiting != NULL) ||
           oribi_fail_memory(o->p->status);
}

bool oribi__partition_offer(oribi_partitioning *p)
{
    for (int32_t d = 0; d < p->partition->n_devices; d++) {
        offering o = {.p = p, .target = p->partition->devices[d].target};
        bool is_first = oribi_target_compiles(o.target);
        for (int32_t i = 0; i < d && is_first; i++) {
            is_first = p->partition->devices[i].target != o.target;
        }
        ORIBI_TRY(!is_first || (make(&o) && offer_all(&o)));
    }
    return true;
}
