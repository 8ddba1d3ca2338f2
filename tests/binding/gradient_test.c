/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of small graphs; of each op: gradients_test.py. */
#include "binding/binding_small.h"

static float run_one(TF_Graph *graph, TF_Output feed, float value, TF_Output fetch)
{
    TF_Session *session = session_of(graph);
    TF_Tensor *in = one_float(value), *out = NULL;
    TF_SessionRun(session, NULL, &feed, &in, 1, &fetch, &out, 1, NULL, 0, NULL, status);
    expect_ok();
    const float result = float_of(out);
    TF_DeleteTensor(in);
    TF_DeleteTensor(out);
    TF_DeleteSession(session, status);
    return result;
}

static void what_is_read_twice_has_the_sum_of_both(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = placeholder(graph, "x", NULL, 0), dy;
    TF_Output y = binary(graph, "Mul", "y", x, x);

    TF_AddGradients(graph, &y, 1, &x, 1, NULL, status, &dy);

    expect_ok();
    assert_memory_equal(TF_OperationName(dy.oper), "gradients/", 10);
    assert_true(run_one(graph, x, 3, dy) == 6);
    TF_DeleteGraph(graph);
}

static void a_given_gradient_takes_the_place_of_ones(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = placeholder(graph, "x", NULL, 0), dy;
    TF_Output y = binary(graph, "Mul", "y", x, x), dx = constant(graph, "dx", one_float(5));

    TF_AddGradientsWithPrefix(graph, "mine", &y, 1, &x, 1, &dx, status, &dy);

    expect_ok();
    assert_memory_equal(TF_OperationName(dy.oper), "mine/", 5);
    assert_true(run_one(graph, x, 3, dy) == 30);
    TF_AddGradientsWithPrefix(graph, "mine", &y, 1, &x, 1, &dx, status, &dy);
    expect_code(TF_INVALID_ARGUMENT, "prefix [mine] conflicts");
    TF_DeleteGraph(graph);
}

static void what_has_no_gradient_is_said(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph(), *other = TF_NewGraph();
    TF_Output x = placeholder(graph, "x", NULL, 0), z = placeholder(graph, "z", NULL, 0), dy;
    TF_Output strange = placeholder(other, "x", NULL, 0), none = {NULL, 0};
    TF_Output y = binary(graph, "FloorDiv", "y", x, x), out = {x.oper, 7};

    TF_AddGradients(graph, &y, 1, &x, 1, NULL, status, &dy);
    expect_code(TF_NOT_FOUND, "No gradient defined for op: FloorDiv");
    TF_AddGradients(graph, &y, 1, &z, 1, NULL, status, &dy);
    expect_code(TF_INVALID_ARGUMENT, "partial derivative for node 'z'");
    TF_AddGradients(graph, &y, 1, &strange, 1, NULL, status, &dy);
    expect_code(TF_INVALID_ARGUMENT, "none of the graph");
    TF_AddGradients(graph, &none, 1, &x, 1, NULL, status, &dy);
    expect_code(TF_INVALID_ARGUMENT, "none of the graph");
    TF_AddGradients(graph, &x, 1, &out, 1, NULL, status, &dy);
    expect_code(TF_INVALID_ARGUMENT, "none of the graph");
    TF_AddGradients(graph, &x, 1, &x, 1, &out, status, &dy);
    expect_code(TF_INVALID_ARGUMENT, "none of the graph");
    TF_DeleteGraph(graph);
    TF_DeleteGraph(other);
}

static void loops_have_none(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    TF_Output x = placeholder(graph, "x", NULL, 0), y, dy;
    TF_WhileParams p = TF_NewWhile(graph, &x, 1, status);
    const TF_Output ten = constant(p.cond_graph, "ten", one_float(10));
    p.cond_output = binary(p.cond_graph, "Less", "less", p.cond_inputs[0], ten);
    p.body_outputs[0] = binary(p.body_graph, "Mul", "m", p.body_inputs[0], p.body_inputs[0]);
    p.name = "loop";
    TF_FinishWhile(&p, status, &y);
    expect_ok();

    TF_AddGradients(graph, &y, 1, &x, 1, NULL, status, &dy);

    expect_code(TF_UNIMPLEMENTED, "loops have no gradients");
    TF_DeleteGraph(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_twice_has_the_sum_of_both),
        cmocka_unit_test(a_given_gradient_takes_the_place_of_ones),
        cmocka_unit_test(what_has_no_gradient_is_said),
        cmocka_unit_test(loops_have_none),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
