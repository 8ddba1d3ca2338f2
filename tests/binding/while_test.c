/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of two graphs. Each case gives the same in TensorFlow 2.16.1. */
#include "binding/binding_small.h"

/* From a, b: as long as a < 10, a + 1 and b * a. Parts are left out to see what is said. */
enum { NO_CONDITION = 1, NO_RESULT = 2, NO_NAME = 4, NO_TRUTH = 8 };

static void describe(TF_WhileParams *p, int without)
{
    const TF_Output ten = constant(p->cond_graph, "ten", one_float(10));
    const TF_Output less = binary(p->cond_graph, "Less", "less", p->cond_inputs[0], ten);
    const TF_Output one = constant(p->body_graph, "one", one_float(1));
    p->body_outputs[0] = binary(p->body_graph, "AddV2", "next", p->body_inputs[0], one);
    if (!(without & NO_CONDITION)) {
        p->cond_output = without & NO_TRUTH ? ten : less;
    }
    if (!(without & NO_RESULT)) {
        p->body_outputs[1] =
            binary(p->body_graph, "Mul", "product", p->body_inputs[1], p->body_inputs[0]);
    }
    p->name = without & NO_NAME ? NULL : "loop";
}

static TF_Graph *make(TF_Output *inputs, TF_Output *outputs, int without)
{
    static const int64_t dims[] = {2};
    TF_Graph *graph = TF_NewGraph();
    inputs[0] = placeholder(graph, "a", NULL, 0);
    inputs[1] = placeholder(graph, "b", dims, 1);
    TF_WhileParams params = TF_NewWhile(graph, inputs, 2, status);
    expect_ok();
    assert_int_equal(params.ninputs, 2);
    assert_string_equal(TF_OperationName(params.cond_inputs[1].oper), "cond_input1");
    assert_string_equal(TF_OperationName(params.body_inputs[0].oper), "body_input0");
    assert_true(params.cond_output.oper == NULL && params.cond_output.index == -1);
    describe(&params, without);
    TF_FinishWhile(&params, status, outputs);
    return graph;
}

static void expect_run(TF_Graph *graph, const TF_Output *inputs, const TF_Output *outputs, float a,
                       const float *wanted)
{
    static const float b[] = {1, 2};
    static const int64_t dims[] = {2};
    TF_Session *session = session_of(graph);
    TF_Tensor *values[] = {one_float(a), floats(dims, 1, b)}, *results[2] = {NULL, NULL};
    TF_SessionRun(session, NULL, inputs, values, 2, outputs, results, 2, NULL, 0, NULL, status);
    expect_ok();
    assert_true(float_of(results[0]) == wanted[0]);
    assert_memory_equal(TF_TensorData(results[1]), wanted + 1, 2 * sizeof *wanted);
    for (int i = 0; i < 2; i++) {
        TF_DeleteTensor(values[i]);
        TF_DeleteTensor(results[i]);
    }
    TF_CloseSession(session, status);
    TF_DeleteSession(session, status);
    expect_ok();
}

static void a_loop_runs_until_its_condition_fails(void **state)
{
    (void)state;
    static const float six[] = {10, 3024, 6048}, twelve[] = {12, 1, 2};
    TF_Output inputs[2], outputs[2];
    TF_Graph *graph = make(inputs, outputs, 0);
    expect_ok();
    expect_run(graph, inputs, outputs, 6, six);
    expect_run(graph, inputs, outputs, 12, twelve);
    TF_DeleteGraph(graph);
}

static void a_loop_consists_of_nodes_that_switch(void **state)
{
    (void)state;
    static const char *const wanted[] = {"a",
                                         "b",
                                         "loop/Enter",
                                         "loop/Enter_1",
                                         "loop/Merge",
                                         "loop/Merge_1",
                                         "loop/cond/ten",
                                         "loop/cond/less",
                                         "loop/LoopCond",
                                         "loop/Switch",
                                         "loop/Switch_1",
                                         "loop/body/one",
                                         "loop/body/next",
                                         "loop/body/product",
                                         "loop/NextIteration",
                                         "loop/NextIteration_1",
                                         "loop/Exit",
                                         "loop/Exit_1"};
    TF_Output inputs[2], outputs[2];
    TF_Graph *graph = make(inputs, outputs, 0);
    expect_ok();
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (TF_GraphOperationByName(graph, wanted[i]) == NULL) {
            fail_msg("no operation '%s'", wanted[i]);
        }
    }
    size_t position = 0, n = 0;
    while (TF_GraphNextOperation(graph, &position) != NULL) {
        n++;
    }
    assert_int_equal(n, sizeof wanted / sizeof wanted[0]);
    TF_Operation *merge = TF_GraphOperationByName(graph, "loop/Merge_1"), *found[2];
    TF_Operation *next = TF_GraphOperationByName(graph, "loop/NextIteration_1");
    assert_ptr_equal(TF_OperationInput((TF_Input){merge, 1}).oper, next);
    TF_Input reader;
    assert_int_equal(TF_OperationOutputConsumers((TF_Output){next, 0}, &reader, 1), 1);
    assert_true(reader.oper == merge && reader.index == 1);
    TF_Operation *ten = TF_GraphOperationByName(graph, "loop/cond/ten");
    assert_int_equal(TF_OperationGetControlInputs(ten, found, 2), 1);
    assert_string_equal(TF_OperationName(found[0]), "loop/Merge");
    char frame[8] = "";
    TF_OperationGetAttrString(TF_GraphOperationByName(graph, "loop/Enter_1"), "frame_name", frame,
                              sizeof frame, status);
    expect_ok();
    assert_string_equal(frame, "loop");
    assert_string_equal(TF_OperationName(outputs[1].oper), "loop/Exit_1");
    TF_DeleteGraph(graph);
}

/* What the body leaves alone, and a loop in a loop's body: a sum of 4 times 3 times 2. */
static void a_loop_stands_in_a_loop(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const TF_Output start[] = {constant(graph, "zero", one_float(0)),
                               placeholder(graph, "sum", NULL, 0),
                               placeholder(graph, "two", NULL, 0)};
    TF_Output inputs[] = {start[0], start[1], start[2]}, inner[3], outputs[3];
    TF_WhileParams outer = TF_NewWhile(graph, inputs, 3, status);
    expect_ok();
    const TF_Output inside[] = {constant(outer.body_graph, "zero", one_float(0)),
                                outer.body_inputs[1], outer.body_inputs[2]};
    TF_Output given[] = {inside[0], inside[1], inside[2]};
    TF_WhileParams own = TF_NewWhile(outer.body_graph, given, 3, status);
    expect_ok();
    TF_WhileParams *const both[] = {&own, &outer};
    for (int i = 0; i < 2; i++) {
        TF_WhileParams *p = both[i];
        const TF_Output most = constant(p->cond_graph, "most", one_float(i == 0 ? 3 : 4));
        const TF_Output one = constant(p->body_graph, "one", one_float(1));
        p->cond_output = binary(p->cond_graph, "Less", "less", p->cond_inputs[0], most);
        p->body_outputs[0] = binary(p->body_graph, "AddV2", "next", p->body_inputs[0], one);
        p->body_outputs[1] =
            i == 0 ? binary(p->body_graph, "AddV2", "more", p->body_inputs[1], p->body_inputs[2])
                   : inner[1];
        p->body_outputs[2] = p->body_inputs[2];
        p->name = i == 0 ? "inner" : "outer";
        TF_FinishWhile(p, status, i == 0 ? inner : outputs);
        expect_ok();
    }
    TF_Session *session = session_of(graph);
    TF_Tensor *values[] = {one_float(100), one_float(2)}, *results[2] = {NULL, NULL};
    TF_SessionRun(session, NULL, start + 1, values, 2, outputs + 1, results, 2, NULL, 0, NULL,
                  status);
    expect_ok();
    assert_true(float_of(results[0]) == 124 && float_of(results[1]) == 2);
    for (int i = 0; i < 2; i++) {
        TF_DeleteTensor(values[i]);
        TF_DeleteTensor(results[i]);
    }
    end(session, graph);
}

static void what_is_no_loop_says_why(void **state)
{
    (void)state;
    static const struct {
        int without;
        const char *words;
    } cases[] = {{NO_CONDITION, "TF_WhileParams `cond_output` field isn't set"},
                 {NO_RESULT, "TF_WhileParams `body_outputs[1]` field isn't set"},
                 {NO_NAME, "TF_WhileParams `name` field is null"},
                 {NO_TRUTH, "'cond' argument must return a boolean output, got"}};
    TF_Output inputs[2], outputs[2];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TF_Graph *graph = make(inputs, outputs, cases[i].without);
        expect_code(TF_INVALID_ARGUMENT, cases[i].words);
        TF_DeleteGraph(graph);
    }
    TF_Graph *graph = TF_NewGraph();
    (void)TF_NewWhile(graph, inputs, 0, status);
    expect_code(TF_INVALID_ARGUMENT, "TF_NewWhile() must be passed at least one input");
    inputs[0] = placeholder(graph, "a", NULL, 0);
    const TF_WhileParams params = TF_NewWhile(graph, inputs, 1, status);
    expect_ok();
    TF_AbortWhile(&params);
    TF_DeleteGraph(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_runs_until_its_condition_fails),
        cmocka_unit_test(a_loop_consists_of_nodes_that_switch),
        cmocka_unit_test(a_loop_stands_in_a_loop),
        cmocka_unit_test(what_is_no_loop_says_why),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
