/* SPDX-License-Identifier: Apache-2.0 */
/* The graph: uses, edits, order, names, constants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "graph/graph.h"
#include "plugin/plugin.h"
#include "support/fail_nth.h"
#include "tensor/tensor.h"
#include "support/graph_check.h"

static TF_Status *status;
static oribi_graph *graph;

static int make_graph(void **state)
{
    (void)state;
    status = TF_NewStatus();
    graph = oribi_graph_create(status);
    return graph != NULL ? 0 : -1;
}

static int drop_graph(void **state)
{
    (void)state;
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
    return 0;
}

static oribi_value_id add_input(const char *name)
{
    int64_t dims[] = {2, 3};
    oribi_shape shape = {2, dims};
    oribi_value_id value = oribi_graph_add_value(graph, name, TF_FLOAT, &shape, status);
    assert_true(value >= 0 && oribi_graph_add_input(graph, value, name, status));
    return value;
}

static oribi_node *add_node(const char *op, const char *name, oribi_value_id a, oribi_value_id b)
{
    oribi_value_id inputs[] = {a, b};
    oribi_node *node = oribi_graph_add_node(graph, op, name, inputs, b < 0 ? 1 : 2, 1, status);
    assert_non_null(node);
    assert_true(oribi_graph_resolve(graph, node, status));
    return node;
}

static void check(void)
{
    assert_true(oribi_graph_sort(graph, status));
    assert_true(oribi_graph_check(graph, status));
    assert_string_equal(TF_Message(status), "");
}

static void the_same_value_given_twice_counts_two_uses(void **state)
{
    (void)state;
    oribi_value_id x = add_input("x");
    oribi_node *node = add_node("AddV2", "double", x, x);
    oribi_use uses[2];
    assert_int_equal(graph->values[x]->n_uses, 2);
    assert_int_equal(oribi_graph_uses(graph, x, uses, 2), 2);
    assert_ptr_equal(uses[1].node, node);
    assert_int_equal(uses[1].input, 1);
    check();
}

static void replacing_uses_moves_inputs_and_outputs(void **state)
{
    (void)state;
    oribi_value_id x = add_input("x");
    oribi_node *first = add_node("Relu", "first", x, -1);
    oribi_node *second = add_node("AddV2", "second", first->outputs[0], first->outputs[0]);
    assert_true(oribi_graph_add_output(graph, first->outputs[0], "a", status));
    assert_true(oribi_graph_add_output(graph, second->outputs[0], "b", status));
    check();

    oribi_graph_replace_uses(graph, first->outputs[0], x);

    assert_int_equal(graph->values[first->outputs[0]]->n_uses, 0);
    assert_false(graph->values[first->outputs[0]]->is_output);
    assert_int_equal(graph->outputs[0], x);
    assert_int_equal(second->inputs[1], x);
    assert_int_equal(graph->values[x]->n_uses, 4); /* first, second twice, an output */
    assert_int_equal(oribi_graph_remove_dead(graph), 1);
    assert_true(first->is_dead);
    check();
}

static void dead_chains_go_whole(void **state)
{
    (void)state;
    oribi_value_id x = add_input("x");
    oribi_node *kept = add_node("Relu", "kept", x, -1);
    oribi_node *last = kept;
    assert_true(oribi_graph_add_output(graph, kept->outputs[0], "y", status));
    for (int i = 0; i < 10; i++) {
        last = add_node("Relu", "dead", last->outputs[0], -1);
    }
    assert_int_equal(oribi_graph_remove_dead(graph), 10);
    check();
    assert_int_equal(graph->n_order, 1);
}

/* A sweep over all nodes for each node would be 10^10 steps. */
static void a_long_dead_chain_whose_producers_come_last_goes_at_once(void **state)
{
    (void)state;
    enum { N = 100000 };
    oribi_value_id x = add_input("x");
    oribi_node *kept = add_node("Relu", "kept", x, -1);
    assert_true(oribi_graph_add_output(graph, kept->outputs[0], "y", status));
    oribi_node *reader = add_node("Relu", "dead", x, -1);
    for (int i = 1; i < N; i++) {
        oribi_node *producer = add_node("Relu", "dead", x, -1);
        oribi_graph_set_node_input(graph, reader, 0, producer->outputs[0]);
        reader = producer;
    }
    check();

    assert_int_equal(oribi_graph_remove_dead(graph), N);

    check();
    assert_int_equal(graph->n_order, 1);
    assert_int_equal(graph->values[x]->n_uses, 1);
}

/* Looking through all outputs for each would be 10^10 steps. */
static void a_hundred_thousand_outputs_are_replaced_one_by_one(void **state)
{
    (void)state;
    enum { N = 100000 };
    oribi_value_id x = add_input("x");
    oribi_node *other = add_node("Tanh", "other", x, -1);
    for (int i = 0; i < N; i++) {
        oribi_node *node = add_node("Relu", "node", x, -1);
        assert_true(oribi_graph_add_output(graph, node->outputs[0], "y", status));
    }

    for (int i = 0; i < N; i++) {
        oribi_graph_replace_uses(graph, graph->outputs[i], other->outputs[0]);
    }

    check();
    assert_int_equal(graph->values[other->outputs[0]]->n_uses, N);
    assert_int_equal(oribi_graph_remove_dead(graph), N);
    oribi_graph_replace_uses(graph, other->outputs[0], x); /* all of one value at once */
    check();
    assert_int_equal(graph->outputs[0], x);
    assert_int_equal(graph->outputs[N - 1], x);
}

static void users_are_counted_no_further_than_asked(void **state)
{
    (void)state;
    oribi_use uses[2];
    oribi_value_id x = add_input("x");
    for (int i = 0; i < 5; i++) {
        oribi_node *node = add_node("Relu", "node", x, -1);
        assert_true(oribi_graph_add_output(graph, node->outputs[0], "y", status));
    }
    assert_int_equal(oribi_graph_uses(graph, x, uses, 2), 3);
}

static void a_graph_has_no_more_nodes_than_its_limit(void **state)
{
    (void)state;
    oribi_value_id x = add_input("x");
    assert_int_equal(graph->max_nodes, ORIBI_GRAPH_MAX_NODES);
    graph->max_nodes = 2;
    add_node("Relu", "a", x, -1);
    oribi_node *b = add_node("Relu", "b", x, -1);
    oribi_graph_remove_node(graph, b); /* dead ones count, too: they take their memory */

    assert_null(oribi_graph_add_node(graph, "Relu", "one_more", &x, 1, 1, status));

    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    assert_non_null(strstr(TF_Message(status), "'one_more'"));
    TF_SetStatus(status, TF_OK, "");
}

static void a_node_added_late_runs_just_before_its_consumer(void **state)
{
    (void)state;
    oribi_value_id x = add_input("x");
    oribi_node *a = add_node("Relu", "a", x, -1);
    oribi_node *b = add_node("Relu", "b", a->outputs[0], -1);
    oribi_node *c = add_node("Relu", "c", b->outputs[0], -1);
    oribi_node *late = add_node("Tanh", "late", a->outputs[0], -1);
    oribi_graph_set_node_input(graph, b, 0, late->outputs[0]);
    assert_true(oribi_graph_add_output(graph, c->outputs[0], "y", status));
    check();
    const oribi_node_id expected[] = {a->id, late->id, b->id, c->id};
    assert_memory_equal(graph->order, expected, sizeof(expected));
}

static void a_cycle_is_refused_by_name(void **state)
{
    (void)state;
    oribi_value_id x = add_input("x");
    oribi_node *a = add_node("Relu", "a", x, -1);
    oribi_node *b = add_node("Relu", "b", a->outputs[0], -1);
    oribi_graph_set_node_input(graph, a, 0, b->outputs[0]);
    assert_false(oribi_graph_sort(graph, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "cycle"));
}

static void equal_names_get_suffixes(void **state)
{
    (void)state;
    oribi_value_id x = add_input("x"), again = add_input("x"), taken = add_input("x_1");
    assert_string_equal(graph->values[x]->name, "x");
    assert_string_equal(graph->values[again]->name, "x_1");
    assert_string_equal(graph->values[taken]->name, "x_1_1");
    assert_string_equal(graph->values[add_input("x")]->name, "x_2");
    assert_string_equal(add_node("Relu", "x", x, -1)->name, "x"); /* nodes have their own names */
}

static void a_wrong_count_is_seen_by_check(void **state)
{
    (void)state;
    oribi_value_id x = add_input("x");
    add_node("Relu", "a", x, -1);
    graph->values[x]->n_uses++;
    assert_false(oribi_graph_check(graph, status));
    graph->values[x]->n_uses--;
    assert_true(oribi_graph_check(graph, status));
}

/* --- Constants ------------------------------------------------------------------------------- */

static void a_transposed_constant_is_a_view_until_it_is_made_dense(void **state)
{
    (void)state;
    static const float data[] = {1, 2, 3, 4, 5, 6}, expected[] = {1, 4, 2, 5, 3, 6};
    int64_t dims[] = {2, 3};
    static const oribi_dims swap_axes = {.n = 2, .at = {1, 0}};
    oribi_constant_view view = {TF_FLOAT, 2, dims, NULL, data};
    oribi_value_id x = oribi_graph_add_constant(graph, "w", &view, NULL, status);
    oribi_value_id y = oribi_graph_add_constant_transposed(graph, "w", x, &swap_axes, status);
    assert_ptr_equal(graph->values[y]->constant->view.data, data);
    assert_int_equal(graph->values[y]->shape.dims[0], 3);
    TF_Tensor *tensor = oribi_graph_constant_tensor(graph, y, status);
    assert_memory_equal(TF_TensorData(tensor), expected, sizeof(expected));
    assert_int_equal((uintptr_t)TF_TensorData(tensor) % 64, 0);
    TF_DeleteTensor(tensor);
}

static void a_splat_is_filled_only_when_made_dense(void **state)
{
    (void)state;
    static const float half = 0.5f;
    int64_t dims[] = {4, 5}, strides[] = {0, 0};
    oribi_constant_view view = {TF_FLOAT, 2, dims, strides, &half};
    oribi_value_id x = oribi_graph_add_constant(graph, "w", &view, NULL, status);
    TF_Tensor *tensor = oribi_graph_constant_tensor(graph, x, status);
    for (int i = 0; i < 20; i++) {
        assert_true(((const float *)TF_TensorData(tensor))[i] == half);
    }
    TF_DeleteTensor(tensor);
}

static int released;

static void count_release(oribi_source *source)
{
    (void)source;
    released++;
}

static void aligned_bytes_are_used_in_place_and_kept_alive(void **state)
{
    (void)state;
    static _Alignas(64) float data[16] = {1, 2, 3};
    static oribi_source source = {.release = count_release};
    int64_t dims[] = {16};
    released = 0;
    atomic_store(&source.references, 1);
    oribi_constant_view view = {TF_FLOAT, 1, dims, NULL, data};
    oribi_value_id x = oribi_graph_add_constant(graph, "w", &view, &source, status);
    TF_Tensor *tensor = oribi_graph_constant_tensor(graph, x, status);
    assert_ptr_equal(TF_TensorData(tensor), data);
    oribi_graph_destroy(graph);
    graph = oribi_graph_create(status);
    assert_int_equal(released, 0);
    TF_DeleteTensor(tensor);
    assert_int_equal(released, 1);
}

static void integers_are_read_through_strides(void **state)
{
    (void)state;
    static const int32_t narrow[] = {7, 0, 8, 0, 9};
    int64_t dims[] = {3}, strides[] = {8};
    oribi_dims out;
    oribi_constant_view view = {TF_INT32, 1, dims, strides, narrow};
    oribi_value_id x = oribi_graph_add_constant(graph, "i", &view, NULL, status);
    assert_true(oribi_graph_constant_ints(graph, x, &out));
    assert_int_equal(out.n, 3);
    assert_int_equal(out.at[2], 9);
    assert_false(oribi_graph_constant_ints(graph, add_input("x"), &out));
}

static void integers_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    enum { N = ORIBI_MAX_RANK + 1 };
    static const int32_t numbers[N] = {1};
    for (int64_t n = ORIBI_MAX_RANK; n <= N; n++) {
        int64_t ints[N + 1] = {[N] = 77};
        oribi_dims out = {.n = 1, .at = {55}};
        oribi_constant_view view = {TF_INT32, 1, &n, NULL, numbers};
        oribi_value_id x = oribi_graph_add_constant(graph, "many", &view, NULL, status);
        assert_int_equal(oribi_graph_constant_ints(graph, x, &out), n <= ORIBI_MAX_RANK);
        assert_int_equal(out.n, n <= ORIBI_MAX_RANK ? n : 1);
        assert_int_equal(out.at[0], n <= ORIBI_MAX_RANK ? 1 : 55);
        assert_int_equal(oribi_graph_known_ints(graph, x, &out), n <= ORIBI_MAX_RANK);
        assert_true(oribi_graph_constant_exactly(graph, x, ints, (int32_t)n));
        assert_true(oribi_graph_known_exactly(graph, x, ints, (int32_t)n));
        assert_false(oribi_graph_constant_exactly(graph, x, ints, (int32_t)n - 1));
        assert_false(oribi_graph_known_exactly(graph, x, ints, (int32_t)n - 1));
        assert_false(oribi_graph_known_exactly(graph, x, ints, (int32_t)n + 1));
        assert_int_equal(ints[N], 77);
    }
}

static void a_constant_is_transposed_by_permutations_of_its_axes_only(void **state)
{
    (void)state;
    static const float data[] = {1, 2};
    int64_t dims[] = {1, 2};
    static const oribi_dims wrong[] = {
        {.n = 2, .at = {0, 0}}, {.n = 2, .at = {0, 2}}, {.n = 1}, {.n = 3, .at = {0, 1, 2}}};
    oribi_constant_view view = {TF_FLOAT, 2, dims, NULL, data};
    oribi_value_id x = oribi_graph_add_constant(graph, "w", &view, NULL, status);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(oribi_graph_add_constant_transposed(graph, "w", x, &wrong[i], status), -1);
        assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    }
}

static size_t n_given_back;
static const void *given_back;

static void note_give_back(oribi_source *source, const void *from, size_t bytes)
{
    (void)source;
    given_back = from;
    n_given_back += bytes;
}

static void release_static(oribi_source *source)
{
    (void)source;
}

static void bytes_that_a_kernel_has_read_go_back_to_their_source_and_no_others(void **state)
{
    (void)state;
    static const float file[16];
    const float *data = file + 4;
    static oribi_source source = {1, release_static, note_give_back, NULL};
    int64_t dims[] = {2, 3};
    oribi_constant_view constant = {TF_FLOAT, 2, dims, NULL, data};
    oribi_value_id w = oribi_graph_add_constant(graph, "w", &constant, &source, status);
    oribi_node *node = add_node("AddV2", "add", add_input("x"), w);
    oribi_node_view view;
    assert_true(oribi_graph_node_view(graph, node, &view, status));
    n_given_back = 0;
    view.constant_read(view.arg, 1, data + 2, 8);
    assert_ptr_equal(given_back, data + 2);
    assert_int_equal(n_given_back, 8);
    view.constant_read(view.arg, 1, data, 25);
    view.constant_read(view.arg, 1, data - 1, 4);
    view.constant_read(view.arg, 1, data + 7, 4);
    view.constant_read(view.arg, 0, data, 4);
    view.constant_read(view.arg, 2, data, 4);
    assert_int_equal(n_given_back, 8);
}

static void a_made_tensor_goes_when_its_last_use_has_packed_it(void **state)
{
    (void)state;
    int64_t dims[] = {200, 100};
    const size_t bytes = 200 * 100 * sizeof(float);
    TF_Tensor *made = TF_AllocateTensor(TF_FLOAT, dims, 2, bytes);
    assert_non_null(made);
    oribi_value_id w = oribi_graph_add_constant_tensor(graph, "w", made, status);
    oribi_node *node = add_node("AddV2", "add", w, w);
    oribi_node_view view;
    oribi_constant_view constant;
    assert_true(oribi_graph_node_view(graph, node, &view, status));
    view.release_constant(view.arg, 0);
    assert_true(view.constant_input(view.arg, 1, &constant));
    view.release_constant(view.arg, 1);
    assert_false(view.constant_input(view.arg, 1, &constant));
    assert_null(oribi_graph_constant_tensor(graph, w, status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    assert_int_equal(atomic_load(&made->buffer->references), 1);
    TF_DeleteTensor(made);
}

static void constants_that_nothing_uses_are_let_go(void **state)
{
    (void)state;
    int64_t dims[] = {2};
    TF_Tensor *made = TF_AllocateTensor(TF_FLOAT, dims, 1, 8);
    assert_non_null(made);
    oribi_value_id unused = oribi_graph_add_constant_tensor(graph, "unused", made, status);
    oribi_value_id output = oribi_graph_add_constant_tensor(graph, "output", made, status);
    assert_true(oribi_graph_add_output(graph, output, "y", status));
    oribi_graph_drop_unused_constants(graph);
    assert_null(graph->values[unused]->constant);
    assert_non_null(graph->values[output]->constant);
    check();
    TF_DeleteTensor(made);
}

static void the_limit_stops_a_dense_copy_before_it_is_made(void **state)
{
    (void)state;
    static const float half = 0.5f;
    int64_t dims[] = {1 << 20, 1 << 20}, strides[] = {0, 0};
    oribi_constant_view view = {TF_FLOAT, 2, dims, strides, &half};
    graph->max_bytes = 1 << 20;
    oribi_value_id x = oribi_graph_add_constant(graph, "w", &view, NULL, status);
    assert_null(oribi_graph_constant_tensor(graph, x, status));
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
}

static void known_integers_follow_from_shapes(void **state)
{
    (void)state;
    oribi_dims out;
    int64_t two[2] = {0};
    oribi_value_id x = add_input("x");
    oribi_node *shape = add_node("Shape", "s", x, -1);
    assert_true(oribi_graph_known_ints(graph, shape->outputs[0], &out));
    assert_int_equal(out.n, 2);
    assert_int_equal(out.at[1], 3);
    assert_true(oribi_graph_known_exactly(graph, shape->outputs[0], two, 2));
    assert_int_equal(two[1], 3);
    assert_false(oribi_graph_known_exactly(graph, shape->outputs[0], two, 1));
    graph->values[x]->shape.dims[0] = -1;
    assert_false(oribi_graph_known_ints(graph, shape->outputs[0], &out));
    assert_false(oribi_graph_known_exactly(graph, shape->outputs[0], two, 2));
}

static void a_graph_prints_one_line_per_node(void **state)
{
    (void)state;
    oribi_value_id x = add_input("x");
    oribi_node *node = add_node("Relu", "r", x, -1);
    assert_true(oribi_graph_add_output(graph, node->outputs[0], "y", status));
    check();
    oribi_text text = {0};
    oribi_graph_print(graph, &text);
    assert_non_null(strstr(oribi_text_string(&text), "%r:float[2,3] = Relu(%x:float[2,3])"));
    oribi_text_destroy(&text);
}

static void ports_without_a_name_are_called_as_their_values(void **state)
{
    (void)state;
    add_input("x");
    const oribi_value_id value = add_input("");

    assert_true(oribi_graph_add_output(graph, value, "", status));

    assert_string_equal(graph->input_names[0], "x");
    assert_string_equal(graph->input_names[1], "unnamed");
    assert_string_equal(graph->output_names[0], "unnamed");
}

/* --- Memory ---------------------------------------------------------------------------------- */

static bool build(void *arg)
{
    (void)arg;
    static const int32_t axes[] = {0, 1};
    int64_t dims[] = {2, 3}, two = 2;
    oribi_shape shape = {2, dims};
    TF_Status *s = TF_NewStatus();
    oribi_graph *g = s == NULL ? NULL : oribi_graph_create(s);
    bool ok = false;
    if (g != NULL) {
        oribi_value_id x = oribi_graph_add_value(g, "x", TF_FLOAT, &shape, s);
        oribi_value_id c =
            x < 0 ? -1 : oribi_graph_add_constant_copy(g, "c", TF_INT32, &two, 1, axes, s);
        oribi_value_id inputs[] = {x, c};
        oribi_node *node = c < 0 ? NULL : oribi_graph_add_node(g, "Sum", "sum", inputs, 2, 1, s);
        ok = node != NULL && oribi_graph_resolve(g, node, s) &&
             oribi_graph_add_input(g, x, "x", s) &&
             oribi_graph_add_output(g, node->outputs[0], "y", s) && oribi_graph_sort(g, s) &&
             oribi_graph_check(g, s);
    }
    oribi_graph_destroy(g);
    TF_DeleteStatus(s);
    return ok;
}

static void each_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    assert_true(build(NULL));
    assert_true(fail_each_allocation(build, NULL) > 10);
}

static int load(void **state)
{
    (void)state;
    TF_Status *s = TF_NewStatus();
    bool ok = oribi_plugin_load_built_ins(s);
    TF_DeleteStatus(s);
    return ok ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_graph, drop_graph)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_value_given_twice_counts_two_uses),
        TEST(replacing_uses_moves_inputs_and_outputs),
        TEST(dead_chains_go_whole),
        TEST(a_long_dead_chain_whose_producers_come_last_goes_at_once),
        TEST(a_hundred_thousand_outputs_are_replaced_one_by_one),
        TEST(users_are_counted_no_further_than_asked),
        TEST(a_graph_has_no_more_nodes_than_its_limit),
        TEST(a_node_added_late_runs_just_before_its_consumer),
        TEST(a_cycle_is_refused_by_name),
        TEST(equal_names_get_suffixes),
        TEST(a_wrong_count_is_seen_by_check),
        TEST(a_transposed_constant_is_a_view_until_it_is_made_dense),
        TEST(a_splat_is_filled_only_when_made_dense),
        TEST(aligned_bytes_are_used_in_place_and_kept_alive),
        TEST(integers_are_read_through_strides),
        TEST(integers_are_read_whole_or_not_at_all),
        TEST(a_constant_is_transposed_by_permutations_of_its_axes_only),
        TEST(bytes_that_a_kernel_has_read_go_back_to_their_source_and_no_others),
        TEST(a_made_tensor_goes_when_its_last_use_has_packed_it),
        TEST(constants_that_nothing_uses_are_let_go),
        TEST(the_limit_stops_a_dense_copy_before_it_is_made),
        TEST(known_integers_follow_from_shapes),
        TEST(a_graph_prints_one_line_per_node),
        TEST(ports_without_a_name_are_called_as_their_values),
        cmocka_unit_test(each_allocation_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
