/* SPDX-License-Identifier: Apache-2.0 */
/* What resource handles lead to, for shape functions: from output to input along a graph, merged,
 * relaxed, refused. Against TensorFlow's ops on variables: infer_test.c with shapes.txt.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/graph.h"
#include "op/op_test_support.h"

typedef TF_ShapeInferenceContext context;
typedef bool (*change_fn)(context *ctx, int i, TF_ShapeHandle *const *shapes,
                          const TF_DataType *dtypes, int count, TF_Status *status);

static TF_ShapeHandle *shape_of(context *ctx, int64_t rank, int64_t first, int64_t second)
{
    const int64_t dims[] = {first, second};
    TF_Status *status = TF_NewStatus();
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    if (rank >= 0) {
        TF_ShapeInferenceContextMakeShapeFromDims(ctx, dims, rank, shape, status);
    }
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
    return shape;
}

static void expect_shape(context *ctx, TF_ShapeHandle *shape, int64_t rank, int64_t first,
                         int64_t second)
{
    const int64_t want[] = {first, second};
    TF_DimensionHandle *dim = TF_NewDimensionHandle();
    assert_int_equal(TF_ShapeInferenceContextRank(ctx, shape), rank);
    for (int64_t i = 0; i < rank; i++) {
        TF_ShapeInferenceContextDim(ctx, shape, i, dim);
        assert_int_equal(TF_DimensionHandleValue(dim), want[i]);
    }
    TF_DeleteDimensionHandle(dim);
}

static void expect_input(context *ctx, int k, TF_DataType type, int64_t rank, int64_t first,
                         int64_t second)
{
    TF_Status *status = TF_NewStatus();
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_DataType dtype;
    TF_ShapeInferenceContextInputHandleShapeAndType(ctx, 0, k, shape, &dtype, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(dtype, type);
    expect_shape(ctx, shape, rank, first, second);
    TF_DeleteShapeHandle(shape);
    TF_DeleteStatus(status);
}

static void expect_output(context *ctx, int k, TF_DataType type, int64_t rank, int64_t first,
                          int64_t second)
{
    TF_Status *status = TF_NewStatus();
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_DataType dtype;
    TF_ShapeInferenceContextOutputHandleShapeAndType(ctx, 0, k, shape, &dtype, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(dtype, type);
    expect_shape(ctx, shape, rank, first, second);
    TF_DeleteShapeHandle(shape);
    TF_DeleteStatus(status);
}

/* Two values behind the handle: float [2,?] and an unknown. */
static void make_two(context *ctx, TF_Status *status)
{
    TF_ShapeHandle *shapes[] = {shape_of(ctx, 2, 2, -1), NULL};
    const TF_DataType dtypes[] = {TF_FLOAT, (TF_DataType)0};
    assert_int_equal(TF_ShapeInferenceContextNumOutputHandleShapesAndTypes(ctx, 0), 0);
    TF_ShapeInferenceContextSetOutputHandleShapesAndTypes(ctx, 0, shapes, dtypes, 2, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(TF_ShapeInferenceContextNumOutputHandleShapesAndTypes(ctx, 0), 2);
    assert_int_equal(TF_ShapeInferenceContextNumOutputHandleShapesAndTypes(ctx, 1), 0);
    expect_output(ctx, 0, TF_FLOAT, 2, 2, -1);
    expect_output(ctx, 1, (TF_DataType)0, -1, 0, 0);
    TF_DeleteShapeHandle(shapes[0]);
}

static bool change_two(change_fn fn, context *ctx, TF_ShapeHandle *first, TF_DataType type,
                       TF_ShapeHandle *second, TF_DataType other)
{
    TF_Status *status = TF_NewStatus();
    TF_ShapeHandle *shapes[] = {first, second};
    const TF_DataType dtypes[] = {type, other};
    const bool changed = fn(ctx, 0, shapes, dtypes, 2, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteShapeHandle(first);
    TF_DeleteShapeHandle(second);
    TF_DeleteStatus(status);
    return changed;
}

static void merges(context *ctx)
{
    const change_fn merge = TF_ShapeInferenceContextMergeInputHandleShapesAndTypes;
    const TF_DataType none = (TF_DataType)0;
    /* nothing new; another type; a contradiction, of the first alone */
    assert_false(change_two(merge, ctx, NULL, TF_FLOAT, NULL, none));
    assert_false(change_two(merge, ctx, NULL, TF_INT32, shape_of(ctx, 1, 7, 0), TF_INT32));
    expect_input(ctx, 1, none, -1, 0, 0);
    assert_true(
        change_two(merge, ctx, shape_of(ctx, 2, 3, 5), TF_FLOAT, shape_of(ctx, 0, 0, 0), none));
    expect_input(ctx, 0, TF_FLOAT, 2, 2, -1);
    expect_input(ctx, 1, none, 0, 0, 0);
    assert_true(
        change_two(merge, ctx, shape_of(ctx, 2, -1, 5), TF_FLOAT, shape_of(ctx, 1, 1, 0), TF_INT8));
    expect_input(ctx, 0, TF_FLOAT, 2, 2, 5);
    expect_input(ctx, 1, TF_INT8, 0, 0, 0);
}

static void relaxes(context *ctx)
{
    const change_fn relax = TF_ShapeInferenceContextRelaxInputHandleShapesAndMergeTypes;
    assert_true(
        change_two(relax, ctx, shape_of(ctx, 2, 3, 5), TF_FLOAT, shape_of(ctx, 0, 0, 0), TF_INT8));
    expect_input(ctx, 0, TF_FLOAT, 2, -1, 5);
    expect_input(ctx, 1, TF_INT8, 0, 0, 0);
    assert_true(
        change_two(relax, ctx, shape_of(ctx, 1, 3, 0), TF_FLOAT, shape_of(ctx, 0, 0, 0), TF_INT8));
    expect_input(ctx, 0, TF_FLOAT, -1, 0, 0);
    assert_false(
        change_two(relax, ctx, shape_of(ctx, 1, 3, 0), TF_FLOAT, shape_of(ctx, 0, 0, 0), TF_INT8));
}

/* Of outputs, where the first pairs are taken as they are. */
static void changes_outputs(context *ctx)
{
    const change_fn merge = TF_ShapeInferenceContextMergeOutputHandleShapesAndTypes;
    const change_fn relax = TF_ShapeInferenceContextRelaxOutputHandleShapesAndMergeTypes;
    assert_true(change_two(merge, ctx, shape_of(ctx, 2, 4, -1), TF_FLOAT, NULL, TF_BOOL));
    assert_true(change_two(merge, ctx, shape_of(ctx, 2, -1, 6), TF_FLOAT, NULL, TF_BOOL));
    expect_output(ctx, 0, TF_FLOAT, 2, 4, 6);
    assert_true(change_two(relax, ctx, shape_of(ctx, 2, 4, 9), TF_FLOAT, NULL, TF_BOOL));
    expect_output(ctx, 0, TF_FLOAT, 2, 4, -1);
    expect_output(ctx, 1, TF_BOOL, -1, 0, 0);
}

static void refuses(context *ctx)
{
    const TF_DataType dtypes[] = {TF_INT32};
    TF_ShapeHandle *shape = shape_of(ctx, 0, 0, 0);
    TF_Status *status = TF_NewStatus();
    TF_DataType dtype = TF_HALF;
    TF_ShapeInferenceContextInputHandleShapeAndType(ctx, 0, 2, shape, &dtype, status);
    assert_string_equal(TF_Message(status), "input 0: shape and type index out of range: 2 of 2");
    assert_int_equal(dtype, 0);
    expect_shape(ctx, shape, -1, 0, 0);
    TF_ShapeInferenceContextInputHandleShapeAndType(ctx, 1, 0, shape, &dtype, status);
    assert_string_equal(TF_Message(status), "input index out of range: 1 of 1");
    TF_ShapeInferenceContextOutputHandleShapeAndType(ctx, 0, -1, shape, &dtype, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_ShapeInferenceContextSetOutputHandleShapesAndTypes(ctx, 5, &shape, dtypes, 1, status);
    assert_string_equal(TF_Message(status), "output index out of range: 5 of 1");
    TF_ShapeInferenceContextSetOutputHandleShapesAndTypes(ctx, 0, &shape, NULL, 1, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_false(
        TF_ShapeInferenceContextMergeInputHandleShapesAndTypes(ctx, 0, &shape, dtypes, -1, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    /* Another number of pairs is no error, and changes nothing. */
    assert_false(
        TF_ShapeInferenceContextMergeInputHandleShapesAndTypes(ctx, 0, &shape, dtypes, 1, status));
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(TF_ShapeInferenceContextNumInputHandleShapesAndTypes(ctx, 0), 2);
    TF_DeleteShapeHandle(shape);
    TF_DeleteStatus(status);
}

static int n_used;

static void use(context *ctx, TF_Status *status)
{
    n_used++;
    assert_int_equal(TF_ShapeInferenceContextNumInputHandleShapesAndTypes(ctx, -1), 0);
    assert_int_equal(TF_ShapeInferenceContextNumInputHandleShapesAndTypes(ctx, 0), 2);
    expect_input(ctx, 0, TF_FLOAT, 2, 2, -1);
    refuses(ctx);
    merges(ctx);
    relaxes(ctx);
    changes_outputs(ctx);
    TF_SetStatus(status, TF_OK, "");
}

static void register_op(const char *name, const char *input,
                        void (*fn)(context *ctx, TF_Status *status))
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
    if (input != NULL) {
        TF_OpDefinitionBuilderAddInput(builder, input);
    }
    TF_OpDefinitionBuilderAddOutput(builder, "out: resource");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, fn);
    TF_RegisterOpDefinition(builder, status);
    assert_string_equal(TF_Message(status), "");
    TF_DeleteStatus(status);
}

static oribi_node *add(oribi_graph *graph, const char *op, const oribi_value_id *input)
{
    TF_Status *status = TF_NewStatus();
    oribi_node *node = oribi_graph_add_node(graph, op, op, input, input != NULL ? 1 : 0, 1, status);
    if (!oribi_graph_resolve(graph, node, status)) {
        fail_msg("%s", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return node;
}

/* Twice the same node: what the first one merged into its input, the second does not see. */
static void handles_are_followed_from_node_to_node(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    register_op("HandleMake", NULL, make_two);
    register_op("HandleUse", "in: resource", use);
    oribi_graph *graph = oribi_graph_create(status);

    const oribi_node *make = add(graph, "HandleMake", NULL);
    const oribi_node *one = add(graph, "HandleUse", make->outputs);
    (void)add(graph, "HandleUse", make->outputs);

    assert_int_equal(n_used, 2);
    const oribi_handle_data *out = &graph->values[one->outputs[0]]->handle;
    assert_int_equal(out->count, 2);
    assert_int_equal(out->parts[0].shape.dims[0], 4);
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_are_followed_from_node_to_node),
    };
    return cmocka_run_group_tests_name("op.shape_handle", tests, NULL, NULL);
}
