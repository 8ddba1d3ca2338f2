/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and asynchronous kernels first: their nodes are enqueued, or started, as early as their
 * inputs allow, and the host's nodes run meanwhile; of those, one that has to wait for a device or
 * an asynchronous kernel comes when nothing else is left to do. So nothing is idle while the host
 * computes one of two branches. The order is that of the graph otherwise, and nodes with a state
 * keep theirs among themselves.
 */
#include <string.h>

#include "base/alloc.h"
#include "session/session_internal.h"

enum { LANDED = -1 };

typedef struct ahead {
    const oribi_session *session;
    const oribi_graph *graph;
    const int32_t *devices; /* by place in the graph's order, as below */
    int32_t *rank;          /* by place, of nodes with a state: how many come before; else -1 */
    int32_t *home;          /* by value: the memory it is made in */
    int32_t *copy;          /* by value: number of its copy to the host; 0: there is none yet */
    bool *is_made;          /* by value */
    int32_t *flight;        /* by value: the node whose asynchronous kernel makes it; LANDED */
    int32_t holder;         /* such a node that may touch a resource, or LANDED */
    int32_t n_ranked;       /* nodes with a state that were taken */
    int32_t copies[ORIBI_MAX_DEVICES], waited[ORIBI_MAX_DEVICES]; /* copies made, waited for */
    int32_t *out;
    int32_t n_out;
} ahead;

static const oribi_node *node_at(const ahead *a, int32_t s)
{
    return a->graph->nodes[a->graph->order[s]];
}

static bool has_state(const oribi_node *node)
{
    bool has = node->op == NULL || node->op->is_stateful;
    for (int32_t i = 0; i < node->n_inputs && !has; i++) {
        has = node->inputs[i] >= 0 && (node->signature.input_types[i] == TF_RESOURCE ||
                                       node->signature.input_types[i] == TF_VARIANT);
    }
    return has;
}

static bool is_ready(const ahead *a, int32_t s)
{
    const oribi_node *node = node_at(a, s);
    for (int32_t i = 0; i < node->n_inputs; i++) {
        if (node->inputs[i] >= 0 && !a->is_made[node->inputs[i]]) {
            return false;
        }
    }
    return a->rank[s] < 0 || a->rank[s] == a->n_ranked;
}

/* The device that the host waits for before it can hand the node its input; 0: none. */
static int32_t waited_for(const ahead *a, int32_t s, int32_t input)
{
    const oribi_node *node = node_at(a, s);
    const oribi_value_id id = node->inputs[input];
    if (id < 0) {
        return 0;
    }
    const int32_t home = a->home[id];
    const int32_t wanted = oribi_place_of_input(node, input, a->devices[s]);
    const bool is_by_host = home != 0 && wanted != home &&
                            (wanted == 0 || !oribi_place_is_direct(a->session, home, wanted));
    return is_by_host && a->copy[id] > a->waited[home] ? home : 0;
}

/* The asynchronous kernel that makes the input, if the host has not waited for it yet. */
static int32_t flight_of(const ahead *a, const oribi_node *node, int32_t input)
{
    return node->inputs[input] >= 0 ? a->flight[node->inputs[input]] : LANDED;
}

static bool has_to_wait(const ahead *a, int32_t s)
{
    const oribi_node *node = node_at(a, s);
    for (int32_t i = 0; i < node->n_inputs; i++) {
        if (waited_for(a, s, i) != 0 || flight_of(a, node, i) != LANDED) {
            return true;
        }
    }
    return a->holder != LANDED && oribi_flight_has_resource(node);
}

static void copy_outputs(ahead *a, const oribi_node *node)
{
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const int32_t home = a->home[node->outputs[i]];
        a->copy[node->outputs[i]] = home != 0 ? ++a->copies[home] : 0;
    }
}

/* The host waited for the node. */
static void land(ahead *a, int32_t id)
{
    if (id == LANDED) {
        return;
    }
    const oribi_node *node = a->graph->nodes[id];
    for (int32_t i = 0; i < node->n_outputs; i++) {
        a->flight[node->outputs[i]] = LANDED;
    }
    copy_outputs(a, node);
    a->holder = a->holder == id ? LANDED : a->holder;
}

static void land_and_start(ahead *a, int32_t s)
{
    const oribi_node *node = node_at(a, s);
    const bool has_resource = oribi_flight_has_resource(node);
    for (int32_t i = 0; i < node->n_inputs; i++) {
        land(a, flight_of(a, node, i));
    }
    if (has_resource) {
        land(a, a->holder);
    }
    if (!oribi_flight_is_node(node)) {
        copy_outputs(a, node);
        return;
    }
    for (int32_t i = 0; i < node->n_outputs; i++) {
        a->flight[node->outputs[i]] = node->id;
    }
    a->holder = has_resource ? node->id : a->holder;
}

static void take(ahead *a, int32_t s)
{
    const oribi_node *node = node_at(a, s);
    a->out[a->n_out++] = s;
    a->n_ranked += a->rank[s] >= 0;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const int32_t home = waited_for(a, s, i);
        if (home != 0) {
            a->waited[home] = a->copy[node->inputs[i]];
        }
    }
    for (int32_t i = 0; i < node->n_outputs; i++) {
        a->is_made[node->outputs[i]] = true;
        a->home[node->outputs[i]] = oribi_place_of_output(node, i, a->devices[s]);
    }
    land_and_start(a, s);
}

/* One sweep over what is left, in the graph's order: nodes of devices and of asynchronous kernels
 * that are ready. Then one of the host's, best one without a wait. */
static int32_t sweep(ahead *a, int32_t *left, int32_t n_left)
{
    int32_t n = 0, best = -1;
    bool best_waits = true;
    for (int32_t k = 0; k < n_left; k++) {
        const int32_t s = left[k];
        const bool ready = is_ready(a, s);
        const bool waits = ready && has_to_wait(a, s);
        const bool is_early = a->devices[s] != 0 || oribi_flight_is_node(node_at(a, s));
        if (ready && is_early && !waits) {
            take(a, s);
            continue;
        }
        if (ready && (best < 0 || (best_waits && !waits))) {
            best = n;
            best_waits = waits;
        }
        left[n++] = s;
    }
    if (best >= 0) {
        take(a, left[best]);
        memmove(&left[best], &left[best + 1], (size_t)(n - best - 1) * sizeof *left);
        n--;
    }
    return n;
}

static void find_order(ahead *a, int32_t *left)
{
    const oribi_graph *graph = a->graph;
    int32_t n_left = graph->n_order, n_ranked = 0;
    a->holder = LANDED;
    for (int32_t id = 0; id < graph->n_values; id++) {
        a->is_made[id] = graph->values[id]->producer < 0;
        a->flight[id] = LANDED;
    }
    for (int32_t s = 0; s < graph->n_order; s++) {
        a->rank[s] = has_state(node_at(a, s)) ? n_ranked++ : -1;
        left[s] = s;
    }
    while (n_left > 0) {
        const int32_t n = sweep(a, left, n_left);
        if (n == n_left) { /* cannot be: the graph's order is one */
            break;
        }
        n_left = n;
    }
    for (int32_t k = 0; k < n_left; k++) {
        a->out[a->n_out++] = left[k];
    }
}

bool oribi_steps_order(const oribi_session *session, const int32_t *devices, int32_t *out_order,
                       TF_Status *status)
{
    const oribi_graph *graph = session->graph;
    bool is_given = session->n_devices == 1;
    for (int32_t s = 0; s < graph->n_order; s++) {
        out_order[s] = s;
        is_given = is_given && !oribi_flight_is_node(graph->nodes[graph->order[s]]);
    }
    if (is_given) {
        return true;
    }
    const size_t n_nodes = (size_t)graph->n_nodes + 1, n_values = (size_t)graph->n_values + 1;
    ahead a = {.session = session, .graph = graph, .devices = devices, .out = out_order};
    int32_t *left = oribi_alloc_array(n_nodes, sizeof *left);
    a.rank = oribi_alloc_array(n_nodes, sizeof *a.rank);
    a.home = oribi_alloc_zero(n_values, sizeof *a.home);
    a.copy = oribi_alloc_zero(n_values, sizeof *a.copy);
    a.is_made = oribi_alloc_zero(n_values, sizeof *a.is_made);
    a.flight = oribi_alloc_array(n_values, sizeof *a.flight);
    const bool ok = left != NULL && a.rank != NULL && a.home != NULL && a.copy != NULL &&
                    a.is_made != NULL && a.flight != NULL;
    if (ok) {
        find_order(&a, left);
    }
    oribi_free(left);
    oribi_free(a.rank);
    oribi_free(a.home);
    oribi_free(a.copy);
    oribi_free(a.is_made);
    oribi_free(a.flight);
    return ok || oribi_fail_memory(status);
}
