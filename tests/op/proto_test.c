/* SPDX-License-Identifier: Apache-2.0 */
/* Op definitions and lists as protobuf, against bytes that TensorFlow's own protobuf classes wrote.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "op/op_proto.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"

/* OpDef{name: "Probe" ...} of the definition below, serialised by TensorFlow 2.16.2. */
static const char golden[] =
    "\x0a\x05\x50\x72\x6f\x62\x65\x12\x09\x0a\x01\x78\x22\x01\x54\x2a\x01\x4e\x12\x05"
    "\x0a\x01\x73\x18\x07\x1a\x06\x0a\x01\x79\x32\x01\x4c\x1a\x08\x0a\x01\x72\x18\x01"
    "\x80\x01\x01\x22\x11\x0a\x01\x54\x12\x04\x74\x79\x70\x65\x3a\x06\x0a\x04\x32\x02"
    "\x01\x02\x22\x0c\x0a\x01\x4e\x12\x03\x69\x6e\x74\x28\x01\x30\x01\x22\x15\x0a\x01"
    "\x4c\x12\x0a\x6c\x69\x73\x74\x28\x74\x79\x70\x65\x29\x1a\x02\x0a\x00\x28\x01\x22"
    "\x1f\x0a\x01\x69\x12\x09\x6c\x69\x73\x74\x28\x69\x6e\x74\x29\x1a\x0f\x0a\x0d\x1a"
    "\x0b\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x22\x11\x0a\x01\x66\x12\x05\x66"
    "\x6c\x6f\x61\x74\x1a\x05\x25\x00\x00\x00\x3f\x22\x24\x0a\x01\x6d\x12\x06\x73\x74"
    "\x72\x69\x6e\x67\x1a\x06\x12\x04\x53\x41\x4d\x45\x3a\x0f\x0a\x0d\x12\x04\x53\x41"
    "\x4d\x45\x12\x05\x56\x41\x4c\x49\x44\x22\x20\x0a\x02\x73\x68\x12\x05\x73\x68\x61"
    "\x70\x65\x1a\x13\x3a\x11\x12\x02\x08\x03\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff"
    "\xff\xff\x01\x22\x10\x0a\x01\x75\x12\x05\x73\x68\x61\x70\x65\x1a\x04\x3a\x02\x18"
    "\x01\x22\x0d\x0a\x01\x62\x12\x04\x62\x6f\x6f\x6c\x1a\x02\x28\x00\x88\x01\x01\x90"
    "\x01\x01";

static void register_probe(TF_Status *status)
{
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Probe");

    TF_OpDefinitionBuilderAddInput(op, "x: N * T");
    TF_OpDefinitionBuilderAddInput(op, "s: string");
    TF_OpDefinitionBuilderAddOutput(op, "y: L");
    TF_OpDefinitionBuilderAddOutput(op, "r: Ref(float)");
    TF_OpDefinitionBuilderAddAttr(op, "T: {float, double}");
    TF_OpDefinitionBuilderAddAttr(op, "N: int");
    TF_OpDefinitionBuilderAddAttr(op, "L: list(type) >= 0 = []");
    TF_OpDefinitionBuilderAddAttr(op, "i: list(int) = [1, -2]");
    TF_OpDefinitionBuilderAddAttr(op, "f: float = 0.5");
    TF_OpDefinitionBuilderAddAttr(op, "m: {'SAME', 'VALID'} = 'SAME'");
    TF_OpDefinitionBuilderAddAttr(op, "sh: shape = { dim { size: 3 } dim { size: -1 } }");
    TF_OpDefinitionBuilderAddAttr(op, "u: shape = { unknown_rank: true }");
    TF_OpDefinitionBuilderAddAttr(op, "b: bool = false");
    TF_OpDefinitionBuilderSetIsStateful(op, true);
    TF_OpDefinitionBuilderSetIsCommutative(op, true);
    TF_RegisterOpDefinition(op, status);
}

static void definition_has_the_bytes_that_tensorflow_writes(void **state)
{
    oribi_text text = {0};
    (void)state;

    oribi_proto_op_def(&text, oribi_op_find("Probe"));

    assert_int_equal(text.length, sizeof golden - 1);
    assert_memory_equal(text.data, golden, text.length);
    oribi_text_destroy(&text);
}

static void list_of_all_ops_holds_the_definition_as_its_field_1(void **state)
{
    TF_Buffer *list = TF_GetAllOpList();
    (void)state;

    assert_non_null(list);
    assert_non_null(memmem(list->data, list->length, golden, sizeof golden - 1));
    assert_int_equal(*(const char *)list->data, 1 << 3 | 2);
    TF_DeleteBuffer(list);
}

static void internal_ops_are_listed_too(void **state)
{
    TF_Buffer *list = TF_GetAllOpList();
    (void)state;
    assert_non_null(memmem(list->data, list->length, "\x0a\x0c_FusedConv2D", 14));
    TF_DeleteBuffer(list);
}

static const struct {
    const char *input, *output;
    int is_stateful;
} RESOURCES[] = {{"r: resource", "y: float", 1},
                 {"n: N * resource", "y: float", 1},
                 {"x: float", "r: resource", 1},
                 {"x: float", "y: variant", 0},
                 {"x: T", "y: T", 0}};

static void an_op_with_a_resource_is_stateful(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof RESOURCES / sizeof RESOURCES[0]; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "Resource%d", (int)i);
        TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
        if (i == 1) {
            TF_OpDefinitionBuilderAddAttr(op, "N: int");
        }
        if (i == 4) {
            TF_OpDefinitionBuilderAddAttr(op, "T: {resource, float}");
        }
        TF_OpDefinitionBuilderAddInput(op, RESOURCES[i].input);
        TF_OpDefinitionBuilderAddOutput(op, RESOURCES[i].output);
        TF_RegisterOpDefinition(op, status);
        assert_int_equal(TF_GetCode(status), TF_OK);
        assert_int_equal(TF_OpIsStateful(name, status), RESOURCES[i].is_stateful);
    }
    TF_DeleteStatus(status);
}

/* TensorProto: dtype 1, shape 2 { dim 2 { size 1 } }, tensor_content 4, values 5 .. 17. */
static void expect_tensor(const char *proto, size_t length, TF_DataType type, int rank,
                          const void *data, size_t bytes)
{
    TF_Status *status = TF_NewStatus();
    const int64_t one[1] = {1};
    TF_Buffer *buffer = TF_NewBufferFromString(proto, length);
    TF_Tensor *tensor = TF_AllocateTensor(TF_INT8, one, 1, 1);
    TF_TensorFromProto(buffer, tensor, status);
    if (data == NULL) {
        assert_int_not_equal(TF_GetCode(status), TF_OK);
        assert_non_null(strstr(TF_Message(status), "TF_TensorFromProto"));
        assert_int_equal(TF_TensorType(tensor), TF_INT8); /* untouched */
    } else {
        assert_int_equal(TF_GetCode(status), TF_OK);
        assert_int_equal(TF_TensorType(tensor), type);
        assert_int_equal(TF_NumDims(tensor), rank);
        assert_int_equal(TF_TensorByteSize(tensor), bytes);
        assert_memory_equal(TF_TensorData(tensor), data, bytes);
    }
    TF_DeleteTensor(tensor);
    TF_DeleteBuffer(buffer);
    TF_DeleteStatus(status);
}

#define EXPECT_TENSOR(proto, type, rank, data)                                                     \
    expect_tensor(proto, sizeof proto - 1, type, rank, data, sizeof data)
#define SHAPE_2 "\x12\x04\x12\x02\x08\x02"

static void a_tensor_is_read_from_its_message(void **state)
{
    (void)state;
    EXPECT_TENSOR("\x08\x01" SHAPE_2 "\x22\x08\0\0\x80\x3f\0\0\0\x40", TF_FLOAT, 1,
                  ((const float[]){1, 2}));
    EXPECT_TENSOR("\x08\x01" SHAPE_2 "\x2a\x04\0\0\x80\x3f", TF_FLOAT, 1,
                  ((const float[]){1, 1})); /* the last repeats */
    EXPECT_TENSOR("\x08\x03" SHAPE_2, TF_INT32, 1, ((const int32_t[]){0, 0}));
    EXPECT_TENSOR("\x08\x09\x12\0\x50\x05", TF_INT64, 0, ((const int64_t[]){5}));
    EXPECT_TENSOR("\x08\x0a" SHAPE_2 "\x5a\x02\x01\0", TF_BOOL, 1, ((const bool[]){true, false}));
    EXPECT_TENSOR("\x08\x08" SHAPE_2 "\x4a\x08\0\0\x80\x3f\0\0\0\x40", TF_COMPLEX64, 1,
                  ((const float[]){1, 2, 1, 2}));
    expect_tensor("\x08\x08" SHAPE_2 "\x4a\x04\0\0\x80\x3f", 14, TF_COMPLEX64, 1, NULL, 0);
    expect_tensor("\x08\x01" SHAPE_2 "\x22\x04\0\0\x80\x3f", 14, TF_FLOAT, 1, NULL, 0);
    expect_tensor("\x08\x14\x12\0", 4, TF_RESOURCE, 0, NULL, 0);
    expect_tensor("\x08\x01\x12\x09", 4, TF_FLOAT, 0, NULL, 0);         /* cut short */
    expect_tensor("\x08\x01\x12\x02\x18\x01", 6, TF_FLOAT, 0, NULL, 0); /* rank unknown */
}

static void strings_are_read_from_their_message(void **state)
{
    (void)state;
    static const char proto[] = "\x08\x07" SHAPE_2 "\x42\x02hi";
    TF_Status *status = TF_NewStatus();
    TF_Buffer *buffer = TF_NewBufferFromString(proto, sizeof proto - 1);
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4);
    TF_TensorFromProto(buffer, tensor, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(TF_TensorElementCount(tensor), 2);
    const TF_TString *text = TF_TensorData(tensor);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(TF_StringGetSize(&text[i]), 2);
        assert_memory_equal(TF_StringGetDataPointer(&text[i]), "hi", 2);
    }
    TF_DeleteTensor(tensor);
    TF_DeleteBuffer(buffer);
    TF_DeleteStatus(status);
}

static void an_op_tells_whether_it_keeps_state(void **state)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Stateless");
    (void)state;

    TF_OpDefinitionBuilderSetIsStateful(op, false); /* the argument counts */
    TF_RegisterOpDefinition(op, status);
    assert_int_equal(TF_OpIsStateful("Probe", status), 1);
    assert_int_equal(TF_OpIsStateful("Stateless", status), 0);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(TF_OpIsStateful("Nobody", status), 0);
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    TF_DeleteStatus(status);
}

static void the_version_has_three_numbers(void **state)
{
    int major = -1, minor = -1, patch = -1;
    (void)state;

    assert_int_equal(sscanf(TF_Version(), "%d.%d.%d", &major, &minor, &patch), 3);
    assert_true(major >= 0 && minor >= 0 && patch >= 0);
}

static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    (void)ctx;
}

static void kernels_of_an_op_are_listed_and_an_unknown_op_has_none(void **state)
{
    TF_Status *status = TF_NewStatus();
    TF_KernelBuilder *builder = TF_NewKernelBuilder("Probe", "CPU", NULL, compute, NULL);
    (void)state;

    TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
    TF_KernelBuilder_HostMemory(builder, "s");
    TF_KernelBuilder_Priority(builder, 3);
    TF_KernelBuilder_Label(builder, "fast");
    TF_RegisterKernelBuilder("ProbeKernel", builder, status);
    assert_int_equal(TF_GetCode(status), TF_OK);

    TF_Buffer *list = TF_GetRegisteredKernelsForOp("Probe", status);
    static const char def[] = "\x0a\x05Probe\x12\x03"
                              "CPU\x1a\x0a\x0a\x01T\x12\x05\x0a\x03\x32\x01\x01"
                              "\x22\x01s\x2a\x04"
                              "fast\x30\x03";
    assert_int_equal(list->length, sizeof def - 1 + 2);
    assert_memory_equal((const char *)list->data + 2, def, sizeof def - 1);
    TF_DeleteBuffer(list);
    list = TF_GetRegisteredKernelsForOp("NoSuchOp", status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(list->length, 0);
    TF_DeleteBuffer(list);
    list = TF_GetAllRegisteredKernels(status);
    assert_non_null(memmem(list->data, list->length, def, sizeof def - 1));
    TF_DeleteBuffer(list);
    TF_DeleteStatus(status);
}

static int setup(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;

    register_probe(status);
    int failed = TF_GetCode(status) != TF_OK;
    TF_DeleteStatus(status);
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definition_has_the_bytes_that_tensorflow_writes),
        cmocka_unit_test(list_of_all_ops_holds_the_definition_as_its_field_1),
        cmocka_unit_test(internal_ops_are_listed_too),
        cmocka_unit_test(an_op_with_a_resource_is_stateful),
        cmocka_unit_test(a_tensor_is_read_from_its_message),
        cmocka_unit_test(strings_are_read_from_their_message),
        cmocka_unit_test(an_op_tells_whether_it_keeps_state),
        cmocka_unit_test(the_version_has_three_numbers),
        cmocka_unit_test(kernels_of_an_op_are_listed_and_an_unknown_op_has_none),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
