/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel may ask while it is made: attributes of every kind with their rules, the node,
 * constants; and one computation outside a session.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "kernel/kernel.h"

static oribi_arena arena;
static oribi_attrs attrs;
static oribi_arg_def arguments[2] = {{.name = "x"}, {.name = "values"}};
static oribi_op_def op = {.name = "Test>Op", .inputs = arguments, .n_inputs = 2};
static TF_DataType types[3] = {TF_FLOAT, TF_INT32, TF_INT32};
static int32_t starts[3] = {0, 1, 3};
static oribi_signature signature = {.n_inputs = 3,
                                    .n_outputs = 1,
                                    .input_types = types,
                                    .output_types = types,
                                    .input_arg_start = starts,
                                    .output_arg_start = starts};
static int64_t shape_dims[2] = {2, -1};
static const oribi_shape input_shapes[3] = {{2, shape_dims}, {-1, NULL}, {0, NULL}};
static const char *const names[3] = {"a", "b:1", "c"};
static const float constant_data[2] = {5, 6};
static const int64_t constant_dims[2] = {1, 2};
static int n_released;
static size_t bytes_read;

static bool constant_input(void *arg, int32_t input, oribi_constant_view *out_view)
{
    (void)arg;
    if (input != 0) {
        return false;
    }
    *out_view = (oribi_constant_view){TF_FLOAT, 2, constant_dims, NULL, constant_data};
    return true;
}

static TF_Tensor *dense_constant(void *arg, int32_t input, TF_Status *status)
{
    (void)arg;
    (void)input;
    (void)status;
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, constant_dims, 2, 8);
    memcpy(TF_TensorData(tensor), constant_data, 8);
    return tensor;
}

static void release_constant(void *arg, int32_t input)
{
    (void)arg;
    n_released += input == 0;
}

static void constant_read(void *arg, int32_t input, const void *from, size_t bytes)
{
    (void)arg;
    assert_int_equal(input, 0);
    assert_ptr_equal(from, constant_data + 1);
    bytes_read += bytes;
}

static oribi_node_view view = {.name = "node",
                               .op = &op,
                               .attrs = &attrs,
                               .signature = &signature,
                               .input_shapes = input_shapes,
                               .input_names = names,
                               .constant_input = constant_input,
                               .dense_constant = dense_constant,
                               .release_constant = release_constant,
                               .constant_read = constant_read};

static void add(uint8_t kind, bool is_list, int count, const char *name, const void *items)
{
    oribi_attr attr = {.name = name, .kind = kind, .is_list = is_list, .count = count};
    attr.u.i = items;
    assert_true(oribi_attrs_set(&attrs, &arena, &attr));
}

static int make_attrs(void **state)
{
    static const oribi_string strings[2] = {{"hello", 5}, {"you", 3}};
    static const int64_t ints[3] = {1, INT64_C(1) << 40, -3};
    static const float floats[2] = {0.5f, 2};
    static const uint8_t bools[2] = {1, 0};
    static const TF_DataType list[2] = {TF_HALF, TF_INT8};
    static int64_t dims[2] = {4, 5};
    static const oribi_shape shapes[3] = {{2, dims}, {-1, NULL}, {1, dims}};
    (void)state;
    add(TF_ATTR_STRING, false, 1, "s", strings);
    add(TF_ATTR_STRING, true, 2, "ss", strings);
    add(TF_ATTR_INT, false, 1, "i", ints);
    add(TF_ATTR_INT, false, 1, "big", ints + 1);
    add(TF_ATTR_INT, true, 3, "is", ints);
    add(TF_ATTR_INT, true, 0, "none", ints);
    add(TF_ATTR_FLOAT, false, 1, "f", floats);
    add(TF_ATTR_FLOAT, true, 2, "fs", floats);
    add(TF_ATTR_BOOL, false, 1, "b", bools);
    add(TF_ATTR_BOOL, true, 2, "bs", bools);
    add(TF_ATTR_TYPE, false, 1, "t", list);
    add(TF_ATTR_TYPE, true, 2, "ts", list);
    add(TF_ATTR_SHAPE, false, 1, "shape", shapes);
    add(TF_ATTR_SHAPE, false, 1, "unknown", shapes + 1);
    add(TF_ATTR_SHAPE, true, 3, "shapes", shapes);
    oribi_string funcs[2] = {{"\x0a\x05hello\x12\x07\x0a\x01n\x12\x02\x18\x07", 16}}; /* n: 7 */
    assert_true(oribi_func_make(&arena, &strings[1], &funcs[1]));
    assert_memory_equal(oribi_func_name(&funcs[0]).data, "hello", 5);
    add(TF_ATTR_FUNC, false, 1, "func", funcs);
    add(TF_ATTR_FUNC, true, 2, "funcs", funcs);
    return 0;
}

static int drop_attrs(void **state)
{
    (void)state;
    oribi_arena_destroy(&arena);
    return 0;
}

/* Runs `body` as the create function of a kernel. */
static void (*body)(TF_OpKernelConstruction *ctx);
static int n_destroyed;

static void *create(TF_OpKernelConstruction *ctx)
{
    body(ctx);
    return &n_destroyed;
}

static void add_two(void *kernel, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    (void)kernel;
    TF_GetInput(ctx, 0, &x, status);
    const int64_t dims[1] = {TF_TensorElementCount(x)};
    TF_Tensor *temp = TF_AllocateTemp(ctx, TF_FLOAT, dims, 1, NULL, status);
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 1, 0, status);
    for (int64_t i = 0; i < dims[0]; i++) {
        ((float *)TF_TensorData(z))[i] = ((float *)TF_TensorData(x))[i] + 2;
    }
    TF_InputRange_Args range = {.struct_size = TF_InputRange_Args_STRUCT_SIZE, .status = status};
    TF_InputRange(ctx, "values", &range);
    assert_int_equal(range.start, 1);
    assert_int_equal(range.stop, 3);
    TF_InputRange(ctx, "nobody", &range);
    assert_int_equal(range.start, -1);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_string_equal(TF_GetOpKernelName(ctx).data, "node");
    assert_string_equal(TF_GetOpKernelRequestedInput(ctx, 1).data, "b:1");
    assert_int_equal(TF_GetOpKernelRequestedInput(ctx, 9).len, 0);
    assert_string_equal(TF_GetDeviceName(ctx).data, "/job:localhost/replica:0/task:0/device:CPU:0");
    assert_null(TF_GetStream(ctx, status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    TF_Buffer *buffer = TF_NewBuffer();
    TF_GetSerializedConfigProto(ctx, buffer, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_GetSerializedConfigProto(ctx, buffer, status);
    assert_true(buffer->data == NULL || TF_GetCode(status) == TF_INVALID_ARGUMENT);
    assert_null(TF_GetRendezvous(ctx).rendezvous);
    TF_DeleteBuffer(buffer);
    TF_DeleteTensor(x);
    TF_DeleteTensor(temp);
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static void destroy(void *kernel)
{
    ++*(int *)kernel;
}

static const oribi_kernel_def def = {.op_name = "Test>Op",
                                     .device_type = "CPU",
                                     .label = "",
                                     .kernel_name = "k",
                                     .provider = "test",
                                     .create = create,
                                     .compute = add_two,
                                     .destroy = destroy};

static bool make(void (*what)(TF_OpKernelConstruction *ctx), oribi_kernel *out, TF_Status *status)
{
    body = what;
    return oribi_kernel_create(&def, &view, out, status);
}

static void with(void (*what)(TF_OpKernelConstruction *ctx))
{
    oribi_kernel kernel = {0};
    TF_Status *status = TF_NewStatus();
    assert_true(make(what, &kernel, status));
    oribi_kernel_destroy(&kernel);
    TF_DeleteStatus(status);
}

static int n_filled;
static const uint8_t *packed_bytes;

static void fill_with_five(void *arg, void *to)
{
    n_filled++;
    memset(to, 5, *(const size_t *)arg);
}

static void ask_packed(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    size_t bytes = 100;
    TF_PackedConstant wanted = {.struct_size = TF_PACKED_CONSTANT_STRUCT_SIZE,
                                .inputs = 2,
                                .layout = "fives.1",
                                .bytes = bytes,
                                .fill = fill_with_five,
                                .arg = &bytes};
    packed_bytes = TF_OpKernelConstruction_PackedConstant(ctx, &wanted, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal((uintptr_t)packed_bytes % 64, 0);
    assert_int_equal(packed_bytes[99], 5);
    wanted.layout = NULL;
    assert_null(TF_OpKernelConstruction_PackedConstant(ctx, &wanted, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(TF_OpKernelConstruction_PackedConstant(ctx, NULL, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_DeleteStatus(status);
}

static void ask_packed_and_fail(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    ask_packed(ctx);
    TF_SetStatus(status, TF_INTERNAL, "planted");
    TF_OpKernelConstruction_Failure(ctx, status);
    TF_DeleteStatus(status);
}

static void packed_constants_live_as_long_as_their_kernel(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_kernel kernel = {0};
    (void)state;
    n_filled = 0;
    const int64_t before = oribi_alloc_live();

    assert_true(make(ask_packed, &kernel, status));
    assert_int_equal(n_filled, 1);
    assert_int_equal(packed_bytes[0], 5);
    oribi_kernel_destroy(&kernel);
    assert_false(make(ask_packed_and_fail, &kernel, status));

    assert_int_equal(n_filled, 2);
    assert_int_equal(oribi_alloc_live(), before);
    TF_DeleteStatus(status);
}

static void ask_sizes(TF_OpKernelConstruction *ctx)
{
    static const struct {
        const char *name;
        int32_t list, total;
    } cases[] = {{"s", -1, 5},    {"i", -1, -1},    {"f", -1, -1},    {"b", -1, -1},
                 {"t", -1, -1},   {"shape", -1, 2}, {"func", -1, -1}, {"unknown", -1, -1},
                 {"ss", 2, 8},    {"shapes", 3, 3}, {"is", 3, -1},    {"fs", 2, -1},
                 {"none", 0, -1}, {"funcs", 0, -1}};
    TF_Status *status = TF_NewStatus();
    int32_t list = 7;
    int32_t total = 7;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TF_OpKernelConstruction_GetAttrSize(ctx, cases[i].name, &list, &total, status);
        assert_int_equal(TF_GetCode(status), TF_OK);
        assert_int_equal(list, cases[i].list);
        assert_int_equal(total, cases[i].total);
    }
    TF_OpKernelConstruction_GetAttrSize(ctx, "nope", &list, &total, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_string_equal(TF_Message(status), "Operation 'node' has no attr named 'nope'.");
    assert_int_equal(list, -1);
    assert_int_equal(total, -1);
    TF_DeleteStatus(status);
}

static void sizes_are_those_of_the_table(void **state)
{
    (void)state;
    with(ask_sizes);
}

static void ask_singles(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    int32_t i32 = 9;
    int64_t i64 = 9;
    float f = 9;
    TF_Bool b = 9;
    TF_DataType t = TF_DOUBLE;
    char text[8] = "zzzzzzz";
    TF_OpKernelConstruction_GetAttrInt32(ctx, "i", &i32, status);
    assert_int_equal(i32, 1);
    TF_OpKernelConstruction_GetAttrInt32(ctx, "big", &i32, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_int_equal(i32, 1);
    TF_OpKernelConstruction_GetAttrInt64(ctx, "big", &i64, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_true(i64 == INT64_C(1) << 40);
    TF_OpKernelConstruction_GetAttrFloat(ctx, "f", &f, status);
    assert_true(f == 0.5f);
    TF_OpKernelConstruction_GetAttrBool(ctx, "b", &b, status);
    assert_int_equal(b, 1);
    TF_OpKernelConstruction_GetAttrType(ctx, "t", &t, status);
    assert_int_equal(t, TF_HALF);
    TF_OpKernelConstruction_GetAttrString(ctx, "s", text, 3, status);
    assert_string_equal(text, "helzzzz");
    TF_OpKernelConstruction_GetAttrString(ctx, "s", text, 0, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_OpKernelConstruction_GetAttrInt64(ctx, "nope", &i64, status);
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    TF_OpKernelConstruction_GetAttrInt64(ctx, "f", &i64, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_OpKernelConstruction_GetAttrInt64(ctx, "is", &i64, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_true(i64 == INT64_C(1) << 40);
    assert_true(TF_OpKernelConstruction_HasAttr(ctx, "i", status));
    assert_false(TF_OpKernelConstruction_HasAttr(ctx, "nope", status));
    TF_DeleteStatus(status);
}

static void single_values_follow_their_rules(void **state)
{
    (void)state;
    with(ask_singles);
}

static void ask_lists(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    int32_t i32[3] = {9, 9, 9};
    int64_t i64[3] = {9, 9, 9};
    TF_DataType t[2];
    float f[2];
    TF_Bool b[2] = {9, 9};
    char storage[8];
    char *values[2];
    size_t lengths[2];
    TF_OpKernelConstruction_GetAttrInt32List(ctx, "is", i32, 2, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(i32[0], 1);
    assert_int_equal(i32[1], 0); /* 2 to the 40th, cut */
    assert_int_equal(i32[2], 9);
    TF_OpKernelConstruction_GetAttrInt64List(ctx, "is", i64, 5, status);
    assert_int_equal(i64[2], -3);
    TF_OpKernelConstruction_GetAttrTypeList(ctx, "ts", t, 2, status);
    assert_int_equal(t[1], TF_INT8);
    TF_OpKernelConstruction_GetAttrFloatList(ctx, "fs", f, 2, status);
    assert_true(f[1] == 2);
    TF_OpKernelConstruction_GetAttrBoolList(ctx, "bs", b, 2, status);
    assert_int_equal(b[1], 0);
    TF_OpKernelConstruction_GetAttrStringList(ctx, "ss", values, lengths, 2, storage, 8, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_memory_equal(values[1], "you", 3);
    assert_int_equal(lengths[0], 5);
    TF_OpKernelConstruction_GetAttrStringList(ctx, "ss", values, lengths, 2, storage, 7, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_memory_equal(values[0], "hello", 5);
    TF_OpKernelConstruction_GetAttrInt64List(ctx, "nope", i64, 3, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_OpKernelConstruction_GetAttrInt64List(ctx, "i", i64, 3, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_OpKernelConstruction_GetAttrInt64List(ctx, "fs", i64, 3, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_OpKernelConstruction_GetAttrFloatList(ctx, "none", f, 2, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
}

static void lists_are_cut_and_checked(void **state)
{
    (void)state;
    with(ask_lists);
}

static void ask_node(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *node = TF_OpKernelConstruction_GetNodeDef(ctx, status);
    static const char head[] = "\x0a\x04node\x12\x07Test>Op\x1a\x01"
                               "a\x1a\x03"
                               "b:1\x1a\x01"
                               "c";
    static const char int_attr[] = "\x2a\x07\x0a\x01i\x12\x02\x18\x01";
    assert_non_null(node);
    assert_memory_equal(node->data, head, sizeof head - 1);
    assert_non_null(memmem(node->data, node->length, int_attr, sizeof int_attr - 1));
    TF_DeleteBuffer(node);
    node = TF_OpKernelConstruction_GetAttrFunction(ctx, "func", status);
    assert_int_equal(node->length, 16); /* its attributes, too */
    assert_memory_equal(node->data, "\x0a\x05hello\x12\x07\x0a\x01n\x12\x02\x18\x07", 16);
    TF_DeleteBuffer(node);
    assert_null(TF_OpKernelConstruction_GetAttrFunction(ctx, "i", status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_string_equal(TF_OpKernelConstruction_GetName(ctx).data, "node");
    TF_DeleteStatus(status);
}

static void the_node_is_told_as_a_message(void **state)
{
    (void)state;
    with(ask_node);
}

static void ask_inputs(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *tensor = NULL;
    int64_t dims[1] = {9};
    TF_ConstantView constant = {.struct_size = TF_CONSTANT_VIEW_STRUCT_SIZE};
    assert_int_equal(TF_OpKernelConstruction_NumInputs(ctx), 3);
    assert_int_equal(TF_OpKernelConstruction_NumOutputs(ctx), 1);
    assert_int_equal(TF_OpKernelConstruction_InputType(ctx, 1), TF_INT32);
    assert_int_equal(TF_OpKernelConstruction_InputType(ctx, 3), 0);
    assert_int_equal(TF_OpKernelConstruction_OutputType(ctx, 0), TF_FLOAT);
    assert_int_equal(TF_OpKernelConstruction_OutputType(ctx, -1), 0);
    assert_int_equal(TF_OpKernelConstruction_InputShape(ctx, 0, dims, 1), 2);
    assert_int_equal(dims[0], 2);
    assert_int_equal(TF_OpKernelConstruction_InputShape(ctx, 1, dims, 1), -1);
    assert_int_equal(TF_OpKernelConstruction_InputShape(ctx, 7, dims, 1), -1);
    assert_true(TF_OpKernelConstruction_ConstantView(ctx, 0, &constant));
    assert_int_equal(constant.rank, 2);
    assert_int_equal(constant.strides[0], 8);
    assert_int_equal(constant.strides[1], 4);
    assert_ptr_equal(constant.data, constant_data);
    assert_false(TF_OpKernelConstruction_ConstantView(ctx, 1, &constant));
    constant.struct_size = 4;
    assert_false(TF_OpKernelConstruction_ConstantView(ctx, 0, &constant));
    TF_OpKernelConstruction_ConstantInput(ctx, 0, &tensor, status);
    assert_true(((float *)TF_TensorData(tensor))[1] == 6);
    TF_DeleteTensor(tensor);
    TF_OpKernelConstruction_ConstantInput(ctx, 1, &tensor, status);
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    assert_null(tensor);
    TF_OpKernelConstruction_ConstantInput(ctx, 5, &tensor, status);
    assert_int_equal(TF_GetCode(status), TF_OUT_OF_RANGE);
    TF_OpKernelConstruction_ConstantRead(ctx, 0, constant_data + 1, 4);
    TF_OpKernelConstruction_ConstantRead(ctx, 8, constant_data + 1, 4);
    TF_OpKernelConstruction_ConstantRead(ctx, -1, constant_data + 1, 4);
    assert_int_equal(bytes_read, 4);
    TF_OpKernelConstruction_ReleaseConstant(ctx, 0);
    TF_OpKernelConstruction_ReleaseConstant(ctx, 8);
    assert_int_equal(n_released, 1);
    TF_DeleteStatus(status);
}

static void types_shapes_and_constants_of_inputs_are_told(void **state)
{
    (void)state;
    with(ask_inputs);
}

static void fail_twice(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_OpKernelConstruction_Failure(ctx, status); /* OK has no effect */
    TF_SetStatus(status, TF_ABORTED, "first");
    TF_OpKernelConstruction_Failure(ctx, status);
    TF_SetStatus(status, TF_INTERNAL, "second");
    TF_OpKernelConstruction_Failure(ctx, status);
    TF_DeleteStatus(status);
}

static void a_failed_creation_still_destroys_and_names_the_node(void **state)
{
    (void)state;
    oribi_kernel kernel = {0};
    TF_Status *status = TF_NewStatus();
    n_destroyed = 0;

    assert_false(make(fail_twice, &kernel, status));

    assert_int_equal(TF_GetCode(status), TF_ABORTED);
    assert_string_equal(TF_Message(status), "node 'node' (op Test>Op): kernel 'k' of test could "
                                            "not be made: first");
    assert_int_equal(n_destroyed, 1);
    TF_DeleteStatus(status);
}

static void nothing(TF_OpKernelConstruction *ctx)
{
    (void)ctx;
}

static void one_computation_gives_tensors_of_its_own(void **state)
{
    (void)state;
    oribi_kernel kernel = {0};
    TF_Status *status = TF_NewStatus();
    assert_true(make(nothing, &kernel, status));
    TF_Tensor *x = dense_constant(NULL, 0, status);
    TF_Tensor *const inputs[3] = {x, NULL, x};
    TF_Tensor *z = NULL;

    assert_true(oribi_kernel_run_once(&kernel, inputs, &z, NULL, status));

    TF_DeleteTensor(x);
    assert_int_equal(TF_NumDims(z), 1);
    assert_true(((float *)TF_TensorData(z))[0] == 7);
    assert_true(((float *)TF_TensorData(z))[1] == 8);
    TF_DeleteTensor(z);
    oribi_kernel_destroy(&kernel);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_table),
        cmocka_unit_test(packed_constants_live_as_long_as_their_kernel),
        cmocka_unit_test(single_values_follow_their_rules),
        cmocka_unit_test(lists_are_cut_and_checked),
        cmocka_unit_test(the_node_is_told_as_a_message),
        cmocka_unit_test(types_shapes_and_constants_of_inputs_are_told),
        cmocka_unit_test(a_failed_creation_still_destroys_and_names_the_node),
        cmocka_unit_test(one_computation_gives_tensors_of_its_own),
    };
    return cmocka_run_group_tests(tests, make_attrs, drop_attrs);
}
