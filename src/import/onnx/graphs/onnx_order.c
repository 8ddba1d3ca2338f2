/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes are read as they stand. Files whose nodes are not in order, which ONNX forbids and other
 * runtimes take: from the first such node on, each after those that make what it reads. What graphs
 * inside a node read of this one is not looked into.
 */
#include "import/onnx/onnx.h"

#include "base/map.h"

typedef struct node_place {
    oribi_wire_field field;
    enum { UNREAD, EXPANDED, READ } state;
} node_place;

typedef struct order {
    oribi_onnx *onnx;
    oribi_wire graph;
    node_place *nodes;
    int32_t n_nodes;
    oribi_map makers;   /* a name's node */
    node_place **stack; /* those that others wait for, and what waits, below */
    int64_t n_waiting, capacity;
    oribi_arena arena;
} order;

static bool wait_for(order *o, node_place *node, TF_Status *status)
{
    if (o->n_waiting == o->capacity) {
        const int64_t capacity = 2 * o->capacity + 64;
        node_place **more = oribi_arena_array(&o->arena, (size_t)capacity, sizeof *more);
        ORIBI_TRY(more != NULL || oribi_fail_memory(status));
        for (int64_t i = 0; i < o->n_waiting; i++) {
            more[i] = o->stack[i];
        }
        o->stack = more;
        o->capacity = capacity;
    }
    o->stack[o->n_waiting++] = node;
    return true;
}

/* Visits the names of inputs (field 1) or outputs (2): gives outputs their maker, waits for those
 * that make inputs. */
static bool see_names(order *o, node_place *node, uint32_t number, TF_Status *status)
{
    oribi_wire body;
    oribi_wire_field f;
    ORIBI_TRY(oribi_wire_enter(&o->graph, &node->field, &body, status));
    while (oribi_wire_next(&body, &f, status)) {
        oribi_string name;
        if (f.number != number) {
            continue;
        }
        ORIBI_TRY(oribi_wire_string(&f, "a value's name", &name, status));
        node_place *maker = oribi_map_get_n(&o->makers, name.data, name.length);
        if (number == 1) {
            ORIBI_TRY(maker == NULL || maker->state != UNREAD || wait_for(o, maker, status));
        } else if (maker == NULL && name.length > 0) {
            ORIBI_TRY(oribi_map_put_n(&o->makers, name.data, name.length, node) ||
                      oribi_fail_memory(status));
        }
    }
    return oribi_ok(status);
}

/* The nodes that have not been read. */
static bool list_nodes(order *o, uint32_t number, size_t from, TF_Status *status)
{
    oribi_wire_field f;
    for (oribi_wire graph = o->graph; oribi_wire_next(&graph, &f, status);) {
        o->n_nodes += f.number == number && f.offset >= from ? 1 : 0;
    }
    o->nodes = oribi_claim_array(&o->arena, (size_t)o->n_nodes + 1, sizeof *o->nodes, status);
    ORIBI_TRY(oribi_ok(status) && o->nodes != NULL);
    node_place *at = o->nodes;
    for (oribi_wire graph = o->graph; oribi_wire_next(&graph, &f, status);) {
        if (f.number == number && f.offset >= from) {
            *at = (node_place){f, UNREAD};
            ORIBI_TRY(see_names(o, at, 2, status));
            at++;
        }
    }
    return oribi_ok(status);
}

/* The node after all that it waits for. On a cycle, reading says so. */
static bool read_after_others(order *o, node_place *node, TF_Status *status)
{
    ORIBI_TRY(wait_for(o, node, status));
    while (o->n_waiting > 0) {
        node_place *top = o->stack[o->n_waiting - 1];
        if (top->state == UNREAD) {
            top->state = EXPANDED;
            ORIBI_TRY(see_names(o, top, 1, status));
            continue;
        }
        if (top->state == EXPANDED) {
            ORIBI_TRY(oribi_onnx_scope_charge(o->onnx, status) &&
                      oribi_onnx_read_node(o->onnx, &o->graph, &top->field, NULL, status));
            oribi_arena_destroy(&o->onnx->scratch);
            top->state = READ;
        }
        o->n_waiting--;
    }
    return true;
}

static bool read_unordered(oribi_onnx *onnx, oribi_wire graph, uint32_t number, size_t from,
                           TF_Status *status)
{
    order o = {.onnx = onnx, .graph = graph};
    bool ok = list_nodes(&o, number, from, status);
    for (int32_t i = 0; ok && i < o.n_nodes; i++) {
        ok = read_after_others(&o, &o.nodes[i], status);
    }
    oribi_map_destroy(&o.makers);
    oribi_arena_destroy(&o.arena);
    return ok;
}

bool oribi_onnx_read_nodes(oribi_onnx *onnx, oribi_wire graph, uint32_t number, TF_Status *status)
{
    oribi_wire_field f;
    const oribi_wire whole = graph;
    for (bool is_early = false; oribi_wire_next(&graph, &f, status);) {
        if (f.number == number) {
            ORIBI_TRY(oribi_onnx_scope_charge(onnx, status));
            ORIBI_TRY(oribi_onnx_read_node(onnx, &graph, &f, &is_early, status));
        }
        oribi_arena_destroy(&onnx->scratch);
        if (is_early) {
            return read_unordered(onnx, whole, number, f.offset, status);
        }
    }
    return oribi_ok(status);
}
