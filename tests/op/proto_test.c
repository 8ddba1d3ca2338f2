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
#include "op/proto.h"
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
        cmocka_unit_test(an_op_tells_whether_it_keeps_state),
        cmocka_unit_test(the_version_has_three_numbers),
        cmocka_unit_test(kernels_of_an_op_are_listed_and_an_unknown_op_has_none),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
