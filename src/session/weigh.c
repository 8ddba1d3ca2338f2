/* SPDX-License-Identifier: Apache-2.0 */
/* Is a device worth its copies? Nodes of one device that pass values to each other there are an
 * island. The island with most work stays; another one, or a single node, goes to the CPU when the
 * copies and waits that this saves cost more time than its work takes there. Nodes whose device was
 * named for them stay, and so does what has a shape that is not known.
 *
 * Only the CPU's time is compared: what a device would take is not known well enough. Constants of
 * the estimate are of a common machine: a copy or a wait is 10 us, 8 bytes cross in 1 ns; one core
 * does 20 operations or moves 20 bytes in 1 ns, and begins a node in 0.2 us. So a node that only
 * moves bytes is never worth copies of them, which is what matters most of these numbers.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "op/traits.h"
#include "session/session_internal.h"

enum { MAX_ROUNDS = 4 };
static const double copy_ns = 10000, wait_ns = 10000, bytes_per_ns = 8;
static const double operations_per_ns = 20, cpu_bytes_per_ns = 20, node_ns = 200;
static const double most_visits = 2e8; /* of values: a graph of many islands is left as it is */

typedef struct island { /* at the place of its root */
    int32_t n;
    double work, movable_work; /* infinite: not known; not known, or a node has to stay */
} island;

typedef struct weigh {
    oribi_session *session;
    oribi_graph *graph;
    int32_t *devices;              /* by place in the order */
    int32_t *places;               /* by node */
    int32_t *parents;              /* by place: islands */
    island *islands;               /* by place */
    const oribi_kernel_def **host; /* by place: kernel on the CPU; NULL: the node stays */
    double *work;                  /* by place: ns on the CPU; infinite: not known */
    double *bytes;                 /* by value; -1: not known */
    uint32_t *wanted;              /* by value: bits of devices that read it, 0 for nodes' host */
    double visits;
} weigh;

/* --- What things cost ------------------------------------------------------------------------ */

static double elements_of(const oribi_value *value)
{
    double n = 1;
    if (!oribi_shape_is_full(&value->shape)) {
        return -1;
    }
    for (int32_t k = 0; k < value->shape.rank; k++) {
        n *= (double)value->shape.dims[k];
    }
    return n;
}

/* Multiplications and additions for one element of output 0. */
static double operations_each(const weigh *w, const oribi_node *node)
{
    oribi_traits traits;
    oribi_op_traits(node->op, &node->attrs, &node->signature, &traits);
    if (traits.weights < 0 || node->inputs[traits.weights] < 0 || node->n_outputs < 1) {
        return (traits.is & ORIBI_TRAIT_MOVES) != 0 ? 0 : 1;
    }
    const double products =
        oribi_traits_products(&traits, &w->graph->values[node->inputs[traits.weights]]->shape,
                              &w->graph->values[node->outputs[0]]->shape);
    return products > 0.5 ? 2 * products : 1;
}

static double work_of(const weigh *w, const oribi_node *node)
{
    double moved = 0, operations = 0;
    for (int32_t i = 0; i < node->n_inputs + node->n_outputs; i++) {
        const bool is_output = i >= node->n_inputs;
        const oribi_value_id id = is_output ? node->outputs[i - node->n_inputs] : node->inputs[i];
        if (id < 0) {
            continue;
        }
        if (w->bytes[id] < 0) {
            return INFINITY;
        }
        moved += w->bytes[id];
        operations += is_output ? elements_of(w->graph->values[id]) : 0;
    }
    operations *= operations_each(w, node);
    const double by_sums = operations / operations_per_ns, by_bytes = moved / cpu_bytes_per_ns;
    return node_ns + (by_sums > by_bytes ? by_sums : by_bytes);
}

static int32_t home_of(const weigh *w, const oribi_value *value)
{
    return value->producer < 0
               ? 0
               : oribi_place_of_output(w->graph->nodes[value->producer], value->producer_output,
                                       w->devices[w->places[value->producer]]);
}

static double cost_of_value(const weigh *w, oribi_value_id id)
{
    const oribi_value *value = w->graph->values[id];
    const int32_t home = home_of(w, value);
    const double copy = copy_ns + (w->bytes[id] > 0 ? w->bytes[id] / bytes_per_ns : 0);
    const uint32_t wanted = w->wanted[id];
    double cost = 0;
    bool is_waited_for = home != 0 && (wanted & 1u) != 0;
    for (int32_t d = 1; d < w->session->n_devices; d++) {
        if (d != home && (wanted >> d & 1u) != 0) {
            cost += copy;
            is_waited_for |= home != 0 && !oribi_place_is_direct(w->session, home, d);
        }
    }
    cost += is_waited_for || (home != 0 && value->is_output) ? copy : 0;
    return cost + (is_waited_for ? wait_ns : 0);
}

/* Adds up all copies and waits that the places ask for, in ns for one run. */
static double cost_of_copies(weigh *w)
{
    const oribi_graph *graph = w->graph;
    double cost = 0;
    memset(w->wanted, 0, (size_t)graph->n_values * sizeof *w->wanted);
    for (int32_t s = 0; s < graph->n_order; s++) {
        const oribi_node *node = graph->nodes[graph->order[s]];
        for (int32_t i = 0; i < node->n_inputs; i++) {
            if (node->inputs[i] >= 0) {
                w->wanted[node->inputs[i]] |= 1u << oribi_place_of_input(node, i, w->devices[s]);
            }
        }
    }
    for (int32_t id = 0; id < graph->n_values; id++) {
        const oribi_value *value = graph->values[id];
        const bool is_live = value->producer < 0 || w->places[value->producer] >= 0;
        cost += is_live && value->constant == NULL ? cost_of_value(w, id) : 0;
    }
    w->visits += graph->n_values;
    return cost;
}

/* --- Islands --------------------------------------------------------------------------------- */

static int32_t root_of(const weigh *w, int32_t s)
{
    while (w->parents[s] != s) {
        w->parents[s] = w->parents[w->parents[s]];
        s = w->parents[s];
    }
    return s;
}

static void find_islands(const weigh *w)
{
    const oribi_graph *graph = w->graph;
    for (int32_t s = 0; s < graph->n_order; s++) {
        w->parents[s] = s;
    }
    for (int32_t s = 0; s < graph->n_order; s++) {
        const oribi_node *node = graph->nodes[graph->order[s]];
        for (int32_t i = 0; i < node->n_inputs && w->devices[s] != 0; i++) {
            const oribi_value *value = node->inputs[i] >= 0 ? graph->values[node->inputs[i]] : NULL;
            if (value != NULL && value->producer >= 0 && home_of(w, value) == w->devices[s] &&
                oribi_place_of_input(node, i, w->devices[s]) == w->devices[s]) {
                w->parents[root_of(w, s)] = root_of(w, w->places[value->producer]);
            }
        }
    }
}

static void sum_islands(const weigh *w)
{
    memset(w->islands, 0, (size_t)w->graph->n_order * sizeof *w->islands);
    for (int32_t s = 0; s < w->graph->n_order; s++) {
        if (w->devices[s] != 0) {
            island *own = &w->islands[root_of(w, s)];
            own->n++;
            own->work += w->work[s];
            own->movable_work += w->host[s] != NULL ? w->work[s] : INFINITY;
        }
    }
}

/* The island that the device is for: that with most work, of several with unknown work the first.
 * -1: there is none. */
static int32_t find_main(const weigh *w)
{
    int32_t best = -1;
    for (int32_t s = 0; s < w->graph->n_order; s++) {
        if (w->islands[s].n > 0 && (best < 0 || w->islands[s].work > w->islands[best].work)) {
            best = s;
        }
    }
    return best;
}

/* --- Moves ----------------------------------------------------------------------------------- */

static void note_move(const weigh *w, int32_t s, int32_t device, int32_t n, double saved_ns,
                      double work_ns)
{
    const oribi_node *node = w->graph->nodes[w->graph->order[s]];
    w->session->moved[node->id] =
        oribi_arena_printf(&w->session->arena,
                           "on the CPU, though %s has a kernel: %d node%s there would cost copies "
                           "of %.0f us in a run, "
                           "and %.1f us of work here; --keep-islands or --place-node override",
                           w->session->devices[device].name, (int)n, n > 1 ? "s" : "",
                           saved_ns / 1000, work_ns / 1000);
}

/* The island, or the single node, goes to the CPU if that pays. */
static bool try_move(weigh *w, int32_t root, int32_t single, double *cost)
{
    const int32_t n = single >= 0 ? 1 : w->islands[root].n;
    const double work = single < 0                ? w->islands[root].movable_work
                        : w->host[single] != NULL ? w->work[single]
                                                  : INFINITY;
    const int32_t device = w->devices[single >= 0 ? single : root];
    if (work >= *cost || w->visits > most_visits) {
        return false; /* it cannot save more than there is */
    }
    int32_t *before = oribi_alloc_array((size_t)w->graph->n_order + 1, sizeof *before);
    if (before == NULL) {
        return false;
    }
    memcpy(before, w->devices, (size_t)w->graph->n_order * sizeof *before);
    for (int32_t s = 0; s < w->graph->n_order; s++) {
        if (before[s] != 0 && (single >= 0 ? s == single : root_of(w, s) == root)) {
            w->devices[s] = 0;
        }
    }
    const double after = cost_of_copies(w);
    const bool pays = *cost - after > work;
    for (int32_t s = 0; s < w->graph->n_order; s++) {
        if (pays && before[s] != w->devices[s]) {
            note_move(w, s, device, n, *cost - after, work);
        }
    }
    if (pays) {
        *cost = after;
    } else {
        memcpy(w->devices, before, (size_t)w->graph->n_order * sizeof *before);
    }
    oribi_free(before);
    return pays;
}

static bool move_round(weigh *w, double *cost)
{
    bool any = false;
    find_islands(w);
    sum_islands(w);
    const int32_t main_island = find_main(w);
    for (int32_t s = 0; s < w->graph->n_order; s++) {
        if (w->islands[s].n > 0 && s != main_island) {
            any |= try_move(w, s, -1, cost);
        }
    }
    for (int32_t s = 0; s < w->graph->n_order; s++) { /* nodes at the borders of what is left */
        island *own = &w->islands[root_of(w, s)];
        if (w->devices[s] != 0 && own->n > 1 && try_move(w, -1, s, cost)) {
            own->n--; /* the last one stays */
            any = true;
        }
    }
    return any;
}

/* --- All together ---------------------------------------------------------------------------- */

static bool begin(weigh *w, TF_Status *status)
{
    const size_t n_nodes = (size_t)w->graph->n_nodes + 1, n_values = (size_t)w->graph->n_values + 1;
    w->places = oribi_alloc_array(n_nodes, sizeof *w->places);
    w->parents = oribi_alloc_array(n_nodes, sizeof *w->parents);
    w->islands = oribi_alloc_array(n_nodes, sizeof *w->islands);
    w->host = oribi_alloc_zero(n_nodes, sizeof *w->host);
    w->work = oribi_alloc_array(n_nodes, sizeof *w->work);
    w->bytes = oribi_alloc_array(n_values, sizeof *w->bytes);
    w->wanted = oribi_alloc_array(n_values, sizeof *w->wanted);
    w->session->moved = oribi_arena_array(&w->session->arena, n_nodes, sizeof *w->session->moved);
    if (w->places == NULL || w->parents == NULL || w->islands == NULL || w->host == NULL ||
        w->work == NULL || w->bytes == NULL || w->wanted == NULL || w->session->moved == NULL) {
        return oribi_fail_memory(status);
    }
    memset(w->places, 0xff, n_nodes * sizeof *w->places);
    for (int32_t id = 0; id < w->graph->n_values; id++) {
        const oribi_value *value = w->graph->values[id];
        const double n = elements_of(value);
        w->bytes[id] = n < 0 ? -1 : n * (double)oribi_dtype_bytes(value->dtype);
    }
    for (int32_t s = 0; s < w->graph->n_order; s++) {
        w->places[w->graph->order[s]] = s;
    }
    return true;
}

/* Kernels on the CPU for nodes that may go there. */
static void find_hosts(const weigh *w)
{
    TF_Status *ignored = TF_NewStatus();
    for (int32_t s = 0; s < w->graph->n_order; s++) {
        const oribi_node *node = w->graph->nodes[w->graph->order[s]];
        oribi_node_view view;
        w->work[s] = work_of(w, node);
        const bool is_named = node->device != NULL && node->device[0] != '\0';
        TF_SetStatus(ignored, TF_OK, "");
        if (w->devices[s] != 0 && !is_named &&
            oribi_graph_node_view(w->graph, node, &view, ignored)) {
            w->host[s] = oribi_kernel_select(&view, "CPU", NULL, ignored);
        }
    }
    TF_DeleteStatus(ignored);
}

bool oribi_place_weigh(oribi_session *session, int32_t *devices, TF_Status *status)
{
    weigh w = {.session = session, .graph = session->graph, .devices = devices};
    const bool ok = begin(&w, status);
    if (ok) {
        find_hosts(&w);
        double cost = cost_of_copies(&w);
        for (int round = 0; round < MAX_ROUNDS && move_round(&w, &cost); round++) {
        }
        for (int32_t s = 0; s < w.graph->n_order; s++) {
            oribi_node *node = w.graph->nodes[w.graph->order[s]];
            if (session->moved[node->id] != NULL) {
                node->kernel = w.host[s];
            }
        }
    }
    oribi_free(w.places);
    oribi_free(w.parents);
    oribi_free(w.islands);
    oribi_free((void *)w.host);
    oribi_free(w.work);
    oribi_free(w.bytes);
    oribi_free(w.wanted);
    return ok;
}
