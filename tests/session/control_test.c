/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions and loops: what they compute, that a loop allocates nothing once it has run, and how a
 * run ends inside one. What ONNX says of them is tested with its own data
 * (import/onnx_backend_test.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "oribi/oribi.h"
#include "support/onnx_import.h"
#include "support/each_status.h"

/* --- Models ------------------------------------------------------------------------------------
 */

/* The inputs of a loop's body: i, c and a, of these dims. */
static bytes begin_body(const int64_t *dims, int rank)
{
    bytes body = {0};
    put_value(&body, GRAPH_INPUT, "i", ONNX_INT64, NULL, 0);
    put_value(&body, GRAPH_INPUT, "c", ONNX_BOOL, NULL, 0);
    put_value(&body, GRAPH_INPUT, "a", ONNX_FLOAT, dims, rank);
    put_value(&body, GRAPH_OUTPUT, "c", ONNX_BOOL, NULL, -1);
    return body;
}

/* y, and what is collected where it is named, of a loop over x with n trips. */
static bytes loop_model(bytes *body, const char *outputs)
{
    bytes graph = {0};
    bytes node = make_node("", "Loop", "loop", "n,,x", outputs);
    put_value(&graph, GRAPH_INPUT, "n", ONNX_INT64, NULL, 0);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    put_attr_graph(&node, "body", body);
    put_message(&graph, GRAPH_NODE, &node);
    while (*outputs != '\0') {
        char name[16];
        const size_t length = strcspn(outputs, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, outputs);
        put_value(&graph, GRAPH_OUTPUT, name, ONNX_FLOAT, NULL, -1);
        outputs += length + (outputs[length] == ',');
    }
    return make_model(17, &graph);
}

/* y = x + x + ... : each iteration adds x, which is captured, and collects what it had. */
static bytes adding_model(void)
{
    bytes body = begin_body((int64_t[]){4}, 1);
    put_node(&body, "", "Add", "add", "a,x", "b");
    put_node(&body, "", "Neg", "neg", "a", "s");
    put_value(&body, GRAPH_OUTPUT, "b", ONNX_FLOAT, NULL, -1);
    put_value(&body, GRAPH_OUTPUT, "s", ONNX_FLOAT, NULL, -1);
    return loop_model(&body, "y,z");
}

typedef struct opened {
    bytes bytes;
    oribi_model *model;
    oribi_session *session;
    oribi_run *run;
} opened;

static opened open_with(bytes model, const oribi_options *options)
{
    opened o = {.bytes = model};
    o.model = oribi_model_from_memory(model.data, model.n, "test.onnx", options, status);
    assert_string_equal(TF_Message(status), "");
    o.session = oribi_session_create(o.model, options, status);
    assert_string_equal(TF_Message(status), "");
    o.run = oribi_run_create(o.session, status);
    return o;
}

static opened open_model(bytes model)
{
    oribi_options *options = oribi_options_create(status);
    oribi_options_set_threads(options, 1);
    const opened o = open_with(model, options);
    oribi_options_destroy(options);
    return o;
}

static void close_model(opened *o)
{
    oribi_run_destroy(o->run);
    oribi_session_destroy(o->session);
    oribi_model_destroy(o->model);
    free(o->bytes.data);
}

static void set(opened *o, int index, TF_DataType dtype, const int64_t *dims, int rank,
                const void *data, size_t n)
{
    TF_Tensor *tensor = TF_AllocateTensor(dtype, dims, rank, n);
    memcpy(TF_TensorData(tensor), data, n);
    oribi_run_set_input(o->run, index, tensor, status);
    TF_DeleteTensor(tensor);
}

static void set_loop(opened *o, int64_t trips)
{
    const float x[] = {1, 2, 3, -4};
    set(o, 0, TF_INT64, NULL, 0, &trips, sizeof trips);
    set(o, 1, TF_FLOAT, (int64_t[]){4}, 1, x, sizeof x);
}

static float element(opened *o, int output, int64_t i, int64_t expected_count)
{
    TF_Tensor *tensor = oribi_run_output(o->run, output, status);
    assert_non_null(tensor);
    assert_int_equal(TF_TensorElementCount(tensor), expected_count);
    const float value = ((const float *)TF_TensorData(tensor))[i];
    TF_DeleteTensor(tensor);
    return value;
}

static void expect_ok(void)
{
    assert_string_equal(TF_Message(status), "");
    assert_int_equal(TF_GetCode(status), TF_OK);
}

/* --- Tests -------------------------------------------------------------------------------------
 */

static void a_loop_carries_and_collects(void **state)
{
    (void)state;
    opened o = open_model(adding_model());
    for (int64_t trips = 1; trips < 40; trips += 7) {
        set_loop(&o, trips);
        oribi_run_execute(o.run, status);
        expect_ok();
        assert_float_equal(element(&o, 0, 3, 4), -4.0f * (float)(trips + 1), 0.0f);
        assert_float_equal(element(&o, 1, 4 * trips - 3, 4 * trips), -2.0f * (float)trips, 0.0f);
    }
    close_model(&o);
}

static void a_loop_without_iterations_gives_what_it_began_with(void **state)
{
    (void)state;
    opened o = open_model(adding_model());
    set_loop(&o, 0);
    oribi_run_execute(o.run, status);
    expect_ok();
    assert_float_equal(element(&o, 0, 1, 4), 2.0f, 0.0f);
    TF_Tensor *collected = oribi_run_output(o.run, 1, status);
    assert_int_equal(TF_NumDims(collected), 2);
    assert_int_equal(TF_Dim(collected, 0), 0);
    assert_int_equal(TF_Dim(collected, 1), 4);
    TF_DeleteTensor(collected);
    close_model(&o);
}

static void iterations_of_the_third_run_allocate_nothing(void **state)
{
    (void)state;
    opened o = open_model(adding_model());
    set_loop(&o, 500);
    for (int i = 0; i < 3; i++) {
        oribi_run_execute(o.run, status);
        TF_DeleteTensor(oribi_run_output(o.run, 1, status));
    }
    const uint64_t before = oribi_alloc_count();
    for (int i = 0; i < 5; i++) {
        oribi_run_execute(o.run, status);
        TF_DeleteTensor(oribi_run_output(o.run, 1, status));
    }
    assert_int_equal(oribi_alloc_count(), before);
    expect_ok();
    close_model(&o);
}

/* Two values change places in each iteration: nothing is copied, nothing is lost. */
static void what_is_only_passed_on_keeps_its_values(void **state)
{
    (void)state;
    bytes body = begin_body((int64_t[]){4}, 1), graph = {0};
    put_value(&body, GRAPH_INPUT, "b", ONNX_FLOAT, (int64_t[]){4}, 1);
    put_value(&body, GRAPH_OUTPUT, "b", ONNX_FLOAT, NULL, -1);
    put_value(&body, GRAPH_OUTPUT, "a", ONNX_FLOAT, NULL, -1);
    put_value(&graph, GRAPH_INPUT, "n", ONNX_INT64, NULL, 0);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    put_node(&graph, "", "Neg", "neg", "x", "w");
    bytes node = make_node("", "Loop", "loop", "n,,x,w", "y,z");
    put_attr_graph(&node, "body", &body);
    put_message(&graph, GRAPH_NODE, &node);
    put_node(&graph, "", "Exp", "exp", "w", "e"); /* memory that the plan gives to others */
    put_node(&graph, "", "Abs", "abs", "e", "f");
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    put_value(&graph, GRAPH_OUTPUT, "z", ONNX_FLOAT, NULL, -1);
    put_value(&graph, GRAPH_OUTPUT, "f", ONNX_FLOAT, NULL, -1);
    opened o = open_model(make_model(17, &graph));
    for (int64_t trips = 0; trips < 5; trips++) {
        set_loop(&o, trips);
        oribi_run_execute(o.run, status);
        expect_ok();
        const float sign = trips % 2 == 0 ? 1.0f : -1.0f;
        assert_float_equal(element(&o, 0, 1, 4), 2.0f * sign, 0.0f);
        assert_float_equal(element(&o, 1, 2, 4), -3.0f * sign, 0.0f);
    }
    close_model(&o);
}

/* What an output shares is never the tensor that the application bound. */
static void an_output_of_a_branch_is_not_the_applications_input(void **state)
{
    (void)state;
    bytes graph = {0}, yes = {0}, no = {0};
    put_value(&graph, GRAPH_INPUT, "c", ONNX_BOOL, NULL, 0);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    put_value(&yes, GRAPH_OUTPUT, "x", ONNX_FLOAT, NULL, -1);
    put_node(&no, "", "Neg", "neg", "x", "x2");
    put_value(&no, GRAPH_OUTPUT, "x2", ONNX_FLOAT, NULL, -1);
    bytes node = make_node("", "If", "if", "c", "y");
    put_attr_graph(&node, "then_branch", &yes);
    put_attr_graph(&node, "else_branch", &no);
    put_message(&graph, GRAPH_NODE, &node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    opened o = open_model(make_model(17, &graph));
    const uint8_t yes_value = 1;
    set(&o, 0, TF_BOOL, NULL, 0, &yes_value, 1);
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, (int64_t[]){4}, 1, 16);
    float *values = TF_TensorData(x);
    values[0] = 7.0f;
    oribi_run_set_input(o.run, 1, x, status);
    oribi_run_execute(o.run, status);
    expect_ok();
    values[0] = 8.0f;
    assert_float_equal(element(&o, 0, 0, 4), 7.0f, 0.0f);
    TF_DeleteTensor(x);
    close_model(&o);
}

static void an_endless_loop_ends_at_the_time_limit(void **state)
{
    (void)state;
    bytes body = begin_body((int64_t[]){4}, 1);
    put_value(&body, GRAPH_OUTPUT, "a", ONNX_FLOAT, NULL, -1);
    opened o = open_model(loop_model(&body, "y"));
    set_loop(&o, INT64_MAX);
    oribi_run_set_time_limit(o.run, 20 * 1000000);
    oribi_run_execute(o.run, status);
    assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
    assert_non_null(strstr(TF_Message(status), "node 'loop'"));
    oribi_run_set_time_limit(o.run, 0);
    set_loop(&o, 3);
    oribi_run_execute(o.run, status);
    expect_ok();
    close_model(&o);
}

static void what_a_loop_collects_ends_at_the_memory_limit(void **state)
{
    (void)state;
    oribi_options *options = oribi_options_create(status);
    oribi_options_set_max_bytes(options, 8 << 20);
    opened o = open_with(adding_model(), options);
    oribi_options_destroy(options);
    set_loop(&o, INT64_MAX);
    oribi_run_execute(o.run, status);
    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    assert_non_null(strstr(TF_Message(status), "what control flow makes"));
    set_loop(&o, 2);
    oribi_run_execute(o.run, status);
    expect_ok();
    close_model(&o);
}

/* y = -x, or x[4] as a tensor of one element; only passes know that it is one. */
static bytes misfit_model(void)
{
    bytes graph = {0}, node = make_node("", "If", "if", "c", "y"), branches[2] = {{0}, {0}};
    bytes cast = make_node("", "Cast", "cast", "e", "t");
    const float zero[1] = {0};
    put_attr_int(&cast, "to", ONNX_INT64);
    put_node(&branches[0], "", "Neg", "neg", "x", "a");
    put_node(&branches[1], "", "Exp", "exp", "f", "e");
    put_message(&branches[1], GRAPH_NODE, &cast);
    put_node(&branches[1], "", "Reshape", "shape", "x,t", "a");
    put_initialiser(&graph, "f", ONNX_FLOAT, (int64_t[]){1}, 1, zero, sizeof zero);
    for (int k = 0; k < 2; k++) {
        put_value(&branches[k], GRAPH_OUTPUT, "a", ONNX_FLOAT, NULL, -1);
        put_attr_graph(&node, k == 0 ? "then_branch" : "else_branch", &branches[k]);
    }
    put_value(&graph, GRAPH_INPUT, "c", ONNX_BOOL, NULL, 0);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    put_message(&graph, GRAPH_NODE, &node);
    return make_model(17, &graph);
}

static void a_branch_whose_shapes_do_not_fit_fails_when_it_is_taken(void **state)
{
    (void)state;
    const float x[4] = {1, 2, 3, 4};
    bool which = true;
    opened o = open_model(misfit_model());
    set(&o, 0, TF_BOOL, NULL, 0, &which, sizeof which);
    set(&o, 1, TF_FLOAT, (int64_t[]){4}, 1, x, sizeof x);
    oribi_run_execute(o.run, status);
    expect_ok();
    assert_float_equal(element(&o, 0, 0, 4), -1.0f, 0.0f);
    which = false;
    set(&o, 0, TF_BOOL, NULL, 0, &which, sizeof which);
    oribi_run_execute(o.run, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "if/else_branch/shape"));
    close_model(&o);
}

/* x[i], which the fifth iteration does not have. */
static void a_failure_names_the_path_of_its_node(void **state)
{
    (void)state;
    bytes body = begin_body((int64_t[]){4}, 1);
    put_node(&body, "", "Gather", "pick", "x,i", "g");
    put_node(&body, "", "Add", "add", "a,g", "b");
    put_value(&body, GRAPH_OUTPUT, "b", ONNX_FLOAT, NULL, -1);
    opened o = open_model(loop_model(&body, "y"));
    set_loop(&o, 4);
    oribi_run_execute(o.run, status);
    expect_ok();
    set_loop(&o, 5);
    oribi_run_execute(o.run, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "node 'loop'"));
    assert_non_null(strstr(TF_Message(status), "node 'loop/body/pick"));
    assert_float_equal(element(&o, 0, 0, 4), 1.0f + 1 + 2 + 3 - 4, 0.0f); /* of the last good run */
    close_model(&o);
}

typedef struct seen {
    int body, loop;
} seen;

static void see(void *arg, const oribi_trace_event *event)
{
    seen *s = arg;
    s->body += strcmp(event->kind, "step") == 0 && strcmp(event->name, "loop/body/add") == 0;
    s->loop += strcmp(event->kind, "step") == 0 && strcmp(event->name, "loop") == 0;
}

static void a_trace_shows_steps_of_bodies(void **state)
{
    (void)state;
    opened o = open_model(adding_model());
    seen s = {0};
    set_loop(&o, 6);
    oribi_run_set_trace(o.run, see, &s);
    oribi_run_execute(o.run, status);
    expect_ok();
    assert_int_equal(s.body, 6);
    assert_int_equal(s.loop, 1);
    oribi_run_set_trace(o.run, NULL, NULL);
    oribi_run_execute(o.run, status);
    assert_int_equal(s.body, 6);
    close_model(&o);
}

/* Runs of one session have bodies of their own. */
static void runs_of_one_session_do_not_meet(void **state)
{
    (void)state;
    opened o = open_model(adding_model());
    opened other = o;
    other.run = oribi_run_create(o.session, status);
    set_loop(&o, 9);
    set_loop(&other, 2);
    oribi_run_execute(o.run, status);
    oribi_run_execute(other.run, status);
    expect_ok();
    assert_float_equal(element(&o, 0, 0, 4), 10.0f, 0.0f);
    assert_float_equal(element(&other, 0, 0, 4), 3.0f, 0.0f);
    oribi_run_destroy(other.run);
    close_model(&o);
}

/* Weights that a loop hands from iteration to iteration are constants of its body, where kernels
 * pack them once. */
static void a_state_that_never_changes_stands_in_the_body(void **state)
{
    (void)state;
    const float weights[] = {1, 2, 3, 5};
    bytes body = begin_body((int64_t[]){4}, 1), graph = {0};
    put_value(&body, GRAPH_INPUT, "w", ONNX_FLOAT, (int64_t[]){4}, 1);
    put_node(&body, "", "Mul", "mul", "a,w", "b");
    put_value(&body, GRAPH_OUTPUT, "b", ONNX_FLOAT, NULL, -1);
    put_value(&body, GRAPH_OUTPUT, "w", ONNX_FLOAT, NULL, -1);
    put_value(&graph, GRAPH_INPUT, "n", ONNX_INT64, NULL, 0);
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, (int64_t[]){4}, 1);
    put_initialiser(&graph, "k", ONNX_FLOAT, (int64_t[]){4}, 1, weights, sizeof weights);
    bytes node = make_node("", "Loop", "loop", "n,,x,k", "y,z");
    put_attr_graph(&node, "body", &body);
    put_message(&graph, GRAPH_NODE, &node);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, NULL, -1);
    put_value(&graph, GRAPH_OUTPUT, "z", ONNX_FLOAT, NULL, -1);
    opened o = open_model(make_model(17, &graph));
    for (int64_t trips = 0; trips < 3; trips++) {
        set_loop(&o, trips);
        oribi_run_execute(o.run, status);
        expect_ok();
        assert_float_equal(element(&o, 0, 3, 4), trips == 0 ? -4 : trips == 1 ? -20 : -100, 0.0f);
        assert_float_equal(element(&o, 1, 3, 4), 5.0f, 0.0f);
    }
    TF_Buffer *json = TF_NewBuffer();
    oribi_session_describe(o.session, "passes", json, status);
    expect_ok();
    const char told[] = "'loop' is always the same";
    assert_non_null(memmem(json->data, json->length, told, sizeof told - 1));
    TF_DeleteBuffer(json);
    close_model(&o);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_status, drop_status)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_loop_carries_and_collects),
        TEST(a_loop_without_iterations_gives_what_it_began_with),
        TEST(iterations_of_the_third_run_allocate_nothing),
        TEST(what_is_only_passed_on_keeps_its_values),
        TEST(an_output_of_a_branch_is_not_the_applications_input),
        TEST(an_endless_loop_ends_at_the_time_limit),
        TEST(what_a_loop_collects_ends_at_the_memory_limit),
        TEST(a_failure_names_the_path_of_its_node),
        TEST(a_branch_whose_shapes_do_not_fit_fails_when_it_is_taken),
        TEST(a_trace_shows_steps_of_bodies),
        TEST(runs_of_one_session_do_not_meet),
        TEST(a_state_that_never_changes_stands_in_the_body),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
