/* SPDX-License-Identifier: Apache-2.0 */
/* Does a kernel in C++ get tensors and functions of attributes as messages, and may it write a
 * variable, the host's or its own, that somebody reads? The ops are those of plugins/messages.cc.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cxx/run_session.h"
#include "plugin/plugin.h"
#include "tensorflow/c/tf_tstring.h"

/* body { k: -7, g: inner { b: true } } as a NameAttrList. */
static const char function[] = "\x0a\x04"
                               "body\x12\x10\x0a\x01k\x12\x0b\x18\xf9\xff\xff\xff\xff\xff\xff\xff"
                               "\xff\x01\x12\x17\x0a\x01g\x12\x12\x52\x10\x0a\x05inner\x12\x07"
                               "\x0a\x01"
                               "b\x12\x02\x28\x01";

static int load(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 0);
    oribi_plugin_load_built_ins(status);
    oribi_plugin_load(CXX_PLUGINS "/messages.so", status);
    const bool ok = TF_GetCode(status) == TF_OK;
    if (!ok) {
        print_error("%s\n", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return ok ? 0 : -1;
}

static oribi_value_id add(oribi_graph *graph, const char *op, const oribi_value_id *inputs,
                          int n_inputs, const oribi_attr *attrs, int n_attrs, TF_Status *status)
{
    oribi_node *node = oribi_graph_add_node(graph, op, op, inputs, n_inputs, 1, status);
    for (int i = 0; i < n_attrs; i++) {
        oribi_attrs_set(&node->attrs, &graph->arena, &attrs[i]);
    }
    if (!oribi_graph_resolve(graph, node, status)) {
        fail_msg("%s", TF_Message(status));
    }
    return node->outputs[0];
}

/* The first output of a session of the graph, which goes with it, twice run. */
static TF_Tensor *run_twice(oribi_graph *graph, TF_Tensor *x, TF_Status *status)
{
    TF_Tensor *out = NULL;
    oribi_session *session = oribi_session_from_graph(graph, NULL, status);
    assert_string_equal(TF_Message(status), "");
    oribi_run *run = oribi_run_create(session, status);
    if (x != NULL) {
        oribi_run_set_input(run, 0, x, status);
    }
    for (int i = 0; i < 2; i++) {
        oribi_run_execute(run, status);
        assert_string_equal(TF_Message(status), "");
    }
    out = oribi_run_output(run, 0, status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    return out;
}

static void all_checks_of_messages_hold(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    const int64_t dims[1] = {2};
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, 1, 8);
    memcpy(TF_TensorData(t), (const float[]){1.5f, -2.5f}, 8);
    const oribi_string func = {.data = function, .length = sizeof function - 1};
    const oribi_attr attrs[2] = {{.name = "t", .kind = TF_ATTR_TENSOR, .count = 1, .u.tensor = &t},
                                 {.name = "f", .kind = TF_ATTR_FUNC, .count = 1, .u.s = &func}};
    oribi_graph *graph = oribi_graph_create(status);
    oribi_graph_add_output(graph, add(graph, "MessageChecks", NULL, 0, attrs, 2, status), "failed",
                           status);

    TF_Tensor *out = run_twice(graph, NULL, status);

    const TF_TString *failed = TF_TensorData(out);
    if (TF_TString_GetSize(failed) > 0) {
        fail_msg("fails: %.*s", (int)TF_TString_GetSize(failed), TF_TString_GetDataPointer(failed));
    }
    TF_DeleteTensor(out);
    TF_DeleteStatus(status);
}

/* A handle, x = 5 -> y: what the three who took the variable for writing see at the end. */
static void expect_steps(const char *handle_op, bool sparse, const float *expected)
{
    TF_Status *status = TF_NewStatus();
    const oribi_shape scalar = {.rank = 0};
    const TF_DataType type = TF_FLOAT;
    const uint8_t is_sparse = sparse;
    const oribi_attr of_handle[2] = {
        {.name = "dtype", .kind = TF_ATTR_TYPE, .count = 1, .u.type = &type},
        {.name = "shape", .kind = TF_ATTR_SHAPE, .count = 1, .u.shape = &scalar}};
    const oribi_attr of_step = {
        .name = "sparse", .kind = TF_ATTR_BOOL, .count = 1, .u.b = &is_sparse};
    oribi_graph *graph = oribi_graph_create(status);
    oribi_value_id in[2];
    in[0] = add(graph, handle_op, NULL, 0, of_handle, strcmp(handle_op, "MessageVar") != 0 ? 2 : 0,
                status);
    in[1] = oribi_graph_add_value(graph, "x", TF_FLOAT, &scalar, status);
    oribi_graph_add_input(graph, in[1], "x", status);
    oribi_graph_add_output(graph, add(graph, "MessageStep", in, 2, &of_step, 1, status), "y",
                           status);
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
    *(float *)TF_TensorData(x) = 5;

    TF_Tensor *y = run_twice(graph, x, status);

    for (int i = 0; i < 3; i++) {
        assert_true(((const float *)TF_TensorData(y))[i] == expected[i]);
    }
    TF_DeleteTensor(y);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void who_read_a_variable_keeps_what_it_read(void **state)
{
    (void)state;
    const float apart[3] = {6, 7, 8}, together[3] = {8, 8, 8};

    expect_steps("VarHandleOp", false, apart);
    expect_steps("MessageVar", false, apart);
    expect_steps("MessageVar", true, together); /* rows are written where they are */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_checks_of_messages_hold),
        cmocka_unit_test(who_read_a_variable_keeps_what_it_read),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
