/* SPDX-License-Identifier: Apache-2.0 */
/* What shape functions got with contract 1.3: outputs read back, strided parts, sameness of
 * handles, values as shapes and indices, attributes as messages. Each test is a shape function that
 * asserts. Fixed: inputs [2,?,4], ?, the int32 vector {3,?} and the int32 scalar -2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "op/op_test_support.h"

typedef TF_ShapeInferenceContext context;

static struct { /* of the test that runs */
    TF_ShapeHandle *a, *b;
    TF_DimensionHandle *d, *e;
    TF_Status *status;
    int calls;
} t;

static const char *const specs[] = {"attr f: func = { name: 'twice' }",
                                    "input known: float",
                                    "input unknown: float",
                                    "input vector: int32",
                                    "input scalar: int32",
                                    "output one: float",
                                    "output two: float",
                                    NULL};

/* Calls fn on the node; the outputs as text. */
static void call(void (*fn)(context *ctx, TF_Status *status), const char *want)
{
    int64_t dims[] = {2, -1, 4}, length = 2, partial[] = {3, -1};
    oribi_shape inputs[] = {{3, dims}, {-1, NULL}, {1, &length}, {0, NULL}}, outputs[2];
    const oribi_shape known[] = {{-1, NULL}, {-1, NULL}, {2, partial}, {-1, NULL}};
    const TF_DataType types[] = {TF_FLOAT, TF_FLOAT, TF_INT32, TF_INT32};
    TF_Tensor *constants[4] = {NULL, NULL, NULL, TF_AllocateTensor(TF_INT32, NULL, 0, 4)};
    oribi_arena arena = {0};
    oribi_attrs attrs = {0};
    oribi_signature signature;
    oribi_text got = {0};
    *(int32_t *)TF_TensorData(constants[3]) = -2;
    oribi_op_def op = *oribi_op_find("ShapeReadTest");
    op.shape_fn = fn;
    t.calls = 0;

    assert_true(oribi_op_resolve(&op, "n", &attrs, types, 4, &arena, &signature, t.status));
    assert_true(oribi_op_infer_shapes(&op, "n", &attrs, &signature, inputs, constants, known,
                                      &arena, outputs, t.status));
    oribi_shape_print(&outputs[0], &got);
    oribi_text_append(&got, " ");
    oribi_shape_print(&outputs[1], &got);

    assert_int_equal(t.calls, 1);
    assert_string_equal(oribi_text_string(&got), want);
    oribi_text_destroy(&got);
    oribi_arena_destroy(&arena);
    TF_DeleteTensor(constants[3]);
}

static void expect(TF_Status *status, TF_Code code)
{
    if (TF_GetCode(status) != code) {
        fail_msg("wanted code %d, got '%s'", (int)code, TF_Message(status));
    }
    TF_SetStatus(status, TF_OK, "");
}

static void reads_outputs(context *ctx, TF_Status *status)
{
    t.calls++;
    TF_ShapeInferenceContextGetOutput(ctx, 0, t.b, status);
    expect(status, TF_OK);
    assert_int_equal(TF_ShapeInferenceContextRankKnown(ctx, t.b), 0);

    TF_ShapeInferenceContextGetInput(ctx, 0, t.a, status);
    TF_ShapeInferenceContextSetOutput(ctx, 0, t.a, status);
    TF_ShapeInferenceContextGetOutput(ctx, 0, t.b, status);

    expect(status, TF_OK);
    assert_true(TF_ShapeHandleIsSame(t.a, t.b));
    TF_ShapeInferenceContextSetOutput(ctx, 1, t.b, status);
    TF_ShapeInferenceContextGetOutput(ctx, 2, t.b, status);
    expect(status, TF_INVALID_ARGUMENT);
    TF_ShapeInferenceContextGetOutput(ctx, -1, t.b, status);
    expect(status, TF_INVALID_ARGUMENT);
}

static void outputs_are_read_back(void **state)
{
    (void)state;
    call(reads_outputs, "[2,?,4] [2,?,4]");
}

static void takes_parts(context *ctx, TF_Status *status)
{
    t.calls++;
    TF_ShapeInferenceContextGetInput(ctx, 0, t.a, status);
    TF_ShapeInferenceContextStridedSubshape(ctx, t.a, 3, 0, -2, t.b, status);
    expect(status, TF_OK);
    TF_ShapeInferenceContextSetOutput(ctx, 0, t.b, status);
    TF_ShapeInferenceContextStridedSubshape(ctx, t.a, 0, INT64_MAX, 2, t.b, status);
    expect(status, TF_OK);
    TF_ShapeInferenceContextSetOutput(ctx, 1, t.b, status);
    TF_ShapeInferenceContextStridedSubshape(ctx, t.a, 0, INT64_MAX, 0, t.b, status);
    expect(status, TF_INVALID_ARGUMENT);
    TF_ShapeInferenceContextStridedSubshape(ctx, t.a, 0, 2, -1, t.b, status);
    expect(status, TF_INVALID_ARGUMENT);
    TF_ShapeInferenceContextStridedSubshape(ctx, t.a, -4, 2, 1, t.b, status);
    expect(status, TF_INVALID_ARGUMENT);
}

static void strided_parts_are_taken_and_stride_0_is_refused(void **state)
{
    (void)state;
    call(takes_parts, "[4] [2,4]");
}

static void compares(context *ctx, TF_Status *status)
{
    t.calls++;
    TF_ShapeInferenceContextGetInput(ctx, 0, t.a, status);
    TF_ShapeInferenceContextDim(ctx, t.a, 1, t.d);
    TF_ShapeInferenceContextDim(ctx, t.a, -2, t.e);
    assert_true(TF_DimensionHandleIsSame(t.d, t.e));
    assert_int_equal(TF_DimensionHandleValue(t.d), -1);
    TF_ShapeInferenceContextUnknownDim(ctx, t.e);
    assert_false(TF_DimensionHandleIsSame(t.d, t.e));
    TF_ShapeInferenceContextReplaceDim(ctx, t.a, 1, t.e, t.b, status);
    assert_false(TF_ShapeHandleIsSame(t.a, t.b));
    TF_ShapeInferenceContextReplaceDim(ctx, t.b, 1, t.d, t.b, status);
    assert_true(TF_ShapeHandleIsSame(t.a, t.b));

    TF_ShapeInferenceContextGetInput(ctx, 1, t.a, status);
    TF_ShapeInferenceContextGetInput(ctx, 1, t.b, status);
    assert_true(TF_ShapeHandleIsSame(t.a, t.b));
    assert_int_equal(TF_ShapeInferenceContextRank(ctx, t.a), -1);
    TF_ShapeInferenceContextUnknownShape(ctx, t.b);
    assert_false(TF_ShapeHandleIsSame(t.a, t.b));
    expect(status, TF_OK);
}

static void handles_that_mean_the_same_are_told(void **state)
{
    (void)state;
    call(compares, "? ?");
}

static void reads_values(context *ctx, TF_Status *status)
{
    t.calls++;
    TF_ShapeInferenceContextInputTensorAsShape(ctx, 2, t.a, status);
    expect(status, TF_OK);
    TF_ShapeInferenceContextSetOutput(ctx, 0, t.a, status);
    TF_ShapeInferenceContextInputTensorAsShape(ctx, 1, t.b, status);
    expect(status, TF_OK);
    assert_int_equal(TF_ShapeInferenceContextRankKnown(ctx, t.b), 0);
    TF_ShapeInferenceContextInputTensorAsShape(ctx, 4, t.b, status);
    expect(status, TF_INVALID_ARGUMENT);

    TF_ShapeInferenceContextMakeDimFromInputIndex(ctx, 3, 5, t.d, status);
    expect(status, TF_OK);
    assert_int_equal(TF_DimensionHandleValue(t.d), 3);
    TF_ShapeInferenceContextMakeDimFromInputIndex(ctx, 3, -1, t.d, status);
    expect(status, TF_OK);
    assert_false(TF_DimensionHandleValueKnown(t.d));
    TF_ShapeInferenceContextMakeDimFromInputIndex(ctx, 3, 1, t.d, status);
    expect(status, TF_INVALID_ARGUMENT);
    TF_ShapeInferenceContextMakeDimFromInputIndex(ctx, 9, 1, t.d, status);
    expect(status, TF_INVALID_ARGUMENT);
    assert_int_equal(TF_ShapeInferenceContextGraphDefVersion(ctx), 1766);
}

static void values_are_read_as_shapes_and_indices(void **state)
{
    (void)state;
    call(reads_values, "[3,?] ?");
}

static void reads_function(context *ctx, TF_Status *status)
{
    static const char want[] = "\x52\x07\x0a\x05twice"; /* func (10) of name (1) */
    TF_Buffer *buffer = TF_NewBuffer();
    t.calls++;
    TF_ShapeInferenceContext_GetAttrProto(ctx, "g", buffer, status);
    expect(status, TF_NOT_FOUND);
    assert_int_equal(buffer->length, 0);

    TF_ShapeInferenceContext_GetAttrProto(ctx, "f", buffer, status);

    expect(status, TF_OK);
    assert_int_equal(buffer->length, sizeof want - 1);
    assert_memory_equal(buffer->data, want, sizeof want - 1);
    TF_DeleteBuffer(buffer);
}

static void a_function_attribute_is_read_as_a_message(void **state)
{
    (void)state;
    call(reads_function, "? ?");
}

static int set_up(void **state)
{
    (void)state;
    t.a = TF_NewShapeHandle();
    t.b = TF_NewShapeHandle();
    t.d = TF_NewDimensionHandle();
    t.e = TF_NewDimensionHandle();
    t.status = TF_NewStatus();
    test_register("ShapeReadTest", specs, t.status);
    return TF_GetCode(t.status) == TF_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    TF_DeleteShapeHandle(t.a);
    TF_DeleteShapeHandle(t.b);
    TF_DeleteDimensionHandle(t.d);
    TF_DeleteDimensionHandle(t.e);
    TF_DeleteStatus(t.status);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_read_back),
        cmocka_unit_test(strided_parts_are_taken_and_stride_0_is_refused),
        cmocka_unit_test(handles_that_mean_the_same_are_told),
        cmocka_unit_test(values_are_read_as_shapes_and_indices),
        cmocka_unit_test(a_function_attribute_is_read_as_a_message),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
