/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of TensorFlow's C API: what they say of their operations, imports, functions. */
#include "binding/binding_small.h"

#include "format/proto.h"

/* --- What operations say -------------------------------------------------------------------- */

static void operations_say_what_they_are(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const int64_t dims[] = {-1, 4};
    const TF_Output x = placeholder(graph, "x", dims, 2);
    TF_OperationDescription *desc = TF_NewOperation(graph, "Concat", "joined");
    const TF_Output axis = constant(graph, "axis", one_float(0));
    (void)axis;
    const int32_t one = 1;
    TF_Tensor *number = TF_AllocateTensor(TF_INT32, NULL, 0, sizeof one);
    memcpy(TF_TensorData(number), &one, sizeof one);
    TF_AddInput(desc, constant(graph, "one", number));
    TF_AddInputList(desc, (TF_Output[]){x, x, x}, 3);
    TF_SetDevice(desc, "/device:CPU:0");
    TF_Operation *joined = TF_FinishOperation(desc, status);
    expect_ok();

    assert_string_equal(TF_OperationName(joined), "joined");
    assert_string_equal(TF_OperationOpType(joined), "Concat");
    assert_string_equal(TF_OperationDevice(joined), "/device:CPU:0");
    assert_int_equal(TF_OperationNumInputs(joined), 4);
    assert_int_equal(TF_OperationNumOutputs(joined), 1);
    assert_int_equal(TF_OperationInputType((TF_Input){joined, 0}), TF_INT32);
    assert_int_equal(TF_OperationInputType((TF_Input){joined, 1}), TF_FLOAT);
    assert_int_equal(TF_OperationOutputType((TF_Output){joined, 0}), TF_FLOAT);
    assert_int_equal(TF_OperationOutputType((TF_Output){joined, 1}), (TF_DataType)-1);
    assert_int_equal(TF_OperationInputListLength(joined, "values", status), 3);
    expect_ok();
    assert_int_equal(TF_OperationOutputListLength(joined, "output", status), 1);
    expect_ok();
    assert_int_equal(TF_OperationInputListLength(joined, "nothing", status), -1);
    expect_code(TF_INVALID_ARGUMENT, "no argument named 'nothing'");
    assert_ptr_equal(TF_OperationInput((TF_Input){joined, 2}).oper, x.oper);
    assert_null(TF_OperationInput((TF_Input){joined, 4}).oper);
    TF_Output inputs[4];
    TF_OperationAllInputs(joined, inputs, 4);
    assert_ptr_equal(inputs[3].oper, x.oper);
    TF_DeleteGraph(graph);
}

static void readers_and_control_edges_are_known(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, 0);
    TF_Operation *twice = binary(graph, "AddV2", "twice", x, x).oper;
    TF_OperationDescription *desc = TF_NewOperation(graph, "NoOp", "after");
    TF_AddControlInput(desc, twice);
    TF_AddControlInput(desc, twice);
    TF_Operation *after = TF_FinishOperation(desc, status), *found[2];
    expect_ok();
    TF_Input readers[2];

    assert_int_equal(TF_OperationOutputNumConsumers(x), 2);
    assert_int_equal(TF_OperationOutputConsumers(x, readers, 2), 2);
    assert_true(readers[0].oper == twice && readers[0].index == 0 && readers[1].index == 1);
    assert_int_equal(TF_OperationNumControlOutputs(twice), 1);
    assert_int_equal(TF_OperationGetControlOutputs(twice, found, 2), 1);
    assert_ptr_equal(found[0], after);
    assert_int_equal(TF_OperationNumControlInputs(after), 1);
    assert_int_equal(TF_OperationGetControlInputs(after, found, 2), 1);
    assert_ptr_equal(found[0], twice);

    size_t position = 0;
    const char *const names[] = {"x", "twice", "after"};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(TF_OperationName(TF_GraphNextOperation(graph, &position)), names[i]);
    }
    assert_null(TF_GraphNextOperation(graph, &position));
    assert_ptr_equal(TF_GraphOperationByName(graph, "twice"), twice);
    assert_null(TF_GraphOperationByName(graph, "thrice"));
    TF_DeleteGraph(graph);
}

static void shapes_are_inferred_and_may_be_told(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const int64_t left[] = {-1, 3}, right[] = {3, 5}, told[] = {7, 5}, wrong[] = {7, 6};
    const TF_Output a = placeholder(graph, "a", left, 2), b = placeholder(graph, "b", right, 2);
    const TF_Output product = binary(graph, "MatMul", "product", a, b);
    const TF_Output open = placeholder(graph, "open", NULL, -1);
    int64_t dims[2];

    assert_int_equal(TF_GraphGetTensorNumDims(graph, product, status), 2);
    TF_GraphGetTensorShape(graph, product, dims, 2, status);
    expect_ok();
    assert_true(dims[0] == -1 && dims[1] == 5);
    TF_GraphSetTensorShape(graph, product, told, 2, status);
    expect_ok();
    TF_GraphGetTensorShape(graph, product, dims, 2, status);
    assert_true(dims[0] == 7 && dims[1] == 5);
    TF_GraphSetTensorShape(graph, product, wrong, 2, status);
    expect_code(TF_INVALID_ARGUMENT, "known to be [7,5]");
    TF_GraphGetTensorShape(graph, product, dims, 1, status);
    expect_code(TF_INVALID_ARGUMENT, "Expected rank is 1 but actual rank is 2");
    assert_int_equal(TF_GraphGetTensorNumDims(graph, open, status), -1);
    expect_ok();
    TF_GraphGetTensorNumDims(graph, (TF_Output){product.oper, 3}, status);
    expect_code(TF_INVALID_ARGUMENT, "no output 3");
    TF_DeleteGraph(graph);
}

static void a_constant_is_known_without_a_run(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const TF_Output c = constant(graph, "c", one_float(6)), x = placeholder(graph, "x", NULL, 0);
    TF_Tensor *value = NULL;
    assert_int_equal(TF_TryEvaluateConstant(graph, c, &value, status), 1);
    expect_ok();
    assert_true(float_of(value) == 6);
    TF_DeleteTensor(value);
    assert_int_equal(TF_TryEvaluateConstant(graph, x, &value, status), 0);
    expect_ok();
    assert_null(value);
    TF_DeleteGraph(graph);
}

/* --- Imports -------------------------------------------------------------------------------- */

static TF_Graph *sum_graph(void)
{
    TF_Graph *graph = TF_NewGraph();
    const int64_t dims[] = {2};
    const TF_Output x = placeholder(graph, "x", dims, 1), y = placeholder(graph, "y", dims, 1);
    (void)binary(graph, "AddV2", "sum", x, y);
    return graph;
}

static TF_Buffer *bytes_of(TF_Graph *graph)
{
    TF_Buffer *buffer = TF_NewBuffer();
    TF_GraphToGraphDef(graph, buffer, status);
    expect_ok();
    return buffer;
}

static void a_graph_that_is_written_is_read_again(void **state)
{
    (void)state;
    TF_Graph *graph = sum_graph(), *copy = TF_NewGraph();
    TF_Buffer *bytes = bytes_of(graph), *again = NULL;
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(copy, bytes, options, status);
    expect_ok();
    again = bytes_of(copy);
    assert_int_equal(again->length, bytes->length);
    assert_memory_equal(again->data, bytes->data, bytes->length);
    TF_GraphToGraphDef(copy, again, status);
    expect_code(TF_INVALID_ARGUMENT, "non-empty buffer");

    TF_GraphImportGraphDef(copy, bytes, options, status);
    expect_code(TF_INVALID_ARGUMENT, "Node name 'x' already exists in the Graph");
    TF_ImportGraphDefOptionsSetUniquifyNames(options, 1);
    TF_GraphImportGraphDef(copy, bytes, options, status);
    expect_ok();
    TF_Operation *sum = TF_GraphOperationByName(copy, "sum_1");
    assert_non_null(sum);
    assert_string_equal(TF_OperationName(TF_OperationInput((TF_Input){sum, 0}).oper), "x_1");
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteBuffer(bytes);
    TF_DeleteBuffer(again);
    TF_DeleteGraph(copy);
    TF_DeleteGraph(graph);
}

static void an_import_has_a_prefix_mappings_and_results(void **state)
{
    (void)state;
    TF_Graph *from = sum_graph(), *graph = TF_NewGraph();
    TF_Buffer *bytes = bytes_of(from);
    const int64_t dims[] = {2};
    const TF_Output own = placeholder(graph, "own", dims, 1);
    TF_Operation *first = add(graph, "NoOp", "first", NULL, 0);
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_ImportGraphDefOptionsSetPrefix(options, "part");
    TF_ImportGraphDefOptionsSetDefaultDevice(options, "/device:CPU:0");
    TF_ImportGraphDefOptionsSetValidateColocationConstraints(options, 0);
    TF_ImportGraphDefOptionsAddInputMapping(options, "x", 0, own);
    TF_ImportGraphDefOptionsAddInputMapping(options, "absent", 2, own);
    TF_ImportGraphDefOptionsRemapControlDependency(options, "absent", first);
    TF_ImportGraphDefOptionsAddControlDependency(options, first);
    TF_ImportGraphDefOptionsAddReturnOutput(options, "sum", 0);
    TF_ImportGraphDefOptionsAddReturnOutput(options, "x:0", 0);
    TF_ImportGraphDefOptionsAddReturnOperation(options, "sum");
    assert_int_equal(TF_ImportGraphDefOptionsNumReturnOutputs(options), 2);
    assert_int_equal(TF_ImportGraphDefOptionsNumReturnOperations(options), 1);

    TF_ImportGraphDefResults *results =
        TF_GraphImportGraphDefWithResults(graph, bytes, options, status);
    expect_ok();
    int n = 0, *indexes = NULL;
    TF_Output *outputs = NULL;
    TF_Operation **operations = NULL;
    const char **names = NULL;
    TF_ImportGraphDefResultsReturnOutputs(results, &n, &outputs);
    assert_int_equal(n, 2);
    assert_string_equal(TF_OperationName(outputs[0].oper), "part/sum");
    assert_ptr_equal(outputs[1].oper, own.oper);
    assert_ptr_equal(TF_OperationInput((TF_Input){outputs[0].oper, 0}).oper, own.oper);
    assert_string_equal(TF_OperationDevice(outputs[0].oper), "/device:CPU:0");
    TF_ImportGraphDefResultsReturnOperations(results, &n, &operations);
    assert_int_equal(n, 1);
    assert_ptr_equal(operations[0], outputs[0].oper);
    TF_ImportGraphDefResultsMissingUnusedInputMappings(results, &n, &names, &indexes);
    assert_int_equal(n, 2); /* one is of a control input */
    assert_string_equal(names[0], "absent");
    assert_int_equal(indexes[0], 2);
    TF_Operation *part_y = TF_GraphOperationByName(graph, "part/y"), *waits_for = NULL;
    assert_int_equal(TF_OperationGetControlInputs(part_y, &waits_for, 1), 1);
    assert_ptr_equal(waits_for, first);
    TF_DeleteImportGraphDefResults(results);

    TF_Output returned[2];
    TF_GraphImportGraphDefWithReturnOutputs(graph, bytes, options, returned, 1, status);
    expect_code(TF_INVALID_ARGUMENT, "to be 2, got 1");
    TF_GraphImportGraphDefWithReturnOutputs(graph, bytes, options, returned, 2, status);
    expect_code(TF_INVALID_ARGUMENT, "already exists in the Graph");
    TF_ImportGraphDefOptionsSetPrefix(options, "own");
    TF_GraphImportGraphDefWithReturnOutputs(graph, bytes, options, returned, 2, status);
    expect_code(TF_INVALID_ARGUMENT, "prefix conflicts");
    TF_ImportGraphDefOptionsSetUniquifyPrefix(options, 1);
    TF_GraphImportGraphDefWithReturnOutputs(graph, bytes, options, returned, 2, status);
    expect_ok();
    assert_string_equal(TF_OperationName(returned[0].oper), "own_1/sum");
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteBuffer(bytes);
    TF_DeleteGraph(graph);
    TF_DeleteGraph(from);
}

/* A node of these inputs, of a GraphDef. */
static void put_node(oribi_text *out, const char *name, const char *op, const char *input)
{
    oribi_text node = {0};
    oribi_proto_string(&node, 1, name);
    oribi_proto_string(&node, 2, op);
    oribi_proto_string(&node, 3, input);
    oribi_proto_message(out, 1, &node);
}

static void import_text(TF_Graph *graph, oribi_text *text)
{
    TF_Buffer *bytes = TF_NewBufferFromString(text->data, text->length);
    TF_GraphImportGraphDef(graph, bytes, NULL, status);
    TF_DeleteBuffer(bytes);
    oribi_text_destroy(text);
}

static void spoiled_graphs_are_refused_and_leave_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name, *op, *input;
        TF_Code code;
        const char *words;
    } cases[] = {
        {"a", "Neg", "b", TF_INVALID_ARGUMENT, "Unknown input node 'b'"},
        {"a", "Neg", "a", TF_INVALID_ARGUMENT, "on a cycle"},
        {"a b", "NoOp", "", TF_INVALID_ARGUMENT, "no name of an operation"},
        {"", "NoOp", "", TF_INVALID_ARGUMENT, "no name of an operation"},
        {"a", "Const", "", TF_INVALID_ARGUMENT, "missing attr 'value'"},
        {"a", "Neg", "ok:1", TF_INVALID_ARGUMENT, "invalid output 1"},
        {"a", "PartitionedCall", "", TF_INVALID_ARGUMENT, "missing attr 'Tout'"},
        {"ok", "NoOp", "", TF_INVALID_ARGUMENT, "not unique"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TF_Graph *graph = TF_NewGraph();
        oribi_text text = {0};
        size_t position = 0;
        put_node(&text, "ok", "NoOp", "");
        put_node(&text, cases[i].name, cases[i].op, cases[i].input);
        import_text(graph, &text);
        expect_code(cases[i].code, cases[i].words);
        assert_null(TF_GraphNextOperation(graph, &position));
        TF_DeleteGraph(graph);
    }
    TF_Graph *graph = TF_NewGraph();
    TF_Buffer *cut = TF_NewBufferFromString("\x0a\x20", 2);
    TF_GraphImportGraphDef(graph, cut, NULL, status);
    assert_int_not_equal(TF_GetCode(status), TF_OK);
    TF_DeleteBuffer(cut);
    TF_DeleteGraph(graph);
}

static void an_op_that_nothing_registers_is_kept_and_cannot_run(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    oribi_text text = {0};
    put_node(&text, "a", "SomethingNew", "");
    put_node(&text, "b", "Neg", "a:2");
    import_text(graph, &text);
    expect_ok();
    TF_Operation *a = TF_GraphOperationByName(graph, "a");
    assert_int_equal(TF_OperationNumOutputs(a), 3); /* as many as are read */
    assert_int_equal(TF_OperationOutputType((TF_Output){a, 0}), (TF_DataType)-1);
    TF_Session *session = session_of(graph);
    const TF_Output fetch = {a, 0};
    TF_Tensor *out = NULL;
    TF_SessionRun(session, NULL, NULL, NULL, 0, &fetch, &out, 1, NULL, 0, NULL, status);
    expect_code(TF_UNIMPLEMENTED, "SomethingNew");
    end(session, graph);
}

static void messages_about_the_graph_are_those_of_tensorflow(void **state)
{
    (void)state;
    TF_Graph *graph = sum_graph();
    TF_Buffer *versions = TF_NewBuffer(), *op_def = TF_NewBuffer(), *node = TF_NewBuffer();
    TF_GraphVersions(graph, versions, status);
    expect_ok();
    assert_true(versions->length >= 2 && ((const uint8_t *)versions->data)[0] == 0x08);
    TF_GraphGetOpDef(graph, "AddV2", op_def, status);
    expect_ok();
    assert_memory_equal(op_def->data,
                        "\x0a\x05"
                        "AddV2",
                        7);
    TF_OperationToNodeDef(TF_GraphOperationByName(graph, "sum"), node, status);
    expect_ok();
    assert_memory_equal(node->data,
                        "\x0a\x03sum\x12\x05"
                        "AddV2\x1a\x01x\x1a\x01y",
                        18);
    TF_Buffer *none = TF_NewBuffer();
    TF_GraphGetOpDef(graph, "NoSuchOp", none, status);
    expect_code(TF_NOT_FOUND, "NoSuchOp");
    TF_DeleteBuffer(none);
    TF_DeleteBuffer(versions);
    TF_DeleteBuffer(op_def);
    TF_DeleteBuffer(node);
    TF_DeleteGraph(graph);
}

/* --- Functions ------------------------------------------------------------------------------ */

/* double(x) = x + x */
static void put_function(oribi_text *out, const char *name)
{
    oribi_text argument = {0}, signature = {0}, node = {0}, entry = {0}, value = {0};
    oribi_proto_string(&signature, 1, name);
    oribi_proto_string(&argument, 1, "x");
    oribi_proto_number(&argument, 3, TF_FLOAT);
    oribi_proto_message(&signature, 2, &argument);
    oribi_proto_string(&argument, 1, "y");
    oribi_proto_number(&argument, 3, TF_FLOAT);
    oribi_proto_message(&signature, 3, &argument);
    oribi_proto_message(out, 1, &signature);
    oribi_proto_string(&node, 1, "add");
    oribi_proto_string(&node, 2, "AddV2");
    oribi_proto_string(&node, 3, "x");
    oribi_proto_string(&node, 3, "x");
    oribi_proto_number(&value, 6, TF_FLOAT);
    oribi_proto_string(&entry, 1, "T");
    oribi_proto_message(&entry, 2, &value);
    oribi_proto_message(&node, 5, &entry);
    oribi_proto_message(out, 3, &node);
    oribi_proto_string(&entry, 1, "y");
    oribi_proto_string(&entry, 2, "add:z:0");
    oribi_proto_message(out, 4, &entry);
}

static void functions_are_copied_into_graphs_and_called(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    oribi_text text = {0};
    put_function(&text, "double");
    TF_Function *function = TF_FunctionImportFunctionDef(text.data, text.length, status);
    expect_ok();
    assert_string_equal(TF_FunctionName(function), "double");
    const uint8_t yes[] = {0x28, 1};
    TF_FunctionSetAttrValueProto(function, "_noinline", yes, sizeof yes, status);
    expect_ok();
    TF_Buffer *got = TF_NewBuffer(), *def = TF_NewBuffer(), *none = TF_NewBuffer();
    TF_FunctionGetAttrValueProto(function, "_noinline", got, status);
    expect_ok();
    assert_memory_equal(got->data, yes, sizeof yes);
    TF_FunctionGetAttrValueProto(function, "other", none, status);
    expect_code(TF_INVALID_ARGUMENT, "no attr named 'other'");
    TF_FunctionToFunctionDef(function, def, status);
    expect_ok();
    assert_true(def->length > text.length);
    assert_memory_equal(def->data, text.data, text.length);

    TF_GraphCopyFunction(graph, function, NULL, status);
    expect_ok();
    TF_GraphCopyFunction(graph, NULL, NULL, status);
    expect_code(TF_INVALID_ARGUMENT, "cannot be null");
    assert_int_equal(TF_GraphNumFunctions(graph), 1);
    TF_Function *list[2];
    assert_int_equal(TF_GraphGetFunctions(graph, list, 2, status), 1);
    expect_ok();
    assert_string_equal(TF_FunctionName(list[0]), "double");
    TF_DeleteFunction(list[0]);

    const TF_Output x = placeholder(graph, "x", NULL, 0);
    const TF_DataType type = TF_FLOAT;
    TF_OperationDescription *desc = TF_NewOperation(graph, "PartitionedCall", "call");
    TF_AddInputList(desc, &x, 1);
    TF_SetAttrTypeList(desc, "Tin", &type, 1);
    TF_SetAttrTypeList(desc, "Tout", &type, 1);
    TF_SetAttrFuncName(desc, "f", "double", 6);
    const TF_Output call = {TF_FinishOperation(desc, status), 0};
    expect_ok();
    TF_Session *session = session_of(graph);
    TF_Tensor *given = one_float(21), *out = NULL;
    TF_SessionRun(session, NULL, &x, &given, 1, &call, &out, 1, NULL, 0, NULL, status);
    expect_ok();
    assert_true(float_of(out) == 42);
    TF_DeleteTensor(out);
    TF_DeleteTensor(given);
    end(session, graph);

    assert_null(TF_FunctionImportFunctionDef("\x0a\x7f", 2, status));
    expect_code(TF_INVALID_ARGUMENT, "Invalid FunctionDef");
    TF_DeleteBuffer(got);
    TF_DeleteBuffer(def);
    TF_DeleteBuffer(none);
    TF_DeleteFunction(function);
    oribi_text_destroy(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_say_what_they_are),
        cmocka_unit_test(readers_and_control_edges_are_known),
        cmocka_unit_test(shapes_are_inferred_and_may_be_told),
        cmocka_unit_test(a_constant_is_known_without_a_run),
        cmocka_unit_test(a_graph_that_is_written_is_read_again),
        cmocka_unit_test(an_import_has_a_prefix_mappings_and_results),
        cmocka_unit_test(spoiled_graphs_are_refused_and_leave_nothing),
        cmocka_unit_test(an_op_that_nothing_registers_is_kept_and_cannot_run),
        cmocka_unit_test(messages_about_the_graph_are_those_of_tensorflow),
        cmocka_unit_test(functions_are_copied_into_graphs_and_called),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
