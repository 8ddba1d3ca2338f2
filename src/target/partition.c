/* SPDX-License-Identifier: Apache-2.0 */
/* Partition: finds the regions of patterns, asks their targets, spreads them over the instances,
 * and puts one node in the place of each. Regions of targets with a compiler of their own:
 * offers.c.
 */
#include <string.h>

#include "target/partition.h"
#include "tensor/status.h"

typedef oribi_partitioning partitioning;

/* --- Devices ---------------------------------------------------------------------------------- */

bool oribi_partition_add_device(oribi_partition *partition, const char *spec, TF_Status *status)
{
    const char *equals = strchr(spec, '=');
    const char *kind = equals != NULL ? equals + 1 : spec;
    const size_t length = equals != NULL ? (size_t)(equals - spec) : strlen(spec);
    const oribi_target *target = oribi_target_find(kind);
    if (target == NULL) {
        oribi_text known = {0};
        oribi_target_list(&known);
        oribi_fail(status, TF_NOT_FOUND,
                   "there is no target '%s'; known: %s. A plugin brings one: --plugin p.so", kind,
                   known.length > 0 ? oribi_text_string(&known) : "none");
        oribi_text_destroy(&known);
        return false;
    }
    if (!oribi_target_is_name(spec, length)) {
        return oribi_fail(
            status, TF_INVALID_ARGUMENT,
            "'%s': write a device as KIND or NAME=KIND; a name has letters, digits and '_'", spec);
    }
    if (partition->n_devices == ORIBI_DEVICES_MAX) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED, "a model has at most %d devices",
                          (int)ORIBI_DEVICES_MAX);
    }
    const char *name = oribi_arena_strndup(&partition->arena, spec, length);
    ORIBI_TRY(name != NULL || oribi_fail_memory(status));
    for (int32_t i = 0; i < partition->n_devices; i++) {
        if (strcmp(partition->devices[i].name, name) == 0) {
            return oribi_fail(status, TF_ALREADY_EXISTS,
                              "two devices are called '%s'; name them: npu1=%s and npu2=%s", name,
                              kind, kind);
        }
    }
    partition->devices[partition->n_devices++] = (oribi_device_instance){name, target};
    return true;
}

/* --- Notes ------------------------------------------------------------------------------------ */

/* Room for one more element; the old ones are copied. NULL: no memory. */
static void *grow(oribi_arena *arena, void *items, int32_t n, int32_t *capacity, size_t bytes)
{
    if (n < *capacity) {
        return items;
    }
    const int32_t larger = *capacity * 2 + 8;
    void *grown = oribi_arena_array(arena, (size_t)larger, bytes);
    if (grown != NULL) {
        if (n > 0) {
            memcpy(grown, items, (size_t)n * bytes);
        }
        *capacity = larger;
    }
    return grown;
}

bool oribi__partition_note(partitioning *p, const oribi_node *node, const oribi_target *target,
                           const oribi_target_pattern *pattern, const char *why)
{
    oribi_partition *part = p->partition;
    oribi_partition_note *notes =
        grow(&part->arena, part->notes, part->n_notes, &part->notes_capacity, sizeof *notes);
    const char *kept = why != NULL ? oribi_arena_strdup(&part->arena, why) : NULL;
    if (notes == NULL || (why != NULL && kept == NULL)) {
        return oribi_fail_memory(p->status);
    }
    part->notes = notes;
    notes[part->n_notes++] = (oribi_partition_note){node->name, target->name, pattern->name, kept};
    return true;
}

/* --- Matching --------------------------------------------------------------------------------- */

/* The only reader of what a node makes, when nobody else sees it; NULL otherwise. */
static oribi_node *only_reader(const partitioning *p, const oribi_node *node)
{
    if (node->n_outputs != 1) {
        return NULL;
    }
    const oribi_value *value = p->graph->values[node->outputs[0]];
    return value->n_uses == 1 && !value->is_output && value->uses != NULL ? value->uses->use.node
                                                                          : NULL;
}

/* Fills the chain that begins at `node`; false when the pattern is not there. */
static bool match(const partitioning *p, const oribi_target_pattern *pattern, oribi_node *node,
                  oribi_node **out)
{
    for (int32_t i = 0; i < pattern->n_ops; i++) {
        if (node == NULL || p->is_taken[node->id] || strcmp(node->op_name, pattern->ops[i]) != 0) {
            return false;
        }
        out[i] = node;
        node = i + 1 < pattern->n_ops ? only_reader(p, node) : NULL;
    }
    return true;
}

const char *oribi__partition_kept_off(const partitioning *p, const oribi_target *target,
                                      const oribi_region *region)
{
    for (int32_t i = 0; i < p->partition->n_kept_off; i++) {
        const oribi_kept_off *k = &p->partition->kept_off[i];
        if (k->target == target && strcmp(k->node, region->nodes[0]->name) == 0 &&
            region->n_nodes >= k->n_nodes) {
            return k->why;
        }
    }
    return NULL;
}

static bool is_supported(partitioning *p, const oribi_target *target, const oribi_region *region,
                         bool *out)
{
    const oribi_target_pattern *pattern = region->pattern;
    char why[256] = "";
    if (region->nodes[0]->guard !=
        0) { /* and so are all: branches and loops end in a node outside */
        *out = false;
        return oribi__partition_note(p, region->nodes[0], target, pattern, ORIBI_WHY_GUARDED);
    }
    const char *kept_off = oribi__partition_kept_off(p, target, region);
    if (kept_off != NULL) {
        *out = false;
        return oribi__partition_note(p, region->nodes[0], target, pattern, kept_off);
    }
    *out =
        pattern->supports == NULL || pattern->supports(pattern->user, region, why, sizeof why) != 0;
    why[sizeof why - 1] = '\0';
    return *out || oribi__partition_note(p, region->nodes[0], target, pattern,
                                         why[0] != '\0' ? why : ORIBI_WHY_UNSAID);
}

/* --- Choosing --------------------------------------------------------------------------------- */

bool oribi__partition_assigned(const partitioning *p, const oribi_node *node, int32_t *out)
{
    const size_t length = strlen(node->name);
    *out = -2;
    for (int32_t i = 0; i < p->n_assignments; i++) {
        const char *text = p->assignments[i];
        if (strncmp(text, node->name, length) != 0 || text[length] != '=') {
            continue;
        }
        const char *name = text + length + 1;
        *out = strcmp(name, "cpu") == 0 ? -1 : -2;
        for (int32_t d = 0; d < p->partition->n_devices; d++) {
            *out = strcmp(p->partition->devices[d].name, name) == 0 ? d : *out;
        }
        if (*out == -2) {
            return oribi_fail(p->status, TF_NOT_FOUND, "'%s': there is no device '%s'", text, name);
        }
    }
    return true;
}

bool oribi_partition_has_node(const oribi_graph *graph, const char *assignment)
{
    for (int32_t i = 0; i < graph->n_order; i++) {
        const char *name = graph->nodes[graph->order[i]]->name;
        const size_t length = strlen(name);
        if (strncmp(assignment, name, length) == 0 && assignment[length] == '=') {
            return true;
        }
    }
    return false;
}

static bool check_assignments(const partitioning *p)
{
    for (int32_t i = 0; i < p->n_assignments; i++) {
        if (!oribi_partition_has_node(p->graph, p->assignments[i])) {
            return oribi_fail(p->status, TF_NOT_FOUND,
                              "'%s': no operator has that name; report.json lists them as `name` "
                              "of `nodes`",
                              p->assignments[i]);
        }
    }
    return true;
}

/* A region that a device could take. */
typedef struct candidate {
    oribi_region region;
    oribi_node *nodes[ORIBI_PATTERN_MAX];
    int64_t end_us; /* of the instance's work, with this region */
    bool is_set;
} candidate;

/* Longer chains win, then what is done first; the earlier device of equals. */
static bool is_better(const candidate *a, const candidate *b)
{
    return !b->is_set || a->region.n_nodes > b->region.n_nodes ||
           (a->region.n_nodes == b->region.n_nodes && a->end_us < b->end_us);
}

static bool try_pattern(partitioning *p, oribi_node *node, int32_t device, bool is_assigned,
                        const oribi_target_pattern *pattern, candidate *best)
{
    const oribi_target *target = p->partition->devices[device].target;
    candidate c = {.region = {.graph = p->graph,
                              .pattern = pattern,
                              .device = device,
                              .n_nodes = pattern->n_ops,
                              .is_assigned = is_assigned},
                   .is_set = true};
    c.region.nodes = c.nodes;
    bool is_taken = false;
    if (!match(p, pattern, node, c.nodes)) {
        return true;
    }
    ORIBI_TRY(oribi__partition_border(p, &c.region) &&
              is_supported(p, target, &c.region, &is_taken));
    if (is_taken) {
        const int64_t us =
            pattern->cost_us != NULL ? pattern->cost_us(pattern->user, &c.region) : 0;
        c.region.us = us > 0 ? us : 0;
        c.end_us = p->load[device] + c.region.us;
        if (is_better(&c, best)) {
            *best = c;
            best->region.nodes = best->nodes;
        }
    }
    return true;
}

static bool find_best(partitioning *p, oribi_node *node, candidate *best)
{
    int32_t wanted;
    ORIBI_TRY(oribi__partition_assigned(p, node, &wanted));
    for (int32_t d = 0; d < p->partition->n_devices && wanted != -1; d++) {
        const oribi_target *target = p->partition->devices[d].target;
        for (int32_t i = 0; i < target->n_patterns && (wanted == -2 || wanted == d); i++) {
            ORIBI_TRY(try_pattern(p, node, d, wanted == d, &target->patterns[i], best));
        }
    }
    return true;
}

/* --- Replacing -------------------------------------------------------------------------------- */

static bool is_read_outside(const partitioning *p, const oribi_value *value)
{
    const oribi_use_link *link = value->uses;
    bool is_read = value->is_output;
    for (int32_t i = 0; link != NULL && !is_read && (i == 0 || link != value->uses); i++) {
        is_read = !p->is_inside[link->use.node->id];
        link = link->next;
    }
    return is_read;
}

/* What the node reads from outside, constants apart: the target has those already. Each value once
 * for a target's compiler; for a pattern as often as it is read. */
static void add_outer(const partitioning *p, const oribi_node *node, oribi_region *region)
{
    for (int32_t k = 0; k < node->n_inputs; k++) {
        const oribi_value_id id = node->inputs[k];
        const oribi_value *value = id >= 0 ? p->graph->values[id] : NULL;
        bool is_new = value != NULL && value->constant == NULL &&
                      (value->producer < 0 || !p->is_inside[value->producer]);
        for (int32_t i = 0; region->is_compiled && is_new && i < region->n_outer; i++) {
            is_new = region->outer[i] != id;
        }
        if (is_new) {
            region->outer[region->n_outer++] = id;
        }
    }
}

bool oribi__partition_border(partitioning *p, oribi_region *region)
{
    size_t n_inputs = 1, n_outputs = 1;
    for (int32_t i = 0; i < region->n_nodes; i++) {
        n_inputs += (size_t)region->nodes[i]->n_inputs;
        n_outputs += (size_t)region->nodes[i]->n_outputs;
        p->is_inside[region->nodes[i]->id] = true;
    }
    region->n_outer = region->n_outputs = 0;
    region->outer = oribi_arena_array(&p->partition->arena, n_inputs, sizeof *region->outer);
    region->outputs = oribi_arena_array(&p->partition->arena, n_outputs, sizeof *region->outputs);
    for (int32_t i = 0; region->outer != NULL && region->outputs != NULL && i < region->n_nodes;
         i++) {
        const oribi_node *node = region->nodes[i];
        const bool is_last = i == region->n_nodes - 1; /* of a pattern: nobody reads the others */
        add_outer(p, node, region);
        for (int32_t k = 0; k < node->n_outputs; k++) {
            if (region->is_compiled ? is_read_outside(p, p->graph->values[node->outputs[k]])
                                    : is_last) {
                region->outputs[region->n_outputs++] = node->outputs[k];
            }
        }
    }
    for (int32_t i = 0; i < region->n_nodes; i++) {
        p->is_inside[region->nodes[i]->id] = false;
    }
    return (region->outer != NULL && region->outputs != NULL) || oribi_fail_memory(p->status);
}

static bool set_attributes(partitioning *p, oribi_node *made, const oribi_region *region,
                           int32_t index)
{
    oribi_arena *arena = &p->graph->arena;
    TF_DataType *types = oribi_claim_array(arena, (size_t)(made->n_inputs + region->n_outputs) + 1,
                                           sizeof *types, p->status);
    oribi_shape *shapes =
        oribi_claim_array(arena, (size_t)region->n_outputs + 1, sizeof *shapes, p->status);
    ORIBI_TRY(types != NULL && shapes != NULL);
    for (int32_t i = 0; i < made->n_inputs; i++) {
        types[i] = p->graph->values[made->inputs[i]]->dtype;
    }
    for (int32_t i = 0; i < region->n_outputs; i++) {
        types[made->n_inputs + i] = p->graph->values[region->outputs[i]]->dtype;
        shapes[i] = p->graph->values[region->outputs[i]]->shape;
    }
    const oribi_attr shape_list = {.name = "shapes",
                                   .kind = TF_ATTR_SHAPE,
                                   .is_list = true,
                                   .count = region->n_outputs,
                                   .u.shape = shapes};
    const bool ok = oribi_attrs_set_types(&made->attrs, arena, "Tin", types, made->n_inputs) &&
                    oribi_attrs_set_types(&made->attrs, arena, "Tout", types + made->n_inputs,
                                          region->n_outputs) &&
                    oribi_attrs_set(&made->attrs, arena, &shape_list) &&
                    oribi_attrs_set_int(&made->attrs, arena, "region", index) &&
                    oribi_attrs_set_string(&made->attrs, arena, "device_name",
                                           p->partition->devices[region->device].name);
    return ok || oribi_fail_memory(p->status);
}

static bool reads_late(const partitioning *p, const oribi_node *node, oribi_node_id made)
{
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const oribi_node_id from =
            node->inputs[i] >= 0 ? p->graph->values[node->inputs[i]]->producer : -1;
        if (from == made || (from >= 0 && p->is_inside[from])) {
            return true;
        }
    }
    return false;
}

/* The region runs where its last node ran: all that it reads is there then. What asked for its
 * results before that comes right behind it. Sorting afresh would move it to its first reader, and
 * so away from the operators that could run beside it. */
static void order_again(partitioning *p, oribi_node_id last, oribi_node_id made)
{
    oribi_graph *graph = p->graph;
    int32_t n = 0, n_late = 0;
    bool is_there = false;
    for (int32_t i = 0; i < graph->n_order; i++) {
        const oribi_node_id id = graph->order[i];
        if (id == last) {
            graph->order[n++] = made;
            for (int32_t k = 0; k < n_late; k++) {
                graph->order[n++] = p->late[k];
                p->is_inside[p->late[k]] = false;
            }
            is_there = true;
        } else if (!graph->nodes[id]->is_dead && !is_there &&
                   reads_late(p, graph->nodes[id], made)) {
            p->is_inside[id] = true;
            p->late[n_late++] = id;
        } else if (!graph->nodes[id]->is_dead) {
            graph->order[n++] = id;
        }
    }
    graph->n_order = n;
}

bool oribi__partition_replace(partitioning *p, int32_t index)
{
    oribi_region *region = &p->partition->regions[index];
    const oribi_node *const last = region->nodes[region->n_nodes - 1];
    ORIBI_TRY(oribi__partition_border(p, region)); /* regions before it have new outputs */
    oribi_node *made = oribi_graph_add_node(p->graph, ORIBI_REGION_OP, last->name, region->outer,
                                            region->n_outer, region->n_outputs, p->status);
    ORIBI_TRY(made != NULL && set_attributes(p, made, region, index) &&
              oribi_graph_resolve(p->graph, made, p->status));
    made->origin = last->origin;
    /* What it makes is called as before: the ones of that name are dead. */
    for (int32_t i = 0; i < region->n_outputs; i++) {
        p->graph->values[made->outputs[i]]->name = p->graph->values[region->outputs[i]]->name;
        oribi_graph_replace_uses(p->graph, region->outputs[i], made->outputs[i]);
    }
    for (int32_t i = region->n_nodes - 1; i >= 0; i--) {
        oribi_graph_remove_node(p->graph, region->nodes[i]);
    }
    made->name = last->name; /* no other live node has it: reports and --assign agree */
    order_again(p, last->id, made->id);
    return true;
}

/* Keeps what the nodes of a region read, for who computes it elsewhere. */
static bool keep_inputs(oribi_arena *arena, oribi_region *region)
{
    region->inputs = oribi_arena_array(arena, (size_t)region->n_nodes, sizeof *region->inputs);
    for (int32_t i = 0; region->inputs != NULL && i < region->n_nodes; i++) {
        const oribi_node *node = region->nodes[i];
        region->inputs[i] =
            oribi_arena_memdup(arena, node->inputs, (size_t)node->n_inputs * sizeof *node->inputs);
        if (region->inputs[i] == NULL) {
            return false;
        }
    }
    return region->inputs != NULL;
}

static bool write_code(partitioning *p, oribi_region *region)
{
    region->code =
        (oribi_target_code){.arena = &p->partition->arena, .params_alignment = 4, .refused = -1};
    TF_SetStatus(p->status, TF_OK, "");
    region->pattern->write(region->pattern->user, region, &region->code, p->status);
    if (!oribi_ok(p->status)) {
        oribi_status_prefix(p->status, "target '%s', node '%s': ",
                            p->partition->devices[region->device].target->name,
                            region->nodes[0]->name);
    }
    return oribi_ok(p->status);
}

bool oribi__partition_take(partitioning *p, const oribi_region *wanted)
{
    oribi_partition *part = p->partition;
    oribi_region *regions = grow(&part->arena, part->regions, part->n_regions,
                                 &part->regions_capacity, sizeof *regions);
    oribi_node **nodes = oribi_arena_memdup(&part->arena, wanted->nodes,
                                            (size_t)wanted->n_nodes * sizeof(oribi_node *));
    if (regions == NULL || nodes == NULL) {
        return oribi_fail_memory(p->status);
    }
    part->regions = regions;
    oribi_region *region = &regions[part->n_regions];
    *region = *wanted;
    region->nodes = nodes;
    if (!keep_inputs(&part->arena, region)) {
        return oribi_fail_memory(p->status);
    }
    ORIBI_TRY(region->is_compiled || write_code(p, region));
    const oribi_target *target = part->devices[region->device].target;
    if (target->device_api == 0 && region->code.body == NULL) {
        return oribi_fail(p->status, TF_INVALID_ARGUMENT,
                          "target '%s', node '%s': a target without device_api has no Invoke; its "
                          "writer calls oribi_target_set_body",
                          target->name, nodes[0]->name);
    }
    p->load[region->device] += region->us;
    for (int32_t i = 0; i < region->n_nodes; i++) {
        p->is_taken[nodes[i]->id] = true;
        ORIBI_TRY(oribi__partition_note(p, nodes[i], target, region->pattern, NULL));
    }
    part->n_regions++;
    return true;
}

bool oribi_partition_graph(oribi_partition *partition, oribi_graph *graph,
                           const char *const *assignments, int32_t n_assignments, TF_Status *status)
{
    const size_t n = (size_t)graph->n_nodes * 2 + 1; /* a region less than one for each node */
    partitioning p = {
        .partition = partition,
        .graph = graph,
        .assignments = assignments,
        .n_assignments = n_assignments,
        .is_taken = oribi_arena_array(&partition->arena, n, sizeof *p.is_taken),
        .is_inside = oribi_arena_array(&partition->arena, n, sizeof *p.is_inside),
        .late = oribi_arena_array(&partition->arena, n, sizeof *p.late),
        .status = status,
    };
    if (p.is_taken == NULL || p.is_inside == NULL || p.late == NULL) {
        return oribi_fail_memory(status);
    }
    ORIBI_TRY(check_assignments(&p) && oribi__partition_offer(&p));
    const int32_t n_compiled = partition->n_regions;
    for (int32_t i = 0; i < graph->n_order && partition->n_devices > 0; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        candidate best = {.is_set = false};
        ORIBI_TRY(p.is_taken[node->id] || find_best(&p, node, &best));
        ORIBI_TRY(!best.is_set || oribi__partition_take(&p, &best.region));
    }
    for (int32_t i = n_compiled; i < partition->n_regions; i++) {
        ORIBI_TRY(oribi__partition_replace(&p, i));
    }
    return true;
}

void oribi_partition_destroy(oribi_partition *partition)
{
    if (partition == NULL) {
        return;
    }
    oribi_arena_destroy(&partition->arena);
    *partition = (oribi_partition){0};
}
