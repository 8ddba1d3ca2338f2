/* SPDX-License-Identifier: Apache-2.0 */
/* The shape functions' own interface, ops.h and shape_inference.h: each test is a shape function
 * that asserts, called on one node. Fixed: inputs [2,?,4], ?, [] and the int32 vector {3,-1}.
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
    TF_ShapeHandle *a, *b, *result;
    TF_DimensionHandle *d, *e, *f;
    TF_Status *status;
} t;

static const char *const specs[] = {
    "attr i: int = 70000000000",
    "attr f: float = 0.5",
    "attr b: bool = true",
    "attr s: string = 'hello'",
    "attr T: type = DT_HALF",
    "attr sh: shape = { dim { size: 7 } dim { size: -1 } }",
    "attr te: tensor = { dtype: DT_INT32 tensor_shape {} int_val: 5 }",
    "attr li: list(int) = [1, 2, 3]",
    "attr ls: list(string) = ['ab', 'cde']",
    "attr lt: list(type) = [DT_BOOL]",
    "attr lf: list(float) = [1.5, 2.5]",
    "attr lb: list(bool) = [true, false]",
    "attr lsh: list(shape) = [{}, { dim { size: 9 } }]",
    "attr lte: list(tensor) = [{ dtype: DT_INT32 tensor_shape {} int_val: 6 }]",
    "attr N: int >= 0 = 2",
    "input known: float",
    "input unknown: float",
    "input scalar: float",
    "input vector: int32",
    "output one: float",
    "output many: N * float",
    NULL};

/* Calls fn on the node; the outputs as text. */
static void call(void (*fn)(context *ctx, TF_Status *status), const char *want)
{
    int64_t dims[] = {2, -1, 4}, length = 2;
    oribi_shape inputs[] = {{3, dims}, {-1, NULL}, {0, NULL}, {1, &length}}, outputs[3];
    const TF_DataType types[] = {TF_FLOAT, TF_FLOAT, TF_FLOAT, TF_INT32};
    TF_Tensor *constants[4] = {NULL, NULL, NULL,
                               TF_AllocateTensor(TF_INT32, &length, 1, 2 * sizeof(int32_t))};
    int32_t *values = TF_TensorData(constants[3]);
    oribi_arena arena = {0};
    oribi_attrs attrs = {0};
    oribi_signature signature;
    oribi_text got = {0};
    TF_Status *status = TF_NewStatus();
    values[0] = 3;
    values[1] = -1;
    oribi_op_def op = *oribi_op_find("ShapeTest");
    op.shape_fn = fn;

    assert_true(oribi_op_resolve(&op, "n", &attrs, types, 4, &arena, &signature, status));
    if (oribi_op_infer_shapes(&op, "n", &attrs, &signature, inputs, constants, NULL, &arena,
                              outputs, status)) {
        for (int i = 0; i < signature.n_outputs; i++) {
            oribi_text_append(&got, i > 0 ? " " : "");
            oribi_shape_print(&outputs[i], &got);
        }
    } else {
        oribi_text_append(&got, TF_Message(status));
    }
    assert_string_equal(oribi_text_string(&got), want);
    oribi_text_destroy(&got);
    oribi_arena_destroy(&arena);
    TF_DeleteTensor(constants[3]);
    TF_DeleteStatus(status);
}

static void ok(void)
{
    if (TF_GetCode(t.status) != TF_OK) {
        fail_msg("%s", TF_Message(t.status));
    }
}

/* Failed with this message, and the result is unset. */
static void failed(TF_Code code, const char *message)
{
    assert_int_equal(TF_GetCode(t.status), code);
    if (strstr(TF_Message(t.status), message) == NULL) {
        fail_msg("wanted '%s', got '%s'", message, TF_Message(t.status));
    }
    assert_int_equal(TF_ShapeInferenceContextRank(NULL, t.result), -1);
}

static void nothing(context *ctx, TF_Status *status)
{
    (void)ctx;
    (void)status;
}

static void set_and_forget(context *ctx, TF_Status *status)
{
    TF_ShapeInferenceContextGetInput(ctx, 0, t.a, status);
    TF_ShapeInferenceContextSetOutput(ctx, 1, t.a, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

static void outputs_that_nobody_sets_are_unknown(void **state)
{
    (void)state;
    call(nothing, "? ? ?");
    call(TF_ShapeInferenceContextSetUnknownShape, "? ? ?");
    call(set_and_forget, "? ? ?");
}

static void inputs_and_outputs(context *ctx, TF_Status *status)
{
    (void)status;
    assert_int_equal(TF_ShapeInferenceContextNumInputs(ctx), 4);
    assert_int_equal(TF_ShapeInferenceContextNumOutputs(ctx), 3);
    for (int i = 0; i < 3; i++) { /* every index, not the first alone */
        TF_ShapeInferenceContextGetInput(ctx, i, t.a, t.status);
        ok();
        TF_ShapeInferenceContextSetOutput(ctx, i, t.a, t.status);
        ok();
    }
    TF_ShapeInferenceContextGetInput(ctx, 4, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "input index out of range");
    TF_ShapeInferenceContextGetInput(ctx, -1, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "input index out of range");
    TF_ShapeInferenceContextSetOutput(ctx, 3, t.a, t.status);
    failed(TF_INVALID_ARGUMENT, "output index out of range");
    assert_int_equal(TF_ShapeInferenceContextInputType(ctx, 3), TF_INT32);
    assert_int_equal(TF_ShapeInferenceContextInputType(ctx, 4), 0);
    int start = -9, stop = -9;
    TF_ShapeInferenceContextOutputRange(ctx, "many", &start, &stop, t.status);
    ok();
    assert_true(start == 1 && stop == 3);
    TF_ShapeInferenceContextInputRange(ctx, "vector", &start, &stop, t.status);
    assert_true(start == 3 && stop == 4);
    TF_ShapeInferenceContextInputRange(ctx, "many", &start, &stop, t.status);
    failed(TF_INVALID_ARGUMENT, "no input named 'many'");
}

static void inputs_go_to_outputs(void **state)
{
    (void)state;
    call(inputs_and_outputs, "[2,?,4] ? []");
}

static void ranks(context *ctx, TF_Status *status)
{
    (void)status;
    TF_ShapeInferenceContextGetInput(ctx, 0, t.a, t.status);
    TF_ShapeInferenceContextGetInput(ctx, 1, t.b, t.status);
    assert_int_equal(TF_ShapeInferenceContextRank(ctx, t.a), 3);
    assert_true(TF_ShapeInferenceContextRankKnown(ctx, t.a));
    assert_int_equal(TF_ShapeInferenceContextRankKnown(ctx, t.b), 0);
    assert_int_equal(TF_ShapeInferenceContextRank(ctx, t.b), -1);

    TF_ShapeInferenceContextWithRank(ctx, t.a, 3, t.result, t.status);
    ok();
    TF_ShapeInferenceContextWithRank(ctx, t.a, 2, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "Shape must be rank 2 but is rank 3");
    TF_ShapeInferenceContextWithRank(ctx, t.a, INT64_C(1) << 40, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "Rank cannot exceed");
    TF_ShapeInferenceContextWithRankAtLeast(ctx, t.a, 4, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "Shape must be at least rank 4 but is rank 3");
    TF_ShapeInferenceContextWithRankAtMost(ctx, t.a, 2, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "Shape must be at most rank 2 but is rank 3");
    TF_ShapeInferenceContextWithRankAtLeast(ctx, t.b, 4, t.result, t.status);
    ok();
    assert_int_equal(TF_ShapeInferenceContextRankKnown(ctx, t.result), 0);
    TF_ShapeInferenceContextWithRank(ctx, t.b, 2, t.b, t.status); /* into itself */
    ok();
    TF_ShapeInferenceContextSetOutput(ctx, 0, t.b, t.status);
}

static void ranks_are_checked_and_learnt(void **state)
{
    (void)state;
    call(ranks, "[?,?] ? ?");
}

static void subshape(context *ctx, int64_t start, int64_t end, int64_t rank)
{
    TF_ShapeInferenceContextSubshape(ctx, t.a, start, end, t.result, t.status);
    ok();
    assert_int_equal(TF_ShapeInferenceContextRank(ctx, t.result), rank);
}

static void parts(context *ctx, TF_Status *status)
{
    (void)status;
    TF_ShapeInferenceContextGetInput(ctx, 0, t.a, t.status);
    TF_ShapeInferenceContextDim(ctx, t.a, 2, t.d);
    assert_int_equal(TF_DimensionHandleValue(t.d), 4);
    TF_ShapeInferenceContextDim(ctx, t.a, -3, t.d);
    assert_int_equal(TF_DimensionHandleValue(t.d), 2);
    assert_true(TF_DimensionHandleValueKnown(t.d));
    TF_ShapeInferenceContextDim(ctx, t.a, 1, t.d);
    assert_int_equal(TF_DimensionHandleValueKnown(t.d), 0);
    TF_ShapeInferenceContextDim(ctx, t.a, 3, t.d);
    assert_int_equal(TF_DimensionHandleValue(t.d), -1);
    subshape(ctx, 0, INT64_MAX, 3);
    subshape(ctx, -1, INT64_MAX, 1);
    subshape(ctx, 5, 9, 0);
    subshape(ctx, 0, -1, 2);
    TF_ShapeInferenceContextSetOutput(ctx, 1, t.result, t.status);
    TF_ShapeInferenceContextSubshape(ctx, t.a, 2, 1, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "Subshape must have computed start <= end");
    TF_ShapeInferenceContextSubshape(ctx, t.a, -5, 1, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "Subshape must have");
    TF_ShapeHandle *vector = TF_ShapeInferenceContextVectorFromSize(ctx, 6);
    TF_ShapeInferenceContextConcatenateShapes(ctx, t.a, vector, t.result, t.status);
    ok();
    TF_ShapeInferenceContextSetOutput(ctx, 0, t.result, t.status);
    TF_ShapeInferenceContextGetInput(ctx, 1, t.b, t.status);
    TF_ShapeInferenceContextConcatenateShapes(ctx, t.b, vector, t.result, t.status);
    ok();
    assert_int_equal(TF_ShapeInferenceContextRankKnown(ctx, t.result), 0);
    TF_DeleteShapeHandle(vector);
    TF_ShapeHandle *scalar = TF_ShapeInferenceContextScalar(ctx);
    TF_ShapeInferenceContextSetOutput(ctx, 2, scalar, t.status);
    TF_DeleteShapeHandle(scalar);
}

static void shapes_are_taken_apart_and_joined(void **state)
{
    (void)state;
    call(parts, "[2,?,4,6] [2,?] []");
}

static void made(context *ctx, TF_Status *status)
{
    (void)status;
    const int64_t dims[] = {-1, 3, -1}, bad[] = {-2}, front[] = {2}, other[] = {5};
    TF_ShapeInferenceContextGetInput(ctx, 0, t.a, t.status);
    TF_ShapeInferenceContextMakeShapeFromDims(ctx, dims, 3, t.b, t.status);
    ok();
    TF_ShapeInferenceContextMerge(ctx, t.a, t.b, t.result, t.status);
    ok();
    TF_ShapeInferenceContextSetOutput(ctx, 0, t.result, t.status);
    assert_int_equal(TF_ShapeInferenceContextFullyDefined(ctx, t.result), 1);
    assert_int_equal(TF_ShapeInferenceContextFullyDefined(ctx, t.a), 0);
    TF_ShapeInferenceContextNumElements(ctx, t.result, t.d);
    assert_int_equal(TF_DimensionHandleValue(t.d), 24);
    TF_ShapeInferenceContextNumElements(ctx, t.a, t.d);
    assert_int_equal(TF_DimensionHandleValue(t.d), -1);
    TF_ShapeInferenceContextMakeDim(ctx, 8, t.d);
    TF_ShapeInferenceContextReplaceDim(ctx, t.a, -2, t.d, t.result, t.status);
    ok();
    TF_ShapeInferenceContextSetOutput(ctx, 1, t.result, t.status);
    TF_ShapeInferenceContextMerge(ctx, t.result, t.b, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "Dimension 1 in both shapes must be equal, but are 8 and 3. Shapes "
                                "are [2,8,4] and [?,3,?].");
    TF_ShapeInferenceContextReplaceDim(ctx, t.a, 3, t.d, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "Out of range dim_index 3");
    TF_ShapeInferenceContextMakeShapeFromDims(ctx, bad, 1, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "cannot be -2");
    TF_ShapeInferenceContextMakeShapeFromDims(ctx, front, 1, t.b, t.status);
    TF_ShapeInferenceContextMerge(ctx, t.a, t.b, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "Shapes must be equal rank, but are 3 and 1");
    TF_ShapeInferenceContextMergePrefix(ctx, t.a, t.b, t.result, t.b, t.status);
    ok();
    assert_int_equal(TF_ShapeInferenceContextRank(ctx, t.b), 1);
    TF_ShapeInferenceContextMakeShapeFromDims(ctx, other, 1, t.b, t.status);
    TF_ShapeInferenceContextMergePrefix(ctx, t.a, t.b, t.result, t.b, t.status);
    failed(TF_INVALID_ARGUMENT, "Dimension 0 in both shapes");
    TF_DimensionHandle *pair[] = {t.d, t.e};
    TF_ShapeInferenceContextDim(ctx, t.a, 0, t.e); /* 2 */
    TF_ShapeInferenceContextUnknownDim(ctx, t.e);
    TF_ShapeInferenceContextMakeShape(ctx, pair, 2, t.result, t.status);
    ok();
    TF_ShapeInferenceContextSetOutput(ctx, 2, t.result, t.status);
    TF_ShapeInferenceContextUnknownShapeOfRank(ctx, 5, t.result, t.status);
    assert_int_equal(TF_ShapeInferenceContextRank(ctx, t.result), 5);
    TF_ShapeInferenceContextUnknownShape(ctx, t.result);
    assert_int_equal(TF_ShapeInferenceContextRank(ctx, t.result), -1);
}

static void shapes_are_made_merged_and_changed(void **state)
{
    (void)state;
    call(made, "[2,3,4] [2,8,4] [8,?]");
}

typedef void (*dim_function)(context *ctx, TF_DimensionHandle *a, TF_DimensionHandle *b,
                             TF_DimensionHandle *result, TF_Status *status);

static void dimensions(context *ctx, TF_Status *status)
{
    static const struct {
        dim_function f;
        int64_t a, b, want; /* -2: fails */
    } rows[] = {
        {TF_ShapeInferenceContextAddDims, 2, 3, 5},
        {TF_ShapeInferenceContextAddDims, 2, -1, -1},
        {TF_ShapeInferenceContextAddDims, INT64_MAX, 1, -2},
        {TF_ShapeInferenceContextSubtractDims, 5, 3, 2},
        {TF_ShapeInferenceContextSubtractDims, 3, 5, -2},
        {TF_ShapeInferenceContextSubtractDims, -1, 5, -1},
        {TF_ShapeInferenceContextMultiplyDims, 5, 3, 15},
        {TF_ShapeInferenceContextMultiplyDims, -1, 0, 0},
        {TF_ShapeInferenceContextMultiplyDims, -1, 3, -1},
        {TF_ShapeInferenceContextMultiplyDims, INT64_MAX, 2, -2},
        {TF_ShapeInferenceContextMinDims, 5, 3, 3},
        {TF_ShapeInferenceContextMinDims, 0, -1, 0},
        {TF_ShapeInferenceContextMinDims, 3, -1, -1},
        {TF_ShapeInferenceContextMaxDims, 5, 3, 5},
        {TF_ShapeInferenceContextMaxDims, -1, 3, -1},
        {TF_ShapeInferenceContextMergeDim, 4, -1, 4},
        {TF_ShapeInferenceContextMergeDim, -1, -1, -1},
        {TF_ShapeInferenceContextMergeDim, 4, 5, -2},
    };
    (void)status;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TF_ShapeInferenceContextMakeDim(ctx, rows[i].a, t.d);
        TF_ShapeInferenceContextMakeDim(ctx, rows[i].b, t.e);
        rows[i].f(ctx, t.d, t.e, t.f, t.status);
        assert_int_equal(TF_GetCode(t.status), rows[i].want == -2 ? TF_INVALID_ARGUMENT : TF_OK);
        assert_int_equal(TF_DimensionHandleValue(t.f), rows[i].want == -2 ? -1 : rows[i].want);
    }
    TF_ShapeInferenceContextMakeDim(ctx, 7, t.d);
    TF_ShapeInferenceContextDivideDim(ctx, t.d, 2, false, t.f, t.status);
    assert_int_equal(TF_DimensionHandleValue(t.f), 3);
    TF_ShapeInferenceContextDivideDim(ctx, t.d, 2, true, t.f, t.status);
    failed(TF_INVALID_ARGUMENT, "evenly divisible by 2 but is 7");
    TF_ShapeInferenceContextDivideDim(ctx, t.d, 0, false, t.f, t.status);
    failed(TF_INVALID_ARGUMENT, "Divisor must be positive but is 0");
    TF_ShapeInferenceContextWithValue(ctx, t.d, 7, t.f, t.status);
    ok();
    TF_ShapeInferenceContextWithValue(ctx, t.d, 8, t.f, t.status);
    failed(TF_INVALID_ARGUMENT, "Dimension must be 8 but is 7");
}

static void dimension_arithmetic_knows_unknowns_and_overflow(void **state)
{
    (void)state;
    call(dimensions, "? ? ?");
}

static void attributes(context *ctx, TF_Status *status)
{
    (void)status;
    int64_t i64 = 0, many[2];
    int32_t i32 = 5, list = 0, total = 0, few[3];
    float f = 0, floats[2];
    TF_Bool b = 0, bools[2];
    TF_DataType type = 0;
    char text[3], storage[8], *strings[2];
    size_t lengths[2];
    TF_ShapeInferenceContext_GetAttrInt64(ctx, "i", &i64, t.status);
    assert_true(i64 == INT64_C(70000000000));
    TF_ShapeInferenceContext_GetAttrInt32(ctx, "i", &i32, t.status);
    failed(TF_INVALID_ARGUMENT, "does not fit an int32");
    assert_int_equal(i32, 5);
    TF_ShapeInferenceContext_GetAttrFloat(ctx, "f", &f, t.status);
    assert_true(f == 0.5f);
    TF_ShapeInferenceContext_GetAttrBool(ctx, "b", &b, t.status);
    assert_int_equal(b, 1);
    TF_ShapeInferenceContext_GetAttrType(ctx, "T", &type, t.status);
    assert_int_equal(type, TF_HALF);
    TF_ShapeInferenceContext_GetAttrType(ctx, "nope", &type, t.status);
    failed(TF_NOT_FOUND, "'nope'");
    TF_ShapeInferenceContext_GetAttrType(ctx, "i", &type, t.status);
    failed(TF_INVALID_ARGUMENT, "has type int, type was asked for");
    assert_int_equal(type, TF_HALF);
    TF_ShapeInferenceContext_GetAttrString(ctx, "s", text, 3, t.status);
    assert_memory_equal(text, "hel", 3);
    TF_ShapeInferenceContext_GetAttrSize(ctx, "s", &list, &total, t.status);
    assert_true(list == -1 && total == 5);
    TF_ShapeInferenceContext_GetAttrSize(ctx, "ls", &list, &total, t.status);
    assert_true(list == 2 && total == 5);
    TF_ShapeInferenceContext_GetAttrSize(ctx, "sh", &list, &total, t.status);
    assert_true(list == -1 && total == 2);
    TF_ShapeInferenceContext_GetAttrSize(ctx, "li", &list, &total, t.status);
    assert_true(list == 3 && total == -1);
    TF_ShapeInferenceContext_GetAttrSize(ctx, "nope", &list, &total, t.status);
    failed(TF_INVALID_ARGUMENT, "Operation 'n' has no attr named 'nope'.");
    assert_true(list == -1 && total == -1);
    TF_ShapeInferenceContext_GetAttrInt64List(ctx, "li", many, 2, t.status);
    ok(); /* the third is dropped silently */
    assert_true(many[0] == 1 && many[1] == 2);
    TF_ShapeInferenceContext_GetAttrInt32List(ctx, "li", few, 3, t.status);
    assert_int_equal(few[2], 3);
    TF_ShapeInferenceContext_GetAttrFloatList(ctx, "lf", floats, 2, t.status);
    assert_true(floats[1] == 2.5f);
    TF_ShapeInferenceContext_GetAttrBoolList(ctx, "lb", bools, 2, t.status);
    assert_true(bools[0] == 1 && bools[1] == 0);
    TF_ShapeInferenceContext_GetAttrTypeList(ctx, "lt", &type, 1, t.status);
    assert_int_equal(type, TF_BOOL);
    TF_ShapeInferenceContext_GetAttrTypeList(ctx, "li", &type, 1, t.status);
    failed(TF_INVALID_ARGUMENT, "list(type) was asked for");
    TF_ShapeInferenceContext_GetAttrStringList(ctx, "ls", strings, lengths, 2, storage, 8,
                                               t.status);
    ok();
    assert_true(lengths[1] == 3 && memcmp(strings[1], "cde", 3) == 0);
    TF_ShapeInferenceContext_GetAttrStringList(ctx, "ls", strings, lengths, 2, storage, 4,
                                               t.status);
    failed(TF_INVALID_ARGUMENT, "storage");
    assert_true(TF_ShapeInferenceContext_HasAttr(ctx, "i"));
    assert_false(TF_ShapeInferenceContext_HasAttr(ctx, "nope"));
    TF_Tensor *tensor;
    TF_ShapeInferenceContext_GetAttrTensor(ctx, "te", &tensor, t.status);
    ok();
    assert_int_equal(*(int32_t *)TF_TensorData(tensor), 5);
    TF_DeleteTensor(tensor);
    TF_ShapeInferenceContext_GetAttrTensorListItem(ctx, "lte", 0, &tensor, t.status);
    ok();
    assert_int_equal(*(int32_t *)TF_TensorData(tensor), 6);
    TF_DeleteTensor(tensor);
    TF_ShapeInferenceContext_GetAttrTensorListItem(ctx, "lte", 1, &tensor, t.status);
    failed(TF_OUT_OF_RANGE, "has 1 element");
    assert_null(tensor);
    TF_ShapeInferenceContext_GetAttrTensorListItem(ctx, "te", 0, &tensor, t.status);
    failed(TF_INVALID_ARGUMENT, "te");
    TF_ShapeInferenceContext_GetAttrShape(ctx, "sh", t.a, t.status);
    TF_ShapeInferenceContextSetOutput(ctx, 0, t.a, t.status);
    TF_ShapeInferenceContext_GetAttrShapeListItem(ctx, "lsh", 1, t.a, t.status);
    TF_ShapeInferenceContextSetOutput(ctx, 1, t.a, t.status);
    TF_ShapeInferenceContext_GetAttrShapeListItem(ctx, "lsh", 2, t.result, t.status);
    failed(TF_OUT_OF_RANGE, "has 2 elements, element 2");
}

static void attributes_of_every_kind_are_read(void **state)
{
    (void)state;
    call(attributes, "[7,?] [9] ?");
}

static void values(context *ctx, TF_Status *status)
{
    (void)status;
    TF_ShapeInferenceContextMakeShapeFromInput(ctx, 3, t.result, t.status);
    ok();
    TF_ShapeInferenceContextSetOutput(ctx, 0, t.result, t.status);
    TF_ShapeInferenceContextMakeShapeFromInput(ctx, 1, t.result, t.status);
    ok();
    assert_int_equal(TF_ShapeInferenceContextRankKnown(ctx, t.result), 0);
    TF_ShapeInferenceContextMakeShapeFromInput(ctx, 0, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "Shape must be rank 1 but is rank 3");
    TF_ShapeInferenceContextMakeShapeFromInput(ctx, 4, t.result, t.status);
    failed(TF_INVALID_ARGUMENT, "input index out of range");
    TF_ShapeInferenceContextMakeDimFromInput(ctx, 2, t.d, t.status);
    ok();
    assert_int_equal(TF_DimensionHandleValueKnown(t.d), 0);
    TF_ShapeInferenceContextMakeDimFromInput(ctx, 3, t.d, t.status);
    failed(TF_INVALID_ARGUMENT, "must be scalar but has rank 1");
    assert_null(TF_ShapeInferenceContextInputTensor(ctx, 0));
    assert_null(TF_ShapeInferenceContextInputTensor(ctx, -1));
    TF_Tensor *tensor = TF_ShapeInferenceContextInputTensor(ctx, 3);
    assert_int_equal(((int32_t *)TF_TensorData(tensor))[0], 3);
    TF_DeleteTensor(tensor);
}

static void constant_inputs_are_seen(void **state)
{
    (void)state;
    call(values, "[3,?] ? ?");
}

static void missing_handles(context *ctx, TF_Status *status)
{
    (void)status;
    TF_ShapeInferenceContextGetInput(ctx, 0, NULL, t.status);
    failed(TF_RESOURCE_EXHAUSTED, "");
    TF_ShapeInferenceContextMerge(ctx, NULL, NULL, t.result, t.status);
    ok();
    assert_int_equal(TF_ShapeInferenceContextRank(ctx, NULL), -1);
    TF_ShapeInferenceContextDim(ctx, NULL, 0, t.d);
    assert_int_equal(TF_DimensionHandleValue(NULL), -1);
    TF_DeleteShapeHandle(NULL);
    TF_DeleteDimensionHandle(NULL);
}

static void a_missing_handle_is_no_crash(void **state)
{
    (void)state;
    call(missing_handles, "? ? ?");
}

static void refuse(context *ctx, TF_Status *status)
{
    (void)ctx;
    assert_int_equal(TF_GetCode(status), TF_OK); /* a fresh status for each call */
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "no good");
}

static void a_failure_names_the_node_and_its_input_shapes(void **state)
{
    (void)state;
    call(refuse, "node 'n' (op ShapeTest) with input shapes [2,?,4], ?, [], [2]: no good");
}

static int set_up(void **state)
{
    (void)state;
    t.status = TF_NewStatus();
    t.a = TF_NewShapeHandle();
    t.b = TF_NewShapeHandle();
    t.result = TF_NewShapeHandle();
    t.d = TF_NewDimensionHandle();
    t.e = TF_NewDimensionHandle();
    t.f = TF_NewDimensionHandle();
    test_register("ShapeTest", specs, t.status);
    return TF_GetCode(t.status) == TF_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    TF_DeleteStatus(t.status);
    TF_DeleteShapeHandle(t.a);
    TF_DeleteShapeHandle(t.b);
    TF_DeleteShapeHandle(t.result);
    TF_DeleteDimensionHandle(t.d);
    TF_DeleteDimensionHandle(t.e);
    TF_DeleteDimensionHandle(t.f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_that_nobody_sets_are_unknown),
        cmocka_unit_test(inputs_go_to_outputs),
        cmocka_unit_test(ranks_are_checked_and_learnt),
        cmocka_unit_test(shapes_are_taken_apart_and_joined),
        cmocka_unit_test(shapes_are_made_merged_and_changed),
        cmocka_unit_test(dimension_arithmetic_knows_unknowns_and_overflow),
        cmocka_unit_test(attributes_of_every_kind_are_read),
        cmocka_unit_test(constant_inputs_are_seen),
        cmocka_unit_test(a_missing_handle_is_no_crash),
        cmocka_unit_test(a_failure_names_the_node_and_its_input_shapes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
