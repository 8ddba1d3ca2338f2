/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that are changed where they stand, which the next run sees. */
#include "binding/binding_small.h"

#include "tensorflow/c/logging.h"

static float run_one(TF_Session *session, TF_Output feed, float value, TF_Output fetch)
{
    TF_Tensor *given = one_float(value), *result = NULL;
    TF_SessionRun(session, NULL, &feed, &given, 1, &fetch, &result, 1, NULL, 0, NULL, status);
    expect_ok();
    const float found = float_of(result);
    TF_DeleteTensor(given);
    TF_DeleteTensor(result);
    return found;
}

static void an_input_is_another_one_in_the_next_run(void **state)
{
    (void)state;
    const int64_t dims[] = {3};
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, 0), wide = placeholder(graph, "w", dims, 1);
    const TF_Output one = constant(graph, "one", one_float(1));
    const TF_Output two = constant(graph, "two", one_float(2));
    const TF_Output y = binary(graph, "AddV2", "y", x, one);
    TF_Session *session = session_of(graph);
    assert_true(run_one(session, x, 5, y) == 6);

    TF_UpdateEdge(graph, two, (TF_Input){y.oper, 1}, status);
    expect_ok();
    TF_ExtendSession(session, status);
    expect_ok();
    assert_true(run_one(session, x, 5, y) == 7);
    assert_ptr_equal(TF_OperationInput((TF_Input){y.oper, 1}).oper, two.oper);
    assert_int_equal(TF_OperationOutputNumConsumers(one), 0);
    assert_int_equal(TF_OperationOutputNumConsumers(two), 1);

    TF_UpdateEdge(graph, (TF_Output){two.oper, 1}, (TF_Input){y.oper, 1}, status);
    expect_code(TF_OUT_OF_RANGE, "Output index [1] is greater than the number of total outputs");
    TF_UpdateEdge(graph, two, (TF_Input){y.oper, 2}, status);
    expect_code(TF_OUT_OF_RANGE, "Input index [2] is greater than the number of total inputs");
    TF_UpdateEdge(graph, wide, (TF_Input){y.oper, 1}, status);
    expect_code(TF_INVALID_ARGUMENT, "Cannot update edge, incompatible shapes");
    end(session, graph);
}

static void attributes_are_set_and_cleared(void **state)
{
    (void)state;
    static const unsigned char yes[] = {0x28, 1}, text[] = {0x12, 2, 'h', 'i'}, bad[] = {0x12, 9};
    const int64_t dims[] = {2, 2};
    TF_Graph *graph = TF_NewGraph();
    const TF_Output a = placeholder(graph, "a", dims, 2);
    const TF_Output product = binary(graph, "MatMul", "product", a, a);
    unsigned char is_turned = 9;
    char found[4] = "";
    TF_OperationGetAttrBool(product.oper, "transpose_b", &is_turned, status);
    expect_ok();
    assert_int_equal(is_turned, 0);

    TF_Buffer *value = TF_NewBufferFromString(yes, sizeof yes);
    TF_SetAttr(graph, product.oper, "transpose_b", value, status);
    expect_ok();
    TF_DeleteBuffer(value);
    TF_OperationGetAttrBool(product.oper, "transpose_b", &is_turned, status);
    expect_ok();
    assert_int_equal(is_turned, 1);
    TF_Session *session = session_of(graph);
    const float numbers[] = {1, 2, 3, 4}, wanted[] = {5, 11, 11, 25};
    TF_Tensor *given = floats(dims, 2, numbers), *result = NULL;
    TF_SessionRun(session, NULL, &a, &given, 1, &product, &result, 1, NULL, 0, NULL, status);
    expect_ok();
    assert_memory_equal(TF_TensorData(result), wanted, sizeof wanted);
    TF_DeleteTensor(given);
    TF_DeleteTensor(result);

    value = TF_NewBufferFromString(text, sizeof text);
    TF_SetAttr(graph, product.oper, "_word", value, status);
    expect_ok();
    TF_DeleteBuffer(value);
    TF_OperationGetAttrString(product.oper, "_word", found, sizeof found, status);
    expect_ok();
    assert_string_equal(found, "hi");
    TF_ClearAttr(graph, product.oper, "_word", status);
    expect_ok();
    TF_OperationGetAttrString(product.oper, "_word", found, sizeof found, status);
    expect_code(TF_INVALID_ARGUMENT, "has no attr named '_word'");
    value = TF_NewBufferFromString(bad, sizeof bad);
    TF_SetAttr(graph, product.oper, "_word", value, status);
    expect_code(TF_INVALID_ARGUMENT, "Invalid AttrValue proto");
    TF_DeleteBuffer(value);
    end(session, graph);
}

static void control_inputs_and_devices_are_set(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, 0), y = placeholder(graph, "y", NULL, 0);
    TF_Operation *sum = binary(graph, "AddV2", "sum", x, x).oper, *found[2];
    TF_AddOperationControlInput(graph, sum, y.oper);
    TF_AddOperationControlInput(graph, sum, y.oper);
    assert_int_equal(TF_OperationGetControlInputs(sum, found, 2), 1);
    assert_ptr_equal(found[0], y.oper);
    assert_int_equal(TF_OperationGetControlOutputs(y.oper, found, 2), 1);
    assert_ptr_equal(found[0], sum);
    TF_RemoveAllControlInputs(graph, sum);
    assert_int_equal(TF_OperationNumControlInputs(sum), 0);
    assert_int_equal(TF_OperationNumControlOutputs(y.oper), 0);
    TF_AddOperationControlInput(graph, sum, x.oper);
    assert_int_equal(TF_OperationNumControlOutputs(x.oper), 1);
    assert_int_equal(TF_OperationOutputNumConsumers(x), 2);
    TF_SetRequestedDevice(graph, sum, "/device:CPU:0");
    assert_string_equal(TF_OperationDevice(sum), "/device:CPU:0");
    TF_DeleteGraph(graph);
}

static void handles_keep_what_is_said_of_them(void **state)
{
    (void)state;
    /* is_set; a shape of 2 x 3, DT_FLOAT */
    static const unsigned char data[] = {8, 1, 18, 12, 10, 8, 18, 2, 8, 2, 18, 2, 8, 3, 16, 1};
    TF_Graph *graph = TF_NewGraph();
    TF_OperationDescription *desc = TF_NewOperation(graph, "Placeholder", "handle");
    TF_SetAttrType(desc, "dtype", TF_RESOURCE);
    const TF_Output handle = {TF_FinishOperation(desc, status), 0};
    expect_ok();
    TF_SetHandleShapeAndType(graph, handle, data, sizeof data, status);
    expect_ok();
    TF_Buffer *found = TF_GetHandleShapeAndType(graph, handle);
    assert_true(found->length >= sizeof data);
    assert_memory_equal(found->data, data, 2);
    TF_DeleteBuffer(found);
    TF_SetHandleShapeAndType(graph, handle, "\x12\x7f", 2, status);
    expect_code(TF_INVALID_ARGUMENT, "Couldn't deserialize HandleData proto");
    TF_DeleteGraph(graph);
}

static void what_a_node_makes_is_written(void **state)
{
    (void)state;
    static const unsigned char type[] = {8, 100};
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, 0);
    TF_Buffer *given = TF_NewBufferFromString(type, sizeof type), *found = TF_NewBuffer();
    TF_SetFullType(graph, x.oper, given);
    TF_OperationToNodeDef(x.oper, found, status);
    expect_ok();
    bool is_there = false;
    const unsigned char *at = found->data;
    for (size_t i = 0; i + 4 <= found->length; i++) {
        is_there = is_there || memcmp(at + i, "\x3a\x02\x08\x64", 4) == 0;
    }
    assert_true(is_there);
    TF_DeleteBuffer(given);
    TF_DeleteBuffer(found);
    TF_DeleteGraph(graph);
}

static void operations_are_described_under_the_lock(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, 0);
    TF_OperationDescription *desc = TF_NewOperationLocked(graph, "Identity", "same");
    TF_AddInput(desc, x);
    TF_Operation *same = TF_FinishOperationLocked(desc, status);
    expect_ok();
    assert_ptr_equal(TF_GraphOperationByName(graph, "same"), same);
    TF_DeleteGraph(graph);
}

static void a_while_gets_one_more_input(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, 0);
    TF_AddWhileInputHack(graph, x, x.oper, status);
    expect_code(TF_INTERNAL, "dst argument to AddWhileEdgeHack should be a While op, got: ");
    TF_DeleteGraph(graph);
}

static void shape_functions_are_asked_for(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    TF_SetRequireShapeInferenceFns(graph, true);
    (void)placeholder(graph, "x", NULL, 0);
    TF_SetRequireShapeInferenceFns(graph, false);
    TF_DeleteGraph(graph);
}

static char heard[256];

static void listen(const char *message)
{
    strncat(heard, message, sizeof heard - strlen(heard) - 1);
}

static void listeners_hear_the_log(void **state)
{
    (void)state;
    int argc = 1;
    char *words[] = {(char[]){"program"}}, **argv = words;
    TF_InitMain("usage", &argc, &argv);
    assert_int_equal(argc, 1);
    TF_RegisterLogListener(listen);
    TF_Log(TF_INFO, "nobody shall miss this: %d", 42);
    assert_non_null(strstr(heard, "nobody shall miss this: 42"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_is_another_one_in_the_next_run),
        cmocka_unit_test(attributes_are_set_and_cleared),
        cmocka_unit_test(control_inputs_and_devices_are_set),
        cmocka_unit_test(handles_keep_what_is_said_of_them),
        cmocka_unit_test(what_a_node_makes_is_written),
        cmocka_unit_test(operations_are_described_under_the_lock),
        cmocka_unit_test(a_while_gets_one_more_input),
        cmocka_unit_test(shape_functions_are_asked_for),
        cmocka_unit_test(listeners_hear_the_log),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
