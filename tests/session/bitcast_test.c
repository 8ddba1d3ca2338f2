/* SPDX-License-Identifier: Apache-2.0 */
/* The example plugin, loaded as a binary, in a session: the way of every plugin kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "plugin/plugin.h"
#include "session/small.h"

static int load(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    setenv("XDG_CACHE_HOME", TEST_BINARY "/cache", 1);
    assert_true(oribi_plugin_load_built_ins(status));
    oribi_plugin_load_file(TEST_BITCAST, status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    return small_setup(NULL);
}

/* x -> Bitcast to `type` -> z, with `before` and `after` around it as small ops (float only). */
static oribi_session *make(TF_DataType from, TF_DataType to, int rank, const int64_t *dims,
                           bool is_inside)
{
    small_graph g = small_begin();
    const oribi_shape shape = {rank, (int64_t *)dims};
    oribi_value_id x = oribi_graph_add_value(g.graph, "x", from, &shape, g.status);
    assert_true(oribi_graph_add_input(g.graph, x, "x", g.status));
    if (is_inside) {
        x = small_fn1(&g, small_add_one, x);
    }
    oribi_node *node = oribi_graph_add_node(g.graph, "Bitcast", "cast", &x, 1, 1, g.status);
    assert_true(oribi_attrs_set_type(&node->attrs, &g.graph->arena, "type", to));
    if (!oribi_graph_resolve(g.graph, node, g.status)) {
        fail_msg("%s", TF_Message(g.status));
    }
    small_output(&g, node->outputs[0], "z");
    return small_finish(&g);
}

static void the_plugin_wins_over_the_built_in_kernel(void **state)
{
    (void)state;
    const int64_t dims[1] = {3};
    oribi_session *session = make(TF_FLOAT, TF_INT32, 1, dims, false);
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();

    oribi_session_describe(session, "graph", json, status);

    small_expect_ok(status);
    assert_true(small_has(json, "\"kernel\":\"example_bitcast\""));
    assert_true(small_has(json, "bitcast.so\""));
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    oribi_session_destroy(session);
}

static void floats_become_their_bits(void **state)
{
    (void)state;
    const int64_t dims[1] = {3};
    oribi_session *session = make(TF_FLOAT, TF_INT32, 1, dims, false);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 3; i++) {
        TF_Tensor *x = small_tensor(1, dims, 1); /* 1, 2, 3 */
        small_bind(run, 0, x);
        small_execute(run);
        TF_Tensor *z = small_result(run, 0);
        const uint32_t *bits = TF_TensorData(z);
        assert_int_equal(TF_TensorType(z), TF_INT32);
        assert_int_equal(TF_NumDims(z), 1);
        assert_int_equal(bits[0], 0x3f800000);
        assert_int_equal(bits[1], 0x40000000);
        assert_int_equal(bits[2], 0x40400000);
        TF_DeleteTensor(z);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void wider_elements_split_along_a_new_dimension(void **state)
{
    (void)state;
    const int64_t dims[2] = {2, 3};
    oribi_session *session = make(TF_FLOAT, TF_UINT8, 2, dims, true);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 4; i++) {
        small_bind(run, 0, small_tensor(2, dims, 0)); /* 1 .. 6 after the first node */
        small_execute(run);
        TF_Tensor *z = small_result(run, 0);
        const uint8_t *bytes = TF_TensorData(z);
        assert_int_equal(TF_NumDims(z), 3);
        assert_int_equal(TF_Dim(z, 2), 4);
        assert_int_equal(TF_TensorByteSize(z), 24);
        assert_int_equal(bytes[3], 0x3f);
        assert_int_equal(bytes[2], 0x80);
        assert_int_equal(bytes[23], 0x40); /* 6.0f is 0x40c00000 */
        assert_int_equal(bytes[22], 0xc0);
        TF_DeleteTensor(z);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void narrower_elements_join_the_last_dimension(void **state)
{
    (void)state;
    const int64_t dims[2] = {2, 4};
    oribi_session *session = make(TF_UINT8, TF_FLOAT, 2, dims, false);
    oribi_run *run = small_run_of(session);
    TF_Tensor *x = TF_AllocateTensor(TF_UINT8, dims, 2, 8);
    const uint8_t bytes[8] = {0, 0, 0x80, 0x3f, 0, 0, 0x40, 0x40};
    memcpy(TF_TensorData(x), bytes, 8);

    small_bind(run, 0, x);
    small_execute(run);

    TF_Tensor *z = small_result(run, 0);
    assert_int_equal(TF_NumDims(z), 1);
    assert_true(((float *)TF_TensorData(z))[0] == 1.0f);
    assert_true(((float *)TF_TensorData(z))[1] == 3.0f);
    TF_DeleteTensor(z);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_last_dimension_that_does_not_fit_is_an_error(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const int64_t dims[2] = {2, 3};
    const oribi_shape shape = {2, (int64_t *)dims};
    const oribi_value_id x = oribi_graph_add_value(g.graph, "x", TF_UINT8, &shape, g.status);
    oribi_node *node = oribi_graph_add_node(g.graph, "Bitcast", "cast", &x, 1, 1, g.status);
    assert_true(oribi_attrs_set_type(&node->attrs, &g.graph->arena, "type", TF_FLOAT));

    assert_false(oribi_graph_resolve(g.graph, node, g.status));

    assert_int_equal(TF_GetCode(g.status), TF_INVALID_ARGUMENT);
    oribi_graph_destroy(g.graph);
    TF_DeleteStatus(g.status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plugin_wins_over_the_built_in_kernel),
        cmocka_unit_test(floats_become_their_bits),
        cmocka_unit_test(wider_elements_split_along_a_new_dimension),
        cmocka_unit_test(narrower_elements_join_the_last_dimension),
        cmocka_unit_test(a_last_dimension_that_does_not_fit_is_an_error),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
