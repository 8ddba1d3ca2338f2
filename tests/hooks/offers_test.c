/* SPDX-License-Identifier: Apache-2.0 */
/* What a target with a compiler of its own is offered: of random graphs, subgraphs that a way does
 * not leave and come back to, and that no operator beside them can be added to. An oracle of its
 * own says so, with all ways in a table. What is refused comes again in pieces, and not for ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plugin/plugin.h"
#include "target/target.h"
#include "tensor/status.h"
#include "support/graph_check.h"

enum { NODES_MAX = 64, LONG_CHAIN = 600 };

/* What the target does with an offer, and what the oracle has found. */
static struct {
    uint32_t random;
    int32_t most;         /* larger regions are refused as a whole; 0: none is */
    int32_t refuses_exps; /* the operator by its number; else takes() has let none through */
    int32_t n_offers, n_taken, n_nodes;
} made;

static uint32_t draw(uint32_t n)
{
    made.random = made.random * 1664525u + 1013904223u;
    return (made.random >> 8) % n;
}

/* --- The oracle ------------------------------------------------------------------------------- */

static bool ways[2 * NODES_MAX][2 * NODES_MAX];

/* Fills in whether a way leads from one live node to another. */
static void find_ways(const oribi_graph *graph)
{
    assert_true(graph->n_nodes <= 2 * NODES_MAX);
    memset(ways, 0, sizeof ways);
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        const oribi_node *node = graph->nodes[i];
        for (int32_t k = 0; !node->is_dead && k < node->n_inputs; k++) {
            const oribi_node_id from = graph->values[node->inputs[k]]->producer;
            if (from >= 0) {
                ways[from][i] = true;
            }
        }
    }
    for (int32_t k = 0; k < graph->n_nodes; k++) {
        for (int32_t i = 0; i < graph->n_nodes; i++) {
            for (int32_t j = 0; j < graph->n_nodes; j++) {
                ways[i][j] = ways[i][j] || (ways[i][k] && ways[k][j]);
            }
        }
    }
}

static bool is_closed(const oribi_graph *graph, const bool *inside)
{
    for (int32_t k = 0; k < graph->n_nodes; k++) {
        bool is_behind = false, is_before = false;
        for (int32_t i = 0; i < graph->n_nodes && !inside[k]; i++) {
            is_behind = is_behind || (inside[i] && ways[i][k]);
            is_before = is_before || (inside[i] && ways[k][i]);
        }
        if (is_behind && is_before) {
            return false;
        }
    }
    return true;
}

static bool touches(const oribi_graph *graph, const bool *inside, const oribi_node *node)
{
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        const oribi_node *other = graph->nodes[i];
        for (int32_t k = 0; inside[i] && k < other->n_inputs; k++) {
            if (graph->values[other->inputs[k]]->producer == node->id) {
                return true;
            }
        }
        for (int32_t k = 0; inside[i] && k < node->n_inputs; k++) {
            if (graph->values[node->inputs[k]]->producer == i) {
                return true;
            }
        }
    }
    return false;
}

static void check_region(const oribi_region *region)
{
    const oribi_graph *graph = region->graph;
    bool inside[2 * NODES_MAX] = {false};
    find_ways(graph);
    for (int32_t i = 0; i < region->n_nodes; i++) {
        inside[region->nodes[i]->id] = true;
        assert_string_not_equal(region->nodes[i]->op_name, "Sqrt");
        assert_string_not_equal(region->nodes[i]->op_name, ORIBI_REGION_OP);
    }
    assert_true(is_closed(graph, inside));
    for (int32_t i = 0; i < graph->n_nodes && made.most == 0 && !made.refuses_exps; i++) {
        const oribi_node *node = graph->nodes[i];
        const bool is_open = !node->is_dead && !inside[i] && strcmp(node->op_name, "Sqrt") != 0 &&
                             strcmp(node->op_name, "Exp") != 0 &&
                             strcmp(node->op_name, ORIBI_REGION_OP) != 0;
        if (is_open && touches(graph, inside, node)) {
            inside[i] = true;
            assert_false(is_closed(graph, inside));
            inside[i] = false;
        }
    }
}

/* The tensors of the call are what crosses the border, each once. */
static void check_border(const oribi_region *region, TF_Status *status)
{
    oribi_region_tensor all[4 * NODES_MAX], own;
    const int32_t n_in = oribi_region_num_inputs(region, ORIBI_REGION_CALL);
    const int32_t n = n_in + oribi_region_num_outputs(region, ORIBI_REGION_CALL);
    assert_in_range(n, 2, 4 * NODES_MAX);
    for (int32_t i = 0; i < n; i++) {
        all[i].struct_size = sizeof all[i];
        if (i < n_in) {
            oribi_region_input(region, ORIBI_REGION_CALL, i, &all[i], status);
        } else {
            oribi_region_output(region, ORIBI_REGION_CALL, i - n_in, &all[i], status);
        }
        assert_int_equal(TF_GetCode(status), TF_OK);
        for (int32_t k = 0; k < i; k++) {
            assert_string_not_equal(all[i].name, all[k].name);
        }
    }
    for (int32_t i = 0; i < region->n_nodes; i++) {
        for (int32_t k = 0; k < oribi_region_num_inputs(region, i); k++) {
            int32_t found = 0;
            own.struct_size = sizeof own;
            oribi_region_input(region, i, k, &own, status);
            for (int32_t j = 0; j < n_in; j++) {
                found += strcmp(own.name, all[j].name) == 0;
            }
            for (int32_t j = 0; j < region->n_nodes; j++) {
                oribi_region_tensor out = {.struct_size = sizeof out};
                oribi_region_output(region, j, 0, &out, status);
                found += strcmp(own.name, out.name) == 0;
            }
            assert_int_equal(found, 1);
        }
    }
}

/* --- The target ------------------------------------------------------------------------------- */

static void compile_region(void *compiler, const oribi_region *region, oribi_target_code *code,
                           TF_Status *status)
{
    (void)compiler;
    const int32_t n = oribi_region_num_nodes(region);
    made.n_offers++;
    if (region->graph->n_nodes < 2 * NODES_MAX) {
        check_region(region);
        check_border(region, status);
    }
    for (int32_t i = 0; i < n; i++) {
        if (made.refuses_exps && strcmp(oribi_region_op(region, i), "Exp") == 0) {
            oribi_target_refuse(code, i, "it has no exponentials", status);
            return;
        }
    }
    if (n > made.most && made.most != 0) {
        oribi_target_refuse(code, ORIBI_REGION_CALL, "it is too much at once", status);
        return;
    }
    made.n_taken++;
    made.n_nodes += n;
    oribi_target_set_op(code, n);
    oribi_target_set_cost_us(code, 10 * n);
    oribi_target_set_params(code, &n, sizeof n, 4, status);
}

static int32_t takes(void *compiler, const oribi_region *region, char *why, size_t why_bytes)
{
    (void)compiler;
    assert_int_equal(oribi_region_num_nodes(region), 1);
    const char *op = oribi_region_op(region, 0);
    snprintf(why, why_bytes, "no %s", op);
    return strcmp(op, "Sqrt") != 0 && (made.refuses_exps || strcmp(op, "Exp") != 0);
}

static const oribi_target compiler = {.struct_size = sizeof(oribi_target),
                                      .name = "compiler",
                                      .device_api = 1,
                                      .compile_region = compile_region,
                                      .takes = takes};
static const oribi_target neither = {
    .struct_size = sizeof(oribi_target), .name = "neither", .device_api = 1, .takes = takes};

/* --- Graphs ----------------------------------------------------------------------------------- */

typedef struct fixture {
    oribi_graph *graph;
    oribi_partition partition;
    TF_Status *status;
} fixture;

static void begin(fixture *f)
{
    f->graph = oribi_graph_create(f->status);
    f->partition = (oribi_partition){.n_devices = 0};
    made.n_offers = made.n_taken = made.n_nodes = 0;
}

static void end(fixture *f)
{
    oribi_partition_destroy(&f->partition);
    oribi_graph_destroy(f->graph);
    f->graph = NULL;
}

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.status = TF_NewStatus()};
    memset(&made, 0, sizeof made);
    assert_true(oribi_plugin_load_built_ins(f.status));
    if (oribi_target_find("compiler") == NULL) {
        oribi_target_register(&compiler, f.status);
        assert_int_equal(TF_GetCode(f.status), TF_OK);
    }
    begin(&f);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    end(f);
    TF_DeleteStatus(f->status);
    return 0;
}

static oribi_value_id input(fixture *f, const char *name)
{
    static int64_t dims[2] = {2, 3};
    const oribi_shape shape = {2, dims};
    const oribi_value_id id = oribi_graph_add_value(f->graph, name, TF_FLOAT, &shape, f->status);
    assert_true(oribi_graph_add_input(f->graph, id, name, f->status));
    return id;
}

static oribi_value_id node(fixture *f, const char *op, const char *name, oribi_value_id a,
                           oribi_value_id b)
{
    const oribi_value_id inputs[2] = {a, b};
    oribi_node *added =
        oribi_graph_add_node(f->graph, op, name, inputs, b >= 0 ? 2 : 1, 1, f->status);
    assert_true(oribi_graph_resolve(f->graph, added, f->status));
    return added->outputs[0];
}

/* Values that nobody reads, and some others, are outputs. */
static void make_random(fixture *f, int32_t n)
{
    static const char *const ops[] = {"Relu", "Neg", "Sqrt", "Exp", "AddV2", "AddV2", "Mul"};
    oribi_value_id values[NODES_MAX + 2] = {input(f, "x"), input(f, "y")};
    char name[16];
    for (int32_t i = 0; i < n; i++) {
        const char *op = ops[draw(7)];
        const uint32_t near = i < 4 || draw(3) == 0 ? (uint32_t)i + 2 : 5;
        const oribi_value_id a = values[i + 1 - (int32_t)draw(near)];
        const bool is_binary = strcmp(op, "AddV2") == 0 || strcmp(op, "Mul") == 0;
        snprintf(name, sizeof name, "n%d", (int)i);
        values[i + 2] = node(f, op, name, a, is_binary ? values[i + 1 - (int32_t)draw(near)] : -1);
    }
    for (int32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "out%d", (int)i);
        if (f->graph->values[values[i + 2]]->n_uses == 0 || draw(9) == 0) {
            assert_true(oribi_graph_add_output(f->graph, values[i + 2], name, f->status));
        }
    }
    assert_true(oribi_graph_sort(f->graph, f->status));
}

static void divide(fixture *f, const char *const *assignments, int32_t n)
{
    assert_true(oribi_partition_graph(&f->partition, f->graph, assignments, n, f->status));
    assert_int_equal(TF_GetCode(f->status), TF_OK);
    assert_true(oribi_graph_check(f->graph, f->status));
    int32_t at[2 * LONG_CHAIN + 2];
    memset(at, -1, sizeof at);
    for (int32_t i = 0; i < f->graph->n_order; i++) {
        const oribi_node *here = f->graph->nodes[f->graph->order[i]];
        at[here->id] = i;
        for (int32_t k = 0; k < here->n_inputs; k++) {
            const oribi_node_id from = f->graph->values[here->inputs[k]]->producer;
            assert_true(from < 0 || at[from] >= 0); /* it has run */
        }
    }
}

static int32_t count(const fixture *f, const char *op)
{
    int32_t n = 0;
    for (int32_t i = 0; i < f->graph->n_order; i++) {
        n += strcmp(f->graph->nodes[f->graph->order[i]]->op_name, op) == 0;
    }
    return n;
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void regions_are_closed_and_as_large_as_can_be(void **state)
{
    fixture *f = *state;
    int32_t n_large = 0;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        made.random = seed;
        made.refuses_exps = (int32_t)draw(2);
        made.most = draw(3) == 0 ? 1 + (int32_t)draw(6) : 0;
        const int32_t n = 4 + (int32_t)draw(NODES_MAX - 4);
        make_random(f, n);
        const int32_t n_left = count(f, "Sqrt") + count(f, "Exp");
        assert_true(oribi_partition_add_device(&f->partition, "compiler", f->status));
        divide(f, NULL, 0);
        assert_int_equal(count(f, "Sqrt") + count(f, "Exp"), n_left);
        assert_int_equal(f->graph->n_order, n_left + made.n_taken);
        assert_int_equal(made.n_nodes, n - n_left); /* all others are on the device */
        n_large += made.n_nodes > 4 * made.n_taken;
        end(f);
        begin(f);
    }
    assert_true(n_large > 50);
}

/* x -> a -> b, a -> s -> c, b -> c; s is not the device's: a and c cannot be one region with it. */
static void a_way_through_the_cpu_parts_a_region(void **state)
{
    fixture *f = *state;
    const oribi_value_id a = node(f, "Relu", "a", input(f, "x"), -1);
    const oribi_value_id b = node(f, "Neg", "b", a, -1), s = node(f, "Sqrt", "s", a, -1);
    assert_true(oribi_graph_add_output(f->graph, node(f, "AddV2", "c", b, s), "y", f->status));
    assert_true(oribi_graph_sort(f->graph, f->status));
    assert_true(oribi_partition_add_device(&f->partition, "compiler", f->status));
    divide(f, NULL, 0);
    assert_int_equal(made.n_taken, 2);
    assert_int_equal(f->partition.regions[0].n_nodes, 2);
    assert_int_equal(f->partition.regions[0].n_outputs, 2);
    assert_int_equal(f->partition.regions[0].us, 20);
    assert_int_equal(f->partition.regions[1].n_outer, 2);
}

/* What the host has to compute between is put behind the region that it reads. */
static void readers_of_an_early_result_come_behind_the_region(void **state)
{
    fixture *f = *state;
    const oribi_value_id a = node(f, "Relu", "a", input(f, "x"), -1);
    const oribi_value_id s = node(f, "Sqrt", "s", a, -1), t = node(f, "Sqrt", "t", s, -1);
    const oribi_value_id b = node(f, "Neg", "b", a, -1);
    assert_true(oribi_graph_add_output(f->graph, b, "y", f->status));
    assert_true(oribi_graph_add_output(f->graph, t, "z", f->status));
    assert_true(oribi_graph_sort(f->graph, f->status));
    assert_true(oribi_partition_add_device(&f->partition, "compiler", f->status));
    divide(f, NULL, 0);
    assert_int_equal(made.n_taken, 1);
    assert_string_equal(f->graph->nodes[f->graph->order[0]]->op_name, ORIBI_REGION_OP);
    assert_string_equal(f->graph->nodes[f->graph->order[1]]->name, "s");
}

/* A device waits for no branch, and what decides about one is the host's. */
static void branches_stay_where_they_are(void **state)
{
    fixture *f = *state;
    made.most = 9;
    const oribi_value_id a = node(f, "Relu", "a", input(f, "x"), -1);
    const oribi_value_id g = node(f, "Neg", "g", a, -1), b = node(f, "Relu", "b", a, -1);
    const oribi_value_id c = node(f, "Neg", "c", a, -1);
    f->graph->nodes[f->graph->values[b]->producer]->guard = g + 1;
    assert_true(oribi_graph_add_output(f->graph, node(f, "AddV2", "d", b, c), "y", f->status));
    assert_true(oribi_graph_add_output(f->graph, g, "z", f->status));
    assert_true(oribi_graph_sort(f->graph, f->status));
    assert_true(oribi_partition_add_device(&f->partition, "compiler", f->status));
    divide(f, NULL, 0);
    assert_int_equal(f->graph->n_order, 4);
    assert_int_equal(count(f, ORIBI_REGION_OP), 2); /* a; c and d */
    assert_int_equal(count(f, "Neg"), 1);
    assert_int_equal(count(f, "Relu"), 1);
}

static oribi_value_id make_chain(fixture *f, int32_t n)
{
    oribi_value_id x = input(f, "x");
    for (int32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", (int)i);
        x = node(f, i % 2 == 0 ? "Relu" : "Neg", name, x, -1);
    }
    assert_true(oribi_graph_add_output(f->graph, x, "y", f->status));
    assert_true(oribi_graph_sort(f->graph, f->status));
    return x;
}

static void assignments_keep_operators_out_and_name_instances(void **state)
{
    static const char *const some[] = {"n3=cpu", "n6=b"};
    fixture *f = *state;
    made.most = 8;
    make_chain(f, 8);
    assert_true(oribi_partition_add_device(&f->partition, "a=compiler", f->status));
    assert_true(oribi_partition_add_device(&f->partition, "b=compiler", f->status));
    divide(f, some, 2);
    assert_int_equal(f->partition.n_regions, 2);
    assert_int_equal(f->partition.regions[0].n_nodes, 3);
    assert_int_equal(f->partition.regions[0].device, 0);
    assert_false(f->partition.regions[0].is_assigned);
    assert_int_equal(f->partition.regions[1].n_nodes, 4);
    assert_int_equal(f->partition.regions[1].device, 1);
    assert_true(f->partition.regions[1].is_assigned);
}

/* What does not fit a device's memory as a whole may fit in pieces. */
static void what_planning_refuses_comes_in_halves(void **state)
{
    fixture *f = *state;
    const oribi_kept_off kept = {"n0", 5, &compiler, "too small"};
    made.most = 8;
    make_chain(f, 8);
    assert_true(oribi_partition_add_device(&f->partition, "compiler", f->status));
    f->partition.kept_off = &kept;
    f->partition.n_kept_off = 1;
    divide(f, NULL, 0);
    assert_int_equal(made.n_offers, 2);
    assert_int_equal(f->partition.regions[0].n_nodes, 4);
    assert_int_equal(f->partition.regions[1].n_nodes, 4);
}

static void offers_end(void **state)
{
    fixture *f = *state;
    made.most = -1; /* none is small enough */
    make_chain(f, LONG_CHAIN);
    assert_true(oribi_partition_add_device(&f->partition, "compiler", f->status));
    divide(f, NULL, 0);
    assert_int_equal(made.n_offers, 500);
    assert_int_equal(made.n_taken, 0);
    assert_int_equal(f->graph->n_order, LONG_CHAIN);
    const oribi_partition_note *last = &f->partition.notes[f->partition.n_notes - 1];
    assert_string_equal(last->pattern, "compile_region");
    assert_non_null(strstr(last->why, "as many regions"));
}

static void a_target_without_both_takes_nothing(void **state)
{
    fixture *f = *state;
    oribi_target_register(&neither, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(f->status), "compile_region"));
    oribi_target_refuse(NULL, 0, "why", f->status);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
    oribi_target_set_cost_us(NULL, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(regions_are_closed_and_as_large_as_can_be),
        CASE(a_way_through_the_cpu_parts_a_region),
        CASE(readers_of_an_early_result_come_behind_the_region),
        CASE(branches_stay_where_they_are),
        CASE(assignments_keep_operators_out_and_name_instances),
        CASE(what_planning_refuses_comes_in_halves),
        CASE(offers_end),
        CASE(a_target_without_both_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
