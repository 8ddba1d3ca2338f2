/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a model and graphs of known conditions are translated in the place of their node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/onnx_import.h"
#include "support/each_status.h"

enum { MODEL_FUNCTION = 25, FUNCTION_NODE = 7 };

static bytes make_function(const char *domain, const char *name, const char *inputs,
                           const char *outputs)
{
    bytes function = {0}, import = {0};
    put_text(&function, 1, name);
    put_names(&function, 4, inputs);
    put_names(&function, 5, outputs);
    put_text(&import, 1, "");
    put_int(&import, 2, 13);
    put_message(&function, 9, &import);
    put_text(&function, 10, domain);
    return function;
}

static void put_reference(bytes *node, const char *name, const char *of, int type)
{
    bytes attr = {0};
    put_text(&attr, 1, name);
    put_int(&attr, 20, type);
    put_text(&attr, 21, of);
    put_message(node, NODE_ATTRIBUTE, &attr);
}

/* x of 2 x 3 through one call, with the functions of the model. */
static oribi_graph *import_call(bytes *call, bytes *functions, int n_functions)
{
    bytes graph = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    put_message(&graph, GRAPH_NODE, call);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    bytes model = make_model(13, &graph);
    for (int i = 0; i < n_functions; i++) {
        put_message(&model, MODEL_FUNCTION, &functions[i]);
    }
    return import_model(model, status);
}

static const oribi_node *node_at(const oribi_graph *graph, int32_t place)
{
    assert_true(place < graph->n_order);
    return graph->nodes[graph->order[place]];
}

static void a_function_is_translated_in_the_place_of_its_call(void **state)
{
    (void)state;
    bytes function = make_function("my", "Twice", "a", "b");
    bytes relu = make_node("", "Relu", "r", "a", "t");
    bytes exp = make_node("", "Exp", "e", "t", "b");
    put_message(&function, FUNCTION_NODE, &relu);
    put_message(&function, FUNCTION_NODE, &exp);
    bytes call = make_node("my", "Twice", "c", "x", "y");
    oribi_graph *graph = import_call(&call, &function, 1);
    assert_string_equal(TF_Message(status), "");
    assert_non_null(graph);
    assert_int_equal(graph->n_order, 2);
    assert_string_equal(node_at(graph, 0)->op_name, "Relu");
    assert_string_equal(node_at(graph, 0)->name, "c/r");
    assert_string_equal(node_at(graph, 1)->name, "c/e");
    assert_string_equal(graph->output_names[0], "y");
    oribi_graph_destroy(graph);
}

/* inner(axis: int) softmaxes along `axis`; outer passes its own `along` on, which the call gives or
 * which has a default. */
static oribi_graph *import_softmax(int64_t given)
{
    bytes functions[2] = {make_function("my", "Inner", "a", "b"),
                          make_function("my", "Outer", "a", "b")};
    bytes softmax = make_node("", "Softmax", "s", "a", "b");
    put_reference(&softmax, "axis", "axis", 2);
    put_names(&functions[0], 6, "axis");
    put_message(&functions[0], FUNCTION_NODE, &softmax);
    bytes inner = make_node("my", "Inner", "i", "a", "b");
    put_reference(&inner, "axis", "along", 2);
    put_message(&functions[1], FUNCTION_NODE, &inner);
    bytes value = {0};
    put_text(&value, 1, "along");
    put_int(&value, 3, 0);
    put_int(&value, 20, 2);
    put_message(&functions[1], 11, &value);
    bytes call = make_node("my", "Outer", "o", "x", "y");
    if (given >= 0) {
        put_attr_int(&call, "along", given);
    }
    return import_call(&call, functions, 2);
}

static void attributes_pass_through_calls_and_have_defaults(void **state)
{
    (void)state;
    oribi_graph *last = import_softmax(1);
    assert_non_null(last);
    assert_int_equal(count_ops(last, "Softmax"), 1);
    assert_int_equal(last->n_order, 1); /* of the last axis: nothing to turn */
    oribi_graph *first = import_softmax(-1);
    assert_non_null(first);
    assert_true(first->n_order > 1);
    assert_int_equal(count_ops(first, "Softmax"), 1);
    oribi_graph_destroy(last);
    oribi_graph_destroy(first);
}

static void an_input_that_the_call_leaves_out_is_absent_in_the_function(void **state)
{
    (void)state;
    bytes function = make_function("my", "Limit", "a,low,high", "b");
    bytes clip = make_node("", "Clip", "k", "a,low,high", "b");
    put_message(&function, FUNCTION_NODE, &clip);
    bytes call = make_node("my", "Limit", "c", "x", "y");
    oribi_graph *graph = import_call(&call, &function, 1);
    assert_string_equal(TF_Message(status), "");
    oribi_graph_destroy(graph);
}

static void a_function_does_not_see_names_of_its_caller(void **state)
{
    (void)state;
    bytes function = make_function("my", "Peek", "a", "b");
    bytes add = make_node("", "Add", "k", "a,x", "b");
    put_message(&function, FUNCTION_NODE, &add);
    bytes call = make_node("my", "Peek", "c", "x", "y");
    assert_null(import_call(&call, &function, 1));
    assert_non_null(strstr(TF_Message(status), "node 'c/k' (Add)"));
    assert_non_null(strstr(TF_Message(status), "reads 'x', which nothing before it makes"));
}

static void a_function_that_calls_itself_is_refused(void **state)
{
    (void)state;
    bytes function = make_function("my", "Again", "a", "b");
    bytes node = make_node("my", "Again", "k", "a", "b");
    put_message(&function, FUNCTION_NODE, &node);
    bytes call = make_node("my", "Again", "c", "x", "y");
    assert_null(import_call(&call, &function, 1));
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    assert_non_null(strstr(TF_Message(status), "a function may call itself"));
}

/* Thirty functions, each of which calls the next one twice: a thousand million nodes. */
static void functions_that_double_end_at_a_limit(void **state)
{
    (void)state;
    enum { N = 30 };
    bytes functions[N];
    char name[8], next[8];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "f%d", i);
        snprintf(next, sizeof next, "f%d", i + 1);
        functions[i] = make_function("my", name, "a", "b");
        bytes one = make_node(i + 1 < N ? "my" : "", i + 1 < N ? next : "Identity", "k", "a", "t");
        bytes two = make_node(i + 1 < N ? "my" : "", i + 1 < N ? next : "Identity", "l", "t", "b");
        put_message(&functions[i], FUNCTION_NODE, &one);
        put_message(&functions[i], FUNCTION_NODE, &two);
    }
    bytes call = make_node("my", "f0", "c", "x", "y");
    assert_null(import_call(&call, functions, N));
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    assert_non_null(strstr(TF_Message(status), "when they are inlined"));
}

/* The branches read x of the graph around them; one shadows a name of it. */
static oribi_graph *import_known_if(bool condition)
{
    bytes graph = {0}, yes = {0}, no = {0};
    const uint8_t value = condition;
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    put_initialiser(&graph, "c", 9, NULL, 0, &value, 1);
    put_node(&graph, "", "Exp", "e", "x", "t");
    put_node(&yes, "", "Relu", "r", "t", "u");
    put_value(&yes, GRAPH_OUTPUT, "u", ONNX_FLOAT, NULL, -1);
    put_node(&no, "", "Neg", "r", "t", "v");
    put_node(&no, "", "Abs", "s", "v", "t");
    put_value(&no, GRAPH_OUTPUT, "t", ONNX_FLOAT, NULL, -1);
    bytes node = make_node("", "If", "i", "c", "y");
    put_attr_graph(&node, "then_branch", &yes);
    put_attr_graph(&node, "else_branch", &no);
    put_message(&graph, GRAPH_NODE, &node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    return import_model(make_model(13, &graph), status);
}

static void a_known_condition_chooses_its_graph_at_import(void **state)
{
    (void)state;
    oribi_graph *yes = import_known_if(true);
    assert_string_equal(TF_Message(status), "");
    assert_int_equal(yes->n_order, 2);
    assert_string_equal(node_at(yes, 1)->op_name, "Relu");
    assert_string_equal(node_at(yes, 1)->name, "i/then_branch/r");
    oribi_graph *no = import_known_if(false);
    assert_string_equal(TF_Message(status), "");
    assert_int_equal(no->n_order, 3);
    assert_string_equal(node_at(no, 2)->op_name, "Abs");
    oribi_graph_destroy(yes);
    oribi_graph_destroy(no);
}

/* if size(shape(x)) == 2: what exporters write of a tensor's rank. */
static void a_condition_on_shapes_chooses_at_import(void **state)
{
    (void)state;
    bytes graph = {0}, yes = {0}, no = {0};
    const int64_t two = 2;
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){-1, -1}, 2);
    put_initialiser(&graph, "two", ONNX_INT64, NULL, 0, &two, sizeof two);
    put_node(&graph, "", "Shape", "s", "x", "shape");
    put_node(&graph, "", "Size", "n", "shape", "rank");
    put_node(&graph, "", "Equal", "q", "rank,two", "equal");
    put_node(&graph, "", "Not", "o", "equal", "c");
    put_node(&yes, "", "Exp", "e", "x", "u");
    put_value(&yes, GRAPH_OUTPUT, "u", ONNX_FLOAT, NULL, -1);
    put_node(&no, "", "Relu", "r", "x", "v");
    put_value(&no, GRAPH_OUTPUT, "v", ONNX_FLOAT, NULL, -1);
    bytes node = make_node("", "If", "i", "c", "y");
    put_attr_graph(&node, "then_branch", &yes);
    put_attr_graph(&node, "else_branch", &no);
    put_message(&graph, GRAPH_NODE, &node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    oribi_graph *made = import_model(make_model(13, &graph), status);
    assert_string_equal(TF_Message(status), "");
    assert_int_equal(made->n_order, 1);
    assert_string_equal(node_at(made, 0)->op_name, "Relu");
    oribi_graph_destroy(made);
}

static void what_is_missing_in_a_function_is_reported_with_its_path(void **state)
{
    (void)state;
    bytes function = make_function("my", "Odd", "a", "b");
    bytes odd = make_node("", "NoSuchOp", "k", "a", "t");
    bytes relu = make_node("", "Relu", "l", "t", "b");
    put_message(&function, FUNCTION_NODE, &odd);
    put_message(&function, FUNCTION_NODE, &relu);
    bytes call = make_node("my", "Odd", "c", "x", "y");
    assert_null(import_call(&call, &function, 1));
    assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
    assert_non_null(strstr(TF_Message(status), "NoSuchOp"));
    assert_non_null(strstr(TF_Message(status), "'c/k'"));
}

/* f is unknown, so its readers wait: an If, whose branches hold an unknown op, a call of a function
 * that holds one, and a Loop in which an If holds one. All are in the report, with their places. */
static void what_is_missing_behind_a_missing_op_is_reported_too(void **state)
{
    (void)state;
    bytes graph = {0}, yes = {0}, no = {0}, body = {0}, inner = {0};
    bytes function = make_function("my", "Odd", "a", "b");
    bytes odd = make_node("com.acme", "InFunction", "k", "a", "b");
    bytes import = {0};
    put_text(&import, 1, "com.acme");
    put_int(&import, 2, 7);
    put_message(&function, 9, &import);
    put_message(&function, FUNCTION_NODE, &odd);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){2, 3}, 2);
    put_node(&graph, "com.acme", "First", "f", "x", "c");
    put_node(&yes, "", "InThen", "t", "x", "u");
    put_value(&yes, GRAPH_OUTPUT, "u", ONNX_FLOAT, NULL, -1);
    put_node(&no, "my", "Odd", "e", "x", "v");
    put_value(&no, GRAPH_OUTPUT, "v", ONNX_FLOAT, NULL, -1);
    bytes branch = make_node("", "If", "i", "c", "p");
    put_attr_graph(&branch, "then_branch", &yes);
    put_attr_graph(&branch, "else_branch", &no);
    put_message(&graph, GRAPH_NODE, &branch);
    put_node(&graph, "my", "Odd", "o", "p", "q");
    put_node(&inner, "com.acme", "Deep", "d", "x", "w");
    put_value(&inner, GRAPH_OUTPUT, "w", ONNX_FLOAT, NULL, -1);
    bytes again = make_node("", "If", "j", "k", "s");
    put_attr_graph(&again, "then_branch", &inner);
    put_message(&body, GRAPH_NODE, &again);
    bytes loop = make_node("", "Loop", "l", "q", "y");
    put_attr_graph(&loop, "body", &body);
    put_message(&graph, GRAPH_NODE, &loop);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    bytes model = make_model(13, &graph);
    put_message(&model, MODEL_FUNCTION, &function);
    assert_null(import_model(model, status));
    assert_int_equal(TF_GetCode(status), TF_UNIMPLEMENTED);
    static const char *const expected[] = {
        "4 ops of the model are not provided",
        "\n  com.acme:First (opset 1): node 'f'",
        "\n  InThen (opset 13): node 'i/then_branch/t'",
        "\n  com.acme:InFunction (opset 7): 2 nodes: 'i/else_branch/e/k', 'o/k'",
        "\n  com.acme:Deep (opset 1): node 'l/body/j/then_branch/d'",
        "a plugin that registers the op 'Com>Acme>Deep' would provide it"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (strstr(TF_Message(status), expected[i]) == NULL) {
            fail_msg("no \"%s\" in: %s", expected[i], TF_Message(status));
        }
    }
}

/* Only the shape of x is missing for Einsum. The branch that knows no op may never be taken, once
 * shapes are known: that does not keep the model from being opened without them. */
static void what_waits_for_shapes_does_not_miss_what_its_branches_miss(void **state)
{
    (void)state;
    bytes graph = {0}, yes = {0}, no = {0};
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, NULL, -1);
    bytes sum = make_node("", "Einsum", "e", "x", "t");
    put_attr_text(&sum, "equation", "ij->ji");
    put_message(&graph, GRAPH_NODE, &sum);
    put_node(&graph, "", "Size", "n", "t", "size");
    bytes cast = make_node("", "Cast", "b", "size", "c");
    put_attr_int(&cast, "to", 9);
    put_message(&graph, GRAPH_NODE, &cast);
    put_node(&yes, "", "Relu", "r", "x", "u");
    put_value(&yes, GRAPH_OUTPUT, "u", ONNX_FLOAT, NULL, -1);
    put_node(&no, "com.acme", "Never", "z", "x", "v");
    put_value(&no, GRAPH_OUTPUT, "v", ONNX_FLOAT, NULL, -1);
    bytes node = make_node("", "If", "i", "c", "y");
    put_attr_graph(&node, "then_branch", &yes);
    put_attr_graph(&node, "else_branch", &no);
    put_message(&graph, GRAPH_NODE, &node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    const oribi_import_options options = {.may_be_open = true};
    bytes model = make_model(13, &graph);
    oribi_graph *made = import_bytes(model.data, model.n, &options, status);
    assert_string_equal(TF_Message(status), "");
    assert_true(made->is_open);
    oribi_graph_destroy(made);
    free(model.data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_status, drop_status)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_function_is_translated_in_the_place_of_its_call),
        TEST(attributes_pass_through_calls_and_have_defaults),
        TEST(an_input_that_the_call_leaves_out_is_absent_in_the_function),
        TEST(a_function_does_not_see_names_of_its_caller),
        TEST(a_function_that_calls_itself_is_refused),
        TEST(functions_that_double_end_at_a_limit),
        TEST(a_known_condition_chooses_its_graph_at_import),
        TEST(a_condition_on_shapes_chooses_at_import),
        TEST(what_is_missing_in_a_function_is_reported_with_its_path),
        TEST(what_is_missing_behind_a_missing_op_is_reported_too),
        TEST(what_waits_for_shapes_does_not_miss_what_its_branches_miss),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
