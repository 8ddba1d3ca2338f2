/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of operations, set and read by TensorFlow's C API; new operations that are wrong. */
#include "binding/binding_small.h"

#include "tensorflow/c/eager/c_api.h"

/* A node of an op that takes any attribute: those that it does not declare are kept. */
static TF_OperationDescription *begin(TF_Graph *graph)
{
    return TF_NewOperation(graph, "NoOp", "node");
}

static TF_Operation *finish(TF_OperationDescription *desc)
{
    TF_Operation *op = TF_FinishOperation(desc, status);
    expect_ok();
    return op;
}

static void expect_metadata(TF_Operation *op, const char *name, TF_AttrType type, int64_t n,
                            int64_t total)
{
    const TF_AttrMetadata found = TF_OperationGetAttrMetadata(op, name, status);
    expect_ok();
    assert_int_equal(found.type, type);
    assert_int_equal(found.is_list, n >= 0);
    assert_int_equal(found.list_size, n);
    assert_int_equal(found.total_size, total);
}

static void numbers_and_texts_are_read_as_they_were_set(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    TF_OperationDescription *desc = begin(graph);
    const int64_t ints[] = {1, -2, 3};
    const float reals[] = {0.5f, -1};
    const unsigned char bools[] = {1, 0};
    const TF_DataType types[] = {TF_INT8, TF_STRING};
    const void *const texts[] = {"ab", "", "cde"};
    const size_t lengths[] = {2, 0, 3};
    TF_SetAttrString(desc, "s", "hello", 5);
    TF_SetAttrStringList(desc, "ss", texts, lengths, 3);
    TF_SetAttrInt(desc, "i", -7);
    TF_SetAttrIntList(desc, "ii", ints, 3);
    TF_SetAttrFloat(desc, "f", 2.5f);
    TF_SetAttrFloatList(desc, "ff", reals, 2);
    TF_SetAttrBool(desc, "b", 1);
    TF_SetAttrBoolList(desc, "bb", bools, 2);
    TF_SetAttrType(desc, "t", TF_INT16);
    TF_SetAttrTypeList(desc, "tt", types, 2);
    TF_SetAttrPlaceholder(desc, "p", "other");
    TF_SetAttrFuncName(desc, "g", "fn", 2);
    TF_Operation *op = finish(desc);

    char text[8], storage[8];
    void *found[3];
    size_t sizes[3];
    TF_OperationGetAttrString(op, "s", text, sizeof text, status);
    expect_ok();
    assert_memory_equal(text, "hello", 5);
    TF_OperationGetAttrStringList(op, "ss", found, sizes, 3, storage, sizeof storage, status);
    expect_ok();
    assert_int_equal(sizes[2], 3);
    assert_memory_equal(found[2], "cde", 3);
    int64_t i = 0, ii[3] = {0};
    TF_OperationGetAttrInt(op, "i", &i, status);
    TF_OperationGetAttrIntList(op, "ii", ii, 3, status);
    expect_ok();
    assert_true(i == -7 && ii[1] == -2);
    float f = 0, ff[2] = {0};
    TF_OperationGetAttrFloat(op, "f", &f, status);
    TF_OperationGetAttrFloatList(op, "ff", ff, 2, status);
    expect_ok();
    assert_true(f == 2.5f && ff[1] == -1);
    unsigned char b = 0, bb[2] = {0, 1};
    TF_OperationGetAttrBool(op, "b", &b, status);
    TF_OperationGetAttrBoolList(op, "bb", bb, 2, status);
    expect_ok();
    assert_true(b == 1 && bb[0] == 1 && bb[1] == 0);
    TF_DataType t = TF_FLOAT, tt[2];
    TF_OperationGetAttrType(op, "t", &t, status);
    TF_OperationGetAttrTypeList(op, "tt", tt, 2, status);
    expect_ok();
    assert_true(t == TF_INT16 && tt[1] == TF_STRING);

    expect_metadata(op, "s", TF_ATTR_STRING, -1, 5);
    expect_metadata(op, "ss", TF_ATTR_STRING, 3, 5);
    expect_metadata(op, "ii", TF_ATTR_INT, 3, -1);
    expect_metadata(op, "p", TF_ATTR_PLACEHOLDER, -1, -1);
    expect_metadata(op, "g", TF_ATTR_FUNC, -1, -1);
    TF_OperationGetAttrMetadata(op, "nothing", status);
    expect_code(TF_INVALID_ARGUMENT, "Operation 'node' has no attr named 'nothing'.");
    TF_OperationGetAttrInt(op, "s", &i, status);
    expect_code(TF_INVALID_ARGUMENT, "int was asked for");
    TF_DeleteGraph(graph);
}

static void shapes_and_tensors_are_read_as_they_were_set(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    TF_OperationDescription *desc = begin(graph);
    const int64_t first[] = {2, -1}, second[] = {5};
    const int64_t *const shapes[] = {first, second, NULL};
    const int ranks[] = {2, 1, -1};
    const uint8_t proto[] = {0x12, 2, 0x08, 9}, spoiled[] = {0x12, 9};
    const void *const protos[] = {proto, proto};
    const size_t lengths[] = {sizeof proto, sizeof proto};
    TF_Tensor *one = one_float(1), *two = one_float(2), *pair[] = {one, two};
    TF_SetAttrShape(desc, "h", first, 2);
    TF_SetAttrShapeList(desc, "hh", shapes, ranks, 3);
    TF_SetAttrTensorShapeProto(desc, "hp", proto, sizeof proto, status);
    expect_ok();
    TF_SetAttrTensorShapeProtoList(desc, "hhp", protos, lengths, 2, status);
    expect_ok();
    TF_SetAttrTensorShapeProto(desc, "bad", spoiled, sizeof spoiled, status);
    expect_code(TF_INVALID_ARGUMENT, "Unparseable TensorShapeProto");
    TF_SetAttrTensor(desc, "v", one, status);
    expect_ok();
    TF_SetAttrTensorList(desc, "vv", pair, 2, status);
    expect_ok();
    TF_SetAttrValueProto(desc, "raw", "\x18\x05", 2, status);
    expect_ok();
    TF_SetAttrValueProto(desc, "bad", "\x0a\x05", 2, status);
    expect_code(TF_INVALID_ARGUMENT, "Unparseable AttrValue");
    TF_Operation *op = finish(desc);

    int64_t dims[2], storage[3], *places[3];
    int found[3];
    TF_OperationGetAttrShape(op, "h", dims, 2, status);
    expect_ok();
    assert_true(dims[0] == 2 && dims[1] == -1);
    TF_OperationGetAttrShapeList(op, "hh", places, found, 3, storage, 3, status);
    expect_ok();
    assert_true(found[0] == 2 && found[1] == 1 && found[2] == -1 && places[1][0] == 5);
    TF_OperationGetAttrShapeList(op, "hh", places, found, 3, storage, 2, status);
    expect_code(TF_INVALID_ARGUMENT, "Not enough storage");
    TF_OperationGetAttrShape(op, "hp", dims, 1, status);
    expect_ok();
    assert_int_equal(dims[0], 9);
    expect_metadata(op, "h", TF_ATTR_SHAPE, -1, 2);
    expect_metadata(op, "hh", TF_ATTR_SHAPE, 3, 3);

    TF_Buffer *shape = TF_NewBuffer(), *value = TF_NewBuffer(), *list[2] = {NULL};
    TF_OperationGetAttrTensorShapeProto(op, "hp", shape, status);
    expect_ok();
    assert_memory_equal(shape->data, proto, sizeof proto);
    TF_OperationGetAttrTensorShapeProtoList(op, "hhp", list, 2, status);
    expect_ok();
    assert_memory_equal(list[1]->data, proto, sizeof proto);
    TF_OperationGetAttrValueProto(op, "raw", value, status);
    expect_ok();
    assert_memory_equal(value->data, "\x18\x05", 2);
    TF_Tensor *tensor = NULL, *tensors[2] = {NULL};
    TF_OperationGetAttrTensor(op, "v", &tensor, status);
    TF_OperationGetAttrTensorList(op, "vv", tensors, 2, status);
    expect_ok();
    assert_true(float_of(tensor) == 1 && float_of(tensors[1]) == 2);

    TF_DeleteTensor(tensor);
    TF_DeleteTensor(tensors[0]);
    TF_DeleteTensor(tensors[1]);
    TF_DeleteBuffer(shape);
    TF_DeleteBuffer(value);
    TF_DeleteBuffer(list[0]);
    TF_DeleteBuffer(list[1]);
    TF_DeleteTensor(one);
    TF_DeleteTensor(two);
    TF_DeleteGraph(graph);
}

static void attributes_have_names_and_defaults(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, -1);
    const TF_Output product = binary(graph, "MatMul", "product", x, x);
    TF_Operation *op = product.oper;
    unsigned char transposed = 1;
    TF_OperationGetAttrBool(op, "transpose_a", &transposed, status);
    expect_ok();
    assert_int_equal(transposed, 0);
    int n_found = 0;
    for (int i = 0; i < TF_OperationGetNumAttrs(op); i++) {
        char name[32] = {0};
        assert_true(TF_OperationGetAttrNameLength(op, i) < 32);
        TF_OperationGetAttrName(op, i, name, status);
        expect_ok();
        n_found += strcmp(name, "T") == 0 || strcmp(name, "transpose_b") == 0;
    }
    assert_int_equal(n_found, 2);
    assert_int_equal(TF_OperationGetAttrNameLength(op, 99), -1);
    char unused[1];
    TF_OperationGetAttrName(op, 99, unused, status);
    expect_code(TF_OUT_OF_RANGE, "not a number 99");
    TF_DeleteGraph(graph);
}

static void operations_stand_with_others(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const TF_Output x = placeholder(graph, "x", NULL, 0), y = placeholder(graph, "y", NULL, 0);
    TF_OperationDescription *desc = TF_NewOperation(graph, "NoOp", "near");
    TF_ColocateWith(desc, x.oper);
    TF_ColocateWith(desc, y.oper);
    TF_Operation *op = finish(desc);
    void *found[2];
    size_t sizes[2];
    char storage[16];
    TF_OperationGetAttrStringList(op, "_class", found, sizes, 2, storage, sizeof storage, status);
    expect_ok();
    assert_memory_equal(found[1], "loc:@y", 6);
    TF_DeleteGraph(graph);
}

static void wrong_operations_are_refused(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph(), *other = TF_NewGraph();
    const int64_t two[] = {2}, three[] = {3};
    const TF_Output x = placeholder(graph, "x", two, 1), y = placeholder(graph, "y", three, 1);
    const TF_Output elsewhere = placeholder(other, "x", two, 1);
    static const struct {
        const char *type, *name;
        int inputs; /* of x, y, another graph's, output 5: a bit each */
        TF_Code code;
        const char *words;
    } cases[] = {
        {"NoSuchOp", "a", 0, TF_NOT_FOUND, "Op type not registered 'NoSuchOp'"},
        {"AddV2", "a", 1, TF_INVALID_ARGUMENT, "'a'"},
        {"AddV2", "a", 3, TF_INVALID_ARGUMENT, "'a'"},
        {"Neg", "a", 4, TF_INVALID_ARGUMENT, "no operation of the graph"},
        {"Neg", "a", 8, TF_INVALID_ARGUMENT, "no output 5"},
        {"Neg", "x", 1, TF_INVALID_ARGUMENT, "Duplicate node name in graph: 'x'"},
        {"Neg", "a:0", 1, TF_INVALID_ARGUMENT, "no name of an operation"},
        {"Neg", "", 1, TF_INVALID_ARGUMENT, "no name of an operation"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const TF_Output inputs[] = {x, y, elsewhere, {x.oper, 5}};
        TF_OperationDescription *desc = TF_NewOperation(graph, cases[i].type, cases[i].name);
        for (int k = 0; k < 4; k++) {
            if (cases[i].inputs >> k & 1) {
                TF_AddInput(desc, inputs[k]);
            }
        }
        assert_null(TF_FinishOperation(desc, status));
        expect_code(cases[i].code, cases[i].words);
    }
    assert_null(TF_GraphOperationByName(graph, "a"));
    TF_DeleteGraph(graph);
    TF_DeleteGraph(other);
}

/* No op registers Bucketize: the importer makes it of others. Numbers: TensorFlow's documentation.
 */
static void an_op_that_is_made_of_others_is_built_and_run(void **state)
{
    (void)state;
    TF_Graph *graph = TF_NewGraph();
    const int64_t dims[] = {6};
    const float values[] = {-5, 10000, 150, 10, 5, 100}, edges[] = {0, 10, 100};
    const int32_t wanted[] = {0, 3, 3, 2, 1, 3};
    const TF_Output x = placeholder(graph, "x", dims, 1);
    TF_OperationDescription *desc = TF_NewOperation(graph, "Bucketize", "some");
    TF_AddInput(desc, x);
    TF_SetAttrFloatList(desc, "boundaries", edges, 3);
    const TF_Output y = {finish(desc), 0};
    desc = TF_NewOperation(graph, "Bucketize", "none");
    TF_AddInput(desc, x);
    TF_SetAttrFloatList(desc, "boundaries", NULL, 0);
    expect_metadata(finish(desc), "boundaries", TF_ATTR_FLOAT, 0, -1);
    assert_int_equal(TF_OperationOutputType(y), TF_INT32);
    assert_int_equal(TF_GraphGetTensorNumDims(graph, y, status), 1);
    desc = TF_NewOperation(graph, "DynamicPartition", "parts");
    TF_AddInput(desc, x);
    TF_AddInput(desc, y);
    TF_SetAttrInt(desc, "num_partitions", 4);
    assert_int_equal(TF_OperationNumOutputs(finish(desc)), 4);
    desc = TF_NewOperation(graph, "DynamicPartition", "many");
    TF_SetAttrInt(desc, "num_partitions", (int64_t)1 << 60);
    assert_null(TF_FinishOperation(desc, status));
    expect_code(TF_INVALID_ARGUMENT, "'num_partitions' is no number from 0 to 4096");
    desc = TF_NewOperation(graph, "ResizeArea", "area");
    TF_AddInput(desc, x);
    TF_AddInput(desc, x);
    assert_null(TF_FinishOperation(desc, status));
    expect_code(TF_INVALID_ARGUMENT, "Input 1 of node area was passed float from x:0 incompatible "
                                     "with expected int32.");

    TF_Session *session = session_of(graph);
    TF_Tensor *in = floats(dims, 1, values), *out = NULL;
    TF_SessionRun(session, NULL, &x, &in, 1, &y, &out, 1, NULL, 0, NULL, status);
    expect_ok();
    assert_memory_equal(TF_TensorData(out), wanted, sizeof wanted);
    TF_DeleteTensor(in);
    TF_DeleteTensor(out);
    end(session, graph);
}

/* --- Handles of tensors --------------------------------------------------------------------- */

static void handles_of_tensors_share_their_memory(void **state)
{
    (void)state;
    TFE_ContextOptions *options = TFE_NewContextOptions();
    TFE_ContextOptionsSetAsync(options, 1);
    TFE_ContextOptionsSetConfig(options, "\x10\x02", 2, status);
    expect_ok();
    TFE_ContextOptionsSetConfig(options, "\x10", 1, status);
    expect_code(TF_INVALID_ARGUMENT, "Unparseable ConfigProto");
    TFE_Context *context = TFE_NewContext(options, status);
    expect_ok();
    TFE_DeleteContextOptions(options);
    TF_DeviceList *devices = TFE_ContextListDevices(context, status);
    expect_ok();
    assert_int_equal(TF_DeviceListCount(devices), 1);
    TF_DeleteDeviceList(devices);

    const int64_t dims[] = {2, 1};
    const float values[] = {3, 4};
    TF_Tensor *tensor = floats(dims, 2, values);
    TFE_TensorHandle *handle = TFE_NewTensorHandle(tensor, status);
    expect_ok();
    TF_DeleteTensor(tensor);
    assert_int_equal(TFE_TensorHandleDataType(handle), TF_FLOAT);
    assert_int_equal(TFE_TensorHandleNumDims(handle, status), 2);
    assert_int_equal(TFE_TensorHandleDim(handle, 0, status), 2);
    assert_non_null(strstr(TFE_TensorHandleDeviceName(handle, status), "CPU:0"));
    assert_non_null(strstr(TFE_TensorHandleBackingDeviceName(handle, status), "CPU:0"));
    expect_ok();
    assert_int_equal(TFE_TensorHandleDim(handle, 2, status), -1);
    expect_code(TF_INVALID_ARGUMENT, "no dimension 2");
    TFE_TensorHandle *copy = TFE_TensorHandleCopyToDevice(handle, context, "CPU:0", status);
    expect_ok();
    assert_null(TFE_TensorHandleCopyToDevice(handle, context, "GPU:0", status));
    expect_code(TF_INVALID_ARGUMENT, "GPU:0 unknown device");
    TF_Tensor *back = TFE_TensorHandleResolve(copy, status);
    expect_ok();
    assert_true(((float *)TF_TensorData(back))[1] == 4);
    TF_DeleteTensor(back);
    TFE_DeleteTensorHandle(copy);
    TFE_DeleteTensorHandle(handle);
    TFE_DeleteContext(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_texts_are_read_as_they_were_set),
        cmocka_unit_test(shapes_and_tensors_are_read_as_they_were_set),
        cmocka_unit_test(attributes_have_names_and_defaults),
        cmocka_unit_test(operations_stand_with_others),
        cmocka_unit_test(wrong_operations_are_refused),
        cmocka_unit_test(an_op_that_is_made_of_others_is_built_and_run),
        cmocka_unit_test(handles_of_tensors_share_their_memory),
    };
    return cmocka_run_group_tests(tests, make_status, delete_status);
}
