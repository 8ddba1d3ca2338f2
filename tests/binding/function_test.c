/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are made of graphs: their names and arguments, and calls of them from other
 * graphs. Each case gives the same in TensorFlow 2.16.1. */
#include "binding/binding_small.h"

/* Is this text, a name or an input of a node, somewhere in the message? */
static bool says(const TF_Buffer *message, unsigned char tag, const char *text)
{
    const size_t length = strlen(text);
    const unsigned char *data = message->data;
    for (size_t at = 0; at + 2 + length <= message->length; at++) {
        if (data[at] == tag && data[at + 1] == length && memcmp(data + at + 2, text, length) == 0) {
            return true;
        }
    }
    return false;
}

enum { NAME = 0x0a, VALUE = 0x12, INPUT = 0x1a };

static TF_Buffer *message_of(TF_Function *function)
{
    TF_Buffer *message = TF_NewBuffer();
    TF_FunctionToFunctionDef(function, message, status);
    expect_ok();
    return message;
}

/* A graph of two inputs, and x * y + x of them. */
static TF_Graph *make_body(TF_Output *inputs, TF_Output *product, TF_Output *sum)
{
    TF_Graph *graph = TF_NewGraph();
    inputs[0] = placeholder(graph, "X-In", NULL, 0);
    inputs[1] = placeholder(graph, "2y", NULL, 0);
    *product = binary(graph, "Mul", "product", inputs[0], inputs[1]);
    *sum = binary(graph, "AddV2", "x_in", *product, inputs[0]);
    return graph;
}

static TF_Function *make_function(const char *const *output_names)
{
    TF_Output inputs[2], outputs[2];
    TF_Graph *graph = make_body(inputs, &outputs[0], &outputs[1]);
    TF_Function *function = TF_GraphToFunction(graph, "Both", 0, -1, NULL, 2, inputs, 2, outputs,
                                               output_names, NULL, "product and sum", status);
    expect_ok();
    TF_DeleteGraph(graph);
    return function;
}

static void expect_run(TF_Graph *graph, const TF_Output *feeds, const TF_Output *fetches,
                       float product, float sum)
{
    TF_Session *session = session_of(graph);
    TF_Tensor *values[] = {one_float(3), one_float(5)}, *results[2] = {NULL, NULL};
    TF_SessionRun(session, NULL, feeds, values, 2, fetches, results, 2, NULL, 0, NULL, status);
    expect_ok();
    assert_true(float_of(results[0]) == product && float_of(results[1]) == sum);
    for (int i = 0; i < 2; i++) {
        TF_DeleteTensor(values[i]);
        TF_DeleteTensor(results[i]);
    }
    end(session, graph);
}

static void arguments_have_names_of_their_nodes(void **state)
{
    (void)state;
    TF_Function *function = make_function(NULL);
    TF_Buffer *message = message_of(function);
    assert_string_equal(TF_FunctionName(function), "Both");
    /* Outputs first, so that they keep their names. */
    assert_true(says(message, NAME, "product") && says(message, NAME, "x_in"));
    assert_true(says(message, NAME, "x_in_0") && says(message, NAME, "y"));
    /* Then nodes, and what they read. */
    assert_true(says(message, NAME, "product_0") && says(message, NAME, "x_in_1"));
    assert_true(says(message, INPUT, "x_in_0") && says(message, INPUT, "product_0:z:0"));
    assert_true(says(message, VALUE, "product_0:z:0") && says(message, VALUE, "x_in_1:z:0"));
    assert_true(says(message, 0x32, "product and sum"));
    TF_DeleteBuffer(message);
    TF_DeleteFunction(function);
}

static void a_function_is_called_from_another_graph(void **state)
{
    (void)state;
    static const char *const names[] = {"product", "total"};
    for (int is_read_again = 0; is_read_again < 2; is_read_again++) {
        TF_Function *function = make_function(names);
        if (is_read_again) {
            TF_Buffer *message = message_of(function);
            TF_DeleteFunction(function);
            function = TF_FunctionImportFunctionDef(message->data, message->length, status);
            expect_ok();
            TF_DeleteBuffer(message);
        }
        TF_Graph *graph = TF_NewGraph();
        TF_GraphCopyFunction(graph, function, NULL, status);
        expect_ok();
        TF_DeleteFunction(function);
        const TF_Output feeds[] = {placeholder(graph, "a", NULL, 0),
                                   placeholder(graph, "b", NULL, 0)};
        TF_Operation *call = add(graph, "Both", "call", feeds, 2);
        assert_int_equal(TF_OperationNumOutputs(call), 2);
        assert_int_equal(TF_OperationOutputType((TF_Output){call, 1}), TF_FLOAT);
        const TF_Output fetches[] = {{call, 0},
                                     binary(graph, "Sub", "rest", (TF_Output){call, 1}, feeds[0])};
        expect_run(graph, feeds, fetches, 15, 15);
    }
}

static void a_function_calls_a_function(void **state)
{
    (void)state;
    TF_Function *inner = make_function(NULL);
    TF_Graph *graph = TF_NewGraph();
    TF_GraphCopyFunction(graph, inner, NULL, status);
    expect_ok();
    const TF_Output inputs[] = {placeholder(graph, "a", NULL, 0), placeholder(graph, "b", NULL, 0)};
    TF_Operation *call = add(graph, "Both", "call", inputs, 2);
    const TF_Output twice =
        binary(graph, "AddV2", "twice", (TF_Output){call, 1}, (TF_Output){call, 1});
    const TF_Output outputs[] = {{call, 1}, twice};
    TF_Function *outer = TF_GraphToFunction(graph, "Outer", 0, -1, NULL, 2, inputs, 2, outputs,
                                            NULL, NULL, NULL, status);
    expect_ok();
    TF_DeleteGraph(graph);
    TF_Buffer *message = message_of(outer);
    assert_true(says(message, INPUT, "call_0:x_in:0"));
    TF_DeleteBuffer(message);

    graph = TF_NewGraph();
    TF_GraphCopyFunction(graph, inner, NULL, status);
    expect_ok();
    TF_GraphCopyFunction(graph, outer, NULL, status);
    expect_ok();
    TF_DeleteFunction(inner);
    TF_DeleteFunction(outer);
    assert_int_equal(TF_GraphNumFunctions(graph), 2);
    const TF_Output feeds[] = {placeholder(graph, "a", NULL, 0), placeholder(graph, "b", NULL, 0)};
    TF_Operation *made = add(graph, "Outer", "made", feeds, 2);
    const TF_Output fetches[] = {{made, 0}, {made, 1}};
    expect_run(graph, feeds, fetches, 18, 36);
}

static void an_imported_graph_knows_calls_of_its_own_functions(void **state)
{
    (void)state;
    TF_Function *function = make_function(NULL);
    TF_Graph *graph = TF_NewGraph(), *copy = TF_NewGraph();
    TF_GraphCopyFunction(graph, function, NULL, status);
    expect_ok();
    TF_DeleteFunction(function);
    const TF_Output inputs[] = {placeholder(graph, "a", NULL, 0), placeholder(graph, "b", NULL, 0)};
    (void)add(graph, "Both", "call", inputs, 2);
    TF_Buffer *graph_def = TF_NewBuffer();
    TF_GraphToGraphDef(graph, graph_def, status);
    expect_ok();
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(copy, graph_def, options, status);
    expect_ok();
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteBuffer(graph_def);
    TF_DeleteGraph(graph);
    TF_Operation *call = TF_GraphOperationByName(copy, "call");
    assert_int_equal(TF_OperationNumOutputs(call), 2);
    assert_int_equal(TF_OperationOutputType((TF_Output){call, 1}), TF_FLOAT);
    const TF_Output feeds[] = {{TF_GraphOperationByName(copy, "a"), 0},
                               {TF_GraphOperationByName(copy, "b"), 0}};
    const TF_Output fetches[] = {{call, 0}, {call, 1}};
    expect_run(copy, feeds, fetches, 15, 18);
}

static void control_outputs_and_edges_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {"check"};
    TF_Output inputs[2], outputs[2];
    TF_Graph *graph = make_body(inputs, &outputs[0], &outputs[1]);
    TF_OperationDescription *desc = TF_NewOperation(graph, "NoOp", "after");
    TF_AddControlInput(desc, outputs[1].oper);
    TF_AddControlInput(desc, inputs[0].oper);
    const TF_Operation *after = TF_FinishOperation(desc, status);
    expect_ok();
    TF_Function *function = TF_GraphToFunctionWithControlOutputs(
        graph, "f", 0, -1, NULL, 2, inputs, 1, outputs, NULL, 1, &after, names, NULL, NULL, status);
    expect_ok();
    TF_Buffer *message = message_of(function);
    assert_true(says(message, INPUT, "^x_in_0") && says(message, INPUT, "^x_in"));
    assert_true(says(message, NAME, "check") && says(message, VALUE, "after"));
    TF_DeleteBuffer(message);
    TF_DeleteFunction(function);

    const TF_Operation *const twice[] = {after, after};
    assert_null(TF_GraphToFunctionWithControlOutputs(graph, "f", 0, -1, NULL, 2, inputs, 1, outputs,
                                                     NULL, 2, twice, NULL, NULL, NULL, status));
    expect_code(TF_INVALID_ARGUMENT, "Repeated control output name: after");
    TF_DeleteGraph(graph);
}

static void a_part_of_the_graph_is_enough(void **state)
{
    (void)state;
    TF_Output inputs[2], product, sum;
    TF_Graph *graph = make_body(inputs, &product, &sum);
    const TF_Operation *const only[] = {sum.oper};
    const TF_Output ends[] = {product, inputs[0]};
    TF_Function *function =
        TF_GraphToFunction(graph, "f", 1, 1, only, 2, ends, 1, &sum, NULL, NULL, NULL, status);
    expect_ok();
    assert_true(strncmp(TF_FunctionName(function), "f_", 2) == 0);
    assert_true(strlen(TF_FunctionName(function)) > 8);
    TF_Buffer *message = message_of(function);
    assert_true(says(message, INPUT, "product") && !says(message, NAME, "Mul"));
    TF_DeleteBuffer(message);
    TF_DeleteFunction(function);
    TF_DeleteGraph(graph);
}

static TF_Function *try(TF_Graph *graph, int n, const TF_Operation *const *opers, int n_inputs,
                        const TF_Output *inputs, int n_outputs, const TF_Output *outputs,
                        const char *const *names)
{
    return TF_GraphToFunction(graph, "f", 0, n, opers, n_inputs, inputs, n_outputs, outputs, names,
                              NULL, NULL, status);
}

static void what_is_no_function_says_why(void **state)
{
    (void)state;
    static const char *const same[] = {"a", "a"};
    TF_Output inputs[2], outputs[2];
    TF_Graph *graph = make_body(inputs, &outputs[0], &outputs[1]);
    const TF_Output twice[] = {inputs[0], inputs[0]}, none = {inputs[0].oper, 3};
    const TF_Operation *const only[] = {outputs[1].oper}, *const first[] = {outputs[0].oper};

    assert_null(try(graph, -1, NULL, 2, twice, 1, outputs, NULL));
    expect_code(TF_INVALID_ARGUMENT, "TF_Output X-In:0 appears more than once in the input list");
    assert_null(try(graph, -1, NULL, 2, inputs, 2, outputs, same));
    expect_code(TF_INVALID_ARGUMENT, "Cannot have duplicate output names. Name 'a' appears more");
    assert_null(try(graph, -1, NULL, 1, &none, 2, outputs, NULL));
    expect_code(TF_OUT_OF_RANGE, "does not have output 3");
    assert_null(try(graph, 1, only, 1, inputs, 1, outputs + 1, NULL));
    expect_code(TF_INVALID_ARGUMENT, "available. You might need to include it in inputs");
    assert_null(try(graph, 1, first, 2, inputs, 1, outputs + 1, NULL));
    expect_code(TF_INVALID_ARGUMENT, "TF_Output x_in:0 is neither in the function body nor among");

    TF_OperationDescription *desc = TF_NewOperation(graph, "Identity", "late");
    TF_AddInput(desc, inputs[0]);
    TF_AddControlInput(desc, outputs[0].oper);
    const TF_Operation *late = TF_FinishOperation(desc, status);
    expect_ok();
    const TF_Output out = {(TF_Operation *)(uintptr_t)late, 0};
    assert_null(try(graph, 1, &late, 1, inputs, 1, &out, NULL));
    expect_code(TF_INVALID_ARGUMENT, "is not in the body");
    TF_DeleteGraph(graph);
}

/* Calls have as many outputs as the signature says, however many those are. */
static void a_call_has_many_outputs(void **state)
{
    (void)state;
    enum { N = 1000 };
    static TF_Output outputs[N];
    TF_Graph *body = TF_NewGraph(), *graph = TF_NewGraph();
    const TF_Output x = placeholder(body, "x", NULL, 0);
    for (int i = 0; i < N; i++) {
        outputs[i] = x;
    }
    TF_Function *function = try(body, -1, NULL, 1, &x, N, outputs, NULL);
    expect_ok();
    TF_DeleteGraph(body);
    TF_GraphCopyFunction(graph, function, NULL, status);
    expect_ok();
    TF_DeleteFunction(function);
    const TF_Output feed = placeholder(graph, "a", NULL, 0);
    const TF_Output last = {add(graph, "f", "call", &feed, 1), N - 1};
    assert_int_equal(TF_OperationNumOutputs(last.oper), N);
    TF_Session *session = session_of(graph);
    TF_Tensor *value = one_float(3), *result = NULL;
    TF_SessionRun(session, NULL, &feed, &value, 1, &last, &result, 1, NULL, 0, NULL, status);
    expect_ok();
    assert_true(float_of(result) == 3);
    TF_DeleteTensor(value);
    TF_DeleteTensor(result);
    end(session, graph);
}

static void a_function_that_is_removed_is_gone(void **state)
{
    (void)state;
    TF_Function *function = make_function(NULL), *found[2];
    TF_Graph *graph = TF_NewGraph();
    TF_GraphCopyFunction(graph, function, NULL, status);
    expect_ok();
    TF_GraphRemoveFunction(graph, "Other", status);
    expect_code(TF_INVALID_ARGUMENT, "Tried to remove non-existent function 'Other'");
    assert_int_equal(TF_GraphNumFunctions(graph), 1);
    TF_GraphRemoveFunction(graph, "Both", status);
    expect_ok();
    assert_int_equal(TF_GraphGetFunctions(graph, found, 2, status), 0);
    TF_GraphCopyFunction(graph, function, NULL, status);
    expect_ok();
    TF_DeleteFunction(function);
    TF_DeleteGraph(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_have_names_of_their_nodes),
        cmocka_unit_test(a_function_is_called_from_another_graph),
        cmocka_unit_test(a_function_calls_a_function),
        cmocka_unit_test(an_imported_graph_knows_calls_of_its_own_functions),
        cmocka_unit_test(control_outputs_and_edges_have_names),
        cmocka_unit_test(a_part_of_the_graph_is_enough),
        cmocka_unit_test(what_is_no_function_says_why),
        cmocka_unit_test(a_call_has_many_outputs),
        cmocka_unit_test(a_function_that_is_removed_is_gone),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
