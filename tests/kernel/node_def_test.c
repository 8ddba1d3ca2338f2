/* SPDX-License-Identifier: Apache-2.0 */
/* The node as the message that a kernel gets, against the bytes that TensorFlow's own protobuf
 * wrote for the same node; attributes of tensors and shapes. Other attributes: construction_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "tensorflow/c/kernels_experimental.h"

/* The device stands between inputs and attributes (field 4). */
static const char place[] = "\x22\x2c/job:localhost/replica:0/task:0/device:CPU:0";

/* NodeDef.SerializeToString(deterministic=True) of TensorFlow 2.16.1, of a node without a device.
 */
static const char golden[] =
    "\x0a\x04\x6e\x6f\x64\x65\x12\x08\x54\x65\x73\x74\x3e\x41\x6c\x6c\x1a\x01\x61\x1a"
    "\x03\x62\x3a\x31\x2a\x0c\x0a\x02\x62\x73\x12\x06\x0a\x04\x2a\x02\x01\x00\x2a\x07"
    "\x0a\x01\x62\x12\x02\x28\x01\x2a\x12\x0a\x02\x66\x73\x12\x0c\x0a\x0a\x22\x08\x00"
    "\x00\x00\x3f\x00\x00\x00\xc0\x2a\x17\x0a\x05\x66\x75\x6e\x63\x73\x12\x0e\x0a\x0c"
    "\x4a\x04\x0a\x02\x66\x61\x4a\x04\x0a\x02\x66\x62\x2a\x0e\x0a\x04\x66\x75\x6e\x63"
    "\x12\x06\x52\x04\x0a\x02\x66\x6e\x2a\x0a\x0a\x01\x66\x12\x05\x25\x00\x00\x00\x3f"
    "\x2a\x1b\x0a\x02\x69\x73\x12\x15\x0a\x13\x1a\x11\x01\x80\x80\x80\x80\x80\x20\xfd"
    "\xff\xff\xff\xff\xff\xff\xff\xff\x01\x2a\x10\x0a\x01\x69\x12\x0b\x18\xfd\xff\xff"
    "\xff\xff\xff\xff\xff\xff\x01\x2a\x0a\x0a\x04\x6e\x6f\x6e\x65\x12\x02\x0a\x00\x2a"
    "\x08\x0a\x02\x73\x63\x12\x02\x3a\x00\x2a\x13\x0a\x03\x73\x68\x73\x12\x0c\x0a\x0a"
    "\x3a\x04\x12\x02\x08\x05\x3a\x02\x18\x01\x2a\x19\x0a\x02\x73\x68\x12\x13\x3a\x11"
    "\x12\x02\x08\x04\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x2a\x16\x0a"
    "\x02\x73\x73\x12\x10\x0a\x0e\x12\x05\x68\x65\x6c\x6c\x6f\x12\x00\x12\x03\x79\x6f"
    "\x75\x2a\x0d\x0a\x01\x73\x12\x08\x12\x06\x68\x65\x00\x6c\x6c\x6f\x2a\x29\x0a\x03"
    "\x74\x65\x73\x12\x22\x0a\x20\x42\x0a\x08\x03\x12\x00\x22\x04\x07\x00\x00\x00\x42"
    "\x12\x08\x01\x12\x04\x12\x02\x08\x02\x22\x08\x00\x00\xa0\x40\x00\x00\xc0\x40\x2a"
    "\x1a\x0a\x02\x74\x65\x12\x14\x42\x12\x08\x01\x12\x04\x12\x02\x08\x02\x22\x08\x00"
    "\x00\xa0\x40\x00\x00\xc0\x40\x2a\x0c\x0a\x02\x74\x73\x12\x06\x0a\x04\x32\x02\x13"
    "\x06\x2a\x07\x0a\x01\x74\x12\x02\x30\x13";

static oribi_arena arena;
static oribi_attrs attrs;
static oribi_op_def op = {.name = "Test>All"};
static TF_DataType types[2] = {TF_FLOAT, TF_FLOAT};
static oribi_signature signature = {.n_inputs = 2, .input_types = types};
static const char *const names[2] = {"a", "b:1"};
static const oribi_node_view view = {
    .name = "node", .op = &op, .attrs = &attrs, .signature = &signature, .input_names = names};
static TF_Tensor *tensors[2];

static void add(uint8_t kind, bool is_list, int count, const char *name, const void *items)
{
    oribi_attr attr = {.name = name, .kind = kind, .is_list = is_list, .count = count};
    attr.u.i = items;
    assert_true(oribi_attrs_set(&attrs, &arena, &attr));
}

static void make_tensors(void)
{
    const int64_t two[1] = {2};
    const float floats[2] = {5, 6};
    tensors[0] = TF_AllocateTensor(TF_INT32, NULL, 0, 4);
    *(int32_t *)TF_TensorData(tensors[0]) = 7;
    tensors[1] = TF_AllocateTensor(TF_FLOAT, two, 1, 8);
    memcpy(TF_TensorData(tensors[1]), floats, 8);
}

/* In the order of the golden bytes. */
static int make_attrs(void **state)
{
    static const oribi_string strings[3] = {{"hello", 5}, {"", 0}, {"you", 3}};
    static const oribi_string with_zero = {"he\0llo", 6};
    /* NameAttrLists of a name alone. */
    static const oribi_string functions[3] = {{"\n\002fa", 4}, {"\n\002fb", 4}, {"\n\002fn", 4}};
    static const int64_t ints[4] = {1, INT64_C(1) << 40, -3, -3};
    static const float floats[3] = {0.5f, -2, 0.5f};
    static const uint8_t bools[3] = {1, 0, 1};
    static const TF_DataType list[2] = {TF_HALF, TF_INT8};
    static int64_t dims[3] = {4, -1, 5};
    static const oribi_shape shapes[4] = {{1, dims + 2}, {-1, NULL}, {2, dims}, {0, NULL}};
    (void)state;
    make_tensors();
    add(TF_ATTR_BOOL, true, 2, "bs", bools);
    add(TF_ATTR_BOOL, false, 1, "b", bools + 2);
    add(TF_ATTR_FLOAT, true, 2, "fs", floats);
    add(TF_ATTR_FUNC, true, 2, "funcs", functions);
    add(TF_ATTR_FUNC, false, 1, "func", functions + 2);
    add(TF_ATTR_FLOAT, false, 1, "f", floats + 2);
    add(TF_ATTR_INT, true, 3, "is", ints);
    add(TF_ATTR_INT, false, 1, "i", ints + 3);
    add(TF_ATTR_INT, true, 0, "none", ints);
    add(TF_ATTR_SHAPE, false, 1, "sc", shapes + 3);
    add(TF_ATTR_SHAPE, true, 2, "shs", shapes);
    add(TF_ATTR_SHAPE, false, 1, "sh", shapes + 2);
    add(TF_ATTR_STRING, true, 3, "ss", strings);
    add(TF_ATTR_STRING, false, 1, "s", &with_zero);
    add(TF_ATTR_TENSOR, true, 2, "tes", tensors);
    add(TF_ATTR_TENSOR, false, 1, "te", tensors + 1);
    add(TF_ATTR_TYPE, true, 2, "ts", list);
    add(TF_ATTR_TYPE, false, 1, "t", list);
    return 0;
}

static int drop_attrs(void **state)
{
    (void)state;
    TF_DeleteTensor(tensors[0]);
    TF_DeleteTensor(tensors[1]);
    oribi_arena_destroy(&arena);
    return 0;
}

/* Runs `body` as the create function of a kernel. */
static void (*body)(TF_OpKernelConstruction *ctx, TF_Status *status);

static void *create(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    body(ctx, status);
    TF_DeleteStatus(status);
    return NULL;
}

static void with(void (*what)(TF_OpKernelConstruction *ctx, TF_Status *status))
{
    static const oribi_kernel_def def = {
        .op_name = "Test>All", .label = "", .kernel_name = "k", .create = create};
    oribi_kernel kernel = {0};
    TF_Status *status = TF_NewStatus();
    body = what;
    assert_true(oribi_kernel_create(&def, &view, &kernel, status));
    oribi_kernel_destroy(&kernel);
    TF_DeleteStatus(status);
}

static void ask_node(TF_OpKernelConstruction *ctx, TF_Status *status)
{
    TF_Buffer *node = TF_OpKernelConstruction_GetNodeDef(ctx, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    const char *at = memmem(node->data, node->length, place, sizeof place - 1);
    assert_non_null(at);
    const size_t before = (size_t)(at - (const char *)node->data);
    assert_int_equal(node->length, sizeof golden - 1 + sizeof place - 1);
    assert_memory_equal(node->data, golden, before);
    assert_memory_equal(at + sizeof place - 1, golden + before, sizeof golden - 1 - before);
    TF_DeleteBuffer(node);
}

static void the_node_has_the_bytes_that_tensorflow_writes(void **state)
{
    (void)state;
    with(ask_node);
}

static void ask_tensors(TF_OpKernelConstruction *ctx, TF_Status *status)
{
    TF_Tensor *one = NULL;
    TF_Tensor *list[3] = {NULL, NULL, NULL};
    TF_OpKernelConstruction_GetAttrTensor(ctx, "te", &one, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_true(((float *)TF_TensorData(one))[1] == 6);
    TF_DeleteTensor(one);
    TF_OpKernelConstruction_GetAttrTensor(ctx, "tes", &one, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(one);
    TF_OpKernelConstruction_GetAttrTensor(ctx, "nope", &one, status);
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);

    TF_OpKernelConstruction_GetAttrTensorList(ctx, "tes", list, 1, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_null(list[1]); /* not more than asked for */
    assert_int_equal(*(int32_t *)TF_TensorData(list[0]), 7);
    TF_DeleteTensor(list[0]);
    TF_OpKernelConstruction_GetAttrTensorList(ctx, "tes", list, 3, status);
    assert_int_equal(TF_TensorType(list[1]), TF_FLOAT);
    assert_null(list[2]);
    TF_DeleteTensor(list[0]);
    TF_DeleteTensor(list[1]);
    TF_OpKernelConstruction_GetAttrTensorList(ctx, "is", list, 3, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_OpKernelConstruction_GetAttrTensorList(ctx, "nope", list, 3, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
}

static void tensors_are_shared_and_lists_cut(void **state)
{
    (void)state;
    with(ask_tensors);
}

static void ask_shapes(TF_OpKernelConstruction *ctx, TF_Status *status)
{
    static int64_t full[2] = {8, 9};
    static const oribi_shape shape = {2, full};
    int64_t dims[2] = {7, 7};
    add(TF_ATTR_SHAPE, false, 1, "full", &shape);
    TF_OpKernelConstruction_GetAttrTensorShape(ctx, "full", dims, 1, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_string_equal(TF_Message(status), "Expected rank is 1 but actual rank is 2");
    TF_OpKernelConstruction_GetAttrTensorShape(ctx, "sh", dims, 2, status); /* an unknown dim */
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_OpKernelConstruction_GetAttrTensorShape(ctx, "i", dims, 2, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_int_equal(dims[0], 7);
    TF_OpKernelConstruction_GetAttrTensorShape(ctx, "sc", dims, 0, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_OpKernelConstruction_GetAttrTensorShape(ctx, "full", dims, 2, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(dims[0], 8);
    assert_int_equal(dims[1], 9);
}

static void a_shape_must_be_known_and_of_the_rank_asked_for(void **state)
{
    (void)state;
    with(ask_shapes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_node_has_the_bytes_that_tensorflow_writes),
        cmocka_unit_test(tensors_are_shared_and_lists_cut),
        cmocka_unit_test(a_shape_must_be_known_and_of_the_rank_asked_for),
    };
    return cmocka_run_group_tests(tests, make_attrs, drop_attrs);
}
