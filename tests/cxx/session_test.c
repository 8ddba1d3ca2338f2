/* SPDX-License-Identifier: Apache-2.0 */
/* State that ops in TensorFlow's C++ style hold in sessions of ONNX models: whose it is, who finds
 * it, when it goes. Single ops in sessions: face_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/thread.h"
#include "graph/graph.h"
#include "oribi/oribi.h"
#include "plugin/plugin.h"
#include "support/onnx_writer.h"

enum { ELEMENTS = 3, RUNS = 200 };
#define TF "org.tensorflow"

static int load(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 0);
    oribi_plugin_load_built_ins(status);
    oribi_plugin_load(CXX_PLUGINS "/held.so", status);
    const bool ok = TF_GetCode(status) == TF_OK;
    if (!ok) {
        print_error("%s\n", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return ok ? 0 : -1;
}

/* --- Models ---------------------------------------------------------------------------------- */

static void put_named(bytes *graph, const char *op, const char *container, const char *shared_name,
                      const char *output)
{
    bytes node = make_node(TF, op, output, "", output);
    put_attr_text(&node, "container", container);
    put_attr_text(&node, "shared_name", shared_name);
    put_message(graph, GRAPH_NODE, &node);
}

/* Takes the graph over. */
static oribi_session *session_of(bytes *graph, TF_Status *status)
{
    bytes model = make_model(13, graph), import = {0};
    put_text(&import, 1, TF);
    put_int(&import, 2, 1);
    put_message(&model, 8, &import);
    oribi_model *opened = oribi_model_from_memory(model.data, model.n, "held", NULL, status);
    if (opened == NULL) {
        fail_msg("%s", TF_Message(status));
    }
    oribi_session *session = oribi_session_create(opened, NULL, status);
    if (session == NULL) {
        fail_msg("%s", TF_Message(status));
    }
    oribi_model_destroy(opened);
    free(model.data);
    return session;
}

/* handle -> next(handle, x) = a -> next(handle, a) = y; also whether each was in place. */
static oribi_session *chain(TF_Status *status)
{
    bytes graph = {0};
    const int64_t dims[1] = {ELEMENTS};
    put_named(&graph, "HeldCounter", "", "one", "handle");
    put_node(&graph, TF, "HeldNext", "first", "handle,x", "a,first_in_place");
    put_node(&graph, TF, "HeldNext", "second", "handle,a", "y,second_in_place");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "first_in_place", ONNX_INT32, NULL, 0);
    put_value(&graph, GRAPH_OUTPUT, "second_in_place", ONNX_INT32, NULL, 0);
    return session_of(&graph, status);
}

static oribi_session *one_node(const char *op, const char *container, const char *shared_name,
                               TF_Status *status)
{
    bytes graph = {0};
    if (shared_name != NULL) {
        put_named(&graph, op, container, shared_name, "n");
    } else {
        put_node(&graph, TF, op, "n", "", "n");
    }
    put_value(&graph, GRAPH_OUTPUT, "n", ONNX_INT64, NULL, 0);
    return session_of(&graph, status);
}

/* --- Runs ------------------------------------------------------------------------------------ */

static oribi_run *start(oribi_session *session, TF_Status *status)
{
    const int64_t dims[1] = {ELEMENTS};
    oribi_run *run = oribi_run_create(session, status);
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, dims, 1, ELEMENTS * sizeof(float));
    memset(TF_TensorData(x), 0, ELEMENTS * sizeof(float));
    oribi_run_set_input(run, 0, x, status);
    TF_DeleteTensor(x);
    assert_string_equal(TF_Message(status), "");
    return run;
}

/* The last element of y after one run; -1 on failure. */
static float next_sum(oribi_run *run, TF_Status *status)
{
    oribi_run_execute(run, status);
    if (TF_GetCode(status) != TF_OK) {
        return -1;
    }
    TF_Tensor *y = oribi_run_output(run, 0, status);
    const float sum = ((const float *)TF_TensorData(y))[ELEMENTS - 1];
    TF_DeleteTensor(y);
    return sum;
}

static int64_t number_of(oribi_session *session)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(session, status);
    oribi_run_execute(run, status);
    assert_string_equal(TF_Message(status), "");
    TF_Tensor *n = oribi_run_output(run, 0, status);
    const int64_t value = *(const int64_t *)TF_TensorData(n);
    TF_DeleteTensor(n);
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return value;
}

static int64_t live_objects(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_session *session = one_node("HeldLive", NULL, NULL, status);
    const int64_t count = number_of(session);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
    return count;
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void two_nodes_share_the_resource_of_a_third(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_session *session = chain(status);
    oribi_run *run = start(session, status);

    for (int i = 0; i < 5; i++) {
        assert_int_equal((int)next_sum(run, status), (2 * i + 1) + (2 * i + 2));
    }

    assert_int_equal(live_objects(), 1);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
}

static void an_input_that_dies_is_taken_over_and_one_of_the_caller_is_not(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_session *session = chain(status);
    oribi_run *run = start(session, status);

    for (int i = 0; i < 3; i++) {
        (void)next_sum(run, status);
    }

    int32_t in_place[2];
    for (int i = 0; i < 2; i++) {
        TF_Tensor *tensor = oribi_run_output(run, i + 1, status);
        in_place[i] = *(const int32_t *)TF_TensorData(tensor);
        TF_DeleteTensor(tensor);
    }
    assert_int_equal(in_place[0], 0);
    assert_int_equal(in_place[1], 1);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
}

/* x is the caller's, a has a second reader, b dies: that one alone is written over. */
static void a_temporary_takes_the_place_of_an_input_that_dies(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    bytes graph = {0};
    const int64_t dims[1] = {ELEMENTS};
    put_node(&graph, TF, "HeldScratch", "first", "x", "a,of_x");
    put_node(&graph, TF, "HeldScratch", "second", "a", "b,of_a");
    put_node(&graph, TF, "HeldScratch", "third", "b", "y,of_b");
    put_node(&graph, TF, "HeldScratch", "fourth", "a", "z,again_of_a");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "z", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "of_x", ONNX_INT32, NULL, 0);
    put_value(&graph, GRAPH_OUTPUT, "of_a", ONNX_INT32, NULL, 0);
    put_value(&graph, GRAPH_OUTPUT, "of_b", ONNX_INT32, NULL, 0);
    oribi_session *session = session_of(&graph, status);
    oribi_run *run = start(session, status);
    const float values[ELEMENTS] = {1, -2, 3};
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, dims, 1, sizeof values);
    memcpy(TF_TensorData(x), values, sizeof values);
    oribi_run_set_input(run, 0, x, status);

    for (int i = 0; i < 3; i++) {
        oribi_run_execute(run, status);
        assert_string_equal(TF_Message(status), "");
    }

    static const int32_t in_place[] = {0, 0, 1};
    TF_Tensor *y = oribi_run_output(run, 0, status), *z = oribi_run_output(run, 1, status);
    for (int i = 0; i < ELEMENTS; i++) {
        assert_true(((const float *)TF_TensorData(y))[i] == 8 * values[i]);
        assert_true(((const float *)TF_TensorData(z))[i] == 4 * values[i]);
        assert_true(((const float *)TF_TensorData(x))[i] == values[i]);
    }
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
    TF_DeleteTensor(z);
    for (int i = 0; i < 3; i++) {
        TF_Tensor *tensor = oribi_run_output(run, i + 2, status);
        assert_int_equal(*(const int32_t *)TF_TensorData(tensor), in_place[i]);
        TF_DeleteTensor(tensor);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
}

static void resources_of_sessions_are_apart_and_go_with_them(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_session *sessions[2] = {chain(status), chain(status)};
    oribi_run *runs[2] = {start(sessions[0], status), start(sessions[1], status)};

    assert_int_equal((int)next_sum(runs[0], status), 1 + 2);
    assert_int_equal((int)next_sum(runs[0], status), 3 + 4);
    assert_int_equal((int)next_sum(runs[1], status), 1 + 2); /* counts for itself */
    assert_int_equal(live_objects(), 2);
    for (int i = 0; i < 2; i++) {
        oribi_run_destroy(runs[i]);
        oribi_session_destroy(sessions[i]);
        assert_int_equal(live_objects(), 1 - i);
    }
    TF_DeleteStatus(status);
}

static void a_manager_that_a_constructor_kept_is_that_of_its_session(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_session *a = one_node("HeldByName", "", "n", status);
    oribi_session *b = one_node("HeldByName", "", "n", status);

    assert_int_equal(number_of(a), 1);
    assert_int_equal(number_of(a), 2);
    assert_int_equal(number_of(b), 1);
    assert_int_equal(live_objects(), 2);
    oribi_session_destroy(a);
    oribi_session_destroy(b);

    assert_int_equal(live_objects(), 0);
    TF_DeleteStatus(status);
}

static void a_container_is_emptied_without_the_others(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    bytes graph = {0};
    const int64_t want[3] = {1, 3, 1}; /* in box, elsewhere, clear */
    put_named(&graph, "HeldByName", "box", "n", "boxed");
    put_named(&graph, "HeldByName", "other", "n", "free");
    put_node(&graph, TF, "HeldClear", "clear", "", "cleared");
    put_value(&graph, GRAPH_OUTPUT, "boxed", ONNX_INT64, NULL, 0);
    put_value(&graph, GRAPH_OUTPUT, "free", ONNX_INT64, NULL, 0);
    put_value(&graph, GRAPH_OUTPUT, "cleared", ONNX_INT64, NULL, 0);
    oribi_session *session = session_of(&graph, status);
    oribi_run *run = oribi_run_create(session, status);

    for (int i = 0; i < 3; i++) {
        oribi_run_execute(run, status);
    }

    assert_string_equal(TF_Message(status), "");
    for (int i = 0; i < 3; i++) {
        TF_Tensor *tensor = oribi_run_output(run, i, status);
        assert_int_equal(*(const int64_t *)TF_TensorData(tensor), want[i]);
        TF_DeleteTensor(tensor);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
}

/* A model may wire what it likes: eight bytes of the host are not taken for an address. */
static void handle_of_somebody_else_is_an_error(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    bytes graph = {0}, variable = make_node(TF, "VarHandleOp", "v", "", "handle");
    const int64_t dims[1] = {ELEMENTS};
    put_attr_int(&variable, "dtype", TF_FLOAT);
    put_attr_ints(&variable, "shape", dims, 1);
    put_attr_text(&variable, "shared_name", "v");
    put_message(&graph, GRAPH_NODE, &variable);
    put_node(&graph, TF, "HeldNext", "next", "handle,x", "y,in_place");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, dims, 1);
    oribi_session *session = session_of(&graph, status);
    oribi_run *run = start(session, status);

    (void)next_sum(run, status);

    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "none that this plugin made"));
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
}

static const oribi_value *told(oribi_graph *graph, const char *op, const oribi_value_id *input,
                               oribi_value_id *out)
{
    TF_Status *status = TF_NewStatus();
    oribi_node *node = oribi_graph_add_node(graph, op, op, input, input != NULL, 1, status);
    if (!oribi_graph_resolve(graph, node, status)) {
        fail_msg("%s", TF_Message(status));
    }
    TF_DeleteStatus(status);
    *out = node->outputs[0];
    return graph->values[*out];
}

static void shape_functions_see_what_handles_lead_to(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_graph *graph = oribi_graph_create(status);
    oribi_value_id handle, passed, y;

    const oribi_value *made = told(graph, "HeldTold", NULL, &handle);
    (void)told(graph, "HeldPass", &handle, &passed);
    const oribi_value *asked = told(graph, "HeldAsk", &passed, &y);
    oribi_value_id plain = oribi_graph_add_value(graph, "plain", TF_RESOURCE, NULL, status);
    const oribi_value *unknown = told(graph, "HeldAsk", &plain, &y);

    assert_int_equal(made->handle.count, 1);
    assert_int_equal(made->handle.parts[0].dtype, TF_FLOAT);
    assert_int_equal(made->handle.parts[0].shape.dims[0], -1);
    assert_int_equal(asked->shape.rank, 2);
    assert_int_equal(asked->shape.dims[0], 7);
    assert_int_equal(asked->shape.dims[1], 5);
    assert_int_equal(unknown->shape.rank, -1);
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
}

static void a_resource_that_cannot_be_made_fails_the_run(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    bytes graph = {0}, counter = make_node(TF, "HeldCounter", "c", "", "handle");
    const int64_t dims[1] = {ELEMENTS};
    put_attr_int(&counter, "start", -4);
    put_message(&graph, GRAPH_NODE, &counter);
    put_node(&graph, TF, "HeldNext", "next", "handle,x", "y,in_place");
    put_value(&graph, GRAPH_INPUT, "x", ONNX_FLOAT, dims, 1);
    put_value(&graph, GRAPH_OUTPUT, "y", ONNX_FLOAT, dims, 1);
    oribi_session *session = session_of(&graph, status);
    oribi_run *run = start(session, status);

    (void)next_sum(run, status);

    assert_non_null(strstr(TF_Message(status), "start must not be below 0, is -4"));
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    assert_int_equal(live_objects(), 0);
    TF_DeleteStatus(status);
}

static void *many_runs(void *session)
{
    TF_Status *status = TF_NewStatus();
    oribi_run *run = start(session, status);
    for (int i = 0; i < RUNS; i++) {
        (void)next_sum(run, status);
    }
    const bool ok = TF_GetCode(status) == TF_OK;
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return ok ? session : NULL;
}

static void runs_of_several_threads_count_together(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_session *session = chain(status);
    pthread_t threads[3];

    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, many_runs, session), 0);
    }
    for (int i = 0; i < 3; i++) {
        void *ok = NULL;
        pthread_join(threads[i], &ok);
        assert_non_null(ok);
    }

    oribi_run *run = start(session, status);
    const int before = 3 * RUNS * 2;
    assert_int_equal((int)next_sum(run, status), before + 1 + before + 2);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_nodes_share_the_resource_of_a_third),
        cmocka_unit_test(an_input_that_dies_is_taken_over_and_one_of_the_caller_is_not),
        cmocka_unit_test(a_temporary_takes_the_place_of_an_input_that_dies),
        cmocka_unit_test(resources_of_sessions_are_apart_and_go_with_them),
        cmocka_unit_test(a_manager_that_a_constructor_kept_is_that_of_its_session),
        cmocka_unit_test(a_container_is_emptied_without_the_others),
        cmocka_unit_test(handle_of_somebody_else_is_an_error),
        cmocka_unit_test(shape_functions_see_what_handles_lead_to),
        cmocka_unit_test(a_resource_that_cannot_be_made_fails_the_run),
        cmocka_unit_test(runs_of_several_threads_count_together),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
