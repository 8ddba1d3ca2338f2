/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of exceptions that a kernel in C++ throws, of objects whose handles are counted, and
 * of loops on a plugin's own threads? The ops are those of plugins/wider.cc, and of
 * plugins/shim.cc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cxx/run_session.h"
#include "plugin/plugin.h"

static int load(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 0);
    oribi_plugin_load_built_ins(status);
    oribi_plugin_load(CXX_PLUGINS "/wider.so", status);
    oribi_plugin_load(CXX_PLUGINS "/shim.so", status);
    const bool ok = TF_GetCode(status) == TF_OK;
    if (!ok) {
        print_error("%s\n", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return ok ? 0 : -1;
}

static TF_Tensor *number(int32_t value)
{
    TF_Tensor *x = TF_AllocateTensor(TF_INT32, NULL, 0, sizeof value);
    *(int32_t *)TF_TensorData(x) = value;
    return x;
}

/* --- Exceptions --------------------------------------------------------------------------------
 */

static void throws(const char *op, const char *where, TF_Code code, const char *words)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = number(1);
    oribi_pool *pool = oribi_pool_create(3, status);
    run_op run;
    char attrs[64];
    snprintf(attrs, sizeof attrs, "where=\"%s\"", where);

    (void)run_op_begin(&run, op, attrs, &x, 1, pool, status);

    if (TF_GetCode(status) != code || strstr(TF_Message(status), words) == NULL) {
        fail_msg("%s, %s: %d '%s'", op, where, (int)TF_GetCode(status), TF_Message(status));
    }
    run_op_end(&run);
    oribi_pool_release(pool);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void an_exception_is_a_status_with_its_words(void **state)
{
    (void)state;
    throws("WideThrow", "shape", TF_INTERNAL, "the shape function threw an exception: shapes are");
    throws("WideThrow", "constructor", TF_INTERNAL,
           "constructor of the kernel threw an exception: a kernel");
    throws("WideThrow", "compute", TF_INTERNAL,
           "the kernel threw an exception: computing is thrown");
    throws("WideThrow", "loop", TF_INTERNAL, "the kernel threw an exception: a loop is thrown");
    throws("WideThrow", "memory", TF_RESOURCE_EXHAUSTED, "there is no memory");
    throws("WideThrow", "number", TF_INTERNAL, "of an unknown type");
    throws("WideThrow", "nowhere", TF_OK, "");
}

static void an_asynchronous_kernel_that_throws_is_done(void **state)
{
    (void)state;
    throws("WideThrowLater", "compute", TF_INTERNAL, "threw an exception: computing is thrown");
    throws("WideThrowLater", "loop", TF_INTERNAL, "threw an exception: a loop is thrown");
    throws("WideThrowLater", "after done", TF_OK, "");
    throws("WideThrowLater", "nowhere", TF_OK, "");
}

/* --- Handles that count ------------------------------------------------------------------------
 */

static int32_t alive(void)
{
    TF_Status *status = TF_NewStatus();
    run_op run;
    (void)run_op_begin(&run, "WideAlive", NULL, NULL, 0, NULL, status);
    assert_string_equal(TF_Message(status), "");
    const int32_t n = *(const int32_t *)TF_TensorData(run.outputs[0]);
    run_op_end(&run);
    TF_DeleteStatus(status);
    return n;
}

static oribi_node *add(oribi_graph *graph, const char *op, const char *name,
                       const oribi_value_id *inputs, int n_inputs, bool other, TF_Status *status)
{
    oribi_node *node = oribi_graph_add_node(graph, op, name, inputs, n_inputs, 1, status);
    if (n_inputs == 0) {
        oribi_attrs_set_bool(&node->attrs, &graph->arena, "other", other);
    }
    if (!oribi_graph_resolve(graph, node, status)) {
        fail_msg("%s", TF_Message(status));
    }
    return node;
}

/* make -> h; add(h, x) = a; add(h, a) = b, which is 2 x of an object of this run alone. */
static oribi_run *sums(bool other, TF_Status *status)
{
    oribi_graph *graph = oribi_graph_create(status);
    const oribi_shape scalar = {.rank = 0};
    const oribi_value_id x = oribi_graph_add_value(graph, "x", TF_INT32, &scalar, status);
    oribi_graph_add_input(graph, x, "x", status);
    const oribi_value_id h = add(graph, "WideMake", "h", NULL, 0, other, status)->outputs[0];
    const oribi_value_id first[2] = {h, x};
    const oribi_value_id a = add(graph, "WideAdd", "a", first, 2, false, status)->outputs[0];
    const oribi_value_id second[2] = {h, a};
    const oribi_value_id b = add(graph, "WideAdd", "b", second, 2, false, status)->outputs[0];
    oribi_graph_add_output(graph, b, "b", status);
    oribi_session *session = oribi_session_from_graph(graph, NULL, status);
    assert_string_equal(TF_Message(status), "");
    oribi_run *run = oribi_run_create(session, status);
    oribi_session_destroy(session);
    return run;
}

static void an_object_goes_with_its_last_counted_handle(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_run *run = sums(false, status);
    TF_Tensor *x = number(21);
    oribi_run_set_input(run, 0, x, status);

    for (int round = 0; round < 5; round++) {
        oribi_run_execute(run, status);
        assert_string_equal(TF_Message(status), "");
        TF_Tensor *b = oribi_run_output(run, 0, status);
        assert_int_equal(*(const int32_t *)TF_TensorData(b), 42);
        TF_DeleteTensor(b);
        assert_true(alive() <= 1);
    }
    oribi_run_destroy(run);

    assert_int_equal(alive(), 0);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void an_object_of_a_variant_goes_with_its_tensor(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_graph *graph = oribi_graph_create(status);
    const oribi_shape scalar = {.rank = 0};
    const oribi_value_id x = oribi_graph_add_value(graph, "x", TF_INT32, &scalar, status);
    oribi_graph_add_input(graph, x, "x", status);
    const oribi_value_id box = add(graph, "WideBox", "box", &x, 1, false, status)->outputs[0];
    const oribi_value_id sum = add(graph, "WideUnbox", "sum", &box, 1, false, status)->outputs[0];
    oribi_graph_add_output(graph, sum, "sum", status);
    oribi_session *session = oribi_session_from_graph(graph, NULL, status);
    assert_string_equal(TF_Message(status), "");
    oribi_run *run = oribi_run_create(session, status);
    oribi_session_destroy(session);
    TF_Tensor *input = number(21);
    oribi_run_set_input(run, 0, input, status);

    for (int round = 0; round < 5; round++) {
        oribi_run_execute(run, status);
        assert_string_equal(TF_Message(status), "");
        TF_Tensor *out = oribi_run_output(run, 0, status);
        assert_int_equal(*(const int32_t *)TF_TensorData(out), 42);
        TF_DeleteTensor(out);
        assert_true(alive() <= 1);
    }
    oribi_run_destroy(run);

    assert_int_equal(alive(), 0);
    TF_DeleteTensor(input);
    TF_DeleteStatus(status);
}

static void a_counted_handle_of_another_class_is_refused(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_run *run = sums(true, status);
    TF_Tensor *x = number(21);
    oribi_run_set_input(run, 0, x, status);

    oribi_run_execute(run, status);

    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "using the wrong type"));
    oribi_run_destroy(run);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void bytes_that_are_no_handle_are_refused(void **state)
{
    (void)state;
    for (uint64_t bits = 1; bits < 1ull << 60; bits = bits * 3 + 2) {
        TF_Status *status = TF_NewStatus();
        TF_Tensor *inputs[2] = {TF_AllocateTensor(TF_RESOURCE, NULL, 0, 8), number(1)};
        memcpy(TF_TensorData(inputs[0]), &bits, sizeof bits);
        run_op run;

        assert_false(run_op_begin(&run, "WideAdd", NULL, inputs, 2, NULL, status));

        assert_non_null(strstr(TF_Message(status), "none that this plugin made"));
        run_op_end(&run);
        TF_DeleteTensor(inputs[0]);
        TF_DeleteTensor(inputs[1]);
        TF_DeleteStatus(status);
    }
}

/* --- Ops for TensorFlow and TensorFlow Lite -------------------------------------------------- */

static void an_op_written_for_two_hosts_computes(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    const int64_t dims[2] = {2, 3};
    TF_Tensor *x = TF_AllocateTensor(TF_INT32, dims, 2, 6 * sizeof(int32_t));
    for (int32_t i = 0; i < 6; i++) {
        ((int32_t *)TF_TensorData(x))[i] = i;
    }
    run_op run;

    (void)run_op_begin(&run, "ShimColumn", "column=1;text=\"at\"", &x, 1, NULL, status);

    assert_string_equal(TF_Message(status), "");
    assert_int_equal(run.inferred[0].rank, 1);
    assert_int_equal(run.inferred[0].dims[0], 2);
    assert_int_equal(((const int32_t *)TF_TensorData(run.outputs[0]))[0], 1);
    assert_int_equal(((const int32_t *)TF_TensorData(run.outputs[0]))[1], 4);
    run_op_end(&run);
    (void)run_op_begin(&run, "ShimColumn", "column=3;text=\"at\"", &x, 1, NULL, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "no column 3 at"));
    run_op_end(&run);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

/* --- Threads of its own ------------------------------------------------------------------------
 */

static void a_pool_of_the_plugin_shares_loops_and_keeps_hints(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    run_op run;

    (void)run_op_begin(&run, "WideThreads", NULL, NULL, 0, NULL, status);

    assert_string_equal(TF_Message(status), "");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(((const int32_t *)TF_TensorData(run.outputs[0]))[i], 1);
    }
    run_op_end(&run);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exception_is_a_status_with_its_words),
        cmocka_unit_test(an_asynchronous_kernel_that_throws_is_done),
        cmocka_unit_test(an_object_goes_with_its_last_counted_handle),
        cmocka_unit_test(an_object_of_a_variant_goes_with_its_tensor),
        cmocka_unit_test(a_counted_handle_of_another_class_is_refused),
        cmocka_unit_test(bytes_that_are_no_handle_are_refused),
        cmocka_unit_test(an_op_written_for_two_hosts_computes),
        cmocka_unit_test(a_pool_of_the_plugin_shares_loops_and_keeps_hints),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
