/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of the older kind, which know operations by their names. Each case gives the same in
 * TensorFlow 2.16.1. */
#include "binding/binding_small.h"

/* x, and x + 1 under the name y; more of it: z = y * y. */
static void extend(TF_DeprecatedSession *session, bool is_more)
{
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, 0);
    const TF_Output y = binary(graph, "AddV2", "y", x, constant(graph, "one", one_float(1)));
    (void)binary(graph, "Mul", "z", y, y);
    TF_Buffer *all = TF_NewBuffer();
    if (is_more) { /* the last node alone: what it reads is there */
        TF_OperationToNodeDef(TF_GraphOperationByName(graph, "z"), all, status);
        expect_ok();
        unsigned char message[128] = {0x0a, (unsigned char)all->length};
        memcpy(message + 2, all->data, all->length);
        TF_ExtendGraph(session, message, all->length + 2, status);
    } else {
        TF_Graph *half = TF_NewGraph();
        const TF_Output half_x = placeholder(half, "x", NULL, 0);
        (void)binary(half, "AddV2", "y", half_x, constant(half, "one", one_float(1)));
        TF_GraphToGraphDef(half, all, status);
        expect_ok();
        TF_ExtendGraph(session, all->data, all->length, status);
        TF_DeleteGraph(half);
    }
    TF_DeleteBuffer(all);
    TF_DeleteGraph(graph);
}

static float run(TF_DeprecatedSession *session, const char *feed, float value, const char *fetch)
{
    const char *inputs[] = {feed}, *outputs[] = {fetch}, *targets[] = {"y"};
    TF_Tensor *given = one_float(value), *result = NULL;
    TF_Run(session, NULL, inputs, &given, 1, outputs, &result, 1, targets, 1, NULL, status);
    TF_DeleteTensor(given);
    if (TF_GetCode(status) != TF_OK) {
        assert_null(result);
        return -1;
    }
    const float found = float_of(result);
    TF_DeleteTensor(result);
    return found;
}

static TF_DeprecatedSession *make(void)
{
    TF_SessionOptions *options = TF_NewSessionOptions();
    TF_DeprecatedSession *session = TF_NewDeprecatedSession(options, status);
    TF_DeleteSessionOptions(options);
    expect_ok();
    return session;
}

static void finish(TF_DeprecatedSession *session)
{
    TF_CloseDeprecatedSession(session, status);
    expect_ok();
    TF_DeleteDeprecatedSession(session, status);
    expect_ok();
}

static void graphs_are_extended_and_run_by_names(void **state)
{
    (void)state;
    TF_DeprecatedSession *session = make();
    (void)run(session, "x:0", 2, "y:0");
    expect_code(TF_INVALID_ARGUMENT, "Session was not created with a graph before Run()!");
    extend(session, false);
    expect_ok();
    assert_true(run(session, "x:0", 2, "y:0") == 3);
    expect_ok();
    extend(session, true);
    expect_ok();
    assert_true(run(session, "x", 2, "z:0") == 9);
    expect_ok();
    (void)run(session, "x:0", 2, "none:0");
    expect_code(TF_NOT_FOUND, "none");
    TF_DeviceList *devices = TF_DeprecatedSessionListDevices(session, status);
    expect_ok();
    assert_true(TF_DeviceListCount(devices) >= 1);
    TF_DeleteDeviceList(devices);
    finish(session);
}

static void partial_runs_go_by_names(void **state)
{
    (void)state;
    const char *inputs[] = {"x:0"}, *outputs[] = {"y:0", "z:0"}, *handle = NULL;
    TF_DeprecatedSession *session = make();
    extend(session, false);
    expect_ok();
    extend(session, true);
    expect_ok();
    TF_PRunSetup(session, inputs, 1, outputs, 2, NULL, 0, &handle, status);
    expect_ok();
    TF_Tensor *given = one_float(4), *result = NULL;
    for (int i = 0; i < 2; i++) {
        TF_PRun(session, handle, inputs, &given, i == 0, outputs + i, &result, 1, NULL, 0, status);
        expect_ok();
        assert_true(float_of(result) == (i == 0 ? 5 : 25));
        TF_DeleteTensor(result);
    }
    TF_DeleteTensor(given);
    TF_DeletePRunHandle(handle);
    finish(session);
}

static void a_reset_closes_all_sessions(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, 0);
    TF_Session *one = session_of(graph), *two = session_of(graph), *after;
    TF_SessionOptions *options = TF_NewSessionOptions();
    TF_Tensor *in = one_float(1), *out = NULL;
    TF_DeleteSession(two, status);
    two = session_of(graph);
    TF_SetTarget(options, "grpc://elsewhere:1");
    TF_Reset(options, NULL, 0, status);
    expect_code(TF_NOT_FOUND, "sessions run in this process alone");
    TF_SessionRun(one, NULL, &x, &in, 1, &x, &out, 1, NULL, 0, NULL, status);
    expect_ok();
    TF_DeleteTensor(out);

    TF_SetTarget(options, "");
    TF_Reset(options, NULL, 0, status);
    expect_ok();

    TF_SessionRun(one, NULL, &x, &in, 1, &x, &out, 1, NULL, 0, NULL, status);
    expect_code(TF_CANCELLED, "Session has been closed.");
    TF_SessionRun(two, NULL, &x, &in, 1, &x, &out, 1, NULL, 0, NULL, status);
    expect_code(TF_CANCELLED, "Session has been closed.");
    after = session_of(graph);
    TF_SessionRun(after, NULL, &x, &in, 1, &x, &out, 1, NULL, 0, NULL, status);
    expect_ok();
    TF_DeleteTensor(in);
    TF_DeleteTensor(out);
    TF_DeleteSessionOptions(options);
    TF_DeleteSession(one, status);
    TF_DeleteSession(two, status);
    end(after, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_extended_and_run_by_names),
        cmocka_unit_test(partial_runs_go_by_names),
        cmocka_unit_test(a_reset_closes_all_sessions),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
